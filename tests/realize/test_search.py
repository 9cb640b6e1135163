"""The smallest number that is enough, for every threshold; wrong searches miss one."""

from __future__ import annotations

import pytest

from ldp_verified.run.realize.tables.search import fewest


@pytest.mark.parametrize("most", range(1, 40))
def test_every_threshold_is_found(most: int) -> None:
    for least in range(1, most + 1):
        asked: list[int] = []

        def enough(n: int, least: int = least, asked: list[int] = asked) -> bool:
            asked.append(n)
            return n >= least

        assert fewest(enough, most) == least
        assert 1 <= min(asked) <= max(asked) <= most
        assert len(asked) <= 2 * most.bit_length() + 1
    assert fewest(lambda _: False, most) is None


def test_where_more_may_be_worse_the_one_found_is_enough() -> None:
    enough = {3, 4, 7, 8, 9}
    found = fewest(enough.__contains__, 9)
    assert found in enough
    assert found - 1 not in enough
