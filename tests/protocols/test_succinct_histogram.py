"""Succinct histogram: what its server finds and how it counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import BitGroups, CodedState, SuccinctHistogram

SMALL = SuccinctHistogram(6.0, bits=16, cells=256)
HELD = {3: 64_000, 40_001: 48_000, 65_535: 36_000}


def test_it_finds_values_that_nobody_listed(seed: int) -> None:
    """Null: values of shares 0.38, 0.28 and 0.21 are found, each count within 6 standard errors.

    n = 168,000 at epsilon = 6. A share of 0.21 is missed with 1e-9 at most; the three
    are in different channels of 256 (looked at below), and the rest are too few to turn a bit. Six
    standard errors: 2e-9 each, normal approximation.
    """
    assert len(set(SMALL.cells_of(SMALL.encode(list(HELD))).tolist())) == 3
    assert SMALL.detectable_share(168_000, miss=1e-9) < 0.21
    rare = [100 * number + 7 for number in range(200)]
    values, counts = [*HELD, *rare], [*HELD.values(), *[100] * 200]
    reports = SMALL.simulate(values, counts, rng=seed)
    assert len(reports) == 2 * 168_000
    state = CodedState(SMALL, simulated=True).update(reports)
    assert state.n == 168_000
    found = state.heavy_hitters(top=8, false_alarm=1e-7)
    assert {value for value, _, _ in found} == set(HELD)
    for value, count, error in found:
        assert abs(count - HELD[int(value)]) <= 6 * error


def test_other_channels_see_fair_coins_and_the_own_one_the_bit(seed: int) -> None:
    """Null: a report supports its channel's bit with p, the other bit with 1 - p, others with 1/2.

    n = 30,000 reports of one place, six counts, at 6 standard deviations each: 1.2e-8 in all. A
    probability that is off by 0.03 is missed with less than 1e-4.
    """
    n, value = 30_000, 40_001
    client = SMALL.simulate([value], [n * SMALL.levels], rng=seed)
    state = CodedState(SMALL, True).update(client)
    supports, m = state.cell_supports()
    assert m == n * SMALL.levels
    own = int(SMALL.cells_of(SMALL.encode([value]))[0])
    bits = SMALL.code.codewords(SMALL.encode([value]))[0]
    p = SMALL.gain + 1 / 2
    for place in (0, 17, 31):
        reports = int(np.count_nonzero(client.groups == place))
        spread = 6 * (reports / 4) ** 0.5
        assert abs(supports[place, own, bits[place]] - reports * p) <= spread
        assert supports[place, own].sum() == reports
        assert abs(supports[place, own ^ 5, 0] - reports / 2) <= spread


def test_states_merge_are_kept_and_refuse_what_is_not_theirs() -> None:
    one, two = (SMALL.simulate([3, 200], [30_000, 20_000], rng) for rng in (1, 2))
    whole = CodedState(SMALL, True).update(one).update(two)
    merged = CodedState(SMALL, True).update(one).merge(CodedState(SMALL, True).update(two))
    assert whole.to_bytes() == merged.to_bytes()
    again = CodedState.from_bytes(whole.to_bytes(), SMALL)
    assert list(again.heavy_hitters()) == list(whole.heavy_hitters())
    unturned = one.seeds.copy()
    unturned[0, 1] &= ~SMALL._bit_place
    with pytest.raises(ReportError, match="seeds: must select the bit of the codeword"):
        CodedState(SMALL, True).update(replace(one, seeds=unturned))
    last = np.full(len(one.groups), SMALL.levels, dtype=np.uint8)
    for wrong in (one.groups[::-1].copy(), last):
        with pytest.raises(ReportError, match="groups: must be all groups of each user"):
            CodedState(SMALL, True).update(replace(one, groups=wrong))
    with pytest.raises(ReportError, match="foreign"):
        CodedState(replace(SMALL, seed=1), True).update(one)
    with pytest.raises(ReportError, match="state: must hold reports"):
        CodedState(SMALL).heavy_hitters()
    other: Any = BitGroups(1.0)
    with pytest.raises(ParameterError, match="protocol"):
        CodedState(other)


@pytest.mark.parametrize(
    "wrong",
    [{"epsilon": 0.0}, {"bits": 1}, {"cells": 3}, {"corrects": 19}, {"corrects": -1}, {"seed": -1}],
)
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        SuccinctHistogram(**{"epsilon": 1.0} | wrong)


def test_a_plan_says_what_can_be_found() -> None:
    need = SMALL.users_needed(0.1)
    assert SMALL.detectable_share(need) <= 0.1 < SMALL.detectable_share(need - 1)
    with pytest.raises(ParameterError, match="n: must be users enough"):
        SMALL.simulate([1], [10])
