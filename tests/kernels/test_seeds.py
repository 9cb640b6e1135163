"""`rng=` is hashed with its domain, and never gives a numpy generator's own words."""

from __future__ import annotations

import hashlib
import hmac
import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.randomness import AesCtrStream, ReplayWords, SecureWords, WordSource
from ldp_verified.run.kernels.seeds import block_sources, checked_seed, numpy_generator, word_source

BIT_GENERATORS = [
    np.random.PCG64,
    np.random.PCG64DXSM,
    np.random.MT19937,
    np.random.SFC64,
    np.random.Philox,
]


def keystream(kind: bytes, label: bytes, count: int) -> list[int]:
    """The words of a seed, written out from what `SOUNDNESS.md` says."""
    secret = hashlib.sha256(b"ldp_verified " + kind).digest()
    out = np.empty(count, dtype=np.uint64)
    AesCtrStream(hmac.digest(secret, label, "sha256")).fill(out)
    return out.tolist()


def test_the_words_of_a_seed_are_fixed_for_good() -> None:
    """Simulations can be repeated elsewhere: SHA-256, HMAC and AES-CTR, and no numpy."""
    label = b'["privatize", "GRR", [["epsilon", {"number": "1/2"}], ["k", {"number": "3"}]]]'
    found = word_source(0xDEADBEAF, "privatize", "GRR", (("epsilon", 0.5), ("k", 3)))
    assert found.words(4).tolist() == keystream(b"seed deadbeaf", label, 4)
    block = block_sources(0xDEADBEAF, "privatize")(3)
    expected = keystream(b"seed deadbeaf", b'["privatize", {"number": "3"}]', 4)
    assert block.words(4).tolist() == expected


def test_the_words_of_a_generator_are_fixed_for_good() -> None:
    raw = np.random.PCG64(7).random_raw(8)
    low = b"".join(int(word % 2**32).to_bytes(4, "little") for word in raw)
    found = word_source(np.random.default_rng(7), "test").words(4).tolist()
    assert found == keystream(b"generator " + low, b'["test"]', 4)


def test_a_seed_gives_the_same_words_again(seed: int) -> None:
    first = word_source(seed, "test").words(100)
    for same in (np.uint64(seed), seed + 0, word_source(seed, "test")):
        np.testing.assert_array_equal(first, word_source(same, "test").words(100))
    for other in (seed + 1, seed << 64, seed | 1 << 64):
        assert (first != word_source(other, "test").words(100)).all()


DOMAINS: list[tuple[Any, ...]] = [
    ("privatize",),
    ("privatiz", "e"),
    ("privatize", ""),
    ("privatize", None),
    ("privatize", "1"),
    ("privatize", 1),
    ("privatize", 1, 1),
    ("privatize", (1, 1)),
    ("privatize", ((1,), 1)),
    ("privatize", "[1, 1]"),
    ("privatize", Fraction(1, 3)),
    ("privatize", 1 / 3),
    ("privatize", "GRR", (("epsilon", 1.0), ("k", 5))),
    ("privatize", "GRR", (("epsilon", 1.0), ("k", 6))),
    ("privatize", "SUE", (("epsilon", 1.0), ("k", 5))),
    ("simulate counts", "GRR", (("epsilon", 1.0), ("k", 5))),
]


def test_no_two_domains_share_words() -> None:
    words = [tuple(word_source(7, *domain).words(4).tolist()) for domain in DOMAINS]
    # Among some 100 words two are equal with probability < 2^-50.
    assert len(set(itertools.chain.from_iterable(words))) == 4 * len(DOMAINS)


def test_equal_domains_share_words() -> None:
    """As equal identities do: epsilon=1 is epsilon=1.0."""
    half: Any = np.float32(0.5)
    pairs: list[tuple[Any, Any]] = [(1, 1.0), (np.int64(3), 3), (half, Fraction(1, 2))]
    for a, b in [*pairs, (2**70, 2.0**70)]:
        expected = word_source(7, "test", a).words(4)
        np.testing.assert_array_equal(word_source(7, "test", b).words(4), expected)


@pytest.mark.parametrize("bit_generator", BIT_GENERATORS)
def test_a_generator_gives_32_bytes_and_goes_on(bit_generator: type[Any], seed: int) -> None:
    generator = np.random.Generator(bit_generator(seed))
    first = word_source(generator, "test").words(100)
    other = word_source(generator, "test").words(100)
    assert (first != other).all()
    twin = np.random.Generator(bit_generator(seed))
    np.testing.assert_array_equal(word_source(twin, "test").words(100), first)
    assert (word_source(np.random.Generator(bit_generator(seed)), "t").words(100) != first).all()
    twin.bit_generator.random_raw(8)
    assert twin.bit_generator.random_raw() == generator.bit_generator.random_raw()


def numbers_of(generator: np.random.Generator) -> set[int]:
    """Return the numbers that a generator may yield, as the words that it was made of."""
    raw = generator.bit_generator.random_raw(100).tolist()
    return {*raw, *(word >> 32 for word in raw), *(word % 2**32 for word in raw)}


@pytest.mark.parametrize("bit_generator", BIT_GENERATORS)
def test_no_words_are_those_of_a_numpy_generator(bit_generator: type[Any], seed: int) -> None:
    """Seeded alike, or the very one that was given; chance alone: probability < 2^-40."""
    held = numbers_of(np.random.Generator(bit_generator(seed)))
    given = np.random.Generator(bit_generator(seed))
    drawn = [
        word_source(seed, "test").words(100),
        word_source(given, "test").words(100),
        block_sources(seed, "test")(0).words(100),
        numpy_generator(seed, "test").bit_generator.random_raw(100),
    ]
    held |= numbers_of(given)
    for child in np.random.SeedSequence(seed).spawn(3):
        held |= numbers_of(np.random.Generator(bit_generator(child)))
    for words in drawn:
        assert not held & set(np.asarray(words, dtype=np.uint64).tolist())


def test_numpy_generators_are_of_their_seed_and_domain(seed: int) -> None:
    def drawn(rng: Any, *domain: Any) -> list[int]:
        found: list[int] = numpy_generator(rng, *domain).integers(0, 1 << 62, 4).tolist()
        return found

    first = drawn(seed, "a")
    assert drawn(seed, "a") == first
    assert drawn(np.random.default_rng(seed), "a") == drawn(np.random.default_rng(seed), "a")
    others = [drawn(seed, "b"), drawn(seed + 1, "a"), drawn(None, "a"), drawn(None, "a")]
    others += [drawn(np.random.default_rng(seed), "a"), first]
    assert len(set(itertools.chain.from_iterable(others))) == 24


REFUSED: list[Any] = [
    True,
    np.True_,
    1.0,
    np.float64(2),
    -1,
    np.int8(-1),
    -(2**200),
    "7",
    b"7",
    np.array(3),
    np.array([3]),
    [1],
    object,
    int,
    SecureWords,
    np.random,
    np.random.Generator,
    np.random.RandomState(3),
    np.random.SeedSequence(3),
    np.random.PCG64(3),
]


@pytest.mark.parametrize("rng", REFUSED, ids=lambda rng: str(rng)[:20])
def test_everything_else_is_refused(rng: Any) -> None:
    with pytest.raises(ParameterError, match=r"rng: must be None .secure., a WordSource, a seed"):
        word_source(rng, "test")
    with pytest.raises(ParameterError, match="rng: must be None, a seed"):
        block_sources(rng, "test")
    with pytest.raises(ParameterError, match="rng: must be None, a seed"):
        numpy_generator(rng, "test")
    with pytest.raises(ParameterError, match="seed: must be an integer >= 0"):
        checked_seed(rng)


def test_older_kinds_are_named_with_what_to_pass_instead() -> None:
    rng: Any
    for rng in (np.random.RandomState(3), np.random.SeedSequence(3), np.random.PCG64(3)):
        with pytest.raises(ParameterError, match=rf"default_rng.*got '{type(rng).__name__}'"):
            word_source(rng, "test")


def test_a_source_is_taken_as_it_is_by_one_thread_only() -> None:
    replay = ReplayWords([1])
    refused: Any = replay
    assert word_source(replay, "test") is replay
    assert isinstance(replay, WordSource)
    with pytest.raises(ParameterError, match="rng"):
        block_sources(refused, "test")


def test_an_array_is_not_echoed() -> None:
    rng: Any = np.array([4711, 4711])
    with pytest.raises(ParameterError, match="got 'ndarray'"):
        word_source(rng, "test")


@pytest.mark.parametrize("seed", [0, 2**63, 2**64, 2**128, np.uint64(2**64 - 1)])
def test_seeds_of_any_size_serve(seed: Any) -> None:
    assert len(set(word_source(seed, "test").words(10).tolist())) == 10
    assert checked_seed(seed) == int(seed)


def test_seeds_beyond_what_python_prints_serve_or_are_refused() -> None:
    assert len(set(word_source(10**5000, "test").words(10).tolist())) == 10
    with pytest.raises(ParameterError, match=r"rng: must be None.*got 'a negative integer'"):
        word_source(-(10**5000), "test")


def test_sources_say_whether_they_are_simulated() -> None:
    assert not word_source(None, "test").simulated
    assert not block_sources(None, "test")(0).simulated
    assert word_source(3, "test").simulated
    assert word_source(np.random.default_rng(3), "test").simulated
    assert block_sources(3, "test")(0).simulated
    assert word_source(ReplayWords([1]), "test").simulated
