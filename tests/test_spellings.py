"""One name in several spellings, and names that nobody can tell apart."""

from __future__ import annotations

import pytest

from ldp_verified.spellings import meant, plain

KNOWN = ["grr", "hadamard_response", "PaddedHashing", "a_bc", "ab_c"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("GRR", "grr"),
        ("HadamardResponse", "hadamard_response"),
        ("hadamard-response", "hadamard_response"),
        ("padded_hashing", "PaddedHashing"),
        ("a_bc", "a_bc"),
        ("abc", None),
        ("gr", None),
        ("", None),
    ],
)
def test_the_name_that_is_meant(name: str, found: str | None) -> None:
    assert meant(name, KNOWN) == found


def test_a_plain_name_is_its_own_plain_name() -> None:
    assert {plain(plain(name)) for name in KNOWN} == {plain(name) for name in KNOWN}
