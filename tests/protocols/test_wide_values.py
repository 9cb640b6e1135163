"""Strings and integers as 128-bit numbers: every value has an encoding of its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import DomainError
from ldp_verified.protocols.wide_values import (
    decode_integer,
    decode_text,
    encode_integers,
    encode_texts,
)

SHORT = st.text(max_size=15).filter(
    lambda text: (
        not any("\ud800" <= letter <= "\udfff" for letter in text) and len(text.encode()) <= 15
    )
)


@given(SHORT)
def test_a_string_is_read_back(text: str) -> None:
    assert decode_text(encode_texts("values", [text])[0]) == text


def test_strings_that_differ_in_zeros_differ() -> None:
    texts = ["", "\0", "\0\0", "a", "a\0", "\0a", "a" * 15, "日本語日本"]
    assert len(np.unique(encode_texts("values", texts), axis=0)) == len(texts)


@pytest.mark.parametrize("bits", [2, 8, 63, 64, 65, 127, 128])
def test_an_integer_is_read_back(bits: int) -> None:
    numbers = [0, 1, (1 << bits) // 3, (1 << bits) - 1]
    listed = encode_integers("values", numbers, bits)
    assert [decode_integer(each, bits) for each in listed] == numbers
    small = np.array(numbers[:2], dtype=np.int64)
    assert np.array_equal(encode_integers("values", small, bits), listed[:2])
    if bits <= 64:
        array = np.array(numbers, dtype=np.uint64)
        assert np.array_equal(encode_integers("values", array, bits), listed)


def test_no_integers_and_no_strings_are_empty() -> None:
    assert encode_integers("values", [], 8).shape == encode_texts("values", []).shape == (0, 2)


@pytest.mark.parametrize(
    "wrong", ["word", b"word", 5, ["a" * 16], ["日本語日本語"], [5], [None], ["\ud800"]]
)
def test_what_is_no_short_string_is_refused_and_not_shown(wrong: object) -> None:
    with pytest.raises(DomainError, match="values: must") as refused:
        encode_texts("values", wrong)
    assert str(wrong) not in str(refused.value)
    assert refused.value.__context__ is None  # an error of UTF-8 would hold the string


@pytest.mark.parametrize(
    "wrong", [5, "12", [256], [-1], [True], [1.0], np.array([256]), np.array([-1]), ["1"]]
)
def test_what_is_no_integer_of_the_domain_is_refused_and_not_shown(wrong: object) -> None:
    with pytest.raises(DomainError, match="values: must") as refused:
        encode_integers("values", wrong, 8)
    assert str(wrong) not in str(refused.value)


def test_encodings_that_no_string_has_are_none() -> None:
    for raw in (b"a" * 15 + b"\x10", b"ab" + bytes(13) + b"\x01", b"\xff" + bytes(14) + b"\x01"):
        value = np.frombuffer(raw, dtype=">u8").astype(np.uint64)
        assert decode_text(value) is None
