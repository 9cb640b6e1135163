"""What is looked at in private values, and what messages say of them."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.run.kernels.private_values import type_name, within


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", ">i2", "i8", ">i8", "u8"])
def test_integers_within_a_size_are_told_from_others(dtype: str) -> None:
    held = np.array([[3, 0], [99, 5]], dtype=dtype)
    assert within(held, 100)
    assert within(held.T[::-1], 100)
    assert not within(held, 99)
    lowest, largest = np.iinfo(dtype).min, np.iinfo(dtype).max
    if lowest < 0:
        held[1, 1] = -1
        assert not within(held, 100)
        held[1, 1] = lowest
        assert not within(held, min(2**63, int(largest) + 1))
    held[1, 1] = largest
    assert within(held[1, 1:], min(2**63, int(largest) + 1)) == (dtype != "u8")


def test_the_type_of_texts_does_not_say_how_long_they_are() -> None:
    assert {type_name(np.array([text])) for text in ("a", "a long text")} == {"str_"}
    assert type_name(np.array([1.5])) == "float64"
