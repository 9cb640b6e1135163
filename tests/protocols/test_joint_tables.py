"""Joint tables: what a report costs, that views agree as least squares has them, and the errors."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from ldp_verified import GRR, HRR, OLH, OUE
from ldp_verified.errors import DomainError, LdpError, ParameterError
from ldp_verified.protocols import JointEstimate, JointTables, SampleOne
from ldp_verified.protocols import joint_estimate as estimates
from ldp_verified.protocols.joint_tables import least_variance
from ldp_verified.run.aggregate.combined import variance_of
from tests.registry import RANGE, SAMPLER, covers
from tests.strategies import EPSILONS

Floats = np.ndarray[Any, np.dtype[np.float64]]
SIZES = {"a": 2, "b": 3, "c": 2}
VIEWS: tuple[tuple[tuple[str, ...], ...] | None, ...] = (
    None,
    (("a", "b"), ("c",)),
    (("a", "b", "c"), ("b", "c"), ("b",)),
)


def drawn(rng: np.random.Generator, n: int, table: Floats) -> dict[str, Any]:
    """Records of users drawn from a table of the three attributes."""
    cells = rng.choice(table.size, n, p=table.reshape(-1))
    return dict(zip("abc", np.unravel_index(cells, table.shape), strict=True))


def dependent() -> Floats:
    table = np.random.default_rng(3).dirichlet(np.ones(12)).reshape(2, 3, 2)
    return np.asarray((table + 0.05) / (table + 0.05).sum())


def estimated(made: JointTables, records: Any, seed: int) -> JointEstimate:
    state = made.empty(simulated=True).update(made.privatize(records, rng=seed))
    return made.estimate(state)


def asked(found: JointEstimate) -> list[tuple[str, ...]]:
    """All tables that a view has."""
    return [
        names
        for size in (1, 2, 3)
        for names in combinations(found.labels, size)
        if any(set(names) <= set(view) for view in found.views)
    ]


# --- the price ----------------------------------------------------------------------------------


def price(made: JointTables, send_all: bool = False) -> float:
    """ln of the largest ratio of chances of any report over any two records, all written out.

    Planted, `send_all`: a user reports on every view.
    """
    records = list(product(*map(range, SIZES.values())))
    columns = {name: np.array([r[j] for r in records]) for j, name in enumerate(SIZES)}
    cells = made.encode(columns)
    worst = Fraction(1)
    for j, part in enumerate(made.scheme.parts):
        assert isinstance(part, GRR)
        table = [[part.pmf(y, int(cell)) for y in range(part.k)] for cell in cells[:, j]]
        ratio = max(Fraction(p[y]) / q[y] for p in table for q in table for y in range(part.k))
        worst = worst * ratio if send_all else max(worst, ratio)
    return math.log(worst)


@pytest.mark.parametrize("views", VIEWS)
def test_any_two_records_are_within_epsilon(views: Any) -> None:
    made = JointTables(1.0, SIZES, views, make=GRR)
    assert price(made) <= made.realized_epsilon <= 1.0 + 1e-9
    assert price(made, send_all=True) > made.realized_epsilon + 0.5


@st.composite
def tables(draw: st.DrawFn) -> JointTables:
    """Any epsilon, two to four attributes, and views that have them all."""
    sizes = dict(
        zip("abcd", draw(st.lists(st.integers(2, 9), min_size=2, max_size=4)), strict=False)
    )
    views = draw(st.lists(st.sets(st.sampled_from(sorted(sizes)), min_size=1), max_size=3))
    rest = {*sizes}.difference(*views)
    listed = {tuple(sorted(each)) for each in [*views, *([rest] if rest else [])]}
    return JointTables(draw(EPSILONS), sizes, tuple(sorted(listed)))


@covers(RANGE, "JointTables")
@given(tables())
@settings(max_examples=30)
def test_no_views_cost_more_than_is_wanted(made: JointTables) -> None:
    assert 0 < made.realized_epsilon <= made.epsilon
    assert len(made.scheme.parts) == len(made.listed)


@covers(SAMPLER, "JointTables")
@pytest.mark.parametrize("views", VIEWS)
def test_reports_are_those_of_the_cells(views: Any, seed: int) -> None:
    """Of all records, each 50 times: what is drawn is `SampleOne` on cells that are written out."""
    made = JointTables(1.0, SIZES, views, make=GRR)
    records = np.repeat(np.array(list(product(*map(range, SIZES.values())))), 50, axis=0)
    columns = dict(zip(SIZES, records.T, strict=True))
    cells = np.zeros((len(records), len(made.listed)), dtype=np.int64)
    for place, view in enumerate(made.listed):
        for name in view:
            cells[:, place] = cells[:, place] * SIZES[name] + columns[name]
    sizes = tuple(math.prod(SIZES[name] for name in view) for view in made.listed)
    expected = SampleOne(1.0, sizes, GRR).privatize(cells, seed)
    found = made.privatize(columns, seed)
    for mine, its in zip(found.reports, expected.reports, strict=True):
        assert np.array_equal(mine.data, its.data)


# --- cells and columns --------------------------------------------------------------------------


def test_cells_are_those_of_the_labels() -> None:
    made = JointTables(1.0, {"to": ("x", "y", "z"), "late": ("no", "yes"), "month": 3})
    assert made.listed == (("to", "late"), ("to", "month"), ("late", "month"))
    records = {"to": ["z", "x"], "late": ["yes", "no"], "month": [2, 0]}
    wanted = [[2 * 2 + 1, 2 * 3 + 2, 1 * 3 + 2], [0, 0, 0]]
    assert made.encode(records).tolist() == wanted
    assert made.encode(pd.DataFrame(records)).tolist() == wanted
    state = made.empty(simulated=True).update(made.privatize({**records, "extra": [0]}, rng=1))
    assert state.n == 2
    assert made.labels["month"] == (0, 1, 2)
    assert made == JointTables(1.0, {"to": ["x", "y", "z"], "late": ("no", "yes"), "month": 3})
    assert len({made, made}) == 1


def test_names_of_cells_follow_the_order_asked_for() -> None:
    """With next to no noise a table is the users' own, transposed or not."""
    made = JointTables(14.0, {"to": ("x", "y", "z"), "late": ("no", "yes")})
    records = {"to": ["x"] * 3000 + ["z"] * 1000, "late": ["yes"] * 3000 + ["no"] * 1000}
    found = estimated(made, records, 1)
    for names in (("to", "late"), ("late", "to")):
        table = found.table(*names)
        top = table.top(1)[0].label
        assert top == {"to": "x, yes", "late": "yes, x"}[names[0]]
        assert table[top].value == pytest.approx(3000, abs=30)
    assert found.table("to").names == ("x", "y", "z")
    share = found.conditional("late", given="to")
    assert share["yes | x"].value == pytest.approx(1, abs=0.02)
    assert share["no | z"].value == pytest.approx(1, abs=0.02)
    assert (share["no | y"].low, share["no | y"].high) == (0.0, 1.0)  # nobody goes there


# --- views that agree ---------------------------------------------------------------------------


def off_target(names: tuple[str, ...], found: JointEstimate) -> float:
    """How far the weights of a user's cells are from 1 where the user has the cell, else 0."""
    records = list(product(*map(range, SIZES.values())))
    worst = 0.0
    cells = math.prod(SIZES[name] for name in names)
    factors = found.weights(names)
    for target in product(*(range(SIZES[name]) for name in names)):
        at = dict(zip(names, target, strict=True))
        for record in records:
            own = dict(zip(SIZES, record, strict=True))
            total = 1 / cells
            for kept_factors in factors:
                for kept, factor in kept_factors.items():
                    total += factor * all(own[name] == at[name] for name in kept)
            worst = max(worst, abs(total - all(own[name] == at[name] for name in names)))
    return worst


@pytest.mark.parametrize("views", VIEWS)
def test_estimates_are_unbiased_whatever_users_hold(
    views: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a user adds, over all views, is 1 in the own cell and 0 elsewhere: for all records."""
    made = JointTables(1.0, SIZES, views, make=OUE)
    found = estimated(made, drawn(np.random.default_rng(1), 500, dependent()), 1)
    for names in asked(found):
        assert off_target(names, found) < 1e-9, names
    own = estimates.subsets
    monkeypatch.setattr(estimates, "subsets", lambda names: own(names)[1:])  # planted: no mean
    assert off_target(("a", "b"), found) > 1e-3


@pytest.mark.parametrize("views", VIEWS)
def test_they_are_weighted_least_squares(views: Any) -> None:
    """Against a dense solver: shares that sum to 1, cells weighted by users over variance."""
    made = JointTables(1.0, SIZES, views, make=OUE)
    found = estimated(made, drawn(np.random.default_rng(1), 700, dependent()), 2)
    records = list(product(*map(range, SIZES.values())))
    rows, seen = [np.full(len(records), 1e6)], [1e6]
    for view, own in zip(found.views, found.own, strict=True):
        weight = math.sqrt(own.n / float(own.oracle.variance_line(own.n)[0]))
        places = [list(SIZES).index(name) for name in view]
        cells = product(*(range(SIZES[name]) for name in view))
        for cell, share in zip(cells, own.shares, strict=True):
            holds = [tuple(r[p] for p in places) == cell for r in records]
            rows.append(weight * np.array(holds, dtype=np.float64))
            seen.append(weight * float(share))
    whole = np.linalg.lstsq(np.array(rows), np.array(seen), rcond=None)[0].reshape(2, 3, 2)
    for names in asked(found):
        away = tuple(j for j, name in enumerate(SIZES) if name not in names)
        assert found.table(*names).shares == pytest.approx(whole.sum(axis=away), abs=1e-5), names


def test_tables_agree_and_add_up() -> None:
    made = JointTables(1.0, SIZES)
    found = estimated(made, drawn(np.random.default_rng(1), 900, dependent()), 3)
    first, second = found.table("a", "b"), found.table("c", "b")
    assert first.counts.sum() == pytest.approx(900)
    assert first.array.sum(axis=0) == pytest.approx(second.array.sum(axis=0))
    assert first.array.sum(axis=0) == pytest.approx(found.table("b").counts)
    assert "900 users by a, b" in first._repr_html_()
    assert first.to_pandas().shape == (6, 4)
    assert first.plot().axes[0].get_yticklabels()


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [GRR, OUE, HRR], ids=["GRR", "OUE", "HRR"])
def test_the_stated_errors_are_those_of_many_runs(make: Any, seed: int) -> None:
    """Null: the mean and the variance of 300 estimates of 5 figures are as stated.

    Chi-squared and normal bounds at 1e-9 each, with 10 % for the plugged in shares and the normal
    approximation. A variance that is twice the stated one is found with 0.9.
    """
    made, rng, runs, n = JointTables(3.0, SIZES, make=make), np.random.default_rng(seed), 300, 2000
    records = drawn(rng, n, dependent())
    values, errors = [], []
    for _ in range(runs):
        found = estimated(made, records, int(rng.integers(1 << 60)))
        tables = found.table("a", "b"), found.table("c")
        values.append([*tables[0].counts[:3], *tables[1].counts])
        errors.append([*tables[0].std_error[:3], *tables[1].std_error])
    truth = np.bincount(3 * records["a"] + records["b"], minlength=6)[:3].tolist()
    truth += np.bincount(records["c"]).tolist()
    stated = np.mean(np.square(errors), axis=0)
    away = (np.mean(values, axis=0) - truth) / np.sqrt(stated / runs)
    assert np.abs(away).max() < 6.1 * 1.05
    ratio = np.var(values, axis=0, ddof=1) / stated
    low, high = (chi2.ppf(p, runs - 1) / (runs - 1) for p in (1e-9, 1 - 1e-9))
    assert low / 1.1 < ratio.min()
    assert ratio.max() < high * 1.1


def test_that_views_are_sampled_is_in_the_errors() -> None:
    """At epsilon = 8 that is nearly all of the variance; the noise alone (planted) says too little.

    One run of 2,000 users; no chance is at stake, as both come from the same estimate.
    """
    records = drawn(np.random.default_rng(1), 2000, dependent())
    found = estimated(JointTables(8.0, SIZES), records, 1)
    table = found.table("a", "b")
    stated, share = float(table.std_error[0]) ** 2, float(table.shares[0, 0])
    alone = found.n**2 * share * (1 - share) * (1 / found.own[0].n - 1 / found.n)
    assert only_noise(found) < stated / 3
    assert alone / 3 < stated < 1.5 * alone


def only_noise(found: JointEstimate) -> float:
    """Planted: the variance of the first cell by the noise of reports alone."""
    table = found.table("a", "b")
    total = 0.0
    for view, own, factors in zip(
        found.views, found.own, found.weights(table.attributes), strict=True
    ):
        weights = np.zeros(tuple(SIZES[name] for name in view))
        for kept, factor in factors.items():
            weights[tuple(0 if name in kept else slice(None) for name in view)] += factor
        noise = variance_of(own.oracle, own.shares, weights.reshape(-1))
        assert noise is not None
        total += noise / own.n
    return total * found.n**2


def test_independence_is_rejected_as_often_as_stated(seed: int) -> None:
    """Null: of 200 tests at 0.05 at most the binomial quantile at 1e-9 reject; all do otherwise."""
    made, rng = JointTables(2.0, SIZES), np.random.default_rng(seed)
    product_table = np.einsum("i,j,k->ijk", [0.3, 0.7], [0.2, 0.3, 0.5], [0.6, 0.4])
    rejected = 0
    for _ in range(200):
        records = drawn(rng, 1500, product_table)
        found = estimated(made, records, int(rng.integers(1 << 60)))
        rejected += found.independent("a", "b").rejected(0.05)
    assert rejected <= binom.ppf(1 - 1e-9, 200, 0.05)
    records = drawn(rng, 60_000, product_table)
    records["b"] = np.where(rng.random(60_000) < 0.5, records["a"], records["b"])
    test = estimated(made, records, int(rng.integers(1 << 60))).independent("a", "b")
    assert test.rejected(1e-6)
    assert (0, 0) in test.differing(1e-6)
    with pytest.raises(ParameterError, match="significance"):
        test.rejected(0)


def test_bounds_stand_in_where_covariances_are_unknown() -> None:
    made = JointTables(1.0, SIZES, make=lambda epsilon, k: OLH(epsilon, k, g=3))
    found = estimated(made, drawn(np.random.default_rng(1), 2000, dependent()), 3)
    exact = JointTables(1.0, SIZES, make=OUE)
    other = estimated(exact, drawn(np.random.default_rng(1), 2000, dependent()), 3)
    assert (found.table("a", "b").std_error > other.table("a", "b").std_error).all()


# --- states, and what is refused ----------------------------------------------------------------


def test_states_are_merged_and_saved(tmp_path: Path) -> None:
    made = JointTables(1.0, SIZES)
    records = drawn(np.random.default_rng(1), 500, dependent())
    parts = [
        made.empty(simulated=True).update(made.privatize(records, rng=seed)) for seed in (1, 2)
    ]
    both = parts[0].merge(parts[1])
    both.save(tmp_path / "state")
    again = JointTables(1.0, SIZES).load(tmp_path / "state")
    assert made.estimate(again).n == 1000
    table = made.estimate(again).table("a", "b")
    assert (table.counts == made.estimate(both).table("a", "b").counts).all()


def test_the_mechanism_of_a_view_is_the_better_one() -> None:
    assert isinstance(least_variance(1.0, 4), GRR)
    assert isinstance(least_variance(1.0, 400), OUE)
    assert isinstance(least_variance(6.0, 400), GRR)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"epsilon": 0}, "epsilon"),
    ({"attributes": ["a", "b"]}, "attributes: must be a mapping"),
    ({"attributes": {"a": 2}}, r"len\(attributes\)"),
    ({"attributes": {"a": 2, 3: 2}}, "attributes: must have texts"),
    ({"attributes": {"a": 2, "b": 1}}, r"attributes\['b'\]"),
    ({"attributes": {"a": 2, "b": "x"}}, r"attributes\['b'\]"),
    ({"attributes": {"a": 2, "b": ["x", "x"]}}, r"attributes\['b'\]: must be labels"),
    ({"views": ()}, "views: must be a tuple"),
    ({"views": 3}, "views: must be a tuple"),
    ({"views": (("a", "b"),)}, "views: must have every attribute"),
    ({"views": (("a", "a"), ("b", "c"))}, r"views\[0\]: must be a tuple of names"),
    ({"views": ("ab", ("b", "c"))}, r"views\[0\]: must be a tuple of names"),
    ({"views": (("a", "z"), ("b", "c"))}, r"views\[0\]: must be a tuple of names"),
    ({"views": (("a", "b"), ("b", "a"), ("c",))}, "views: must be different"),
    ({"attributes": {"a": 1 << 9, "b": 1 << 9}}, r"cells of views\[0\]"),
    ({"make": 3}, "make"),
]


@pytest.mark.parametrize(("changed", "message"), WRONG)
def test_other_arguments_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        JointTables(**{"epsilon": 1.0, "attributes": SIZES, **changed})


def test_other_records_and_questions_are_refused() -> None:
    made = JointTables(1.0, SIZES, (("a", "b"), ("b", "c")))
    good: dict[str, Any] = {"a": [0, 1], "b": [2, 0], "c": [1, 1]}
    wrong: Any  # no type would let all of these pass
    for wrong in ({**good, "a": [0, 2]}, {**good, "a": [0]}, {"a": [0]}, [0, 1], None, 3):
        with pytest.raises(DomainError, match="records"):
            made.privatize(wrong, rng=1)
    with pytest.raises(ParameterError, match=r"state: must have reports on each of .* views; of"):
        made.estimate(made.empty())
    other = JointTables(1.0, SIZES)
    with pytest.raises(LdpError, match="state: must be of this protocol"):
        made.estimate(other.empty())
    found = estimated(made, {name: held * 50 for name, held in good.items()}, 1)
    for names in ((), ("a", "a"), ("z",), ("a", "c"), ("a", 3)):
        with pytest.raises(ParameterError, match="names: must be"):
            found.table(*names)
    with pytest.raises(ParameterError, match="names: must be together"):
        found.independent("a", "c")
    with pytest.raises(ParameterError, match="level"):
        found.conditional("a", "b").rows(3)
