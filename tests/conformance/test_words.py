"""The secure source passes; sources that a programmer could have got wrong do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.check.conformance.results import ConformanceOutcome
from ldp_verified.check.conformance.words import WordTask
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

WORDS = 1 << 18
# Five comparisons of the right source in all: a false alarm in less than one of 10^8 runs.
LEVEL, MISS = 1e-9, 1e-8


class Wrong:
    """The secure source, with something done to its words."""

    simulated = False

    def __init__(self, flaw: Callable[[NDArray[np.uint64]], NDArray[np.uint64]]) -> None:
        self._flaw = flaw
        self._source = word_source(None, "test")

    def words(self, count: int) -> NDArray[np.uint64]:
        return self._flaw(self._source.words(count))

    def fill(self, out: NDArray[np.uint64]) -> None:
        out[...] = self.words(len(out))


def _run(task: WordTask) -> dict[str, ConformanceOutcome]:
    found = task.run(np.random.default_rng(0), LEVEL, MISS)
    assert len(found) == len(task.planned)
    return {comparison.name: comparison.outcome for comparison in found}


def test_the_secure_source_passes() -> None:
    assert set(_run(WordTask(WORDS)).values()) == {ConformanceOutcome.PASSED}


def _doubles(words: NDArray[np.uint64]) -> NDArray[np.float64]:
    return np.asarray((words >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


FLAWS: dict[str, tuple[str, Callable[[NDArray[np.uint64]], NDArray[np.uint64]]]] = {
    "a constant bit": ("bits", lambda words: words | np.uint64(1 << 63)),
    "31 bits in each half": ("bits", lambda words: words & np.uint64(0x7FFFFFFF7FFFFFFF)),
    "made from doubles": ("bits", lambda words: (_doubles(words) * 2.0**64).astype(np.uint64)),
    "a byte is never 255": (
        "bytes",
        lambda words: np.where(words & np.uint64(255) == 255, words - np.uint64(128), words),
    ),
    "every word twice": (
        "equal bits of successive words",
        lambda words: np.repeat(words[::2], 2)[: len(words)],
    ),
    "both halves the same": (
        "equal bits of both halves",
        lambda words: words >> np.uint64(32) | words & np.uint64(0xFFFFFFFF00000000),
    ),
    "a block comes again": (
        "repeated words",
        lambda words: np.concatenate([words[: len(words) // 2]] * 2),
    ),
}


@pytest.mark.parametrize("name", FLAWS)
def test_a_wrong_source_is_rejected(name: str) -> None:
    comparison, flaw = FLAWS[name]
    assert _run(WordTask(WORDS, Wrong(flaw)))[comparison] is ConformanceOutcome.REJECTED
