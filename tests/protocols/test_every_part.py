"""The refusal of reports of which a part of the users has none."""

from __future__ import annotations

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.every_part import check_every_part


def test_a_part_without_reports_is_named_with_their_number() -> None:
    check_every_part([1, 2, 9], "level", range(3))
    found = "state: must have reports on each of 3 levels; of 12 reports none is on level 1: "
    with pytest.raises(ParameterError, match=found + "collect more"):
        check_every_part([5, 0, 7], "level", range(3))
    with pytest.raises(ParameterError, match=r"values: .* 2 views; of 0 .* view \('a', 'b'\)"):
        check_every_part([0, 0], "view", [("a", "b"), ("a", "c")], "values")


def test_what_is_shown_of_a_name_is_short() -> None:
    with pytest.raises(ParameterError) as caught:
        check_every_part([0], "view", [("a" * 10_000, "b")])
    assert len(str(caught.value)) < 200
