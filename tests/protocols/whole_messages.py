"""Reports of grouped hashing as messages with all that they hold, and back."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from ldp_verified.check.conformance.every_word import SentWord, check_every_word
from ldp_verified.check.conformance.transcripts import TranscriptCheck
from ldp_verified.check.conformance.word_classes import WordClass


def whole(reports: Any) -> Any:
    """A message: of each report the group, the words of its function, and the bucket."""
    columns = reports.groups.tolist(), reports.seeds.tolist(), reports.buckets.tolist()
    return tuple((group, tuple(seed), bucket) for group, seed, bucket in zip(*columns, strict=True))


def over_all_words(
    made: Any, laws: Any, told: Any, bound: Fraction, words: int, width: int = 2
) -> TranscriptCheck:
    """Hold the client of a protocol of two bits to its declaration, over all 64-bit words.

    Args:
        made: the protocol. laws: of its messages as `told` has them, by value. bound: on ratios.
        words: that are followed. width: how many top bits of a function decide, see `reports_of`.
    """
    return check_every_word(
        lambda value, source: (whole(made.client(rng=source).report(x)) for x in [value]),
        range(4), [], bound, words,
        lambda value, _, sent: sum(
            (laws[value][(told(each),)] for each in reports_of(sent[0], width)), Fraction(0)
        ),
    )  # fmt: skip


def reports_of(message: Any, width: int = 2) -> Iterator[Any]:
    """The reports that a message stands for, with each value of the top bits of middle words.

    Args:
        message: as `whole` has it; the words of a public function are numbers, and stay as they
            are. width: how many top bits.
    """
    groups, seeds, buckets = zip(*message, strict=True)
    for each in product(*(_seeds(seed, 64 - width) for seed in seeds)):
        yield SimpleNamespace(
            groups=np.array(groups, dtype=np.uint8),
            seeds=np.array(each, dtype=np.uint64),
            buckets=np.array(buckets, dtype=np.uint8),
        )


def _seeds(seed: Any, low: int) -> list[tuple[int, int, int]]:
    """Seeds with the bits from `low` on that a class of middle words has, and no others."""
    if not any(isinstance(word, SentWord) for word in seed):
        return [seed]
    words = seed[1].words
    tops = (1 << 64) - (1 << low)
    assert words == WordClass(mask=words.mask & tops, bits=words.bits)
    each = range(0, 1 << 64, 1 << low)
    return [(0, top, 0) for top in each if top & words.mask == words.bits]
