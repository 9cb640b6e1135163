"""Targets as an auditor would name them: `tests.broken.audit.targets:seeded` and so on."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

_SEEDED = random.Random(7)


class Client:
    """k-ary randomized response on 0..k-1, anything else refused."""

    def __init__(self, epsilon: float, k: int) -> None:
        self.truth = np.exp(epsilon) / (np.exp(epsilon) + k - 1)
        self.k = k

    def privatise(self, value: Any) -> int:
        """A report."""
        if type(value) is not int or not 0 <= value < self.k:
            raise ValueError("not in the domain")
        if random.random() < self.truth:
            return value
        return (value + random.randrange(1, self.k)) % self.k


class Memoised(Client):
    """Keeps one permanent answer for each value."""

    def __init__(self, epsilon: float, k: int) -> None:
        super().__init__(epsilon, k)
        self.kept: dict[int, int] = {}

    def privatise(self, value: Any) -> int:
        """The same report as before."""
        return self.kept.setdefault(value, super().privatise(value))


def unchecked(value: Any) -> Any:
    """Two values; anything else goes through as it is."""
    if value not in (0, 1):
        return value
    return value if random.random() < 0.6 else 1 - value


def seeded(value: int) -> int:
    """A fixed default seed."""
    return value if _SEEDED.random() < 0.6 else 1 - value


def counting() -> Any:
    """A clean target that never looks at its value: its report is how often it was called."""
    calls = iter(range(1 << 62))
    return lambda _: next(calls) % 3


def stuttering() -> Any:
    """A generator that gives every number twice."""
    last: list[float] = []

    def report(value: int) -> float:
        if last:
            return value * 0 + last.pop()
        last.append(random.random())
        return last[0]

    return report


def reseeding(value: int) -> int:
    """Seeds the generators that everybody shares."""
    random.seed(1234)
    np.random.seed(99)  # noqa: NPY002  (that is the flaw)
    return value if random.SystemRandom().random() < 0.6 else 1 - value


class Hashing:
    """Local hashing to 4 buckets with a public seed; `noise` is where the noise comes from."""

    def __init__(self, noise: str) -> None:
        self.noise = noise
        self.generator = np.random.default_rng(random.getrandbits(64))

    def privatise(self, value: int) -> tuple[int, int]:
        """(seed, bucket)."""
        if self.noise == "own":  # two words of one generator that is kept
            seed = int(self.generator.integers(1 << 40))
            coin, other = self.generator.random(), int(self.generator.integers(3))
        else:
            seed = random.SystemRandom().getrandbits(40)
            source: Any = random.SystemRandom()
            if self.noise == "seed":
                source = random.Random(seed)
            if self.noise == "shared":
                seed, source = random.getrandbits(40), random
            coin, other = source.random(), source.randrange(3)
        bucket = (value * 2654435761 ^ seed) % 4
        truth = coin < np.e / (np.e + 3)
        return seed, bucket if truth else (bucket + 1 + other) % 4


def server(reports: list[int]) -> list[float]:
    """Return the counts that the right server of `Client(1.0, 4)` estimates."""
    p, q = np.e / (np.e + 3), 1 / (np.e + 3)
    return [(reports.count(v) - len(reports) * q) / (p - q) for v in range(4)]


def interval_server(reports: list[int], scale: float = 1.0) -> list[tuple[float, float]]:
    """Intervals of the counts of `Client(1.0, 4)`: Hoeffding's, so that they hold; or scaled."""
    p, q = np.e / (np.e + 3), 1 / (np.e + 3)
    reach = scale * (len(reports) * np.log(40) / 2) ** 0.5 / (p - q)
    return [(count - reach, count + reach) for count in server(reports)]


def raw_server(reports: list[int]) -> dict[int, int]:
    """Counts that nothing was done to."""
    return {v: reports.count(v) for v in range(4)}


def seeded_column(values: Any) -> Any:
    """Binary randomized response on an array, with the same generator in every call."""
    flips = np.random.default_rng(5).random(len(values)) >= np.e / (np.e + 1)
    return np.where(flips, 1 - np.asarray(values), values)


def column(values: list[int]) -> list[int]:
    """Randomized response over the domain that it finds in the data."""
    domain = sorted(set(values))
    return [v if random.random() < 0.5 else random.choice(domain) for v in values]


def declared_column(values: list[int]) -> list[int]:
    """The same over a declared domain."""
    return [v if random.random() < 0.5 else random.choice((0, 1, 2)) for v in values]


def bulk(values: Any) -> Any:
    """Binary randomized response of eps = 1 on an array."""
    flips = np.random.default_rng(random.getrandbits(64)).random(len(values)) >= np.e / (np.e + 1)
    return np.where(flips, 1 - np.asarray(values), values)


def fair_pair(value: int) -> list[int]:
    """Two fair bits, whatever the value: what the next four are when mended."""
    return [random.getrandbits(1), value * 0 + random.getrandbits(1)]


def type_tells(value: int) -> Any:
    """A tuple for 1, a list for 0."""
    return tuple(fair_pair(value)) if value else fair_pair(value)


def length_tells(value: int) -> list[int]:
    """An item more for 1."""
    return [*fair_pair(value), 0] if value else fair_pair(value)


def slot_tells(value: int) -> list[int]:
    """The value itself, then noise."""
    return [value, random.getrandbits(1)]


def exception_tells(value: int) -> list[int]:
    """1 is refused."""
    if value:
        raise KeyError("no such cell")
    return fair_pair(value)
