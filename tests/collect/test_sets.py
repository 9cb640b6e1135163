"""Sets of a file are mined as sets in Python are; what is no set of the domain stops the run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldp_verified.deploy.collect import sets as reading
from ldp_verified.deploy.collect.domain import ColumnDomain
from ldp_verified.deploy.collect.sets import holders_of, mine_file, miner, miners, read_sets
from ldp_verified.deploy.collect.table import TableError
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import (
    SVIM,
    SVSM,
    ItemSets,
    LDPMiner,
    PaddedHashing,
    PaddedResponse,
    SamplingRappor,
    SamplingSuccinctHistogram,
    padded_sampling,
)
from ldp_verified.protocols.padding import PaddedSampling
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = ("tea", "milk", "eggs", "wine", "rice")
DOMAIN = ColumnDomain(ITEMS, "list")
USERS = [[0, 1], [0], [1, 2, 4], [0, 1, 3]] * 40


def json_file(folder: Path, users: list[list[int]]) -> Path:
    path = folder / "sets.jsonl"
    path.write_text("".join(f"{json.dumps([ITEMS[i] for i in each])}\n" for each in users))
    return path


def csv_file(folder: Path, users: list[list[int]]) -> Path:
    path = folder / "sets.csv"
    path.write_text("".join(", ".join(ITEMS[i] for i in each) + "\n" for each in users))
    return path


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(users=st.lists(st.lists(st.integers(0, 4), unique=True), min_size=1))
def test_both_formats_give_the_sets_that_were_written(
    tmp_path: Path, users: list[list[int]]
) -> None:
    for path in (json_file(tmp_path, users), csv_file(tmp_path, users)):
        found = read_sets(path, DOMAIN, empty=True)
        own = np.split(found.items, np.cumsum(found.sizes)[:-1])
        assert [each.tolist() for each in own] == [sorted(each) for each in users]


@pytest.mark.parametrize("name", miners())
def test_a_file_is_mined_as_sets_in_python_are(tmp_path: Path, seed: int, name: str) -> None:
    result = mine_file(
        csv_file(tmp_path, USERS),
        DOMAIN,
        epsilon=2.0,
        mechanism=name.upper(),
        length=3,
        top=2,
        seed=seed,
    )
    protocol: Any = miner(name, 2.0, 5, 3, 2)
    assert result.protocol == protocol
    source = word_source(seed, "collect", repr(protocol))
    if isinstance(protocol, PaddedSampling):
        state = protocol.empty(simulated=True).update(protocol.privatize(USERS, source))
        expected: Any = protocol.estimate(state)
    else:
        expected = protocol.mine(USERS, source)
    labelled = expected.labelled(ITEMS)
    assert list(result.found) == list(labelled)
    assert result.found.names == labelled.names
    named = [" + ".join(ITEMS[item] for item in each) for each in result.itemsets]
    assert named == list(result.found.names)
    assert (result.users, result.truth) == (len(USERS), None)


def test_names_lead_to_protocols() -> None:
    assert miner("auto", 1.0, 5, None, 9) == SVIM(1.0, 5, 5)
    assert miner("SVSM", 1.0, 5, None, 9) == SVSM(1.0, 5, 9)
    assert miner("ldpminer", 1.0, 5, 2, 3) == LDPMiner(1.0, 5, 2, 3)
    assert miner("padding", 1.0, 5, 2, 3) == padded_sampling(1.0, 5, 2)
    classes = (PaddedResponse, PaddedHashing, SamplingSuccinctHistogram, SamplingRappor)
    for made in classes:
        assert miner(made.__name__, 1.0, 5, 2, 3) == made(1.0, 5, 2)
    assert len(miners()) == len(classes) + 4


def test_reports_are_drawn_in_parts_where_they_are_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "chunk_rows", lambda _: 7)
    path = csv_file(tmp_path, USERS)
    result = mine_file(path, DOMAIN, epsilon=8.0, mechanism="samplingrappor", length=3, seed=1)
    assert result.users == len(USERS)
    assert result.found.rows()[0].std_error > 0


def test_the_truth_counts_users_who_hold_all_items_of_a_set(tmp_path: Path) -> None:
    path = csv_file(tmp_path, USERS)
    found = mine_file(path, DOMAIN, epsilon=8.0, mechanism="svsm", top=4, seed=1, compare=True)
    expected = [sum(set(each) <= set(user) for user in USERS) for each in found.itemsets]
    assert found.truth is not None
    assert found.truth.tolist() == expected
    assert holders_of(ItemSets.of([[0], []]), ()).tolist() == []


def test_what_is_not_in_the_domain_can_be_one_more_item(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("tea,coffee,cocoa\nmilk\n")
    found = read_sets(path, DOMAIN.with_other())
    assert (found.items.tolist(), found.sizes.tolist()) == ([0, 5, 1], [2, 1])


def test_longer_and_empty_sets_can_be_let_through(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("tea,milk,eggs\n\n")
    assert read_sets(path, DOMAIN, length=2, cut=True, empty=True).sizes.tolist() == [3, 0]


BAD: list[tuple[str, dict[str, Any], int, str]] = [
    ("tea\n\nmilk,SECRET\n", {}, 2, "must hold an item or more"),
    ('["tea"]\n[]\n', {}, 2, "must hold an item or more"),
    ("tea\n , ,\n", {}, 2, "must hold an item or more"),
    ("tea\nmilk,eggs,milk\n", {}, 2, "must not hold an item twice"),
    ("tea\nSECRET,SECRET\n", {}, 2, "must not hold an item twice"),
    ("tea\nmilk\ntea,milk,eggs\n", {"length": 2}, 3, "must hold at most 2 items"),
    ("tea\nSECRET\n", {}, 2, "must hold items of the domain alone"),
    ('["tea"]\n["tea", "SECRET"]\n', {}, 2, "must hold items of the domain alone"),
]


@pytest.mark.parametrize("text, options, line, rule", BAD)
def test_a_set_that_breaks_a_rule_is_named_before_anything_is_drawn(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    options: dict[str, Any],
    line: int,
    rule: str,
) -> None:
    monkeypatch.setattr(reading, "word_source", None)  # drawing would fail
    path = tmp_path / "a"
    path.write_text(text)
    with pytest.raises(DomainError) as caught:
        mine_file(path, DOMAIN, epsilon=1.0, **options)
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}: {rule}")
    assert message.endswith("Nothing was randomized")
    for private in ("SECRET", "milk", "eggs"):
        assert private not in message


@pytest.mark.parametrize(
    "options, argument",
    [
        ({"mechanism": "grr"}, "--mechanism"),
        ({"mechanism": "padding"}, "--length"),
        ({"mechanism": "ldpminer"}, "--length"),
        ({"length": 0}, "length"),
        ({"length": 2.0}, "length"),
        ({"length": 2, "cut": True}, "--cut"),
        ({"level": 1.0}, "--level"),
        ({"seed": -1}, "--seed"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"top": 0}, "top"),
    ],
)
def test_bad_options_are_named(tmp_path: Path, options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ParameterError) as caught:
        mine_file(csv_file(tmp_path, USERS), DOMAIN, **{"epsilon": 1.0, **options})
    assert caught.value.argument == argument


def test_a_file_without_a_line_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(TableError, match="at least one line"):
        read_sets(tmp_path / "a", DOMAIN)
