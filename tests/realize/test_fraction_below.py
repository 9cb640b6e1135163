"""The best fraction from below, against all fractions."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.run.realize.tables.fraction_below import below


def by_trying(target: Fraction, most: int) -> Fraction | None:
    found = None
    for w in range(1, most):
        m = min(target.numerator * w // target.denominator, most - w)
        if m > w and (found is None or Fraction(m, w) > found):
            found = Fraction(m, w)
    return found


@given(st.fractions(Fraction(1, 2), 200, max_denominator=500), st.integers(1, 60))
def test_it_is_the_best_of_all_fractions(target: Fraction, most: int) -> None:
    found = below(target, most)
    assert (None if found is None else Fraction(*found)) == by_trying(target, most)
    assert found is None or sum(found) <= most
