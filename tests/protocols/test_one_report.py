"""Clients that report once: one report, one entry in the book, none of either for a bad value."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from types import MethodType
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.errors import BudgetError, DomainError, ParameterError
from ldp_verified.protocols import (
    SVIM,
    GroupClient,
    KeyValueClient,
    KeyValueResponse,
    PaddedClient,
    PaddedResponse,
    ParityTables,
    PrefixExtending,
    PrefixRound,
    PrefixRounds,
    RangeClient,
    RangeTree,
    SignClient,
    SignMatrix,
    SpendingBook,
)
from ldp_verified.protocols.candidates import CandidateSizes
from ldp_verified.protocols.one_report import OfNumbers, OneReport
from tests.generate.declarations import HIERARCHY
from tests.protocols.test_declared import of_text

if TYPE_CHECKING:
    from pathlib import Path

CLIENTS: dict[str, tuple[Any, Any, Any]] = {
    "GroupClient": (lambda book: GroupClient(PrefixExtending(2.0), 1, None, book), "red", 3),
    "KeyValueClient": (
        lambda book: KeyValueClient(KeyValueResponse(2.0, 3, 2), None, book),
        *({1: 0.5}, {3: 0.5}),
    ),
    "PaddedClient": (lambda book: PaddedClient(PaddedResponse(2.0, 4, 2), None, book), [1], [4]),
    "RangeClient": (lambda book: RangeClient(RangeTree(2.0, 8), None, book), 3, 8),
    "SignClient": (lambda book: SignClient(SignMatrix(2.0), 5, None, book), "red", 3),
}
"""By name: what makes one, a value, and what is none."""


@pytest.mark.parametrize("name", CLIENTS)
def test_one_report_costs_epsilon_once_and_a_bad_value_nothing(name: str, tmp_path: Path) -> None:
    make, value, none = CLIENTS[name]
    book = SpendingBook(tmp_path / "book", 3, new=True)
    client = make(book)
    with pytest.raises(DomainError):
        client.report(none)
    assert book.entries() == ()
    assert len(client.report(value)) == 1
    with pytest.raises(ParameterError, match="must be called once"):
        client.report(value)
    (spent,) = book.entries()
    assert spent.epsilon == 2
    assert spent.purpose.startswith(type(client.protocol).__name__)
    with pytest.raises(BudgetError):
        make(book).report(value)
    assert len(make(None).report(value)) == 1


class SlowBook(SpendingBook):
    """Who enters waits until another thread enters, too, or has had half a second to do so."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.together = threading.Barrier(2)

    def spend(self, epsilon: object, purpose: str) -> Any:
        with suppress(threading.BrokenBarrierError):
            self.together.wait(0.5)
        return super().spend(epsilon, purpose)


def refuse_to_write(*_: object) -> None:
    raise OSError("the disk is full")


def reporting(name: str, book: SpendingBook, folder: Path) -> partial[Any]:
    """What a client of each kind does in the first round that asks it."""
    if name in CLIENTS:
        make, value, _ = CLIENTS[name]
        return partial(make(book).report, value)
    if name == "PrefixRoundClient":
        rounds = PrefixRounds(2.0, bits=2, top=1, first=1, step=1, cohorts=2, seed=3)
        return partial(rounds.client(group=0, book=book).report, 3, PrefixRound(rounds, 0))
    if name == "SetClient":
        asked = CandidateSizes(2.0, 5, ((0,), (3,)), group=1)
        return partial(SVIM(2.0, 5, 2).client(group=1, book=book).report, [1], asked)
    if name == "DeclaredClient":
        hierarchy = of_text(folder, HIERARCHY)(2.0, 3)
        return partial(hierarchy.client(2, book=book).report, 5)
    client = Deployment(RangeTree(2.0, 8)).client(book=book)
    return partial(client.report, 3)


@pytest.mark.parametrize(
    "name", [*CLIENTS, "PrefixRoundClient", "SetClient", "DeclaredClient", "deploy.Client"]
)
def test_two_threads_report_once_and_pay_once(name: str, tmp_path: Path) -> None:
    book = SlowBook(tmp_path / "book", 9, new=True)
    report = reporting(name, book, tmp_path)
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(report) for _ in range(2)]
        errors = [each.exception() for each in done]
    assert sum(error is None for error in errors) == 1
    (refused,) = (error for error in errors if error is not None)
    assert isinstance(refused, ParameterError)
    assert len(book.entries()) == 1


@pytest.mark.parametrize("name", [*CLIENTS, "PrefixRoundClient", "SetClient", "DeclaredClient"])
def test_a_price_that_is_not_entered_leaves_the_round(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is drawn, and the round may be asked again."""
    book = SpendingBook(tmp_path / "book", 9, new=True)
    report = reporting(name, book, tmp_path)
    assert isinstance(report.func, MethodType)
    client: Any = report.func.__self__
    monkeypatch.setattr(book, "_write", refuse_to_write)
    client._source = None  # whatever draws from it is an error of another class
    with pytest.raises(OSError, match="disk"):
        report()
    assert len(client._left) == 1
    assert book.entries() == ()


@pytest.mark.parametrize("name", CLIENTS)
def test_what_is_no_protocol_or_book_is_refused(name: str) -> None:
    make, *_ = CLIENTS[name]
    with pytest.raises(ParameterError, match="book"):
        make("book")
    kind = type(make(None))
    with pytest.raises(ParameterError, match="protocol"):
        kind("protocol", 5) if kind in (GroupClient, SignClient) else kind("protocol")


@pytest.mark.parametrize(
    "made",
    [RangeTree(2.0, 8), ParityTables(2.0, ("a", "b")), PaddedResponse(2.0, 4, 2)],
    ids=repr,
)
def test_states_count_reports_and_are_saved(made: Any, tmp_path: Path) -> None:
    assert issubclass(type(made), OneReport)
    values = [1, 2] if issubclass(type(made), OfNumbers) else [[1], [2]]
    sent = made.privatize(values)
    again = made.reports(sent.data, simulated=False)
    state = made.empty().update(again)
    state.save(tmp_path / "state")
    assert made.load(tmp_path / "state").n == state.n == 2
    with pytest.raises(ParameterError, match="simulated"):
        made.reports(sent.data, simulated=1)
