"""What is run against a spec's table, and the tasks that a run makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, cast

from ldp_verified.analysis.expectation import Expectation, expectation, spec_of
from ldp_verified.check.conformance.each_value import (
    EachValueSubject,
    asked_of,
    different,
    each_value_task,
    unasked,
)
from ldp_verified.check.conformance.frequencies import Draw, FrequencyTask, tallies
from ldp_verified.check.conformance.linear import LARGEST, LinearPopulationTask
from ldp_verified.check.conformance.numeric import NumericSubject, NumericTask
from ldp_verified.check.conformance.own_specs import own_expectation
from ldp_verified.check.conformance.populations import PopulationTask
from ldp_verified.check.conformance.restarts import RestartSubject, RestartTask
from ldp_verified.check.conformance.stateful_clients import ProtocolSubject, scene_tasks
from ldp_verified.language.forms import Matrix
from ldp_verified.run.kernels.rounding import UNIT
from ldp_verified.run.kernels.seeds import numpy_generator
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.tables.explicit import TableRandomizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Reports
    from ldp_verified.check.conformance.results import Comparison, PlannedComparison
    from ldp_verified.language.mechanism import Mechanism

MOST_POPULATIONS = 4000
REPORTS_PER_POPULATION = 400
"""A population is added for so many of the n reports, until there are `MOST_POPULATIONS`."""
MOST_ESTIMATED = 1024
"""Populations are estimated up to so many values; each estimate is of all of them."""


@dataclass(frozen=True, eq=False)
class Subject:
    """Something that draws reports, and what is expected of it.

    Attributes:
        name: shown in the report.
        draw: reports for values, in the layout of the mechanism.
        expected: the spec's table.
        mechanism: the object whose estimates are looked at too; None for a sampler alone.
        secure: whether `draw` with None draws from the secure source, to be looked at too.
        remarks: what is not looked at, and why; for the report.
    """

    name: str
    draw: Draw
    expected: Expectation
    mechanism: Randomizer | None = None
    secure: bool = False
    remarks: tuple[str, ...] = ()


AnySubject = Subject | NumericSubject | ProtocolSubject | RestartSubject | EachValueSubject


class Task(Protocol):
    """Part of a run."""

    @property
    def name(self) -> str:
        """The task's name, which is unique in the run."""

    @property
    def n(self) -> int:
        """The number of reports that the task draws."""

    @property
    def planned(self) -> Sequence[PlannedComparison]:
        """Return the comparisons that the task makes."""

    def run(self, rng: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Make the comparisons."""


def subject_of(mechanism: Randomizer, spec: Mechanism | None = None) -> Subject:
    """The running code of a mechanism object, as a user calls it.

    Args:
        mechanism: the object.
        spec: the user's own declaration of it; None for the catalogue's.
    """
    # Labels only rename the values; expectations are about 0..k-1.
    plain = mechanism
    if any(f.name == "categories" for f in fields(cast("Any", mechanism))):
        indices = None if mechanism.own_labels is None else range(mechanism.k)
        plain = cast("Randomizer", replace(cast("Any", mechanism), categories=indices))

    def draw(values: NDArray[np.int64], rng: np.random.Generator | None) -> Reports:
        return plain.privatize(values, rng).data

    name, remarks = repr(mechanism), []
    if spec is not None:
        return Subject(name, draw, own_expectation(mechanism, spec), plain, secure=True)
    spec = spec_of(mechanism)
    if mechanism.law_sha256 != spec.law_hash:
        remarks.append(
            f"{name}: the law that it was generated from is another one "
            f"({mechanism.law_sha256[:12]}); it is compared with that of the present spec"
        )
    return Subject(
        name, draw, expectation(mechanism, spec), plain, secure=True, remarks=tuple(remarks)
    )


def generator_of(seed: int, name: str) -> np.random.Generator:
    """The generator of one task: a function of the run's seed and its name, not of the order.

    Args:
        seed: of the run. name: of the task.
    """
    return numpy_generator(seed, "conformance", name)


@dataclass(frozen=True, eq=False)
class Plan:
    """What is run of one subject.

    Attributes:
        tasks: in order. remarks: what they leave out, and why.
        asked: the values that are asked for, in words.
    """

    tasks: Sequence[Task]
    remarks: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


def plan(subject: AnySubject, n: int, seed: int) -> Plan:
    """The tasks of one subject, what they ask for, and what they leave out.

    Args:
        subject: what is run. n: reports for its frequencies. seed: of the run.
    """
    rng = generator_of(seed, f"{subject.name} inputs")
    if isinstance(subject, RestartSubject):
        return Plan([RestartTask(subject, n)])
    if isinstance(subject, EachValueSubject):
        many = each_value_task(subject, n, generator_of(seed, f"{subject.name} many values"))
        asked = len(many.values)
        rest = () if asked == subject.count else (unasked(subject.name, subject.count, asked),)
        said = asked_of(subject.name, subject.count, many.values, many.each)
        return Plan([many], rest, (said,))
    if isinstance(subject, ProtocolSubject):
        return Plan([*scene_tasks(subject, n)], asked=subject.asked)
    if isinstance(subject, NumericSubject):
        if subject.afresh:
            inner = different(UNIT - 1)(2, rng)
            shares = (Fraction(0), *(Fraction(1 + x, UNIT) for x in inner), Fraction(1))
            subject = replace(subject, shares=shares)
        each = n // len(subject.shares)
        sources = (False, True) if subject.secure else (False,)
        positions = [round(share * UNIT) for share in subject.shares]
        return Plan(
            [NumericTask(subject, each, secure=secure) for secure in sources],
            asked=(asked_of(subject.name, UNIT + 1, positions, each),),
        )
    return _plan_of_values(subject, n, rng)


def _plan_of_values(subject: Subject, n: int, rng: np.random.Generator) -> Plan:
    """The tasks of one whose values are 0..k-1: the first, the last, and two that are drawn."""
    k = subject.expected.k
    inputs = [0, *(1 + x for x in different(k - 2)(2, rng)), k - 1]
    counted = {x: tallies(subject.expected, x, rng) for x in inputs}
    each = n // len(inputs)
    tasks: list[Task] = [FrequencyTask(subject.name, subject.draw, each, counted)]
    if subject.secure:
        last = {inputs[-1]: counted[inputs[-1]]}
        tasks.append(FrequencyTask(subject.name, subject.draw, each, last, secure=True))
    asked = (asked_of(subject.name, k, inputs, each),)
    if subject.mechanism is None:
        return Plan(tasks, subject.remarks, asked)
    remarks = list(subject.remarks)
    linear = isinstance(subject.expected.form, Matrix) and isinstance(
        subject.mechanism, TableRandomizer
    )
    reason = subject.mechanism.oracle.no_estimator
    if reason is not None:
        remarks.append(f"{subject.name}: there are no estimates to look at: {reason}")
    elif linear and k > LARGEST:
        remarks.append(f"{subject.name}: estimates are looked at for k <= {LARGEST} only")
    elif k > MOST_ESTIMATED:
        remarks.append(f"{subject.name}: estimates are looked at for k <= {MOST_ESTIMATED} only")
    else:
        populations = min(MOST_POPULATIONS, n // REPORTS_PER_POPULATION)
        make = LinearPopulationTask if linear else PopulationTask
        tasks.append(make(subject.name, subject.mechanism, subject.expected, populations))
    return Plan(tasks, tuple(remarks), asked)
