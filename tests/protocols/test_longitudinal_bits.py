"""Memoised unary encodings: realized cells, epsilons, variances."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ldp_verified import UE
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from ldp_verified.protocols import LOSUE, LOUE, LSOUE, LSUE
from ldp_verified.prove.enumeration.expand import evaluate
from tests.strategies import EPSILONS, SHARES

SPECS = {m.name: m for m in load("longitudinal_bits")}
UNARY: dict[str, Any] = {"l_sue": LSUE, "l_osue": LOSUE, "l_oue": LOUE, "l_soue": LSOUE}
ONE = 1 << 64


@pytest.mark.parametrize("mechanism", UNARY.values())
@given(epsilon=EPSILONS, part=st.floats(0.01, 0.5), k=st.sampled_from([2, 3, 64, 65, 1000]))
@settings(max_examples=25)
def test_unary_encodings_cost_what_is_wanted(
    mechanism: Any, epsilon: float, part: float, k: int
) -> None:
    assume(epsilon * part < 20)  # beyond, L-OUE and L-SOUE have no such report
    made = mechanism(epsilon, epsilon * part, k)
    assert made.realized_permanent <= epsilon
    assert made.realized_report <= epsilon * part
    if epsilon < 40:
        assert made.realized_report == pytest.approx(epsilon * part, rel=1e-9)


@pytest.mark.parametrize("name", UNARY)
def test_cells_are_those_of_the_unary_spec(name: str) -> None:
    made, spec = UNARY[name](2.0, 0.75, 4), SPECS[name]
    one, zero, high, low = (Fraction(t, ONE) for t in made.thresholds)
    assert one == (Fraction(1, 2) if name in ("l_osue", "l_oue") else 1 - zero)
    assert high == (Fraction(1, 2) if name in ("l_oue", "l_soue") else 1 - low)
    values = {"k": Fraction(4), "zero_1": zero, "zero_2": low}
    at = {symbol: values[symbol.name] for symbol in spec.variables}
    table: Any = spec.algebraic_table
    assert made.cells == (evaluate(table.one, at), evaluate(table.zero, at))


@given(SHARES)
def test_the_variance_is_that_of_the_exact_supports(share: Fraction) -> None:
    made = LSUE(2.0, 1.0, 3)
    one, zero = made.cells
    plain = UE(zero, one, 3)
    exact = plain.variance(10, share)
    a, b = made.oracle.variance_line(10)
    assert 10 * (float(a) + float(b) * float(share)) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("mechanism", [LOUE, LSOUE])
def test_what_the_second_step_cannot_give_is_said(mechanism: Any) -> None:
    with pytest.raises(ParameterError, match="at most about"):
        mechanism(2.0, 1.99, 3)
