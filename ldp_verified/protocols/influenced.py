"""The influence of one report of a protocol: of kept answers, and of tuples.

A server estimates from the reports that it gets, and does not see how a client made them. So what
counts is the estimator of one report: the extremes of its weights, as for a mechanism without
memory. A client that lies sends the report of largest weight, in each period anew if it likes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ldp_verified.aggregate.influence import Influence, influence_on_counts, labels_to_places
from ldp_verified.errors import ParameterError
from ldp_verified.realize.parameters import check_integer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ldp_verified.aggregate.oracle import Oracle
    from ldp_verified.realize.values import Label


class OfReports:
    """The influence of one report of a protocol whose users keep their answers."""

    k: int

    @property
    def oracle(self) -> Oracle:
        """The oracle that turns the server's counters into estimates."""
        raise NotImplementedError

    @property
    def _given_labels(self) -> tuple[Label, ...] | None:
        """The labels, in order; None where values are 0..k-1."""
        raise NotImplementedError

    def influence(self, values: Iterable[Label] | None = None) -> Influence:
        """Bound what one report, honest or not, adds to an estimated count: exact, and attained.

        It is of one period. A client that lies in m periods moves the estimate of each by so much.

        Args:
            values: labels, each once: the count is of users who hold one of them. None for the
                count of one value, whichever.

        Raises:
            ParameterError: no such labels.
        """
        labels = self._given_labels or range(self.k)
        places = None if values is None else labels_to_places(values, labels)
        return influence_on_counts(self.oracle, places)


class OfTuples:
    """The influence of what one user sends on a tuple of attributes."""

    sizes: tuple[int, ...]

    def oracle_of(self, attribute: int) -> Oracle:
        """The oracle of the reports on an attribute."""
        raise NotImplementedError

    @property
    def asked(self) -> Fraction:
        """The chance that an honest user reports on an attribute."""
        return Fraction(1)

    def influence(self, attribute: int, values: Iterable[int] | None = None) -> Influence:
        """Return what one user can add to the estimated count of a value of an attribute: attained.

        Where an honest user draws which attribute to report on, a client that lies chooses: its
        weight counts for all whom the draw would have sent elsewhere, or it adds nothing.

        Args:
            attribute: its number. values: of the attribute, each once: the count is of users who
                hold one of them. None for the count of one value, whichever.

        Raises:
            ParameterError: no such attribute or values.
        """
        j = check_integer("attribute", attribute, 0, len(self.sizes) - 1)
        size = self.sizes[j]
        places = None if values is None else _places(values, size)
        found = influence_on_counts(self.oracle_of(j), places)
        if self.asked == 1:
            return found
        least, most = found.least / self.asked, found.most / self.asked
        return Influence(min(least, Fraction(0)), max(most, Fraction(0)))


def _places(values: Iterable[int], size: int) -> tuple[int, ...]:
    places = tuple(check_integer("values", value, 0, size - 1) for value in values)
    if not places or len(set(places)) != len(places):
        raise ParameterError("values", "must be one or more, each once", len(places))
    return places
