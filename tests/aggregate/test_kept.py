"""States that keep reports: the counts of a table, for domains that no table fits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified import OLH
from ldp_verified.aggregate import KeptState, Reports
from ldp_verified.errors import DomainError, ParameterError, ReplayError, ReportError
from tests.aggregate.test_listed import MADE, K

WIDE = OLH(2.0, 1 << 31, 4)


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_it_counts_what_a_table_counts(made: Any) -> None:
    reports = made.privatize(np.arange(300) % K, 3)
    table, kept = made.aggregate(reports).estimate(range(K)), KeptState(made.oracle).update(reports)
    found = kept.estimate(range(K))
    assert found.support_counts.tolist() == table.support_counts.tolist()
    assert found.counts.tolist() == table.counts.tolist()
    assert found.std_error.tolist() == table.std_error.tolist()
    assert found.simulated
    again = KeptState.from_bytes(kept.to_bytes(), made.oracle)
    assert again.to_bytes() == kept.to_bytes()
    assert again.estimate([3]).counts.tolist() == found.counts[[3]].tolist()


def test_values_of_a_domain_that_no_table_fits_are_counted(seed: int) -> None:
    """Null: counts are within 6 standard errors, 2e-9 each by normal approximation; n = 6000.

    The standard error is about 130 of 4000: a count that is off by 1300 is missed with 2e-5.
    """
    held, other, none = (1 << 31) - 1, 5, 1 << 30
    values = np.repeat([held, other], [4000, 2000])
    state = KeptState(WIDE.oracle).update(WIDE.privatize(values, seed))
    for (_, count, error), truth in zip(
        state.estimate([held, other, none]), (4000, 2000, 0), strict=True
    ):
        assert abs(count - truth) <= 6 * error
    with pytest.raises(ParameterError, match="a KeptState keeps the reports instead"):
        WIDE.empty()


def test_it_does_not_matter_how_reports_arrive() -> None:
    one, two = (WIDE.privatize(np.arange(50), seed) for seed in (1, 2))
    whole = KeptState(WIDE.oracle).update(one).update(two)
    parts = KeptState(WIDE.oracle).update(one).merge(KeptState(WIDE.oracle).update(two))
    assert whole.to_bytes() == parts.to_bytes()
    assert whole.n == 100
    assert KeptState(WIDE.oracle).n == 0
    assert not KeptState(WIDE.oracle).simulated
    assert KeptState(WIDE.oracle).estimate([1]).counts.tolist() == [0.0]


def test_what_is_not_its_own_is_refused() -> None:
    state = KeptState(WIDE.oracle)
    foreign = OLH(2.0, 1 << 31, 8)
    with pytest.raises(ReportError, match="foreign"):
        state.update(foreign.privatize([1]))
    with pytest.raises(ReportError, match="foreign"):
        state.merge(KeptState(foreign.oracle))
    with pytest.raises(ReportError, match="foreign"):
        KeptState.from_bytes(KeptState(foreign.oracle).to_bytes(), WIDE.oracle)
    with pytest.raises(ReportError, match="columns"):
        state.update(Reports(np.zeros((1, 3), np.uint8), WIDE.identity))
    data = state.update(WIDE.privatize([1])).to_bytes()
    for wrong in (b"", data[:-1], data[:60] + bytes([data[60] ^ 1]) + data[61:]):
        with pytest.raises(ReportError, match="data"):
            KeptState.from_bytes(wrong, WIDE.oracle)
    with pytest.raises(DomainError, match="values"):
        state.estimate([1 << 31])
    made: Any = WIDE
    with pytest.raises(ParameterError, match="oracle"):
        KeptState(made)


def test_a_state_keeps_reports_of_one_kind_and_counts_a_batch_once() -> None:
    mechanism = WIDE
    simulated, real = mechanism.privatize([1, 2, 3], rng=1), mechanism.privatize([1, 2, 3])
    state = KeptState(mechanism.oracle).update(simulated, batch="monday")
    with pytest.raises(ReportError, match="simulated"):
        state.update(real)
    again = KeptState.from_bytes(state.to_bytes(), mechanism.oracle)
    for each in (state, again):
        with pytest.raises(ReplayError, match="counted already"):
            each.update(simulated, batch="monday")
        each.update(simulated, batch="monday", repeated="ignore")
        assert (each.n, each.simulated) == (3, True)
    with pytest.raises(ReplayError, match="counted already"):
        state.merge(again)
    with pytest.raises(ReportError, match="simulated"):
        state.merge(KeptState(mechanism.oracle).update(real))
