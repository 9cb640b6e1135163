"""Plans of heavy hitters: every protocol, its best settings, and users that are just enough."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ldp_verified import protocols
from ldp_verified.app.report.hitters import Found, document
from ldp_verified.deploy.collect import hitters
from ldp_verified.deploy.collect.hitters import STEPS, found_shares, needed_users, searches
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import PrefixExtending, PrefixRounds
from ldp_verified.protocols.planned import Planned


def test_every_protocol_that_searches_takes_part() -> None:
    known = {"PrefixRounds", "PrefixExtending", "PrefixCohorts", "Bitstogram", "TreeHist"}
    assert known | {"SequenceFragments", "SuccinctHistogram", "BitGroups"} <= set(searches())
    plans = found_shares(4.0, 10**6)
    assert {plan.name for plan in plans} == set(searches())
    ranks = [plan.rank for plan in plans]
    assert ranks == sorted(ranks)
    (refused,) = [plan for plan in plans if plan.name == "BitReduction"]  # at most 16 bits
    assert "for numbers of at most 16 bits" in refused.refused
    assert not refused.finds
    assert refused.settings == ""


@pytest.mark.parametrize("bits", [None, 2, 16, 48])
def test_settings_make_the_protocol_and_are_the_best(bits: int | None) -> None:
    for plan in found_shares(4.0, 10**6, bits):
        if plan.protocol is None:
            continue
        assert eval(plan.settings, vars(protocols)) == plan.protocol
        assert plan.share == plan.protocol.detectable_share(10**6)
        assert plan.rounds == (plan.protocol.rounds if plan.name == "PrefixRounds" else 1)
    found = {plan.name: plan.predicted for plan in found_shares(4.0, 10**6, bits)}
    tried = [PrefixExtending(4.0, bits, step=step).predicted_share(10**6) for step in STEPS]
    assert found["PrefixExtending"] == min(tried)


def just_enough(plan: Any, share: float) -> bool:
    """Whether so many users find a value of this share, and one less do not."""
    shares = [plan.protocol.detectable_share(plan.users - less) for less in (0, 1)]
    return bool(shares[0] <= share < shares[1])


def test_users_are_just_enough() -> None:
    plans = [plan for plan in needed_users(2.0, 0.05, 32) if plan.finds]
    assert [plan.users for plan in plans] == sorted(plan.users or 0 for plan in plans)
    assert len(plans) >= 6
    assert all(just_enough(plan, 0.05) for plan in plans)


def test_planted_a_protocol_that_asks_for_too_many_users_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Cautious(PrefixRounds):
        def users_needed(self, share: float, miss: float = 1e-3) -> int:
            return 2 * super().users_needed(share, miss)

    monkeypatch.setattr(hitters, "searches", lambda: {"Cautious": Cautious})
    (plan,) = needed_users(2.0, 0.05, 32)
    assert not just_enough(plan, 0.05)


def test_a_protocol_without_a_prediction_says_so_and_comes_after_those_with_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Unpredicted(PrefixExtending):
        def predicted_share(self, n: int) -> float | None:  # type: ignore[override]  # it has none
            return Planned.predicted_share(self, n)

    known = {"Unpredicted": Unpredicted, "PrefixExtending": PrefixExtending}
    monkeypatch.setattr(hitters, "searches", lambda: known)
    first, last = found_shares(4.0, 10**6, 48)
    assert (first.name, last.name) == ("PrefixExtending", "Unpredicted")
    assert last.predicted is None
    assert last.finds
    assert Found([last], 1e-3, None).first.startswith(f"{last.settings} has no prediction, and")
    found: Any = document(Found([last], 1e-3, None))
    (row,) = found["plans"]
    assert row["predicted_share"] is None
    assert row["share"] == last.share


def test_where_nothing_is_found_it_is_said() -> None:
    assert not any(plan.finds for plan in found_shares(0.01, 20))
    for plan in needed_users(1e-6, 1e-6):
        assert not plan.finds
        assert plan.users is None or plan.refused
        assert math.isinf(plan.share)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, 100), "epsilon"),
        ((1.0, 0), "n: must be"),
        ((1.0, True), "n: must be"),
        ((1.0, 100, 1), "bits: must be"),
        ((1.0, 100, 129), "bits: must be"),
        ((1.0, 100, None, 0.0), "miss: must be a number between"),
        ((1.0, 100, None, True), "miss: must be a number between"),
    ],
)
def test_what_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        found_shares(*arguments)


@pytest.mark.parametrize("share", [0, 1.5, True, "x", float("nan")])
def test_no_such_share(share: Any) -> None:
    with pytest.raises(ParameterError, match="share: must be"):
        needed_users(1.0, share)
