"""The Bloom filter: at most h ones, the same every time, packed where they should be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import BloomFilter
from ldp_verified.protocols.bloom import check_strings


@given(st.text(), st.integers(2, 300), st.integers(1, 8), st.integers(0, 4))
def test_encodings(value: str, bits: int, hashes: int, cohort: int) -> None:
    encoder = BloomFilter(bits, hashes, 5)
    positions = encoder.positions(value, cohort)
    assert 1 <= len(positions) <= hashes
    assert all(0 <= position < bits for position in positions)
    assert encoder.positions(value, cohort) == positions
    packed = sum(word << 64 * i for i, word in enumerate(encoder.encode(value, cohort).tolist()))
    assert packed == sum(1 << position for position in positions)


def test_the_functions_are_pinned() -> None:
    """Reports are decoded by whoever has these functions: they may never change."""
    encoder = BloomFilter(64, 3, 2)
    assert [sorted(encoder.positions("a", c)) for c in (0, 1)] == [[12, 24, 25], [7, 15, 54]]


def test_cohorts_differ() -> None:
    encoder = BloomFilter(1024, 2, 50)
    assert len({encoder.positions("a", cohort) for cohort in range(50)}) > 40


def test_arguments_are_checked() -> None:
    with pytest.raises(ParameterError, match="bits"):
        BloomFilter(1, 1)
    with pytest.raises(ParameterError, match="hashes"):
        BloomFilter(64, 9)
    with pytest.raises(ParameterError, match="cohort"):
        BloomFilter(64, 2, 2).positions("a", 2)
    with pytest.raises(DomainError, match="string"):
        BloomFilter(64, 2, 2).positions(3, 0)  # type: ignore[arg-type]  # a wrong type is the point


def test_known_strings_are_such_as_utf8_holds() -> None:
    """They become labels, which are written and printed; a client hashes any text."""
    assert check_strings(["a", "\u00e9"]) == ("a", "\u00e9")
    with pytest.raises(DomainError, match="strings: must be strings that UTF-8 can hold"):
        check_strings(["a", "b\ud800"])
    assert BloomFilter(64, 3, 2).positions("b\ud800", 0)
