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
    ],
)
def test_what_is_told(name: Any, names: list[Any], told: str) -> None:
    assert not_one_column(name, names) == told
