"""RAPPOR over days: variances against all that a client may keep, and against simulated clients."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import LdpError, ParameterError, ReportError
from ldp_verified.protocols import (
    LGRR,
    KnownDomain,
    Rappor,
    RapporMemoPopulation,
    RapporPopulation,
    RapporState,
    over_days,
)

TINY = KnownDomain(Rappor(0.5, 0.25, 0.75, 3, 2, 2), ("a", "b", "d"))
"""Encodings overlap, so that cohorts shift the expected counts."""

WEIGHTS = [(1, 1, 1), (1, 0, -1), (2, -1, 3)]


def exact_variances(domain: KnownDomain, days: tuple[int, ...], a: tuple[int, ...]) -> Any:
    """Of sum a_d s_d of one user, for every string: over cohorts, kept bits and reports."""
    made = domain.deployment
    lie = float(made.realized[0]) / 2
    low, high = (float(each) for each in made.realized[1:])
    one, zero = (float(each) for each in made.cells)
    k, strings = len(domain.strings), sorted(set(days))
    weights = domain.inverse.reshape(k, made.cohorts, made.bits) / (one - zero)
    mean, square = np.zeros(k), np.zeros(k)
    total = 0.0
    for cohort in range(made.cohorts):
        encoded = {
            x: np.isin(
                np.arange(made.bits), list(made.encoder.positions(domain.strings[x], cohort))
            )
            for x in strings
        }
        masks = itertools.product((False, True), repeat=made.bits)
        for kept in itertools.product([np.array(mask) for mask in masks], repeat=len(strings)):
            chance = 1.0 / made.cohorts
            for x, bits in zip(strings, kept, strict=True):
                chance *= float(np.where(bits == encoded[x], 1 - lie, lie).prod())
            total += chance
            centre, noise = np.zeros(k), np.zeros(k)
            for weight, x in zip(a, days, strict=True):
                up = np.where(kept[strings.index(x)], high, low)
                centre += weight * weights[:, cohort] @ (up - zero)
                noise += weight**2 * weights[:, cohort] ** 2 @ (up * (1 - up))
            mean += chance * centre
            square += chance * (centre**2 + noise)
    assert total == pytest.approx(1)
    assert mean == pytest.approx(
        [sum(w for w, x in zip(a, days, strict=True) if x == v) for v in range(k)]
    )
    return square - mean**2


def stated(domain: KnownDomain, days: tuple[int, ...], a: tuple[int, ...], *, steady: bool) -> Any:
    """The module's formula for one user, who holds one string on each day."""
    each = [domain.variances(np.eye(len(domain.strings))[x]) for x in days]
    sizes = np.abs(a)
    fresh = sum(w * w * (total - kept) for w, (total, kept) in zip(a, each, strict=True))
    if steady:
        return fresh + sum(a) ** 2 * each[0][1]
    shared = sum(w * kept for w, (_, kept) in zip(sizes, each, strict=True))
    return fresh + sizes.sum() * shared


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_variance_is_that_of_all_that_a_client_may_keep(weights: tuple[int, ...]) -> None:
    """Every sequence of three strings: exact where they are one string, else a bound."""
    for days in itertools.product(range(3), repeat=3):
        exact = exact_variances(TINY, days, weights)
        if len(set(days)) == 1:
            assert exact == pytest.approx(stated(TINY, days, weights, steady=True))
        assert (exact <= stated(TINY, days, weights, steady=False) * (1 + 1e-9)).all()


def test_planted_days_with_a_new_cohort_each_are_seen() -> None:
    """Shared bits alone, without the cohort, state too little."""
    size, _, shifts = TINY._squares
    total, shared = TINY.variances(np.eye(3)[1])
    without = shared - shifts[:, 1]
    assert (without > 0).all()
    wrong = 3 * (total - without) + 9 * without
    exact = exact_variances(TINY, (1, 1, 1), (1, 1, 1))
    assert exact == pytest.approx(3 * (total - shared) + 9 * shared)
    assert wrong[2] < exact[2] - 5
    assert len(size) == 3


def test_a_sum_has_the_variance_of_one_day() -> None:
    """Combinations of counts: the enumerated covariances, by polarisation."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        weights = rng.normal(size=3)
        mixed = KnownDomain(TINY.deployment, TINY.strings)
        turned = np.tile(weights @ mixed.inverse, (3, 1))
        mixed.__dict__["inverse"] = turned
        each = np.array([one_day(mixed, x)[0] for x in range(3)])
        assert TINY.variances_of_each(weights) == pytest.approx(each)


def one_day(domain: KnownDomain, x: int) -> Any:
    """The enumerated variance of one report, where the inverse is no inverse."""
    made = domain.deployment
    one, zero = (float(each) for each in made.cells)
    weights = domain.inverse.reshape(3, made.cohorts, made.bits)
    mean, square = np.zeros(3), np.zeros(3)
    for cohort in range(made.cohorts):
        own = made.encoder.positions(domain.strings[x], cohort)
        up = np.array([one if bit in own else zero for bit in range(made.bits)])
        centre = weights[:, cohort] @ ((up - zero) / (one - zero))
        noise = weights[:, cohort] ** 2 @ (up * (1 - up)) / (one - zero) ** 2
        mean += centre / made.cohorts
        square += (centre**2 + noise) / made.cohorts
    return square - mean**2


STRINGS = ("red", "green", "blue", "grey")
DEPLOYMENT = Rappor(0.5, 0.25, 0.75, 16, 2, 4)


def test_simulated_averages_are_as_spread_as_is_stated(seed: int) -> None:
    """Null: the errors of 40 averages of 20 days, each of other clients, have the stated variance.

    n = 1000 users, one string. The sum of squares over sigma^2 is chi-square with 40 degrees:
    below 6 or above 125 with less than 1e-9. Were days taken for independent, sigma^2 would be too
    small by a factor above 5, and the sum above 125 but for 4 %.
    """
    population = RapporPopulation(DEPLOYMENT, STRINGS)
    domain = KnownDomain(DEPLOYMENT, STRINGS)
    values = np.repeat(np.arange(4), [400, 300, 200, 100])
    runs = []
    for run in range(40):
        people = RapporMemoPopulation(population, 1000, seed + run)
        states = [population.count(people.report(values)) for _ in range(20)]
        runs.append(over_days(domain, states))
    averages = [run.average() for run in runs]
    errors = [(float(a.values[0]) - 0.4) / float(a.std_error[0]) for a in averages]
    assert 6 <= np.sum(np.square(errors)) <= 125
    found = runs[0]
    naive = float(found.days[0].std_error[0]) / 1000 / 20**0.5
    assert (float(averages[0].std_error[0]) / naive) ** 2 > 5
    assert found.labels == STRINGS
    assert found.changes(1 - 1e-9) == ()
    assert (found.trend().worst_std_error >= found.trend().std_error).all()


def test_what_is_refused(seed: int) -> None:
    population, domain = RapporPopulation(DEPLOYMENT, STRINGS), KnownDomain(DEPLOYMENT, STRINGS)
    state = population.simulate_counts([5, 5, 5, 5], seed)
    other = Rappor(0.5, 0.25, 0.75, 16, 2, 3)
    memoised = LGRR(3.0, 1.0, 4)
    wrong: list[tuple[Any, type[LdpError], str]] = [
        (lambda: over_days(domain, []), ParameterError, "states"),
        (lambda: over_days(domain, [RapporState(DEPLOYMENT)]), ReportError, "reports"),
        (lambda: over_days(domain, [RapporState(other)]), ReportError, "foreign"),
        (lambda: over_days(domain, [memoised.empty()]), ReportError, "RapporState"),
        (lambda: over_days(memoised, [state]), ReportError, "State"),
        (lambda: over_days(DEPLOYMENT, [state]), ParameterError, "KnownDomain"),  # type: ignore[arg-type]  # a wrong one
    ]
    for call, error, said in wrong:
        with pytest.raises(error, match=said):
            call()
