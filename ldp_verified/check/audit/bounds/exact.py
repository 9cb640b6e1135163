"""Exact answers: the tight eps of a table or of a deployed configuration, with a witness.

Everything is a fraction until the last step; whether ln(ratio) is above a claim is decided by ball
arithmetic, never by a rounded logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, log
from typing import TYPE_CHECKING

from flint import arb, fmpq

from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.run.realize.tables.balls import decide

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class ExactEpsilon:
    """A tight eps.

    Attributes:
        period: what it is for ("one report", "a day of 24 reports", "for ever").
        ratio: e^eps; None where it is infinite.
        witness: which output, under which two inputs, with both probabilities.
    """

    period: str
    ratio: Fraction | None
    witness: str

    @property
    def value(self) -> float:
        """Eps, rounded."""
        return inf if self.ratio is None else log_of(self.ratio)


@dataclass(frozen=True)
class ExactResult:
    """The outcome of an exact audit.

    Attributes:
        target: its name.
        kind: "table", "rappor", "cms" or "krr".
        epsilon, delta: the claim; epsilon None where none was made.
        claimed_for: the period that the claim is about.
        found: tight values, one for each period.
        exact_delta: the smallest delta at the claimed eps, rounded; None where not computed.
        verdict: of the claim; None without one.
        notes: what is assumed.
    """

    target: str
    kind: str
    epsilon: float | None
    delta: float
    claimed_for: str
    found: tuple[ExactEpsilon, ...]
    exact_delta: float | None
    verdict: AuditVerdict | None
    notes: tuple[str, ...] = ()

    @property
    def slack(self) -> float | None:
        """The amount by which the claim is larger than the tight eps: utility given away."""
        own = next((e for e in self.found if e.period == self.claimed_for), None)
        if self.epsilon is None or own is None or self.verdict is not AuditVerdict.CONSISTENT:
            return None
        return max(self.epsilon - own.value, 0.0)


def log_of(ratio: Fraction) -> float:
    """ln of a positive fraction of any size."""
    return _log_whole(ratio.numerator) - _log_whole(ratio.denominator) if ratio != 1 else 0.0


def _log_whole(number: int) -> float:
    shift = max(number.bit_length() - 1000, 0)
    return log(number >> shift) + shift * log(2)


def _ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def above(ratio: Fraction, epsilon: float) -> bool:
    """Return whether ln(ratio) > epsilon, exactly; ratio > 0, epsilon the float's exact value."""
    if ratio <= 1:
        return False
    if epsilon == 0:
        return True

    def attempt() -> bool | None:
        gap = _ball(ratio).log() - _ball(Fraction(epsilon))
        return True if gap > 0 else False if gap < 0 else None

    return decide(attempt)


def delta_above(
    row: Sequence[Fraction], other: Sequence[Fraction], epsilon: float, delta: float
) -> tuple[bool, float]:
    """Return whether the smallest delta of two rows at epsilon is above `delta`, and its value."""
    chosen = [
        (p, q)
        for p, q in zip(row, other, strict=True)
        if p > 0 and (q == 0 or above(p / q, epsilon))
    ]
    held = sum((p for p, _ in chosen), Fraction(0))
    rest = sum((q for _, q in chosen), Fraction(0))
    claimed = Fraction(delta)
    if rest == 0 or epsilon == 0:
        gap = held - rest
        return gap > claimed, float(gap)

    def attempt() -> tuple[bool, float] | None:
        ball = _ball(held) - _ball(Fraction(epsilon)).exp() * _ball(rest)
        difference = ball - _ball(claimed)
        if difference > 0 or difference < 0:
            return bool(difference > 0), float(ball.mid())
        return None

    return decide(attempt)
