"""Tables from parities: price, unbiased cells with the stated errors, and what is refused."""

from __future__ import annotations

import math
import pickle
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import JointTables, ParityEstimate, ParityTables
from tests.broken.parities import ForgetsTheSets
from tests.registry import RANGE, covers
from tests.strategies import EPSILONS

NAMES = ("a", "b", "c", "d")
MADE = ParityTables(1.0, NAMES, 3)


def records(n: int, seed: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Of attributes that depend on each other: mostly none, or a and b together."""
    chances = np.array([6, 1, 1, 8, 2, 1, 0, 3, 1, 0, 0, 2, 0, 0, 1, 4.0])
    return np.random.default_rng(seed).choice(16, n, p=chances / chances.sum())


def estimated(made: ParityTables, held: Any, seed: int) -> ParityEstimate:
    return made.estimate(made.empty(simulated=True).update(made.privatize(held, rng=seed)))


def truth(held: Any, names: tuple[str, ...]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Counts of all cells, the last name fastest."""
    found = np.zeros((2,) * len(names), dtype=np.int64)
    np.add.at(found, tuple(held >> NAMES.index(name) & 1 for name in names), 1)
    return found.reshape(-1)


def test_it_runs_the_declaration_that_it_names() -> None:
    assert load_protocol("parity_tables").law_hash == ParityTables.law_sha256


@covers(RANGE, "ParityTables")
@given(epsilon=EPSILONS, d=st.integers(2, 62), order=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_no_report_costs_more_than_is_wanted(epsilon: float, d: int, order: int) -> None:
    made = ParityTables(epsilon, tuple(f"x{i}" for i in range(d)), min(order, d))
    assert 0 < made.realized_epsilon <= epsilon
    assert len(made.sets) == sum(math.comb(d, size) for size in range(1, made.order + 1))
    assert made.layout.counters <= 1 << made.bits_per_report
    assert 0 < made.variance(1, 1) < math.inf
    assert [mask.bit_count() for mask in made.masks.tolist()] == list(map(len, made.sets))


def added(made: ParityTables, names: tuple[str, ...]) -> dict[int, Any]:
    """What each report adds to the cells of a table, where all sets have as many reports."""
    m = len(made.sets)
    found = {}
    every = made.empty().counts
    for report in range(2 * m):
        means = np.zeros(m)
        means[report // 2] = (1 - 2 * (report % 2)) * m / float(made.gain)
        alone = ParityEstimate(
            *(1, dict.fromkeys(made.attributes, (0, 1)), made.sets, np.ones(m, np.int64)),
            *(means, float(made.gain), made.empty().honesty()),
        )
        found[report] = alone.table(*names).counts
    assert len(every) == len(found)
    return found


@pytest.mark.parametrize("names", [("a",), ("c", "a"), ("b", "c", "d")])
def test_cells_are_unbiased_for_every_record(names: tuple[str, ...]) -> None:
    """All reports of one user are enumerated, with their chances; influence is of the extremes."""
    right, m = float(MADE.response.p_star), len(MADE.sets)
    adds = added(MADE, names)
    for record in range(16):
        mean, square = np.zeros(2 ** len(names)), np.zeros(2 ** len(names))
        for place, mask in enumerate(MADE.masks.tolist()):
            odd = (record & mask).bit_count() & 1
            for sign in (0, 1):
                chance = (right if sign == odd else 1 - right) / m
                mean += chance * adds[2 * place + sign]
                square += chance * adds[2 * place + sign] ** 2
        held = truth(np.array([record]), names)
        assert mean == pytest.approx(held, abs=1e-9)
        cells = len(held)
        exact = square - mean**2
        bound = MADE.variance(1, len(names))
        assert exact == pytest.approx(bound - (held - 1 / cells) ** 2)
    most = max(float(each.max()) for each in adds.values())
    least = min(float(each.min()) for each in adds.values())
    claimed = MADE.influence(len(names))
    assert (float(claimed.least), float(claimed.most)) == pytest.approx((least, most))
    assert float(MADE.influence().most) >= most


def missed(made: ParityTables, kind: type[ParityEstimate], seed: int) -> int:
    """Intervals of cells of level 0.99 that miss, over 200 runs."""
    held, wrong = records(3000, 7), 0
    for run in range(200):
        found = estimated(made, held, seed + run)
        own = kind(
            *(found.n, found.labels, found.views, found.users),
            *(found.coefficients, found.gain, found.tests),
        )
        for names in (("a",), ("a", "b"), ("d", "b", "c")):
            table = own.table(*names)
            off = np.abs(table.counts - truth(held, names)) > 2.5758 * table.std_error
            wrong += int(off[0]) + int(off[-1])
    return wrong


MOST = 150
"""Misses of 1200 intervals, of which 12 are expected."""


def test_intervals_have_their_level_and_no_more_than_that_is_stated(seed: int) -> None:
    """Null: each of 6 intervals of level 0.99 misses with chance 0.01; 200 runs.

    Runs are independent, and a run misses 6 times at most, so that the variance of the misses is at
    most 6 times their mean: more than `MOST` have a chance below 1e-11 (Bernstein's inequality).
    Errors that forget how users are spread over 14 sets miss in more than half of all cases.
    """
    assert missed(MADE, ParityEstimate, seed) <= MOST
    assert missed(MADE, ForgetsTheSets, seed) > MOST


def test_tables_agree_and_add_up(seed: int) -> None:
    found = estimated(MADE, records(2000, 1), seed)
    for first, second in combinations(NAMES, 2):
        table = found.table(first, second)
        assert table.counts.sum() == pytest.approx(2000)
        assert table.array.sum(axis=1) == pytest.approx(found.table(first).counts)
        assert table.array.sum(axis=0) == pytest.approx(found.table(second).counts)
        assert pytest.approx(found.table(second, first).array) == table.array.T
    assert found.table("a").names == (0, 1)
    assert found.table("a", "b").names == ("0, 0", "0, 1", "1, 0", "1, 1")
    value, error = found.coefficient("a", "c")
    own = found.table("a", "c").shares
    assert value == pytest.approx(own[0, 0] + own[1, 1] - own[0, 1] - own[1, 0])
    assert 0 < error < 1
    assert "2,000 users by a, b" in found.table("a", "b").heading
    assert found.honesty.p_value > 1e-9


def test_dependence_is_found(seed: int) -> None:
    """a and b mostly go together: 17 standard errors at n = 100000."""
    found = estimated(MADE, records(100_000, 2), seed)
    assert found.independent("a", "b").rejected(1e-6)
    share = found.conditional("b", given="a")["1 | 1"]
    held = records(100_000, 2)
    with_a = held[held & 1 == 1]
    assert abs(share.value - (with_a >> 1 & 1).mean()) < 8 * share.std_error
    assert ("a", "b") in found.network().edges or ("b", "a") in found.network().edges


def test_independent_attributes_are_rarely_called_dependent(seed: int) -> None:
    """Null: independence is rejected with chance 0.01 at most; n = 200 runs, level 1e-10."""
    wrong = 0
    for run in range(200):
        draw = np.random.default_rng([seed, run])
        held = sum((draw.random(2000) < 0.3 + 0.1 * i).astype(np.int64) << i for i in range(4))
        wrong += estimated(MADE, held, seed + run).independent("a", "b").rejected(0.01)
    assert wrong <= int(binom.isf(1e-10, 200, 0.01))


def test_pairs_beside_views_of_joint_tables() -> None:
    """The stated variance of a cell of a pair, with 10 attributes and at epsilon = 1."""
    names = tuple(f"x{i}" for i in range(10))
    mine = ParityTables(1.0, names).variance(1, 2)
    held = np.random.default_rng(1).integers(0, 2, (10, 20_000))
    views = JointTables(1.0, dict.fromkeys(names, 2))
    columns = dict(zip(names, held, strict=True))
    state = views.empty(simulated=True).update(views.privatize(columns, rng=1))
    theirs = views.estimate(state).table("x0", "x1").std_error.mean() ** 2 / 20_000
    assert 0.2 < mine / theirs < 5


def test_records_are_taken_in_several_forms() -> None:
    held = records(30, 3)
    columns = {name: held >> place & 1 for place, name in enumerate(NAMES)}
    for form in (columns, pd.DataFrame(columns), {k: v == 1 for k, v in columns.items()}, held):
        assert MADE.encode(form).tolist() == held.tolist()
    for wrong in ({"a": [1]}, {**columns, "a": [1]}, {**columns, "b": held + 2}, [16], ["a"], None):
        odd: Any = wrong
        with pytest.raises(DomainError):
            MADE.privatize(odd, rng=1)


def test_states_add_up_and_are_saved(tmp_path: Path) -> None:
    one, two = MADE.privatize(records(200, 1), rng=1), MADE.privatize(records(200, 2), rng=2)
    whole = MADE.empty(True).update(one).update(two)
    assert MADE.empty(True).update(one).merge(MADE.empty(True).update(two)) == whole
    whole.save(tmp_path / "state")
    for again in (MADE.load(tmp_path / "state"), pickle.loads(pickle.dumps(whole))):
        assert again == whole
    other = ParityTables(1.0, (*NAMES[:3], "e"), 3)
    with pytest.raises(ReportError, match="attributes"):
        other.empty().update(one)
    with pytest.raises(ParameterError, match="state: must be of this protocol: "):
        other.estimate(whole)
    even = whole.estimate([0])
    held = np.concatenate([records(200, 1), records(200, 2)])
    assert abs(even.counts[0] - (held & 1 == 0).sum()) < 8 * even.std_error[0]


def test_bad_arguments_are_named() -> None:
    for arguments, name in (
        ({"epsilon": 0}, "epsilon"),
        ({"attributes": "ab"}, "attributes"),
        ({"attributes": {"a": 3, "b": 2}}, "attributes"),
        ({"attributes": ("a", "a")}, "attributes"),
        ({"attributes": ("a", 3)}, "attributes"),
        ({"attributes": ("a", "b\n")}, "attributes"),
        ({"attributes": ("a",)}, "len(attributes)"),
        ({"order": 0}, "order"),
        ({"order": 5}, "order"),
        ({"attributes": tuple(map(str, range(62))), "order": 4}, "number of sets"),
    ):
        given: dict[str, Any] = {"epsilon": 1.0, "attributes": NAMES, "order": 2} | arguments
        with pytest.raises(ParameterError) as refused:
            ParityTables(**given)
        assert refused.value.argument == name
    with pytest.raises(ParameterError, match="size: must"):
        MADE.variance(1, 4)
    with pytest.raises(ParameterError, match="n: must"):
        MADE.variance(-1, 1)
    with pytest.raises(ParameterError, match="size: must"):
        MADE.influence(0)
    held: Any  # no type would let all of these pass
    for held in (["x"], [2], [0.5], [None]):
        with pytest.raises(DomainError, match=r"must be 0 or 1.*JointTables takes categories"):
            MADE.privatize(dict.fromkeys(NAMES, held), rng=1)
    few = MADE.empty(True).update(MADE.privatize([1], rng=1))
    with pytest.raises(
        ParameterError, match=r"state: must have reports on each of .* sets; of 1 reports"
    ):
        MADE.estimate(few)
    found = estimated(MADE, records(2000, 1), 1)
    for names in product([("a", "a"), ("x",), NAMES, ()]):
        with pytest.raises(ParameterError, match="names: must"):
            found.table(*names[0])
    with pytest.raises(ReportError, match=r"0\.\.27"):
        MADE.reports(np.array([28]), simulated=True)
