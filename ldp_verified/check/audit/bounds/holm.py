"""Decide which of several events reject a claim, at one level over all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ldp_verified.check.audit.results.results import Tested


def holm(tested: list[Tested], level: float) -> list[Tested]:
    """Mark the events that reject the claim, by Holm's procedure weighted by their levels.

    S. Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure.
    """
    order = sorted(tested, key=lambda t: t.p_value / t.level)
    left = sum(t.level for t in order)
    found, going = [], True
    for one in order:
        going = going and one.p_value <= level * one.level / left
        found.append(replace(one, rejects=going))
        left -= one.level
    return found
