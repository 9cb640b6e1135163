"""The secure source itself: are its words uniform, and independent of the ones before?

A keystream that is wrong only in what these counts cannot see passes. They show that words come
through as they are drawn: no constant bits, no repeated blocks, no swapped halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, lgamma, log

import numpy as np
from scipy.special import betainccinv

from ldp_verified.check.conformance.results import (
    ClassComparison,
    Comparison,
    OtherComparison,
)
from ldp_verified.run.kernels.randomness import SecureWords, WordSource

LIMIT = 0.02
CHUNK = 1 << 17


@dataclass(frozen=True, eq=False)
class WordTask:
    """Count bits, bytes, repetitions of bits, and repeated words of a source.

    Attributes:
        n: how many words, an even number.
        source: None for the secure source.
    """

    n: int
    source: WordSource | None = None

    @cached_property
    def planned(self) -> list[ClassComparison | OtherComparison]:
        """Bits, bytes, successive words, halves of a word, repeated words."""
        return [*self._classes, self._repeated]

    @cached_property
    def _classes(self) -> list[ClassComparison]:
        numbers = [f"bit {place}" for place in range(64)]
        byte_names = [f"byte {p} is {v}" for p in range(8) for v in range(256)]
        return [
            ClassComparison(
                subject=self.name,
                name=what,
                null=f"each of the {{size}} has probability {chance:g}",
                n=n,
                unit="probability",
                limit=LIMIT,
                labels=labels,
                p=np.full(len(labels), chance),
            )
            for what, n, chance, labels in (
                ("bits", self.n, 0.5, numbers),
                ("bytes", self.n, 1 / 256, byte_names),
                ("equal bits of successive words", self.n // 2, 0.5, numbers),
                ("equal bits of both halves", self.n, 0.5, numbers[:32]),
            )
        ]

    @cached_property
    def _repeated(self) -> OtherComparison:
        def detects(level: float, miss: float) -> float:
            least = next(r for r in range(1, self.n) if self._bound(r) <= level)
            return float(betainccinv(least, self.n - least, miss))

        return OtherComparison(
            subject=self.name,
            name="repeated words",
            null=f"{self.n} words are independent and uniform, so hardly any comes twice",
            n=self.n,
            unit="share of words that repeat the one before",
            limit=LIMIT,
            labels=("repeated words",),
            detects=detects,
        )

    @property
    def _repetitions(self) -> float:
        """How many words are expected to equal one before them, at most."""
        return self.n * self.n / 2.0**64

    def _bound(self, r: int) -> float:
        """Each of r given words equals one before it with probability at most (n/2^64)^r."""
        return min(1.0, exp(r * log(self._repetitions) - lgamma(r + 1)))

    @property
    def name(self) -> str:
        """The name of what is run."""
        return "secure source of words"

    def run(self, rng: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Draw, count and compare; each comparison has the given level. The seed is not used."""
        del rng
        source = SecureWords() if self.source is None else self.source
        bits, same = np.zeros(64, dtype=np.int64), np.zeros(64, dtype=np.int64)
        octets, halves = np.zeros((8, 256), dtype=np.int64), np.zeros(32, dtype=np.int64)
        kept: list[np.ndarray] = []
        places = np.arange(64, dtype=np.uint64)
        for start in range(0, self.n, CHUNK):
            words = source.words(min(CHUNK, self.n - start))
            # Pairs that share no word: the number of equal bits is binomial.
            equal = ~(words[0::2] ^ words[1::2])
            for place in places:
                bits[place] += np.count_nonzero(words >> place & np.uint64(1))
                same[place] += np.count_nonzero(equal >> place & np.uint64(1))
            mirrored = ~(words ^ words >> np.uint64(32))
            for place in places[:32]:
                halves[place] += np.count_nonzero(mirrored >> place & np.uint64(1))
            for position in range(8):
                octet = (words >> np.uint64(8 * position) & np.uint64(255)).astype(np.int64)
                octets[position] += np.bincount(octet, minlength=256)
            kept.append(words)
        counts = (bits, octets.reshape(-1), same, halves)
        repeated = self.n - len(np.unique(np.concatenate(kept)))
        return [
            *(
                planned.counted(each, level, miss)
                for planned, each in zip(self._classes, counts, strict=True)
            ),
            self._repeated.compared(
                [self._bound(repeated) if repeated else 1.0],
                [repeated],
                [self._repetitions],
                level,
                miss,
                worst=f"{repeated} words occur again",
            ),
        ]
