"""BCH codes: generators that are in print, any t errors mended, more of them not passed off."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ldp_verified.run.kernels.bch import BCH


def values_of(width: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random values of so many bits."""
    found = rng.integers(0, 1 << 64, (count, 2), dtype=np.uint64)
    upper, lower = min(width, 64), max(width - 64, 0)
    masks = [((1 << bits) - 1) << (64 - bits) for bits in (upper, lower)]
    return found & np.array(masks, dtype=np.uint64)


def test_parity_bits_are_those_of_the_tables() -> None:
    """(255, 247, 1), (255, 239, 2), (255, 231, 3), (255, 131, 18): as every table of them has."""
    found = {corrects: BCH(8, corrects).parity_bits for corrects in (0, 1, 2, 3, 18)}
    assert found == {0: 0, 1: 8, 2: 16, 3: 24, 18: 124}
    # The generator of one error is the field's own polynomial.
    assert BCH(8, 1).generator == 0x11D


@pytest.mark.parametrize("corrects", [0, 1, 2, 3])
def test_codewords_are_linear_and_far_apart(corrects: int) -> None:
    """Enumerated: any two of the 256 codewords differ in 2 t + 1 bits or more."""
    code = BCH(8, corrects)
    values = np.zeros((256, 2), dtype=np.uint64)
    values[:, 0] = np.arange(256, dtype=np.uint64) << np.uint64(56)
    words = code.codewords(values)
    assert words[:, :8].tolist() == [[v >> (7 - i) & 1 for i in range(8)] for v in range(256)]
    assert min(words[1:].sum(axis=1)) >= 2 * corrects + 1
    assert np.array_equal(words[5] ^ words[9], words[5 ^ 9])
    polynomials = [int("".join(map(str, word)), 2) for word in words.tolist()]
    for polynomial in polynomials:
        remainder = polynomial
        while remainder.bit_length() >= code.generator.bit_length():
            remainder ^= code.generator << (remainder.bit_length() - code.generator.bit_length())
        assert remainder == 0


def test_every_error_of_at_most_two_bits_is_mended() -> None:
    """Enumerated: all patterns of a (24, 8) code.

    Of words with three wrong bits, what is returned is two bits away, or is called no value.
    """
    code = BCH(8, 2)
    value = np.array([[0xB7 << 56, 0]], dtype=np.uint64)
    word = code.codewords(value)[0]
    for size in range(4):
        patterns = [list(each) for each in itertools.combinations(range(code.length), size)]
        words = np.repeat(word[None], len(patterns), axis=0)
        for row, pattern in enumerate(patterns):
            words[row, pattern] ^= 1
        found, good = code.decoded(words)
        if size <= 2:
            assert good.all()
            assert np.all(found == value)
        else:
            away = (code.codewords(found[good]) ^ words[good]).sum(axis=1)
            assert np.all(away <= 2)
            assert not good.all()


@pytest.mark.parametrize("width, corrects", [(1, 2), (16, 2), (48, 6), (65, 8), (128, 16)])
def test_as_many_errors_as_stated_are_mended(width: int, corrects: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    code = BCH(width, corrects)
    assert code.length <= 255
    values = values_of(width, 200, rng)
    words = code.codewords(values)
    for row in words:
        row[rng.choice(code.length, int(rng.integers(0, corrects + 1)), replace=False)] ^= 1
    found, good = code.decoded(words)
    assert good.all()
    assert np.array_equal(found, values)


def test_random_words_are_called_no_value(seed: int) -> None:
    """Null: of 2000 uniform words a (252, 128) code takes one for a codeword with 1e-5.

    The balls of radius 16 fill sum C(252, i)/2^124 < 1e-8 of the words; 2000 of them: 1e-5 is far
    above.
    """
    rng = np.random.default_rng(seed)
    code = BCH(128, 16)
    words = rng.integers(0, 2, (2000, code.length), dtype=np.uint8)
    assert not code.decoded(words)[1].any()
