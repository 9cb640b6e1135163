"""Mechanisms of numbers by name: events against the realized tables of this package's objects."""

from __future__ import annotations

from math import exp
from statistics import NormalDist

import numpy as np
import pytest

from ldp_verified import Duchi, Geometric, TruncatedGeometric
from ldp_verified.check.audit.bounds.bounds import Stake
from ldp_verified.check.audit.events import features
from ldp_verified.check.audit.named.named import named
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.own_reports import told_numbers
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer

MECHANISMS = [Duchi(1.5), Geometric(1.0, grid=2), TruncatedGeometric(2.0)]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
def test_the_event_has_the_odds_of_the_claim_in_the_realized_table(
    mechanism: NumericRandomizer,
) -> None:
    """The table that runs is summed over the event, report by report, for both ends."""
    found = named(mechanism.name, mechanism.epsilon, mechanism.bounds, own=mechanism)
    event = found.pair
    assert event is not None
    reports = np.arange(mechanism.outputs)
    outputs = told_numbers(mechanism)(reports)
    coded = features.values(event.feature, Batch(np.zeros(len(reports), np.int64), outputs))
    labels = [coded.labels[c] for c in coded.codes.tolist()]
    ends = (0, mechanism.steps)
    sides = []
    for mine, others in ((event.yes, event.no), (event.no, event.yes)):
        first = sum(mechanism.pmf(y, ends[event.x]) for y in reports.tolist() if labels[y] in mine)
        second = sum(
            mechanism.pmf(y, ends[event.x2]) for y in reports.tolist() if labels[y] in others
        )
        sides.append(float(first + second) / 2)
    plus, minus = sides
    assert plus / minus == pytest.approx(exp(mechanism.epsilon), rel=1e-3)
    # The realized table is a grid: masses are those of the density up to a step of it.
    assert (plus, minus) == pytest.approx((found.plus, found.minus), rel=0.05)
    assert found.stake == Stake()


@pytest.mark.parametrize(
    "name,inputs,given",
    [
        ("laplace", (0, 25, 100), {"bounds": "0..100"}),
        ("laplace", (-1, 1), {"b": "2"}),
        ("duchi", (-1, 0, 1), {}),
        ("square_wave", (0, 1), {"b": "1/4"}),
        ("piecewise", (-1, 1), {}),
        ("hybrid", (-1, 0.5, 1), {}),
        ("staircase", (-1, 1), {"g": "1/2"}),
        ("geometric", (0, 1, 2, 3), {}),
        ("truncated_geometric", (0, 3), {"m": "3", "L": "2"}),
        ("she", (0, 1, 2), {}),
    ],
)
def test_other_peoples_numbers_are_named_too(
    name: str, inputs: tuple[float, ...], given: dict[str, object]
) -> None:
    found = named(name, 1.0, inputs, given)
    assert found.plus / found.minus == pytest.approx(exp(1.0), rel=1e-6)
    assert found.plus + found.minus <= 1


def test_gaussian_noise_is_cut_where_its_normal_law_says() -> None:
    """No epsilon fixes sigma; the event is a half-line each way, of the same chance."""
    found = named("gaussian", 1.0, (-1, 1), {"sigma": "2"})
    assert found.plus + found.minus <= 1
    assert found.pair is not None
    edges = [float.fromhex(e) for e in found.pair.feature.removeprefix("below:").split(",")]
    assert any(found.plus == pytest.approx(NormalDist(-1, 2).cdf(edge), rel=1e-9) for edge in edges)
    with pytest.raises(ParameterError, match="must give sigma of gaussian"):
        named("gaussian", 1.0, (-1, 1), {})


def test_what_is_no_number_or_out_of_range_is_refused() -> None:
    for inputs, given, said in (
        (("a", "b"), {}, "--inputs"),
        ((0, 2), {}, "LOW..HIGH"),
        ((-1, 1), {"bounds": "1..0"}, "bounds"),
        ((-1, 1), {"scale": "3"}, "--set"),
        ((-1, 1), {"b": "-2"}, "b > 0"),
    ):
        with pytest.raises(ParameterError, match=said):
            named("laplace", 1.0, inputs, given)
    with pytest.raises(ParameterError, match="told apart"):
        named("laplace", 1.0, (0.5, 0.5))
