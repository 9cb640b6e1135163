"""The server of the reduction to bits: what it finds and how it counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols import BitGroups, BitReduction, BitState, PrefixState

GROUPS = BitGroups(4.0, bits=16, cells=256, g=16)
EVERY = BitReduction(16.0, bits=8, cells=256, g=4)
HELD = {3: 40_000, 40_001: 30_000, 65_535: 20_000}


def test_it_finds_values_that_nobody_listed(seed: int) -> None:
    """Null: values of shares 0.4, 0.3 and 0.2 are found, each count within 6 standard errors.

    n = 100,000 at epsilon = 4. By the plan a share of 0.2 is missed with 1e-9 at most; the three
    are in different cells of 256 (looked at below), and the rest are too few to turn a bit. Six
    standard errors: 2e-9 each. A value whose cell is empty is published with 1e-7 at most, and in
    the cells of the rest no value stands out: a cell of one of 200 rare values has 50 users.
    """
    assert len(set(GROUPS.cells_of(GROUPS.encode(list(HELD))).tolist())) == 3
    assert GROUPS.detectable_share(100_000, miss=1e-9) < 0.19
    rare = [100 * number + 7 for number in range(200)]
    values, counts = [*HELD, *rare], [*HELD.values(), *[50] * 200]
    state = BitState(GROUPS, simulated=True).update(GROUPS.simulate(values, counts, rng=seed))
    found = state.heavy_hitters(top=8, false_alarm=1e-7)
    assert {value for value, _, _ in found} == set(HELD)
    for value, count, error in found:
        assert abs(count - HELD[int(value)]) <= 6 * error
    assert found.n == 100_000


def test_strings_are_found_too(seed: int) -> None:
    """Null: two words of half the users each are found; missed with less than 1e-9 by the plan."""
    words = BitGroups(6.0)
    assert words.detectable_share(84_000, miss=1e-9) < 0.5
    state = BitState(words, simulated=True).update(
        words.simulate(["naïve", "日本語"], [42_000, 42_000], seed)
    )
    assert {word for word, _, _ in state.heavy_hitters(false_alarm=1e-7)} == {"naïve", "日本語"}


def test_where_every_user_reports_every_bit(seed: int) -> None:
    """Null: as above, n = 40,000, at 2 a bit. A count is the mean over the bits of the oracle's.

    The values are in different cells, so their counts are within 6 standard errors: 2e-9 each.
    """
    held = {3: 20_000, 200: 16_000, 131: 4000}
    assert len(set(EVERY.cells_of(EVERY.encode(list(held))).tolist())) == 3
    reports = EVERY.simulate(list(held), list(held.values()), rng=seed)
    assert len(reports) == 8 * 40_000
    state = BitState(EVERY, simulated=True).update(reports)
    assert state.n == 40_000
    found = state.heavy_hitters(false_alarm=1e-7)
    assert {3, 200} <= {value for value, _, _ in found} <= set(held)
    for value, count, error in state.estimate(list(held)):
        assert abs(count - held[int(value)]) <= 6 * error
        assert error < 300


def test_states_merge_are_kept_and_refuse_what_is_not_theirs() -> None:
    one, two = (EVERY.simulate([3, 200], [5000, 7000], rng) for rng in (1, 2))
    whole = BitState(EVERY, True).update(one).update(two)
    assert (
        whole.to_bytes()
        == BitState(EVERY, True).update(one).merge(BitState(EVERY, True).update(two)).to_bytes()
    )
    again = BitState.from_bytes(whole.to_bytes(), EVERY)
    assert list(again.heavy_hitters()) == list(whole.heavy_hitters())
    state = BitState(EVERY)
    for wrong in (
        replace(one, groups=one.groups[::-1].copy()),
        replace(
            one,
            groups=one.groups[:9].copy(),
            seeds=one.seeds[:9].copy(),
            buckets=one.buckets[:9].copy(),
        ),
    ):
        with pytest.raises(ReportError, match="groups: must be all groups of each user"):
            state.update(wrong)
    with pytest.raises(ReportError, match="foreign"):
        state.update(replace(EVERY, seed=1).privatize([1]))
    with pytest.raises(ReportError, match="foreign"):
        BitState.from_bytes(BitState(GROUPS).to_bytes(), EVERY)
    with pytest.raises(ReportError, match="other: must be"):
        state.merge(PrefixState)  # type: ignore[arg-type]  # no state at all
    with pytest.raises(ReportError, match="must hold reports"):
        state.heavy_hitters()
    with pytest.raises(DomainError):
        whole.estimate([256])
    with pytest.raises(ParameterError, match="top"):
        whole.heavy_hitters(0)
    with pytest.raises(ParameterError, match="false_alarm"):
        whole.heavy_hitters(false_alarm=0.0)
    other: Any = "small"
    with pytest.raises(ParameterError, match="protocol"):
        BitState(other)


def test_nothing_found_is_no_empty_list(seed: int) -> None:
    """Null: a value that no frequent one shares a cell with is published with 1e-7 at most."""
    wide = BitGroups(1.0, bits=32)
    values = np.arange(20_000, dtype=np.int64) * 200_000
    state = BitState(wide, simulated=True).update(wide.privatize(values, rng=seed))
    with pytest.raises(ReportError, match=r"holds no value that stands out; one in ten .* of \d+"):
        state.heavy_hitters(false_alarm=1e-7)
