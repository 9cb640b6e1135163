"""One round of a protocol on sets: users report on those candidates that lie within their sets.

Declared as the rounds of `spec/protocols/svim.py`, `svsm.py` and `ldp_miner.py`. A round is made of
what the server published, so whoever knows the round knows what they are asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.item_sets import ItemSets
from ldp_verified.protocols.padding import MOST_ITEMS, PaddedResponse, PaddedSampling
from ldp_verified.protocols.set_sizes import MeanItems, mean_number
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.mechanisms import BLH, GRR, OLH, SUE
from ldp_verified.run.program.sets import number_within, sampled_item, told_set
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.programmed import program_of
from ldp_verified.scalars import is_integer, is_iterable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.identity import Scalar
    from ldp_verified.run.aggregate.state import State
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.table import RoundedTable
    from ldp_verified.run.realize.values import Label

Itemset = tuple[int, ...]
MOST_CANDIDATES = 1 << 16
MOST_GROUPS = 256
_AT_ONCE = 1 << 16
"""Users whose sets are compared with candidates of several items at a time."""


def checked_candidates(candidates: object, items: int) -> tuple[Itemset, ...]:
    """The candidates, each as its items in rising order.

    Args:
        candidates: several different ones, each an item or a list of different items.
        items: how many items there are.

    Raises:
        ParameterError: something else.
    """
    rule = f"must be 2 or more different sets of items in 0..{items - 1}, each of one or more"
    if isinstance(candidates, str | bytes | Set) or not _is_list(candidates):
        raise ParameterError("candidates", rule, candidates)
    found = []
    for each in islice(cast("Iterable[Any]", candidates), MOST_CANDIDATES + 1):
        own: list[Any] = list(islice(each, items + 1)) if _is_list(each) else [each]
        plain = [is_integer(item) and 0 <= item < items for item in own]
        if not own or not all(plain) or len(set(own)) < len(own):
            raise ParameterError("candidates", rule, each)
        found.append(tuple(sorted(int(item) for item in own)))
    if not 2 <= len(found) <= MOST_CANDIDATES or len(set(found)) < len(found):
        raise ParameterError("candidates", rule, candidates)
    return tuple(found)


def _is_list(given: object) -> bool:
    return is_iterable(given) and not isinstance(given, str | bytes)


def label_of(candidate: Itemset) -> int | str:
    """The label of a candidate: the item alone, or "3+17"."""
    return candidate[0] if len(candidate) == 1 else "+".join(map(str, candidate))


def within(sets: ItemSets, candidates: tuple[Itemset, ...]) -> ItemSets:
    """Return which candidates lie within each set, as sets of their numbers."""
    named = np.unique(np.array([item for each in candidates for item in each], dtype=np.int64))
    column = np.minimum(np.searchsorted(named, sets.items), len(named) - 1)
    known = named[column] == sets.items
    column, owner, users = column[known], sets.owners[known], len(sets)
    if all(len(each) == 1 for each in candidates):
        number = np.empty(len(named), dtype=np.int64)
        number[np.searchsorted(named, [each[0] for each in candidates])] = range(len(candidates))
        return ItemSets.trusted(number[column], np.bincount(owner, minlength=users))
    places = [np.searchsorted(named, each) for each in candidates]
    begins = np.searchsorted(owner, np.arange(0, users + _AT_ONCE, _AT_ONCE))
    items, sizes = [], []
    for part, first in enumerate(range(0, users, _AT_ONCE)):
        rows = slice(int(begins[part]), int(begins[part + 1]))
        matrix = np.zeros((min(_AT_ONCE, users - first), len(named)), dtype=np.bool_)
        matrix[owner[rows] - first, column[rows]] = True
        holds = np.stack([matrix[:, place].all(axis=1) for place in places], axis=1)
        items.append(np.nonzero(holds)[1])
        sizes.append(holds.sum(axis=1))
    none = np.empty(0, dtype=np.int64)
    return ItemSets.trusted(np.concatenate([none, *items]), np.concatenate([none, *sizes]))


class CandidateRound(PaddedSampling):
    """The shared part of both kinds of rounds: the candidates, and which users are asked.

    Attributes:
        items: how many items there are.
        candidates: sets of items, each as a tuple in rising order; None for each item alone.
        oracle: "GRR" for k-ary randomized response, "OLH" for local hashing, or another.
        group: the public group whose users are asked.
    """

    items: int
    candidates: tuple[Itemset, ...] | None
    oracle_name: str | None
    group: int

    law_sha256: ClassVar[str] = "83b045b3351eb679d72033630f13ca68afe20d6a6c30439b6695926d518627e5"

    def _settle_candidates(self) -> int:
        """Check the parameters of any such round, and return how many candidates there are."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "items", check_integer("items", self.items, 2, MOST_ITEMS))
        object.__setattr__(self, "group", check_integer("group", self.group, 0, MOST_GROUPS - 1))
        if self.candidates is None:
            return self.items
        object.__setattr__(self, "candidates", checked_candidates(self.candidates, self.items))
        return len(self.candidates)

    @property
    def kept(self) -> int:
        """Return how many candidates there are."""
        return self.items if self.candidates is None else len(self.candidates)

    @property
    def program_value(self) -> str:
        """Return what a client's program reads for a set, in words."""
        return told_set(self.items, self.kept)

    @property
    def labels(self) -> tuple[int | str, ...] | range:
        """The labels of the candidates, in order."""
        if self.candidates is None:
            return range(self.items)
        return tuple(label_of(each) for each in self.candidates)

    @property
    def _given_labels(self) -> tuple[Label, ...] | None:
        """The labels of the candidates."""
        return tuple(self.labels)

    @property
    def _own_items(self) -> dict[str, Scalar]:
        listed = "all" if self.candidates is None else " ".join(map(str, self.labels))
        assert self.oracle_name is not None
        return {
            "items": self.items,
            "candidates": listed,
            "oracle": self.oracle_name,
            "group": self.group,
        }

    def of_candidates(self, sets: object, argument: str = "sets") -> ItemSets:
        """Return which candidates lie within each user's set, as sets of their numbers.

        Raises:
            DomainError: these are no sets of the items; none is shown.
        """
        found = ItemSets.of(sets, argument)
        found.check(self.items, argument)
        return found if self.candidates is None else within(found, self.candidates)

    def held(self, sets: object, argument: str = "sets") -> ItemSets:
        """The candidates within each user's set."""
        return self.of_candidates(sets, argument)

    def _choose(self, names: tuple[str, ...]) -> None:
        """Settle the oracle: the one of the first two whose counts vary less, if none is named."""
        if self.oracle_name is None:
            own: Any = self
            made = [replace(own, oracle_name=name) for name in names[:2]]
            best = min(made, key=lambda each: each.variance(1))
            object.__setattr__(self, "oracle_name", best.oracle_name)
        if not isinstance(self.oracle_name, str) or self.oracle_name not in names:
            rule = f"must be one of {', '.join(names)}, or None"
            raise ParameterError("oracle_name", rule, self.oracle_name)
        self.inner  # noqa: B018  (what cannot be realized is refused here)


@dataclass(frozen=True)
class CandidateCounts(CandidateRound):
    """A round that counts candidates, by padding and sampling of those within a user's set.

    Attributes:
        epsilon: of one report, for any two sets of whatever sizes; a number > 0.
        items: how many items there are.
        candidates: sets of items, or single items; None for each item alone.
        length: the number of places that what a user holds is padded or cut to.
        oracle_name: "GRR" or "OLH"; None for the one that varies less; "BLH" for hashing to two
            buckets, "SUE" for symmetric unary encoding.
        group: the public group whose users are asked.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    items: int
    candidates: tuple[Itemset, ...] | None = None
    length: int = 1
    oracle_name: str | None = None
    group: int = 0
    k: int = field(init=False)

    def __post_init__(self) -> None:
        """Check the parameters, and choose the oracle."""
        object.__setattr__(self, "k", self._settle_candidates())
        self._settle()
        self._choose(("GRR", "OLH", "BLH", "SUE"))

    def program(self, of: Callable[[RoundedTable], Program] = program_of) -> Program:
        """The program of a client in another language: see `PaddedSampling.program`.

        Args:
            of: the program of the mechanism; by default the one with its thresholds.

        Raises:
            ParameterError: there are more than 65,536 items or candidates.
        """
        inner = of(self.inner)
        return sampled_item("candidate_counts", self.items, self.length, inner, self.candidates)

    def estimate(self, state: State) -> Estimate:
        """Estimate how many users hold each candidate, under its label: see `PaddedSampling`.

        Raises:
            ParameterError: the state is of another protocol.
        """
        found = super().estimate(state)
        return found if self.candidates is None else found.labelled(self.labels)

    @cached_property
    def inner(self) -> GRR | OLH | BLH | SUE:
        """The mechanism that reports on the sampled candidate, of k + length values."""
        if self.oracle_name == "GRR":
            return self._response.inner
        others: dict[str | None, Any] = {"OLH": OLH, "BLH": BLH, "SUE": SUE}
        found: OLH | BLH | SUE = others[self.oracle_name](self.epsilon, self.k + self.length)
        return found

    @cached_property
    def _response(self) -> PaddedResponse:
        return PaddedResponse(self.epsilon, self.k, self.length)

    @cached_property
    def realized_epsilon(self) -> float:
        """Realized epsilon of any two sets, rounded up."""
        made = self._response if self.oracle_name == "GRR" else self.inner
        return made.realized_epsilon


@dataclass(frozen=True)
class CandidateSizes(CandidateRound):
    """A round that asks how many of the candidates lie within a user's set: 0, ..., all of them.

    `estimate` gives the number of users for each size.

    Attributes:
        epsilon: of one report, for any two sets; a number > 0.
        items: how many items there are.
        candidates: sets of items, or single items; None for each item alone.
        oracle_name: "GRR" or "OLH"; None for the one that varies less.
        group: the public group whose users are asked.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    items: int
    candidates: tuple[Itemset, ...] | None = None
    oracle_name: str | None = None
    group: int = 1
    k: int = field(init=False)
    length: int = field(init=False, default=1)

    def __post_init__(self) -> None:
        """Check the parameters, and choose the oracle."""
        object.__setattr__(self, "k", self._settle_candidates() + 1)
        self._choose(("GRR", "OLH"))

    @property
    def estimated_rows(self) -> tuple[str, object]:
        """Say that rows of an estimate stand for sizes of sets, and of which."""
        return "sizes of sets", (self.items, self.candidates)

    def program(self, of: Callable[[RoundedTable], Program] = program_of) -> Program:
        """The program of a client in another language: see `PaddedSampling.program`.

        Args:
            of: the program of the mechanism; by default the one with its thresholds.

        Raises:
            ParameterError: there are more than 65,536 items or candidates.
        """
        return number_within("candidate_sizes", self.items, self.candidates, of(self.inner))

    @cached_property
    def inner(self) -> GRR | OLH:
        """The mechanism that reports on the size; there are no dummies."""
        return (GRR if self.oracle_name == "GRR" else OLH)(self.epsilon, self.k)

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of any two sets, rounded up."""
        return self.inner.realized_epsilon

    @property
    def _given_labels(self) -> tuple[Label, ...] | None:
        """Return None, as sizes are numbers."""
        return None

    def held(self, sets: object, argument: str = "sets") -> ItemSets:
        """The number of candidates within each user's set, as a set of one number."""
        sizes = self.of_candidates(sets, argument).sizes
        return ItemSets.trusted(sizes, np.ones(len(sizes), dtype=np.int64))

    def estimated_sizes(self, state: State) -> NDArray[np.float64]:
        """Estimate how many users hold at most 0, 1, ... candidates, float64 (k,).

        Args:
            state: of this protocol, with reports.

        Raises:
            ParameterError: the state is of another protocol.
        """
        return np.cumsum(self.estimate(state).counts)

    def mean_items(
        self,
        state: State,
        items: Iterable[int] | None = None,
        level: float = 0.95,
        largest: int | None = None,
    ) -> MeanItems:
        """Estimate how many candidates lie within a user's set, on average; nothing is cut.

        Args:
            state: of this protocol, with reports.
            items: None, as reports say numbers and not which. level: of the interval, in (0, 1).
            largest: without effect, as nothing is cut.

        Raises:
            ParameterError: items are given, a level is not in (0, 1), or the state is of another
                protocol or has no reports.
        """
        del largest
        if items is not None:
            raise ParameterError("items", "must be left out: reports say how many, not which")
        check_level(level)
        self.check_state(state)
        return mean_number(self.inner, self.estimate(state).support_counts, state.n, float(level))
