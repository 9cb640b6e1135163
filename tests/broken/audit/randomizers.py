"""Randomizers that leak in ways real libraries have leaked, each with a mended twin.

Each planted flaw leaves the rest of the output private, so that nothing but the flaw shows it. All
are functions of (value, rng); `planted` and `mended` give them as an auditor would call them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

Randomize = Callable[[Any, np.random.Generator], Any]


@dataclass(frozen=True)
class Planted:
    """A flaw and its mended twin.

    Attributes:
        name: the flaw.
        broken, mended: both claim `epsilon`.
        inputs: the domain.
        epsilon: the claim of both; true for the mended one.
        shows: a part of the words of the event or witness that must show it.
        rule: the named check that it breaks, where there is one.
    """

    name: str
    broken: Randomize
    mended: Randomize
    inputs: tuple[Any, ...]
    epsilon: float
    shows: str
    rule: str | None = None

    def call(self, broken: bool, rng: np.random.Generator) -> Callable[[Any], Any]:
        """A function of the value alone."""
        function = self.broken if broken else self.mended
        return lambda value: function(value, rng)


def kept(rng: np.random.Generator, epsilon: float) -> bool:
    """A coin with odds e^epsilon."""
    return bool(rng.random() < exp(epsilon) / (1 + exp(epsilon)))


def grr(value: int, k: int, epsilon: float, rng: np.random.Generator) -> int:
    """k-ary randomized response."""
    if rng.random() < exp(epsilon) / (exp(epsilon) + k - 1):
        return value
    return int((value + rng.integers(1, k)) % k)


def bits(value: int, k: int, one: float, zero: float, rng: np.random.Generator) -> list[int]:
    """Unary encoding."""
    return [int(rng.random() < (one if j == value else zero)) for j in range(k)]


def _noise(k: int, rng: np.random.Generator) -> list[int]:
    return [int(bit) for bit in rng.integers(0, 2, k)]


def _bit(value: int, rng: np.random.Generator) -> int:
    return value if kept(rng, 1.0) else 1 - value


def _unary_claimed_1(value: int, rng: np.random.Generator) -> list[int]:
    # e^eps/(e^eps + 1) for each bit is the well-known mistake: two bits differ, so it is 2 eps.
    p = exp(1.0) / (exp(1.0) + 1)
    return bits(value, 8, p, 1 - p, rng)


def _unary_right(value: int, rng: np.random.Generator) -> list[int]:
    p = exp(0.5) / (exp(0.5) + 1)
    return bits(value, 8, p, 1 - p, rng)


def _generator_or_list(value: int, rng: np.random.Generator) -> Any:
    found = _noise(4, rng)
    return (bit for bit in found) if value == 1 else found


def _dtype(value: int, rng: np.random.Generator) -> Any:
    return np.array(_noise(4, rng), dtype=np.int64 if value else np.int32)


def _length(value: int, rng: np.random.Generator) -> list[int]:
    return _noise(5 if value == 2 else 4, rng)


def _echo(value: int, rng: np.random.Generator) -> tuple[int, ...]:
    return (value, *(int(v) for v in rng.integers(0, 4, 3)))


def _subset(value: int, rng: np.random.Generator) -> list[int]:
    """Subset selection of 2 among 6, in random order."""
    p = exp(1.0) * 2 / (exp(1.0) * 2 + 4)
    others = [int(v) for v in rng.permutation([v for v in range(6) if v != value])]
    chosen = [value, others[0]] if rng.random() < p else others[:2]
    return [chosen[int(i)] for i in rng.permutation(2)]


def _subset_truth_first(value: int, rng: np.random.Generator) -> list[int]:
    chosen = _subset(value, rng)
    return [value, *(v for v in chosen if v != value)] if value in chosen else chosen


def _raises(value: int, rng: np.random.Generator) -> int:
    if value == 3:
        raise KeyError("no such cell")
    return int(rng.integers(0, 4))


def _negative_zero(value: int, rng: np.random.Generator) -> float:
    return (-0.0 if value else 0.0) if rng.random() < 0.5 else 1.0


def _nan(value: int, rng: np.random.Generator) -> float:
    if rng.random() < (0.4 if value else 0.05):
        return float("nan")
    return float(rng.integers(0, 3))


def _order(value: int, rng: np.random.Generator) -> list[int]:
    found = [int(v) for v in rng.permutation(4)]
    return sorted(found) if value == 1 and rng.random() < 0.5 else found


def _float_noise(value: float, rng: np.random.Generator) -> float:
    return value + float(rng.laplace(0.0, 1.0))


def _grid_noise(value: float, rng: np.random.Generator) -> float:
    """Two-sided geometric noise on a grid: exact, with scale 1."""
    t = exp(-1.0)
    return float(round(value) + int(rng.geometric(1 - t)) - int(rng.geometric(1 - t)))


def _float_histogram(value: int, rng: np.random.Generator) -> list[float]:
    """Histogram encoding with Laplace noise of scale 2."""
    return [float(j == value) + float(rng.laplace(0.0, 2.0)) for j in range(3)]


def _grid_histogram(value: int, rng: np.random.Generator) -> list[float]:
    """The same with two-sided geometric noise, exact on whole numbers."""
    t = exp(-0.5)
    draws = [int(rng.geometric(1 - t)) - int(rng.geometric(1 - t)) for _ in range(3)]
    return [float(draw + (j == value)) for j, draw in enumerate(draws)]


def _seeded_hash(value: int, rng: np.random.Generator) -> tuple[int, int]:
    """Local hashing to 4 buckets that forgets to randomize one time in three."""
    seed = int(rng.integers(0, 1 << 16))
    bucket = hash_of(seed, value)
    return (seed, bucket) if rng.random() < 1 / 3 else (seed, grr(bucket, 4, 1.0, rng))


def _hashed(value: int, rng: np.random.Generator) -> tuple[int, int]:
    seed = int(rng.integers(0, 1 << 16))
    return seed, grr(hash_of(seed, value), 4, 1.0, rng)


def hash_of(seed: int, value: int) -> int:
    """A public hash to 4 buckets."""
    return hashlib.sha256(f"{seed},{value}".encode()).digest()[0] % 4


def _spread(value: int, rng: np.random.Generator) -> list[int]:
    """Forty bits that each lean a little: no single one shows it."""
    return [int(rng.random() < (0.56 if value else 0.44)) for _ in range(40)]


def _pairwise(value: int, rng: np.random.Generator) -> list[int]:
    """Each bit alone is fair; two neighbours agree where the value is 1."""
    found = _noise(6, rng)
    if value == 1 and rng.random() < 0.8:
        found[3] = found[2]
    return found


def _count(value: int, rng: np.random.Generator) -> list[int]:
    """The number of ones tells the value; where they stand does not."""
    ones = 6 if value and rng.random() < 0.6 else 4
    row = [1] * ones + [0] * (10 - ones)
    return [row[int(i)] for i in rng.permutation(10)]


def _set(value: str, rng: np.random.Generator) -> set[str]:
    named = {"a", "b", "c"}
    kept_ones = {v for v in named if rng.random() < 0.5}
    return kept_ones | {value} if rng.random() < 0.6 else kept_ones


class Report:
    """A report as an object."""

    def __init__(self, bits: list[int], version: int) -> None:
        self.bits = bits
        self.version = version


def _object(value: int, rng: np.random.Generator) -> Report:
    """The bits are fair; which version of the encoder made them depends on the value."""
    return Report(_noise(3, rng), 2 if value and rng.random() < 0.5 else 1)


def _text(value: str, rng: np.random.Generator) -> str:
    """Fair digits; a trailing space for one value, half of the time."""
    found = "".join(map(str, _noise(4, rng)))
    return found + " " if value == "yes" and rng.random() < 0.5 else found


def _message(value: int, rng: np.random.Generator) -> int:
    """Every value fails as often; the message says which."""
    if rng.random() < 0.3:
        raise ValueError(f"lost connection while sending {value}")
    return int(rng.integers(0, 2))


def _silent(_: int, rng: np.random.Generator) -> int:
    if rng.random() < 0.3:
        raise ValueError("lost connection")
    return int(rng.integers(0, 2))


def _truth_of_type(value: int, rng: np.random.Generator) -> int:
    """True and 1 are equal in Python, and not on the wire."""
    found = int(rng.integers(0, 2))
    return bool(found) if value and rng.random() < 0.5 else found


def _repeated(value: int, rng: np.random.Generator) -> float:
    """Continuous noise, but one value comes again and again for one input: a rounding to it."""
    return 0.25 if value and rng.random() < 0.1 else float(rng.random())


def _last_slot(value: int, rng: np.random.Generator) -> list[int]:
    """The truth moves to the end where it is among the answers."""
    found = [int(v) for v in rng.permutation(6)[:3]]
    return sorted(found, key=lambda v: v == value)


def _fair(k: int) -> Randomize:
    return lambda _, rng: _noise(k, rng)


PLANTED: tuple[Planted, ...] = (
    Planted("unary at twice eps", _unary_claimed_1, _unary_right, tuple(range(8)), 1.0, ""),
    Planted("generator or list", _generator_or_list, _fair(4), (0, 1), 0.5, "generator", "LDP001"),
    Planted(
        "dtype",
        _dtype,
        lambda _, rng: np.array(_noise(4, rng), dtype=np.int64),
        (0, 1),
        0.5,
        "int32",
        "LDP001",
    ),
    Planted("length", _length, _fair(4), (0, 1, 2), 0.5, "length", "LDP002"),
    Planted(
        "truth in the first slot",
        _echo,
        lambda _, rng: tuple(int(v) for v in rng.integers(0, 4, 4)),
        (0, 1, 2, 3),
        0.5,
        "item 0",
        "LDP003",
    ),
    Planted("subset with the truth first", _subset_truth_first, _subset, tuple(range(6)), 1.0, "0"),
    Planted(
        "exception for one input",
        _raises,
        lambda _, rng: int(rng.integers(0, 4)),
        (0, 1, 2, 3),
        0.5,
        "raised",
        "LDP004",
    ),
    Planted(
        "sign of zero",
        _negative_zero,
        lambda _, rng: 0.0 if rng.random() < 0.5 else 1.0,
        (0, 1),
        0.5,
        "float",
    ),
    Planted(
        "NaN",
        _nan,
        lambda _, rng: float("nan") if rng.random() < 0.2 else float(rng.integers(0, 3)),
        (0, 1),
        0.5,
        "nan",
    ),
    Planted(
        "sorted for one input",
        _order,
        lambda _, rng: [int(v) for v in rng.permutation(4)],
        (0, 1),
        0.5,
        "",
    ),
    Planted("floating-point Laplace noise", _float_noise, _grid_noise, (0.0, 1.0), 1.0, "zeros"),
    Planted("floats in a vector", _float_histogram, _grid_histogram, (0, 1, 2), 1.0, "item-zeros"),
    Planted("hash without noise", _seeded_hash, _hashed, tuple(range(4)), 1.0, "hash"),
    Planted("spread over many bits", _spread, _fair(40), (0, 1), 0.5, ""),
    Planted("agreement of two bits", _pairwise, _fair(6), (0, 1), 0.5, "items 2,3"),
    Planted(
        "number of ones",
        _count,
        lambda _, rng: [int(v) for v in rng.permutation([1] * 4 + [0] * 6)],
        (0, 1),
        0.5,
        "ones",
    ),
    Planted(
        "member of a set",
        _set,
        lambda _, rng: {v for v in ("a", "b", "c") if rng.random() < 0.5},
        ("a", "b", "c"),
        0.5,
        "",
    ),
    Planted(
        "attribute of an object",
        _object,
        lambda _, rng: Report(_noise(3, rng), 1),
        (0, 1),
        0.5,
        "",
    ),
    Planted(
        "trailing space",
        _text,
        lambda _, rng: "".join(map(str, _noise(4, rng))),
        ("no", "yes"),
        0.5,
        "",
    ),
    Planted("message of an exception", _message, _silent, (0, 1, 2), 0.5, "lost conne"),
    Planted(
        "True and 1",
        _truth_of_type,
        lambda _, rng: int(rng.integers(0, 2)),
        (0, 1),
        0.5,
        "bool",
    ),
    Planted(
        "a float that repeats",
        _repeated,
        lambda _, rng: float(rng.random()),
        (0, 1),
        0.5,
        "0x1.0000000000000p-2",
    ),
    Planted(
        "truth in the last slot",
        _last_slot,
        lambda _, rng: [int(v) for v in rng.permutation(6)[:3]],
        tuple(range(6)),
        0.5,
        "item",
    ),
)
