"""LDPMiner: both phases at half of epsilon, what it finds, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import CandidateCounts, ItemSets, LDPMiner, SpendingBook


def test_it_runs_the_declaration_that_it_names() -> None:
    assert load_protocol("ldp_miner").law_hash == LDPMiner.law_sha256


def test_its_rounds_are_a_bit_and_unary_encoding_at_half_of_epsilon() -> None:
    made = LDPMiner(2.0, 9, 3, 2)
    first = made.round()
    assert (first.epsilon, first.oracle_name, first.length, first.k) == (1.0, "BLH", 3, 9)
    state = first.empty(True).update(first.privatize([[0, 1]] * 2000, rng=1))
    second = made.round(state)
    assert (second.epsilon, second.oracle_name, second.length, second.k) == (1.0, "SUE", 4, 4)
    assert LDPMiner(2.0, 9, 3, 2, places=2).round(state).length == 2


def test_it_names_the_most_frequent_items(seed: int) -> None:
    """At epsilon = 16 and n = 80000 the two items stand out by over 50 standard errors."""
    users = ItemSets.of([[0, 1], [1], [], [2, 3]]).repeated([30_000, 30_000, 15_000, 5_000])
    found = LDPMiner(16.0, 9, 2, 2).mine(users, seed)
    assert found.names == (1, 0)
    assert abs(found.counts - [60_000, 30_000]).max() < 5_000
    assert found.n == 80_000


def test_a_client_reports_once_in_each_phase(tmp_path: Path) -> None:
    made = LDPMiner(2.0, 5, 2, 1)
    book = SpendingBook(tmp_path / "book", 2, new=True)
    client = made.client(rng=1, book=book)
    second = CandidateCounts(1.0, 5, ((0,), (3,)), 2, "SUE", group=1)
    with pytest.raises(ParameterError, match=r"asked: must have epsilon 1\.0, got 2\.0"):
        client.report([0], CandidateCounts(2.0, 5, None, 2, "BLH"))
    client.report([], made.round())
    with pytest.raises(ParameterError, match="asked: must ask a group in which"):
        client.report([], made.round())
    with pytest.raises(DomainError, match="twice"):
        client.report([1, 1], second)
    client.report([0, 1, 2], second)
    assert book.left == 0
    with pytest.raises(ParameterError, match="group: must be None"):
        made.client(group=0)


def test_bad_arguments_are_named() -> None:
    usual: dict[str, Any] = {"epsilon": 1.0, "k": 5, "length": 2, "top": 2}
    odd: list[tuple[str, Any]] = [
        *(("epsilon", 0), ("k", 1), ("length", 0), ("top", 0)),
        *(("places", 0), ("places", 1.5)),
    ]
    for name, value in odd:
        with pytest.raises(ParameterError, match=name):
            LDPMiner(**usual | {name: value})
    for sets in ([], [[5]], [[1, 1]], None):
        with pytest.raises(DomainError):
            LDPMiner(**usual).mine(sets, rng=1)
