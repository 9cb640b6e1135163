"""Numbers that callers list in an order that is known: one for each value, bin or day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.scalars import is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray


def own_index(values: Any) -> list[Any] | None:
    """Return the index that a series of pandas has, as a list; None where it is 0, 1, ... or none.

    Such an index says which number is whose, so that the order of the numbers says nothing:
    `value_counts` sorts by frequency.
    """
    index = getattr(values, "index", None)
    if index is None or callable(index):  # lists and tuples have a method of this name
        return None
    listed = list(index)
    return None if listed == list(range(len(listed))) else listed


def numbers_in_order(argument: str, numbers: object, k: int) -> NDArray[np.float64]:
    """Check that an argument is k finite numbers in order, and return float64 (k,).

    Args:
        argument: what messages call them. numbers: anything that can be gone through in order.
        k: how many they must be.

    Raises:
        ParameterError: they are in no order, or one of their own; they are not as many; or one is
            no number, a truth value or not finite.
    """
    rule = f"must be {k} finite numbers in order"
    if isinstance(numbers, Set | Mapping | str | bytes) or not isinstance(numbers, Iterable):
        raise ParameterError(argument, rule, type(numbers))
    if own_index(numbers) is not None:
        raise ParameterError(argument, f"{rule}, so with no other index than 0..{k - 1}")
    try:
        listed = list(islice(numbers, k + 1))
    except TypeError:  # an array of no axis says that it can be gone through
        raise ParameterError(argument, rule, type(numbers)) from None
    if len(listed) != k:
        raise ParameterError(argument, rule, len(listed) if len(listed) < k else f"more than {k}")
    wrong = [each for each in listed if not (is_number(each) or isinstance(each, Fraction))]
    if wrong:
        raise ParameterError(argument, rule, type(wrong[0]))
    try:
        array = np.array([float(each) for each in listed], dtype=np.float64)
    except OverflowError:
        raise ParameterError(argument, f"{rule}, each within the range of a double") from None
    if not np.isfinite(array).all():
        raise ParameterError(argument, rule, float(array[~np.isfinite(array)][0]))
    return array
