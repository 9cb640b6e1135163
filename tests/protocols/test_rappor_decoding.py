"""Decoding: exactly unbiased in expectation, and within its standard errors on simulated users."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import KnownDomain, Rappor, RapporState, find_candidates
from ldp_verified.protocols.rappor_decoding import design
from ldp_verified.run.kernels.bernoulli import randomize_bits
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPLOYMENT = Rappor(0.25, 0.125, 0.875, 16, 2, cohorts=4)
STRINGS = tuple(f"string {i}" for i in range(12))


def simulate(deployment: Rappor, counts: dict[str, int], seed: int) -> RapporState:
    """One report of each of many new users, with random cohorts."""
    rng = np.random.default_rng(seed)
    state = RapporState(deployment, simulated=True)
    lie, low, high = deployment.thresholds
    source = word_source(rng, "test")
    for string, users in counts.items():
        cohorts = rng.integers(0, deployment.cohorts, users)
        encoded = np.array(
            [deployment.encoder.encode(string, c) for c in range(deployment.cohorts)]
        )[cohorts]
        kept = randomize_bits(encoded, deployment.bits, 2**64 - lie, lie, source)
        sent = randomize_bits(kept, deployment.bits, high, low, source)
        state.update_packed(cohorts, sent, simulated=True)
    return state


TIMES = 1 << 40


def expected_state(deployment: Rappor, counts: dict[str, int]) -> RapporState:
    """Return a state with the mean counters, with users spread evenly over cohorts.

    Averages are no integers: these are of 2^40 times as many users, rounded.
    """
    one, zero = (float(cell) for cell in deployment.cells)
    ones = np.zeros((deployment.cohorts, deployment.bits))
    for string, users in counts.items():
        share = users / deployment.cohorts
        for cohort in range(deployment.cohorts):
            held = np.zeros(deployment.bits)
            held[list(deployment.encoder.positions(string, cohort))] = 1
            ones[cohort] += share * (held * one + (1 - held) * zero)
    total = sum(counts.values()) // deployment.cohorts
    reports = np.full(deployment.cohorts, total * TIMES, dtype=np.int64)
    return RapporState(deployment, reports, np.rint(ones * TIMES).astype(np.int64))


def test_the_expected_counters_decode_to_the_counts() -> None:
    """Strings share bits here (12 strings of 2 bits in 16): collisions are accounted for."""
    counts = {string: 40 * (i + 1) for i, string in enumerate(STRINGS)}
    overlaps = design(DEPLOYMENT, STRINGS, range(4)).sum(axis=1)
    assert overlaps.max() > 1
    decoded = KnownDomain(DEPLOYMENT, STRINGS).decode(expected_state(DEPLOYMENT, counts))
    assert decoded.counts / TIMES == pytest.approx(list(counts.values()))


def test_counting_bits_alone_would_not() -> None:
    """The planted-wrong decoder: the mean of a string's own bits, collisions not accounted for."""
    counts = {string: 40 * (i + 1) for i, string in enumerate(STRINGS)}
    state = expected_state(DEPLOYMENT, counts)
    bits = state.set_bits() / TIMES
    wrong = [
        np.mean(
            [
                bits[c, b] * DEPLOYMENT.cohorts
                for c in range(4)
                for b in DEPLOYMENT.encoder.positions(string, c)
            ]
        )
        for string in STRINGS
    ]
    errors = np.abs(np.array(wrong) - list(counts.values()))
    assert errors.max() > 100


def test_estimates_are_within_their_errors(seed: int) -> None:
    """Null: unbiased, with the stated errors; 12 counts of 60 runs.

    The sum of squared z-scores of a run has mean 12 and, by normality, standard deviation near 5
    (correlated counts: below 12 sqrt(2)); its mean over 60 runs is within 7 of 12 but for
    probability below 1e-7, and each z below 7.
    """
    counts = {string: 100 * (i + 1) for i, string in enumerate(STRINGS)}
    domain = KnownDomain(DEPLOYMENT, STRINGS)
    scores: list[NDArray[np.float64]] = []
    for run in range(60):
        decoded = domain.decode(simulate(DEPLOYMENT, counts, seed + run))
        scores.append((decoded.counts - list(counts.values())) / decoded.std_error)
    z = np.array(scores)
    assert np.abs(z).max() < 7
    assert abs((z**2).sum(axis=1).mean() - 12) < 7
    # A bias of one standard error in any count would be seen here: 60 runs, 7 of their deviations.
    assert np.all(np.abs(z.mean(axis=0)) < 7 / 60**0.5)


def test_domains_that_cannot_be_told_apart_are_refused() -> None:
    tiny = Rappor(0.25, 0.125, 0.875, 2, 2, cohorts=2)
    with pytest.raises(ParameterError, match="rank"):
        KnownDomain(tiny, STRINGS)
    with pytest.raises(ParameterError, match="different strings"):
        KnownDomain(DEPLOYMENT, ("a", "a"))
    other = RapporState(tiny)
    with pytest.raises(ParameterError, match="same deployment"):
        KnownDomain(DEPLOYMENT, STRINGS).decode(other)


def test_frequent_strings_are_found_among_many(seed: int) -> None:
    """300 candidates, more than the 8 x 32 bits; four are held, by 8,000 to 20,000 of 50,000.

    The level asked for is 1e-7; the least frequent lies more than 20 standard errors above 0, so
    missing it has a probability far below that.
    """
    deployment = Rappor(0.25, 0.125, 0.875, 32, 2, cohorts=8)
    candidates = [f"candidate {i}" for i in range(300)]
    counts = {candidates[7]: 20_000, candidates[50]: 12_000, candidates[200]: 10_000}
    counts[candidates[299]] = 8_000
    state = simulate(deployment, counts, seed)
    found = find_candidates(state, candidates, level=1e-7)
    assert {each.string for each in found} >= set(counts)
    truth = [counts.get(each.string, 0) for each in found]
    estimates = [each.count for each in found]
    # The lasso leaves a few strings out or takes some in, so a bias of a few errors is allowed.
    assert np.abs(np.array(truth) - estimates).max() < 3000
    assert len(found) <= len(counts) + 1


def test_nobody_is_found_where_nobody_is(seed: int) -> None:
    deployment = Rappor(0.25, 0.125, 0.875, 32, 2, cohorts=8)
    candidates = [f"candidate {i}" for i in range(100)]
    state = simulate(deployment, {f"unknown {i}": 20 for i in range(500)}, seed)
    found = find_candidates(state, candidates, level=1e-7)
    assert sum(each.count for each in found) < 3000


def test_arguments_are_checked() -> None:
    state = RapporState(DEPLOYMENT)
    with pytest.raises(ParameterError, match="level"):
        find_candidates(state, ["a"], level=0.0)
    with pytest.raises(ParameterError, match="strings"):
        find_candidates(state, ["a", "a"])
    with pytest.raises(ParameterError, match="two cohorts"):
        find_candidates(state, ["a"])


def test_a_decoded_state_is_an_estimate_like_others(seed: int) -> None:
    """Labels, sums, tables, consistent counts; tests that need supports refuse it."""
    counts = {string: 100 * (i + 1) for i, string in enumerate(STRINGS)}
    decoded = KnownDomain(DEPLOYMENT, STRINGS).decode(simulate(DEPLOYMENT, counts, seed))
    assert decoded.labels == STRINGS
    assert decoded.n == sum(counts.values())
    assert decoded["string 3"].label == "string 3"
    pair = decoded.sum_of(["string 1", "string 2"])
    assert pair.exact
    both = decoded.sum_of(STRINGS)
    assert both.value == pytest.approx(float(decoded.counts.sum()))
    sensible = decoded.consistent("norm-sub").counts
    assert (sensible >= 0).all()
    assert sensible.sum() == pytest.approx(decoded.n)
    with pytest.raises(ParameterError, match="new draws"):
        decoded.changed_since(decoded)
    empty = KnownDomain(DEPLOYMENT, STRINGS).decode(RapporState(DEPLOYMENT))
    assert empty.n == 0
    assert (empty.std_error == 0).all()


def test_one_count_alone_has_the_error_that_is_stated_of_it(seed: int) -> None:
    counts = {string: 100 * (i + 1) for i, string in enumerate(STRINGS)}
    decoded = KnownDomain(DEPLOYMENT, STRINGS).decode(simulate(DEPLOYMENT, counts, seed))
    for place, string in enumerate(STRINGS):
        assert decoded.sum_of([string]).std_error == pytest.approx(float(decoded.std_error[place]))
