"""Memoised reports over the whole range of their parameters, the corners first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError, ReplayError
from ldp_verified.protocols import (
    LGRR,
    LOLOHA,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
    CounterFile,
    DBitFlip,
    MemoClient,
    Registry,
)
from tests.protocols.refusals import ODD, made_or_refused
from tests.registry import RANGE, covers
from tests.strategies import EPSILONS

CLASSES: list[Any] = [LGRR, LOLOHA, LSUE, LOSUE, LOUE, LSOUE]
SIZES = st.one_of(st.sampled_from([2, 3, 64, 65, 1000, 1 << 20]), st.integers(2, 3000))
PARTS = st.one_of(st.sampled_from([1e-3, 0.5, 0.999]), st.floats(0.001, 0.999))
BUCKETS = st.one_of(st.sampled_from([2, 3, 64, 1000]), st.integers(2, 300))


def check_deployment(made: Any) -> None:
    """The claims hold, a client reports both ends, and a server counts what it gets."""
    assert 0 < made.realized_permanent <= made.epsilon_permanent
    assert made.realized_report <= made.realized_permanent
    assert made.epsilon_ever >= made.realized_permanent
    assert all(0 <= t <= 1 << 64 for t in made.thresholds)
    client = MemoClient(made, new_user=True, rng=1)
    state, registry = made.empty(simulated=True), Registry()
    for value in (0, made.k - 1, 0):
        report = client.report(value)
        registry.accept("user", report)
        state.update(report.reports)
    assert state.n == 3
    assert client.answers <= made.memories
    if made.oracle.k <= 4096:
        assert np.isfinite(state.estimate().counts).all()
    again = MemoClient.restore(client.save(), made, rng=1, seen=3)
    assert np.array_equal(again.permanent(0), client.permanent(0))


@covers(RANGE, *(made.__name__ for made in CLASSES))
@pytest.mark.parametrize("made", CLASSES)
@given(epsilon=EPSILONS, part=PARTS, k=SIZES)
@settings(max_examples=15)
def test_two_steps_keep_their_claims_or_are_refused(
    made: Any, epsilon: float, part: float, k: int
) -> None:
    arguments = {"epsilon_permanent": epsilon, "epsilon_report": epsilon * part, "k": k}
    deployment = made_or_refused(made, arguments)
    if deployment is not None:
        check_deployment(deployment)
        assert deployment.realized_report <= epsilon * part


@covers(RANGE, "DBitFlip")
@given(epsilon=EPSILONS, b=BUCKETS, data=st.data())
@settings(max_examples=25)
def test_bits_of_buckets_keep_their_claim_or_are_refused(
    epsilon: float, b: int, data: st.DataObject
) -> None:
    d = data.draw(st.one_of(st.sampled_from([1, b]), st.integers(1, b)))
    k = data.draw(st.one_of(st.just(b), st.integers(b, 5000)))
    deployment = made_or_refused(DBitFlip, {"epsilon_permanent": epsilon, "k": k, "b": b, "d": d})
    if deployment is not None:
        check_deployment(deployment)


@pytest.mark.parametrize("made", CLASSES)
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 20.0])
def test_the_corners_are_made(made: Any, epsilon: float) -> None:
    """Were everything refused, the tests above would see nothing."""
    for k in (2, 1000):
        check_deployment(made(epsilon, epsilon / 2, k))


@pytest.mark.parametrize("made", CLASSES)
def test_one_value_and_other_odd_numbers_are_refused(made: Any) -> None:
    usual: dict[str, Any] = {"epsilon_permanent": 2.0, "epsilon_report": 1.0, "k": 5}
    wrong: list[tuple[str, Any]] = [("k", 1), ("k", 0), ("k", 2.5), ("epsilon_report", 2.0)]
    for argument, value in wrong:
        with pytest.raises(ParameterError, match=argument):
            made(**usual | {argument: value})
    for argument in usual:
        for value in ODD:
            with pytest.raises(ParameterError, match=argument):
                made(**usual | {argument: value})
    for k, b, d in ((1, 1, 1), (5, 1, 1), (5, 6, 1), (5, 5, 6), (5, 5, 0)):
        with pytest.raises(ParameterError):
            DBitFlip(1.0, k, b, d)


@given(numbers=st.lists(st.integers(-2, 12), min_size=1, max_size=12))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counts_only_ever_grow(numbers: list[int], tmp_path: Path) -> None:
    """A registry takes exactly the numbers above all before; a file refuses exactly those below."""

    class Report:
        def __init__(self, number: int) -> None:
            self.number, self.choice = number, (1, 2)

    registry, last = Registry(), 0
    for number in numbers:
        if number > last:
            registry.accept("user", Report(number))
            last = number
        else:
            with pytest.raises(ReplayError):
                registry.accept("user", Report(number))
        assert registry.seen("user") == last
        assert Registry.from_bytes(registry.to_bytes()).users == registry.users
    path = tmp_path / "count"
    path.unlink(missing_ok=True)
    file, highest = CounterFile(path), 0
    for number in map(abs, numbers):
        if number >= highest:
            file.advance(number)
            highest = number
        else:
            with pytest.raises(ReplayError):
                file.advance(number)
        assert CounterFile(path).seen() == highest
