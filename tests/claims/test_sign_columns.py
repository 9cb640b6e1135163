"""Signs of a column of Bitstogram: those of pairs, not those of values."""

from __future__ import annotations

import pytest

from ldp_verified.check.claims import Context, RulingKind, signs_of_a_column
from ldp_verified.check.claims.sign_columns import SIZES, _by_pairs, _turning


def test_there_is_one_for_each_pair_and_not_for_each_value() -> None:
    found = signs_of_a_column(of_values=True).decide(Context())
    assert found.kind is RulingKind.REFUTED
    assert found.witness is not None
    assert found.witness.parameters == {"|D|": "8", "T": "2"}
    assert found.witness.values == {"signs of a column": "4", "wanted": "8"}
    assert signs_of_a_column(of_values=False).decide(Context()).kind is RulingKind.CHECKED


@pytest.mark.parametrize("bits, cells", SIZES)
def test_both_ways_of_counting_agree_and_name_the_first_signs(bits: int, cells: int) -> None:
    assert _turning(bits, cells) == set(range(2 * cells))
    assert _by_pairs(bits, cells) == 2 * cells
