"""Counters of parities against a look at each report."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.parities import ParityLayout, users


def test_supports_are_those_of_each_report(seed: int) -> None:
    layout = ParityLayout(5)
    data = np.random.default_rng(seed).integers(0, 10, 300, dtype=np.uint8)
    counters = layout.count(data)
    even = [int(layout.holds(data, place).sum()) for place in range(5)]
    assert layout.supports(counters).tolist() == even == layout.support_counts(data).tolist()
    assert users(layout, counters).tolist() == [int((data // 2 == j).sum()) for j in range(5)]
    with pytest.raises(ReportError, match=r"must hold integers in 0\.\.9"):
        layout.check(np.array([10]))
