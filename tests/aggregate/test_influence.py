"""The influence of one report is the extreme over every report, each of which is counted."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR, OUE
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.influence import Influence, influence_on_counts
from ldp_verified.run.mechanisms import CMS, HCMS
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer
from ldp_verified.run.realize.tables.explicit import TableRandomizer
from tests.broken.influences import (
    as_the_largest_honest_mean,
    as_the_smallest_of_all,
    without_the_others,
)
from tests.mechanisms.against_table import every_report
from tests.mechanisms.parameters import CLASSES, usual

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SKETCHES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "CMS": (CMS, (1.0, 3, 4)),
    "HCMS": (HCMS, (1.0, 3, 4)),
}
"""Small enough for every report to be counted."""

Places = tuple[int, ...]


def small(name: str) -> Any:
    """An object with few reports."""
    if name in SKETCHES:
        make, arguments = SKETCHES[name]
        return make(*arguments)
    usually = usual(CLASSES[name])
    return CLASSES[name](**usually | ({"k": 5} if "k" in usually else {}))


def added(made: Randomizer) -> np.ndarray[Any, Any]:
    """What every report adds to each count, by the state that has seen this report alone."""
    return np.array(
        [
            made.empty().update(made.reports(report[np.newaxis], simulated=False)).estimate().counts
            for report in every_report(made)
        ]
    )


def groups(k: int) -> Iterator[Places]:
    """Some values and all of them; every group where there are few."""
    sizes = range(1, k + 1) if k <= 6 else (1, 2, k)
    for size in sizes:
        yield from list(combinations(range(k), size))[:40]


def disagreements(
    made: Randomizer, of: Callable[[Any, Places], Influence] = influence_on_counts
) -> list[Places]:
    """The groups of values for which an influence is not the extreme over all reports."""
    single = added(made)
    found = []
    for places in groups(made.k):
        totals = single[:, list(places)].sum(axis=1)
        claimed = of(made.oracle, places)
        ends = [float(claimed.least), float(claimed.most)]
        if not np.allclose(ends, [totals.min(), totals.max()], rtol=1e-9, atol=1e-9):
            found.append(places)
    return found


ORACLES = [name for name, made in CLASSES.items() if issubclass(made, Randomizer)]
NUMERIC = [name for name, made in CLASSES.items() if issubclass(made, NumericRandomizer)]


def with_estimates(name: str) -> bool:
    """Return whether counts are estimated by the class at these parameters."""
    return small(name).oracle.no_estimator is None


@pytest.mark.parametrize("name", [name for name in ORACLES if with_estimates(name)])
def test_influence_is_the_extreme_over_every_report(name: str) -> None:
    made = small(name)
    assert disagreements(made) == []
    single = added(made)
    found = made.influence()
    assert np.isclose(float(found.most), single.max(), rtol=1e-9)
    assert np.isclose(float(found.least), single.min(), rtol=1e-9)
    everything = made.influence(made.labels)
    assert np.isclose(float(everything.most), single.sum(axis=1).max(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "wrong", [as_the_largest_honest_mean, without_the_others, as_the_smallest_of_all]
)
def test_a_wrong_influence_is_seen(wrong: Callable[[Any, Places], Influence]) -> None:
    assert disagreements(OUE(1.0, 4), wrong)


@pytest.mark.parametrize("name", NUMERIC)
def test_influence_on_a_mean_covers_every_report(name: str) -> None:
    made = CLASSES[name](**usual(CLASSES[name]))
    if getattr(made, "no_mean", None) is not None:
        with pytest.raises(ParameterError, match="must have a mean"):
            made.influence()
        return
    found = made.influence()
    dtype = made.privatize([made.bounds[0]], rng=1).data.dtype
    last, cells = made.outputs - 1, made.decoding.cells
    ends = set(range(made.outputs)) if last < 64 else {0, cells - 1, min(cells, last), last} - {-1}
    means = []
    for y in ends:
        report = made.reports(np.array([y], dtype=dtype), simulated=False)
        means.append(made.mean_estimate(report).mean)
    assert np.isclose(max(means), float(found.most), rtol=1e-9)
    assert np.isclose(min(means), float(found.least), rtol=1e-9)


def test_one_percent_of_fakes_at_half_an_epsilon_and_100_values() -> None:
    """GRR: 1.54 + 0.99 f for the target. OUE with all bits set: shares that add up to about 6."""
    assert round(float(GRR(0.5, 100).influence().share(0.01)[1]), 2) == 1.54
    held = Fraction(1, 4)
    low, high = GRR(0.5, 100).influence().share(Fraction(1, 100), held)
    assert high - Fraction(99, 100) * held == GRR(0.5, 100).influence().most / 100
    assert low < Fraction(99, 100) * held
    oue = OUE(0.5, 100)
    assert round(float(oue.influence(range(100)).share(0.01, 1)[1]), 2) == 6.07
    grr_sum = GRR(0.5, 100).influence(range(100))
    assert grr_sum.least == grr_sum.most == 1


def test_fakes_move_an_estimate_by_what_influence_says() -> None:
    """Reports of one value, beside honest ones: the difference is exact, whatever was drawn."""
    made = GRR(0.5, 100)
    honest = made.privatize(np.arange(9900) % 100, rng=3)
    fakes = made.reports(np.full(100, 7, dtype=np.uint8), simulated=True)
    before = made.aggregate(honest, simulated=True)
    after = before.merge(made.aggregate(fakes, simulated=True))
    moved = after.estimate().counts[7] - before.estimate().counts[7]
    assert np.isclose(moved, float(made.influence().total(100)[1]), rtol=1e-9)


def test_bad_input() -> None:
    found = GRR(1.0, 4, categories=("a", "b", "c", "d")).influence(("a", "b"))
    assert found == influence_on_counts(GRR(1.0, 4).oracle, (0, 1))
    with pytest.raises(ParameterError, match="values: must be among the labels"):
        GRR(1.0, 4, categories=("a", "b", "c", "d")).influence(("a", 1))
    for equal in (True, 1.0, np.True_, np.float32(1), Fraction(1), None, [1]):
        with pytest.raises(ParameterError, match="values: must be among the labels"):
            GRR(1.0, 4).influence((0, equal))  # type: ignore[arg-type]  # what is refused
    for values in ((), (0, 0)):
        with pytest.raises(ParameterError, match=r"values: (must be one or more|0 is named twice)"):
            GRR(1.0, 4).influence(values)
    with pytest.raises(ParameterError, match="fakes: must be an integer"):
        found.total(-1)
    with pytest.raises(ParameterError, match="fakes: must be in"):
        found.share(1.5)
    with pytest.raises(ParameterError, match="held: must be a finite number"):
        found.share(0.5, float("nan"))
    with pytest.raises(ParameterError, match="places: must be some of"):
        influence_on_counts(GRR(1.0, 4).oracle, (4,))


def test_explicit_tables_by_the_column_of_largest_weight() -> None:
    made = [small(n) for n in ORACLES if issubclass(CLASSES[n], TableRandomizer)]
    assert made
    for each in made:
        if each.no_estimator is None:
            weights = [w for row in each.weights for w in row]
            assert each.influence() == Influence(min(weights), max(weights))
