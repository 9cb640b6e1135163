"""RAPPOR over the whole range of its parameters: f = 0 and 1, one hash function, two bits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import KnownDomain, Rappor, RapporClient, RapporState
from tests.protocols.refusals import ODD, made_or_refused
from tests.registry import RANGE, covers
from tests.strategies import EPSILONS

SHARES = st.one_of(
    st.sampled_from([0, 1e-6, 0.5, 1 - 1e-6, 1, Fraction(1, 3)]),
    st.floats(0, 1),
    st.fractions(0, 1, max_denominator=1000),
)
WIDTHS = st.one_of(st.sampled_from([2, 64, 65, 4096]), st.integers(2, 300))
USUAL: dict[str, Any] = {
    "noise": 0.5,
    "low": 0.25,
    "high": 0.75,
    "bits": 16,
    "hashes": 2,
    "cohorts": 2,
}


def check_deployment(made: Rappor) -> None:
    """No more is said than by the parameters as given; a client reports, a server counts."""
    noise, low, high = made.realized
    assert noise >= Fraction(made.noise)
    assert low >= Fraction(made.low)
    assert high <= Fraction(made.high)
    assert 0 <= made.epsilon_report <= made.epsilon_permanent < math.inf
    assert made.epsilon_reports(1) == made.epsilon_report
    assert made.epsilon_reports(3) <= made.epsilon_permanent
    client = RapporClient(made, new_user=True, rng=1)
    state = RapporState(made, simulated=True)
    for value in ("", "a", "a"):
        state.update([client.report(value)])
    assert client.epsilon_spent == 2 * made.epsilon_permanent
    again = RapporClient.restore(client.save(), made, rng=1)
    assert np.array_equal(again.permanent("a"), client.permanent("a"))


@covers(RANGE, "Rappor")
@given(noise=SHARES, low=SHARES, high=SHARES, bits=WIDTHS, hashes=st.integers(1, 8))
@settings(max_examples=60)
def test_a_deployment_keeps_its_claims_or_is_refused(
    noise: Any, low: Any, high: Any, bits: int, hashes: int
) -> None:
    arguments = {"noise": noise, "low": low, "high": high, "bits": bits, "hashes": hashes}
    made = made_or_refused(Rappor, arguments)
    if made is not None:
        check_deployment(made)
    elif noise > 0 and low < high:
        # Only two levels that are one number of 2^-64 are refused then.
        assert Fraction(high) - Fraction(low) < Fraction(1, 1 << 63)


def test_without_noise_nothing_is_hidden_and_it_is_refused() -> None:
    """f = 0: the permanent response is the encoding."""
    for noise in (0, 0.0, Fraction(0)):
        with pytest.raises(ParameterError, match="noise"):
            Rappor(**USUAL | {"noise": noise})


def test_with_all_noise_nothing_is_said() -> None:
    """f = 1: every report has epsilon 0, and no server can estimate from it."""
    made = Rappor(**USUAL | {"noise": 1})
    assert made.epsilon_permanent == made.epsilon_report == 0
    assert made.cells[0] == made.cells[1]
    check_deployment(made)
    state = RapporState(made, simulated=True)
    state.update([RapporClient(made, new_user=True, rng=1).report("a")])
    with pytest.raises(ParameterError, match="noise: must be below 1"):
        KnownDomain(made, ("a", "b")).decode(state)


@given(EPSILONS, st.floats(0.01, 0.99), st.integers(1, 8))
@settings(max_examples=25)
def test_epsilons_are_solved_for_and_never_exceeded(
    permanent: float, part: float, hashes: int
) -> None:
    made = made_or_refused(
        Rappor.for_epsilon,
        {"permanent": permanent, "report": permanent * part, "bits": 32, "hashes": hashes},
    )
    if made is not None:
        assert made.epsilon_permanent <= permanent
        assert made.epsilon_report <= permanent * part
        check_deployment(made)


@pytest.mark.parametrize("permanent", [0.1, 1.0, 5.0])
def test_the_corners_are_made(permanent: float) -> None:
    for hashes in (1, 2, 8):
        for report in (None, permanent / 2):
            check_deployment(Rappor.for_epsilon(permanent, report, bits=64, hashes=hashes))


@pytest.mark.parametrize("argument", USUAL)
def test_odd_numbers_are_refused(argument: str) -> None:
    for value in ODD:
        with pytest.raises(ParameterError, match=argument):
            Rappor(**USUAL | {argument: value})
    if argument in ("bits", "hashes"):
        with pytest.raises(ParameterError, match=argument):
            Rappor(**USUAL | {argument: 0})
    if argument == "bits":  # one bit is 1 for every value, which says nothing
        with pytest.raises(ParameterError, match="bits"):
            Rappor(**USUAL | {"bits": 1})
