"""Labels that several cells have, or that are only equal to one, name none of them."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import JointEstimate, JointTables

ONE_ONLY = "label: must be the label of one value only"


def of_records(attributes: Any, records: dict[str, Any], seed: int) -> JointEstimate:
    made = JointTables(2.0, attributes)
    return made.estimate(made.empty(simulated=True).update(made.privatize(records, seed)))


@pytest.mark.parametrize(
    ("first", "second", "twice", "once"),
    [
        (("a", "a, b"), ("b, c", "c"), "a, b, c", "a, c"),
        ((1, "1"), (0, 1), "1, 0", None),
        (("x", "x, "), (", y", "y"), "x, , y", "x, y"),
    ],
    ids=str,
)
def test_a_label_of_two_cells_finds_neither(
    first: Any, second: Any, twice: str, once: str | None, seed: int
) -> None:
    """The second cell was returned for both."""
    records = {"p": [first[0]] * 50 + [first[1]] * 10, "q": [second[0]] * 50 + [second[1]] * 10}
    table = of_records({"p": first, "q": second}, records, seed).table("p", "q")
    assert list(table.names).count(twice) == 2
    with pytest.raises(ParameterError, match=ONE_ONLY):
        table[twice]
    if once is not None:
        assert table[once].value == table.array[0, 1]
    assert len(table.rows()) == 4
    with pytest.raises(ParameterError, match="label: must be the label of a value"):
        table["neither"]


def test_a_share_given_one_of_two_such_values_is_not_found(seed: int) -> None:
    records = {"p": [1] * 50 + ["1"] * 10, "q": [0, 1] * 30}
    shares = of_records({"p": (1, "1"), "q": 2}, records, seed).conditional("q", "p")
    with pytest.raises(ParameterError, match=ONE_ONLY):
        shares["0 | 1"]


def test_networks_know_labels_from_what_equals_them(seed: int) -> None:
    records = {"p": [0, 1] * 30, "q": [0, 1, 1] * 20}
    network: Any = of_records({"p": 2, "q": 2}, records, seed).network()
    for equal in (True, 1.0, None, [1]):
        with pytest.raises(ParameterError, match="must be one of its labels"):
            network.probability({"p": equal})
        with pytest.raises(ParameterError, match="must be one of its labels"):
            network.conditional("p", {"q": equal})
    assert network.probability({"p": 1}) + network.probability({"p": 0}) == pytest.approx(1)
