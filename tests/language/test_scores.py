"""The exponential mechanism: its table, its sensitivity, and its utility bound in numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    Mechanism,
    exponential_mechanism,
    load,
    log,
    real,
    utility_claims,
)
from ldp_verified.language.scores import sensitivity
from ldp_verified.prove import verify
from ldp_verified.prove.enumeration.expand import expand
from ldp_verified.prove.enumeration.table_facts import tight_ratio

eps = real("eps", above=0)
SCORES = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=2, max_size=4)


@given(SCORES, st.fractions(min_value=Fraction(11, 10), max_value=9, max_denominator=10))
def test_drawn_scores(scores: list[list[int]], root: Fraction) -> None:
    """At e^(eps/(2 D q)) = root the table is exact; its ratio and utility are those of theorems."""
    if all(len(set(column)) == 1 for column in zip(*scores, strict=True)):
        with pytest.raises(SpecError, match="must differ"):
            exponential_mechanism(scores, eps)
        return
    spread = max(max(c) - min(c) for c in zip(*scores, strict=True))
    assert sensitivity(scores) == spread
    mechanism = Mechanism(
        "drawn", parameters=[eps], table=exponential_mechanism(scores, eps), claims=()
    )
    generator = mechanism.generator
    if generator.eps is None:
        return
    table = expand(mechanism, {generator.symbol: root})
    ratio = tight_ratio(table)
    assert ratio is not None
    assert ratio <= root**generator.root
    for x, row in enumerate(scores):
        found = {c.output: table.probability(c, x) for c in table.columns}
        best = max(row)
        for t in (0.1, 1.0, 3.0):
            # eps = root ln(root); the level of t, in floats, is only used to choose outputs.
            epsilon = generator.root * math.log(root)
            level = best - 2 * spread / epsilon * (math.log(len(row) / row.count(best)) + t)
            low = sum(found.get(y, 0) for y, score in enumerate(row) if score <= level)
            assert float(low) <= math.exp(-t)


def test_the_utility_bound_is_proved_and_a_better_one_refuted() -> None:
    (mechanism,) = load("grades")
    scores = [[-abs(x - y) for y in range(3)] for x in range(3)]
    assert len(utility_claims(scores, eps)) == 2 + 1 + 2
    found = verify(mechanism, smt=False, coq=False)
    assert {str(v.status) for v in found.verdicts if v.obligation == "holds"} == {
        "proved by one group"
    }
    # Printed with a 1 where t belongs: P(s <= s* - (2 D/eps)(ln(|O|/|O*|) + 1)) <= e^-t for every t
    # would have to be 0, but low scores have a positive probability.
    table = expand(mechanism, {next(iter(mechanism.variables)): Fraction(3)})
    assert all(table.probability(c, 0) > 0 for c in table.columns)


def test_half_the_noise_is_too_little() -> None:
    """Without the factor 2, the sums can cost as much again: here the claim of eps is refuted."""
    scores = [[0, -1], [-1, 0]]
    wrong = exponential_mechanism(scores, 4 * eps)
    mechanism = Mechanism("wrong", parameters=[eps], table=wrong, claims=[LDP(eps)])
    found = {v.obligation: str(v.status) for v in verify(mechanism, smt=False, coq=False).verdicts}
    assert found["ratio"] == "refuted"


@pytest.mark.parametrize(
    "scores", [[[1, 2]], [[1, 2], [1]], [[1, log(2)], [0, 1]], [[], []], [[0.5, 1], [1, 1]]]
)
def test_what_are_no_scores_is_refused(scores: list[list[object]]) -> None:
    with pytest.raises(SpecError):
        exponential_mechanism(scores, eps)
