"""The privacy loss of one ordered pair of inputs, in exact rational numbers.

The loss of an output y is ln P(y|x)/P(y|x'). Outputs of equal ratio are merged; what is kept is the
mass of each ratio under x and under x'. From that follow the smallest delta for every epsilon, the
smallest epsilon for every delta, and the loss of several reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from flint import arb

from ldp_verified.analysis.account.rounding import above, number
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.tables.balls import ball
from ldp_verified.scalars import is_iterable

MOST_ATOMS = 1 << 20
"""Ratios that an exact composition may have before it is refused."""

Atom = tuple[Fraction, Fraction]
"""(mass under x, mass under x') of the outputs of one ratio."""


@dataclass(frozen=True)
class PrivacyLoss:
    """Two distributions over the same outputs, up to the order and the names of the outputs.

    Attributes:
        atoms: mass under x and under x' for each ratio of the two, the largest ratio first; an
            output that x' cannot give comes first of all.

    Raises:
        ParameterError: masses that are no pairs of numbers, below 0, or that do not sum to 1 under
            each input.
    """

    atoms: tuple[Atom, ...]

    def __init__(self, masses: Iterable[tuple[Fraction, Fraction]]) -> None:
        """Merge outputs of equal ratio; `masses` has one entry for each output, or class."""
        merged: dict[Fraction | None, Atom] = {}
        for pair in _pairs(masses):
            p, q = (mass if isinstance(mass, Fraction) else number("masses", mass) for mass in pair)
            if p < 0 or q < 0:
                raise ParameterError("masses", "must be >= 0", (str(p), str(q)))
            if p or q:
                ratio = p / q if q else None
                old = merged.get(ratio, (Fraction(0), Fraction(0)))
                merged[ratio] = (old[0] + p, old[1] + q)
        for name, place in (("x", 0), ("x'", 1)):
            total = sum((atom[place] for atom in merged.values()), Fraction(0))
            if total != 1:
                raise ParameterError("masses", f"must sum to 1 under {name}", str(total))
        order = sorted(merged, key=lambda ratio: (ratio is None, ratio or 0), reverse=True)
        object.__setattr__(self, "atoms", tuple(merged[ratio] for ratio in order))

    @property
    def infinite(self) -> Fraction:
        """The mass under x of outputs that x' cannot give."""
        p, q = self.atoms[0]
        return p if q == 0 else Fraction(0)

    @property
    def ratio(self) -> Fraction | None:
        """The largest P(y|x)/P(y|x'), e^epsilon at delta 0; None where it is infinite."""
        p, q = self.atoms[0]
        return p / q if q else None

    @property
    def reversed(self) -> PrivacyLoss:
        """The loss of the pair (x', x)."""
        return PrivacyLoss((q, p) for p, q in self.atoms)

    def delta(self, level: Fraction | int) -> Fraction:
        """The smallest delta of (ln level, delta)-indistinguishability, exactly.

        sum over y of max(0, P(y|x) - level P(y|x')), which is the largest over sets of outputs of
        P(S|x) - level P(S|x').

        Args:
            level: e^epsilon, at least 1; a float counts as the fraction that it is.

        Raises:
            ParameterError: `level` is no finite number, or below 1.
        """
        exact = number("level", level, low=1)
        return sum((max(Fraction(0), p - exact * q) for p, q in self.atoms), Fraction(0))

    def delta_at(self, epsilon: float) -> float:
        """The smallest double not below the smallest delta at this epsilon.

        Args:
            epsilon: a finite number >= 0, in nats.

        Raises:
            ParameterError: epsilon is no finite number >= 0.
        """
        exact = ball(number("epsilon", epsilon, low=0))
        # Which outputs count is monotone in the ratio, so the largest prefix sum is the sum of the
        # positive terms whatever the precision.
        prefix = self._prefixes

        def attempt() -> arb:
            level = exact.exp()
            best = arb(0)
            for p, q in prefix:
                best = best.max(ball(p) - level * ball(q))
            return best

        return above(attempt)

    def epsilon(self, delta: Fraction | float = 0) -> float:
        """The smallest double not below the smallest epsilon >= 0 at this delta, inf if none.

        Args:
            delta: a probability in [0, 1].

        Raises:
            ParameterError: delta is no number in [0, 1].
        """
        level = self.level(delta)
        return float("inf") if level is None else above(lambda: ball(level).log())

    def level(self, delta: Fraction | float = 0) -> Fraction | None:
        """e^epsilon for the smallest epsilon >= 0 at this delta, exactly; None where there is none.

        Args:
            delta: a probability in [0, 1].

        Raises:
            ParameterError: delta is no number in [0, 1].
        """
        share = number("delta", delta, low=0, high=1)
        if self.infinite > share:
            return None
        # delta(level) is the largest of the lines p - level q over prefixes of the atoms.
        levels = [(p - share) / q for p, q in self._prefixes if q]
        return max([Fraction(1), *levels])

    @cached_property
    def _prefixes(self) -> tuple[Atom, ...]:
        """Sums of the first atoms: the mass of every set {ratio >= r}."""
        sums = []
        p_sum = q_sum = Fraction(0)
        for p, q in self.atoms:
            p_sum, q_sum = p_sum + p, q_sum + q
            sums.append((p_sum, q_sum))
        return tuple(sums)

    def together(self, other: PrivacyLoss) -> PrivacyLoss:
        """The loss of two independent reports, exactly.

        Args:
            other: the loss of the other report.

        Raises:
            ParameterError: it has more than `MOST_ATOMS` ratios.
        """
        if len(self.atoms) * len(other.atoms) > MOST_ATOMS:
            rule = f"must have at most {MOST_ATOMS} ratios together; use composed() instead"
            raise ParameterError("atoms", rule, len(self.atoms) * len(other.atoms))
        return PrivacyLoss(
            (p * p2, q * q2) for (p, q), (p2, q2) in product(self.atoms, other.atoms)
        )

    def repeated(self, times: int) -> PrivacyLoss:
        """The loss of `times` independent reports on the same value, exactly.

        Args:
            times: the number of reports, at least 1.

        Raises:
            ParameterError: `times` is no integer >= 1, or there are too many ratios.
        """
        if type(times) is not int or times < 1:
            raise ParameterError("times", "must be an integer >= 1", times)
        result, power = None, self
        while True:
            if times & 1:
                result = power if result is None else result.together(power)
            times >>= 1
            if not times:
                assert result is not None
                return result
            power = power.together(power)


def _pairs(masses: object) -> Iterator[tuple[object, object]]:
    rule = "must be pairs of masses, under x and under x'"
    if not is_iterable(masses):
        raise ParameterError("masses", rule, type(masses))
    for pair in masses:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise ParameterError("masses", rule, pair)
        yield pair[0], pair[1]


def from_rows(row: Sequence[Fraction], row2: Sequence[Fraction]) -> PrivacyLoss:
    """The loss between two rows of a table: P(.|x) and P(.|x')."""
    return PrivacyLoss(zip(row, row2, strict=True))
