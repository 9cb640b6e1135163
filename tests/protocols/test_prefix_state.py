"""The server of prefix extending: what it finds, how it counts, what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols.grouped_hashing import GroupReports
from ldp_verified.protocols.prefix_extending import PrefixExtending
from ldp_verified.protocols.prefix_state import PrefixState

SMALL = PrefixExtending(3.0, bits=12, step=5, g=4)
VALUES = [0, 1, 2741, 4095]
HOLDERS = [1000, 3000, 6000, 10_000]


def small(rng: int = 1) -> GroupReports:
    return SMALL.simulate(VALUES, HOLDERS, rng=rng)


def test_it_finds_words_that_nobody_listed(seed: int) -> None:
    """Null: words of shares 0.3, 0.25 and 0.2 are found, each count within 6 standard errors.

    n = 60,000 at epsilon = 4; by the plan at that n a share of 0.08 is missed with 1e-3, and by the
    same formula 0.2 with less than 1e-12. Six standard errors: 2e-9 each, normal approximation. A
    word that nobody holds is published with 1e-7 at most. In all below 1e-6.
    """
    words = PrefixExtending(4.0)
    assert words.detectable_share(60_000, miss=1e-9) < 0.2
    rare = [f"rare{number}" for number in range(150)]
    held = {"the": 18_000, "naïve": 15_000, "日本語": 12_000}
    counts = [*held.values(), *[100] * 150]
    state = PrefixState(words, simulated=True).update(
        words.simulate([*held, *rare], counts, rng=seed)
    )
    found = state.heavy_hitters(top=8, keep=16, false_alarm=1e-7)
    assert {word for word, _, _ in found} == set(held)
    for word, count, error in found:
        assert abs(count - held[str(word)]) <= 6 * error
    assert found.n == 60_000
    assert found.simulated


@pytest.mark.parametrize("value, held", [(2741, 6000), (2740, 0), (4095, 10_000)])
def test_the_count_of_a_value_fixed_beforehand_is_unbiased(
    value: int, held: int, seed: int
) -> None:
    """Null: the mean of 60 estimates is the true count, and their spread is the one stated.

    n = 20,000 users each; normal approximation. The mean of 60 is looked at with 5.5 standard
    deviations of its own, 3.8e-8; a bias of one standard deviation of an estimate is missed with
    1.3 percent.
    The sum of squares over sigma^2 is chi-square with 60 degrees: outside 17..140 with 3.3e-8; a
    variance three times as large is missed with 11 percent. Three values: 2.2e-7 in all.
    """
    errors, variance = [], []
    for run in range(60):
        found = PrefixState(SMALL, True).update(small(seed + run)).estimate([value])
        n, share = found.n, held / found.n
        m = round(n / float(found.oracle.half_step * 2 * SMALL.gain))
        own = SMALL.variance_absent + (SMALL.variance_held - SMALL.variance_absent) * share
        variance.append((n / m) ** 2 * m * (own + share * (1 - share) * (n - m) / (n - 1)))
        errors.append(float(found.counts[0]) - held)
        assert float(found.std_error[0]) == pytest.approx(variance[-1] ** 0.5, rel=0.2)
    sigma = np.mean(variance) ** 0.5
    assert abs(np.mean(errors)) <= 5.5 * sigma / 60**0.5
    assert 17 <= np.sum(np.square(errors)) / sigma**2 <= 140


def test_it_does_not_matter_how_reports_arrive(tmp_path: Path) -> None:
    one, two = small(1), small(2)
    whole = PrefixState(SMALL, True).update(one).update(two)
    merged = PrefixState(SMALL, True).update(one).merge(PrefixState(SMALL, True).update(two))
    assert whole.to_bytes() == merged.to_bytes()
    whole.save(tmp_path / "state")
    read = PrefixState.load(tmp_path / "state", SMALL)
    assert read.to_bytes() == whole.to_bytes()
    assert read.n == 40_000
    assert read.simulated
    assert list(read.estimate(list(VALUES))) == list(whole.estimate(VALUES))
    assert list(read.heavy_hitters(3)) == list(whole.heavy_hitters(3))


@pytest.mark.parametrize(
    "other",
    [
        {"epsilon": 2.0},
        {"bits": 13},
        {"step": 4},
        {"g": 8},
        {"bits": None},
    ],
)
def test_reports_of_another_protocol_are_refused(other: dict[str, Any]) -> None:
    foreign = replace(SMALL, **other)
    reports = foreign.privatize(["a"] if foreign.bits is None else [1])
    state = PrefixState(SMALL)
    with pytest.raises(ReportError, match="reports: are foreign"):
        state.update(reports)
    with pytest.raises(ReportError, match="other: is foreign"):
        state.merge(PrefixState(foreign))
    with pytest.raises(ReportError, match="data: is foreign"):
        PrefixState.from_bytes(PrefixState(foreign).update(reports).to_bytes(), SMALL)
    assert state.n == 0


@pytest.mark.parametrize(
    "name, change",
    [
        ("groups", {"groups": np.array([4], dtype=np.uint8)}),
        ("groups", {"groups": np.array([1], dtype=np.int64)}),
        ("buckets", {"buckets": np.array([4], dtype=np.uint8)}),
        ("buckets", {"buckets": np.array([1, 1], dtype=np.uint8)}),
        ("seeds", {"seeds": np.full((1, 3), 2, dtype=np.uint64)}),
        ("seeds", {"seeds": np.zeros((1, 2), dtype=np.uint64)}),
    ],
)
def test_malformed_reports_are_refused(name: str, change: dict[str, Any]) -> None:
    state = PrefixState(SMALL)
    with pytest.raises(ReportError, match=f"{name}: must"):
        state.update(replace(SMALL.privatize([1]), **change))
    assert state.n == 0


def test_damaged_states_are_refused() -> None:
    data = PrefixState(SMALL, True).update(small()).to_bytes()
    for wrong in (b"", data[:-1], data + b"\0", data[:50] + bytes([data[50] ^ 1]) + data[51:]):
        with pytest.raises(ReportError, match="data"):
            PrefixState.from_bytes(wrong, SMALL)


def test_nothing_seen_is_no_empty_list() -> None:
    state = PrefixState(SMALL)
    with pytest.raises(ReportError, match=r"state: must hold reports, got 0"):
        state.heavy_hitters(3)
    with pytest.raises(ReportError, match="state: must hold reports of the confirming group"):
        state.estimate([1])


def test_nothing_found_is_no_empty_list(seed: int) -> None:
    """Null: nobody holds what others hold; a value is published with 1e-7 at most."""
    wide = PrefixExtending(1.0, bits=32)
    values = np.arange(20_000, dtype=np.int64) * 200_000
    state = PrefixState(wide, simulated=True).update(wide.privatize(values, rng=seed))
    with pytest.raises(ReportError, match=r"holds no value that stands out; one in ten .* of \d+"):
        state.heavy_hitters(3, keep=8, false_alarm=1e-7)
    assert len(list(state.heavy_hitters(3, keep=8, false_alarm=None))) == 3


def test_arguments_out_of_range_are_refused() -> None:
    state = PrefixState(SMALL, True).update(small())
    for wrong in ({"top": 0}, {"top": 5, "keep": 4}, {"false_alarm": 0.0}, {"false_alarm": 1.0}):
        with pytest.raises(ParameterError, match="must"):
            state.heavy_hitters(**wrong)
    with pytest.raises(DomainError):
        state.estimate([4096])
    with pytest.raises(DomainError):
        state.estimate("word")
    with pytest.raises(DomainError, match="one value or more"):
        state.estimate([])
    other: Any = "small"
    with pytest.raises(ParameterError, match="protocol"):
        PrefixState(other)
