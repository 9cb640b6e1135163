"""Limits of the size of a body and of the rate of an address; no private data in logs."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from collector.counters import Counters

LOG = logging.getLogger("collector")
MOST_ADDRESSES = 100_000
_MOST_DIGITS = 18


def log_class(error: Exception) -> None:
    """Log the class of an error alone: its message and variables may hold what was sent."""
    LOG.error('{"error": "%s"}', type(error).__name__)


class LengthError(Exception):
    """A body is longer than its header says, if that says anything; raised while it is read."""


class Rates:
    """A bucket of tokens for each address, in memory only; addresses are never written.

    Args:
        rate: tokens a second. burst: of a full bucket.
        most: addresses that are remembered, the last ones.
    """

    def __init__(self, rate: float, burst: float, most: int = MOST_ADDRESSES) -> None:
        self._rate, self._burst, self._most = rate, burst, most
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str, number: float, now: float) -> float:
        """Take tokens; 0.0, or the seconds until there are enough.

        Args:
            address: of the client. number: of tokens, at least 0; more than a full bucket holds
                empties it. now: seconds of a clock that only goes forward.
        """
        left, then = self._buckets.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        needed = min(number, self._burst)
        fine = left >= needed
        self._buckets[address] = (left - needed if fine else left, now)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0.0 if fine else (needed - left) / self._rate


class Limits:
    """The outermost layer of the application.

    Args:
        app: what is inside. counters: of the worker. largest_body: bytes.
        rates: what an address may send; a request counts as `record` bytes at least.
        record: bytes of a report and its token.
    """

    def __init__(
        self, app: ASGIApp, counters: Counters, largest_body: int, rates: Rates, record: int
    ) -> None:
        self._app, self._counters, self._largest = app, counters, largest_body
        self._rates, self._record = rates, record

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse before anything is read."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        length = self._length(scope)
        refusal = self._refusal(scope, length)
        try:
            if refusal is not None:
                await _refuse(sending, *refusal)
            else:
                await self._app(scope, _limited(receive, length), sending)
        except Exception as error:
            log_class(error)
            if not status:
                await _refuse(sending, 500, "an error of the server")
        self._counters.status(status)

    def _length(self, scope: Scope) -> int:
        """Bytes of the body by its header; above the limit where that is no such number."""
        length = 0
        for name, value in scope["headers"]:
            if name == b"content-length":
                fine = value.isdigit() and len(value) <= _MOST_DIGITS
                length = int(value) if fine else self._largest + 1
        return length

    def _refusal(self, scope: Scope, length: int) -> tuple[int, str, float] | None:
        if length > self._largest:
            return 413, f"the body must be at most {self._largest} bytes", 0.0
        address = scope["client"][0] if scope.get("client") else ""
        number = max(1.0, length / self._record)
        wait = self._rates.wait(address, number, time.monotonic())
        return (429, "too many reports from this address", wait) if wait else None


def _limited(receive: Receive, length: int) -> Receive:
    """Give no more bytes than were paid for: a body in chunks does not say its length."""
    read = 0

    async def limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > length:
            raise LengthError
        return message

    return limited


async def _refuse(send: Send, status: int, why: str, wait: float = 0.0) -> None:
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    if wait:
        headers.append((b"retry-after", str(int(wait) + 1).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": why.encode() + b"\n"})
