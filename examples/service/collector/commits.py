"""Group commit: requests that come while one transaction is written share the next one."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from collector.store import Sent, UnavailableError

if TYPE_CHECKING:
    from collector.counters import Counters
    from collector.records import Answer
    from collector.store import Store

MOST_TOGETHER = 8192
"""Reports of one transaction, unless a single request has more."""


class Commits:
    """What waits for the database, of one worker.

    Args:
        store: used by a thread of its own.
        counters: of the worker. most_waiting: reports; more are turned away.
    """

    def __init__(self, store: Store, counters: Counters, most_waiting: int) -> None:
        self._store, self._counters, self._most = store, counters, most_waiting
        self._waiting: deque[tuple[list[Sent], asyncio.Future[list[Answer]]]] = deque()
        self._number = 0
        self._wake = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, "commits")
        self._task: asyncio.Task[None] | None = None

    async def submit(self, sent: list[Sent]) -> list[Answer]:
        """The answers to reports, once they are on the disk.

        Raises:
            UnavailableError: the database is away, or too many reports wait.
        """
        if self._number + len(sent) > self._most:
            raise UnavailableError("too many reports wait")
        future: asyncio.Future[list[Answer]] = asyncio.get_running_loop().create_future()
        self._waiting.append((sent, future))
        self._number += len(sent)
        self._wake.set()
        return await future

    async def run(self) -> None:
        """Write what waits, until this is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                group = self._taken()
                reports = [each for sent, _ in group for each in sent]
                start = time.monotonic()
                try:
                    answers = await loop.run_in_executor(self._thread, self._store.accept, reports)
                except Exception as error:
                    for _, future in group:
                        if not future.done():
                            future.set_exception(error)
                    continue
                self._counters.add("commits_total")
                spent = round(1000 * (time.monotonic() - start))
                self._counters.add("commit_milliseconds_total", spent)
                self._hand_out(group, answers)

    def _taken(self) -> list[tuple[list[Sent], asyncio.Future[list[Answer]]]]:
        group, number = [self._waiting.popleft()], 0
        number = len(group[0][0])
        while self._waiting and number + len(self._waiting[0][0]) <= MOST_TOGETHER:
            group.append(self._waiting.popleft())
            number += len(group[-1][0])
        self._number -= number
        return group

    @staticmethod
    def _hand_out(
        group: list[tuple[list[Sent], asyncio.Future[list[Answer]]]], answers: list[Answer]
    ) -> None:
        place = 0
        for sent, future in group:
            if not future.done():  # the client may have gone
                future.set_result(answers[place : place + len(sent)])
            place += len(sent)

    def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.get_running_loop().create_task(self.run())

    async def stop(self) -> None:
        """Write what waits, and stop."""
        while self._waiting:
            await asyncio.sleep(0.01)
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._thread.shutdown()
        self._store.close()
