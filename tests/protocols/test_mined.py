"""What mining found has the labels of its items, and keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.mined import Mined

FOUND = Mined(((2,), (0, 3), (1,)), np.array([9.0, 5.0, 7.0]), np.ones(3), 20, True)
LABELS = ("tea", "milk", "eggs", "rice")


def test_sets_are_named_by_their_items() -> None:
    assert FOUND.names == (2, "0+3", 1)
    named = FOUND.labelled(LABELS)
    assert named.names == ("eggs", "tea + rice", "milk")
    assert named.best(2).names == ("eggs", "milk")
    assert named.taken(np.array([1])).beside(named.taken(np.array([0]))).names == (
        "tea + rice",
        "eggs",
    )
    assert named["eggs"].value == FOUND[2].value
    assert list(named.columns()[0]) == list(FOUND.columns()[0])


@pytest.mark.parametrize("labels", ["teas", ("a", "b", "c"), ("a", "b", "c", 4), None, {"a": 1}])
def test_what_are_no_labels_of_the_items_is_refused(labels: Any) -> None:
    with pytest.raises(ParameterError, match="labels"):
        FOUND.labelled(labels)
