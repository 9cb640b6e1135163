"""Clients that say what they said before, each of which `conform --client` must reject.

The first have the right law in a single start, so that only a second one tells. Of the last one,
neighbours tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Ask = Callable[[Sequence[str]], Sequence[Any]]

FIXED_SEED = """\
import random
import sys

drawn = random.Random({seed})
for line in sys.stdin:
    lie = drawn.randrange(1, {k})
    print((int(line) + lie * (drawn.random() >= {p!r})) % {k})
"""
"""A client of k-ary randomized response; as a seed, None is a new one of the system's."""


def replayed(ask: Ask) -> Ask:
    """Every start has the seed of the first one."""
    kept: dict[tuple[str, ...], Sequence[Any]] = {}

    def again(lines: Sequence[str]) -> Sequence[Any]:
        if tuple(lines) not in kept:
            kept[tuple(lines)] = ask(lines)
        return kept[tuple(lines)]

    return again


def partly(ask: Ask) -> Ask:
    """Every other answer is that of the first start: one of two sources of words is seeded."""
    again = replayed(ask)

    def mixed(lines: Sequence[str]) -> Sequence[Any]:
        pairs = enumerate(zip(again(lines), ask(lines), strict=True))
        return [old if place % 2 else new for place, (old, new) in pairs]

    return mixed


def shared(ask: Ask, first: int) -> Ask:
    """Every other user sends what the one before did.

    Args:
        ask: an honest client. first: 0 or 1, the first user whose answer is sent twice.
    """

    def twice(lines: Sequence[str]) -> Sequence[Any]:
        answers = list(ask(lines))
        for place in range(first + 1, len(answers), 2):
            answers[place] = answers[place - 1]
        return answers

    return twice


CLIENTS = {"one seed": (replayed, 1.0), "one seed for half of the words": (partly, 0.5)}
"""By name: what makes one of an honest client, and the share of answers that it repeats."""
