"""Tables of two cells, rounded to integer thresholds with proof.

Lies are rounded up and the truth takes what is left, so no ratio of probabilities grows.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ldp_verified.run.aggregate.influence import Influence, influence_on_counts, labels_to_places
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.realize.parameters import LARGEST_N, check_integer, check_share
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.claimed_formulas import Ideal
from ldp_verified.run.realize.tables.claimed_table import WIDTH, all_known
from ldp_verified.run.realize.tables.formal import Formal
from ldp_verified.run.realize.tables.numbers import convert
from ldp_verified.run.realize.tables.realization import CellRealization

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ldp_verified.run.aggregate.layouts import SupportLayout
    from ldp_verified.run.realize.tables.numbers import Number
    from ldp_verified.run.realize.values import Label


class TableDraw(NamedTuple):
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
    def one_truth(cls, thresholds: tuple[int, ...], lie: Fraction, outputs: int) -> TableDraw:
        """The truth takes what the lies, all equal, leave of `outputs`."""
        return cls(thresholds, thresholds[0], 1 - (outputs - 1) * lie, lie)


class RoundedTable(Randomizer):
    """A table of two cells, with one p* and one q*.

    Attributes:
        support_sizes: the sizes that `support` takes, after the cells.
    """

    support_sizes: ClassVar[tuple[str, ...]] = ()

    _realization: CellRealization

    @property
    @abstractmethod
    def layout(self) -> SupportLayout:
        """How reports lie in an array, and which values they support."""

    # --- what the generated class supplies ---------------------------------------------------

    @staticmethod
    @abstractmethod
    def worst_ratio(p: Number, q: Number) -> Number:
        """The largest P(y|x)/P(y|x') of a table with these cells."""

    @staticmethod
    @abstractmethod
    def support(*arguments: Any, **named: Any) -> tuple[Any, Any]:
        """(p*, q*) from the two cells and the sizes named in `support_sizes`."""

    # --- what the form supplies --------------------------------------------------------------

    @abstractmethod
    def _lies(self, cells: tuple[Number, ...]) -> tuple[Number, ...]:
        """The probabilities that become thresholds, rounded up."""

    @abstractmethod
    def _draws(self, lies: tuple[int, ...], width: int) -> Iterator[TableDraw]:
        """The ways to draw, best first, from the rounded-up lies (integers out of 2^width)."""

    @staticmethod
    def variance_per_user(p_star: Number, q_star: Number, f: Number) -> Number:
        """Variance of the estimated count per user, where a share f of them holds the value.

        A support is a coin of p* for holders and of q* for others; the estimate divides by p* - q*.
        Generation compares this with what is proved of each mechanism's table.
        """
        spread = p_star - q_star
        held = f * p_star * (1 - p_star)
        return (held + (1 - f) * q_star * (1 - q_star)) / spread**2

    def _support(self, p: Number, q: Number) -> tuple[Number, Number]:
        """p* and q* from the cells, for this object's sizes."""
        sizes = (convert(getattr(self, name), p) for name in self.support_sizes)
        return self.support(p, q, *sizes)

    def _ideal_at_zero(self, **sizes: int) -> Formal:
        """The ideal variance per user at f = 0 for given sizes, exactly."""
        arguments = self._formal_arguments()
        like = arguments[0]
        p, q = self.cells(*arguments, *(convert(sizes[name], like) for name in self.cell_sizes))
        used = (convert(sizes[name], like) for name in self.support_sizes)
        p_star, q_star = self.support(p, q, *used)
        found: Formal = self.variance_per_user(p_star, q_star, convert(0, like))
        return found

    # --- rounding ----------------------------------------------------------------------------

    def _check_cells(self) -> None:
        exact = self._exact_cells()
        if exact is not None and not 0 < exact[1] < exact[0] < 1:
            self._refuse_cells(f"the cells are {exact[0]} and {exact[1]}")

    def _worst(self, cells: tuple[Number, ...]) -> Number:
        p, q = cells
        return self.worst_ratio(p, q)

    def _rounded_lies(self, width: int) -> tuple[int, ...]:
        """The lies as thresholds: ceil(lie 2^width), never 0."""
        exact = self._exact_cells()
        if exact is not None:
            return tuple(max(1, math.ceil(lie * (1 << width))) for lie in self._lies(exact))
        lies = self._lies(self._formal_cells)
        return balls.decide(
            lambda: all_known(balls.ceil_scaled(self._in_balls(lie), width) for lie in lies)
        )

    def _candidates(self, width: int) -> Iterator[tuple[CellRealization, int]]:
        for thresholds, finest, p, q in self._draws(self._rounded_lies(width), width):
            if 0 < q < p < 1:
                p_star, q_star = self._support(p, q)
                if p_star > q_star:
                    worst = self.worst_ratio(p, q)
                    yield CellRealization(width, thresholds, worst, p, q, p_star, q_star), finest

    def realizations(self, width: int = WIDTH) -> Iterator[CellRealization]:
        """Every way to draw with words of this width that keeps the claimed epsilon, best first.

        The gap is not looked at: with narrow words, on which samplers are enumerated, it is wide.

        Args:
            width: bits per word, 1..64.

        Raises:
            ParameterError: `width` is something else.
        """
        found = super().realizations(width)
        return (made for made in found if isinstance(made, CellRealization))

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

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """Return the oracle that turns support counts into estimates."""
        p_star, q_star = self.p_star, self.q_star
        absent, held = (self.variance_per_user(p_star, q_star, Fraction(f)) for f in (0, 1))
        return FrequencyOracle(
            *(self.identity, self.layout, p_star, q_star, absent, held),
            fresh=True,
            labels=self._given_labels,
        )

    @cached_property
    def ideal(self) -> Ideal:
        """The claimed table before rounding, as correctly rounded floats."""
        exact = self._exact_cells()
        if exact is None:
            truth, lie = self._formal_cells
            values = (truth, lie, *self._support(truth, lie))
            p, q, p_star, q_star = (self._nearest(value) for value in values)
        else:
            p, q, p_star, q_star = (float(x) for x in (*exact, *self._support(*exact)))
        return Ideal(p, q, p_star, q_star, self._ideal_variance)

    def _ideal_variance(self, n: int, f: float | Fraction = 0.0) -> float:
        users, share = check_integer("n", n, 0, LARGEST_N), check_share("f", f)
        exact = self._exact_cells()
        if exact is not None:
            p, q = exact
            return float(users * self.variance_per_user(*self._support(p, q), share))
        p_star, q_star = self._support(*self._formal_cells)
        per_user = self.variance_per_user(p_star, q_star, Formal.constant(Fraction(share)))
        return self._nearest(per_user * users)

    def variance(self, n: int, f: float | Fraction = 0.0) -> float:
        """Variance of the estimated count for n users of whom a share f holds the value.

        By the realized table, so for the code as it runs; the claimed one is `ideal.variance`.

        Args:
            n: number of users. f: share of them who hold the value, in [0, 1].

        Raises:
            ParameterError: n is not an integer >= 0, or f not in [0, 1].
        """
        users, share = check_integer("n", n, 0, LARGEST_N), check_share("f", f)
        return float(users * self.variance_per_user(self.p_star, self.q_star, share))

    def influence(self, values: Iterable[Label] | None = None) -> Influence:
        """Bound what one report, honest or not, adds to an estimated count: exact, and attained.

        By the realized table and all reports that the server takes.

        Args:
            values: labels, each once: the count is of users who hold one of them. None for the
                count of one value, whichever.

        Raises:
            ParameterError: no such labels, or too many for reports that are looked at one by one.
        """
        places = None if values is None else labels_to_places(values, self.labels)
        return influence_on_counts(self.oracle, places)
