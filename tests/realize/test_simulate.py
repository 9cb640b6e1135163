"""A state drawn directly has the law of the sum of the reports: every outcome, for few users."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ldp_verified
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels.seeds import block_sources
from ldp_verified.run.realize import OneHotRandomizer
from ldp_verified.run.realize.simulate import (
    bits_reported,
    float_binomial,
    outputs_reported,
    spread,
    values_reported,
)
from tests.realize.test_blocks import Edges
from tests.realize.written_out import constant_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ldp_verified.run.realize.simulate import Binomial

Law = dict[tuple[int, ...], Fraction]


class EveryBinomial:
    """Binomial draws that follow a script, beyond it all 0, and know how probable they are."""

    def __init__(self, script: Sequence[int]) -> None:
        self.script = list(script)
        self.largest: list[int] = []
        self.mass = Fraction(1)

    def __call__(self, counts: NDArray[np.int64], chances: Any) -> NDArray[np.int64]:
        pairs = list(zip(*chances, strict=True)) if isinstance(chances, tuple) else list(chances)
        if len(pairs) == 1:
            pairs *= len(counts)
        found = []
        for count, (top, bottom) in zip(counts.tolist(), pairs, strict=True):
            place = len(self.largest)
            self.largest.append(count)
            if place == len(self.script):
                self.script.append(0)
            hits, p = self.script[place], Fraction(int(top), int(bottom))
            self.mass *= math.comb(count, hits) * p**hits * (1 - p) ** (count - hits)
            found.append(hits)
        return np.array(found, dtype=np.int64)


def every_outcome(draw: Callable[[Binomial], NDArray[np.int64]]) -> Law:
    law: Law = defaultdict(Fraction)
    script: list[int] | None = []
    while script is not None:
        run = EveryBinomial(script)
        outcome = tuple(draw(run).tolist())
        law[outcome] += run.mass
        steps = [i for i, most in enumerate(run.largest) if run.script[i] < most]
        script = [*run.script[: steps[-1]], run.script[steps[-1]] + 1] if steps else None
    assert sum(law.values()) == 1
    return {outcome: mass for outcome, mass in law.items() if mass}


def sum_of_reports(
    true_counts: Iterable[int], support: Mapping[int, Mapping[tuple[int, ...], Fraction]]
) -> Law:
    """support[x]: what one user with value x adds to the counters, and how probable that is."""
    sizes = {len(added) for law in support.values() for added in law}
    total: Law = {(0,) * sizes.pop(): Fraction(1)}
    for x, users in enumerate(true_counts):
        for _ in range(users):
            following: Law = defaultdict(Fraction)
            for (seen, mass), (added, p) in product(total.items(), support[x].items()):
                following[tuple(a + b for a, b in zip(seen, added, strict=True))] += mass * p
            total = following
    return {outcome: mass for outcome, mass in total.items() if mass}


def one_at(y: int, outputs: int) -> tuple[int, ...]:
    return tuple(int(y == other) for other in range(outputs))


def values_law(k: int, q: Fraction) -> dict[int, Law]:
    p = 1 - (k - 1) * q
    return {x: {one_at(y, k): p if x == y else q for y in range(k)} for x in range(k)}


def bits_law(k: int, p: Fraction, q: Fraction) -> dict[int, Law]:
    def mass(bits: tuple[int, ...], x: int) -> Fraction:
        ones = [p if v == x else q for v in range(k)]
        return math.prod(
            (one if bit else 1 - one for bit, one in zip(bits, ones, strict=True)),
            start=Fraction(1),
        )

    return {x: {bits: mass(bits, x) for bits in product((0, 1), repeat=k)} for x in range(k)}


@pytest.mark.parametrize("users", [[0, 0], [1, 0], [2, 3], [1, 1, 1], [0, 3, 1], [1, 0, 2, 0, 0]])
@pytest.mark.parametrize("share", [Fraction(1, 7), Fraction(1, 2), Fraction(1)])
def test_values(users: list[int], share: Fraction) -> None:
    k = len(users)
    q = share / k
    found = every_outcome(lambda binomial: values_reported(np.array(users), q, binomial))
    assert found == sum_of_reports(users, values_law(k, q))


@pytest.mark.parametrize("users", [[0, 0], [2, 1], [1, 0, 2]])
def test_bits(users: list[int]) -> None:
    p, q = Fraction(3, 5), Fraction(1, 7)
    found = every_outcome(lambda binomial: bits_reported(np.array(users), p, q, binomial))
    assert found == sum_of_reports(users, bits_law(len(users), p, q))


@pytest.mark.parametrize("users", [[0, 0], [3, 0], [2, 2]])
def test_outputs(users: list[int]) -> None:
    table = [[1, 5, 2], [4, 2, 2]]
    found = every_outcome(lambda binomial: outputs_reported(np.array(users), table, binomial))
    laws = {
        x: {one_at(y, 3): Fraction(words, 8) for y, words in enumerate(row)}
        for x, row in enumerate(table)
    }
    assert found == sum_of_reports(users, laws)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 7, 8])
def test_spreading(k: int) -> None:
    n = 3
    found = every_outcome(lambda binomial: spread(n, k, binomial))
    assert found == sum_of_reports([n], {0: {one_at(y, k): Fraction(1, k) for y in range(k)}})


@pytest.mark.parametrize("k", [6, 9, 1000, 1025])
def test_spreading_loses_nobody_and_favours_no_place(k: int, seed: int) -> None:
    """Pearson's statistic of k places and 1000 k users.

    Null: uniform. It has k - 1 degrees of freedom and exceeds its mean by 12 of its standard
    deviations (and 60 more for few degrees) with probability < 1e-13, the level. A place with 1.9
    times its share is seen with probability > 0.99.
    """
    n = 1000 * k
    counts = spread(n, k, float_binomial(seed, "test"))
    assert counts.shape == (k,)
    assert int(counts.sum()) == n
    statistic = float(((counts - 1000) ** 2).sum()) / 1000
    assert statistic < k - 1 + 12 * (2 * (k - 1)) ** 0.5 + 60


MECHANISMS: list[Any] = [
    ldp_verified.GRR(1.0, 3),
    ldp_verified.Warner(0.25),
    ldp_verified.BinaryRR(0.5),
    ldp_verified.SUE(1.0, 3),
    ldp_verified.OUE(1.0, 3),
    ldp_verified.THE(1.25, 1.5, 3),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: type(each).__name__)
def test_mechanisms_use_their_realized_table(mechanism: Any) -> None:
    users = [2, 1, 0][: mechanism.k]
    found = every_outcome(lambda binomial: mechanism._simulated(np.array(users), binomial))
    if isinstance(mechanism, OneHotRandomizer):
        laws = bits_law(mechanism.k, mechanism.p, mechanism.q)
    else:
        laws = {
            x: {one_at(y, mechanism.k): mechanism.pmf(y, x) for y in range(mechanism.k)}
            for x in range(mechanism.k)
        }
    assert found == sum_of_reports(users, laws)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: type(each).__name__)
def test_moments_are_those_of_the_reports(mechanism: Any, seed: int) -> None:
    """Means and variances over 2000 states of 500 users, with numpy's binomials.

    Null: those of the realized table. A mean is off by 7 of its standard errors with probability
    2.6e-12, a variance by 30 % (9.5 standard errors, of an almost normal counter) with less; 6
    numbers each. A mean that is off by a share 0.35 of its standard deviation is seen with
    probability > 0.99.
    """
    users = np.array([100, 150, 250])[-mechanism.k :]
    rng = np.random.default_rng(seed)
    runs = np.array([mechanism.simulate_counts(users, rng).counts for _ in range(2000)])
    n, p, q = int(users.sum()), float(mechanism.p_star), float(mechanism.q_star)
    mean = users * p + (n - users) * q
    variance = users * p * (1 - p) + (n - users) * q * (1 - q)
    assert (abs(runs.mean(axis=0) - mean) < 7 * np.sqrt(variance / len(runs))).all()
    assert (abs(runs.var(axis=0) / variance - 1) < 0.3).all()


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: type(each).__name__)
def test_states_are_marked_and_seeded(mechanism: Any, seed: int) -> None:
    users = list(range(5, 5 + mechanism.k))
    state = mechanism.simulate_counts(users, seed)
    assert state.simulated
    assert state.n == sum(users)
    assert state.identity == mechanism.identity
    assert state == mechanism.simulate_counts(np.array(users, np.uint8), np.uint64(seed))
    drawn = mechanism.simulate_counts([50_000] * mechanism.k, np.random.default_rng(seed))
    again = mechanism.simulate_counts([50_000] * mechanism.k, np.random.default_rng(seed))
    assert drawn == again
    assert drawn != mechanism.simulate_counts([50_000] * mechanism.k, seed)
    assert mechanism.simulate_counts(users).simulated
    assert mechanism.simulate_counts([0] * mechanism.k).n == 0


def test_explicit_tables_use_all_their_cells() -> None:
    rows = [[Fraction(cell, 16) for cell in row] for row in ([8, 5, 3], [4, 4, 8])]
    mechanism = constant_table(rows)
    found = every_outcome(lambda binomial: mechanism._simulated(np.array([2, 2]), binomial))
    laws = {x: {one_at(y, 3): mechanism.pmf(y, x) for y in range(3)} for x in range(2)}
    assert found == sum_of_reports([2, 2], laws)


def test_blocks_are_counted_as_they_are_reported() -> None:
    mechanism = Edges(1.0)
    found = every_outcome(lambda binomial: mechanism._simulated(np.array([1, 0, 2]), binomial))
    laws: dict[int, Law] = {
        x: {
            tuple(int(y == other) for other in range(len(mechanism.blocks))): mechanism.pmf(y, x)
            for y in range(len(mechanism.blocks))
        }
        for x in range(3)
    }
    assert found == sum_of_reports([1, 0, 2], laws)


@pytest.mark.parametrize("users", [[0, 0, 0], [1, 0, 0], [0, 1, 1]])
def test_sketches_of_bits_draw_rows_and_then_bits(users: list[int]) -> None:
    """Every outcome, exactly; the rows are all 4 functions of the family."""
    mechanism: Any = ldp_verified.CMS(1.0, 3, 2)
    found = every_outcome(lambda binomial: mechanism._simulated(np.array(users), binomial))
    height: int = mechanism.height
    laws: dict[int, Law] = {}
    for x in range(3):
        laws[x] = {}
        for row, bits in product(range(height), range(4)):
            added = [0] * (3 * height)
            added[2 * row : 2 * row + 2] = bits & 1, bits >> 1
            added[2 * height + row] = 1
            report = np.array([row, bits], dtype=np.uint64)
            laws[x][tuple(added)] = mechanism.pmf(report, x)
    assert found == sum_of_reports(users, laws)


def test_sketches_simulate_any_number_of_users(seed: int) -> None:
    """10^15 users and the whole family, for which estimates are unbiased.

    Null: within 7 standard errors, sums of very many bits being normal; 4 values at 2.6e-12.
    """
    mechanism = ldp_verified.CMS(1.0, 4, 5)
    users = [10**15, 0, 5 * 10**14, 1]
    state = mechanism.simulate_counts(users, seed)
    assert state.n == sum(users)
    estimate = state.estimate()
    assert (np.abs(estimate.counts - users) < 7 * estimate.std_error).all()


def test_a_billion_users_cost_no_more() -> None:
    users = np.zeros(1024, dtype=np.int64)
    users[:3] = 10**12, 10**15, 2**62
    for mechanism in (ldp_verified.GRR(1.0, 1024), ldp_verified.OUE(1.0, 1024)):
        state = mechanism.simulate_counts(users, 1)
        assert state.n == int(users.sum())
        assert int(state.counts.max()) <= state.n


def test_local_hashing_has_no_short_cut_and_says_so() -> None:
    mechanism = ldp_verified.OLH(1.0, 4)
    with pytest.raises(ParameterError, match="report_by_report: must be True for OLH"):
        mechanism.simulate_counts([1, 2, 3, 4], 1)


def test_report_by_report_is_what_privatize_would_have_given(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ldp_verified.run.realize.randomizer.SIMULATED_AT_A_TIME", 1000)
    users = [700, 0, 1801, 5]
    for mechanism in (ldp_verified.OLH(1.0, 4), ldp_verified.GRR(1.0, 4)):
        state = mechanism.simulate_counts(users, seed, report_by_report=True)
        values = np.repeat(np.arange(4), users)
        chunks = np.split(values, [1000, 2000])
        source = block_sources(seed, "simulate counts", *mechanism.identity.named)(0)
        assert state == mechanism.aggregate(
            mechanism.privatize_stream(chunks, rng=source), simulated=True
        )
        assert mechanism.simulate_counts([0] * 4, seed, report_by_report=True).n == 0
        assert mechanism.simulate_counts([1] * 4, report_by_report=True).simulated


@pytest.mark.parametrize(
    ("users", "message"),
    [
        ([1, 2], "must be k = 3 integers, got"),
        ([[1, 2, 3]], "must be k = 3 integers, got"),
        ([1.0, 2.0, 3.0], "must be k = 3 integers, got 'float64"),
        ([True, False, True], "must be k = 3 integers, got 'bool"),
        (["1", "2", "3"], "must be k = 3 integers, got"),
        ([1, -4711, 3], "must not be negative$"),
        ([2**62, 2**62, 1], "must be below 2.63 in all$"),
        ([2**64, 1, 1], "must be k = 3 integers, got 'object"),
    ],
)
@pytest.mark.parametrize("slowly", [False, True])
def test_other_counts_are_refused(users: Any, message: str, slowly: bool) -> None:
    with pytest.raises(DomainError, match="^true_counts: " + message):
        ldp_verified.GRR(1.0, 3).simulate_counts(users, 1, slowly)


@pytest.mark.parametrize("rng", [True, 1.5, -1, "7"])
@pytest.mark.parametrize("slowly", [False, True])
def test_other_generators_are_refused(rng: Any, slowly: bool) -> None:
    with pytest.raises(ParameterError, match="rng: must be None, a seed"):
        ldp_verified.GRR(1.0, 3).simulate_counts([1, 2, 3], rng, slowly)
