"""Results of a conformance run: comparisons with null, level, sample size and reach."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ldp_verified.prove.verdicts import Status

if TYPE_CHECKING:
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


def joined(
    p_values: Floats, detectable: Floats, observed: Floats, expected: Floats, labels: list[str]
) -> tuple[int, float, float, float, float, str]:
    """(tests, p_value, detectable, observed, expected, worst) of several tests, by Bonferroni."""
    worst = int(p_values.argmin())
    return (
        len(p_values),
        min(1.0, len(p_values) * float(p_values[worst])),
        float(detectable.max()),
        float(observed[worst]),
        float(expected[worst]),
        labels[worst],
    )
