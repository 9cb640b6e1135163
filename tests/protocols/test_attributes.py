"""Tuples: epsilon of whole tuples from the written-out table, estimates, what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified import GRR, OUE
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols import SampleAmongFakes, SampledReports, SampleOne, Split
from ldp_verified.protocols.attributes import sampled_variances
from tests.registry import RANGE, covers
from tests.strategies import EPSILONS

SIZES = st.lists(st.integers(2, 4), min_size=1, max_size=3).map(tuple)


def written_out(made: SampleAmongFakes) -> dict[tuple[Any, Any], Fraction]:
    """(x, y) -> P(y|x): the attribute that is asked, its answer, uniform values elsewhere."""
    tuples = list(product(*map(range, made.ks)))
    found = {}
    for x, y in product(tuples, tuples):
        total = Fraction(0)
        for j, part in enumerate(made.parts):
            chance = part.p if x[j] == y[j] else part.q
            others = math.prod(k for i, k in enumerate(made.ks) if i != j)
            total += chance / others / len(made.sizes)
        found[x, y] = total
    return found


def worst(table: dict[tuple[Any, Any], Fraction], apart: int) -> Fraction:
    """The largest ratio of tuples that differ in at most so many attributes."""
    tuples = {x for x, _ in table}
    return max(
        table[x, y] / table[x2, y]
        for x, x2, y in product(tuples, tuples, tuples)
        if sum(a != b for a, b in zip(x, x2, strict=True)) <= apart
    )


@given(st.floats(0.01, 8), SIZES)
@settings(max_examples=25)
def test_the_epsilons_of_fakes_are_those_of_the_table(epsilon: float, sizes: Any) -> None:
    made = SampleAmongFakes(epsilon, sizes)
    table = written_out(made)
    for x in {x for x, _ in table}:
        assert sum(chance for (x2, _), chance in table.items() if x2 == x) == 1
    whole, one = worst(table, len(sizes)), worst(table, 1)
    assert made.realized_epsilon == pytest.approx(math.log(whole), rel=1e-12)
    assert made.realized_in_one == pytest.approx(math.log(one), rel=1e-12)
    assert Fraction(made.realized_epsilon) <= Fraction(epsilon)
    # The marginals are what the estimator uses.
    for j, oracle in enumerate(made.oracles):
        for x in {x for x, _ in table}:
            for v in range(sizes[j]):
                mass = sum(c for (x2, y), c in table.items() if x2 == x and y[j] == v)
                assert mass == (oracle.p_star if x[j] == v else oracle.q_star)


def test_what_is_published_is_refuted_for_whole_tuples() -> None:
    """GRR at ln(d (e^1 - 1) + 1) is said to give tuples of d attributes epsilon 1."""
    d = 10
    inner = math.log(d * (math.e - 1) + 1)
    made = SampleAmongFakes(inner, (4,) * d)
    assert made.realized_epsilon == pytest.approx(inner)
    assert made.realized_epsilon > 2.9
    assert made.realized_in_one == pytest.approx(1.0)
    unequal = SampleAmongFakes(math.log(2 * (math.e - 1) + 1), (1000, 2))
    assert unequal.realized_in_one > 1.2


@covers(RANGE, "Split", "SampleOne", "SampleAmongFakes")
@given(EPSILONS, st.lists(st.sampled_from([2, 3, 300, 1 << 20]), min_size=1, max_size=5))
@settings(max_examples=30)
def test_no_scheme_costs_more_than_is_wanted(epsilon: float, sizes: list[int]) -> None:
    made = Split(epsilon, tuple(sizes))
    assert made.realized_epsilon <= epsilon
    if epsilon < 30:
        assert made.realized_epsilon == pytest.approx(epsilon, rel=1e-6)
    for one in (SampleOne(epsilon, tuple(sizes)), SampleAmongFakes(epsilon, tuple(sizes))):
        assert 0 < one.realized_epsilon <= epsilon


@given(
    p=st.fractions(Fraction(1, 2), Fraction(9, 10)),
    q=st.fractions(Fraction(1, 100), Fraction(2, 5)),
    chance=st.fractions(Fraction(1, 50), 1),
)
def test_variances_of_a_sampled_support_are_those_of_its_law(
    p: Fraction, q: Fraction, chance: Fraction
) -> None:
    yes, no = (1 - q) / (p - q) / chance, -q / (p - q) / chance
    found = []
    for cell, mean in ((p, 1), (q, 0)):
        law = {Fraction(0): 1 - chance}
        law[yes], law[no] = chance * cell, chance * (1 - cell)
        assert sum(w * mass for w, mass in law.items()) == mean
        found.append(sum((w - mean) ** 2 * mass for w, mass in law.items()))
    assert sampled_variances(p, q, chance) == tuple(found)


@pytest.mark.parametrize("make", [GRR, OUE])
def test_estimates_of_each_attribute_are_unbiased(make: Any, seed: int) -> None:
    """Null: the stated variances; 7 sd per count, 3 schemes of 5 counts: level below 1e-10."""
    n, sizes = 20_000, (2, 3)
    rng = np.random.default_rng(seed)
    values = np.stack([rng.integers(0, k, n) for k in sizes], axis=1)
    split, one = Split(2.0, sizes, make), SampleOne(2.0, sizes, make)
    sampled = one.empty(simulated=True).update(one.privatize(values, seed))
    fakes = SampleAmongFakes(2.0, sizes)
    states = [
        [s.update(r) for s, r in zip(made.empty(True), made.privatize(values, seed), strict=True)]
        for made in (split, fakes)
    ]
    for j, k in enumerate(sizes):
        for v in range(k):
            true = int(np.sum(values[:, j] == v))
            f = Fraction(true, n)
            split_sd, sampled_sd = split.parts[j].variance(n, f), one.variance(j, n, f)
            fake = fakes.oracles[j]
            fake_sd = n * (fake.variance_absent + f * (fake.variance_held - fake.variance_absent))
            estimates = (
                (states[0][j].estimate().counts[v], split_sd),
                (sampled.counts(j)[v], sampled_sd),
                (states[1][j].estimate().counts[v], fake_sd),
            )
            for estimate, variance in estimates:
                assert abs(float(estimate) - true) < 7 * math.sqrt(variance)


def test_a_sampled_attribute_is_better_than_one_among_fakes() -> None:
    for epsilon, sizes in product((0.5, 1.0, 3.0), ((2, 2), (5, 5, 5), (2, 50))):
        one, fakes = SampleOne(epsilon, sizes), SampleAmongFakes(epsilon, sizes)
        for j in range(len(sizes)):
            assert one.variance(j, 1) < float(fakes.oracles[j].variance_absent)


def test_each_user_reports_one_attribute_uniformly(seed: int) -> None:
    """Null: probability 1/3 each; 30,000 users, 8 sd."""
    made, n = SampleOne(1.0, (2, 3, 4)), 30_000
    batch = made.privatize(np.zeros((n, 3), dtype=int), seed)
    assert sum(map(len, batch.reports)) == batch.users == n
    for reports in batch.reports:
        assert abs(len(reports) - n / 3) < 8 * (n * 2 / 9) ** 0.5
        assert reports.simulated
    merged = made.empty(True).update(batch).merge(made.empty(True).update(batch))
    assert merged.users == 2 * n


def test_foreign_batches_change_nothing() -> None:
    made, other = SampleOne(1.0, (2, 3)), SampleOne(1.5, (2, 3))
    state = made.empty()
    with pytest.raises(ReportError, match="foreign"):
        state.update(other.privatize([[0, 1]]))
    batch = made.privatize([[0, 1]])
    with pytest.raises(ParameterError, match="one report of every user"):
        state.update(SampledReports(2, batch.reports))
    assert state.users == 0
    assert [s.n for s in state.states] == [0, 0]
    fakes = SampleAmongFakes(1.0, (3, 3))
    first, second = fakes.privatize([[0, 1]])
    with pytest.raises(ReportError, match="attribute"):
        fakes.empty()[0].update(second)
    fakes.empty()[0].update(first)


@pytest.mark.parametrize("scheme", [Split, SampleOne, SampleAmongFakes])
def test_bad_arguments_are_refused(scheme: Any) -> None:
    for sizes in ((), (1,), (2, 2.5), (2, True)):
        with pytest.raises(ParameterError, match="sizes"):
            scheme(1.0, sizes)
    with pytest.raises(ParameterError, match="epsilon"):
        scheme(0, (2, 2))
    made = scheme(1.0, (2, 3))
    for values in ([0, 1], [[0]], [[0, 3]], [[-1, 0]], [[0.5, 1]], [[True, False]]):
        with pytest.raises(DomainError):
            made.privatize(values)
