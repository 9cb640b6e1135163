"""Simulated clients with a memory: the joint law of their days, against an enumeration of it."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import chi2

from ldp_verified.errors import DomainError, LdpError, ParameterError
from ldp_verified.protocols import (
    LGRR,
    LSUE,
    DBitFlip,
    MemoClient,
    MemoPopulation,
    Rappor,
    RapporMemoPopulation,
    RapporPopulation,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIMIT = 6.0
"""Standard errors: a normal variable is beyond with probability 2e-9."""

ONE = 1 << 64
USERS = 20_000
LEVEL = 1e-10
"""Of a chi-square test of 20,000 users over at most 64 cells of at least 50 expected users."""


def test_a_population_has_the_joint_law_of_clients(seed: int) -> None:
    """Null: of n = 4000 users of each kind, two days' reports agree as often (normal, 6 sigma).

    A difference of 0.07 in the chance is missed with 1 percent or less; false alarm 2e-9.
    """
    made, n = LGRR(1.5, 1.0, 3), 4000
    people = MemoPopulation(made, n, seed)
    values = np.zeros(n, dtype=int)
    same = (people.report(values).data == people.report(values).data).mean()
    agree = 0
    for user in range(n):
        client = MemoClient(made, new_user=True, rng=seed + 1 + user)
        agree += int(client.report(0).reports.data[0] == client.report(0).reports.data[0])
    assert abs(same - agree / n) < LIMIT * (0.5 / n) ** 0.5


def test_values_that_come_back_have_their_old_answer(seed: int) -> None:
    """A permanent answer is noise, a report differs from it in some bit once in 10^9 runs or less.

    A bit of it is flipped with 27 %, a bit of a report with 0.22 1e-13: 7,000 bits are compared. An
    answer that was drawn anew would differ in some of 3,500 bits but for a chance of 0.61^3500.
    """
    made = LSUE(2.0, 2.0 - 1e-13, 70)
    people = MemoPopulation(made, 50, seed)
    values = np.arange(50) % 70
    first = people.report(values).data
    people.report((values + 1) % 70)
    assert (people.report(values).data == first).all()


def rejected(seen: NDArray[np.int64], law: NDArray[np.float64]) -> bool:
    """Whether Pearson's chi-square test rejects at `LEVEL` that `seen` were drawn from `law`."""
    possible = law > 0
    if seen[~possible].any():
        return True
    expected = law[possible] * seen.sum()
    statistic = float(((seen[possible] - expected) ** 2 / expected).sum())
    return bool(statistic > chi2.isf(LEVEL, int(possible.sum()) - 1))


FLIP = DBitFlip(1.5, 3, 3, 2)
PAIRS = list(itertools.combinations(range(3), 2))


def flip_law() -> NDArray[np.float64]:
    """Chances of (chosen pair, bits of value 0, bits of value 2), float64 (3 * 4 * 4,)."""
    one, zero = (Fraction(word, ONE) for word in FLIP.thresholds)
    law = np.zeros((3, 4, 4))
    for n, pair in enumerate(PAIRS):
        for first, other in itertools.product(range(4), repeat=2):
            chance = Fraction(1, 3)
            for value, bits in ((0, first), (2, other)):
                for place, bucket in enumerate(pair):
                    own = one if bucket == value else zero
                    chance *= own if bits >> place & 1 else 1 - own
            law[n, first, other] = float(chance)
    return law.reshape(-1)


def flip_codes(first: NDArray[Any], other: NDArray[Any]) -> NDArray[np.int64]:
    """How many users have each of the outcomes of `flip_law`."""
    pairs = np.array([PAIRS.index(tuple(row)) for row in (first // 2).tolist()])
    one, two = ((data % 2) @ np.array([1, 2]) for data in (first, other))
    return np.bincount((pairs * 4 + one) * 4 + two, minlength=48)


def test_dbitflip_over_two_days_has_the_law_of_clients(seed: int) -> None:
    """Null: pairs of buckets, and bits on two values, as enumerated; chi-square at 1e-10.

    n = 20,000. A cell of 2 % that is off by a fifth is found but for 1 % or less.
    """
    people = MemoPopulation(FLIP, USERS, seed)
    day = [people.report(np.full(USERS, value)).data for value in (0, 2, 0, 2)]
    assert (day[0] == day[2]).all()
    assert (day[1] == day[3]).all()
    assert (day[0] // 2 == day[1] // 2).all()
    assert not rejected(flip_codes(day[0], day[1]), flip_law())


def test_a_planted_population_whose_subsets_are_not_uniform_is_rejected(seed: int) -> None:
    """One with neighbouring buckets only, whose bits are right."""
    people = MemoPopulation(FLIP, USERS, seed)
    starts = np.random.default_rng(seed).integers(0, 2, USERS)
    people._choices = starts[:, np.newaxis] + np.arange(2)
    day = [people.report(np.full(USERS, value)).data for value in (0, 2)]
    assert rejected(flip_codes(day[0], day[1]), flip_law())


def test_values_that_no_chosen_bucket_has_share_their_bits(seed: int) -> None:
    """As the client does: of a value elsewhere nothing but that is kept."""
    made = DBitFlip(1.0, 6, 6, 2)
    people = MemoPopulation(made, 300, seed)
    days = [people.report(np.full(300, value)).data for value in range(6)]
    buckets = days[0] // 2
    for x, y in itertools.combinations(range(6), 2):
        neither = ~((buckets == x) | (buckets == y)).any(axis=1)
        assert (days[x][neither] == days[y][neither]).all()
        assert (days[x] != days[y]).any()


RAPPOR = Rappor(0.5, 0.25, 0.75, 2, 1, 2)


def rappor_law() -> NDArray[np.float64]:
    """Chances of (cohort, report, report the next day) of one string, float64 (2 * 4 * 4,)."""
    lie, low, high = (Fraction(word, ONE) for word in RAPPOR.thresholds)
    law = np.zeros((2, 4, 4))
    for cohort in range(2):
        own = RAPPOR.encoder.positions("a", cohort)
        for kept, first, other in itertools.product(range(4), repeat=3):
            chance = Fraction(1, 2)
            for bit in range(2):
                held, answer = bit in own, kept >> bit & 1
                chance *= 1 - lie if held == bool(answer) else lie
                for report in (first, other):
                    up = high if answer else low
                    chance *= up if report >> bit & 1 else 1 - up
            law[cohort, first, other] += float(chance)
    return law.reshape(-1)


def rappor_codes(first: Any, other: Any) -> NDArray[np.int64]:
    one, two = (batch.bits[:, 0].astype(np.int64) for batch in (first, other))
    return np.bincount((first.cohorts * 4 + one) * 4 + two, minlength=32)


def test_rappor_over_two_days_has_the_law_of_clients(seed: int) -> None:
    """Null: cohorts and two reports on one string as enumerated; chi-square at 1e-10, n = 20,000.

    A cell of 3 % that is off by a fifth is found but for 1 % or less.
    """
    people = RapporMemoPopulation(RapporPopulation(RAPPOR, ("a", "b")), USERS, seed)
    values = np.zeros(USERS, dtype=int)
    first = people.report(values)
    people.report(values + 1)
    assert not rejected(rappor_codes(first, people.report(values)), rappor_law())


def test_planted_new_permanent_responses_every_day_are_rejected(seed: int) -> None:
    """First reports again, in the same cohorts: each day is right, and both together are not."""
    population = RapporPopulation(RAPPOR, ("a", "b"))
    values = np.zeros(USERS, dtype=int)
    days = [RapporMemoPopulation(population, USERS, seed).report(values)]
    fresh = RapporMemoPopulation(population, USERS, seed + 1)
    fresh._cohorts = days[0].cohorts
    assert rejected(rappor_codes(days[0], fresh.report(values)), rappor_law())


def test_what_is_refused(seed: int) -> None:
    made = LGRR(3.0, 1.0, 4)
    people = MemoPopulation(made, 10, seed)
    strings = RapporPopulation(RAPPOR, ("a", "b"))
    many = RapporMemoPopulation(strings, 10, seed)
    wrong: list[tuple[Any, type[LdpError], str]] = [
        (lambda: people.report([0] * 9), DomainError, "values"),
        (lambda: people.report([4] * 10), DomainError, "values"),
        (lambda: MemoPopulation(RAPPOR, 3), ParameterError, "deployment"),  # type: ignore[arg-type]  # a wrong one
        (lambda: MemoPopulation(made, 0), ParameterError, "users"),
        (lambda: RapporMemoPopulation(RAPPOR, 3), ParameterError, "population"),  # type: ignore[arg-type]  # a wrong one
        (lambda: RapporMemoPopulation(strings, 0), ParameterError, "users"),
        (lambda: many.report([0] * 9), DomainError, "values"),
        (lambda: many.report([2] * 10), DomainError, "values"),
    ]
    for call, error, said in wrong:
        with pytest.raises(error, match=said):
            call()
