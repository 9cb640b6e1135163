"""The secure source itself: are its words uniform, and independent of the ones before?

A keystream that is wrong only in what these counts cannot see passes. They show that words come
through as they are drawn: no constant bits, no repeated blocks, no swapped halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log

import numpy as np
from scipy.special import betainccinv

from ldp_verified.check.conformance.exact import BinomialTests, Floats
from ldp_verified.check.conformance.results import Comparison, joined
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

    @property
    def comparisons(self) -> int:
        """Bits, bytes, successive words, halves of a word, repeated words."""
        return 5

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
        half = np.full(64, 0.5)
        numbers = [f"bit {place}" for place in range(64)]
        byte_names = [f"byte {p} is {v}" for p in range(8) for v in range(256)]
        return [
            self._binomial("bits", self.n, bits, half, numbers, level, miss),
            self._binomial(
                "bytes", self.n, octets.reshape(-1), np.full(2048, 1 / 256), byte_names, level, miss
            ),
            self._binomial(
                "equal bits of successive words", self.n // 2, same, half, numbers, level, miss
            ),
            self._binomial(
                "equal bits of both halves", self.n, halves, half[:32], numbers[:32], level, miss
            ),
            self._repeated(np.concatenate(kept), level, miss),
        ]

    def _binomial(
        self,
        what: str,
        n: int,
        counts: np.ndarray,
        p: Floats,
        labels: list[str],
        level: float,
        miss: float,
    ) -> Comparison:
        tests = BinomialTests(n, p)
        size, p_value, detectable, observed, expected, worst = joined(
            tests.p_values(counts), tests.detectable(level / len(p), miss), counts / n, p, labels
        )
        return Comparison(
            subject=self.name,
            name=what,
            null=f"each of the {size} has probability {p[0]:g}",
            tests=size,
            level=level,
            n=n,
            p_value=p_value,
            detectable=detectable,
            unit="probability",
            limit=LIMIT,
            miss=miss,
            observed=observed,
            expected=expected,
            worst=worst,
        )

    def _repeated(self, words: np.ndarray, level: float, miss: float) -> Comparison:
        n = len(words)
        repeated = n - len(np.unique(words))
        # Each of r given words equals one before it with probability at most (n/2^64)^r.
        expected = n * n / 2.0**64

        def bound(r: int) -> float:
            return min(1.0, exp(r * log(expected) - lgamma(r + 1)))

        least = next(r for r in range(1, n) if bound(r) <= level)
        return Comparison(
            subject=self.name,
            name="repeated words",
            null=f"{n} words are independent and uniform, so hardly any comes twice",
            tests=1,
            level=level,
            n=n,
            p_value=bound(repeated) if repeated else 1.0,
            detectable=float(betainccinv(least, n - least, miss)),
            unit="share of words that repeat the one before",
            limit=LIMIT,
            miss=miss,
            observed=float(repeated),
            expected=expected,
            worst=f"{repeated} words occur again",
        )
