"""Counts of a design from its block sizes."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from sympy import binomial

from ldp_verified.language import (
    LDP,
    Blocks,
    Design,
    Mechanism,
    exp,
    load,
    load_catalogue,
    real,
)
from ldp_verified.prove import verify
from ldp_verified.prove.designs.identities import identities
from ldp_verified.prove.designs.rows import rows_match
from ldp_verified.prove.enumeration.points import points
from ldp_verified.prove.mutation.mutants import mutants
from ldp_verified.prove.verdicts import Status
from tests.broken.mechanisms import BROKEN

if TYPE_CHECKING:
    from collections.abc import Sequence

eps = real("eps", above=0)
u = exp(eps)
CATALOGUE = load_catalogue()
DESIGNS = [m for m in CATALOGUE if isinstance(m.table, Design)]
FANO = Blocks(7, [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}])


def design(counts: Sequence[int], blocks: Blocks) -> Mechanism:
    b, r, both = counts
    total = r * u + b - r
    table = Design(b, r, both, u / total, 1 / total, blocks)
    return Mechanism("m", parameters=[eps], table=table, claims=[LDP(eps)])


@pytest.mark.parametrize("mechanism", DESIGNS, ids=lambda m: m.name)
def test_the_counts_of_the_catalogue_are_those_of_its_blocks(mechanism: Mechanism) -> None:
    found = identities(mechanism, points(mechanism, 8))
    assert found is not None
    assert found.holds, found.witness
    assert "2..8 values" in found.sizes


def test_other_forms_have_no_blocks() -> None:
    for name in ("oue", "warner"):
        (mechanism,) = load(name)
        assert identities(mechanism, points(mechanism, 3)) is None


def test_counts_without_a_structure_are_not_judged() -> None:
    mechanism = Mechanism("m", parameters=[eps], table=Design(7, 3, 1, u / 9, 1 / u))
    assert identities(mechanism, [{}]) is None


def test_a_family_too_large_is_left_out() -> None:
    olh = next(m for m in CATALOGUE if m.name == "olh")
    names = {p.name: p for p in olh.variables}
    point = {names["k"]: Fraction(5000), names["g"]: Fraction(6), names["u"]: Fraction(2)}
    assert identities(olh, [point]) is None


@pytest.mark.parametrize("w", [1, 2, 3])
def test_the_subsets_of_one_size(w: int) -> None:
    """All w-subsets of 5 values: the counts are binomials."""
    subsets = Blocks(5, combinations(range(5), w))
    counts = [int(binomial(5 - i, w - i)) if w >= i else 0 for i in range(3)]
    found = identities(design(counts, subsets), points(design(counts, subsets), 3))
    assert found is not None
    assert found.holds
    for position in range(3):
        wrong = [c + (i == position) for i, c in enumerate(counts)]
        found = identities(design(wrong, subsets), [{}])
        assert found is not None
        assert not found.holds, position


@pytest.mark.parametrize("counts", [(8, 3, 1), (7, 4, 1), (7, 3, 2), (7, 3, 0)])
def test_wrong_counts_of_the_fano_plane(counts: tuple[int, int, int]) -> None:
    found = identities(design(counts, FANO), [{}])
    assert found is not None
    assert found.witness is not None
    name = ("blocks", "containing", "together")[
        next(i for i, (a, b) in enumerate(zip(counts, (7, 3, 1), strict=True)) if a != b)
    ]
    assert name in found.witness.values


@pytest.mark.parametrize("mechanism", DESIGNS, ids=lambda m: m.name)
def test_every_planted_wrong_count_is_seen(mechanism: Mechanism) -> None:
    """Return whether the other claims agree with the wrong count or not."""
    small = points(mechanism, 3)
    seen = 0
    for mutant in mutants(mechanism, each=1):
        if mutant.mechanism is not None and mutant.kind.endswith(("lambda", "multiplicity")):
            found = identities(mutant.mechanism, small)
            assert found is not None
            assert not found.holds, mutant.name
            seen += 1
    assert seen == 4


def test_an_unbalanced_structure_is_seen_by_enumeration_only() -> None:
    """Value 2 is in no block, but on average every value is in two and every pair in one."""
    lopsided = design((3, 2, 1), Blocks(3, [{0, 1}, {0, 1}, {0, 1}]))
    found = identities(lopsided, [{}])
    assert found is not None
    assert found.holds
    rows = rows_match(lopsided, lopsided.algebraic_table.pair_tables(), points(lopsided, 3))
    assert rows is not None
    assert not rows.holds


@pytest.mark.parametrize("name", ["wrong_lambda", "wrong_fano_lambda", "wrong_count"])
def test_verify_names_both_that_refute_a_count(name: str) -> None:
    (mechanism,) = (b.mechanism for b in BROKEN if b.mechanism.name == name)
    verdicts = {
        v.obligation: v for v in verify(mechanism, largest=3, smt=False, coq=False).verdicts
    }
    assert verdicts["class_counts"].status is Status.REFUTED
    assert verdicts["class_counts"].checkers == ("enumeration", "identities")


def test_verify_names_both_that_agree_on_a_count() -> None:
    (grr,) = load("grr")
    verdicts = {v.obligation: v for v in verify(grr, largest=3, smt=False, coq=False).verdicts}
    assert verdicts["class_counts"].status is Status.ONE_GROUP
    assert verdicts["class_counts"].checkers == ("counting", "enumeration", "identities")
