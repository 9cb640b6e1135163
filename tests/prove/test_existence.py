"""Counts that no blocks can have."""

from __future__ import annotations

import re
from itertools import combinations
from math import isqrt
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified import verify
from ldp_verified.errors import SpecError
from ldp_verified.language import LDP, Design, Mechanism, Singletons, exp, integer, real
from ldp_verified.prove.designs.existence import impossible, of_one_size
from ldp_verified.prove.verdicts import Status

eps = real("eps", above=0)
u = exp(eps)
q = integer("q", at_least=2)


def _design(b: Any, r: Any, both: Any, values: Any = None) -> Design:
    return Design(b, r, both, u / (r * u + b - r), 1 / (r * u + b - r), values=values)


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ((7, 3, 5, None), "there would be -2 blocks with x only"),
        ((4, 3, 1, None), "there would be -1 blocks with neither"),
        ((7, 3, sympy.Rational(1, 2), None), "there would be 1/2 blocks with x and x', which is"),
        ((8, 3, 1, 16), r"at least as many blocks \(8\) as values \(16\)"),
        ((7, 3, 2, 7), "determinant 15 of N N' must be a square"),
        ((12, 4, 1, 12), "determinant 2657205"),
        ((43, 7, 1, 43), r"x\^2 = 6 y\^2 - 1 z\^2 has no solution"),
        ((29, 8, 2, 29), "modulo powers of 3"),
        ((67, 12, 2, 67), "modulo powers of 5"),
        ((10, 5, 1, 5), "their squares to 45, but 10 numbers of that sum .* at least 65"),
    ],
)
def test_counts_that_cannot_be(counts: tuple[Any, ...], why: str) -> None:
    declared = Mechanism("counts", parameters=[eps], table=_design(*counts))
    (found,) = [
        v for v in verify(declared, smt=False, coq=False).verdicts if v.obligation == "class_counts"
    ]
    assert found.status.value == "refuted"
    assert found.checkers == ("identities",)
    assert found.witness is not None
    assert re.search(why, found.witness.explanation)


@given(st.data())
def test_counts_of_blocks_that_exist_are_not_refused(data: st.DataObject) -> None:
    v = data.draw(st.integers(2, 6))
    size = data.draw(st.integers(1, v))
    copies = data.draw(st.integers(1, 3))
    full, empty = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))
    blocks = [set(c) for c in combinations(range(v), size)] * copies
    blocks += [set(range(v))] * full + [set()] * empty
    r = sum(0 in block for block in blocks)
    both = sum({0, 1} <= block for block in blocks)
    assert impossible(_design(len(blocks), r, both, v), {}) is None
    assert impossible(_design(len(blocks), r, both), {}) is None


@pytest.mark.parametrize(
    ("v", "size", "both"), [(7, 3, 1), (37, 9, 2), (45, 12, 3), (71, 15, 3), (111, 11, 1)]
)
def test_the_equation_of_bruck_ryser_and_chowla_is_necessary_only(
    v: int, size: int, both: int
) -> None:
    """The first four designs exist; the last one does not, and passes."""
    assert impossible(_design(v, size, both, v), {}) is None


def test_which_projective_planes_the_equation_excludes() -> None:
    """Planes of order n with n = 1, 2 modulo 4 need n = a^2 + b^2."""
    for n in range(2, 60):
        v = n * n + n + 1
        squares = any(isqrt(n - a * a) ** 2 == n - a * a for a in range(isqrt(n) + 1))
        excluded = n % 4 in (1, 2) and not squares
        assert (impossible(_design(v, n + 1, 1, v), {}) is not None) == excluded


@pytest.mark.parametrize(
    ("counts", "place", "prime"),
    [
        ((q**2 + q + 1, q + 1, 1), "6", 3),  # the plane of order 6
        ((2 * q**2 - 5 * q + 4, 2 * q - 2, 2), "5", 3),  # two blocks of 8 of 29 share 2: none
        ((4 * q - 1, 2 * q - 1, q - 1), None, None),  # Hadamard's: nothing speaks against it
    ],
)
def test_symmetric_designs_with_symbolic_counts(
    counts: tuple[Any, ...], place: str | None, prime: int | None
) -> None:
    """As many blocks as values, identically: every size in the domain is judged by itself."""
    b, r, both = counts
    form = _design(b, r, both, b)
    found = [impossible(form, {q: sympy.Integer(size)}) for size in range(2, 9)]
    first = next((w for w in found if w is not None), None)
    if place is None:
        assert first is None
        return
    assert first is not None
    assert first.parameters == {"q": place}
    assert f"modulo powers of {prime}" in first.explanation


def test_what_is_symmetric_at_one_place_only_may_be_a_multiple() -> None:
    """Counts in symbols that are no symmetric design's are not judged by the equation."""
    multiple = _design(43 * q, 7 * q, q, 43)
    assert impossible(multiple, {q: sympy.Integer(1)}) is None


def test_a_plane_of_every_order_is_refuted_where_there_is_none() -> None:
    declared = Mechanism(
        "planes", parameters=[q, eps], table=_design(q**2 + q + 1, q + 1, 1, q**2 + q + 1)
    )
    result = verify(declared, smt=False, coq=False)
    (counts,) = [v for v in result.verdicts if v.obligation == "class_counts"]
    assert counts.status is Status.REFUTED
    assert counts.witness is not None
    assert counts.witness.parameters["q"] == "6"


@pytest.mark.parametrize(("v", "size", "both"), [(7, 3, 1), (111, 11, 1), (45, 12, 3)])
def test_what_passes_every_condition_is_assumed_whether_or_not_it_exists(
    v: int, size: int, both: int
) -> None:
    declared = Mechanism(
        "passes", parameters=[eps], table=_design(v, size, both, v), claims=[LDP(eps)]
    )
    result = verify(declared, smt=False, coq=False)
    assert Status.ASSUMED in result.needs
    verdicts = {v.obligation: v for v in result.verdicts}
    assert verdicts["class_counts"].status is Status.ASSUMED
    assert "blocks with the stated counts exist" in verdicts["ratio"].assumptions[0]


def test_what_blocks_of_one_size_would_be() -> None:
    assert "and there are none: x^2 = 6 y^2 - 1 z^2" in of_one_size(_design(43, 7, 1))
    assert of_one_size(_design(7, 3, 1)) == "blocks of one size would hold 3 of 7 values each"
    assert "impossible" in of_one_size(_design(7, 3, 2))
    k = integer("k", at_least=2)
    assert of_one_size(_design(k, 1, 0)) == ""


def test_values_beside_a_structure_have_to_agree() -> None:
    with pytest.raises(SpecError, match="must be those of the structure, 4"):
        Design(4, 1, 0, u / (u + 3), 1 / (u + 3), structure=Singletons(4), values=5)
