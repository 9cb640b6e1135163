"""Batches: one stream of words makes one sequence of reports, however it is cut up."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tracemalloc
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels import draw
from ldp_verified.run.kernels.bernoulli import bernoulli_sampler
from ldp_verified.run.kernels.bits import bits_sampler, one_hot_sampler
from ldp_verified.run.kernels.categorical import categorical_sampler
from ldp_verified.run.kernels.cohorts import cohort_hash_sampler
from ldp_verified.run.kernels.compiled import compiled
from ldp_verified.run.kernels.draw import smallest_dtype, within
from ldp_verified.run.kernels.grr import grr_sampler, grr_wide_sampler
from ldp_verified.run.kernels.hadamard import hadamard_column_sampler, hadamard_sign_sampler
from ldp_verified.run.kernels.hashing import local_hash_sampler
from ldp_verified.run.kernels.hyperplanes import hyperplane_sampler
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.sketch_reports import (
    coefficients,
    sketch_bits_sampler,
    sketch_sign_sampler,
)
from ldp_verified.run.kernels.subsets import subset_sampler

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import Sampler

# Widths below 64 make rejection frequent, so that reports take different numbers of words.
SAMPLERS: dict[str, Sampler] = {
    "categorical": categorical_sampler([[3 << 62, 7 << 61], [1 << 62, 5 << 61]]),
    "categorical_8": categorical_sampler([[0, 256], [100, 200], [7, 7]], 8),
    "grr": grr_sampler(100, (1 << 64) // 120),
    "grr_all_lies": grr_sampler(4, 1 << 62),
    "grr_8": grr_sampler(5, 33, 8),
    "grr_wide": grr_wide_sampler(3_000_000_000, 3 << 62),
    "grr_wide_8": grr_wide_sampler(129, 200, 8),
    "one_hot": one_hot_sampler(130, 1 << 63, 0x44DBE0EE94A5C1B7),
    "one_hot_128": one_hot_sampler(128, 1 << 63, 1 << 62),
    "one_hot_8": one_hot_sampler(70, 100, 69, 8),
    "one_hot_5_lanes": one_hot_sampler(7, 9, 5, 4, lanes=5),
    "local_hash": local_hash_sampler(1000, 6, (1 << 64) // 10),
    "local_hash_16_bits": local_hash_sampler(1000, 65521, (1 << 64) // 70_000),
    "local_hash_8": local_hash_sampler(40, 3, 50, 8),
    "local_hash_many_words": local_hash_sampler(100, 64, 2, 8),
    "local_hash_packed": local_hash_sampler(1000, 4, (1 << 64) // 6),
    "local_hash_packed_8": local_hash_sampler(100, 16, 9, 8),
    "cohorts": cohort_hash_sampler(50, 11, (1 << 64) // 14),
    "hyperplanes": hyperplane_sampler(100, 3, 1 << 62),
    "column": hadamard_column_sampler(1000, 1 << 62),
    "sign": hadamard_sign_sampler(1000, 1 << 62),
    "subset": subset_sampler(100, 27, 1 << 63),
    "subset_8": subset_sampler(70, 9, 100, 8),
    "subset_many": subset_sampler(1024, 275, 1 << 62),
    "subset_lanes": subset_sampler(41, 27, 100, 8, lanes=8, share=(3, 3)),
    "bernoulli": bernoulli_sampler(0x44DBE0EE94A5C1B7),
    "bernoulli_8": bernoulli_sampler(69, 8),
    "blocks": bits_sampler(64, 0x44DBE0EE94A5C1B7),
    "sketch_bits": sketch_bits_sampler(
        1000, 128, coefficients(1000, 128, 100, 1), 1 << 63, 0x44DBE0EE94A5C1B7
    ),
    "sketch_bits_8": sketch_bits_sampler(25, 5, coefficients(25, 5, None, 0), 100, 69, 8, 8),
    "sketch_sign": sketch_sign_sampler(1000, 256, coefficients(1000, 256, 100, 1), 1 << 62),
    "sketch_sign_8": sketch_sign_sampler(20, 16, coefficients(20, 16, 5, 1), 69, 8),
}


def truths(sampler: Sampler, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.integers(0, sampler.inputs, size=count)


@pytest.fixture(params=SAMPLERS)
def sampler(request: pytest.FixtureRequest) -> Sampler:
    return SAMPLERS[request.param]


def test_the_compiled_form_is_the_python_form(sampler: Sampler, rng: np.random.Generator) -> None:
    """Bit for bit on the same words, and both stop at the same word when the words run out."""
    values = truths(sampler, 12, rng)
    total = 3 * len(values) * sampler.words_per_value
    words = rng.integers(0, 1 << sampler.word_bits, size=total, dtype=np.uint64, endpoint=False)
    lengths = sorted({*range(min(60, total)), *rng.integers(0, total, size=60).tolist(), total})
    finished = 0
    for length in lengths:
        slots = [0] * (len(values) * sampler.columns)
        ours = sampler.fill(values.tolist(), slots, words[:length].tolist(), *sampler.constants)
        out = np.zeros(len(slots), dtype=sampler.dtype)
        given = values.view(np.uint64) if sampler.unsigned else values
        theirs = compiled(sampler.fill)(given, out, words[:length].copy(), *sampler.arrays)
        assert tuple(theirs) == ours
        done, used = ours
        assert out[: done * sampler.columns].tolist() == slots[: done * sampler.columns]
        assert used <= length
        assert used >= done * sampler.least_words
        finished = max(finished, done)
    assert finished == len(values)


@pytest.mark.parametrize("pure_words", [0, 1 << 40])
@pytest.mark.parametrize("chunk_words", [1, 7, 100, 1 << 15])
def test_chunks_do_not_matter(
    sampler: Sampler,
    chunk_words: int,
    pure_words: int,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = 60
    values = truths(sampler, count, rng)
    length = 4 * count * sampler.words_per_value + 8 * chunk_words
    words = rng.integers(0, 2**64 - 1, size=length, dtype=np.uint64, endpoint=True)
    one_by_one = []
    stream = words
    for value in values.tolist():
        out = [0] * sampler.columns
        narrow = (stream >> np.uint64(64 - sampler.word_bits)).tolist()
        done, used = sampler.fill([value], out, narrow, *sampler.constants)
        assert done == 1
        stream = stream[used:]
        one_by_one.append(out)
    monkeypatch.setattr(draw, "CHUNK_WORDS", chunk_words)
    monkeypatch.setattr(draw, "PURE_WORDS", pure_words)
    reports = sampler.draw(values, ReplayWords(words))
    assert reports.dtype == sampler.dtype
    assert reports.shape == (count, *sampler.shape)
    assert reports.reshape(count, -1).tolist() == one_by_one


def test_the_same_seed_gives_the_same_reports(sampler: Sampler, seed: int) -> None:
    values = np.zeros(3000, dtype=np.int64)
    first = sampler.draw(values, word_source(seed, "test"))
    np.testing.assert_array_equal(first, sampler.draw(values, word_source(seed, "test")))
    # No more words are taken for a report because others follow it.
    np.testing.assert_array_equal(first[:1], sampler.draw(values[:1], word_source(seed, "test")))
    np.testing.assert_array_equal(
        first[:700], sampler.draw(values[:700], word_source(seed, "test"))
    )


GOLDEN = {
    "grr": "f4ea5b267e69daf5",
    "one_hot": "c7a81f8a0aa6c823",
    "local_hash": "a03eb5278c088458",
    "local_hash_packed": "8d5a223fc69766bb",
    "sketch_sign": "ad8389ec5d7b29a6",
    "subset_many": "4ccd1b3479ab5ecb",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_reports_of_a_seed_are_fixed_for_good(name: str) -> None:
    """Simulations can be repeated with later versions, until one says otherwise."""
    sampler = SAMPLERS[name]
    reports = sampler.draw(np.arange(3000) % sampler.inputs, word_source(20261121, "test"))
    assert hashlib.sha256(reports.tobytes()).hexdigest()[:16] == GOLDEN[name]


def test_an_empty_batch_is_an_empty_result(sampler: Sampler) -> None:
    reports = sampler.draw(np.empty(0, dtype=np.int64), ReplayWords([]))
    assert reports.shape == (0, *sampler.shape)
    assert reports.dtype == sampler.dtype


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint32, np.uint64, ">i4"])
def test_any_integer_dtype_is_taken(dtype: Any, seed: int) -> None:
    values = np.arange(5000) % 100
    sampler = SAMPLERS["grr"]
    expected = sampler.draw(values, word_source(seed, "test"))
    np.testing.assert_array_equal(
        sampler.draw(values.astype(dtype), word_source(seed, "test")), expected
    )


def test_strided_and_read_only_values_are_taken(seed: int) -> None:
    values = np.arange(10_000) % 100
    sampler = SAMPLERS["grr"]
    expected = sampler.draw(values[::2].copy(), word_source(seed, "test"))
    values.flags.writeable = False
    np.testing.assert_array_equal(sampler.draw(values[::2], word_source(seed, "test")), expected)


@pytest.mark.parametrize("count", [1, 10_000])
@pytest.mark.parametrize("wrong", [-1, 5, 2**63 - 1, -(2**63), 2**64 - 1])
def test_values_out_of_range_are_refused_and_not_shown(count: int, wrong: int) -> None:
    sampler = one_hot_sampler(5, 1 << 63, 1 << 62)
    values = np.full(count, 3, dtype=np.uint64 if wrong >= 2**63 else np.int64)
    values[-1] = wrong
    with pytest.raises(DomainError, match=r"^values: must be integers in 0..4$"):
        sampler.draw(values, word_source(1, "test"))


@pytest.mark.parametrize(
    "values", [np.zeros(3), np.zeros((2, 2), dtype=int), np.zeros(2, dtype=bool), np.int64(3)]
)
def test_arrays_that_are_not_values_are_refused(values: Any) -> None:
    with pytest.raises(DomainError, match="must be a 1-D integer array"):
        SAMPLERS["grr"].draw(np.asarray(values), word_source(1, "test"))


def test_a_source_is_left_where_the_words_end() -> None:
    """One word per value is drawn, and no more: successive batches make one long one."""
    sampler = SAMPLERS["grr"]
    values = np.arange(100)
    source = word_source(7, "test")
    parts = [sampler.draw(part, source) for part in np.split(values, [1, 30])]
    whole = sampler.draw(values, word_source(7, "test"))
    np.testing.assert_array_equal(np.concatenate(parts), whole)


class KeptWords:
    """Remembers the arrays that it filled, and fails after some of them."""

    simulated = True

    def __init__(self, most: int) -> None:
        self.most = most
        self.filled: list[NDArray[np.uint64]] = []

    def fill(self, out: NDArray[np.uint64]) -> None:
        if len(self.filled) == self.most:
            raise OSError("no more")
        out[...] = 2**63 + 5
        self.filled.append(out)

    def words(self, count: int) -> NDArray[np.uint64]:
        raise NotImplementedError


@pytest.mark.parametrize("fails", [False, True])
def test_spent_words_are_erased(fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "CHUNK_WORDS", 40)
    source = KeptWords(4 if fails else 10**6)
    values = np.zeros(100, dtype=np.int64)
    with pytest.raises(OSError, match="no more") if fails else nullcontext():
        SAMPLERS["grr_wide_8"].draw(values, source)
    assert len(source.filled) > 2
    assert not any(words.any() for words in source.filled)


@pytest.mark.parametrize("value", [-1, 4711])
@pytest.mark.parametrize("dtype", [np.int64, np.int16, ">i8"])
def test_nothing_is_drawn_where_a_value_is_out_of_range(value: int, dtype: str) -> None:
    source = KeptWords(10**6)
    values = np.zeros(10_000, dtype=dtype)
    values[-1] = value
    with pytest.raises(DomainError):
        SAMPLERS["grr_wide_8"].draw(values, source)
    assert not source.filled


@pytest.mark.parametrize("name", ["grr", "grr_wide", "one_hot", "local_hash", "categorical"])
def test_temporary_memory_is_bounded(name: str) -> None:
    """A few MiB however many values there are; measured, result apart."""
    sampler = SAMPLERS[name]
    count = 400_000
    values = np.zeros(count, dtype=np.int16)
    sampler.draw(values[:5000], word_source(None, "test"))  # compiled, imported
    tracemalloc.start()
    try:
        reports = sampler.draw(values, word_source(None, "test"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - reports.nbytes < 4 * 8 * draw.CHUNK_WORDS


LOADS = """
import sys
import numpy as np
from ldp_verified.run.kernels import bits, categorical, counts, grr, hashing
from ldp_verified.run.kernels.seeds import word_source

one = np.array([1])
source = word_source(None, "test")
reports = [
    grr.grr(one, 1000, 1 << 50, source),
    grr.grr_wide(one, 1 << 30, 1 << 62, source),
    categorical.categorical(one, [[3 << 62], [1 << 62]], source),
    bits.one_hot_bits(one, 1024, 1 << 63, 1 << 62, source),
    hashing.local_hash(one, 1024, 4, 1 << 61, source),
]
counts.value_counts(reports[0], 1000)
counts.bit_counts(reports[3], 1024)
hashing.support_counts(reports[4], 1024, 4)
print(*sorted({name.split(".")[0] for name in sys.modules} & {"numba", "sympy", "scipy"}))
"""


def test_single_values_load_no_compiler() -> None:
    command = [sys.executable, "-c", LOADS]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.strip() == ""


@pytest.mark.parametrize(
    ("count", "dtype"),
    [(2, "u1"), (256, "u1"), (257, "u2"), (65536, "u2"), (65537, "u4"), (2**32, "u4")],
)
def test_smallest_dtype(count: int, dtype: str) -> None:
    assert smallest_dtype(count) == np.dtype(dtype)
    assert int(np.array(count - 1).astype(smallest_dtype(count))) == count - 1


@pytest.mark.parametrize("width", [0, -1, 65])
def test_widths_out_of_range_are_refused(width: int) -> None:
    with pytest.raises(ParameterError, match=f"width: must be in 1..64, got {width}"):
        grr_sampler(2, 1, width)


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", ">i2", "i8", ">i8", "u8"])
def test_integers_within_a_size_are_told_from_others(dtype: str) -> None:
    held = np.array([[3, 0], [99, 5]], dtype=dtype)
    assert within(held, 100)
    assert within(held.T[::-1], 100)
    assert not within(held, 99)
    lowest, largest = np.iinfo(dtype).min, np.iinfo(dtype).max
    if lowest < 0:
        held[1, 1] = -1
        assert not within(held, 100)
        held[1, 1] = lowest
        assert not within(held, min(2**63, int(largest) + 1))
    held[1, 1] = largest
    assert within(held[1, 1:], min(2**63, int(largest) + 1)) == (dtype != "u8")
