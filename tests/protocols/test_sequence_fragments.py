"""The sequence fragment puzzle: what its server puts together and how it counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import FragmentState, PrefixExtending, SequenceFragments
from ldp_verified.run.kernels.wide import value_supports

SMALL = SequenceFragments(6.0, bits=20, piece=8, marks=64, g=8)
HELD = {3: 15_000, 0xABCDE: 20_000, 0xABC00: 12_000}


def test_it_finds_values_that_nobody_listed(seed: int) -> None:
    """Null: values of shares 0.26 to 0.43 are found, each count within 6 standard errors.

    n = 47,000 at epsilon = 6. By the plan a share of 0.25 is missed with 1e-9 at most. A pair that
    nobody holds stands out with 1e-7; with these marks no other value is put together (looked at
    below). Six standard errors: 2e-9 each, normal approximation.
    """
    marks = SMALL.marks_of(SMALL.encode(list(HELD))).tolist()
    assert len(set(marks)) == 3
    assert SMALL.detectable_share(47_000, miss=1e-9) < 0.25
    state = FragmentState(SMALL, simulated=True)
    state.update(SMALL.simulate(list(HELD), list(HELD.values()), rng=seed))
    found = state.heavy_hitters(top=8, false_alarm=1e-7)
    assert {value for value, _, _ in found} == set(HELD)
    assert found.n == 47_000
    for value, count, error in found:
        assert abs(count - HELD[int(value)]) <= 6 * error


def test_fragments_of_two_values_with_one_mark_are_not_taken_for_a_third(seed: int) -> None:
    """Null: of values with one mark their mixtures are published only where the mark is theirs.

    As above; two values that have one mark and differ at every place, so there are 6 mixtures.
    """
    every = np.arange(1 << 12)
    marks = SMALL.marks_of(SMALL.encode(every << 8 | every >> 4))
    same = np.flatnonzero(marks == marks[5])
    one = 5
    other = next(int(v) for v in same if v >> 4 != one >> 4 and v & 15 != one & 15)
    pair = [int(every[v] << 8 | every[v] >> 4) for v in (one, other)]
    state = FragmentState(SMALL, simulated=True)
    state.update(SMALL.simulate(pair, [30_000, 25_000], rng=seed))
    found = state.heavy_hitters(top=16, false_alarm=1e-7)
    names = [value for value, _, _ in found]
    assert set(pair) <= set(names)
    own = SMALL.marks_of(SMALL.encode(names)).tolist()
    assert set(own) == {int(marks[5])}
    for value, count, error in found:
        held = dict(zip(pair, (30_000, 25_000), strict=True)).get(int(value), 0)
        assert abs(count - held) <= 6 * error


def test_what_stands_out_is_what_a_plain_loop_finds(seed: int) -> None:
    reports = SMALL.privatize([3] * 600 + [0xABCDE] * 900, rng=seed)
    state = FragmentState(SMALL, simulated=True).update(reports)
    for place in range(3):
        seeds, buckets = state.group(place)
        every = np.zeros((1 << 14, 2), dtype=np.uint64)
        every[:, 0] = np.arange(1 << 14, dtype=np.uint64) << np.uint64(50)
        counts = value_supports(seeds, buckets, every, SMALL.hash_bits)
        inside = (counts - len(seeds) / 8) / SMALL.gain
        wanted = np.flatnonzero(inside > SMALL.false_alarm(len(seeds), 1 << 14, 1e-3))
        pairs, shares = state.outstanding(place, 1e-3)
        assert sorted(pairs.tolist()) == wanted.tolist()
        assert shares == pytest.approx(inside[pairs] / len(seeds))
        assert np.all(np.diff(shares) <= 0)


def test_strings_have_fragments_of_two_bytes() -> None:
    words = SequenceFragments(4.0)
    encoded = words.encode(["naïve", ""])
    assert words.levels == 8
    pieces = [words.fragments(encoded, place).tolist() for place in range(8)]
    raw = "naïve".encode()
    assert [pieces[place][0] for place in range(3)] == [
        int.from_bytes(raw[2 * place : 2 * place + 2], "big") for place in range(3)
    ]
    assert pieces[7] == [len(raw), 0]
    taken = words.inputs(encoded, 1)
    marks = words.marks_of(encoded).tolist()
    assert [int(each) >> 40 for each in taken[:, 0]] == [
        piece << 8 | mark for piece, mark in zip(pieces[1], marks, strict=True)
    ]
    assert np.array_equal(words.inputs(encoded, 8), encoded)


def test_states_merge_are_kept_and_refuse_what_is_not_theirs() -> None:
    one, two = (SMALL.simulate([3, 200], [9000, 7000], rng) for rng in (1, 2))
    whole = FragmentState(SMALL, True).update(one).update(two)
    merged = FragmentState(SMALL, True).update(one).merge(FragmentState(SMALL, True).update(two))
    assert whole.to_bytes() == merged.to_bytes()
    again = FragmentState.from_bytes(whole.to_bytes(), SMALL)
    assert list(again.heavy_hitters()) == list(whole.heavy_hitters())
    with pytest.raises(ReportError, match="groups: must be all groups of each user"):
        FragmentState(SMALL, True).update(replace(one, groups=one.groups[::-1].copy()))
    with pytest.raises(ReportError, match="foreign"):
        FragmentState(replace(SMALL, seed=1), True).update(one)
    with pytest.raises(ReportError, match="state: must hold reports"):
        FragmentState(SMALL).heavy_hitters()
    other: Any = PrefixExtending(1.0)
    with pytest.raises(ParameterError, match="protocol"):
        FragmentState(other)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"bits": 129},
        {"piece": 3},
        {"piece": 32},
        {"marks": 512},
        {"marks": 1},
        {"seed": -1},
        {"g": 3},
    ],
)
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        SequenceFragments(**{"epsilon": 1.0} | wrong)


def test_a_plan_says_what_can_be_found() -> None:
    need = SMALL.users_needed(0.1)
    assert SMALL.detectable_share(need) <= 0.1 < SMALL.detectable_share(need - 1)
    with pytest.raises(ParameterError, match="n: must be users enough"):
        SMALL.simulate([1], [10])
