"""Two tables are the same if their outputs are, not if their pairs of inputs are alike."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_verified.language import (
    Bits,
    Blocks,
    Design,
    HadamardSigns,
    HashBlocks,
    Levels,
    LinearBlocks,
    Matrix,
    OneHot,
    Rational,
    Singletons,
    integer,
    load,
)
from ldp_verified.language.forms import Form
from ldp_verified.prove import Status, verify
from ldp_verified.prove.certificates.checker import check
from ldp_verified.prove.prepared import case
from ldp_verified.prove.statements.outputs import outputs
from tests.broken.comparisons import NOT_THE_SAME

k, g, M = integer("k", at_least=2), integer("g", at_least=2), integer("M", at_least=1)
third, two_thirds = Rational(1, 3), Rational(2, 3)


@pytest.mark.parametrize("name", NOT_THE_SAME)
def test_tables_that_are_alike_in_every_pair_are_not_the_same(name: str) -> None:
    mechanism = NOT_THE_SAME[name]
    outcomes = check(case(mechanism).statement, case(mechanism).certificate)
    of_claim = [o for o in outcomes if o.obligation.claim == 0]
    assert not all(o.shown for o in of_claim)
    (verdict,) = [
        v for v in verify(mechanism, 3, coq=False, derived=False).verdicts if v.claim == 0
    ]
    assert verdict.status is Status.REFUTED


def _design(structure: Any, blocks: Any = 2, containing: Any = 1, together: Any = 0) -> Design:
    return Design(blocks, containing, together, two_thirds, third, structure)


LISTED = [["2/3", "1/3"], ["1/3", "2/3"]]


@pytest.mark.parametrize(
    "form",
    [
        Matrix([[two_thirds, third], [third, two_thirds]]),
        _design(Singletons(2)),
        _design(Blocks(2, [{0}, {1}])),
    ],
)
def test_small_tables_are_listed_by_output(form: Any) -> None:
    assert outputs(form, str) == {"columns": LISTED}


def test_one_family_of_functions_has_one_name() -> None:
    named = [
        outputs(_design(structure), str)
        for structure in (HashBlocks(k, 2, M), HadamardSigns(k, M), LinearBlocks(k, 2, M))
    ]
    assert named[0] == {"structure": "design over HashBlocks", "sizes": ["k", "2", "M"]}
    assert named[1:] == named[:1] * 2
    assert outputs(_design(HashBlocks(k, g, M)), str) != named[0]


def test_bits_levels_and_designs_are_told_apart() -> None:
    forms: list[Form] = [
        Bits(third, two_thirds, OneHot(k)),
        Levels([third, two_thirds], [two_thirds, third], OneHot(k)),
        _design(Singletons(k)),
        Bits(third, two_thirds, OneHot(k + 1)),
    ]
    named = [str(outputs(form, str)) for form in forms]
    assert len({*named}) == len(forms)


def test_of_what_has_no_structure_nothing_is_said() -> None:
    assert outputs(_design(None), str) is None


def test_the_catalogue_compares_tables_of_one_structure() -> None:
    for name in ("hash_cohorts", "hrr", "keep_or_uniform", "histogram_rr"):
        (mechanism,) = load(name)
        this = case(mechanism, derived=False)
        outcomes = check(this.statement, this.certificate)
        of_claim = [o for o in outcomes if o.obligation.kind == "same_table"]
        assert of_claim
        assert all(o.shown for o in of_claim), name
