"""The parameter that a claim fixes."""

from __future__ import annotations

from math import exp, log

import pytest

from ldp_verified.check.audit.named.solving import needed, solved
from ldp_verified.language import load


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize(
    "name,symbol,known,expected",
    [
        ("laplace", "b", {}, lambda e: 2 / e),
        ("warner", "gamma", {}, lambda e: (exp(e) - 1) / (2 * (exp(e) + 1))),
        ("geometric", "alpha", {"m": 3}, lambda e: exp(-e / 3)),
        ("ue", "zero", {"one": 0.5}, lambda e: 1 / (exp(e) + 1)),
    ],
)
def test_the_value_at_which_eps_is_the_claim(
    name: str, symbol: str, known: dict[str, float], expected: object, epsilon: float
) -> None:
    (spec, *_) = load(name)
    symbols = {str(s): s for s in spec.variables}
    values = {symbols[n]: v for n, v in known.items()}
    found = solved(spec, symbols[symbol], values, epsilon)
    assert found == pytest.approx(expected(epsilon), rel=1e-6)  # type: ignore[operator]  # a formula


def test_none_where_the_claim_fixes_nothing() -> None:
    (grr, *_) = load("grr")
    symbols = {str(s): s for s in grr.variables}
    assert solved(grr, symbols["k"], {}, 1.0) is None
    (coins, *_) = load("two_coins")
    first = next(iter(coins.variables))
    assert solved(coins, first, {}, log(2)) is None  # another one is missing as well
    assert "--set a=... --set b=..." in str(needed(grr, ["a", "b"]))
