"""Clients of declared protocols: they answer once, spend first, and refuse what does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import SpendingBook
from tests.generate.declarations import HIERARCHY, TWO_ROUNDS
from tests.protocols.test_declared import of_text


@pytest.fixture
def hierarchy(tmp_path: Path) -> Any:
    return of_text(tmp_path, HIERARCHY)(1.0, 3)


@pytest.fixture
def two_rounds(tmp_path: Path) -> Any:
    return of_text(tmp_path, TWO_ROUNDS)(1.0, 3)


def test_a_client_reports_once_in_its_group(hierarchy: Any, seed: int) -> None:
    client = hierarchy.client(2, rng=seed)
    assert (client.group, client.step) == (2, 0)
    reports = client.report(5)
    assert len(reports) == 1
    assert reports.simulated
    ((part, data),) = reports.parts
    assert (part.group, part.send, data.identity.parameters["k"]) == (2, 0, 8)
    assert client.step is None
    with pytest.raises(ParameterError, match="report: must be called once for each round"):
        client.report(5)


def test_a_client_spends_before_it_draws(hierarchy: Any, tmp_path: Path, seed: int) -> None:
    book = SpendingBook(tmp_path / "book", 1.5, new=True)
    hierarchy.client(0, rng=seed, book=book).report(3)
    assert "Hierarchy, group 0" in str(book)
    refused = hierarchy.client(0, rng=seed, book=book)
    with pytest.raises(ParameterError):
        refused.report(3)
    assert refused.step == 0


def test_a_transcript_of_two_rounds_spends_once(two_rounds: Any, tmp_path: Path, seed: int) -> None:
    book = SpendingBook(tmp_path / "book", 1.0, new=True)
    client = two_rounds.client(rng=seed, book=book)
    client.report(3)
    second = client.report(3, published=2)
    assert second.published == 2
    assert client.step is None


@pytest.mark.parametrize("published", [None, -1, 4, True, 1.0])
def test_what_was_not_published_is_refused(two_rounds: Any, published: Any, seed: int) -> None:
    client = two_rounds.client(rng=seed)
    client.report(1)
    with pytest.raises(ParameterError, match="published"):
        client.report(1, published=published)


def test_nothing_is_published_before_the_first_round(two_rounds: Any, seed: int) -> None:
    with pytest.raises(ParameterError, match="published: must be None: nothing was published"):
        two_rounds.client(rng=seed).report(1, published=0)
    with pytest.raises(ParameterError, match="which: must be None"):
        two_rounds.client(rng=seed).report(1, which=0)
