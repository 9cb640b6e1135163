from __future__ import annotations

import statistics

import pytest

from benchmarks.spread import rounded, summary


def test_summary_is_the_median_with_the_extremes() -> None:
    found = summary([5.0, 1.0, 2.0])
    assert (found.median, found.least, found.largest, found.runs) == (2.0, 1.0, 5.0, 3)
    assert str(found) == "2.00 (1.00-5.00)"


def test_summary_of_nothing_is_an_error() -> None:
    with pytest.raises(statistics.StatisticsError):
        summary([])


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.012345, "0.0123"),
        (0.9996, "1.000"),
        (1.236, "1.24"),
        (99.96, "100.0"),
        (123.4, "123"),
        (12345.6, "12,300"),
        (712345678.0, "712,000,000"),
    ],
)
def test_three_significant_digits_without_an_exponent(number: float, text: str) -> None:
    assert rounded(number) == text
