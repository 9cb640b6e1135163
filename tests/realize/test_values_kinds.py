"""Messages tell the kind of private values, and neither their size nor how long a text is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified import GRR, OLH, OUE, BinaryRR, Duchi, Laplace
from ldp_verified.analysis.central import ClampedSum, Count, Histogram, Neighbours, Quantile
from ldp_verified.analysis.interaction import values_of
from ldp_verified.deploy.engines.drawing import _arrow
from ldp_verified.errors import DomainError
from ldp_verified.protocols.item_sets import ItemSets
from ldp_verified.protocols.wide_values import listed
from ldp_verified.run.realize.simulate import checked_counts
from ldp_verified.run.realize.values import integer_rows, number_array, value_array

LENGTH = 19
SECRET = "s" * LENGTH

WHAT: list[Any] = [
    *(made.privatize for made in (GRR(1.0, 4), OUE(1.0, 4), OLH(1.0, 4), BinaryRR(1.0))),
    *(made.privatize for made in (Duchi(1.0, (-1, 1)), Laplace(1.0))),
    lambda values: number_array(values, 1),
    lambda values: integer_rows(values, 1),
    lambda values: Count().steps(values, Neighbours.REPLACE),
    lambda values: Histogram(4).steps(values, Neighbours.REPLACE),
    lambda values: ClampedSum(0, 1).steps(values, Neighbours.REPLACE),
    Quantile(0.5, 0, 1).scores,
    lambda values: values_of(lambda _: values[0], [0], (-1, 1), None),
    lambda values: checked_counts(values, 1),
    lambda values: ItemSets(values, np.ones(1, dtype=np.int64)),
]


def kinds(secret: str) -> list[Any]:
    """The same text in arrays and lists of every kind."""
    return [
        np.array([secret]),
        np.array([secret.encode()]),
        np.array([[secret]]),
        np.array([(secret,)], dtype=[("a", f"U{len(secret)}")]),
        np.array([secret], dtype=object),
        [secret],
        [[secret]],
    ]


@pytest.mark.parametrize("what", range(len(WHAT)))
@pytest.mark.parametrize("kind", range(len(kinds(""))))
def test_a_message_is_the_same_whatever_the_length(what: int, kind: int) -> None:
    said = set()
    for secret in ("s", "ss", SECRET, SECRET * 30):
        with pytest.raises(DomainError) as caught:
            WHAT[what](kinds(secret)[kind])
        said.add(str(caught.value))
    assert len(said) == 1


@pytest.mark.parametrize(
    "what",
    [
        lambda given: _arrow(given, "x"),
        lambda given: listed("values", given),
        lambda given: Count(of=1).steps(given, Neighbours.REPLACE),
    ],
)
def test_columns_and_lists_of_another_kind_tell_none(what: Any) -> None:
    said = set()
    for secret in ("s", SECRET):
        with pytest.raises(DomainError) as caught:
            what(np.array([secret.encode()]))
        said.add(str(caught.value))
    assert len(said) == 1


@pytest.mark.parametrize("values", [[1, "1"], ("1", 2.5), [["a", 1]], [b"1", 1], [1, np.str_("1")]])
def test_numbers_among_texts_are_no_texts(values: Any) -> None:
    """numpy makes the text "1" of the number 1, which then counts as the label "1"."""
    with pytest.raises(DomainError, match="must be all texts, or none"):
        value_array(values)


class Rows(list[Any]):
    """A list by another name."""


@pytest.mark.parametrize("values", [["a", "b"], Rows(["a"]), [["a"], ["b"]], "a", [np.str_("a")]])
def test_texts_alone_are_texts(values: Any) -> None:
    assert value_array(values).dtype.kind == "U"
