"""Clients of protocols, whose users keep state or send more than one report: scenes of a run.

A scene is what some independent users do. It is looked at in several ways, each of which sorts what
they sent into classes whose probabilities follow from the spec at the integers that the code
compares words with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.conformance.numeric import NumericSubject, NumericTask
from ldp_verified.check.conformance.results import IN_SPEC, ClassComparison, Comparison
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Codes

CLIENT_SHARE = 1250
"""The reports of a run for each client that is made: a client keeps a state, which takes time."""

BULK_SHARE = 20
"""The reports of a run for each user where users are drawn many at a time."""

NUMBER_SHARE = 4
"""The reports of a run for each number of a vector."""

CLIENT_LIMIT = 0.22
BULK_LIMIT = 0.03
"""Runs that would miss a class probability off by more than this are inconclusive."""

Run = Callable[[int, np.random.Generator], "list[Codes]"]
"""(users, rng) -> for each look, how many of its draws fell into each class."""


@dataclass(frozen=True, eq=False)
class Look:
    """Classes of known probability.

    Attributes:
        name: what is looked at.
        labels, probabilities: of each class; they need not exclude each other.
        users: how many users one draw is made of.
        null: the hypothesis; {size} stands for the number of classes.
    """

    name: str
    labels: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = field(repr=False)
    users: int = 1
    null: str = IN_SPEC


def law(name: str, masses: dict[str, Fraction], users: int = 1, null: str = IN_SPEC) -> Look:
    """Classes that exclude each other, and one of probability 0 for whatever is none of them.

    Raises:
        ParameterError: the masses do not add up to 1, so that they are no law.
    """
    if sum(masses.values()) != 1:
        raise ParameterError("masses", f"of {name} must add up to 1", sum(masses.values()))
    labels, chances = (*masses, "nothing valid"), (*masses.values(), Fraction(0))
    return Look(name, labels, chances, users, null)


def tallied(codes: NDArray[np.int64], look: Look) -> Codes:
    """Count each class of a `law`; a code that numbers none of them is nothing valid."""
    size = len(look.labels) - 1
    inside = (codes >= 0) & (codes < size)
    return np.bincount(np.where(inside, codes, size), minlength=size + 1)


ESTIMATES = (
    "none of the {size} numbers differs from what the spec's estimator and variance make of the "
    "reports, which are read here without the server's code"
)


def estimates_look(names: Sequence[str]) -> Look:
    """Numbers that the server states, each of which is either the spec's or not."""
    return Look("estimates", tuple(names), (Fraction(0),) * len(names), null=ESTIMATES)


def differing(stated: Sequence[float], right: Sequence[float], users: int) -> Codes:
    """Count, for `estimates_look`, all users against each number that is not right to 1e-9."""
    scale = max(1.0, *(abs(value) for value in right))
    pairs = zip(stated, right, strict=True)
    off = [not abs(value - other) <= 1e-9 * scale for value, other in pairs]
    return np.array(off, dtype=np.int64) * users


@dataclass(frozen=True, eq=False)
class Scene:
    """An action of some users, and the ways in which its results are looked at.

    Attributes:
        name: unique in its subject.
        looks: the classes that are counted.
        run: lets so many users do it.
        share: one user for so many of the run's reports.
        limit: of what has to be detected for a pass.
    """

    name: str
    looks: tuple[Look, ...]
    run: Run
    share: int = CLIENT_SHARE
    limit: float = CLIENT_LIMIT


@dataclass(frozen=True, eq=False)
class ProtocolSubject:
    """A protocol whose clients are run.

    Attributes:
        name: shown in the report. scenes: what is run of it.
        numbers: single numbers of its reports, where these are numbers.
        asked: the values that its scenes ask a client for, in words.
    """

    name: str
    scenes: tuple[Scene, ...]
    numbers: tuple[NumericSubject, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class SceneTask:
    """One scene, with so many users; one comparison for each look."""

    subject: str
    scene: Scene
    users: int

    @property
    def name(self) -> str:
        """Return a name that gives the task a seed of its own."""
        return f"{self.subject} {self.scene.name}"

    @property
    def n(self) -> int:
        """Return how many reports of the whole run take as long as this scene."""
        return self.users * self.scene.share

    @cached_property
    def planned(self) -> list[ClassComparison]:
        """One comparison for each look."""
        return [
            ClassComparison(
                subject=self.subject,
                name=look.name,
                null=look.null,
                n=self.users // look.users,
                limit=self.scene.limit,
                labels=look.labels,
                p=np.array([float(chance) for chance in look.probabilities]),
            )
            for look in self.scene.looks
        ]

    def run(self, rng: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Draw, count and compare; each comparison has the given level."""
        counted = zip(self.planned, self.scene.run(self.users, rng), strict=True)
        return [planned.counted(counts, level, miss) for planned, counts in counted]


def scene_tasks(subject: ProtocolSubject, n: int) -> list[SceneTask | NumericTask]:
    """The tasks of one subject in a run of so many reports per subject."""
    each = [
        (number, max(2, n // (NUMBER_SHARE * len(number.shares)))) for number in subject.numbers
    ]
    return [
        *(SceneTask(subject.name, scene, max(2, n // scene.share)) for scene in subject.scenes),
        *(NumericTask(number, reports) for number, reports in each),
    ]
