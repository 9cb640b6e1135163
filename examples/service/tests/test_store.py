"""A report counts once, whatever is repeated, ended or killed."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from collector import store as module
from collector.records import Answer
from collector.store import Sent, Store, UnavailableError

from ldp_verified.deploy import Deployment
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import SignMatrix
from ldp_verified.run.mechanisms import GRR

from .conftest import Place, user

if TYPE_CHECKING:
    from collector.database import Database

DAY = "2026-11-24"
FIRST = date(2026, 11, 24)


def numbered(place: Place, number: int, period: str = DAY) -> list[Sent]:
    reports = place.reports(number)
    return [Sent(user(i), period, report) for i, report in enumerate(reports)]


def opened(place: Place) -> Store:
    store = place.store()
    store.roll(FIRST)
    return store


def test_a_report_counts_once(place: Place) -> None:
    store, sent = opened(place), numbered(place, 30)
    assert store.accept(sent[:20]) == [Answer.COUNTED] * 20
    assert store.accept(sent) == [Answer.COUNTED_BEFORE] * 20 + [Answer.COUNTED] * 10
    other = next(r.report for r in sent if r.report != sent[0].report)
    assert store.accept([sent[0]._replace(report=other)]) == [Answer.ANOTHER]
    direct = place.deployment.collector()
    for each in sent:
        direct.add(each.report)
    assert store.collector(DAY).to_bytes() == direct.in_order().to_bytes()
    assert store.collector(DAY).to_bytes() == direct.in_order().to_bytes()
    store.close()


def test_repeats_and_damage_within_one_batch(place: Place) -> None:
    store, sent = opened(place), numbered(place, 12)
    other = next(r.report for r in sent if r.report != sent[0].report)
    report = sent[0].report
    batch = [
        sent[0],
        sent[0],
        sent[0]._replace(report=other),
        sent[0]._replace(user=user(99), report=bytes([report[0] ^ 1]) + report[1:]),
        sent[1]._replace(report=sent[1].report[:-1]),
        sent[1],
        sent[2]._replace(period="2026-11-23"),
    ]
    assert b"".join(store.accept(batch)) == b"+=!xx+c"
    assert store.accept([]) == []
    assert store.collector(DAY).n == 2
    store.close()


@pytest.mark.parametrize("name", ["2026\ud800", "", "x" * 257])
def test_a_period_that_has_no_name_is_refused(place: Place, name: str) -> None:
    store, sent = opened(place), numbered(place, 2)
    with pytest.raises(ParameterError, match="period: must be a text") as refused:
        store.accept([sent[0], sent[1]._replace(period=name)])
    assert refused.value.__context__ is None
    with pytest.raises(ParameterError, match="period: must be a text"):
        store.collector(name)
    assert store.collector(DAY).n == 0
    store.close()


def test_workers_at_once_count_once(place: Place) -> None:
    """Each of four sends all reports, in an order of its own."""
    opened(place).close()
    sent = numbered(place, 400)
    orders = [sent, sent[::-1], sent[200:] + sent[:200], sent[::2] + sent[1::2]]

    def worker(order: list[Sent]) -> list[Answer]:
        store = place.store()
        found = [a for i in range(0, 400, 50) for a in store.accept(order[i : i + 50])]
        store.collector(DAY)
        store.close()
        return found

    with ThreadPoolExecutor(4) as pool:
        answers = [a for found in pool.map(worker, orders) for a in found]
    assert answers.count(Answer.COUNTED) == 400
    assert answers.count(Answer.COUNTED_BEFORE) == 1200
    store = place.store()
    assert store.collector(DAY).n == 400
    store.close()


def test_a_period_ends(place: Place) -> None:
    store, sent = opened(place), numbered(place, 10)
    store.accept(sent[:5])
    store.roll(date(2026, 11, 25))
    assert store.accept(sent[5:6]) == [Answer.COUNTED]  # one day of grace
    store.roll(date(2026, 11, 26))
    wanted = [("2026-11-26", False), ("2026-11-25", False), (DAY, True)]
    assert store.periods() == wanted
    assert store.accept(sent) == [Answer.COUNTED_BEFORE] * 6 + [Answer.NOT_OPEN] * 4
    store.roll(date(2026, 11, 26))
    assert store.periods() == wanted
    store.forget(date(2026, 11, 25))
    assert store.accept(sent[:1]) == [Answer.NOT_OPEN]
    assert store.collector(DAY).n == 6
    store.close()


def test_what_is_counted_while_a_period_ends_is_in_its_state(place: Place) -> None:
    """Workers count while another ends the period: each report is refused, or is in the state."""
    opened(place).close()
    begun, acknowledged = threading.Event(), []

    def worker(number: int) -> None:
        store = place.store()
        for start in range(100):
            report = place.reports(1)[0]
            found = store.accept([Sent(user(1000 * number + start), DAY, report)])
            acknowledged.append(found[0])
            begun.set()
        store.close()

    store = place.store()
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(worker, number) for number in (1, 2)]
        begun.wait()
        store.roll(date(2026, 11, 26))
        ended = store.collector(DAY).n
        for each in done:
            each.result()
    assert acknowledged.count(Answer.COUNTED) == ended == store.collector(DAY).n
    assert len(acknowledged) == 200
    store.close()


def test_a_database_that_is_killed_loses_nothing(server: Database, place: Place) -> None:
    store, sent = opened(place), numbered(place, 60)
    assert store.accept(sent[:30]) == [Answer.COUNTED] * 30
    server.kill()
    with ThreadPoolExecutor(1) as pool:
        later = pool.submit(store.accept, sent)
        server.start()
        try:
            found = later.result()
        except UnavailableError:  # the server took longer than the patience: send them again
            found = store.accept(sent)
    assert found == [Answer.COUNTED_BEFORE] * 30 + [Answer.COUNTED] * 30
    assert store.collector(DAY).n == 60
    store.close()


def test_patience_ends(server: Database, place: Place) -> None:
    retries: list[int] = []
    store = Store(
        place.settings.database,
        place.deployment,
        place.keys.registry,
        patience=0.2,
        on_retry=lambda: retries.append(1),
    )
    server.kill()
    try:
        with pytest.raises(UnavailableError):
            store.periods()
    finally:
        server.start()
    assert retries
    assert store.periods() == []
    store.close()


def test_a_database_that_can_only_be_read_is_away(server: Database, place: Place) -> None:
    """For a connection that was there, and for a new one; then reports are counted again."""
    store, sent = opened(place), numbered(place, 3)
    assert store._base is not None
    store._base.execute("set default_transaction_read_only = on")
    assert store.accept(sent[:1]) == [Answer.COUNTED]
    store._base.execute("set default_transaction_read_only = on")
    with psycopg.connect(server.address, autocommit=True) as base:
        base.execute("alter database postgres set default_transaction_read_only = on")
    try:
        hasty = Store(place.settings.database, place.deployment, place.keys.registry, patience=0.1)
        for each in (store, hasty):
            each._patience = 0.1
            with pytest.raises(UnavailableError):
                each.accept(sent)
            with pytest.raises(UnavailableError):
                each.roll(FIRST)
    finally:
        with psycopg.connect(server.address, autocommit=True) as base:
            base.execute("set default_transaction_read_only = off")
            base.execute("alter database postgres reset default_transaction_read_only")
    assert store.accept(sent) == [Answer.COUNTED_BEFORE] + [Answer.COUNTED] * 2
    store.close()


class _Lost(Store):
    """Planted: it hears of no commit, and enters users apart from their reports."""

    def _entered(self, base: Any, sent: list[Sent]) -> list[Answer]:
        answers = [Answer.COUNTED] * len(sent)
        with base.transaction():
            self._wait(base, sent)
        return answers


def test_a_store_that_counts_again_is_found(place: Place) -> None:
    opened(place).close()
    store = _Lost(place.settings.database, place.deployment, place.keys.registry)
    sent = numbered(place, 5)
    store.accept(sent)
    store.accept(sent)
    assert store.collector(DAY).n == 10  # what the tests above refuse
    store.close()


def test_an_answer_that_is_lost_is_given_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection breaks after the commit: the work is done twice and counts once."""
    store, sent = opened(place), numbered(place, 5)
    whole = Store._entered
    broken: list[int] = []

    def breaking(self: Store, base: Any, some: list[Sent]) -> list[Answer]:
        found = whole(self, base, some)
        if not broken:
            broken.append(1)
            raise psycopg.OperationalError
        return found

    monkeypatch.setattr(module.Store, "_entered", breaking)
    assert store.accept(sent) == [Answer.COUNTED_BEFORE] * 5
    assert store.collector(DAY).n == 5
    store.close()


@pytest.mark.parametrize("name", sorted(module._DURABLE))
def test_a_database_that_may_lose_is_refused(place: Place, name: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(module._DURABLE, name, "elsewhere")
        with pytest.raises(ValueError, match=f"must have {name}"):
            place.store().periods()


def test_another_deployment_is_refused(place: Place) -> None:
    opened(place).close()
    other = Store(place.settings.database, Deployment(GRR(1.0, 4)), place.keys.registry)
    with pytest.raises(ValueError, match="another deployment"):
        other.periods()
    simulated = Store(
        place.settings.database, place.deployment, place.keys.registry, simulated=True
    )
    with pytest.raises(ValueError, match="kind of reports"):
        simulated.periods()
    with pytest.raises(ParameterError, match="deployment"):
        Store("", Deployment(SignMatrix(1.0, 8, 20)), place.keys.registry)


def test_the_database_holds_no_name_and_no_report_beside_one(place: Place) -> None:
    store, sent = opened(place), numbered(place, 8)
    store.accept(sent)
    with psycopg.connect(place.settings.database) as base:
        kept = base.execute("select tag, report from users").fetchall()
        rows = base.execute("select reports from waiting").fetchall()
    reports = [each.report for each in sent]
    assert {len(cell) for row in kept for cell in row} == {16}
    names = {each.user for each in sent}
    assert not {cell for row in kept for cell in row} & {*names, *reports}
    assert rows == [(b"".join(sorted(reports)),)]
    store.close()
