"""The comparison of auditors: closed forms beside simulation, limits beside their definition.

Simulated shares of 200,000 guesses are compared at seven standard errors: false alarms of the 14
comparisons are below 1e-10 together.
"""

from __future__ import annotations

from math import e, exp
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks import classifiers
from benchmarks.audited_protocols import Protocol, grr, noise, protocols
from benchmarks.auditors import PAGE, apart, measured, needed
from ldp_verified.check.audit.bounds.bounds import METHODS, Stake, Tally, lower_bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

K, N = 6, 200_000


def guess(held: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """One of the values supported, or any where there is none."""
    weights = held * rng.random(held.shape) + 1e-9 * rng.random(held.shape)
    return np.asarray(np.argmax(weights, axis=1))


def drawn(name: str, value: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Guesses of 200,000 reports of a value."""
    own = np.arange(K) == value
    size = (N, K)
    if name == "GRR":
        kept = rng.random(N) < e / (e + K - 1)
        return np.where(kept, value, (value + rng.integers(1, K, size=N)) % K)
    if name in ("SUE", "OUE"):
        p, q = (0.5, 1 / (e + 1)) if name == "OUE" else (exp(0.5) / (exp(0.5) + 1),) * 2
        q = q if name == "OUE" else 1 - p
        return guess(rng.random(size) < np.where(own, p, q), rng)
    if name in ("BLH", "OLH"):
        g = 2 if name == "BLH" else 4
        buckets = rng.integers(0, g, size=size)
        true = buckets[:, value]
        told = np.where(
            rng.random(N) < e / (e + g - 1), true, (true + rng.integers(1, g, size=N)) % g
        )
        return guess(buckets == told[:, None], rng)
    if name == "SHE":
        noisy = own + rng.laplace(0, 2, size=size)
        score = np.clip(np.abs(noisy) - np.abs(noisy - 1), -1, 1)
        return guess(np.isclose(score, score.max(axis=1, keepdims=True)), rng)
    raise AssertionError(name)


@pytest.mark.parametrize("name", ["GRR", "SUE", "OUE", "BLH", "OLH", "SHE"])
def test_guesses_are_as_likely_as_is_said(name: str, rng: np.random.Generator) -> None:
    found = next(each for each in protocols(K) if each.name == name)
    for value, chance in ((0, found.own), (1, found.other)):
        share = float(np.mean(drawn(name, value, rng) == 0))
        assert abs(share - chance) < 7 * (chance * (1 - chance) / N) ** 0.5


@pytest.mark.parametrize("protocol", protocols(), ids=lambda each: each.name)
def test_strata_hold_all_that_speaks_and_are_eps_apart(protocol: Protocol) -> None:
    """Of each (s, a), own and other have the odds s e/a; together they are what a report is."""
    for s, a, plus, minus in protocol.strata:
        assert plus * a == pytest.approx(minus * s * e, rel=1e-6)
    others = sum(a / 24 * plus for _, a, plus, _ in protocol.strata)
    told = protocol.plus if protocol.stake == 1.0 else protocol.plus * protocol.stake / 24
    assert others == pytest.approx(told, rel=1e-6)
    assert sum(plus + minus for *_, plus, minus in protocol.strata) <= 1 + 1e-9


@pytest.mark.parametrize("protocol", protocols(), ids=lambda each: each.name)
def test_our_events_are_eps_apart_and_no_guess_is_more(protocol: Protocol) -> None:
    assert protocol.plus * protocol.stake / protocol.minus == pytest.approx(e)
    assert protocol.own / protocol.other <= e * (1 + 1e-9)
    assert protocol.plus + protocol.minus <= 1


def test_limits_hold_as_often_as_the_level_says() -> None:
    """The exact chance, over all pairs of counts, that the bound is above the true eps."""
    n, p, q = 40, 0.5, 0.25
    wrong = 0.0
    for hits in range(n + 1):
        for others in range(n + 1):
            if apart(hits, n, others, n, 0.1) > np.log(p / q):
                wrong += binom.pmf(hits, n, p) * binom.pmf(others, n, q)
    assert 0 < wrong <= 0.1


def test_the_perfect_classifier_takes_what_is_above_the_claim(rng: np.random.Generator) -> None:
    """Of noise on both items; elsewhere it is our own event of two inputs."""
    for mine, chance in zip((True, False), noise().sure, strict=True):
        items = np.array([mine, not mine]) + rng.laplace(0, 2, size=(N, 2))
        spoken = np.clip(np.abs(items) - np.abs(items - 1), -1, 1) / 2
        share = float(np.mean(spoken[:, 0] - spoken[:, 1] > 0.9))
        assert abs(share - chance) < 7 * (chance * (1 - chance) / N) ** 0.5
    assert grr().sure == (grr().plus, grr().minus / grr().stake)


@pytest.mark.parametrize("claim", [0.5, 1.0])
def test_claims_of_classifiers_are_refuted_as_seldom_as_the_level_says(claim: float) -> None:
    """The exact chance at a pair of chances that keeps the claim, and one that breaks it.

    For each true pair the margin of a lower level refutes more often: it is the margin that holds.
    """
    n, level = 60, 0.1
    half = n // 2
    kept = (exp(claim) * 0.2, 0.2)
    right = (exp(claim) * (1 - kept[1]) + kept[0]) / (1 + exp(claim))
    counts = range(n + 1)
    mass = np.asarray(binom.pmf(counts, n, right))
    refuted = [classifiers.hockey_stick_refutes((c, 0), n, claim, level) for c in counts]
    alarms = float(np.sum(mass[refuted]))
    bare = [classifiers.hockey_stick_refutes((c, 0), n, claim, 0.999) for c in counts]
    assert alarms <= level
    assert float(np.sum(mass[bare])) > level
    pairs = [(a, b) for a in range(half + 1) for b in range(half + 1)]
    chance = [binom.pmf(a, half, kept[0]) * binom.pmf(b, half, kept[1]) for a, b in pairs]
    found = [classifiers.curve_refutes(each, n, claim, level) for each in pairs]
    assert float(np.sum(np.array(chance)[found])) <= level
    assert classifiers.curve_refutes((half, 0), n, claim, level)
    assert classifiers.curve(0.2, claim) == pytest.approx(1 - kept[0])


def test_a_run_ends_where_it_stays(rng: np.random.Generator) -> None:
    seen = needed("ours", grr(), rng)
    assert seen is not None
    assert seen < 33_000_000
    clean = Protocol("none", 0.25, 0.25, 1.0, 0.2, 0.2, 0.01, (0.25, 0.25), ((2, 2, 0.25, 0.25),))
    for auditor in ("ours", "attack", "auditorium", "curve"):
        assert needed(auditor, clean, rng) is None
    assert lower_bound(Tally(3, 3, 6), Stake(), 0.01, 0.0, METHODS[0]) == 0.0


def test_the_page_is_what_the_program_measures() -> None:
    """Its first and last rows again, with the same seeds."""
    page = PAGE.read_text(encoding="utf-8")
    for protocol, auditor in ((grr(), "ours"), (noise(), "sniper"), (noise(), "curve")):
        median, interval = measured(protocol, auditor)
        row = next(line for line in page.splitlines() if line.startswith(f"| {protocol.name} "))
        assert f"{median}<br>{interval}" in row
