"""The Bloom encoder's pair tables against encodings that are written out one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import LDP, Bits, Bloom, Mechanism, Rational, integer, log, real
from ldp_verified.prove import verify
from ldp_verified.prove.enumeration.enumeration import rows_match
from ldp_verified.prove.enumeration.expand import expand
from ldp_verified.prove.enumeration.table_facts import tight_ratio

zero = real("zero", above=0, below=1)
one = real("one", above=zero, below=1)
POINT = {"zero": Fraction(1, 5), "one": Fraction(2, 3)}


def bloom_bits(hashes: int, **changes: object) -> Mechanism:
    m = integer("m", at_least=2 * hashes)
    ratio = one * (1 - zero) / (zero * (1 - one))
    return Mechanism(
        "bloom_bits",
        parameters=[m, zero, one],
        table=Bits(one=one, zero=zero, encoder=Bloom(m, hashes=hashes)),
        claims=[LDP(changes.get("epsilon", hashes * log(ratio)), tight=True)],
    )


@pytest.mark.parametrize("hashes", [1, 2, 3])
def test_rows_and_ratio_are_those_of_all_encodings(hashes: int) -> None:
    mechanism = bloom_bits(hashes)
    point = {**POINT, "m": 2 * hashes}
    table = expand(mechanism, point)
    ratio = POINT["one"] * (1 - POINT["zero"]) / (POINT["zero"] * (1 - POINT["one"]))
    assert tight_ratio(table) == ratio**hashes
    symbols = {symbol.name: symbol for symbol in mechanism.variables}
    at = [{symbols[name]: Fraction(str(value)) for name, value in point.items()}]
    found = rows_match(mechanism, mechanism.algebraic_table.pair_tables(), at)
    assert found is not None
    assert found.holds, found.witness


@pytest.mark.parametrize("hashes", [1, 2])
def test_everything_is_proved_for_all_cells(hashes: int) -> None:
    statuses = {
        v.obligation: str(v.status)
        for v in verify(bloom_bits(hashes), smt=False, coq=False).verdicts
    }
    assert "class_counts" in statuses
    assert set(statuses.values()) == {"proved by one group"}  # Coq is not asked


def test_an_epsilon_that_forgets_a_hash_function_is_refuted() -> None:
    ratio = one * (1 - zero) / (zero * (1 - one))
    verdicts = verify(bloom_bits(2, epsilon=log(ratio)), smt=False, coq=False).verdicts
    refuted = {v.obligation for v in verdicts if str(v.status) == "refuted"}
    assert "ratio" in refuted


def test_a_forgotten_type_of_pairs_is_seen() -> None:
    mechanism = bloom_bits(2)
    symbols = {symbol.name: symbol for symbol in mechanism.variables}
    at = [{symbols[name]: Fraction(str(value)) for name, value in {**POINT, "m": 4}.items()}]
    tables = mechanism.algebraic_table.pair_tables()
    for left_out in range(len(tables)):
        rest = [t for i, t in enumerate(tables) if i != left_out]
        found = rows_match(mechanism, rest, at)
        assert found is not None
        assert not found.holds


@pytest.mark.parametrize(
    "bits,hashes,message",
    [
        (4, 0, "hashes"),
        (4, 7, "hashes"),
        (4, True, "hashes"),
        (4, integer("h", at_least=1), "hashes"),
        (3, 2, "at least 2 h"),
        (integer("m", at_least=3), 2, "at least 2 h"),
        (integer("m"), 2, "at_least"),
        (Rational(1, 2), 1, "at least 2 h"),
    ],
)
def test_what_is_no_encoder_is_refused(bits: object, hashes: int, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Bloom(bits, hashes)
