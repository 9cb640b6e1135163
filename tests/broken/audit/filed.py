"""Reports on file: of mechanisms that are what they claim, and of some that are not."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

K = 6


def unary(values: NDArray[np.int64], rng: np.random.Generator, eps: float = 1.0) -> list[list[int]]:
    """Optimized unary encoding at `eps`."""
    own = np.arange(K) == values[:, None]
    told = rng.random(own.shape) < np.where(own, 0.5, 1 / (exp(eps) + 1))
    return told.astype(int).tolist()  # type: ignore[no-any-return]  # a list of lists of ints


def wrong_eps(values: NDArray[np.int64], rng: np.random.Generator) -> list[list[int]]:
    """The same at eps = 1.5."""
    return unary(values, rng, 1.5)


def sent_twice(values: NDArray[np.int64], rng: np.random.Generator) -> list[list[int]]:
    """Every fifth user sends the report of the one before, as a fixed seed would give it."""
    found = unary(values, rng)
    return [found[i - 1] if i % 5 == 1 else found[i] for i in range(len(found))]


def one_coin(values: NDArray[np.int64], rng: np.random.Generator) -> list[list[int]]:
    """Bits 0 and 1 share their coin: each of them alone is right."""
    own = np.arange(K) == values[:, None]
    coins = rng.random(own.shape)
    coins[:, 1] = coins[:, 0]
    told = coins < np.where(own, 0.5, 1 / (exp(1.0) + 1))
    return told.astype(int).tolist()  # type: ignore[no-any-return]  # a list of lists of ints


def short(values: NDArray[np.int64], rng: np.random.Generator) -> list[list[int]]:
    """One report of a thousand lacks its last bit."""
    found = unary(values, rng)
    return [row[:-1] if i % 1000 == 7 else row for i, row in enumerate(found)]


def response(values: NDArray[np.int64], rng: np.random.Generator, eps: float = 1.0) -> list[int]:
    """K-ary randomized response at `eps`."""
    kept = rng.random(len(values)) < exp(eps) / (exp(eps) + K - 1)
    other = (values + rng.integers(1, K, size=len(values))) % K
    return np.where(kept, values, other).tolist()  # type: ignore[no-any-return]  # a list of ints


def larger_domain(values: NDArray[np.int64], rng: np.random.Generator) -> list[int]:
    """One report in a hundred is outside the domain."""
    found = response(values, rng)
    return [K if i % 100 == 3 else y for i, y in enumerate(found)]


def clear(values: NDArray[np.int64], rng: np.random.Generator) -> list[int]:
    """The values themselves."""
    del rng
    return values.tolist()  # type: ignore[no-any-return]  # a list of ints


WRONG: dict[str, tuple[str, Callable[..., Sequence[object]]]] = {
    "wrong eps": ("oue", wrong_eps),
    "sent twice": ("oue", sent_twice),
    "one coin": ("oue", one_coin),
    "short": ("oue", short),
    "larger domain": ("grr", larger_domain),
    "clear": ("grr", clear),
}
