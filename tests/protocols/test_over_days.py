"""Figures over days: their variances against the enumerated law, and against simulated clients."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import LdpError, ParameterError, ReportError
from ldp_verified.protocols import (
    LGRR,
    LOLOHA,
    LOSUE,
    LSUE,
    DBitFlip,
    MemoPopulation,
    OverDays,
    over_days,
)
from ldp_verified.run.kernels.family import digit_count, evaluate

ZERO = Fraction(0)
PERMANENT, ONCE, K = 2.0, 1.0, 3


def supports(
    made: Any, day_values: tuple[int, ...], v: int
) -> list[tuple[Fraction, list[Fraction]]]:
    """All that a client may keep: (its chance, P(report supports v | it) of each day)."""
    if isinstance(made, LOLOHA):
        digits, g = digit_count(made.k, made.g), made.g
        lie = Fraction(made.thresholds[-1], 1 << 64)
        found = []
        for h in itertools.product(range(g), repeat=digits):
            own = int(evaluate(np.array(h), np.array(v), g))
            buckets = [int(evaluate(np.array(h), np.array(x), g)) for x in day_values]
            for kept in itertools.product(range(g), repeat=g):
                chance = Fraction(1, g**digits)
                for bucket, answer in enumerate(kept):
                    chance *= made.first.p if answer == bucket else made.first.q
                keep = 1 - (g - 1) * lie
                found.append((chance, [keep if kept[b] == own else lie for b in buckets]))
        return found
    if isinstance(made, LGRR):
        lie = Fraction(made.thresholds[-1], 1 << 64)
        keep, low = 1 - (made.k - 1) * lie, lie
    else:
        keep, low = (Fraction(word, 1 << 64) for word in made.thresholds[-2:])
    found = []
    for kept in itertools.product((0, 1), repeat=made.k):
        chance = Fraction(1)
        for x, supported in enumerate(kept):
            truth = made.first.p if x == v else made.first.q
            chance *= truth if supported else 1 - truth
        found.append((chance, [keep if kept[x] else low for x in day_values]))
    return found


def exact_variance(made: Any, day_values: tuple[int, ...], v: int, a: tuple[int, ...]) -> Fraction:
    """The variance of sum a_d s_d of one user, over all that is kept and all reports."""
    step = made.oracle.p_star - made.oracle.q_star
    law = supports(made, day_values, v)
    assert sum(chance for chance, _ in law) == 1
    mean = square = ZERO
    for chance, row in law:
        centre = sum((w * p for w, p in zip(a, row, strict=True)), ZERO)
        noise = sum((w * w * p * (1 - p) for w, p in zip(a, row, strict=True)), ZERO)
        mean += chance * centre
        square += chance * (centre**2 + noise)
    return Fraction((square - mean**2) / step**2)


def stated(made: Any, shares: list[int], a: tuple[int, ...], *, steady: bool) -> Fraction:
    """The module's formula for one user, who holds v on the days with a 1."""
    absent, own = made.shared_variances
    v = [made.oracle.variance_held if f else made.oracle.variance_absent for f in shares]
    c = [own if f else absent for f in shares]
    fresh = sum((w * w * (each - kept) for w, each, kept in zip(a, v, c, strict=True)), ZERO)
    if steady:
        return Fraction(fresh + sum(a) ** 2 * c[0])
    sizes = list(map(abs, a))
    kept_days = sum((w * kept for w, kept in zip(sizes, c, strict=True)), ZERO)
    return Fraction(fresh + sum(sizes) * kept_days)


TINY = [LGRR(PERMANENT, ONCE, K), LSUE(PERMANENT, ONCE, K), LOSUE(PERMANENT, ONCE, K),
        LOLOHA(PERMANENT, ONCE, K, 2), LOLOHA(PERMANENT, ONCE, K, 3)]  # fmt: skip


@pytest.mark.parametrize("made", TINY, ids=repr)
@pytest.mark.parametrize("weights", [(1, 1, 1), (1, 0, -1), (2, -1, 3)])
def test_the_variance_is_that_of_all_that_a_client_may_keep(
    made: Any, weights: tuple[int, ...]
) -> None:
    """Every sequence of three values: exact where they are one value, else a bound."""
    for values in itertools.product(range(K), repeat=3):
        shares = [int(x == 0) for x in values]
        exact = exact_variance(made, values, 0, weights)
        if len(set(values)) == 1:
            assert exact == stated(made, shares, weights, steady=True)
        assert exact <= stated(made, shares, weights, steady=False)


def test_planted_days_taken_for_independent_are_seen() -> None:
    """A naive average states a variance that is less than half of the enumerated one."""
    made = LGRR(PERMANENT, ONCE, K)
    naive = 30 * made.oracle.variance_absent
    absent, _ = made.shared_variances
    true = 30 * (made.oracle.variance_absent - absent) + 30**2 * absent
    assert exact_variance(made, (1, 1), 0, (1, 1)) == 2 * made.oracle.variance_absent + 2 * absent
    assert true > 2 * naive


def test_of_dbitflip_averages_say_nothing_more() -> None:
    made = DBitFlip(2.0, 4, 4, 2)
    held, absent = made.oracle.variances
    assert made.shared_variances == (absent, held)


def days_of(made: Any, values: Any, days: int, seed: int) -> OverDays:
    people = MemoPopulation(made, len(values), seed)
    return over_days(
        made, [made.empty(simulated=True).update(people.report(values)) for _ in range(days)]
    )


@pytest.mark.parametrize("made", [LGRR(2.0, 1.5, 4), LOSUE(2.0, 1.0, 4), LOLOHA(2.0, 1.5, 4, 3)])
def test_simulated_averages_are_as_spread_as_is_stated(made: Any, seed: int) -> None:
    """Null: the errors of 80 averages of 20 days, each of other clients, have the stated variance.

    n = 1000 users; three deployments, one value each. The sum of squares over sigma^2 is chi-square
    with 80 degrees: below 23 or above 200 with less than 1e-9 in all. Were days taken for
    independent, sigma^2 would be too small by a factor above 4: seen but for 1e-3.
    """
    values = np.repeat(np.arange(4), [400, 300, 200, 100])
    runs = [days_of(made, values, 20, seed + run) for run in range(80)]
    averages = [run.average() for run in runs]
    errors = [(float(a.values[0]) - 0.4) / float(a.std_error[0]) for a in averages]
    assert 23 <= np.sum(np.square(errors)) <= 200
    found, average = runs[0], averages[0]
    naive = float(found.days[0].std_error[0]) / 1000 / 20**0.5
    assert (float(average.std_error[0]) / naive) ** 2 > 4


def test_a_change_is_found_and_its_day(seed: int) -> None:
    """The share of one value doubles on day 5 of 8: 12 standard errors, missed below 1e-9."""
    made = LGRR(4.0, 2.0, 4)
    n = 40_000
    people = MemoPopulation(made, n, seed)
    before = np.arange(n) % 4
    after = np.where(np.arange(n) % 8 == 1, 0, before)
    states = [
        made.empty(simulated=True).update(people.report(before if day < 5 else after))
        for day in range(8)
    ]
    found = over_days(made, states)
    changes = found.changes(1 - 1e-9)
    assert {each.label for each in changes} == {0, 1}
    assert {each.day for each in changes} == {5}
    assert found.trend().values[0] > 0 > found.trend().values[1]
    steady = over_days(made, states[:5])
    assert steady.changes(1 - 1e-9) == ()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("days", [2, 3, 6, 7, 10])
def test_where_nothing_is_drawn_daily_equal_days_have_no_change(days: int, seed: int) -> None:
    """All noise is permanent: days of the same values are equal, and others differ for certain."""
    made, values = DBitFlip(1.0, k=8, b=8, d=8), np.arange(500) % 8
    people = MemoPopulation(made, 500, rng=seed)
    states = [made.empty(simulated=True).update(people.report(values)) for _ in range(days)]
    assert over_days(made, states).changes(1 - 1e-12) == ()


@pytest.mark.filterwarnings("error")
def test_where_nothing_is_drawn_daily_a_change_is_found_at_its_day(seed: int) -> None:
    """Half of the users move from 0 to 1 on the fifth of seven days.

    All bits of a new value are new, so that other values differ too, by 140 users or so each; that
    they, or what 0 and 1 differ by less, exceed half of 2,500 is beyond 8 standard errors.
    """
    made, before = DBitFlip(1.0, k=8, b=8, d=8), np.arange(5000) % 2 * 2
    people, after = MemoPopulation(made, 5000, rng=seed), np.where(before == 0, 1, before)
    days = [before] * 4 + [after] * 3
    states = [made.empty(simulated=True).update(people.report(values)) for values in days]
    changes = over_days(made, states).changes(1 - 1e-12)
    assert {(each.day, each.p_value) for each in changes} == {(4, 0.0)}
    assert max(each.std_error for each in changes) < 1e-8
    clearest = {each.label: each.difference for each in changes[:2]}
    assert clearest[0] < -0.25 < 0.25 < clearest[1]


def test_the_worst_error_is_never_below_the_other(seed: int) -> None:
    found = days_of(LGRR(3.0, 1.0, 4), np.arange(400) % 4, 5, seed)
    for figure in (found.average(), found.trend()):
        assert (figure.worst_std_error >= figure.std_error * (1 - 1e-12)).all()
        low, high = figure.interval()
        assert ((low < figure.values) & (figure.values < high)).all()
    assert found.average().std_error == pytest.approx(found.average().worst_std_error)


def test_what_is_refused(seed: int) -> None:
    made = LGRR(3.0, 1.0, 4)
    people = MemoPopulation(made, 10, seed)
    state = made.empty(simulated=True).update(people.report([0] * 10))
    wrong: list[tuple[Any, type[LdpError], str]] = [
        (lambda: over_days(made, []), ParameterError, "states"),
        (lambda: over_days(made, [made.empty()]), ReportError, "reports"),
        (lambda: over_days(LGRR(3.0, 1.0, 5), [state]), ReportError, "foreign"),
        (lambda: over_days("LGRR", [state]), ParameterError, "deployment"),  # type: ignore[arg-type]  # a wrong one
        (lambda: over_days(made, [state]).trend(), ParameterError, "days"),
        (lambda: over_days(made, [state]).changes(), ParameterError, "days"),
        (lambda: over_days(made, [state]).figure([1, 2]), ParameterError, "weights"),
        (lambda: over_days(made, [state]).figure([float("nan")]), ParameterError, "weights"),
    ]
    for call, error, said in wrong:
        with pytest.raises(error, match=said):
            call()


@pytest.mark.parametrize("weights", [{1.0, 2.0}, frozenset({1.0, 2.0}), {1.0: 0, 2.0: 0}.keys()])
def test_weights_in_no_order_are_refused(weights: Any, seed: int) -> None:
    """They were given to the days in whatever order they came."""
    made = LGRR(2.0, 1.0, 4)
    people = MemoPopulation(made, 10, seed)
    states = [made.empty(simulated=True).update(people.report([day] * 10)) for day in (0, 1)]
    found = over_days(made, states)
    with pytest.raises(ParameterError, match="weights: must be 2 finite numbers in order"):
        found.figure(weights)
    assert np.allclose(found.figure([1.0, 2.0]).values, found.shares[0] + 2 * found.shares[1])
