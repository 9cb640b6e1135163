"""Threads share out the work; what a seed gives does not depend on them."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels import threads as shares
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.kernels.grr import grr_sampler
from ldp_verified.run.kernels.hashing import local_hash_sampler
from ldp_verified.run.kernels.seeds import block_sources, word_source
from ldp_verified.run.kernels.threads import draw_in_threads, secure_blocks, share_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SAMPLERS = [grr_sampler(100, (1 << 64) // 120), local_hash_sampler(100, 3, (1 << 64) // 5)]


@pytest.mark.parametrize("sampler", SAMPLERS, ids=["grr", "local_hash"])
@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1001, 7777])
def test_a_seed_gives_the_same_reports_with_any_number_of_threads(
    sampler: Any, count: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "BLOCK", 1000)
    values = np.arange(count) % 100
    source_of = block_sources(seed, "privatize in threads", "somebody")
    blocks = [
        sampler.draw(values[start : start + 1000], source_of(start // 1000))
        for start in range(0, count, 1000)
    ]
    expected = np.concatenate([np.empty((0, *sampler.shape), sampler.dtype), *blocks])
    for many in (1, 2, 5):
        drawn = draw_in_threads(sampler, values, seed, many, of=("somebody",))
        assert drawn.dtype == sampler.dtype
        np.testing.assert_array_equal(drawn, expected)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=["grr", "local_hash"])
def test_a_generator_gives_the_same_reports_with_any_number_of_threads(
    sampler: Any, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "BLOCK", 1000)
    values = np.arange(7777) % 100
    generator = np.random.default_rng(seed)
    first = draw_in_threads(sampler, values, generator, 1)
    for many in (2, 5):
        again = draw_in_threads(sampler, values, np.random.default_rng(seed), many)
        np.testing.assert_array_equal(again, first)
    assert (draw_in_threads(sampler, values, generator, 1) != first).any(), "it has gone on"


def test_blocks_differ_and_so_do_secure_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "BLOCK", 64)
    wide = grr_sampler(1 << 28, 1 << 36)  # every report a uniform one of 2^28 values
    seen = set()
    for rng in (None, None, 7):
        reports = draw_in_threads(wide, np.zeros(64 * 30, dtype=np.int64), rng, 4)
        seen |= {block.tobytes() for block in np.split(reports, 30)}
    assert len(seen) == 90, "blocks that share words would be equal"


@pytest.mark.parametrize("many", [1, 2, 5])
@pytest.mark.parametrize("words", [1, 136, 10**9])
@pytest.mark.parametrize("count", [0, 1, 1000, 2_000_000])
def test_secure_blocks_are_all_rows_and_become_smaller(count: int, words: int, many: int) -> None:
    if count * words > 10**15:
        count = 5
    blocks = secure_blocks(count, words, many)
    assert [row for rows in blocks for row in range(count)[rows]] == list(range(count))
    sizes = [rows.stop - rows.start for rows in blocks]
    assert sizes == sorted(sizes, reverse=True)
    assert all(size * words <= max(words, shares.BLOCK_WORDS) for size in sizes)
    assert all(size * words > shares.LEAST_WORDS - words for size in sizes[:-1])
    if many > 1 and count * words > 100 * shares.LEAST_WORDS and words < shares.LEAST_WORDS:
        assert sizes[-1] * words <= shares.LEAST_WORDS, "nobody waits long at the end"


@pytest.mark.parametrize("rng", [True, 1.5, -1, np.random.PCG64(3), "7", word_source(1, "test")])
def test_a_source_is_not_shared(rng: Any) -> None:
    with pytest.raises(ParameterError, match=r"rng: must be None, a seed"):
        draw_in_threads(SAMPLERS[0], np.zeros(3, dtype=np.int64), rng, 2)


def test_an_error_in_a_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "BLOCK", 10)
    values = np.zeros(100, dtype=np.int64)
    values[55] = 100
    with pytest.raises(DomainError):
        draw_in_threads(SAMPLERS[0], values, 1, 3)


def test_spent_words_of_a_thread_are_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    buffers: dict[int, Any] = {}
    draw = Sampler.draw

    def watched(self: Sampler, values: Any, *rest: Any) -> Any:
        buffers[id(rest[-1])] = rest[-1]
        found = draw(self, values, *rest)
        assert rest[-1].any(), "it is the words that lie there"
        return found

    monkeypatch.setattr(Sampler, "draw", watched)
    values = np.zeros(50_000, dtype=np.int64)
    wrong = values.copy()
    wrong[40_000] = 100
    for sampler in SAMPLERS:
        for held in (values, wrong):
            buffers.clear()
            with nullcontext() if held is values else pytest.raises(DomainError):
                draw_in_threads(sampler, held, None, 2)
            assert 1 <= len(buffers) <= 2, "a thread's words lie in the same memory all the time"
            for each in buffers.values():
                assert len(each) > sampler.words_per_value
                assert not each.any()


def test_everything_is_done_once_in_contexts_that_are_left() -> None:
    done: list[int] = []
    inside: list[int] = []
    left: list[int] = []

    @contextmanager
    def working() -> Iterator[Callable[[int], object]]:
        inside.append(threading.get_ident())
        try:
            yield done.append
        finally:
            left.append(threading.get_ident())

    for many, count in ((3, 40), (1, 40), (3, 0), (5, 1)):
        for each in (done, inside, left):
            each.clear()
        share_out(working, iter(range(count)), many)
        assert sorted(done) == list(range(count))
        assert sorted(inside) == sorted(left)
        assert 1 <= len(inside) <= max(1, min(many, count))
        assert threading.get_ident() in inside, "the calling thread takes part"
        if many == 1:
            assert done == list(range(count)), "in order"


def test_threads_work_at_the_same_time() -> None:
    together = threading.Barrier(3, timeout=60)
    share_out(lambda: nullcontext(lambda _: together.wait()), range(3), 3)


def test_an_iterator_without_end_is_read_only_a_little_ahead() -> None:
    done: list[int] = []
    furthest = 0

    def items() -> Iterator[int]:
        nonlocal furthest
        for item in range(1000):
            furthest = max(furthest, item - len(done))
            yield item

    def run(item: int) -> None:
        time.sleep(0.0005)
        done.append(item)

    share_out(lambda: nullcontext(run), items(), 3)
    assert len(done) == 1000
    assert furthest <= 2 * shares.AHEAD + 3, "what waits, and what each thread is at"


@pytest.mark.parametrize("many", [1, 3])
def test_an_error_ends_the_work(many: int) -> None:
    done: list[int] = []

    def run(item: int) -> None:
        if item == 3:
            raise ValueError("three")
        time.sleep(0.001 * (item > 3))
        done.append(item)

    with pytest.raises(ValueError, match="three"):
        share_out(lambda: nullcontext(run), range(100_000), many)
    assert len(done) < 50_000, "what waited is not begun"
    assert 3 not in done


@pytest.mark.parametrize("many", [1, 3])
def test_an_error_of_the_items_or_of_a_context_is_raised(many: int) -> None:
    def items() -> Iterator[int]:
        yield from range(20)
        raise LookupError("items")

    done: list[int] = []
    with pytest.raises(LookupError, match="items"):
        share_out(lambda: nullcontext(done.append), items(), many)
    assert len(done) <= 20

    @contextmanager
    def working() -> Iterator[Callable[[int], object]]:
        yield done.append
        raise ArithmeticError("context")

    with pytest.raises(ArithmeticError, match="context"):
        share_out(working, range(5), many)


def test_no_thread_is_left_at_work_when_the_call_returns() -> None:
    working = 0
    most = 0

    def run(item: int) -> None:
        nonlocal working, most
        working += 1
        most = max(most, working)
        time.sleep(0.002)
        working -= 1
        if item == 5:
            raise ValueError("five")

    for _ in range(10):
        with pytest.raises(ValueError, match="five"):
            share_out(lambda: nullcontext(run), range(50), 2)
        assert working == 0
    assert 1 <= most <= 2
