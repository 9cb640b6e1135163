"""(eps, delta) by events: what is true, what is false and where, and what the verifier refuses."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import pytest
import sympy

from ldp_verified.language import LDP, Matrix, Mechanism, real
from ldp_verified.prove import Status, Verdict, verify
from ldp_verified.prove.certificates.checker import CheckerOutcome, check
from ldp_verified.prove.certificates.events import MOST_OF_A_PAIR, Known, events
from ldp_verified.prove.certificates.polynomials import ExpressionError
from ldp_verified.prove.enumeration.expand import evaluate
from ldp_verified.prove.statements.certificate import find
from ldp_verified.prove.statements.statement import statement
from tests.broken.deltas import BESIDE, FALSE, TRUE, TURNING, a, half

if TYPE_CHECKING:
    import numpy as np


def decide(mechanism: Mechanism) -> list[Verdict]:
    return list(verify(mechanism, 3, coq=False, derived=False).verdicts)


@pytest.mark.parametrize("name", TRUE)
def test_true_claims_are_proved_whatever_pattern_occurs(name: str) -> None:
    for verdict in decide(TRUE[name]):
        if verdict.obligation != "class_counts":
            assert verdict.status.for_all, verdict
            assert "certificate" in verdict.checkers


@pytest.mark.parametrize("name", FALSE)
def test_false_claims_are_refuted_with_pair_event_and_delta(name: str) -> None:
    mechanism = FALSE[name]
    (claim,) = mechanism.claims
    assert isinstance(claim, LDP)
    refuted = [v for v in decide(mechanism) if v.status is Status.REFUTED]
    assert {v.obligation for v in refuted} == {"tight" if claim.tight else "ratio"}
    witness = refuted[0].witness
    assert witness is not None
    assert "derived largest delta" in refuted[0].detail or "by column" in name
    values = witness.values
    top, bottom, level = (Fraction(values[n]) for n in ("P(S|x)", "P(S|x')", "e^eps"))
    assert top - level * bottom == Fraction(values["delta"]) != Fraction(values["claimed delta"])
    assert values["x"] != values["x'"]
    if isinstance(mechanism.algebraic_table, Matrix):
        assert Fraction(values["delta"]) == _by_events(mechanism, witness.parameters, level)


def _by_events(mechanism: Mechanism, at: Any, level: Fraction) -> Fraction:
    """The largest P(S|x) - level P(S|x') over all pairs and all sets of outputs."""
    form = mechanism.algebraic_table
    assert isinstance(form, Matrix)
    point = {s: Fraction(at[s.name]) for s in mechanism.variables}
    rows = [[evaluate(cell, point) for cell in row] for row in form.rows]
    size = range(len(rows[0]))
    sets = [s for n in range(len(size) + 1) for s in combinations(size, n)]
    return max(
        sum((p[y] - level * q[y] for y in s), Fraction(0))
        for p, q in permutations(rows, 2)
        for s in sets
    )


def test_zero_cells_refute_the_claim_without_delta_alone() -> None:
    status = {(v.claim, v.obligation): v.status for v in decide(BESIDE)}
    assert status[None, "equal_support"] is status[0, "ratio"] is Status.REFUTED
    assert status[1, "ratio"].for_all


def test_where_a_claim_holds_is_said_in_both_directions() -> None:
    (verdict,) = (v for v in decide(FALSE["right on one side of a = 1/4 only"]) if v.claim == 0)
    assert "holds iff 6*a-1 >= 0" in verdict.detail


def _checked(tampered: dict[str, Any], delta: Any = half) -> list[CheckerOutcome]:
    mechanism = Mechanism("m", parameters=[a], table=TURNING, claims=[LDP(0, delta=delta)])
    stated = statement(mechanism)
    stated["claims"][0] |= tampered
    return [o for o in check(stated, find(stated, "m", "")) if o.obligation.kind == "ratio"]


@pytest.mark.parametrize(
    "tampered",
    [
        {"positive": [[0], [2]]},
        {"negative": [[0, 1, 2], [0, 1, 2]]},
        {"negative": [[1, 2], [1, 2]]},
        {"order": [[[0, 2]], [[2, 0]]]},
    ],
)
def test_a_sign_or_an_order_that_is_not_so_is_not_believed(tampered: dict[str, Any]) -> None:
    """The claim is false; each of these would leave the event out that shows it."""
    assert all(o.shown for o in _checked({}))
    assert not all(o.shown for o in _checked(tampered, delta=a))


def test_too_many_patterns_are_open_and_not_refused() -> None:
    shares = [real(f"p{i}", above=0, below=1) for i in range(9)]
    row = [cell for p in shares for cell in (p / 9, (1 - p) / 9)]
    swapped = [cell for p in shares for cell in ((1 - p) / 9, p / 9)]
    claim = LDP(0, delta=sympy.Integer(1))
    stated = statement(
        Mechanism("m", parameters=shares, table=Matrix([row, swapped]), claims=[claim])
    )
    (outcome,) = (
        o for o in check(stated, find(stated, "m", "")) if o.obligation.relation == "impossible"
    )
    assert not outcome.shown
    assert not outcome.refused
    assert f"more than {MOST_OF_A_PAIR} ways" in outcome.reason


def test_an_order_leaves_one_event_for_each_class() -> None:
    chain = Known(ranks={i: i for i in range(50)})
    assert len(events(range(50), chain)) == 51
    with pytest.raises(ExpressionError, match="ways"):
        events(range(9), Known())


def test_the_events_reach_the_sum_of_positive_parts(rng: np.random.Generator) -> None:
    """On 200 drawn pairs of rows, zeros among them, with every true sign and order by a coin."""
    for _ in range(200):
        p, q = ([Fraction(int(v), 20) for v in rng.integers(0, 5, 6)] for _ in range(2))
        excess = [x - Fraction(3, 2) * y for x, y in zip(p, q, strict=True)]
        size = range(6)

        def coin() -> bool:
            return bool(rng.integers(2))

        known = Known(
            frozenset(i for i in size if excess[i] >= 0 and coin()),
            frozenset(i for i in size if excess[i] <= 0 and coin()),
            frozenset(
                (i, j) for i, j in permutations(size, 2) if p[i] * q[j] >= p[j] * q[i] and coin()
            ),
        )
        found = max(sum((excess[i] for i in s), Fraction(0)) for s in events(size, known))
        assert found == sum((max(Fraction(0), e) for e in excess), Fraction(0))
