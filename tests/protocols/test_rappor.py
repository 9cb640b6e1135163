"""RAPPOR's epsilons against its table, written out bit by bit, and the published numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError
from ldp_verified.language import LDP, load
from ldp_verified.protocols import (
    Rappor,
    permanent_epsilon,
    report_epsilon,
    reports_epsilon,
    solve_high,
    solve_noise,
)
from ldp_verified.prove.enumeration.expand import evaluate

NOISES = st.fractions(min_value=Fraction(1, 40), max_value=1, max_denominator=40)


def joint(noise: Fraction, low: Fraction, high: Fraction, times: int, bit: int) -> list[Fraction]:
    """P(all of `times` reports of one bit), from the two steps, in the order of product(0, 1)."""
    kept = [noise / 2, 1 - noise / 2] if bit else [1 - noise / 2, noise / 2]
    return [
        sum(
            (
                chance * math.prod((level if y else 1 - level for y in reports), start=Fraction(1))
                for chance, level in zip(kept, (low, high), strict=True)
            ),
            Fraction(0),
        )
        for reports in product((0, 1), repeat=times)
    ]


@given(
    NOISES,
    st.fractions(min_value=0, max_value=Fraction(1, 2), max_denominator=20),
    st.fractions(min_value=Fraction(11, 20), max_value=1, max_denominator=20),
    st.integers(1, 3),
    st.integers(1, 4),
)
def test_epsilon_is_the_largest_ratio_of_the_written_out_table(
    noise: Fraction, low: Fraction, high: Fraction, hashes: int, times: int
) -> None:
    one, zero = (joint(noise, low, high, times, bit) for bit in (1, 0))
    # Where the permanent response itself is reported, times that differ do not happen.
    possible = [(a, b) for a, b in zip(one, zero, strict=True) if a or b]
    up = max(a / b for a, b in possible)
    down = max(b / a for a, b in possible)
    found = reports_epsilon(noise, low, high, hashes, times)
    assert found == pytest.approx(hashes * math.log(up * down), rel=1e-12, abs=1e-15)
    assert found <= permanent_epsilon(noise, hashes)


def test_the_published_example() -> None:
    """k = 64, h = 2, p = 1/2, q = 3/4, f = 1/2: 1.07429 for one report, 4.39445 for all ever."""
    half = Fraction(1, 2)
    assert report_epsilon(half, half, Fraction(3, 4), 2) == pytest.approx(1.07429, abs=5e-6)
    assert permanent_epsilon(half, 2) == pytest.approx(4.39445, abs=5e-6)
    assert permanent_epsilon(half, 2) == pytest.approx(4 * math.log(3))
    # The one-time variant reports the permanent response: its single report costs as much.
    assert report_epsilon(half, 0, 1, 2) == permanent_epsilon(half, 2)


def test_many_reports_approach_the_permanent_response_and_never_pass_it() -> None:
    half = Fraction(1, 2)
    costs = [reports_epsilon(half, half, Fraction(3, 4), 2, t) for t in (1, 2, 5, 20, 100)]
    assert costs == sorted(costs)
    assert costs[1] < 2 * costs[0]
    assert costs[-1] <= permanent_epsilon(half, 2)
    assert costs[-1] == pytest.approx(permanent_epsilon(half, 2), abs=1e-9)


@given(
    st.floats(0.01, 60),
    st.integers(1, 8),
)
def test_solved_parameters_never_have_less_noise(epsilon: float, hashes: int) -> None:
    noise = solve_noise(epsilon, hashes)
    assert permanent_epsilon(noise, hashes) <= epsilon
    assert permanent_epsilon(noise * (1 - 1e-12), hashes) > epsilon or noise == 1.0
    high = solve_high(epsilon / 2, noise, hashes)
    assert report_epsilon(noise, 1 - high, high, hashes) <= epsilon / 2
    if high < 1:
        more = math.nextafter(high, 1)
        assert report_epsilon(noise, 1 - more, more, hashes) > epsilon / 2


@given(
    st.floats(1e-6, 1.0),
    st.floats(0.0, 0.45),
    st.floats(0.55, 1.0),
    st.integers(1, 4),
)
def test_rounding_to_integers_costs_no_privacy(
    noise: float, low: float, high: float, hashes: int
) -> None:
    made = Rappor(noise, low, high, 64, hashes)
    assert made.epsilon_report <= report_epsilon(noise, low, high, hashes)
    assert made.epsilon_permanent <= permanent_epsilon(noise, hashes)
    ideal = [(1 - noise / 2) * high + noise / 2 * low, noise / 2 * high + (1 - noise / 2) * low]
    assert [float(cell) for cell in made.cells] == pytest.approx(ideal, abs=1e-12)


def test_the_cells_are_the_specs() -> None:
    basic, permanent, report = load("rappor")
    noise, low, high = Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)
    made = Rappor(noise, low, high, 64, 2)
    symbols = {parameter.name: parameter for parameter in basic.parameters}
    point = {symbols["noise"]: noise, symbols["low"]: low, symbols["high"]: high}
    cells = basic.algebraic_table.cells().values()
    assert [evaluate(cell, point) for cell in cells] == list(made.cells)
    one, zero = made.cells
    found = []
    for mechanism, values in ((permanent, (noise,)), (report, (zero, one))):
        (claim,) = mechanism.claims
        assert isinstance(claim, LDP)
        at = dict(zip(mechanism.parameters, values, strict=False))
        found.append(math.log(evaluate(mechanism.algebraic("claim", claim.ratio), at)))
    assert found == pytest.approx([made.epsilon_permanent, made.epsilon_report])


def test_for_epsilon() -> None:
    made = Rappor.for_epsilon(4.0, 1.0, bits=32, hashes=2, cohorts=4)
    assert made.epsilon_permanent <= 4.0 < made.epsilon_permanent * (1 + 1e-9)
    assert made.epsilon_report <= 1.0 < made.epsilon_report * (1 + 1e-9)
    once = Rappor.for_epsilon(2.0, None, bits=32, hashes=1)
    assert once.epsilon_report == once.epsilon_permanent <= 2.0


def test_where_the_epsilons_are_reached() -> None:
    made = Rappor(0.5, 0.5, 0.75, 64, 2)
    assert made.reached_by([f"string {i}" for i in range(50)])
    assert not made.reached_by(["alone"])
    # Of two bits, two strings with two ones each have the same encoding.
    assert not Rappor(0.5, 0.5, 0.75, 2, 2).reached_by([f"string {i}" for i in range(20)])


@pytest.mark.parametrize(
    "arguments,message",
    [
        ((0, 0.5, 0.75, 64, 2), "noise: must be > 0"),
        ((1.5, 0.5, 0.75, 64, 2), "noise"),
        ((0.5, 0.75, 0.5, 64, 2), "low: must be below"),
        ((0.5, 0.5, 0.75, 1, 2), "bits"),
        ((0.5, 0.5, 0.75, 64, 0), "hashes"),
        ((0.5, 0.5, 0.75, 64, 2, 0), "cohorts"),
        ((math.nan, 0.5, 0.75, 64, 2), "noise"),
    ],
)
def test_parameters_are_checked(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Rappor(*arguments)  # type: ignore[arg-type]  # wrong ones are the point


def test_no_noise_and_nothing_but_noise() -> None:
    all_noise = Rappor(1, 0.25, 0.75, 64, 2)
    assert all_noise.epsilon_permanent == 0.0
    assert all_noise.epsilon_report == 0.0
    with pytest.raises(ParameterError, match="no finite epsilon"):
        permanent_epsilon(0, 2)


KINDS: list[Any] = [np.int8, np.uint8, np.uint16, np.int64]


@pytest.mark.parametrize("kind", KINDS)
def test_narrow_integers_count_as_any_others(kind: Any) -> None:
    # 2 h or t/2^64 computed in 8 bits would be another, smaller epsilon.
    made, hashes, times = Rappor(0.5, 0.25, 0.75, 32, 2, 4), kind(100), kind(3)
    assert permanent_epsilon(0.5, hashes) == permanent_epsilon(0.5, 100)
    assert report_epsilon(0.5, 0.25, 0.75, hashes) == report_epsilon(0.5, 0.25, 0.75, 100)
    several = (0.5, 0.25, 0.75)
    assert reports_epsilon(*several, hashes, times) == reports_epsilon(*several, 100, 3)
    assert solve_noise(1.0, hashes) == solve_noise(1.0, 100)
    assert solve_high(1.0, 0.5, hashes) == solve_high(1.0, 0.5, 100)
    assert made.epsilon_reports(times) == made.epsilon_reports(3)
    assert made.encoder.positions("a", kind(1)) == made.encoder.positions("a", 1)


def test_a_client_of_one_string_is_refused_by_its_name() -> None:
    with pytest.raises(ParameterError, match="strings: must be two or more different strings"):
        Rappor(0.5, 0.25, 0.75, 4, 2).program(["red"])
