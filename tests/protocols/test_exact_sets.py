"""Sets and days of generated protocols, against the functions of the declarations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy

from ldp_verified.errors import ParameterError
from ldp_verified.language import day_bits, itemsets
from ldp_verified.protocols import exact_sets

CASES: tuple[tuple[Callable[..., Any], Callable[..., Any], tuple[range, ...]], ...] = (
    (exact_sets.padded_item, itemsets.padded_item, (range(16), range(24), range(5), range(1, 5))),
    (exact_sets.held_among, itemsets.held_among, (range(8), range(70), range(4), range(3))),
    (exact_sets.size_of, itemsets.size_of, (range(40), range(6))),
    (exact_sets.signed_items, itemsets.signed_items, (range(70), range(9), range(3), range(1, 4))),
    (
        exact_sets.masked_change,
        day_bits.masked_change,
        (range(16), range(4), range(1, 5), range(3), range(8), range(2)),
    ),
)


@pytest.mark.parametrize(
    "own, declared, ranges", CASES, ids=lambda each: getattr(each, "__name__", "")
)
def test_they_are_what_is_declared(own: Any, declared: Any, ranges: tuple[range, ...]) -> None:
    for numbers in product(*ranges):
        assert own(*numbers) == declared(*map(sympy.Integer, numbers)), numbers


def test_factorials_end_somewhere() -> None:
    assert [exact_sets.factorial(n) for n in range(5)] == [1, 1, 2, 6, 24]
    for wrong in (-1, 5001):
        with pytest.raises(ParameterError, match=r"factorial: must be of a number in 0\.\.5000"):
            exact_sets.factorial(wrong)


def test_what_is_no_set_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"items: must be in 0\.\.65536"):
        exact_sets.size_of(3, 1 << 40)
    with pytest.raises(ParameterError, match="set: must be a whole number"):
        exact_sets.size_of(Fraction(1, 2), 3)
