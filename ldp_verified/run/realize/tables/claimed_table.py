"""A claimed table and its realization by integer thresholds, the claim being kept with proof.

How cells become thresholds is the form's business; that the realized epsilon stays within the
claim is checked by ball arithmetic before an object exists.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.parameters import (
    LARGEST_K,
    RationalParameter,
    check_epsilon,
    check_integer,
    shown,
)
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.formal import Formal, formal
from ldp_verified.run.realize.tables.numbers import convert

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flint import arb

    from ldp_verified.run.realize.tables.numbers import Number
    from ldp_verified.run.realize.tables.realization import Realization

Known = TypeVar("Known")

WIDTH = 64
"""Bits of the words that samplers compare with thresholds."""

MAX_GAP = Fraction(1, 1 << 20)
"""The realized epsilon may fall short of the claimed one by at most this share of it, unless
thresholds are saturated."""

COARSE = 1 << 20
"""A lie whose threshold is at most this may miss MAX_GAP, words being too coarse for it: that is
saturation, which is allowed and stated."""


SIZES = ("k", "g", "omega", "prime", "buckets")
"""What the sizes of structures are called, as arguments."""


class ClaimedTable(ABC):
    """The claimed table, its realization, and the facts of both.

    Attributes:
        epsilon: the claimed epsilon, a double; where it is not an argument, the least double that
            is not below that of the cells.
        k: the number of values.
        exponent: the argument through which an exponential enters: the cells are functions of
            t = e^(-exponent/root). None where there is none.
        root: see there.
        parameters: the rational parameters that the cells are functions of, besides.
        domains: rules for the other arguments, beyond what their kind demands.
        claim_sizes: the sizes that `claimed_ratios` takes, after t and the parameters.
        cell_sizes: the sizes (k, g, ...) that `cells` takes, after t and the parameters.
    """

    epsilon: float
    k: int

    exponent: ClassVar[str | None] = "epsilon"
    root: ClassVar[int] = 1
    parameters: ClassVar[tuple[RationalParameter, ...]] = ()
    domains: ClassVar[tuple[RationalParameter, ...]] = ()
    cell_sizes: ClassVar[tuple[str, ...]] = ()
    claim_sizes: ClassVar[tuple[str, ...]] = ()

    _realization: Realization
    _saturated: bool

    # --- what the generated class and the form supply ----------------------------------------

    @staticmethod
    @abstractmethod
    def cells(*arguments: Any, **named: Any) -> tuple[Any, ...]:
        """The spec's cells at t and the parameters (at t alone, which is ignored, without any)."""

    @staticmethod
    def claimed_ratios(*arguments: Any, **named: Any) -> Any:  # noqa: ARG004  none is claimed here
        """Bounds on the largest ratio that the spec claims, where by its formula it is another one.

        One, or a tuple of several; e to the power of `claimed_exponents` is a factor of each.
        """
        return ()

    @staticmethod
    def claimed_exponents(*arguments: Any, **named: Any) -> Any:  # noqa: ARG004  see above
        """Return the exponents of the factors of `claimed_ratios`."""
        return ()

    @abstractmethod
    def _worst(self, cells: tuple[Number, ...]) -> Number:
        """The largest P(y|x)/P(y|x') of a table with these cells."""

    @abstractmethod
    def _candidates(self, width: int) -> Iterator[tuple[Realization, int]]:
        """Ways to draw, best first, with their smallest thresholds; the claim is not looked at."""

    # --- construction ------------------------------------------------------------------------

    def __post_init__(self) -> None:
        """Check the parameters, round the table, check the realized epsilon against the claim.

        Raises:
            ParameterError: a parameter is outside its domain, no realization keeps the gap within
                its bound, or epsilon is above what the spec claims.
        """
        put = object.__setattr__
        if self.exponent is not None:
            put(self, self.exponent, check_epsilon(getattr(self, self.exponent), self.exponent))
        self._check_sizes()
        put(self, "_values", self._checked_values())
        self._check_cells()
        if self.exponent != "epsilon":
            put(self, "epsilon", self._epsilon_of_cells())
        self._refuse_more_than_claimed()
        realization, saturated = self._choose()
        put(self, "_realization", realization)
        put(self, "_saturated", saturated)

    _values: dict[str, Fraction]
    """The exact values of all arguments that are numbers, by name."""

    def _check_sizes(self) -> None:
        """Check and settle k and what else the form has."""
        object.__setattr__(self, "k", check_integer("k", self.k, 2, LARGEST_K))

    def _checked_values(self) -> dict[str, Fraction]:
        sizes = [name for name in SIZES if hasattr(self, name)]
        names = [*sizes, *([] if self.exponent is None else [self.exponent])]
        values = {name: Fraction(getattr(self, name)) for name in names}
        for parameter in (*self.domains, *self.parameters):
            value = getattr(self, parameter.name)
            values[parameter.name] = parameter.check(value, values)
        return values

    @abstractmethod
    def _check_cells(self) -> None:
        """Check that all probabilities are positive.

        Raises:
            ParameterError: one is not, so that epsilon would be infinite.
        """

    def _refuse_cells(self, what: str) -> NoReturn:
        """Say that the parameters give no table with a finite epsilon."""
        names = [*([] if self.exponent is None else [self.exponent])]
        names += [parameter.name for parameter in self.parameters]
        values = ", ".join(f"{name} = {shown(self._values[name])}" for name in names)
        rule = f"must make every probability positive, else epsilon is infinite: {what}"
        raise ParameterError(", ".join(names) or type(self).__name__, rule, values)

    def _exact_arguments(self) -> tuple[Fraction, ...]:
        """The parameters; a one where there are none."""
        exact = tuple(self._values[parameter.name] for parameter in self.parameters)
        return exact if exact or self.exponent is not None else (Fraction(1),)

    def _ball_arguments(self) -> tuple[arb, ...]:
        """t and the parameters, at the working precision."""
        exact = tuple(balls.ball(value) for value in self._exact_arguments())
        if self.exponent is None:
            return exact
        return ((-balls.ball(getattr(self, self.exponent)) / self.root).exp(), *exact)

    def _cells(self, arguments: tuple[Number, ...]) -> tuple[Number, ...]:
        """The cells for this object's sizes."""
        sizes = (convert(getattr(self, name), arguments[0]) for name in self.cell_sizes)
        return self.cells(*arguments, *sizes)

    def _exact_cells(self) -> tuple[Fraction, ...] | None:
        """The cells where they are rational numbers; None where an exponential enters."""
        return self._cells(self._exact_arguments()) if self.exponent is None else None

    def _ball_cells(self) -> tuple[arb, ...]:
        """Balls around the cells, at the working precision."""
        exact = self._exact_cells()
        if exact is None:
            return tuple(self._in_balls(cell) for cell in self._formal_cells)
        return tuple(balls.ball(cell) for cell in exact)

    @cached_property
    def _formal_cells(self) -> tuple[Formal, ...]:
        """The cells as exact functions of t = e^(-exponent/root)."""
        return self._cells(self._formal_arguments())

    def _formal_arguments(self) -> tuple[Formal, ...]:
        """t and the parameters, exactly."""
        exact = tuple(Formal.constant(value) for value in self._exact_arguments())
        return exact if self.exponent is None else (Formal.exponential(), *exact)

    def _in_balls(self, value: Formal) -> arb:
        """A ball around an exact function of t, at the working precision."""
        known = value.rational
        return value.at(self._ball_arguments()[0]) if known is None else balls.ball(known)

    def _nearest(self, value: Formal) -> float:
        """The double nearest to an exact function of t."""
        known = value.rational
        if known is not None:
            return float(known)  # it may lie halfway between two doubles, which no ball decides
        return balls.decide(lambda: balls.nearest_float(self._in_balls(value)))

    def _ratios(self, cells: tuple[Number, ...]) -> tuple[Number, ...]:
        """Ratios P(y|x)/P(y|x'), the largest among them."""
        return (self._worst(cells),)

    def _epsilon_of_cells(self) -> float:
        """The smallest double that is not below ln of the worst ratio of the cells."""
        exact = self._exact_cells()
        if exact is not None:
            return log_up(self._worst(exact))
        assert self.exponent is not None
        step = -self._values[self.exponent] / self.root  # ln t
        return max(self._log_up(ratio, step) for ratio in self._ratios(self._formal_cells))

    def _log_up(self, ratio: Formal, step: Fraction) -> float:
        known, power = ratio.rational, ratio.power
        if known is not None:
            return log_up(known)
        if power is not None:
            return balls.round_up(power * step)
        return balls.decide(lambda: balls.upper_float(self._in_balls(ratio).log()))

    def _refuse_more_than_claimed(self) -> None:
        """Compare epsilon with every claim of the spec that is another one by its formula.

        Raises:
            ParameterError: it is larger.
        """
        most = min(self._claimed_epsilons(), default=self.epsilon)
        if self.epsilon <= most:
            return
        names = [*([] if self.exponent is None else [self.exponent])]
        names += [parameter.name for parameter in self.parameters]
        sizes = [name for name in SIZES if name in self._values]
        found = ", ".join(f"{name} = {shown(self._values[name])}" for name in (*names, *sizes))
        rule = f"must not give more than the epsilon that the spec claims, {most:.6g}"
        raise ParameterError(", ".join(names), rule, f"{found}: epsilon {self.epsilon:.6g}")

    def _claimed_epsilons(self) -> Iterator[float]:
        """Each claimed epsilon as the smallest double that is not below it."""
        given = self._formal_arguments()
        whole = Fraction(0) if self.exponent is None else self._values[self.exponent]
        sizes = tuple(convert(getattr(self, name), given[0]) for name in self.claim_sizes)
        factors = _all(self.claimed_ratios(*given, *sizes))
        exponents = _all(self.claimed_exponents(*given, *sizes)) or (0,) * len(factors)
        for factor, exponent in zip(map(formal, factors), map(formal, exponents), strict=True):
            power = exponent.rational
            assert power is not None, "an exponential does not stand in an exponent"
            if power == 0:
                yield self._log_up(factor, -whole / self.root)
            elif factor.rational == 1:
                yield balls.round_up(power)
            else:
                yield balls.decide(partial(self._sum_up, factor, power))

    def _sum_up(self, factor: Formal, power: Fraction) -> float | None:
        return balls.upper_float(self._in_balls(factor).log() + balls.ball(power))

    def realizations(self, width: int = WIDTH) -> Iterator[Realization]:
        """Every way to draw with words of this width that keeps the claimed epsilon, best first.

        The gap is not looked at: with narrow words, on which samplers are enumerated, it is wide.

        Args:
            width: bits per word, 1..64.

        Raises:
            ParameterError: `width` is something else.
        """
        width = check_integer("width", width, 1, WIDTH)
        return (made for made, _ in self._candidates(width) if self._keeps_the_claim(made))

    def _keeps_the_claim(self, realization: Realization) -> bool:
        """Return whether the realized epsilon is at most the claimed one, exactly."""
        ratio = realization.worst_ratio
        return balls.decide(lambda: balls.at_most(balls.ball(ratio).log(), self.epsilon))

    def _choose(self) -> tuple[Realization, bool]:
        """The first realization whose gap is within its bound, else the first that is saturated."""
        coarse: Realization | None = None
        gaps, excesses = [], []
        for realization, finest in self._candidates(WIDTH):
            reached = Fraction(log_up(realization.worst_ratio))
            share = 1 - reached / Fraction(self.epsilon) if self.epsilon else -reached
            if not self._keeps_the_claim(realization):
                excesses.append(-share)
                continue
            if share <= MAX_GAP:
                return realization, False
            gaps.append(share)
            if coarse is None and finest <= COARSE:
                coarse = realization
        if coarse is not None:
            return coarse, True
        rule = (
            f"must be realizable with {WIDTH}-bit words up to a share 2^-20 of it at k = {self.k}"
        )
        if gaps:
            rule += f" (the best falls short by a share {float(min(gaps)):.2g})"
        elif excesses:
            rule += f" (every rounding exceeds it, the best by a share {float(min(excesses)):.2g})"
        raise ParameterError("epsilon", rule, self.epsilon)

    # --- facts -------------------------------------------------------------------------------

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The integers that the sampler compares 64-bit words with."""
        return self._realization.thresholds

    @cached_property
    def realized_epsilon(self) -> float:
        """The smallest double not below the realized table's epsilon; never above `epsilon`."""
        return log_up(self._realization.worst_ratio)

    @property
    def gap(self) -> float:
        """The part of epsilon that rounding leaves unused, `epsilon - realized_epsilon`."""
        return self.epsilon - self.realized_epsilon

    @property
    def saturated(self) -> bool:
        """Return whether 64-bit words are too coarse: `realized_epsilon` is well below epsilon."""
        return self._saturated


def log_up(ratio: Fraction) -> float:
    """The smallest double that is not below ln(ratio)."""
    return balls.decide(lambda: balls.upper_float(balls.ball(ratio).log()))


def _all(given: Any) -> tuple[Any, ...]:
    return given if isinstance(given, tuple) else (given,)


def all_known(values: Iterable[Known | None]) -> tuple[Known, ...] | None:
    """The values, or None if one of them is not known yet."""
    known = []
    for value in values:
        if value is None:
            return None
        known.append(value)
    return tuple(known)
