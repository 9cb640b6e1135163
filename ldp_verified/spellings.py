"""Names of mechanisms, as a class writes them (HadamardResponse) or a spec (hadamard_response)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def plain(name: str) -> str:
    """A name in the one spelling that all of its spellings share.

    Args:
        name: of a class, of a spec, or as somebody types it.
    """
    return name.replace("_", "").replace("-", "").lower()


def meant(name: str, known: Iterable[str]) -> str | None:
    """The one of some names that is meant; None where none is, or more than one may be.

    Args:
        name: as somebody types it. known: the names that there are.
    """
    every = [*known]
    if name in every:
        return name
    found = [each for each in every if plain(each) == plain(name)]
    return found[0] if len(found) == 1 else None
