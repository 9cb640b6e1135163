"""The page that shows what is done with an estimate beside the counting before it."""

from __future__ import annotations

import numpy as np

from benchmarks import estimates
from benchmarks.estimates import Counting, Timed
from ldp_verified import GRR
from ldp_verified.deploy.collect.methods import NAMES
from ldp_verified.errors import ParameterError


def test_every_report_is_counted() -> None:
    made, held = GRR(1.0, 5), estimates.skewed(5, 250)
    counting, state = estimates.counted(made, held)
    assert state.n == 250 * estimates.TIMES
    assert counting.at_once > 0
    assert counting.one_by_one is not None
    assert np.bincount(held, minlength=5).argmax() == 0


def test_everything_that_fits_is_timed() -> None:
    state = GRR(1.0, 5).simulate_counts(np.array([900, 80, 10, 5, 5]), 1)
    calls = estimates._of_counts(state.estimate())
    found = estimates.followed(state.estimate, calls)
    methods = {f"consistent, {name}" for name in NAMES if name != "raw"}
    assert methods <= found.keys()
    assert set(estimates.SHOWN) <= found.keys()

    def refused(_: object) -> object:
        raise ParameterError("method", "must be another one")

    assert not estimates.followed(state.estimate, {"never": refused})


def test_the_page_names_what_costs_more() -> None:
    cheap = Timed("`GRR`, 5", Counting(1.0, 9.0), {"top": 0.1, "plot": 0.2})
    picture = Timed("`PGR`, 9", Counting(1.0, 9.0), {"top": 0.1, "plot": 1.2})
    dear = Timed("`OUE`, 9", Counting(1.0, None), {"top": 1.1})
    text = estimates.page([cheap], [], "abc")
    assert "None costs more." in text
    assert "| counting, one by one | 9,000 |" in text
    text = estimates.page([cheap, picture], [], "abc")
    assert "**1 of 4 cost more than counting at once**, and are bold:\n\n- `PGR`, 9: plot" in text
    assert "| plot | 200.0 | **1,200.0** |" in text
    assert "These are pictures" in text
    text = estimates.page([cheap, picture], [dear], "abc")
    assert "**2 of 5 cost more" in text
    assert "These are pictures" not in text
