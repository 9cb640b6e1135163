"""Bounds that are found privately: the price, what noise does to them, and the mean within them."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified import Duchi, Hybrid, Piecewise
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import ClippedMean, RangeTree, range_protocol
from ldp_verified.protocols.every_part import check_every_part
from tests.broken.clipping import Outermost
from tests.registry import RANGE, SAMPLER, covers

MADE = ClippedMean(2.0, largest=1000.0, per_double=1)


@covers(RANGE, "ClippedMean")
@given(
    st.floats(0.05, 8),
    st.floats(2, 1e9),
    st.sampled_from([Hybrid, Piecewise, Duchi]),
    st.integers(0, 10**6),
)
@settings(max_examples=20)
def test_whatever_is_published_nobody_spends_more(
    epsilon: float, largest: float, make: Any, place: int
) -> None:
    made = ClippedMean(epsilon, largest, make=make)
    assert made.realized_epsilon <= epsilon
    low, high = made.edges[place % (len(made.edges) - 1)], made.edges[-1]
    second: Any = made.second((low, high))
    assert second.realized_epsilon <= epsilon


@pytest.mark.parametrize("largest", [2.0000000000000004, 2 * (1 + 2**-32), 4 * (1 + 2**-33)])
def test_any_two_borders_have_a_second_step(largest: float) -> None:
    """Chance seldom finds a largest number next to a border."""
    made = ClippedMean(1.0, largest)
    for low, high in itertools.pairwise(made.edges):
        second: Any = made.second((low, high))
        assert second.realized_epsilon <= 1


def test_a_smallest_number_next_to_the_largest_is_refused() -> None:
    with pytest.raises(ParameterError, match="smallest: must be below largest, by "):
        ClippedMean(1.0, 1.0000000000000002)


def test_bins_are_those_of_the_edges() -> None:
    assert MADE.edges[0] == -1000
    assert MADE.edges[-1] == 1000
    assert list(MADE.edges) == sorted(set(MADE.edges))
    assert MADE.edges[9:12] == (-2.0, -1.0, 1.0)
    numbers = np.array([-1e9, -1000, -3, -1, 0, 0.99, 1, 999, 1000, math.inf])
    bins = MADE.bins(numbers)
    for number, place in zip(np.clip(numbers, -1000, 999.999), bins.tolist(), strict=True):
        assert MADE.edges[place] <= number < MADE.edges[place + 1]
    assert MADE.clipped(numbers, (-1.0, 2.0)).tolist() == [-1, -1, -1, -1, 0, 0.99, 1, 2, 2, 2]


@covers(SAMPLER, "ClippedMean")
def test_what_is_drawn_is_what_its_parts_draw(seed: int) -> None:
    """Both groups, in one stream of words: bins by the tree, clipped numbers by the mechanism."""
    numbers = np.random.default_rng(seed).normal(5, 3, 4000)
    found = MADE.simulate(numbers, np.random.default_rng(seed))
    tree, bounds = MADE.first, found.bounds
    assert tree == RangeTree(2.0, len(MADE.edges) - 1, about=tree.about)
    assert MADE.second(bounds) == Hybrid(2.0, bounds)
    finding = MADE.draw_groups(200_000)
    # Null: a fifth of the users; 8 standard deviations of 179.
    assert abs(int(finding.sum()) - 40_000) < 8 * 179
    bins = tree.empty(simulated=True).update(tree.privatize(MADE.bins(numbers[:800]), seed))
    again = MADE.bounds(bins)
    made = MADE.second(again)
    cut = MADE.clipped(numbers[800:], again)
    state = made.empty(simulated=True).update(made.privatize(cut, seed))
    estimate = MADE.estimate(bins, state, again)
    assert estimate.mean.value == state.estimate().mean
    assert (estimate.mean.low, estimate.mean.high) == state.estimate().interval(0.95)


def noisy(monkeypatch: pytest.MonkeyPatch, shares: list[float], error: float) -> None:
    """Let the tree find these shares at most each bin."""
    found = SimpleNamespace(
        n=1000.0,
        at_most=1000.0 * np.array(shares),
        at_most_error=np.full(len(shares), 1000.0 * error),
        quantile=lambda _: SimpleNamespace(value=int(np.searchsorted(shares, 0.5))),
    )
    monkeypatch.setattr(RangeTree, "estimate", lambda *_: found)


def test_noise_in_far_bins_does_not_make_bounds_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: bounds at the outermost crossing go where a dip of noise is."""
    bins = len(MADE.edges) - 1
    shares = [0.0] * 9 + [0.2, 0.9] + [1.0] * (bins - 11)
    shares[-2], shares[1] = 0.97, 0.03  # noise
    noisy(monkeypatch, shares, 0.001)
    state: Any = None
    assert MADE.bounds(state) == (-2.0, 2.0) == (MADE.edges[9], MADE.edges[12])
    twin = Outermost(2.0, largest=1000.0, per_double=1)
    low, high = twin.bounds(state)
    assert (low, high) == (MADE.edges[2], MADE.edges[-1])
    noisy(monkeypatch, shares, 0.15)  # where errors are large, fewer users are enough
    assert MADE.bounds(state)[1] == MADE.edges[11]


def test_all_users_in_one_bin_have_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    bins = len(MADE.edges) - 1
    for place in (0, 5, bins - 1):
        noisy(monkeypatch, [0.0] * place + [1.0] * (bins - place), 0.0)
        state: Any = None
        assert MADE.bounds(state) == (MADE.edges[place], MADE.edges[place + 1])


def test_the_mean_of_clipped_numbers_is_estimated(seed: int) -> None:
    """Null: the stated errors; 3 means, each within 8 standard errors: level below 4e-15.

    Numbers have a heavy tail; without clipping the error at the public range is 1000 times larger.
    """
    rng = np.random.default_rng(seed)
    numbers = rng.standard_t(2, 60_000) * 10 + 20
    for make in (Hybrid, Piecewise, Duchi):
        made = ClippedMean(4.0, largest=1e6, make=make)
        found = made.simulate(numbers, rng)
        assert -1e6 < found.bounds[0] < 20 < found.bounds[1] < 1e6
        true = float(made.clipped(numbers, found.bounds).mean())
        assert abs(found.mean.value - true) < 8 * found.mean.std_error
        below, above = ((numbers < found.bounds[0]).mean(), (numbers >= found.bounds[1]).mean())
        assert abs(found.below.value - below) <= 8 * found.below.std_error
        assert abs(found.above.value - above) <= 8 * found.above.std_error
        unclipped = made.second((-1e6, 1e6)).worst_variance ** 0.5 / 48_000**0.5
        assert found.mean.std_error < unclipped


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"largest": 0}, "largest"),
        ({"largest": math.inf}, "largest"),
        ({"largest": True}, "largest"),
        ({"largest": 10**400}, "largest"),
        ({"largest": -(10**400)}, "largest"),
        ({"largest": 1e-400}, "largest"),
        ({"smallest": 1000.0}, "smallest"),
        ({"outside": 0.5}, "outside"),
        ({"outside": 0}, "outside"),
        ({"percent": 0}, "percent"),
        ({"percent": 100}, "percent"),
        ({"per_double": 17}, "per_double"),
        ({"largest": 1e100, "per_double": 16}, "number of bins"),
        ({"make": lambda epsilon, _: epsilon}, "make"),
        ({"make": None}, "make: must make a mechanism"),
        ({"make": 3}, "make: must make a mechanism"),
    ],
)
def test_no_such_protocol(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ClippedMean(**({"epsilon": 1.0, "largest": 1000.0} | arguments))


def test_other_states_and_numbers_are_refused() -> None:
    for wrong in ([math.nan], ["a"], None, [[1.0]], [True]):
        with pytest.raises(DomainError, match="values"):
            MADE.simulate(wrong, 1)
    for few in ([], [1.0]):
        with pytest.raises(ParameterError, match="values: must be of users enough"):
            MADE.simulate(few, 1)
    tree = MADE.first
    bins = tree.empty(simulated=True).update(tree.privatize([3] * 500, 1))
    made = MADE.second((-1.0, 1.0))
    numbers = made.empty(simulated=True).update(made.privatize([0.0], 1))
    with pytest.raises(ParameterError, match=r"second\(bounds\)"):
        MADE.estimate(bins, numbers, (-1.0, 2.0))
    with pytest.raises(ParameterError, match="numbers: must be of the class"):
        MADE.estimate(bins, bins, (-1.0, 1.0))  # type: ignore[arg-type]  # what is wrong
    other = MADE.second((-1.5, 1.0))
    with pytest.raises(ParameterError, match="bounds: must be borders"):
        MADE.estimate(bins, other.empty(), (-1.5, 1.0))
    with pytest.raises(ParameterError, match="state"):
        MADE.bounds(RangeTree(1.0, 5).empty())


def test_too_few_users_for_the_levels_are_counted_in_the_error() -> None:
    """The error named a state, which the caller had not given."""
    few = np.array([1.0, 2.0, 3.0, 4.0] * 3)
    with pytest.raises(ParameterError, match=r"values: .* each of \d+ levels; of \d reports none"):
        ClippedMean(epsilon=1.0, largest=1e6).simulate(few, rng=1)


def test_levels_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []

    def check(users: Any, part: str, names: Any, argument: str) -> None:
        counted.append(argument)
        check_every_part(users, part, names, argument)

    monkeypatch.setattr(range_protocol, "check_every_part", check)
    MADE.simulate(np.linspace(-3.0, 3.0, 2000), rng=1)
    assert counted == ["values"]
