"""Estimates that need reports of every part of the users, where each drew the own part."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def check_every_part(
    users: Iterable[int], part: str, names: Sequence[object], argument: str = "state"
) -> None:
    """Refuse reports of so few users that a part has none.

    Args:
        users: how many reports each part has. part: what one is, such as "level".
        names: of the parts, in the same order. argument: what the error names.

    Raises:
        ParameterError: a part has no report; the error says which one, of how many reports.
    """
    counted = list(users)
    if not all(counted):
        rule = (
            f"must have reports on each of {len(counted)} {part}s; of {sum(counted)} reports none "
            f"is on {part} {reprlib.repr(names[counted.index(0)])}: collect more"
        )
        raise ParameterError(argument, rule)
