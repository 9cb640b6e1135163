"""The application: takes reports, shows estimates. `uvicorn collector.app:create --factory`."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from contextlib import asynccontextmanager, suppress
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response

from collector.commits import Commits
from collector.counters import Counters
from collector.limits import LOG, LengthError, Limits, Rates, log_class
from collector.pages import page
from collector.records import TOKEN_BYTES, Answer, records_of
from collector.settings import Keys, Settings
from collector.store import Sent, Store, UnavailableError
from ldp_verified.deploy import load_deployment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PAGE_SECONDS = 2.0
MOST_PERIODS = 31
LOG_EVERY = 60.0
HOUSE_SECONDS = 60.0
"""How long housekeeping may fail, beyond the time between two of its turns."""


class Worker:
    """All that one worker process holds.

    Args:
        settings: of all workers.

    Raises:
        OSError, ValueError: no such files, or their content is wrong.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.deployment = load_deployment(settings.deployment)
        self.keys = Keys.read(settings.keys)
        self.counters = Counters(settings.counters)
        self.commits = Commits(self.store(), self.counters, settings.most_waiting)
        self.reading = self.store()
        self._turn = asyncio.Lock()
        self._page: tuple[float, str] = (-PAGE_SECONDS, "")
        self._kept_at = time.monotonic()

    def store(self) -> Store:
        """A connection of its own."""
        return Store(
            self.settings.database,
            self.deployment,
            self.keys.registry,
            simulated=self.settings.simulated,
            patience=self.settings.patience,
            on_retry=lambda: self.counters.add("database_retries_total"),
        )

    async def answers(self, period: str, body: bytes) -> list[Answer]:
        """Count the records of a request.

        Raises:
            ValueError: they are none.
            UnavailableError: the database is away, or today's period is not open yet.
        """
        records = records_of(body, self.deployment.report_bytes, self.keys.tokens)
        fine = [Sent(user, period, report) for user, report in records if user is not None]
        found = iter(await self.commits.submit(fine) if fine else [])
        answers = [Answer.TOKEN if r.user is None else next(found) for r in records]
        today = datetime.now(UTC).date().isoformat()
        if Answer.NOT_OPEN in answers and self.settings.clock == "utc" and period == today:
            raise UnavailableError("the period is not open yet")  # nobody is too late today
        self.counters.answered(answers)
        return answers

    async def page(self) -> str:
        """The page of estimates, at most `PAGE_SECONDS` old."""
        async with self._turn:
            made, text = self._page
            if time.monotonic() - made >= PAGE_SECONDS:
                text = await asyncio.to_thread(self._made)
                self._page = (time.monotonic(), text)
            return text

    def _made(self) -> str:
        periods = self.reading.periods()[:MOST_PERIODS]
        return page(self.deployment, [(p, c, self.reading.collector(p)) for p, c in periods])

    async def keep_house(self) -> None:
        """Open and end periods by the date, add what waits to the states, and log counts."""
        logged, before = time.monotonic(), self.counters.mine()
        while True:
            try:
                async with self._turn:
                    await asyncio.to_thread(self._kept)
                self._kept_at = time.monotonic()
            except Exception as error:
                # Without a next turn no day would open or end any more.
                log_class(error)
            if time.monotonic() - logged >= LOG_EVERY:
                now = self.counters.mine()
                counts = {n: v - before.get(n, 0) for n, v in now.items() if v != before.get(n, 0)}
                LOG.info(json.dumps({"counted": counts}))
                logged, before = time.monotonic(), now
            await asyncio.sleep(self.settings.fold_every)

    @property
    def neglected(self) -> bool:
        """Whether housekeeping has failed for too long."""
        since = time.monotonic() - self._kept_at
        return since > self.settings.fold_every + HOUSE_SECONDS

    def _kept(self) -> None:
        if self.settings.clock == "utc":
            self.reading.roll(datetime.now(UTC).date(), self.settings.keep_open)
        for period, closed in self.reading.periods():
            if not closed:
                self.reading.collector(period)


def create(settings: Settings | None = None) -> Limits:
    """The application of one worker; settings come from the environment unless they are given.

    Raises:
        OSError, ValueError: a setting, or a file that it names, is wrong.
    """
    if not LOG.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%dT%H:%MZ"))
        LOG.addHandler(handler)
        LOG.setLevel(logging.INFO)
    worker = Worker(Settings.read() if settings is None else settings)

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        worker.commits.start()
        house = asyncio.get_running_loop().create_task(worker.keep_house())
        yield
        house.cancel()
        with suppress(asyncio.CancelledError):
            await house
        await worker.commits.stop()
        worker.reading.close()

    app = FastAPI(title="Collector", lifespan=living)

    async def take(request: Request) -> Response:
        """Count records of a token and a report; one byte answers each."""
        period = request.path_params["period"]
        if not _is_day(period):
            return PlainTextResponse("the period must be a day such as 2026-11-24\n", 404)
        try:
            answers = await worker.answers(period, await request.body())
        except LengthError:
            return PlainTextResponse("the length of the body must be in the header\n", 411)
        except ValueError as error:
            return PlainTextResponse(f"{error}\n", 400)
        except UnavailableError:
            headers = {"retry-after": "1"}
            return PlainTextResponse("try again later\n", 503, headers=headers)
        return Response(b"".join(answers), media_type="application/octet-stream")

    # A plain route, and the first: FastAPI's own costs more for each request.
    app.add_route("/v1/reports/{period}", take, methods=["POST"])
    app.router.routes.insert(0, app.router.routes.pop())

    @app.get("/v1/deployment")
    async def deployment() -> Response:
        """The descriptor that clients randomize by."""
        return Response(worker.deployment.text, media_type="application/json")

    @app.get("/metrics")
    async def metrics() -> Response:
        """The counters of all workers."""
        return PlainTextResponse(worker.counters.text())

    @app.get("/")
    async def estimates() -> Response:
        """The page of estimates."""
        try:
            return HTMLResponse(await worker.page())
        except UnavailableError:
            return PlainTextResponse("try again later\n", 503)

    @app.get("/health")
    async def health() -> Response:
        """Whether the database answers, and days are opened and ended."""
        if worker.neglected:
            return PlainTextResponse("no housekeeping\n", 503)
        try:
            async with worker._turn:
                await asyncio.to_thread(worker.reading.periods)
        except UnavailableError:
            return PlainTextResponse("no database\n", 503)
        return PlainTextResponse("fine\n")

    record = TOKEN_BYTES + worker.deployment.report_bytes
    rates = Rates(worker.settings.rate, worker.settings.burst)
    return Limits(app, worker.counters, worker.settings.largest_body, rates, record)


def _is_day(period: str) -> bool:
    try:
        return date.fromisoformat(period).isoformat() == period
    except ValueError:
        return False
