"""HPGR: its whole table and its estimator at small sizes, the spec, the sampler, and the choice."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified import PGR, verify
from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.check.conformance.point_blocks import (
    hpgr_subject,
    is_orthogonal,
    point_of,
    points_of,
    report_chances,
    spec_weights,
)
from ldp_verified.check.conformance.stateful_clients import scene_tasks
from ldp_verified.errors import ParameterError
from ldp_verified.language import Matrix, catalogue, load, load_file
from ldp_verified.protocols import HPGR
from tests.broken.point_blocks import TEXTS, WRONG
from tests.registry import RANGE, SAMPLER, covers
from tests.strategies import EPSILONS

SPEC, COUNT = load("hpgr")
SIZES = [(14, 2, 2), (12, 2, 2), (9, 2, 3), (26, 3, 2), (20, 2, 2), (5, 2, 4)]
"""(k, prime, blocks): all points are values, or some; three digits or four; an empty block."""


def weights(made: HPGR, value: int) -> list[Fraction]:
    """What a report of each point adds to the estimated count of a value, by the server's code."""
    oracle, size = made.oracle, made.layout.counters
    scores = [
        int(made.layout.supports(np.bincount([y], minlength=size))[value]) for y in range(size)
    ]
    return [(score - oracle.q_star) / (oracle.p_star - oracle.q_star) for score in scores]


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 5.0, 30.0])
@pytest.mark.parametrize(("k", "prime", "blocks"), SIZES)
def test_the_whole_table_keeps_epsilon_and_attains_it(
    epsilon: float, k: int, prime: int, blocks: int
) -> None:
    made = HPGR(epsilon, k, prime, blocks)
    rows = [report_chances(made, x) for x in range(k)]
    assert rows == [[made.pmf(y, x) for y in range(made.layout.counters)] for x in range(k)]
    assert all(sum(row) == 1 for row in rows)
    worst = max(p / q for one in rows for two in rows for p, q in zip(one, two, strict=True))
    assert worst == made.inside / made.outside
    assert epsilon * (1 - 1e-6) < made.realized_epsilon <= epsilon
    assert math.isclose(float(worst), math.exp(made.realized_epsilon), rel_tol=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 5.0])
@pytest.mark.parametrize(("k", "prime", "blocks"), SIZES)
def test_estimates_are_unbiased_and_have_the_stated_variances(
    epsilon: float, k: int, prime: int, blocks: int
) -> None:
    """For every value and every holder, exactly, by the whole table."""
    made = HPGR(epsilon, k, prime, blocks)
    oracle, size = made.oracle, made.layout.size
    rows = [report_chances(made, x) for x in range(k)]
    for v in range(k):
        adds = weights(made, v)
        for x, row in enumerate(rows):
            mean = sum(p * a for p, a in zip(row, adds, strict=True))
            assert mean == (x == v)
            variance = sum(p * a * a for p, a in zip(row, adds, strict=True)) - mean**2
            beside = oracle.neighbour if x // size == v // size else oracle.stranger
            assert variance == (oracle.held if x == v else beside)


def test_where_all_points_are_values_no_other_estimator_is_unbiased() -> None:
    """The table is square and regular: its left inverse is unique."""
    made = HPGR(1.0, 14, 2, 2)
    rows = np.array([[float(p) for p in report_chances(made, x)] for x in range(14)])
    adds = np.array([[float(w) for w in weights(made, v)] for v in range(14)])
    np.testing.assert_allclose(adds, np.linalg.inv(rows).T, atol=1e-9)


@pytest.mark.parametrize(("k", "prime", "blocks"), SIZES)
def test_the_estimator_is_the_published_one(k: int, prime: int, blocks: int) -> None:
    made = HPGR(2.0, k, prime, blocks)
    for v in {0, k // 2, k - 1}:
        published = spec_weights(made, v, math.exp(2.0))
        np.testing.assert_allclose([float(w) for w in weights(made, v)], published, rtol=1e-9)


@pytest.mark.parametrize(("prime", "blocks"), [(2, 2), (2, 3), (3, 2)])
def test_the_spec_sums_up_the_table(prime: int, blocks: int) -> None:
    """Every two neighbours and a stranger have the classes of `hpgr`, the count what it says."""
    t = 3
    size = (prime**t - 1) // (prime - 1)
    made = HPGR(math.log(3), size * blocks, prime, blocks)
    u = made.inside / made.outside
    every = points_of(made)
    tables = []
    for mechanism in (SPEC, COUNT):
        table = mechanism.algebraic_table
        assert isinstance(table, Matrix)
        names = {"u": u, "q": prime, "Q": prime**t, "h": blocks}
        put = {symbol: names[str(symbol)] for symbol in mechanism.variables}
        tables.append([[Fraction(str(cell.subs(put))) for cell in row] for row in table.rows])
    for x, beside in product(range(2), range(2, size)):
        trio = (x, beside, size)
        met = [[is_orthogonal(point_of(made, v), y, prime) for v in trio] for y in every]
        kinds = [(True, True, False), (True, False, False), (False, True, False)]
        kinds += [(False, False, True), (False, False, False)]
        for holder, row, seen in zip(trio, *tables, strict=True):
            chances = report_chances(made, holder)
            found = [
                sum(c for c, m in zip(chances, met, strict=True) if tuple(m) == kind)
                for kind in kinds
            ]
            assert found == row
            own = sum(c for c, m in zip(chances, met, strict=True) if m[0])
            block = sum(c for c, y in zip(chances, every, strict=True) if y[0] == 0)
            assert [own, block - own, 1 - block] == seen


def test_it_runs_the_law_that_it_names() -> None:
    assert SPEC.law_hash == HPGR.law_sha256


@covers(SAMPLER, "HPGR")
@pytest.mark.parametrize(
    ("k", "prime", "blocks", "width"), [(12, 2, 2, 4), (9, 2, 3, 5), (26, 3, 2, 5), (20, 2, 2, 5)]
)
@pytest.mark.parametrize("machine_code", [False, True], ids=["python", "machine"])
def test_all_words_give_the_table(
    k: int, prime: int, blocks: int, width: int, machine_code: bool
) -> None:
    made = HPGR(1.0, k, prime, blocks)
    realization = next(made.realizations(width))
    sampler = made.sampler(realization)
    denied = Fraction(realization.thresholds[0], 1 << width)
    every = points_of(made)
    for x in (0, 1, k // 2, k - 1):
        found = exact_distribution(sampler, x, 4, machine_code=machine_code)
        held = [is_orthogonal(point_of(made, x), y, prime) for y in every]
        on = sum(held)
        wanted = {
            (y,): (1 - denied) / on if each else denied / (len(held) - on)
            for y, each in enumerate(held)
        }
        assert found.unresolved == 0
        assert found.probabilities == wanted


@covers(RANGE, "HPGR")
@given(
    epsilon=EPSILONS,
    k=st.sampled_from([2, 3, 7, 64, 1000, 22_000, 1 << 20]),
    prime=st.sampled_from([None, 2, 3, 13, 31]),
    blocks=st.sampled_from([None, 2, 5]),
)
@settings(max_examples=60, deadline=None)
def test_no_report_costs_more_than_is_wanted(
    epsilon: float, k: int, prime: int | None, blocks: int | None
) -> None:
    made = HPGR(epsilon, k, prime, None if blocks is None else min(blocks, k))
    assert 0 < made.realized_epsilon <= epsilon
    assert made.layout.size <= made.layout.points
    assert made.layout.blocks * made.layout.size >= k
    assert 0 < made.variance(1) < math.inf
    assert made.variance(1, 0, 0) <= made.variance(1) <= made.variance(1, 0, 1)
    report = made.privatize([k - 1], rng=1).data
    assert 0 <= int(report[0]) < made.layout.counters


@pytest.mark.parametrize("made", [HPGR(1.0, 12, 2, 2), HPGR(3.0, 30, 3, 3)])
def test_reports_have_the_law_and_estimates_follow_it(made: Any, seed: int) -> None:
    """Null: reports are as `report_chances` says; each look at level 1e-9, n = 20,000 each."""
    (task,) = scene_tasks(hpgr_subject(made), 400_000)
    for found in task.run(np.random.default_rng(seed), 1e-9, 1e-3):
        assert found.p_value > 1e-9, found.worst


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_seen(what: str, seed: int) -> None:
    make, shown = WRONG[what]
    (task,) = scene_tasks(hpgr_subject(make()), 400_000)
    found = task.run(np.random.default_rng(seed), 1e-9, 1e-3)
    assert any(each.p_value <= 1e-9 for each in found if each.name.startswith(shown))


@pytest.mark.parametrize("what", TEXTS)
def test_a_wrong_spec_is_refuted(what: str, tmp_path: Path) -> None:
    right, wrong, name, obligation = TEXTS[what]
    text = catalogue()["hpgr"].read_text(encoding="utf-8")
    assert text.count(right) == 1
    path = tmp_path / "hpgr_wrong.py"
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    (made,) = (each for each in load_file(path) if each.name == name)
    verdicts = verify(made, coq=False).verdicts
    refuted = {str(v.obligation) for v in verdicts if v.status.value == "refuted"}
    assert obligation in refuted


def test_errors_follow_who_else_is_in_the_block(seed: int) -> None:
    """Null: estimates of 4 populations have mean 0 and the variance stated, within 6 errors.

    400 runs of 500 users each, squared errors over the stated variance have a mean of 1 and a
    standard deviation near sqrt(2/400), at most 0.1; a level below 1e-7 for each of 4. A variance
    that is off by two is found.
    """
    made = HPGR(3.0, 30, 3, 3)
    n, runs, rng = 500, 400, np.random.default_rng(seed)
    for f, beside in ((0.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.2, 0.3)):
        users = [0] * round(f * n) + [1] * round(beside * n)
        values = np.array(users + [29] * (n - len(users)))
        reports = made.privatize(np.tile(values, runs), rng).data.reshape(runs, n)
        off = []
        for row in reports:
            counters = np.bincount(row, minlength=made.layout.counters)
            estimated = made.oracle.estimated(n, made.layout.supports(counters))[0]
            off.append((float(estimated) - f * n) / made.variance(n, f, beside) ** 0.5)
        assert abs(np.mean(off)) < 6 / runs**0.5
        assert abs(np.mean(np.square(off)) - 1) < 0.6


def test_the_plugged_in_error_is_that_of_the_shares() -> None:
    made = HPGR(3.0, 30, 3, 3)
    shares = np.zeros(30)
    shares[[0, 1, 29]] = 0.5, 0.2, 0.3
    found = made.oracle.plug_in(shares, 100)
    for value, f, beside in ((0, 0.5, 0.2), (1, 0.2, 0.5), (2, 0.0, 0.7), (29, 0.3, 0.0)):
        assert found[value] == pytest.approx(made.variance(1, f, beside))
    most, slope = made.oracle.variance_line(100)
    assert most == pytest.approx(made.variance(1, 0, 1))
    assert most + slope == pytest.approx(made.variance(1, 1))


@pytest.mark.parametrize("values", [None, (0,), (0, 1), (0, 29), tuple(range(30))])
def test_influence_is_attained(values: tuple[int, ...] | None) -> None:
    made = HPGR(3.0, 30, 3, 3)
    added = [sum(each) for each in zip(*(weights(made, v) for v in values or (0,)), strict=True)]
    found = made.influence(values)
    assert (found.least, found.most) == (min(added), max(added))
    if values is None:
        assert float(found.most - found.least) == pytest.approx(2 * float(made.oracle.half_step))


def test_the_choice_costs_at_most_a_tenth_more_than_the_least_that_was_tried() -> None:
    for epsilon, k in ((3.0, 1000), (5.0, 22_000), (5.0, 3_307_948), (8.0, 22_000)):
        made = HPGR(epsilon, k)
        for prime in (2, 3, 7, 13, 31, 67, 149, 251):
            assert made.variance(1) <= 1.1 * HPGR(epsilon, k, prime).variance(1) * (1 + 1e-9)
        assert made.prime is not None
        assert made.prime < (PGR(epsilon, k).prime or 0)
    assert HPGR(5.0, 22_000).variance(1) < 1.11 * PGR(5.0, 22_000).variance(1)


@pytest.mark.parametrize(
    ("k", "prime", "blocks", "argument"),
    [
        (1, 2, 2, "k"),
        (2**25 + 1, None, None, "k"),
        (2**25, 31, 2, "k"),
        (5, 4, 2, "prime"),
        (5, 1, 2, "prime"),
        (5, 2.0, 2, "prime"),
        (5, 2, 1, "blocks"),
        (5, 2, 6, "blocks"),
        (5, None, 0, "blocks"),
    ],
)
def test_other_sizes_are_refused(k: Any, prime: Any, blocks: Any, argument: str) -> None:
    with pytest.raises(ParameterError, match=argument):
        HPGR(1.0, k, prime, blocks)


@pytest.mark.parametrize(("f", "beside", "argument"), [(0.5, 0.6, "beside"), (2, None, "f")])
def test_other_shares_are_refused(f: Any, beside: Any, argument: str) -> None:
    with pytest.raises(ParameterError, match=argument):
        HPGR(1.0, 12, 2, 2).variance(10, f, beside)


@pytest.mark.parametrize("blocks", [None, 2])
@pytest.mark.parametrize("epsilon", [5e-324, 1e-320, 1e-17])
def test_an_epsilon_that_no_words_realize_is_refused(epsilon: float, blocks: int | None) -> None:
    with pytest.raises(ParameterError, match="epsilon: must be realizable"):
        HPGR(epsilon, 5, None, blocks)
