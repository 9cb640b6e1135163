"""The server of prefix cohorts: what it finds, how it counts, what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import GroupReports, PrefixCohorts, PrefixCohortState, PrefixExtending
from ldp_verified.protocols.prefix_search import KeptPrefixes

SMALL = PrefixCohorts(3.0, bits=12, first=5, step=4, cohorts=64, g=4)
VALUES = [0, 1, 2741, 4095]
HOLDERS = [1000, 3000, 6000, 10_000]


def small(rng: int = 1) -> GroupReports:
    return SMALL.simulate(VALUES, HOLDERS, rng=rng)


def test_it_finds_words_that_nobody_listed(seed: int) -> None:
    """Null: words of shares 0.3, 0.25 and 0.2 are found, each count within 6 standard errors.

    n = 60,000 at epsilon = 4; a share of 0.2 is outranked with 3e-7 at most, whatever the public
    functions do. Six standard errors: 2e-9 each, normal approximation.
    In all below 1e-6.
    """
    words = PrefixCohorts(4.0, step=16)
    assert words.detectable_share(60_000, miss=3e-7) <= 0.2
    rare = [f"rare{number}" for number in range(150)]
    held = {"the": 18_000, "naïve": 15_000, "日本語": 12_000}
    counts = [*held.values(), *[100] * 150]
    state = PrefixCohortState(words, simulated=True).update(
        words.simulate([*held, *rare], counts, rng=seed)
    )
    found = state.heavy_hitters(top=8, keep=16, false_alarm=1e-7)
    assert {word for word, _, _ in found} == set(held)
    for word, count, error in found:
        assert abs(count - held[str(word)]) <= 6 * error
    every = state.heavy_hitters(top=8, keep=16, false_alarm=None)
    assert set(held) <= {word for word, _, _ in every}
    assert found.simulated


@pytest.mark.parametrize("value, held", [(2741, 6000), (2740, 0), (4095, 10_000)])
def test_the_count_of_a_value_fixed_beforehand_is_unbiased(
    value: int, held: int, seed: int
) -> None:
    """Null: the mean of 60 estimates is the true count, with the standard errors that are stated.

    n = 20,000 users each; normal approximation. The mean is looked at with 6 standard deviations,
    2e-9, with stated standard errors that are off by less than a tenth: three values below 1e-7. A
    bias of one standard deviation of an estimate is missed with 4 percent.
    """
    errors, sizes = [], []
    for run in range(60):
        found = PrefixCohortState(SMALL, True).update(small(seed + run)).estimate([value])
        errors.append(float(found.counts[0]) - held)
        sizes.append(float(found.std_error[0]))
    assert abs(np.mean(errors)) <= 6 * np.mean(sizes) / 60**0.5


def test_scores_are_those_of_a_plain_loop(seed: int) -> None:
    """Level by level, beside supports that are counted report by report."""
    few = SMALL.privatize(np.repeat(VALUES, [100, 300, 600, 1000]), rng=seed)
    state = PrefixCohortState(SMALL, simulated=True).update(few)
    kept, earlier = KeptPrefixes.nothing(), 0
    for level in range(SMALL.levels):
        m, reports = state._level(level)
        assert m == int(np.count_nonzero(few.groups == level))
        begin, end = reports.begin, reports.end
        error = (SMALL.variance_absent / m) ** 0.5
        found = {}
        for parent, score in zip(kept.prefixes, kept.scores, strict=True):
            first = SMALL.decode(parent)
            assert isinstance(first, int)
            for more in range(1 << (end - begin)):
                child = first | more << (12 - end)
                own = share(state, level, child)
                pooled = (m * own + earlier * min(score, own + error)) / (m + earlier)
                found[child] = pooled, own
        kept = reports.extended(kept, 6)
        names = [SMALL.decode(each) for each in kept.prefixes]
        assert len(set(names)) == 6
        assert [found[int(str(name))] for name in names] == [
            pytest.approx(pair, abs=1e-12) for pair in zip(kept.scores, kept.shares, strict=True)
        ]
        # Ties may be broken in any way.
        assert kept.scores == pytest.approx(sorted((each for each, _ in found.values()))[:-7:-1])
        earlier += m


def share(state: PrefixCohortState, level: int, value: int) -> float:
    """The estimate of one prefix from the reports of its level."""
    seeds, buckets = state.group(level)
    (encoded,) = SMALL.encode([value])
    hit = [reference_hash(s, encoded) == b for s, b in zip(seeds, buckets, strict=True)]
    return float((np.mean(hit) - 1 / SMALL.buckets) / SMALL.gain)


def reference_hash(seed: Any, value: Any) -> int:
    """Bits of a hash one by one, from integers of any length."""
    matrix = sum(int(word) << (64 * place) for place, word in enumerate(seed))
    number = int(value[0]) << 64 | int(value[1])
    rows = [(matrix >> j) & ((1 << 128) - 1) for j in range(SMALL.hash_bits)]
    return sum(((row & number).bit_count() & 1) << j for j, row in enumerate(rows))


def test_it_does_not_matter_how_reports_arrive(tmp_path: Path) -> None:
    one, two = small(1), small(2)
    whole = PrefixCohortState(SMALL, True).update(one).update(two)
    merged = (
        PrefixCohortState(SMALL, True).update(one).merge(PrefixCohortState(SMALL, True).update(two))
    )
    assert whole.to_bytes() == merged.to_bytes()
    whole.save(tmp_path / "state")
    read = PrefixCohortState.load(tmp_path / "state", SMALL)
    assert read.n == 40_000
    assert list(read.heavy_hitters(3)) == list(whole.heavy_hitters(3))


@pytest.mark.parametrize(
    "other", [{"epsilon": 2.0}, {"first": 4}, {"step": 3}, {"cohorts": 63}, {"seed": 1}, {"g": 8}]
)
def test_reports_of_another_protocol_are_refused(other: dict[str, Any]) -> None:
    state = PrefixCohortState(SMALL)
    with pytest.raises(ReportError, match="reports: are foreign"):
        state.update(replace(SMALL, **other).privatize([1]))
    with pytest.raises(ReportError, match="reports: are foreign"):
        state.update(PrefixExtending(3.0, bits=12).privatize([1]))
    assert state.n == 0


def test_functions_that_are_not_public_are_refused() -> None:
    """Of the whole family only where a user confirms; of another level's list nowhere."""
    own = SMALL.functions[1][:1]
    report = replace(SMALL.privatize([1]), groups=np.array([1], dtype=np.uint8))
    assert PrefixCohortState(SMALL).update(replace(report, seeds=own.copy())).n == 1
    wrong = [SMALL.functions[0][:1], *(own ^ bit for bit in np.eye(3, dtype=np.uint64))]
    for seeds in wrong:
        state = PrefixCohortState(SMALL)
        with pytest.raises(ReportError, match="seeds: must be of the public functions of group 1"):
            state.update(replace(report, seeds=seeds))
        assert state.n == 0
    confirms = np.array([SMALL.levels], dtype=np.uint8)
    fresh = replace(report, groups=confirms, seeds=own ^ np.array([5, 0, 0], np.uint64))
    assert PrefixCohortState(SMALL).update(fresh).n == 1
    with pytest.raises(ReportError, match="seeds: must have 129 bits"):
        PrefixCohortState(SMALL).update(replace(fresh, seeds=np.full((1, 3), 2, dtype=np.uint64)))


def test_nothing_is_no_empty_list(seed: int) -> None:
    """Null: nobody holds what others hold; a value is published with 1e-7 at most."""
    with pytest.raises(ReportError, match=r"state: must hold reports, got 0"):
        PrefixCohortState(SMALL).heavy_hitters(3)
    alone = SMALL.privatize([1], rng=1)
    with pytest.raises(ReportError, match="state: must hold reports of"):
        PrefixCohortState(SMALL, True).update(alone).heavy_hitters(3)
    wide = PrefixCohorts(1.0, bits=32)
    values = np.arange(20_000, dtype=np.int64) * 200_000
    state = PrefixCohortState(wide, simulated=True).update(wide.privatize(values, rng=seed))
    with pytest.raises(ReportError, match=r"holds no value that stands out; one in ten .* of \d+"):
        state.heavy_hitters(3, keep=8, false_alarm=1e-7)
    assert len(list(state.heavy_hitters(3, keep=8, false_alarm=None))) == 3


def test_arguments_out_of_range_are_refused() -> None:
    state = PrefixCohortState(SMALL, True).update(small())
    for wrong in (
        {"top": 0},
        {"top": 5, "keep": 4},
        {"false_alarm": 0.0},
        {"false_alarm": 1.0},
        {"ranked": "best"},
        {"ranked": None},
    ):
        with pytest.raises(ParameterError, match="must"):
            state.heavy_hitters(**wrong)
    other: Any = PrefixExtending(1.0)
    with pytest.raises(ParameterError, match="protocol"):
        PrefixCohortState(other)


def test_all_reports_rank_what_was_found(seed: int) -> None:
    """With the confirming group's reports values that nobody holds are dropped, and none is added.

    Null: a value that nobody holds passes with 0.16, normal approximation, and one of a share of
    0.15 or more fails with less than 1e-9, at n = 20,000. That all 12 or more that are made up pass
    has a chance below 1e-9.
    """
    state = PrefixCohortState(SMALL, True).update(small(seed))
    finding = state.heavy_hitters(16, false_alarm=None)
    every = state.heavy_hitters(16, false_alarm=None, ranked="all")
    assert len(list(finding)) == 16 > len(list(every))
    assert set(VALUES[1:]) <= {value for value, _, _ in every}
    assert all(count > 0 for _, count, _ in every)
    alone = state.heavy_hitters(16, ranked="all")
    assert [value for value, _, _ in alone][:3] == [4095, 2741, 1]
    nobody = state._confirmed(SMALL.encode([7, 4095]), np.array([1.0, 1.0]), 1e12)
    assert nobody.tolist() in ([1], [1, 0], [0, 1])


def test_a_state_of_one_public_function_is_read_back() -> None:
    """Its bits are no coins of the users; those of the confirming group are."""
    made = PrefixCohorts(4.0, bits=20, first=8, step=6, cohorts=1)
    reports = made.privatize([1] * 3000)
    data = PrefixCohortState(made).update(reports).to_bytes()
    assert PrefixCohortState.from_bytes(data, made).n == 3000
    confirming = reports.groups == made.levels
    seeds = reports.seeds.copy()
    seeds[confirming] = 0
    odd = PrefixCohortState(made).update(replace(reports, seeds=seeds)).to_bytes()
    with pytest.raises(ReportError, match="implausible=True"):
        PrefixCohortState.from_bytes(odd, made)
