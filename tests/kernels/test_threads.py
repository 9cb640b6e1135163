"""Threads share out the work; what a seed gives does not depend on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.kernels import threads
from ldp_verified.kernels.draw import Sampler
from ldp_verified.kernels.grr import grr_sampler
from ldp_verified.kernels.hashing import local_hash_sampler
from ldp_verified.kernels.randomness import block_source
from ldp_verified.kernels.threads import draw_in_threads

SAMPLERS = [grr_sampler(100, (1 << 64) // 120), local_hash_sampler(100, 3, (1 << 64) // 5)]


@pytest.mark.parametrize("sampler", SAMPLERS, ids=["grr", "local_hash"])
@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1001, 7777])
def test_a_seed_gives_the_same_reports_with_any_number_of_threads(
    sampler: Any, count: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "BLOCK", 1000)
    values = np.arange(count) % 100
    blocks = [
        sampler.draw(values[start : start + 1000], block_source(seed, start // 1000))
        for start in range(0, count, 1000)
    ]
    expected = np.concatenate([np.empty((0, *sampler.shape), sampler.dtype), *blocks])
    for many in (1, 2, 5):
        drawn = draw_in_threads(sampler, values, seed, many)
        assert drawn.dtype == sampler.dtype
        np.testing.assert_array_equal(drawn, expected)


def test_blocks_differ_and_so_do_secure_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "BLOCK", 64)
    wide = grr_sampler(1 << 28, 1 << 36)  # every report a uniform one of 2^28 values
    seen = set()
    for rng in (None, None, 7):
        reports = draw_in_threads(wide, np.zeros(64 * 30, dtype=np.int64), rng, 4)
        seen |= {block.tobytes() for block in np.split(reports, 30)}
    assert len(seen) == 90, "blocks that share words would be equal"


@pytest.mark.parametrize("rng", [True, 1.5, -1, np.random.Generator(np.random.PCG64(3)), "7"])
def test_only_seeds_are_shared(rng: Any) -> None:
    with pytest.raises(ParameterError, match=r"rng: must be None .secure. or a seed"):
        draw_in_threads(SAMPLERS[0], np.zeros(3, dtype=np.int64), rng, 2)


def test_an_error_in_a_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "BLOCK", 10)
    values = np.zeros(100, dtype=np.int64)
    values[55] = 100
    with pytest.raises(DomainError):
        draw_in_threads(SAMPLERS[0], values, 1, 3)


def test_spent_words_of_a_thread_are_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    buffers: dict[int, Any] = {}
    draw = Sampler.draw

    def watched(self: Sampler, values: Any, *rest: Any) -> Any:
        found = draw(self, values, *rest)
        buffers[id(rest[-1])] = rest[-1]
        assert not rest[-1].any()
        return found

    monkeypatch.setattr(Sampler, "draw", watched)
    for sampler in SAMPLERS:
        buffers.clear()
        draw_in_threads(sampler, np.zeros(50_000, dtype=np.int64), None, 2)
        assert 1 <= len(buffers) <= 2, "the words of a thread lie in the same memory all the time"
        assert all(len(each) > sampler.words_per_value for each in buffers.values())
