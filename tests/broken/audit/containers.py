"""Containers of every kind with a value put at one place, beside parts that are random."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any


def _noise() -> int:
    return 1000 + random.randrange(60_000)  # not wide enough to be read by digits


def _word(value: object) -> str:
    return f"{random.getrandbits(32):08x}-{value}-{random.getrandbits(32):08x}"


PLACES: dict[str, Callable[[int], Any]] = {
    "list": lambda v: [_noise(), v],
    "tuple": lambda v: (_noise(), v),
    "value of a dict": lambda v: {"a": _noise(), "b": v},
    "key of a dict": lambda v: {"a": _noise(), v: 1},
    "key of a dict in a list": lambda v: [_noise(), {v: _noise()}],
    "set": lambda v: {_noise(), v},
    "set in a list": lambda v: [_noise(), {v, _noise()}],
    "set in a set": lambda v: {frozenset({v, _noise()}), _noise()},
    "text in a list": lambda v: [_noise(), _word(v)],
    "text as a key": lambda v: {_word(v): 1},
    "text in a set": lambda v: {_word(v)},
    "text in a set in a list": lambda v: [_noise(), {_word(v)}],
    "end of a text": lambda v: [_noise(), f"{_noise() ** 2}-{v}-x"],
    "end of a text alone": lambda v: f"{_noise() ** 2}-{v}-x",
    "attribute": lambda v: SimpleNamespace(a=_noise(), **{f"f{v}": 1}),
    "key of a Counter": lambda v: Counter({("k", v): 1, str(_noise()): 1}),
    "twice nested": lambda v: {"a": [{"b": (_noise(), {_noise(): {v: _noise()}})}]},
    "end of a long dict": lambda v: {**{_noise(): _noise() for _ in range(5)}, v: 1},
    "decimals in a list": lambda v: [_noise(), round(random.random(), 8 - 4 * v)],
    "low bits in a list": lambda v: ["a", float((random.getrandbits(52) | 15) - 15 * v)],
}
