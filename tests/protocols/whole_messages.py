"""Reports of grouped hashing as messages with all that they hold, and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from ldp_verified.check.conformance.every_word import SentWord
from ldp_verified.check.conformance.traced import WordClass


def whole(reports: Any) -> Any:
    """A message: of each report the group, the words of its function, and the bucket."""
    columns = reports.groups.tolist(), reports.seeds.tolist(), reports.buckets.tolist()
    return tuple((group, tuple(seed), bucket) for group, seed, bucket in zip(*columns, strict=True))


def reports_of(message: Any) -> Iterator[Any]:
    """The reports that a message stands for, with each value of the top bits of middle words."""
    groups, seeds, buckets = zip(*message, strict=True)
    for tops in product(*(_tops(middle) for _, middle, _ in seeds)):
        yield SimpleNamespace(
            groups=np.array(groups, dtype=np.uint8),
            seeds=np.array([[0, top << 62, 0] for top in tops], dtype=np.uint64),
            buckets=np.array(buckets, dtype=np.uint8),
        )


def _tops(middle: SentWord) -> list[int]:
    """The two top bits of words of a class, which is one of such bits alone."""
    words = middle.words
    assert words == WordClass(mask=words.mask & 3 << 62, bits=words.bits)
    return [top for top in range(4) if top << 62 & words.mask == words.bits]
