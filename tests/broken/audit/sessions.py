"""Clients of protocols with several messages: a walk down a binary prefix tree of 16 values."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import e
from typing import Any

BITS = 4
CHANCE = e / (e + 1)


def _bit(value: int, level: int, guess: int) -> int:
    """Whether a value begins with a guessed prefix, told with eps = 1."""
    truth = int(value >> (BITS - level) == guess)
    return truth if random.random() < CHANCE else 1 - truth


def once(value: int) -> Callable[[tuple[int, int]], Any]:
    """Answers in one level of the tree, which is drawn without looking at the value: eps = 1."""
    own = random.randrange(1, BITS + 1)
    return lambda asked: _bit(value, *asked) if asked[0] == own else None


def always(value: int) -> Callable[[tuple[int, int]], Any]:
    """Answers in every level, with eps = 1 each: up to 4 in a session."""
    return lambda asked: _bit(value, *asked)


def own_level(value: int) -> Callable[[tuple[int, int]], Any]:
    """Each answer is private, but the value chooses the level that is answered."""
    return lambda asked: _bit(value, *asked) if asked[0] == 1 + value % BITS else None


def broken(value: int) -> Callable[[tuple[int, int]], Any]:
    """Fails in the last level for one value only."""

    def answer(asked: tuple[int, int]) -> int:
        if asked[0] == BITS and value == 5:
            raise ValueError("no such prefix")
        return random.getrandbits(1)

    return answer


def wrong(value: int) -> Callable[[tuple[int, int]], Any]:
    """Fails in all levels, whatever the value."""
    del value

    def answer(asked: tuple[int, int]) -> int:
        raise ValueError(f"no level {asked[0]}")

    return answer


def mostly_wrong(value: int) -> Callable[[tuple[int, int]], Any]:
    """Tosses a coin in the first level, and fails in the others."""
    fails = wrong(value)
    return lambda asked: random.getrandbits(1) if asked[0] == 1 else fails(asked)


def seldom_wrong(value: int) -> Callable[[tuple[int, int]], Any]:
    """Tosses coins, and fails in one of 50 answers."""
    fails = wrong(value)
    return lambda asked: random.getrandbits(1) if random.random() < 0.98 else fails(asked)


def report(value: int) -> int:
    """Gives a report, and no client."""
    del value
    return random.getrandbits(1)


ALL = [(level, 0) for level in range(1, BITS + 1)]
"""The left end of the tree."""


def down(session: tuple[tuple[tuple[int, int], Any], ...]) -> tuple[int, int] | None:
    """Ask for the child that the last answer points to, as an adversary would."""
    if not session:
        return 1, 0
    (level, guess), answer = session[-1]
    if level == BITS:
        return None
    return level + 1, 2 * (guess if answer == 1 else guess ^ 1)


def endless(session: tuple[Any, ...]) -> tuple[int, int]:
    """Never ends."""
    return 1, len(session) % 2


def none(session: tuple[Any, ...]) -> None:
    """Ends before the first question."""


def fails(session: tuple[Any, ...]) -> None:
    """No questions."""
    raise KeyError(f"question {len(session)}")
