"""Sets of items of several users, as two arrays: what protocols for itemsets take."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import DomainError, type_name
from ldp_verified.run.realize.value_types import UserInteger
from ldp_verified.run.realize.values import holder_counts, value_array
from ldp_verified.scalars import is_iterable


@dataclass(frozen=True, eq=False, repr=False)
class ItemSets:
    """The sets of several users, one after the other. Sets may be empty.

    Attributes:
        items: of all sets, integers >= 0, int64 (all items,).
        sizes: how many of them belong to each user, int64 (n,).

    Raises:
        DomainError: no such arrays, sizes that do not sum to the number of items, or an item that
            a set has twice. No item is shown.
    """

    items: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def __post_init__(self) -> None:
        """Check that these are sets."""
        items, sizes = _integers(self.items, "items"), _integers(self.sizes, "sizes")
        if int(sizes.sum()) != len(items):
            raise DomainError("sizes", "must sum to the number of items")
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "sizes", sizes)
        owners = self.owners
        rising = (np.diff(owners) > 0) | (np.diff(items) > 0)
        if not rising.all():  # not every set is listed in rising order: look at them sorted
            order = np.lexsort((items, owners))
            same = (np.diff(items[order]) == 0) & (np.diff(owners[order]) == 0)
            if same.any():
                raise DomainError("sets", "must not have an item twice")

    @classmethod
    def of(cls, sets: object, argument: str = "sets") -> ItemSets:
        """The sets of users, each a list, tuple, set or array of integers.

        Raises:
            DomainError: something else, or an item that a set has twice. No item is shown.
        """
        if isinstance(sets, cls):
            return sets
        rule = "must be one list, tuple, set or array of integers for each user"
        if isinstance(sets, str | bytes | range | Set) or not is_iterable(sets):
            raise DomainError(argument, rule, type(sets))
        listed = list(sets)
        for each in listed:
            plain = isinstance(each, list | tuple | Set)
            if not plain and not (isinstance(each, np.ndarray) and each.ndim == 1):
                raise DomainError(argument, rule, type(each))
        sizes = np.array([len(each) for each in listed], dtype=np.int64)
        together = list(itertools.chain.from_iterable(listed))
        items = value_array(together, argument) if together else np.empty(0, np.int64)
        if items.ndim != 1 or items.dtype.kind not in "iu":
            raise DomainError(argument, rule)
        return cls(items, sizes)

    @classmethod
    def trusted(cls, items: NDArray[np.int64], sizes: NDArray[np.int64]) -> ItemSets:
        """Return sets that are made of sets, so that nothing has to be looked at twice."""
        made = object.__new__(cls)
        object.__setattr__(made, "items", items)
        object.__setattr__(made, "sizes", sizes)
        return made

    @property
    def owners(self) -> NDArray[np.int64]:
        """The user of each item, int64 (all items,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Return where each user's items begin, int64 (n,)."""
        return np.cumsum(self.sizes) - self.sizes

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"<ItemSets of {len(self)} users>"

    def check(self, k: int, argument: str = "sets") -> None:
        """Refuse items that are none of 0..k-1.

        Raises:
            DomainError: there is one; it is not shown.
        """
        if len(self.items) and int(self.items.max()) >= k:
            raise DomainError(argument, f"must have items in 0..{k - 1}")

    def holders(self, counts: object) -> NDArray[np.int64]:
        """Return the number of the set of each user of a population, int64 (users,).

        Args:
            counts: how many users have each of these sets.

        Raises:
            ParameterError: counts are not one integer >= 0 for each set.
        """
        return np.repeat(np.arange(len(self)), holder_counts(counts, len(self)))

    def repeated(self, counts: object) -> ItemSets:
        """The sets of a population, one after the other: see `holders`."""
        return self.taken(self.holders(counts))

    def taken(self, chosen: NDArray[np.int64]) -> ItemSets:
        """The sets of some users, in the order given; int64 (users,)."""
        sizes = self.sizes[chosen]
        before = np.cumsum(sizes) - sizes
        place = np.arange(int(sizes.sum())) + np.repeat(self.starts[chosen] - before, sizes)
        return ItemSets.trusted(self.items[place], sizes)


def _integers(given: Any, argument: str) -> NDArray[np.int64]:
    """An array as int64, without a mask or a negative number."""
    array = value_array(given, argument)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        rule = "must be an array of integers with one axis"
        raise DomainError(argument, rule, type_name(array))
    largest = np.iinfo(np.int64).max
    if len(array) and (int(array.min()) < 0 or int(array.max()) > largest):
        raise DomainError(argument, "must not be negative, or above 2^63-1")
    return array.astype(np.int64)


UserSets = (
    ItemSets
    | Iterable[Sequence[UserInteger]]
    | Iterable[Set[int]]
    | Iterable[NDArray[np.integer[Any]]]
)
"""The items of each user, as types can say it."""
