"""A table of two cells, rounded to integer thresholds with proof.

Lies are rounded up and the truth takes what is left, so no ratio of probabilities grows; that the
realized epsilon stays within the claim is checked by ball arithmetic before an object exists.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

from flint import arb

from ldp_verified.errors import ParameterError
from ldp_verified.realize import balls
from ldp_verified.realize.ideal import Ideal
from ldp_verified.realize.parameters import (
    LARGEST_K,
    LARGEST_N,
    RationalParameter,
    check_epsilon,
    check_integer,
    check_share,
)
from ldp_verified.realize.realization import Realization

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ldp_verified.realize.numbers import Number

Known = TypeVar("Known")

WIDTH = 64
"""Bits of the words that samplers compare with thresholds."""

MAX_GAP = Fraction(1, 1 << 20)
"""The realized epsilon may fall short of the claimed one by at most this share of it, unless
thresholds are saturated."""

COARSE = 1 << 20
"""A lie whose threshold is at most this may miss MAX_GAP, words being too coarse for it: that is
saturation, which is allowed and stated."""


class Draw(NamedTuple):
    """One way to draw from the table.

    Attributes:
        thresholds: the integers that the sampler compares words with.
        finest: the smallest threshold of a lie.
        p, q: the cells that the thresholds give.
    """

    thresholds: tuple[int, ...]
    finest: int
    p: Fraction
    q: Fraction

    @classmethod
    def one_truth(cls, thresholds: tuple[int, ...], lie: Fraction, outputs: int) -> Draw:
        """The truth takes what the lies, all equal, leave of `outputs`."""
        return cls(thresholds, thresholds[0], 1 - (outputs - 1) * lie, lie)


class RoundedTable(ABC):
    """The claimed table, its realization, and the facts of both.

    Attributes:
        epsilon: the claimed epsilon, a double.
        k: the number of values.
        root: the cells are functions of t = e^(-epsilon/root).
        parameter: the rational parameter that the cells are functions of instead, or None.
        constant: whether the cells are numbers, and depend on neither.
    """

    epsilon: float
    k: int

    root: ClassVar[int] = 1
    parameter: ClassVar[RationalParameter | None] = None
    constant: ClassVar[bool] = False

    _realization: Realization
    _saturated: bool

    # --- what the generated class supplies ---------------------------------------------------

    @staticmethod
    @abstractmethod
    def worst_ratio(p: Number, q: Number) -> Number:
        """The largest P(y|x)/P(y|x') of a table with these cells."""

    @staticmethod
    @abstractmethod
    def variance_per_user(p_star: Number, q_star: Number, f: Number) -> Number:
        """Variance of the estimated count per user, where a share f of them holds the value."""

    # --- what the form supplies --------------------------------------------------------------

    @abstractmethod
    def _cells(self, t: Number) -> tuple[Number, Number]:
        """The spec's two cells at t, for this object's sizes."""

    @abstractmethod
    def _support(self, p: Number, q: Number) -> tuple[Number, Number]:
        """p* and q* from the cells, for this object's sizes."""

    @abstractmethod
    def _lies(self, cells: tuple[Number, Number]) -> tuple[Number, ...]:
        """The probabilities that become thresholds, rounded up."""

    @abstractmethod
    def _draws(self, lies: tuple[int, ...], width: int) -> Iterator[Draw]:
        """The ways to draw, best first, from the rounded-up lies (integers out of 2^width)."""

    # --- construction ------------------------------------------------------------------------

    def __post_init__(self) -> None:
        """Check the parameters, round the table, check the realized epsilon against the claim.

        Raises:
            ParameterError: a parameter is outside its domain, or no realization keeps the gap
                within its bound.
        """
        put = object.__setattr__
        rational = self.constant or self.parameter is not None
        if not rational:
            put(self, "epsilon", check_epsilon(self.epsilon))
        self._check_sizes()
        if rational:
            put(self, "epsilon", self._epsilon_of_cells())
        realization, saturated = self._choose()
        put(self, "_realization", realization)
        put(self, "_saturated", saturated)

    def _check_sizes(self) -> None:
        """Check and settle k and what else the form has."""
        object.__setattr__(self, "k", check_integer("k", self.k, 2, LARGEST_K))

    def _exact_cells(self) -> tuple[Fraction, Fraction] | None:
        """The cells where they are rational numbers; None where they are functions of epsilon."""
        if self.constant:
            return self._cells(Fraction(1))
        if self.parameter is None:
            return None
        return self._cells(self.parameter.check(getattr(self, self.parameter.name)))

    def _ball_cells(self) -> tuple[arb, arb]:
        """Balls around the cells, at the working precision."""
        exact = self._exact_cells()
        if exact is None:
            return self._cells((-balls.ball(self.epsilon) / self.root).exp())
        return balls.ball(exact[0]), balls.ball(exact[1])

    def _epsilon_of_cells(self) -> float:
        """The smallest double that is not below ln of the worst ratio of rational cells."""
        return balls.decide(lambda: balls.upper_float(self.worst_ratio(*self._ball_cells()).log()))

    def _rounded_lies(self, width: int) -> tuple[int, ...]:
        """The lies as thresholds: ceil(lie 2^width), never 0."""
        exact = self._exact_cells()
        if exact is not None:
            return tuple(max(1, math.ceil(lie * (1 << width))) for lie in self._lies(exact))
        return balls.decide(
            lambda: _all_known(
                balls.ceil_scaled(lie, width) for lie in self._lies(self._ball_cells())
            )
        )

    def realizations(self, width: int = WIDTH) -> Iterator[Realization]:
        """Every way to draw with words of this width that keeps the claimed epsilon, best first.

        The gap is not looked at: with narrow words, on which samplers are enumerated, it is wide.

        Args:
            width: bits per word, 1..64.

        Raises:
            ParameterError: `width` is something else.
        """
        check_integer("width", width, 1, WIDTH)
        return (realization for realization, _ in self._realizations(width))

    def _realizations(self, width: int) -> Iterator[tuple[Realization, int]]:
        for thresholds, finest, p, q in self._draws(self._rounded_lies(width), width):
            if not 0 < q < p < 1:
                continue
            p_star, q_star = self._support(p, q)
            worst = self.worst_ratio(p, q)
            if p_star > q_star and _log_at_most(worst, self.epsilon):
                yield Realization(width, thresholds, p, q, p_star, q_star, worst), finest

    def _choose(self) -> tuple[Realization, bool]:
        """The first realization whose gap is within its bound, else the first that is saturated."""
        coarse: Realization | None = None
        gaps = []
        for realization, finest in self._realizations(WIDTH):
            gap = 1 - Fraction(_log_up(realization.worst_ratio)) / Fraction(self.epsilon)
            if gap <= MAX_GAP:
                return realization, False
            gaps.append(gap)
            if coarse is None and finest <= COARSE:
                coarse = realization
        if coarse is not None:
            return coarse, True
        rule = (
            f"must be realizable with {WIDTH}-bit words up to a share 2^-20 of it at k = {self.k}"
        )
        if gaps:
            rule += f" (the best falls short by a share {float(min(gaps)):.2g})"
        raise ParameterError("epsilon", rule, self.epsilon)

    # --- facts -------------------------------------------------------------------------------

    @property
    def p(self) -> Fraction:
        """The realized probability of the truth (own bit 1, own bucket)."""
        return self._realization.p

    @property
    def q(self) -> Fraction:
        """The realized probability of one lie (other bit 1, another bucket)."""
        return self._realization.q

    @property
    def p_star(self) -> Fraction:
        """Realized P(report supports v | the user holds v)."""
        return self._realization.p_star

    @property
    def q_star(self) -> Fraction:
        """Realized P(report supports v | the user holds another value)."""
        return self._realization.q_star

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The integers that the sampler compares 64-bit words with."""
        return self._realization.thresholds

    @cached_property
    def realized_epsilon(self) -> float:
        """The smallest double not below the realized table's epsilon; never above `epsilon`."""
        return _log_up(self._realization.worst_ratio)

    @property
    def gap(self) -> float:
        """`epsilon - realized_epsilon`."""
        return self.epsilon - self.realized_epsilon

    @property
    def saturated(self) -> bool:
        """Whether 64-bit words are too coarse for epsilon: `realized_epsilon` is well below it."""
        return self._saturated

    @cached_property
    def ideal(self) -> Ideal:
        """The claimed table before rounding, as correctly rounded floats."""

        def attempt() -> tuple[float, ...] | None:
            cells = self._ball_cells()
            return _all_known(balls.nearest_float(x) for x in (*cells, *self._support(*cells)))

        # Rational numbers may lie halfway between two doubles, which no ball decides.
        exact = self._exact_cells()
        if exact is None:
            p, q, p_star, q_star = balls.decide(attempt)
        else:
            p, q, p_star, q_star = (float(x) for x in (*exact, *self._support(*exact)))
        return Ideal(p, q, p_star, q_star, self._ideal_variance)

    def _ideal_variance(self, n: int, f: float | Fraction = 0.0) -> float:
        users, share = check_integer("n", n, 0, LARGEST_N), check_share("f", f)
        exact = self._exact_cells()
        if exact is not None:
            return float(users * self.variance_per_user(*self._support(*exact), share))

        def attempt() -> float | None:
            p_star, q_star = self._support(*self._ball_cells())
            per_user = self.variance_per_user(p_star, q_star, balls.ball(share))
            return balls.nearest_float(arb(users) * per_user)

        return balls.decide(attempt)

    def variance(self, n: int, f: float | Fraction = 0.0) -> float:
        """Variance of the estimated count for n users of whom a share f holds the value.

        By the realized table, so for the code as it runs; the claimed one is `ideal.variance`.

        Raises:
            ParameterError: n is not an integer >= 0, or f not in [0, 1].
        """
        users, share = check_integer("n", n, 0, LARGEST_N), check_share("f", f)
        return float(users * self.variance_per_user(self.p_star, self.q_star, share))


def _log_up(ratio: Fraction) -> float:
    """The smallest double that is not below ln(ratio)."""
    return balls.decide(lambda: balls.upper_float(balls.ball(ratio).log()))


def _log_at_most(ratio: Fraction, epsilon: float) -> bool:
    """Whether ln(ratio) <= epsilon, exactly."""
    return balls.decide(lambda: balls.at_most(balls.ball(ratio).log(), epsilon))


def _all_known(values: Iterable[Known | None]) -> tuple[Known, ...] | None:
    """The values, or None if one of them is not known yet."""
    known = []
    for value in values:
        if value is None:
            return None
        known.append(value)
    return tuple(known)
