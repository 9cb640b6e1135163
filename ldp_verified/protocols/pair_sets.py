"""The key-value pairs of several users, as arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ldp_verified.errors import DomainError
from ldp_verified.protocols.item_sets import ItemSets
from ldp_verified.run.kernels.rounding import UNIT, positions_between
from ldp_verified.run.realize.value_types import UserNumber
from ldp_verified.run.realize.values import number_array
from ldp_verified.scalars import is_iterable, is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PlacedPairs(NamedTuple):
    """Pairs that were checked.

    Attributes:
        keys: the set of keys of each user.
        positions: of the numbers within their bounds, 0..UNIT, int64 (all keys,).
    """

    keys: ItemSets
    positions: NDArray[np.int64]

    @property
    def scaled(self) -> NDArray[np.float64]:
        """The numbers, scaled to -1..1."""
        return 2 * self.positions / float(UNIT) - 1


@dataclass(frozen=True, eq=False, repr=False)
class PairSets:
    """The pairs of several users, one user after the other.

    Attributes:
        keys: the set of keys of each user, in any order.
        numbers: of these keys, float64 (all keys,).

    Raises:
        DomainError: no such sets, or not one finite number for each key. None is shown.
    """

    keys: ItemSets
    numbers: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Check that there is a number for each key."""
        if not isinstance(self.keys, ItemSets):
            raise DomainError("keys", "must be ItemSets", type(self.keys))
        numbers = number_array(self.numbers, 1).reshape(-1)
        if len(numbers) != len(self.keys.items):
            raise DomainError("numbers", "must be one for each key", len(numbers))
        object.__setattr__(self, "numbers", numbers)

    def __len__(self) -> int:
        return len(self.keys)

    def __repr__(self) -> str:
        return f"<PairSets of {len(self)} users>"

    def placed(self, k: int, bounds: tuple[float, float]) -> PlacedPairs:
        """The pairs with keys that are surely in 0..k-1, and numbers within bounds.

        Args:
            k: how many keys there are. bounds: of the numbers.

        Raises:
            DomainError: a key or a number is outside. It is not shown.
        """
        self.keys.check(k, "pairs")
        low, high = bounds
        wrong = ~((self.numbers >= low) & (self.numbers <= high))
        if wrong.any():
            raise DomainError("pairs", f"must have numbers in {low}..{high}")
        return PlacedPairs(self.keys, positions_between(self.numbers, low, high))

    @classmethod
    def of(cls, pairs: object) -> PairSets:
        """The pairs of users: such an object, or a mapping from key to number for each user.

        Raises:
            DomainError: something else. Neither key nor number is shown.
        """
        if isinstance(pairs, cls):
            return pairs
        rule = "must be PairSets, or a mapping from keys to numbers for each user"
        if isinstance(pairs, str | bytes | range | Mapping) or not is_iterable(pairs):
            raise DomainError("pairs", rule, type(pairs))
        listed = list(pairs)
        for each in listed:
            if not isinstance(each, Mapping):
                raise DomainError("pairs", rule, type(each))
        keys = ItemSets.of([list(each) for each in listed], "pairs")
        numbers = list(itertools.chain.from_iterable(each.values() for each in listed))
        plain = all(is_number(n) for n in numbers)
        if not plain:
            raise DomainError("pairs", "must have numbers that are integers or floats")
        try:
            held = np.array(numbers, dtype=np.float64)
        except OverflowError:
            raise DomainError("pairs", "must have numbers that a float can hold") from None
        return cls(keys, held)


UserPairs = PairSets | Iterable[Mapping[int, UserNumber]]
"""The pairs of each user, as types can say it."""
