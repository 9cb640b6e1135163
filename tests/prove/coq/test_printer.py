"""The printed table is the one that Python has, and changes with the spec."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy

from ldp_verified.language import (
    LDP,
    Density,
    Design,
    Matrix,
    Mechanism,
    Piece,
    Rational,
    Unbiased,
    catalogue_folder,
    exp,
    load_catalogue,
    real,
)
from ldp_verified.language.privacy import shares_support
from ldp_verified.prove.coq import Unsupported, coq_drift, coq_text, write_coq
from ldp_verified.prove.coq.drift import read_without
from ldp_verified.prove.coq.printed_cells import reader
from ldp_verified.prove.coq.printer import Printed, coq_print
from ldp_verified.prove.coq.reading import definition, family_size, points_of
from ldp_verified.prove.enumeration.expand import evaluate
from tests.finite import FINITE, LINES
from tests.prove.coq.own import EXPECTED, OWN

PROOFS = catalogue_folder().parent / "proofs"
CATALOGUE = {m.name: m for m in FINITE}

eps = real("eps", above=0)
x = real("x", at_least=0, at_most=1)
u = exp(eps)


def printed(mechanism: Mechanism) -> str:
    text = coq_text(mechanism)
    assert isinstance(text, str), text
    return text


def determined(mechanism: Mechanism) -> Any:
    """The symbol for a number that the sizes of the structure determine, or None."""
    table = mechanism.table
    structure = getattr(table, "structure", None) or getattr(table, "encoder", None)
    return getattr(structure, "determined", None)


def drawn_point(mechanism: Mechanism, draw: random.Random) -> dict[Any, Fraction]:
    """A rational point of the domain; integers small enough to expand."""
    point: dict[Any, Fraction] = {}
    for symbol, domain in mechanism.variables.items():
        low = evaluate(domain.lower, point)
        if domain.upper is not None and domain.integer:
            point[symbol] = Fraction(draw.randint(int(low), int(evaluate(domain.upper, point))))
        elif domain.upper is not None:
            share = Fraction(draw.randrange(1, 97), 97)
            point[symbol] = low + share * (evaluate(domain.upper, point) - low)
        elif domain.integer:
            # Bloom encodings of more than five bits are too many to write out.
            sizes = 2 if symbol.name == "m" else 4
            point[symbol] = low + draw.randrange(sizes)
        elif low < 1:
            point[symbol] = Fraction(draw.randrange(101, 900), 100)
        else:
            point[symbol] = low + Fraction(draw.randrange(1, 800), 100)
    return point


def random_point(mechanism: Mechanism, draw: random.Random) -> dict[Any, Fraction]:
    """The same, of sizes that the structure has."""
    structure = getattr(mechanism.table, "structure", None)
    while True:
        point = drawn_point(mechanism, draw)
        if structure is None or structure.admits(
            {name: evaluate(size, point) for name, size in structure.sizes.items()}
        ):
            return point


@pytest.mark.parametrize("name", ["grr", "olh", "blh", "hash_cohorts", "hrr", "hcms", "pgr"])
def test_printed_counts_and_cells_are_those_of_the_spec(name: str, run_seed: int) -> None:
    mechanism = CATALOGUE[name]
    assert isinstance(mechanism.table, Design)
    text = printed(mechanism)
    draw = random.Random(run_seed)
    for _ in range(20):
        point = random_point(mechanism, draw)
        size = next((s for s in point if s.name == "M"), None)
        if size is not None:
            values = {s.name: v for s, v in point.items()}
            buckets = values.get("g", values.get("buckets", Fraction(2)))
            point[size] = Fraction(family_size(int(values["k"]), int(buckets)))
        vectors = next((s for s in point if s.name == "Q"), None)
        if vectors is not None:
            k, q = (int(v) for s, v in point.items() if s.name in {"k", "q"})
            point[vectors] = Fraction(q ** len(points_of(k, q)[0]))
        read = reader(mechanism, point, text)
        put = {s: sympy.Rational(v.numerator, v.denominator) for s, v in point.items()}
        put[mechanism.generator.eps] = sympy.log(put.pop(mechanism.generator.symbol))
        for suffix in ("blocks", "containing", "together", "inside", "outside"):
            wanted = sympy.simplify(getattr(mechanism.table, suffix).subs(put))
            got = read.real(definition(text, f"{name}_{suffix}"))
            assert got == Fraction(int(wanted.p), int(wanted.q)), (suffix, point, got, wanted)


WITHOUT = read_without(PROOFS / "not_in_coq.txt")


DENSITIES = {m.name: m for m in LINES if m.name not in WITHOUT}


def test_a_density_that_moves_is_not_printed() -> None:
    """The outputs of one input are not those of another: no epsilon at all."""
    moving = Density(x, [Piece(x, x + 1, Rational(1))])
    text = coq_text(Mechanism("own", parameters=[eps], table=moving, claims=[LDP(eps)]))
    assert isinstance(text, Unsupported)
    assert "the interval of the outputs depends on the input" in str(text)


def test_committed_files_are_current() -> None:
    assert coq_drift(load_catalogue(), PROOFS / "generated") == []


def test_drift_is_seen(tmp_path: Path) -> None:
    mechanisms = [CATALOGUE["grr"], CATALOGUE["oue"]]
    write_coq(mechanisms, tmp_path)
    assert coq_drift(mechanisms, tmp_path) == []
    grr = tmp_path / "grr.v"
    text = grr.read_text()
    stale = text.replace(CATALOGUE["grr"].spec_hash, "0" * 64)
    grr.write_text(stale)
    assert "another version" in coq_drift(mechanisms, tmp_path)[0]
    grr.write_text(text.replace("INR k + exp eps - 1", "INR k + exp eps"))
    assert "is not what the spec gives" in coq_drift(mechanisms, tmp_path)[0]
    grr.unlink()
    assert coq_drift(mechanisms, tmp_path) == [f"{grr}: missing"]
    assert "belongs to no mechanism" in coq_drift(mechanisms[:1], tmp_path)[-1]


def test_symbols_are_printed_as_they_stand() -> None:
    text = printed(CATALOGUE["oue"])
    assert definition(text, "oue_one") == "1 / 2"
    assert definition(text, "oue_zero") == "1 / (exp eps + 1)"
    assert definition(printed(CATALOGUE["sue"]), "sue_one") == "exp (eps / 2) / (exp (eps / 2) + 1)"


@pytest.mark.parametrize(
    ("table", "claims", "why"),
    [
        (Matrix([[1, 0], [0, 1]]), [LDP(eps)], "1 <= u * 0"),
        (Matrix([[u / (u + 1), 1 / (u + 1)]] * 2), [LDP(eps), Unbiased()], "rank 1"),
        (
            Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]]),
            [LDP(eps / 2)],
            "the difference is",
        ),
    ],
)
def test_what_is_not_supported_says_why(table: Any, claims: list[Any], why: str) -> None:
    text = coq_text(Mechanism("own", parameters=[eps], table=table, claims=claims))
    assert isinstance(text, Unsupported)
    assert why in str(text)


@pytest.mark.parametrize("mechanism", OWN, ids=lambda m: m.name)
def test_own_mechanisms_are_printed(mechanism: Mechanism) -> None:
    text = printed(mechanism)
    laws = ("stochastic", *(("equal_support",) if shares_support(mechanism.claims) else ()))
    for theorem in (*laws, *EXPECTED[mechanism.name]):
        assert f"Theorem {mechanism.name}_{theorem} :" in text


def test_what_cannot_be_printed_leaves_the_rest() -> None:
    # A parameter of its own: what other tests divided by leaves what uses theirs open.
    eps = real("alone", above=0)
    u = exp(eps)
    table = Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]])
    claims: list[Any] = [LDP(eps / 2), Unbiased(), LDP(2 * eps)]
    found = coq_print(Mechanism("own", parameters=[eps], table=table, claims=claims))
    assert isinstance(found, Printed)
    assert set(found.refused) == {(0, "ratio")}
    assert found.settles[(1, "unbiased")] == ("own_unbiased",)
    assert found.settles[(2, "ratio")] == ("own_ldp",)
    assert (0, "ratio") not in found.settles
