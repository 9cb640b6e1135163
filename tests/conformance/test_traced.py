"""Traced words: the classes that questions leave, and what is refused."""

from __future__ import annotations

import itertools
from copy import copy
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.conformance.traced import Path
from ldp_verified.check.conformance.word_classes import WORDS, WordClass
from ldp_verified.errors import LdpError


@pytest.mark.parametrize("modulus, mask", [(1, 0), (7, 0), (1, 0b1010), (1, 0b1)])
def test_sizes_and_ends_are_those_of_a_count(modulus: int, mask: int) -> None:
    for low, high in itertools.combinations(range(0, 40, 3), 2):
        for residue, bits in itertools.product(range(modulus), {b & mask for b in range(16)}):
            words = WordClass(low, high, modulus, residue, mask, bits)
            listed = [n for n in range(low, high) if n % modulus == residue and n & mask == bits]
            assert words.size == len(listed)
            if listed:
                assert (words.word(), words.word(last=True)) == (listed[0], listed[-1])


def test_the_classes_of_all_words_are_all_words() -> None:
    residues = [WordClass(modulus=40, residue=r) for r in range(40)]
    assert sum(each.size for each in residues) == WORDS
    assert residues[39].word() == 39
    assert WordClass(mask=1 << 63, bits=1 << 63).size == WORDS // 2
    assert WordClass(mask=3, bits=2).word(last=True) == WORDS - 2


QUESTIONS: dict[str, Any] = {
    "a comparison": lambda word: word <= 12345,
    "one word": lambda word: word == 0x123456789ABCDEF,
    "its truth": bool,
    "a remainder": lambda word: word % 40,
    "bits": lambda word: (word >> 60) & 5,
    "few values": lambda word: int((word >> 61) * 3 + 1),
    "bits of few values": lambda word: (word >> 61) * 3 & 6,
    "times nothing": lambda word: int(word >> 62) + word * 0,
    "a quotient": lambda word: int(word // (1 << 62)),
    "a quotient and a comparison": lambda word: (int(word >> 62), (word - 0 > 1 << 63)),
    "a quotient that is taken off": lambda word: word - (word >> 62) * (1 << 62) >= 99,
    "a quotient that meets it": lambda word: word >> 2 < (word >> 63) + (1 << 61),
    "in an array": lambda word: (np.array([word], dtype=object) > np.uint64(7)).tolist()[0],
    "a small number": lambda word: int((np.array([word], dtype=object) >> 61).astype("u1")[0]),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_answer_is_that_of_every_word_of_its_class(
    name: str, rng: np.random.Generator
) -> None:
    """Over all classes: their sizes sum to all words; ends, and words within, answer alike."""
    ask, total = QUESTIONS[name], 0
    script: tuple[int, ...] | None = ()
    seen: list[Any] = []
    while script is not None:
        path = Path(script)
        seen.append(ask(path.new_word()))
        (words,) = path.classes
        total += words.size
        drawn = [words.word(), words.word(last=True)]
        near = [int(n) for n in rng.integers(words.low, words.high, 20, dtype="u8", endpoint=False)]
        for n in near:
            fit = n - (n - words.residue) % words.modulus
            drawn.append((fit & ~words.mask) | words.bits)
        assert all(ask(n) == seen[-1] for n in drawn if words.low <= n < words.high)
        script = path.next_script()
    assert total == WORDS
    assert len(seen) > 1


MISUSES: dict[str, Any] = {
    "the word as a number": int,
    "all bits": lambda word: word & (1 << 63) - 1,
    "bits of a multiple": lambda word: (word >> 8) * 3 & 1,
    "remainder of a part": lambda word: (word >> 8) % 3,
    "a large remainder": lambda word: word % (1 << 20),
    "two remainders": lambda word: (word % 3, word % 5),
    "a remainder and bits": lambda word: (word % 3, word & 1),
    "bits and a remainder": lambda word: (word & 1, word % 3),
    "more than 64 bits": lambda word: word * 3 > 5,
    "less than 0": lambda word: word - 5 > 5,
    "times less than 0": lambda word: word * -1,
    "a float": lambda word: word < 0.5,
    "its text": str,
    "its form": repr,
    "a format": lambda word: f"{word}",
    "its hash": hash,
    "a copy": copy,
    "a float array": lambda word: np.array([word], dtype=object).astype(float),
}


@pytest.mark.parametrize("name", MISUSES)
def test_what_is_not_followed_is_an_error(name: str) -> None:
    with pytest.raises((LdpError, TypeError)):
        MISUSES[name](Path(()).new_word())


@pytest.mark.parametrize("name", ["the word as a number", "its text", "a remainder and bits"])
def test_a_misuse_is_noted_where_the_error_is_caught(name: str) -> None:
    path = Path(())
    with pytest.raises(LdpError, match="as can be followed"):
        MISUSES[name](path.new_word())
    assert path.misused is not None
