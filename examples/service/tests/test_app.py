"""The application over HTTP: answers, limits, the page, metrics, and what logs hold."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
import pytest
from collector import app as module
from collector.app import create
from collector.limits import LOG, Rates
from collector.pages import page
from collector.store import Store, UnavailableError
from fastapi.testclient import TestClient

from ldp_verified.deploy import Deployment
from ldp_verified.protocols import (
    DuchiVector,
    KeyValueResponse,
    PlaneNoise,
    PrefixExtending,
    SampleOne,
)
from ldp_verified.run.mechanisms import GRR, Duchi

from .conftest import CITY, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from collector.records import Answer

DAY = "2026-11-24"


def opened(place: Place) -> None:
    store = place.store()
    store.roll(date(2026, 11, 24))
    store.close()


@pytest.fixture
def client(place: Place) -> Iterator[TestClient]:
    opened(place)
    with TestClient(create(place.settings)) as found:
        yield found


def body(place: Place, number: int) -> bytes:
    reports = place.reports(number)
    return b"".join(place.token(i) + report for i, report in enumerate(reports))


def test_reports_are_counted_and_shown(client: TestClient, place: Place) -> None:
    sent = body(place, 50)
    assert client.post(f"/v1/reports/{DAY}", content=sent).content == b"+" * 50
    assert client.post(f"/v1/reports/{DAY}", content=sent).content == b"=" * 50
    shown = client.get("/").text
    assert "50 reports, not ended yet" in shown
    assert "&lt;b&gt;Nice" in shown
    assert "<b>Nice" not in shown
    metrics = client.get("/metrics").text
    assert 'collector_reports_total{answer="counted"} 50' in metrics
    assert 'collector_reports_total{answer="counted_before"} 50' in metrics
    assert client.get("/health").text == "fine\n"
    assert client.get("/v1/deployment").text == place.deployment.text


def test_the_page_shows_all_that_is_estimated() -> None:
    """Numbers, vectors, attributes, axes of a plane; and a domain that nobody can list."""
    rng = np.random.default_rng(1)
    many: list[tuple[Any, Any, int, str]] = [
        (Duchi(1.0, (0.0, 10.0)), rng.uniform(0, 10, 50), 1, "average"),
        (DuchiVector(1.0, 3), rng.uniform(-1, 1, (50, 3)), 3, "average"),
        (SampleOne(1.0, (2, 3)), rng.integers(0, 2, (50, 2)), 5, "attribute 1"),
        (PlaneNoise(1.0, 3, 3), rng.integers(0, 3, (50, 2)), 2, "attribute 1"),
        (KeyValueResponse(1.0, 3, 1), [{0: 0.5}] * 50, 6, "Mean of a key"),
        (PrefixExtending(4.0, 8), [1] * 50, 0, "counted where they are named"),
    ]
    for made, values, rows, said in many:
        deployment = Deployment(made)
        collector = deployment.collector(simulated=True)
        collector.add_rows(deployment.to_rows(made.privatize(values, rng=1)))
        shown = page(deployment, [("a & b", True, collector)])
        assert "a &amp; b</h2><p>50 reports, counted for good, of simulated users" in shown
        assert said in shown
        assert shown.count('<th scope="row">') == rows
        ends = re.findall(r"left:([\d.-]+)%", shown)
        assert all(0 <= float(end) <= 100 for end in ends)
        assert len(ends) == 2 * (rows - shown.count("too few reports"))
    wide = Deployment(GRR(8.0, 1000))
    collector = wide.collector(simulated=True)
    drawn = wide.mechanism.privatize([7] * 90 + [8] * 10, rng=1)
    collector.add_rows(wide.to_rows(drawn))
    shown = page(wide, [("", False, collector)])
    assert "The 500 largest of 1,000." in shown
    assert shown.count('<th scope="row">') == 500
    assert shown.index('<th scope="row">7<') < shown.index('<th scope="row">8<')
    crude = CITY.collector()
    made = CITY.mechanism
    crude.add_rows(CITY.to_rows(made.reports(np.zeros(500, dtype=np.uint8), simulated=False)))
    assert "hardly honest reports: support of each value" in page(CITY, [("", False, crude)])
    assert '<th scope="row">A&lt;' in page(CITY, [("", False, crude)], labels=("A<", "B", "C"))


def test_records_that_are_none(client: TestClient, place: Place) -> None:
    report = place.reports(1)[0]
    token = place.token(1)
    forged = token[:-1] + bytes([token[-1] ^ 1])
    stolen = place.token(2)[:16] + token[16:]
    batch = [forged + report, stolen + report, token + bytes(len(report)), token + report]
    answer = client.post(f"/v1/reports/{DAY}", content=b"".join(batch))
    assert answer.content == b"ttx+"
    for wrong in (b"", b"x", token + report + b"x"):
        assert client.post(f"/v1/reports/{DAY}", content=wrong).status_code == 400
    for day in ("2026-13-01", "20261124", "x%00y", "today"):
        assert client.post(f"/v1/reports/{day}", content=token + report).status_code == 404
    answer = client.post("/v1/reports/2026-11-20", content=token + report)
    assert answer.content == b"c"


def test_bodies_have_a_limit(place: Place) -> None:
    opened(place)
    settings = replace(place.settings, largest_body=500)
    with TestClient(create(settings)) as client:
        assert client.post(f"/v1/reports/{DAY}", content=bytes(501)).status_code == 413
        assert client.post(f"/v1/reports/{DAY}", content=body(place, 3)).content == b"+++"
        assert 'requests_total{status="413"} 1' in client.get("/metrics").text


@pytest.mark.parametrize("length", [None, b"1", b"9" * 5000, b"-1", b"1e3", b""])
def test_a_body_is_paid_for_by_the_length_in_its_header(length: bytes | None, place: Place) -> None:
    """One in chunks has none, and was charged as one record whatever it held."""
    opened(place)
    with TestClient(create(replace(place.settings, rate=0.001, burst=10.0))) as client:
        in_chunks: Any = iter([body(place, 4), body(place, 5)])
        headers = {} if length is None else {"content-length": length.decode()}
        answer = client.post(f"/v1/reports/{DAY}", content=in_chunks, headers=headers)
        assert answer.status_code == (411 if length in (None, b"1") else 413)
        assert client.post(f"/v1/reports/{DAY}", content=body(place, 8)).content == b"+" * 8


def test_addresses_have_a_rate(place: Place) -> None:
    opened(place)
    with TestClient(create(replace(place.settings, rate=0.001, burst=10.0))) as client:
        assert client.post(f"/v1/reports/{DAY}", content=body(place, 9)).status_code == 200
        refused = client.post(f"/v1/reports/{DAY}", content=body(place, 9))
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 1


def test_buckets_fill_again_and_are_forgotten() -> None:
    rates = Rates(rate=10.0, burst=20.0, most=2)
    assert rates.wait("a", 20, now=0.0) == 0.0
    assert rates.wait("a", 10, now=0.5) == pytest.approx(0.5)
    assert rates.wait("a", 10, now=1.0) == 0.0
    assert rates.wait("a", 10**9, now=3.0) == 0.0  # no more than a full bucket
    assert rates.wait("b", 1, now=3.0) == rates.wait("c", 1, now=3.0) == 0.0
    assert len(rates._buckets) == 2


def test_a_database_that_is_away(
    client: TestClient, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise UnavailableError

    monkeypatch.setattr(Store, "accept", away)
    monkeypatch.setattr(Store, "periods", away)
    answer = client.post(f"/v1/reports/{DAY}", content=body(place, 1))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert client.get("/health").status_code == 503


@pytest.mark.parametrize(
    "error", [psycopg.errors.ReadOnlySqlTransaction, ValueError, RuntimeError, UnavailableError]
)
def test_housekeeping_outlives_every_error(
    error: type[Exception],
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """While it fails, nobody is told that it is too late for today; then the day is opened."""
    fails = [True]
    whole = Store.roll

    def failing(self: Store, *given: Any) -> None:
        if fails:
            raise error(f"{DAY} of ann")
        whole(self, *given)

    monkeypatch.setattr(Store, "roll", failing)
    settings = replace(place.settings, clock="utc", fold_every=0.01)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    sent = body(place, 1)
    with TestClient(create(settings)) as client:
        assert client.get("/health").status_code == 200
        assert client.post(f"/v1/reports/{today}", content=sent).status_code == 503
        assert client.post("/v1/reports/2020-02-02", content=sent).content == b"c"
        while error.__name__ not in caplog.text:
            client.get("/metrics")
        monkeypatch.setattr(module, "HOUSE_SECONDS", -1.0)
        assert client.get("/health").text == "no housekeeping\n"
        assert client.get("/health").status_code == 503
        monkeypatch.setattr(module, "HOUSE_SECONDS", 60.0)
        fails.clear()
        while (answer := client.post(f"/v1/reports/{today}", content=sent)).status_code == 503:
            pass
        assert answer.content == b"+"
        assert client.get("/health").status_code == 200
    assert "ann" not in caplog.text


def test_too_much_that_waits_is_turned_away(place: Place) -> None:
    opened(place)
    with TestClient(create(replace(place.settings, most_waiting=5))) as client:
        assert client.post(f"/v1/reports/{DAY}", content=body(place, 6)).status_code == 503
        assert client.post(f"/v1/reports/{DAY}", content=body(place, 5)).content == b"+" * 5


def test_logs_hold_nothing_of_users(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Not where all is well, and not where the server fails with what was sent in its hands."""
    opened(place)
    monkeypatch.setattr(module, "LOG_EVERY", 0.0)
    settings = replace(place.settings, fold_every=0.05)
    report, token = place.reports(1)[0], place.token(7)
    caplog.set_level(logging.DEBUG)

    def failing(_: Store, sent: Any) -> list[Answer]:
        raise RuntimeError(f"{sent} {token.hex()}")

    with TestClient(create(settings)) as client:
        answer = client.post(f"/v1/reports/{DAY}", content=token + report)
        assert answer.content == b"+"
        monkeypatch.setattr(Store, "accept", failing)
        answer = client.post(f"/v1/reports/{DAY}", content=token + report)
        assert answer.status_code == 500
        while "reports_total" not in caplog.text:
            client.get("/health")
    said = [each.getMessage() for each in caplog.records if each.name == LOG.name]
    assert '{"error": "RuntimeError"}' in said
    assert any("counted" in json.loads(line) for line in said)
    ours = [each for each in caplog.records if each.name not in ("httpx2", "httpx", "asyncio")]
    text = "\n".join(f"{each.getMessage()} {each.exc_info or ''}" for each in ours)
    for secret in (token.hex(), report.hex(), repr(token), repr(report), DAY, "testclient"):
        assert secret not in text
