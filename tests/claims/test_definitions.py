"""Definitions computed two ways, and the tables that separate them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.check.claims import (
    BOUNDED,
    LOSS_TAIL,
    POINTWISE,
    POINTWISE_TIMES_OUTPUTS,
    SETWISE,
    UNBOUNDED,
    Context,
    Definition,
    Implies,
    RulingKind,
)
from ldp_verified.check.claims.definitions import (
    DATABASES,
    SINGLES,
    Sample,
    bounded,
    excess_of_every_set,
    excess_of_outputs,
    excess_of_sets,
    samples,
    tail_of_loss,
    unbounded,
)

weights = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)


def row(whole: list[int]) -> tuple[Fraction, ...]:
    """Weights as probabilities."""
    return tuple(Fraction(w, sum(whole)) for w in whole)


@given(weights, weights, st.fractions(1, 5))
def test_sets_by_positive_parts_and_one_by_one(a: list[int], b: list[int], level: Fraction) -> None:
    p, q = row(a), row(b)
    delta = excess_of_sets(p, q, level)
    assert delta == excess_of_every_set(p, q, level)
    assert excess_of_outputs(p, q, level) <= delta <= tail_of_loss(p, q, level)
    assert delta <= 3 * excess_of_outputs(p, q, level)


@pytest.mark.parametrize(("premise", "conclusion"), [(POINTWISE, SETWISE), (SETWISE, LOSS_TAIL)])
def test_a_separating_table_has_the_premise_only(
    premise: Definition, conclusion: Definition
) -> None:
    found = Implies(premise, conclusion).decide(Context())
    assert found.kind is RulingKind.REFUTED
    assert found.witness is not None
    values = found.witness.values
    rows = tuple(tuple(Fraction(v) for v in values[f"P(.|{x})"].split(", ")) for x in (0, 1))
    sample = Sample(SINGLES, rows)
    level, delta = (Fraction(found.witness.parameters[name]) for name in ("e^eps", "delta"))
    assert premise.holds(sample, level, delta)
    assert not conclusion.holds(sample, level, delta)


@pytest.mark.parametrize(
    ("premise", "conclusion"),
    [(SETWISE, POINTWISE), (LOSS_TAIL, SETWISE), (POINTWISE, POINTWISE_TIMES_OUTPUTS)],
)
def test_a_true_implication_is_not_proved_by_searching(
    premise: Definition, conclusion: Definition
) -> None:
    assert Implies(premise, conclusion).decide(Context()).kind is RulingKind.CHECKED


def test_neighbours_of_databases() -> None:
    sample = Sample(DATABASES, ((Fraction(1),),) * len(DATABASES))
    named = [DATABASES[i] for pair in bounded(sample) for i in pair]
    assert all(len(records) > 0 for records in named)
    assert (DATABASES.index(()), DATABASES.index((0,))) in unbounded(sample)
    assert (DATABASES.index(()), DATABASES.index((0, 0))) not in unbounded(sample)
    assert BOUNDED.worst(sample, Fraction(2))[0] == UNBOUNDED.worst(sample, Fraction(2))[0] == 0


def test_every_sample_is_a_table() -> None:
    for sample in samples():
        assert all(sum(each) == 1 and min(each) >= 0 for each in sample.rows)
