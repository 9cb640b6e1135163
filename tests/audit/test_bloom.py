"""Bloom bits of RAPPOR's clients, and the eps of configurations over known values."""

from __future__ import annotations

import hashlib
from fractions import Fraction

import pytest

from ldp_verified.check.audit.bounds.bloom import bloom_bits, differences
from ldp_verified.check.audit.bounds.configurations import audit_configuration
from ldp_verified.errors import ParameterError

VALUES = {
    name: Fraction(text)
    for name, text in {
        "k": "16",
        "h": "2",
        "m": "64",
        "p": "0.5",
        "q": "0.75",
        "f": "0.5",
    }.items()
}


def test_the_bits_are_bytes_of_an_md5() -> None:
    digest = hashlib.md5(b"\0\0\0\x05foo", usedforsecurity=False).digest()
    assert bloom_bits("foo", 5, 2, 16) == {digest[0] % 16, digest[1] % 16}


def test_known_values_have_an_eps_of_their_own() -> None:
    """Over many values it is the published one; over two in one cohort, what their bits say."""
    many = audit_configuration(VALUES, "r", known=[f"v{i}" for i in range(1, 30)])
    assert [round(each.value, 5) for each in many.found] == [1.07429, 4.39445]
    alone = {**VALUES, "m": Fraction(1)}
    for other in range(1, 200):
        one, two = bloom_bits("v0", 0, 2, 16), bloom_bits(f"v{other}", 0, 2, 16)
        found = audit_configuration(alone, "r", known=["v0", f"v{other}"])
        down, up = Fraction(7, 5), Fraction(11, 9)
        mine, theirs = len(one - two), len(two - one)
        expected = max(up**a * down**b for a, b in ((mine, theirs), (theirs, mine)))
        assert found.found[0].ratio == expected
    assert any("tight for these" in note for note in many.notes)


def test_values_without_a_difference_leak_nothing() -> None:
    alone = {**VALUES, "k": Fraction(1), "h": Fraction(1)}
    found = audit_configuration(alone, "r", known=["a", "b"])
    assert [each.ratio for each in found.found] == [1, 1]


def test_what_the_clients_cannot_encode_is_refused() -> None:
    with pytest.raises(ParameterError, match="MD5"):
        list(differences(["a", "b"], 17, 16, 1))
    with pytest.raises(ParameterError, match="different"):
        list(differences(["a", "a"], 2, 16, 1))
    with pytest.raises(ParameterError, match="compare"):
        list(differences([str(i) for i in range(3000)], 2, 16, 64))
    with pytest.raises(ParameterError, match="--inputs"):
        audit_configuration({"k": Fraction(4), "flip": Fraction(1, 4)}, "k", known=["a", "b"])
