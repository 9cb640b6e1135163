"""What messages say of private values."""

from __future__ import annotations

import numpy as np

from ldp_verified.run.kernels.private_values import type_name


def test_the_type_of_texts_does_not_say_how_long_they_are() -> None:
    assert {type_name(np.array([text])) for text in ("a", "a long text")} == {"str_"}
    assert type_name(np.array([1.5])) == "float64"
