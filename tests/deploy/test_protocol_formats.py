"""Protocols on values that nobody can list, deployed: public groups and numbers, and candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.deploy import Deployment, load_deployment
from ldp_verified.errors import LdpError, ParameterError, ReportError
from ldp_verified.protocols import (
    BitGroups,
    BitReduction,
    PrefixExtending,
    SafeRegions,
    SignMatrix,
    SpendingBook,
)
from ldp_verified.protocols.grouped_hashing import GroupedHashing
from ldp_verified.protocols.grouped_states import GROUP_STATES

WORDS = Deployment(PrefixExtending(4.0))
SIGNS = Deployment(SignMatrix(2.0))
PLACES = Deployment(SafeRegions({"all": ["inner", "x"], "inner": ["a", "b"]}, (1.0,)))


def declared(kind: type[Any]) -> set[type[Any]]:
    """The classes of a kind that have parameters."""
    below = {each for child in type.__subclasses__(kind) for each in declared(child)}
    return below | ({kind} if "law_sha256" in vars(kind) else set())


def test_every_grouped_protocol_has_a_state() -> None:
    assert declared(GroupedHashing) == set(GROUP_STATES)


def test_a_deployment_finds_words(seed: int, tmp_path: Path) -> None:
    """A fifth of 60,000 users hold one word: over 40 deviations of a group of theirs."""
    WORDS.save(tmp_path / "words.json")
    published = load_deployment(tmp_path / "words.json")
    words = ["frequent"] * 12_000 + [f"rare{i}" for i in range(48_000)]
    collector = published.collector(simulated=True)
    collector.add(published.client().batch(words, seed))
    collector.save(tmp_path / "counted")
    again = published.load_collector(tmp_path / "counted")
    assert again.state.heavy_hitters(1).labels == ("frequent",)
    found = again.estimate(["frequent", "absent"])
    assert np.all(np.abs(found.counts - [12_000, 0]) < 6 * found.std_error)
    with pytest.raises(ParameterError, match="values: must be candidates to be counted"):
        again.estimate()
    with pytest.raises(ParameterError, match="values: must be left out"):
        Deployment(_grr()).collector().estimate(["a"])


def _grr() -> Any:
    from ldp_verified import GRR

    return GRR(1.0, 3)


@pytest.mark.parametrize("deployment", [WORDS, SIGNS], ids=["group", "number"])
def test_a_user_of_a_protocol_reports_once(deployment: Deployment, tmp_path: Path) -> None:
    more = {"number": 3} if deployment is SIGNS else {"group": 2}
    book = SpendingBook(tmp_path / "book", 10, new=True)
    client = deployment.client(book, **more)
    assert book.left == 10
    assert deployment.collector().add(client.report("word")) == 1
    assert book.left == 10 - deployment.mechanism.epsilon
    with pytest.raises(ParameterError, match="once"):
        client.report("word")
    with pytest.raises(ParameterError, match="once"):
        client.report("another", 1)
    assert book.left == 10 - deployment.mechanism.epsilon


def test_the_group_is_the_one_of_the_plan() -> None:
    report = WORDS.from_bytes(WORDS.client(group=2).report("word"))
    assert report.groups.tolist() == [2]
    batch = SIGNS.from_bytes(SIGNS.client(number=7).batch(["a", "b"]))
    assert batch.numbers.tolist() == [7, 8]
    drawn = {int(WORDS.from_bytes(WORDS.client().report("word")).groups[0]) for _ in range(200)}
    assert len(drawn) > 1  # all 200 in one group: less than 1 in 10^100


@pytest.mark.parametrize(
    ("deployment", "more", "error"),
    [
        (WORDS, {"group": 99}, "group: must be"),
        (WORDS, {"number": 1}, "number: must be one of group"),
        (SIGNS, {}, "number: must be given"),
        (SIGNS, {"number": -1}, "number: must be"),
        (SIGNS, {"group": 1}, "group: must be one of number"),
        (PLACES, {"number": 1, "region": "inner"}, "epsilon: must be given"),
        (PLACES, {"number": 1, "epsilon": 1.0}, "region: must be given"),
        (PLACES, {"region": "inner", "epsilon": 1.0}, "number: must be given"),
        (PLACES, {"number": 1, "region": "mars", "epsilon": 1.0}, "region: must be a region"),
        (PLACES, {"group": 1}, "group: must be one of number, region, epsilon"),
        (Deployment(_grr()), {"group": 1}, "group: must be left out"),
        (Deployment(BitReduction(4.0, bits=3)), {"group": 1}, "group: must be None"),
    ],
)
def test_bad_public_arguments(deployment: Deployment, more: dict[str, Any], error: str) -> None:
    with pytest.raises(ParameterError, match=error):
        deployment.client(**more)


def test_users_of_a_batch_have_one_region_and_numbers_of_their_own() -> None:
    choice: dict[str, Any] = {"region": "inner", "epsilon": 1.0}
    batch = PLACES.from_bytes(PLACES.client(number=7, **choice).batch(["a", "b", "b"]))
    assert batch.numbers.tolist() == [7, 8, 9]
    collector = PLACES.collector()
    collector.add(PLACES.client(number=5, **choice).report("a"))
    with pytest.raises(ReportError, match="numbers: must be different"):
        collector.add(PLACES.client(number=5, **choice).report("a"))


def test_batches_draw_a_group_for_each_user() -> None:
    with pytest.raises(ParameterError, match="group: must be left out for reports of many"):
        WORDS.client(group=1).batch(["a", "b"])


def test_a_number_counts_once() -> None:
    collector = SIGNS.collector()
    collector.add(SIGNS.client(number=5).report("a"))
    with pytest.raises(ReportError, match="numbers: must be different"):
        collector.add(SIGNS.client(number=5).report("a"))
    assert (collector.n, collector.state.n) == (1, 1)


@pytest.mark.parametrize("wrong", [None, 3, "text", [], _grr().privatize(1)])
@pytest.mark.parametrize("deployment", [WORDS, SIGNS], ids=["group", "number"])
def test_what_is_no_report_is_not_written(deployment: Deployment, wrong: Any) -> None:
    with pytest.raises(LdpError):
        deployment.to_bytes(wrong)


def test_reports_of_another_protocol_are_foreign() -> None:
    other = BitGroups(4.0).privatize(["a", "b"])
    with pytest.raises(ReportError, match="foreign"):
        WORDS.to_batch(other)
