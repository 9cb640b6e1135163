"""Look-ups in a sketch: what is written out, by machine code and by NumPy, all values and some."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified import CMS, HCMS
from ldp_verified.run.kernels import look_ups
from ldp_verified.run.kernels.family import evaluate
from ldp_verified.run.kernels.look_ups import buckets_of_rows, looked_up
from ldp_verified.run.kernels.sketch_reports import coefficients

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZES = [(9, 3, None), (1000, 16, 7), (1025, 2, 70), (5000, 1 << 16, 3), (2049, 1031, None)]


@pytest.mark.parametrize("machine_code", [False, True])
@pytest.mark.parametrize("k,g,rows", SIZES)
def test_look_ups_are_sums_over_rows(
    k: int,
    g: int,
    rows: int | None,
    machine_code: bool,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(look_ups, "PURE_LOOK_UPS", 0 if machine_code else 1 << 16)
    monkeypatch.setattr(look_ups, "machine_code", lambda: machine_code)
    functions = coefficients(k, g, rows, 5) if g != 1031 else rng.integers(0, g, (4, 2))
    table = rng.integers(-9, 10, (len(functions), g))
    table[:: max(2, len(functions) // 3)] = 0
    values = np.arange(k)
    expected = np.zeros(k, dtype=np.int64)
    for numbers, row in zip(table, functions, strict=True):
        expected += numbers[evaluate(row, values, g)]
    assert looked_up(table, functions, k).tolist() == expected.tolist()
    asked = rng.integers(0, k, 300)
    assert looked_up(table, functions, k, asked).tolist() == expected[asked].tolist()
    assert looked_up(table * 0, functions, k).tolist() == [0] * k


@pytest.mark.parametrize("machine_code", [False, True])
def test_progress_ends_with_all_rows_that_have_something(
    machine_code: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_ups, "PURE_LOOK_UPS", 100)
    monkeypatch.setattr(look_ups, "TOLD_EACH", 100)
    monkeypatch.setattr(look_ups, "machine_code", lambda: machine_code)
    functions = coefficients(50, 4, 9, 1)
    table = np.ones((9, 4), dtype=np.int64)
    table[3] = 0
    told: list[tuple[int, int]] = []
    looked_up(table, functions, 50, told=lambda *rows: told.append(rows))
    assert told == [(rows, 8) for rows in (2, 4, 6, 8)]


@pytest.mark.parametrize("kind", [CMS, HCMS])
def test_few_reports_are_looked_up_in_their_rows_only(
    kind: type[CMS | HCMS], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kind(2.0, 1 << 12, 64, 256)
    state = made.aggregate(made.privatize([5, 7, 9]))
    seen: list[int] = []

    def counted(k: int, g: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        seen.append(len(rows))
        return buckets_of_rows(k, g, rows)

    monkeypatch.setattr(look_ups, "buckets_of_rows", counted)
    whole = state.estimate().counts
    assert 1 <= sum(seen) <= 3  # three reports, in as many rows or fewer
    some = state.estimate([5, 4000], told=print).counts
    assert some.tolist() == whole[[5, 4000]].tolist()


@pytest.mark.parametrize("machine_code", [False, True])
def test_a_few_of_very_many_values_need_no_large_tables(
    machine_code: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of all upper digits would have 2^23 numbers for each of the 64 rows."""
    monkeypatch.setattr(look_ups, "PURE_LOOK_UPS", 1000)
    monkeypatch.setattr(look_ups, "machine_code", lambda: machine_code)
    k, g = 1 << 31, 256
    functions = coefficients(k, g, 100, 5)
    table = rng.integers(-9, 10, (100, g))
    asked = np.append(rng.integers(0, k, 300), [0, k - 1, 255, 256])
    found = looked_up(table, functions, k, asked[:3])  # compiles
    tracemalloc.start()
    found = looked_up(table, functions, k, asked)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    expected = sum(row[evaluate(f, asked, g)] for row, f in zip(table, functions, strict=True))
    assert found.tolist() == np.asarray(expected).tolist()
    assert most < 1 << 24
