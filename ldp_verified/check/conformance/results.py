"""Results of a conformance run: comparisons with null, level, sample size and reach."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.conformance.exact import BinomialTests
from ldp_verified.prove.verdicts import Status

if TYPE_CHECKING:
    from ldp_verified.check.conformance.decode import Codes
    from ldp_verified.check.conformance.exact import Floats


class ConformanceOutcome(StrEnum):
    """The outcome of a comparison.

    PASSED: the null is not rejected, and a deviation above the stated limit would have been.
    REJECTED: the null is rejected at its level. INCONCLUSIVE: it is not, but the sample is too
    small for that to mean anything.
    """

    PASSED = "passed"
    REJECTED = "rejected"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Comparison:
    """One null hypothesis about running code, or several of one kind tested together.

    Attributes:
        subject: what was run, with its parameters.
        name: what was looked at ("classes of pairs, x = 0").
        null: the hypothesis, in words.
        tests: how many tests were joined; their p-values are multiplied by this (Bonferroni).
        level: the probability of rejecting a true null, at most.
        n: the sample size: reports, or populations, or words.
        p_value: of all tests together, at least the exact one.
        detectable: deviations at least this large are missed with probability at most `miss`, in
            each of the tests.
        unit: of what `detectable` is a deviation.
        limit: the largest `detectable` with which not rejecting counts as a pass; fixed beforehand.
        miss: see `detectable`.
        observed, expected: in the test with the smallest p-value, which is `worst`.
        worst: which test that is.
        needed: where it is inconclusive, about how many reports of the run would make it
            conclusive; None where no number would.
    """

    subject: str
    name: str
    null: str
    tests: int
    level: float
    n: int
    p_value: float
    detectable: float
    unit: str
    limit: float
    miss: float
    observed: float
    expected: float
    worst: str
    needed: int | None = None

    @property
    def outcome(self) -> ConformanceOutcome:
        """Passed, rejected or inconclusive."""
        if self.p_value <= self.level:
            return ConformanceOutcome.REJECTED
        return (
            ConformanceOutcome.PASSED
            if self.detectable <= self.limit
            else ConformanceOutcome.INCONCLUSIVE
        )

    @property
    def power(self) -> float:
        """1 - miss: a deviation of size `detectable` is rejected with at least this probability."""
        return 1 - self.miss


@dataclass(frozen=True)
class ConformanceReport:
    """All comparisons of one run.

    Attributes:
        comparisons: in the order in which they were planned.
        seed: of everything but the secure source, which cannot be replayed.
        level: the probability that a run over right code rejects anything at all, at most.
        remarks: what was not looked at, and why.
        seconds: wall time.
        asked: which values each subject was asked for, of how many.
    """

    comparisons: tuple[Comparison, ...]
    seed: int
    level: float
    remarks: tuple[str, ...] = ()
    seconds: float = 0.0
    asked: tuple[str, ...] = ()

    @property
    def outcome(self) -> ConformanceOutcome:
        """REJECTED if any comparison is; INCONCLUSIVE if any is, or there is none; else PASSED."""
        for outcome in (ConformanceOutcome.REJECTED, ConformanceOutcome.INCONCLUSIVE):
            if any(c.outcome is outcome for c in self.comparisons):
                return outcome
        return ConformanceOutcome.PASSED if self.comparisons else ConformanceOutcome.INCONCLUSIVE

    @property
    def status(self) -> Status:
        """SAMPLED where everything passed; REFUTED where something was rejected; else OPEN."""
        return {
            ConformanceOutcome.PASSED: Status.SAMPLED,
            ConformanceOutcome.REJECTED: Status.REFUTED,
            ConformanceOutcome.INCONCLUSIVE: Status.OPEN,
        }[self.outcome]

    @property
    def rejected(self) -> tuple[Comparison, ...]:
        """The comparisons that were rejected."""
        return tuple(c for c in self.comparisons if c.outcome is ConformanceOutcome.REJECTED)


REACH = (
    "Deviations below the stated ones may go unseen: one step of a 64-bit threshold moves a "
    "probability by 5.4e-20, far below what any sample shows."
)
"""What no sample of this size can show."""


IN_SPEC = "each of the {size} classes has the probability that the spec gives it"


@dataclass(frozen=True, eq=False, kw_only=True)
class PlannedComparison(ABC):
    """All of a comparison that is known before anything is drawn.

    Attributes:
        subject, name, n, unit, limit: as in `Comparison`.
        null: as there; {size} stands for the number of tests.
        labels: what each test is about.
    """

    subject: str
    name: str
    null: str
    n: int
    unit: str
    limit: float
    labels: Sequence[str] = field(repr=False)

    @abstractmethod
    def reach(self, level: float, miss: float) -> float:
        """Return the largest deviation that one of the tests may miss.

        Args:
            level: of each test. miss: as in `Comparison`.
        """

    def detectable(self, level: float, miss: float) -> float:
        """Return what the comparison detects, by Bonferroni.

        Args:
            level: of all tests together. miss: as in `Comparison`.
        """
        return self.reach(level / len(self.labels), miss)

    def compared(
        self,
        p_values: Sequence[float] | Floats,
        observed: Sequence[float] | Floats,
        expected: Sequence[float] | Floats,
        level: float,
        miss: float,
        worst: str | None = None,
    ) -> Comparison:
        """Return the comparison with what was seen, by Bonferroni.

        Args:
            p_values, observed, expected: of each test.
            level: of all tests together. miss: as in `Comparison`.
            worst: what is said of the smallest p-value; None for the label of its test.
        """
        place = int(np.argmin(p_values))
        size = len(self.labels)
        return Comparison(
            subject=self.subject,
            name=self.name,
            null=self.null.format(size=size),
            tests=size,
            level=level,
            n=self.n,
            p_value=min(1.0, size * float(p_values[place])),
            detectable=self.detectable(level, miss),
            unit=self.unit,
            limit=self.limit,
            miss=miss,
            observed=float(observed[place]),
            expected=float(expected[place]),
            worst=self.labels[place] if worst is None else worst,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassComparison(PlannedComparison):
    """How often reports fall into classes, which need not exclude each other.

    Attributes:
        p: the probability of each class.
    """

    null: str = IN_SPEC
    unit: str = "probability of a class"
    p: Floats = field(repr=False)

    def reach(self, level: float, miss: float) -> float:
        """Return the largest deviation of a probability that may be missed."""
        return float(BinomialTests(self.n, self.p).detectable(level, miss).max())

    def counted(self, counts: Codes, level: float, miss: float) -> Comparison:
        """Return the comparison of counts.

        Args:
            counts: of each class. level, miss: as in `compared`.
        """
        p_values = BinomialTests(self.n, self.p).p_values(counts)
        return self.compared(p_values, counts / self.n, self.p, level, miss)


@dataclass(frozen=True, eq=False, kw_only=True)
class OtherComparison(PlannedComparison):
    """A comparison whose reach is a function of its own.

    Attributes:
        detects: (level of each test, miss) -> the largest deviation that may be missed.
    """

    detects: Callable[[float, float], float] = field(repr=False)

    def reach(self, level: float, miss: float) -> float:
        """Return what the function says."""
        return self.detects(level, miss)
