"""What the simulated users do: send the records of a day, each until it is answered."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

MOST_TRIES = 2400
"""Of one request: two minutes of pauses, after which a run fails."""


@dataclass
class Day:
    """What is sent on a day, and what was answered.

    Attributes:
        period: the day. records: a token and a report each. each: records of a request.
        answers: the answer to each record, 0 where there is none yet.
        tries: requests that were sent. slowest: seconds of the slowest that was answered.
    """

    period: str
    records: list[bytes]
    each: int
    answers: bytearray = field(default_factory=bytearray)
    tries: int = 0
    slowest: float = 0.0

    def __post_init__(self) -> None:
        """No answer yet."""
        self.answers = bytearray(len(self.records))

    def fresh(self) -> Day:
        """The same day, before anything was sent."""
        return Day(self.period, self.records, self.each)


async def posted(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, period: str, body: bytes
) -> bytes | None:
    """One request over a connection that stays open; None where it is to be sent again.

    Raises:
        RuntimeError: the server says that the request is wrong.
    """
    head = f"POST /v1/reports/{period} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    answer = await reader.readuntil(b"\r\n\r\n")
    status = int(answer[9:12])
    length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    said = await reader.readexactly(length)
    if status == 200:
        return said
    if status in (429, 500, 503):
        return None
    raise RuntimeError(f"status {status}: {said!r}")


async def sender(port: int, day: Day, places: list[int]) -> None:
    """Send requests, each until it is answered, in a connection that is made anew if it breaks.

    Raises:
        TimeoutError: one was not answered in `MOST_TRIES`.
    """
    reader, writer = None, None
    tries = 0
    while places:
        place = places[-1]
        body = b"".join(day.records[place : place + day.each])
        day.tries += 1
        tries += 1
        if tries > MOST_TRIES:
            raise TimeoutError(f"no answer to a request in {MOST_TRIES} tries")
        start = time.monotonic()
        try:
            if reader is None or writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            answer = await posted(reader, writer, day.period, body)
        except (OSError, asyncio.IncompleteReadError):
            answer = None
            if writer is not None:
                writer.close()
            writer = None
        if answer is None:
            await asyncio.sleep(0.05)
            continue
        day.slowest = max(day.slowest, time.monotonic() - start)
        day.answers[place : place + len(answer)] = answer
        places.pop()
        tries = 0
    if writer is not None:
        writer.close()


async def sent(port: int, day: Day, connections: int) -> float:
    """Send all that has no answer yet.

    Returns:
        Seconds that it took.

    Raises:
        TimeoutError, RuntimeError: as `sender` and `posted`.
    """
    start = time.monotonic()
    places = [i for i in range(0, len(day.records), day.each) if not day.answers[i]]
    shares = [places[i::connections] for i in range(connections)]
    await asyncio.gather(*(sender(port, day, share) for share in shares if share))
    return time.monotonic() - start
