"""Column sums: what NumPy sums, whatever the type, and the largest number."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.run.kernels import column_sums as module
from ldp_verified.run.kernels.column_sums import column_sums


@pytest.mark.parametrize("machine_code", [False, True])
@pytest.mark.parametrize("dtype", ["u1", "u2", ">u2", "u4", "u8"])
def test_sums_are_those_of_numpy(
    dtype: str, machine_code: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PURE_NUMBERS", 0 if machine_code else 1 << 60)
    monkeypatch.setattr(module, "ROWS", 10)
    most = int(np.iinfo(dtype).max) >> (20 if dtype == "u8" else 0)
    for shape in ((0, 3), (1, 1), (37, 5)):
        data = rng.integers(0, most, shape, dtype=np.uint64, endpoint=True).astype(dtype)
        sums, largest = column_sums(data)
        assert sums.dtype == np.uint64
        assert sums.tolist() == [sum(column) for column in data.T.tolist()]
        assert largest == (int(data.max()) if data.size else 0)


def test_32_bits_hold_the_sum_of_as_many_rows() -> None:
    assert module.ROWS * 0xFFFF < 1 << 32
