"""A column that is not there is told from those that are, which may be somebody's cells."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_verified.deploy.column_names import not_one_column


@pytest.mark.parametrize(
    ("name", "names", "told"),
    [
        ("city", ["city", "town"], ""),
        (7, [6, 7], ""),
        ("city", ["city", "a", "city"], "has more than one column 'city'"),
        ("City", ["hunter2", "city"], "has no column 'City' among its 2; names like it: 'city'"),
        ("city", ["hunter2", 7], "has no column 'city' among its 2"),
        (7, ["hunter2"], "has no column 7 among its 1"),
        ("city", [], "has no column 'city' among its 0"),
        (
            "home city",
            ["Home_City"],
            "has no column 'home city' among its 1; names like it: 'Home_City'",
        ),
        ("city", [" city"], "has no column 'city' among its 1; names like it: ' city'"),
        # cells of a row without a header, which are like the name and say more
        ("answer_HIV", ["17", "answer_HIVpos"], "has no column 'answer_HIV' among its 2"),
        ("hiv", ["17", "HIV-"], "has no column 'hiv' among its 2"),
    ],
)
def test_what_is_told(name: Any, names: list[Any], told: str) -> None:
    assert not_one_column(name, names) == told


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["id;answer"], "; its cells seem to be separated by ';'"),
        (["17;yes"], "; its cells seem to be separated by ';'"),
        (["id\tanswer"], "; its cells seem to be separated by tabs"),
        (["id;answer", "b"], ""),
        (["hunter2"], ""),
    ],
)
def test_of_lines_a_separator_is_told_but_no_cell(names: list[str], told: str) -> None:
    found = not_one_column("answer", names, lines=True)
    ends = f"{told}; does the file have a header line?"
    assert found == f"has no column 'answer' among its {len(names)}{ends}"
    assert not_one_column("answer", ["answer"], lines=True) == ""
