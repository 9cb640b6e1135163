"""List what mining of sets found: items or sets, most frequent first, with their counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.candidates import Itemset, label_of
from ldp_verified.run.aggregate.absent import absences
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty
from ldp_verified.run.aggregate.tabulated import Tabulated, normal_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.protocols.candidates import CandidateRound
    from ldp_verified.run.aggregate.state import State
    from ldp_verified.run.aggregate.tabulated import Floats

FALSE_ALARM: Final = 1e-3
"""The chance that any of a round's candidates seems to be held though nobody holds it."""


@dataclass(frozen=True, eq=False, repr=False)
class Mined(Tabulated):
    """Sets of items that many users hold, the most frequent first.

    Attributes:
        sets: each as its items in rising order.
        counts: float64 (k,), estimated numbers of users whose set has all these items.
        std_error: float64 (k,). They leave out what cutting draws, the error of the estimated
            sizes, and that sets were chosen by the very estimates that are shown.
        n: users in all. simulated: whether any report was. honesty: of the rounds that counted.
        labels: of the items, in their order; None for their numbers.
        evident: those that stand out, so that somebody holds them. A set that nobody holds is among
            these with a chance of at most 1e-3 for each round that counted, whichever it is. None
            where that was not tested.
    """

    sets: tuple[Itemset, ...]
    counts: Floats
    std_error: Floats
    n: int
    simulated: bool
    honesty: Honesty = UNTESTED
    labels: tuple[str, ...] | None = None
    evident: frozenset[Itemset] | None = None

    @property
    def names(self) -> tuple[str | int, ...]:
        """The labels: an item alone, or "3+17"; with labels of the items "beer + chips"."""
        if self.labels is None:
            return tuple(map(label_of, self.sets))
        return tuple(" + ".join(self.labels[item] for item in each) for each in self.sets)

    def labelled(self, labels: Sequence[str]) -> Mined:
        """This estimate with labels for the items.

        Args:
            labels: texts, one for each item, in the order of the numbers.

        Raises:
            ParameterError: they are no list of texts, or fewer than the items.
        """
        plain = isinstance(labels, list | tuple) and all(isinstance(one, str) for one in labels)
        if not plain:
            raise ParameterError("labels", "must be a list of texts", type(labels))
        least = 1 + max((each[-1] for each in self.sets), default=-1)
        if len(labels) < least:
            raise ParameterError("labels", "must be one for each item", len(labels))
        return replace(self, labels=tuple(labels))

    @property
    def heading(self) -> str:
        """The number of users, and whether nothing stands out."""
        said = ", simulated" if self.simulated else ""
        silent = ", nothing stands out" if self.nothing_stands_out else ""
        return f"{self.n} users{said}{silent}{self.honesty.doubt}"

    @property
    def nothing_stands_out(self) -> bool:
        """Return whether a test of these sets found none that any user surely holds."""
        return self.evident is not None and self.evident.isdisjoint(self.sets)

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Counts, errors and -+ z of these, in users. Args and Raises: as `Tabulated`."""
        return normal_columns(self.counts, self.std_error, level, simultaneous)

    def best(self, top: int) -> Mined:
        """The first `top` by estimated counts."""
        return self.taken(np.argsort(-self.counts, kind="stable")[:top])

    def taken(self, chosen: NDArray[np.int64]) -> Mined:
        """The estimate of the sets at some places, int64 (places,), in this order."""
        sets = tuple(self.sets[place] for place in chosen)
        counts, errors = self.counts[chosen], self.std_error[chosen]
        return replace(self, sets=sets, counts=counts, std_error=errors)

    def beside(self, other: Mined) -> Mined:
        """This estimate with the sets of another one, which are different."""
        counts = np.concatenate([self.counts, other.counts])
        errors = np.concatenate([self.std_error, other.std_error])
        simulated = self.simulated or other.simulated
        both = self.honesty.with_checks(other.honesty.checks)
        every = self.sets + other.sets
        known = (self.evident or frozenset()) | (other.evident or frozenset())
        tested = self.evident is not None and other.evident is not None
        evident = known if tested else None
        return Mined(every, counts, errors, self.n, simulated, both, self.labels, evident)


def counted(asked: CandidateRound, state: State, n: int, factor: float) -> Mined:
    """The counts of a round's candidates, scaled to all users.

    Args:
        asked: the round. state: of its reports. n: users in all, at least as many as reported.
        factor: by what cutting left out.

    Returns:
        All candidates in their order. Without reports the counts are 0 and the errors infinite.
    """
    m, k = state.n, asked.k
    listed = asked.candidates or tuple((item,) for item in range(k))
    simulated = bool(state.simulated)
    if m == 0:
        nothing = np.zeros(k), np.full(k, math.inf)
        return Mined(listed, *nothing, n, simulated, evident=frozenset())
    estimate = asked.estimate(state)
    inside = estimate.counts
    absent, held = asked.oracle.variance_absent, asked.oracle.variance_held
    share = np.clip(inside / m, 0.0, 1.0)
    noise = m * (float(absent) + float(held - absent) * share) * (factor * n / m) ** 2
    whole = inside * (factor * n / m)
    own = np.clip(whole / n, 0.0, 1.0)
    drawn = n * own * (1 - own) * (n - m) / m
    # Other reports chose the candidates, or earlier ones of the same users.
    surely = (absences(estimate)[0] <= FALSE_ALARM / k).tolist()
    evident = frozenset(each for each, sure in zip(listed, surely, strict=True) if sure)
    errors = np.sqrt(noise + drawn)
    return Mined(listed, whole, errors, n, simulated, estimate.honesty, evident=evident)
