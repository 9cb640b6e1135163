"""`conform`: does the running code follow the spec's table?"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from ldp_verified.analysis.expectation import Expectation, expectation, spec_of
from ldp_verified.check.conformance.declared import declared_subject
from ldp_verified.check.conformance.frequencies import Draw, FrequencyTask, tallies
from ldp_verified.check.conformance.linear import LARGEST, LinearPopulationTask
from ldp_verified.check.conformance.numeric import NumericSubject, NumericTask, numeric_subject
from ldp_verified.check.conformance.own_specs import (
    own_expectation,
    own_mechanisms,
    sample_arguments,
)
from ldp_verified.check.conformance.populations import PopulationTask
from ldp_verified.check.conformance.protocols import PROTOCOLS, protocol_of
from ldp_verified.check.conformance.restarts import RestartSubject, RestartTask
from ldp_verified.check.conformance.results import Comparison, ConformanceReport
from ldp_verified.check.conformance.stateful_clients import ProtocolSubject, scene_tasks
from ldp_verified.check.conformance.words import WordTask
from ldp_verified.errors import ParameterError
from ldp_verified.generate import class_name
from ldp_verified.language import load_catalogue
from ldp_verified.language.forms import Matrix
from ldp_verified.language.loader import is_protocol
from ldp_verified.run import mechanisms
from ldp_verified.run.kernels.seeds import checked_seed, numpy_generator
from ldp_verified.run.mechanisms import (
    BLH,
    CMS,
    GRR,
    HCMS,
    HRR,
    OLH,
    OUE,
    PGR,
    SUE,
    THE,
    UE,
    BasicRappor,
    Duchi,
    Geometric,
    HadamardResponse,
    HalfPlus,
    HashCohorts,
    HistogramRR,
    Hybrid,
    KeepOrUniform,
    Laplace,
    Piecewise,
    SquareWave,
    Staircase,
    SubsetSelection,
    TruncatedGeometric,
    TwoCoins,
    Warner,
)
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer
from ldp_verified.run.realize.tables.explicit import TableRandomizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Reports
    from ldp_verified.language.mechanism import Mechanism

LEVEL = 1e-7
"""Probability, at most, that a whole run over right code rejects anything."""

MISS = 1e-8
"""Probability, at most, with which one comparison misses a deviation of the size it states."""

REPORTS = 2_000_000
LEAST_REPORTS = 1000
MOST_POPULATIONS = 4000
REPORTS_PER_POPULATION = 400
"""A population is added for so many of the n reports, until there are `MOST_POPULATIONS`."""
MOST_ESTIMATED = 1024
"""Populations are estimated up to so many values; each estimate is of all of them."""

SEED_VARIABLE = "LDP_VERIFIED_SEED"

Progress = Callable[[str, float], None]
"""Told what is being run, and the share of the run that is done."""


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


class Task(Protocol):
    """Part of a run."""

    @property
    def name(self) -> str:
        """Unique in the run."""

    @property
    def n(self) -> int:
        """How much it draws."""

    @property
    def comparisons(self) -> int:
        """Return how many comparisons it makes."""

    def run(self, rng: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Make them."""


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


def defaults() -> dict[str, tuple[Randomizer | NumericRandomizer, ...]]:
    """Return the objects that are run for each mechanism, with few values and with more.

    A mechanism that is not listed is run at the parameters that one of your own would get.
    """
    listed: dict[str, tuple[Randomizer | NumericRandomizer, ...]] = {
        "basic_rappor": (BasicRappor(noise=0.5, low=0.25, high=0.75, k=8),),
        "blh": (BLH(epsilon=1.0, k=8), BLH(epsilon=3.0, k=100)),
        "cms": (CMS(epsilon=1.0, k=4, buckets=2), CMS(epsilon=4.0, k=100, buckets=11)),
        "duchi": (Duchi(epsilon=1.0), Duchi(epsilon=3.0)),
        "geometric": (Geometric(epsilon=1.0), Geometric(0.3, bounds=(0, 7), grid=7)),
        "grr": (GRR(epsilon=1.0, k=8), GRR(epsilon=3.0, k=100), GRR(epsilon=5.0, k=1 << 21)),
        "hadamard_response": (HadamardResponse(epsilon=1.0, k=8), HadamardResponse(3.0, 100)),
        "half_plus": (HalfPlus(gamma=0.125),),
        "hash_cohorts": (HashCohorts(epsilon=1.0, k=8), HashCohorts(epsilon=3.0, k=100)),
        "hcms": (HCMS(epsilon=1.0, k=4, buckets=2), HCMS(epsilon=4.0, k=16, buckets=4)),
        "histogram_rr": (HistogramRR(epsilon=1.0, k=8), HistogramRR(epsilon=3.0, k=100)),
        "hrr": (HRR(epsilon=1.0, k=8), HRR(epsilon=3.0, k=100)),
        "hybrid": (Hybrid(epsilon=0.5), Hybrid(epsilon=2.0)),
        "keep_or_uniform": (KeepOrUniform(epsilon=1.0, k=8), KeepOrUniform(epsilon=3.0, k=100)),
        "laplace": (Laplace(epsilon=1.0), Laplace(epsilon=4.0)),
        "olh": (OLH(epsilon=1.0, k=8), OLH(epsilon=3.0, k=100)),
        "oue": (OUE(epsilon=1.0, k=8), OUE(epsilon=3.0, k=100)),
        "pgr": (PGR(epsilon=1.0, k=8), PGR(epsilon=3.0, k=100), PGR(1.0, 100, prime=2)),
        "piecewise": (Piecewise(epsilon=1.0), Piecewise(epsilon=4.0)),
        "square_wave": (SquareWave(epsilon=1.0), SquareWave(epsilon=4.0)),
        "staircase": (Staircase(epsilon=1.0), Staircase(epsilon=5.0)),
        "subset_selection": (
            SubsetSelection(epsilon=1.0, k=8),
            SubsetSelection(epsilon=1.0, k=100),
            SubsetSelection(epsilon=3.0, k=8, omega=7),
        ),
        "sue": (SUE(epsilon=1.0, k=8), SUE(epsilon=3.0, k=100)),
        "the": (THE(kept=1.25, raised=1.5, k=8), THE(kept=1.5, raised=4.0, k=100)),
        "truncated_geometric": (TruncatedGeometric(1.0), TruncatedGeometric(2.0, grid=3)),
        "two_coins": (TwoCoins(heads=0.5, yes=0.25),),
        "ue": (UE(zero=0.25, one=0.5, k=8), UE(zero=0.0625, one=0.75, k=100)),
        "warner": (Warner(gamma=0.25),),
    }
    for spec in load_catalogue():
        made = getattr(mechanisms, class_name(spec.name), None)
        if made is not None and spec.name not in listed:
            listed[spec.name] = (made(**sample_arguments(spec)),)
    return dict(sorted(listed.items()))


AnySubject = Subject | NumericSubject | ProtocolSubject | RestartSubject

Target = str | Randomizer | NumericRandomizer | AnySubject


def names() -> tuple[str, ...]:
    """Return the names that can be run: mechanisms with a class, then protocols."""
    own = defaults()
    return (*own, *(name for name in PROTOCOLS if name not in own))


def conform(
    target: Target | Iterable[Target] | None = None,
    *,
    n: int = REPORTS,
    seed: int | None = None,
    level: float = LEVEL,
    parameters: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> ConformanceReport:
    """Compare running code with the spec's table, at full word width, by hypothesis tests.

    Every comparison gets the same share of the level (Bonferroni), fixed before anything is drawn.

    Args:
        target: a name of the catalogue or of a protocol, the path of a spec file (objects of the
            classes that `generate` writes for it), a mechanism object, a `Subject`, or several of
            them; None for the whole catalogue, all protocols and the secure source of words.
        n: reports for the frequencies of each subject; about as many again for the rest. Clients
            of protocols are fewer: what they detect is stated.
        seed: of all but the secure source; None for the environment variable LDP_VERIFIED_SEED, or
            else a fresh one. The report states it.
        level: the probability that a run over right code rejects anything, at most.
        parameters: of a declared protocol, for those that are not to be small ones.
        progress: called with what is being run and the share that is done.

    Raises:
        ParameterError: an unknown name, or n, seed or level out of range.
        SpecError: a spec file cannot be read as a table, or has no numeric side.
    """
    start = time.perf_counter()
    chosen = _seed(seed)
    if isinstance(n, bool) or not isinstance(n, int) or n < LEAST_REPORTS:
        raise ParameterError("n", f"must be an integer >= {LEAST_REPORTS}", n)
    if not isinstance(level, float) or not 0 < level < 1:
        raise ParameterError("level", "must be a float between 0 and 1", level)
    tasks: list[Task] = []
    remarks: list[str] = []
    for subject in _subjects(target, parameters):
        planned, remark = _plan(subject, n, chosen)
        tasks += planned
        remarks += remark
    if target is None:
        tasks.append(WordTask(max(2, min(n, 1 << 20) // 2 * 2)))
    share = level / max(1, sum(task.comparisons for task in tasks))
    total, done = sum(task.n for task in tasks), 0
    found: list[Comparison] = []
    for task in tasks:
        if progress is not None:
            progress(task.name, done / total)
        found += task.run(_generator(chosen, task.name), share, MISS)
        done += task.n
    if progress is not None:
        progress("done", 1.0)
    return ConformanceReport(
        tuple(found), chosen, level, tuple(remarks), time.perf_counter() - start
    )


def _seed(seed: int | None) -> int:
    if seed is None:
        given = os.environ.get(SEED_VARIABLE)
        if given is None:
            return secrets.randbits(64)
        if not given.isdecimal():
            raise ParameterError(SEED_VARIABLE, "must be an integer >= 0", given)
        return int(given)
    return checked_seed(seed)


def _generator(seed: int, name: str) -> np.random.Generator:
    """The generator of one task: a function of the run's seed and its name, not of the order."""
    return numpy_generator(seed, "conformance", name)


def _subjects(
    target: Target | Iterable[Target] | None, parameters: Mapping[str, Any] | None = None
) -> list[AnySubject]:
    if target is None:
        return [subject for name in names() for subject in _subjects(name)]
    if isinstance(target, AnySubject):
        return [target]
    if isinstance(target, Randomizer | NumericRandomizer):
        return [_subject(target)]
    if isinstance(target, str):
        known = defaults()
        if is_declared(target):
            return [declared_subject(target, parameters)]
        if is_path(target):
            return [_subject(mechanism, spec) for mechanism, spec in own_mechanisms(target)]
        if target in known:
            return [_subject(mechanism) for mechanism in known[target]]
        return list(PROTOCOLS[known_name(target, "target")].subjects())
    if not isinstance(target, Iterable):
        raise ParameterError("target", "must be a name, a mechanism or several of them", target)
    return [subject for one in target for subject in _subjects(one, parameters)]


def is_declared(target: str) -> bool:
    """Return whether a target is a protocol's declaration, and none that clients are run of."""
    if target in defaults() or protocol_of(target) is not None:
        return False
    return is_protocol(target)


def _subject(
    mechanism: Randomizer | NumericRandomizer, spec: Mechanism | None = None
) -> Subject | NumericSubject:
    if isinstance(mechanism, NumericRandomizer):
        return numeric_subject(mechanism, spec)
    return subject_of(mechanism, spec)


def known_name(name: str, argument: str) -> str:
    """The name under which it is run: its own, or the protocol's whose spec it names.

    Raises:
        ParameterError: nothing is run under this name.
    """
    found = name if name in names() else protocol_of(name)
    if found is None and is_declared(name):
        return name
    if found is None:
        rule = f"must be one of {', '.join(names())}, or the path of a spec file"
        raise ParameterError(argument, rule, name)
    return found


def is_path(target: str) -> bool:
    """Return whether a target is meant as the path of a spec file."""
    return target.endswith(".py") or os.sep in target


def _plan(subject: AnySubject, n: int, seed: int) -> tuple[list[Task], list[str]]:
    """The tasks of one subject, and what they leave out."""
    if isinstance(subject, RestartSubject):
        return [RestartTask(subject, n)], []
    if isinstance(subject, ProtocolSubject):
        return [*scene_tasks(subject, n)], []
    if isinstance(subject, NumericSubject):
        each = n // len(subject.shares)
        sources = (False, True) if subject.secure else (False,)
        return [NumericTask(subject, each, secure=secure) for secure in sources], []
    k = subject.expected.k
    rng = _generator(seed, f"{subject.name} inputs")
    inputs = [0, k - 1]
    if k > 2:
        inputs = sorted({*inputs, *(int(x) for x in rng.integers(1, k - 1, size=2))})
    counted = {x: tallies(subject.expected, x, rng) for x in inputs}
    each = n // len(inputs)
    tasks: list[Task] = [FrequencyTask(subject.name, subject.draw, each, counted)]
    if subject.secure:
        last = {inputs[-1]: counted[inputs[-1]]}
        tasks.append(FrequencyTask(subject.name, subject.draw, each, last, secure=True))
    if subject.mechanism is None:
        return tasks, []
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
    return tasks, remarks
