"""Clients of prefix extending: what they draw, what they refuse, and what is declared of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import coin, group, x
from ldp_verified.protocols.grouped_hashing import COINS, LEVEL_COINS
from ldp_verified.protocols.prefix_extending import PrefixExtending
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.wide import hashes, prefixes

SMALL = PrefixExtending(3.0, bits=12, step=5, g=4)


def test_it_runs_the_declaration_that_it_names() -> None:
    assert load_protocol("prefix_extending").law_hash == PrefixExtending.law_sha256


def test_lengths_and_groups_are_those_declared() -> None:
    declared = load_protocol("prefix_extending")
    sizes = {"bits": 12, "first": 5, "step": 5, "levels": SMALL.levels}
    at = {p: sizes[p.name] for p in declared.parameters if p.name in sizes}
    assert declared.groups is not None
    coins = COINS * SMALL.levels
    assert declared.groups.coins.subs(at) == coins
    assert declared.groups.count.subs(at) == len(SMALL.lengths) == 4
    drawn = [int(declared.groups.of.subs(at).subs(coin, number)) for number in range(coins)]
    assert drawn == [min(number // LEVEL_COINS, SMALL.levels) for number in range(coins)]
    (sent,) = declared.rounds[0].sends
    for number, length in enumerate(SMALL.lengths):
        of = sent.of.subs(at).subs(group, number)
        for value in (0, 1, 37, 4095):
            taken = prefixes(SMALL.encode([value]), length)[0]
            assert int(of.subs(x, value)) == int(taken[0]) >> (64 - length)


def test_the_epsilon_is_that_of_one_report() -> None:
    for epsilon in (0.5, 1.0, 4.0):
        found = PrefixExtending(epsilon)
        assert 0 < found.realized_epsilon <= epsilon
        assert found.lengths == (16, 32, 48, 64, 80, 96, 112, 128, 128)
    assert PrefixExtending(1.0).buckets == 4
    assert PrefixExtending(4.0).buckets == 16


def test_a_device_reports_once_and_in_one_group() -> None:
    client = SMALL.client(group=2, rng=1)
    with pytest.raises(DomainError, match="value: must be integers in 0"):
        client.report(4096)
    reports = client.report(4095)
    assert reports.groups.tolist() == [2]
    assert reports.simulated
    assert not SMALL.client().report(1).simulated
    with pytest.raises(ParameterError, match="must be called once"):
        client.report(4095)
    with pytest.raises(ParameterError, match=r"group: must be an integer in 0\.\.3"):
        SMALL.client(group=4)


def test_groups_do_not_depend_on_the_value(seed: int) -> None:
    """Null: a user is in group 0, 1, 2 with 17/60 each and in group 3 with 9/60, for all values.

    Eight counts of n = 60,000; normal approximation, each at 5.5 standard deviations: a false alarm
    has at most 8 * 3.8e-8 = 3.1e-7. A share that is off by 0.02 is missed with less than 1e-4.
    """
    n = 60_000
    for value in (0, 4095):
        drawn = SMALL.privatize(np.full(n, value), rng=seed + value).groups
        for number, share in enumerate((17 / 60, 17 / 60, 17 / 60, 9 / 60)):
            found = np.count_nonzero(drawn == number)
            assert abs(found - n * share) <= 5.5 * (n * share * (1 - share)) ** 0.5


def test_the_own_bucket_has_its_probability_in_every_group(seed: int) -> None:
    """Null: the report supports the prefix with p* and one that differs in its last bit with 1/g.

    Eight counts of n = 40,000; normal approximation at 5.5 standard deviations: at most 3.1e-7 in
    all. A probability that is off by 0.02 is missed with less than 1e-4.
    """
    n = 40_000
    p_star = SMALL.gain + 1 / SMALL.buckets
    for number, length in enumerate(SMALL.lengths):
        reports = SMALL._reports(
            SMALL.encode(np.full(n, 2741)),
            number,
            word_source(seed + number, "words", *SMALL.identity.named),
        )
        own = prefixes(SMALL.encode([2741]), length)[0]
        other = own ^ np.array([1 << (64 - length), 0], dtype=np.uint64)
        for value, p in ((own, p_star), (other, 1 / SMALL.buckets)):
            hit = hashes(reports.seeds, value, SMALL.hash_bits) == reports.buckets
            assert abs(np.count_nonzero(hit) - n * p) <= 5.5 * (n * p * (1 - p)) ** 0.5


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"epsilon": True},
        {"bits": 1},
        {"bits": 129},
        {"step": 0},
        {"step": 21},
        {"g": 3},
        {"g": 512},
    ],
)
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        PrefixExtending(**{"epsilon": 1.0} | wrong)


def test_a_plan_says_what_can_be_found() -> None:
    words = PrefixExtending(4.0)
    need = words.users_needed(0.1)
    assert words.detectable_share(need) <= 0.1 < words.detectable_share(need - 1)
    assert words.detectable_share(1) == float("inf")
    assert words.detectable_share(10**6, miss=1e-6) > words.detectable_share(10**6, miss=1e-2)
    for wrong in (0, 1.5, float("nan")):
        with pytest.raises(ParameterError, match="share"):
            words.users_needed(wrong)
    for miss in (0.0, 1.0, float("nan")):
        with pytest.raises(ParameterError, match="miss"):
            words.detectable_share(10, miss=miss)


def test_too_few_users_are_refused_with_the_number_that_would_do() -> None:
    weak = PrefixExtending(0.1)
    rule = rf"n: must be users enough .* 0\.1: {weak.users_needed(0.1)} for .*, got 1000"
    with pytest.raises(ParameterError, match=rule):
        weak.simulate(["a"], [1000])
    with pytest.raises(ParameterError, match=r"n: .*, got 0"):
        weak.simulate([], np.zeros(0, dtype=np.int64))
    with pytest.raises(DomainError, match="values: must be one value or more"):
        weak.privatize([])


@pytest.mark.parametrize("counts", [[1], [1, -1], [1.0, 2.0], [[1, 2]]])
def test_counts_that_do_not_fit_are_refused(counts: object) -> None:
    with pytest.raises(ParameterError, match="counts: must"):
        SMALL.simulate([1, 2], counts)
