"""A round as it is published, its reports and its state."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols import PrefixRound, PrefixRounds, RoundState
from ldp_verified.protocols.prefix_round import numbers
from ldp_verified.run.realize.tables import balls
from tests.registry import RANGE, covers
from tests.strategies import EPSILONS

SMALL = PrefixRounds(3.0, bits=12, top=4, first=5, step=4, cohorts=64)
TOP = 1 << 127
LAST = tuple(value << 116 for value in (7, 2741, 4095))


@pytest.mark.parametrize(
    ("number", "published"),
    [
        (0, (TOP,)),  # the first round publishes nothing
        (1, (TOP, TOP)),
        (1, (1,)),  # bits beyond the prefix
        (1, (1 << 128,)),
        (1, (-TOP,)),
        (1, (1.5,)),
        (1, [TOP]),
        (1, None),
        (3, ()),  # nobody can be asked about no value
        (4, (TOP,)),
        (-1, ()),
        (1.0, ()),
    ],
)
def test_what_a_round_cannot_publish_is_refused(number: Any, published: Any) -> None:
    with pytest.raises(ParameterError, match=r"published|number"):
        PrefixRound(SMALL, number, published)


@covers(RANGE, "PrefixRounds")
@settings(deadline=None, max_examples=30)
@given(epsilon=EPSILONS, bits=st.integers(2, 128), data=st.data())
def test_a_round_costs_what_is_claimed(epsilon: float, bits: int, data: st.DataObject) -> None:
    """The exact price of an answer, in balls, is at most what the protocol claims."""
    try:
        made = PrefixRounds(epsilon, bits=bits, top=data.draw(st.integers(1, 40)))
        number = data.draw(st.integers(0, made.levels))
        asked = made.largest(number)
        if 0 < number < made.levels:
            asked = PrefixRound(made, number, (0, 1 << 127))
        p, q = asked.randomizer.p, asked.randomizer.q
    except ParameterError:
        assert epsilon < 1e-3 or epsilon > 40
        return
    claimed = asked.realized_epsilon
    assert balls.decide(lambda: balls.at_most(balls.ball(Fraction(p / q)).log(), claimed))
    assert 0 < claimed <= made.epsilon
    assert asked.gain > 0
    assert asked.spread(0.0) > 0


def test_answers_are_none_or_a_bucket() -> None:
    first, second = PrefixRound(SMALL, 0), PrefixRound(SMALL, 1, (TOP,))
    last = PrefixRound(SMALL, 3, LAST)
    assert (first.answers, second.answers, last.answers) == (SMALL.buckets, SMALL.hashed + 1, 4)
    values = SMALL.encode([7, 2741, 4095, 8])
    functions = np.zeros(4, dtype=np.int64)
    assert last.inputs(values, functions).tolist() == [1, 2, 3, 0]
    begins = [value >> 7 == 16 for value in (7, 2741, 4095, 8)]
    assert (second.inputs(values, functions) > 0).tolist() == begins
    many = PrefixRound(SMALL, 1, tuple(place << 123 for place in range(32)))
    assert (many.inputs(values, functions) > 0).all()
    assert not PrefixRound(SMALL, 1).inputs(values, functions).any()
    assert numbers(LAST).tolist() == SMALL.encode([7, 2741, 4095]).tolist()


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_true_answer_has_its_probability(number: int, seed: int) -> None:
    """Null: an answer is true with probability p. n = 40,000, 5.5 standard deviations: 4e-8."""
    n, published = 40_000, {1: (TOP,), 3: LAST}.get(number, ())
    asked = PrefixRound(SMALL, number, published)
    for value in (2741, 5):
        reports = asked.privatize(np.full(n, value), rng=seed + value)
        own = asked.inputs(SMALL.encode(np.full(n, value)), reports.functions.astype(np.int64))
        p = float(asked.randomizer.p)
        hits = np.count_nonzero(own == reports.answers)
        assert abs(hits - n * p) <= 5.5 * (n * p * (1 - p)) ** 0.5
        assert len(np.unique(reports.functions)) == 64
    assert 0 < asked.realized_epsilon <= SMALL.epsilon


def test_the_stated_spread_is_that_of_the_supports(seed: int) -> None:
    """Null: the variance of a level's estimated shares is as stated, at three shares of holders.

    2^12 prefixes that nobody has, n = 50,000 users; the sample variance of 4096 nearly independent
    normal numbers has a relative standard deviation of 0.022. Six of these, with a fifth for what
    shared functions add: a wrong factor of 1.4 is seen.
    """
    made = PrefixRounds(3.0, bits=24, top=4, first=12, step=12, cohorts=4096)
    published = tuple(place << 116 for place in (1, 2))
    asked = PrefixRound(made, 1, published)
    for share in (0.0, 0.5, 1.0):
        inside = int(50_000 * share)
        rng = np.random.default_rng(seed % 2**32)
        values = np.concatenate(
            [
                (1 << 12) + rng.integers(0, 4096, inside),
                (9 << 12) + np.arange(50_000 - inside) % 4096,
            ]
        )
        state = RoundState(asked, simulated=True).update(asked.privatize(values, rng=seed))
        level = state._level()
        assert level.variance == pytest.approx(asked.spread(share) / 50_000, rel=0.05)
        from ldp_verified.run.kernels.wide import shared_supports

        parent = numbers([2 << 116])
        supports = shared_supports(level.functions, level.spectra, parent, 12, 24)[0]
        found = supports * level.slope + level.offset
        assert np.var(found) == pytest.approx(level.variance, rel=0.13 + 0.2)
        assert abs(np.mean(found)) <= 6 * (level.variance / 4096) ** 0.5 + 1e-4


def test_reports_of_another_round_are_refused() -> None:
    asked = PrefixRound(SMALL, 1, (TOP,))
    state = RoundState(asked)
    reports = asked.privatize([1, 2])
    others = [
        PrefixRound(SMALL, 2, (TOP,)),
        PrefixRound(SMALL, 1, (0,)),
        PrefixRound(SMALL, 1),
        PrefixRound(replace(SMALL, epsilon=2.0), 1, (TOP,)),
        PrefixRound(replace(SMALL, seed=1), 1, (TOP,)),
    ]
    for other in others:
        with pytest.raises(ReportError, match="reports: are foreign"):
            state.update(other.privatize([1]))
    for wrong, name in (
        (replace(reports, answers=reports.answers + np.uint8(33)), "answers"),
        (replace(reports, functions=reports.functions + np.uint16(64)), "functions"),
        (replace(reports, answers=reports.answers[:1]), "answers"),
        (replace(reports, functions=reports.functions.astype(np.int64)), "functions"),
    ):
        with pytest.raises(ReportError, match=name):
            state.update(wrong)
    with pytest.raises(ReportError, match="simulated"):
        state.update(reports).update(asked.privatize([1], rng=1))
    assert state.n == 2
    merged = state.merge(RoundState(asked).update(asked.privatize([3])))
    assert merged.n == 3
    nothing: Any = None
    with pytest.raises(ParameterError, match="asked"):
        RoundState(nothing)
    with pytest.raises(DomainError, match="values: must be one value or more"):
        asked.privatize([])


def test_the_last_round_counts_its_own_values() -> None:
    asked = PrefixRound(SMALL, 3, LAST)
    state = RoundState(asked).update(asked.privatize([7] * 2000 + [8] * 1000))
    found = list(state.estimate([7, 4095]))
    assert [value for value, _, _ in found] == [7, 4095]
    for (_, count, error), truth in zip(found, (2000, 0), strict=True):
        assert abs(count - truth) <= 6 * error  # 2e-9 each, normal approximation
    with pytest.raises(DomainError, match="values: must be values that the last round published"):
        state.estimate([8])
    with pytest.raises(ReportError, match="must hold reports of round 3"):
        RoundState(asked).estimate([7])
    with pytest.raises(ReportError, match="state: must be of the last round, 3, got 0"):
        RoundState(PrefixRound(SMALL, 0)).estimate([7])
