"""Composites: epsilons by theorem, and statuses that are never stronger than a part's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sympy import exp, log

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    Composite,
    Design,
    Matrix,
    Mechanism,
    Rational,
    integer,
    load,
    load_file,
    real,
)
from ldp_verified.language.composites import THEOREMS
from ldp_verified.prove import verify_composite

PROOFS = Path(__file__).resolve().parents[2] / "proofs"
(GRR,) = load("grr")
(BINARY,) = load("binary_rr")
eps = GRR.parameters[0]


@pytest.mark.parametrize(
    "combinator,parts,epsilon",
    [
        ("together", (GRR, BINARY), 2 * eps),
        ("together", (GRR, GRR, GRR), 3 * eps),
        ("alongside", (GRR, BINARY), eps),
        ("public", (GRR, BINARY), eps),
        ("then", (GRR,), eps),
        ("encoded", (GRR,), eps),
    ],
)
def test_epsilon_by_theorem(combinator: str, parts: tuple[Mechanism, ...], epsilon: object) -> None:
    composite = Composite("made", combinator, parts)
    assert composite.epsilon == epsilon
    found = verify_composite(composite, 3, smt=False, coq=False)
    assert str(found.status) == "proved by one group"
    assert found.theorem == composite.theorem
    assert {name for name, _ in found.parts} == {part.name for part in parts}


def test_the_theorems_are_those_that_coq_has_to_prove() -> None:
    listed = (PROOFS / "expected_theorems/LDP.Combine.txt").read_text(encoding="utf-8")
    for theorem in THEOREMS.values():
        assert f"\n{theorem.rsplit('.', 1)[1]} :" in f"\n{listed}"


def test_a_false_part_makes_a_false_whole() -> None:
    half = Rational(1, 2)
    wrong = Mechanism(
        "wrong",
        parameters=[eps],
        table=Matrix([[half, half], [Rational(1, 4), Rational(3, 4)]]),
        claims=[LDP(eps)],
    )
    found = verify_composite(Composite("made", "public", (GRR, wrong)), 3, smt=False, coq=False)
    assert str(found.status) == "refuted"


@pytest.mark.parametrize("combinator", ["together", "public", "alongside"])
@pytest.mark.parametrize("as_from_the_file", [False, True])
def test_a_false_claim_under_the_name_of_a_true_part_is_looked_at(
    combinator: str, as_from_the_file: bool
) -> None:
    cheap = GRR.instance("grr", {}, claims=[LDP(eps / 10)])
    if as_from_the_file and GRR.origin is not None:
        cheap = cheap.with_origin(GRR.origin)
    for parts in ((GRR, cheap), (cheap, GRR)):
        found = verify_composite(Composite("both", combinator, parts), 3, smt=False, coq=False)
        assert str(found.status) == "refuted"


def test_an_undecided_part_leaves_the_whole_undecided() -> None:
    one = real("one", above=0, below=1)
    k = integer("k", at_least=2)
    loose = Mechanism(
        "loose",
        parameters=[eps, k, one],
        table=Design(k, 1, 0, one, (1 - one) / (k - 1), values=k),
        claims=[LDP(eps)],
    )
    found = verify_composite(Composite("made", "together", (GRR, loose)), 3, smt=False, coq=False)
    assert str(found.status) in ("open", "refuted")


@pytest.mark.parametrize("combinator", ["together", "alongside", "public"])
@pytest.mark.parametrize(
    "theirs,assuming",
    [
        (real("eps", above=log(4), at_most=log(5)), lambda _: []),
        (real("eps", above=0, at_most=2), lambda _: []),
        (eps, lambda own: [own <= 2]),
        (eps, lambda own: [exp(own) <= 2 + exp(-own)]),
    ],
)
def test_parts_of_different_domains_are_refused(
    combinator: str, theirs: Any, assuming: Callable[[Any], list[Any]]
) -> None:
    """Else the epsilon of the whole would be stated where that of a part is not proved."""
    u = exp(theirs)
    table = Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]])
    other = Mechanism(
        "other",
        parameters=[theirs],
        table=table,
        claims=[LDP(theirs)],
        assuming=assuming(theirs),
    )
    for parts in ((GRR, other), (other, GRR)):
        with pytest.raises(SpecError, match="must give eps one domain"):
            Composite("made", combinator, parts)
    assert Composite("made", combinator, (other, other)).epsilon.free_symbols == {theirs}


@pytest.mark.parametrize("made", ["whole = {}", "both = [{}]"])
def test_a_composite_in_a_spec_file_is_not_passed_over(made: str, tmp_path: Path) -> None:
    path = tmp_path / "planted.py"
    text = """
from ldp_verified.language import *
eps = real("eps", above=0)
u = exp(eps)
one = Mechanism("one", parameters=[eps], claims=[LDP(eps)],
                table=Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]]))
"""
    path.write_text(text)
    assert load_file(path)
    path.write_text(text + made.format('Composite("both", "public", (one, one))'))
    with pytest.raises(SpecError, match="verify_composite"):
        load_file(path)


@pytest.mark.parametrize(
    "combinator,parts,message",
    [
        ("shuffled", (GRR, GRR), "combinator"),
        ("together", (GRR,), "two or more"),
        ("then", (GRR, GRR), "must be one"),
        ("public", (GRR, GRR.instance("bare", {}, claims=[])), "claim LDP"),
    ],
)
def test_what_no_theorem_covers_is_refused(
    combinator: str, parts: tuple[Mechanism, ...], message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        Composite("made", combinator, parts)
