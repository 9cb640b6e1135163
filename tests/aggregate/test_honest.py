"""Honest reports pass the tests of a state at the stated level; crude attacks do not.

Level: every state that few users can give is written out with its exact probability, for several
populations. No attack is searched for: those that are planted here are far above what a test of the
significance 1e-6 misses, and a test of the significance 1e-9 is asked.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR, OUE
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate import honest
from ldp_verified.run.aggregate.honest import Honesty, honesty, of_coins
from ldp_verified.run.aggregate.public_choices import uniform_counts
from ldp_verified.run.mechanisms import CMS, HCMS, HRR, HadamardResponse, HashCohorts, TwoCoins
from tests.broken.influences import as_if_the_share_were_zero, one_tail_only
from tests.mechanisms.against_table import every_report

if TYPE_CHECKING:
    from collections.abc import Callable

Law = dict[tuple[int, ...], Fraction]

SMALL: dict[str, Any] = {
    "grr": GRR(1.0, 3),
    "oue": OUE(1.0, 2),
    "hash_cohorts": HashCohorts(1.0, 3, 2),
    "hrr": HRR(1.0, 3),
    "hadamard_response": HadamardResponse(1.0, 3),
    "cms": CMS(1.0, 2, 2),
    "hcms": HCMS(1.0, 2, 2),
    "two_coins": TwoCoins(0.5, 0.25),
}
POPULATIONS = ((0, 0, 0, 0), (0, 0, 1, 1), (1, 1, 1, 1))


def law_of_states(made: Any, users: tuple[int, ...]) -> Law:
    """The exact probability of all counters that one report of each user may give."""
    law: Law = {tuple([0] * made.layout.counters): Fraction(1)}
    reports = list(every_report(made))
    counted = [made.layout.count(made.layout.check(y[np.newaxis])) for y in reports]
    for x in users:
        after: Law = defaultdict(Fraction)
        for counters, chance in law.items():
            for y, more in zip(reports, counted, strict=True):
                after[tuple((np.array(counters) + more).tolist())] += chance * made.pmf(y, x)
        law = after
    return law


def above_the_level(made: Any, test: Callable[..., Honesty] = honesty) -> list[float]:
    """The p-values that honest reports reach more often than a p-value may."""
    found = []
    for users in POPULATIONS:
        chances: dict[float, Fraction] = defaultdict(Fraction)
        for counters, chance in law_of_states(made, users).items():
            array = np.array(counters)
            supports = made.layout.supports(array.copy())
            chances[test(made.oracle, len(users), supports, array).p_value] += chance
        total = Fraction(0)
        for p_value in sorted(chances):
            total += chances[p_value]
            if p_value < 1 and float(total) > p_value * (1 + 1e-9):
                found.append(p_value)
    return found


@pytest.mark.parametrize("name", SMALL)
def test_honest_reports_pass_at_the_level(name: str) -> None:
    made = SMALL[name]
    assert above_the_level(made) == []
    assert made.empty(simulated=True).honesty().checks == ()


@pytest.mark.parametrize("wrong", [one_tail_only, as_if_the_share_were_zero])
def test_a_test_above_its_level_is_seen(wrong: Callable[..., Honesty]) -> None:
    assert any(above_the_level(SMALL[name], wrong) for name in ("grr", "oue"))


def of_honest_users(made: Any, seed: int) -> Any:
    """99,000 reports, of all values alike."""
    return made.privatize(np.arange(99_000) % made.k, rng=seed)


def doubted(made: Any, fakes: Any, seed: int) -> set[str]:
    """The tests that reject 1 % of such reports among honest ones."""
    both = [of_honest_users(made, seed), made.reports(fakes, simulated=True)]
    found = made.aggregate(both, simulated=True).estimate()
    named = {check.name for check in found.honesty.doubted(1e-9)}
    assert ("hardly all honest" in found.heading) == bool(named)
    assert ("hardly all honest" in repr(found)) == bool(named)
    return named


def test_crude_attacks_are_seen(seed: int) -> None:
    """Reports of one value of GRR, all bits of OUE, one function of local hashing."""
    assert doubted(GRR(0.5, 100), np.zeros(1000, dtype=np.uint8), seed)
    full = np.full((1000, 2), (1 << 64) - 1, dtype=np.uint64)
    full[:, 1] = (1 << 36) - 1
    assert "ones per report" in doubted(OUE(0.5, 100), full, seed)
    cohorts = HashCohorts(0.5, 100)
    zeros = np.zeros(1000, dtype=np.uint16)
    assert "cohort balance" in doubted(cohorts, zeros, seed)


def test_honest_reports_and_a_false_value_are_not_doubted(seed: int) -> None:
    """Who randomizes a value that is not theirs cannot be told from who holds it.

    Null: reports of the table. Level 1e-9 each, n = 100,000; nothing is to be detected.
    """
    for made in (GRR(0.5, 100), OUE(0.5, 100)):
        lies = made.privatize(np.zeros(1000, dtype=np.int64), rng=seed + 1)
        assert doubted(made, lies.data, seed) == set()


def test_public_choices_are_uniform() -> None:
    """The sum of the table over all reports of one choice is the same for every choice."""
    for name in ("hash_cohorts", "hrr", "cms", "hcms"):
        made = SMALL[name]
        shares: Any = 0
        for y in every_report(made):
            counted = made.layout.count(made.layout.check(y[np.newaxis]))
            chosen = uniform_counts(made.layout, counted)
            assert chosen is not None
            assert chosen.sum() == 1
            shares = shares + np.array([Fraction(int(c)) for c in chosen]) * made.pmf(y, 1)
        assert set(shares.tolist()) == {Fraction(1, len(shares))}


@pytest.mark.parametrize("chance", [0.0, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("n", [1, 2, 9, 30])
def test_a_p_value_is_that_of_the_exact_tails(n: int, chance: float) -> None:
    """Also where no tail is computed, because a median is next to the mean."""
    coin = Fraction(chance)
    law = [math.comb(n, i) * coin**i * (1 - coin) ** (n - i) for i in range(n + 1)]
    for count in range(n + 1):
        exact = min(sum(law[: count + 1]), sum(law[count:]))
        end = np.array(chance)
        found = of_coins("coins", n, np.array([count]), end, end).p_value
        assert found == pytest.approx(float(min(Fraction(1), 2 * exact)), rel=1e-12)


def test_tails_of_many_reports_are_found_at_every_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Against the largest precision alone, from the middle to what no honest reports give."""
    n, end = 10**9, np.array(0.25)
    for far in (0.1, 1, 6, 30, 1000, 3 * 10**4):
        count = np.array([n // 4 + int(far * math.sqrt(n))])
        found = of_coins("coins", n, count, end, end).p_value
        with monkeypatch.context() as patched:
            patched.setattr(honest, "PRECISIONS", (400,))
            assert found == pytest.approx(of_coins("coins", n, count, end, end).p_value, rel=1e-12)


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="supports: must have shape"):
        honesty(GRR(1.0, 3).oracle, 3, np.zeros(4, dtype=np.int64))
    with pytest.raises(ParameterError, match="significance: must be a number"):
        Honesty(()).doubted(1.0)
