"""Count the values that at least a share of the users hold, with bounds.

Reports of a value that few users hold are those of a value that nobody holds. So the number of
different values that anybody holds cannot be told from reports of this kind; how many are held by
at least a share can, where the share is well above the errors. Elsewhere the bounds are wide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.oracle import Floats


@dataclass(frozen=True)
class Distinct:
    """The number of values that at least a share of the users hold.

    Attributes:
        share: of the users.
        value: how many of the listed values have an estimate of at least that.
        low, high: ends of the interval of the number of listed values.
        unlisted: how many values that are not listed may be held so often, at most, where the
            interval holds; 0 where all values are listed. None where users may hold several values,
            so that nothing is known of it.
    """

    share: float
    value: int
    low: int
    high: int
    unlisted: int | None


def check_held_share(share: object) -> float:
    """A share in (0, 1].

    Raises:
        ParameterError: something else.
    """
    if not isinstance(share, int | float) or isinstance(share, bool) or not 0 < share <= 1:
        raise ParameterError("share", "must be a number above 0, up to 1", share)
    return float(share)


def held_by(
    share: float,
    n: int,
    counts: Floats,
    ends: tuple[Floats, Floats],
    *,
    complete: bool,
    exclusive: bool,
) -> Distinct:
    """The number of values with `share` of the users or more, and what contains it.

    Where all true counts lie within their ends, as many values have the share as have a lower end
    of at least that, or more; and no more than have such an upper end. The listed values have all
    of their lower ends together, and so many values more fit into the rest of the users.

    Args:
        share: in (0, 1]. n: the number of users. counts: the estimates.
        ends: of intervals that hold for all values at once.
        complete: whether these are all values. exclusive: whether a user holds one value only.
    """
    # Users are whole, and a rounding must not ask for one more.
    needed = max(1, math.ceil(share * n * (1 - 1e-12)))
    low, high = (_many(each >= needed) for each in ends)
    value = min(max(_many(counts >= needed), low), high)
    unlisted: int | None = 0
    if not complete:
        # What rounding takes from the ends is less than this.
        rest = n - float(ends[0].sum()) + 1e-9 * n
        unlisted = max(0, math.floor(rest / needed)) if exclusive else None
    return Distinct(share, value, low, high, unlisted)


def _many(places: NDArray[Any]) -> int:
    return int(places.sum())
