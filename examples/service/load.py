"""The load test: simulated users of seven days on loopback, with workers and database killed.

    python load.py --users 100000 --output RESULTS.md

It starts everything itself. Of the days, the first five come in batches and the last two one by
one; on the third and the seventh a worker and the database are killed with kill -9 while reports
come. What is required is checked, and a run that finds otherwise fails.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import psycopg
from collector.database import Database, free_port
from collector.migrations import migrate
from collector.records import token
from collector.settings import Keys, Settings, make_keys
from collector.store import Store

from ldp_verified.deploy import Deployment
from ldp_verified.mechanisms import GRR

FIRST = date(2026, 11, 16)
DAYS = 7
ONE_BY_ONE_FROM = 5
KILLED_ON = (2, 6)
HERE = Path(__file__).resolve().parent


@dataclass
class Day:
    """What is sent on a day, and what was answered. `answers` is 0 where there is none yet."""

    period: str
    records: list[bytes]
    each: int
    answers: bytearray = field(default_factory=bytearray)
    tries: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def __post_init__(self) -> None:
        """No answer yet."""
        self.answers = bytearray(len(self.records))


async def posted(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, period: str, body: bytes
) -> bytes | None:
    """One request over a connection that stays open; None where it is to be sent again."""
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
    """Send requests, each until it is answered, in a connection that is made anew if it breaks."""
    reader, writer = None, None
    while places:
        place = places[-1]
        body = b"".join(day.records[place : place + day.each])
        day.tries += 1
        start = time.monotonic()
        try:
            if reader is None or writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            answer = await posted(reader, writer, day.period, body)
        except (OSError, asyncio.IncompleteReadError):
            answer, writer = None, None
        if answer is None:
            await asyncio.sleep(0.05)
            continue
        day.slowest = max(day.slowest, time.monotonic() - start)
        day.answers[place : place + len(answer)] = answer
        places.pop()
    if writer is not None:
        writer.close()


async def sent(port: int, day: Day, connections: int) -> None:
    """Send all that has no answer yet."""
    places = [i for i in range(0, len(day.records), day.each) if not day.answers[i]]
    shares = [places[i::connections] for i in range(connections)]
    await asyncio.gather(*(sender(port, day, share) for share in shares if share))


class Service:
    """Database and workers of a run, in a folder.

    Args:
        folder: an empty one. deployment: whose reports come. workers: how many processes.
    """

    def __init__(self, folder: Path, deployment: Deployment, workers: int) -> None:
        self.deployment = deployment
        self.database = Database(folder / "data")
        self.database.start()
        deployment.save(folder / "deployment.json")
        make_keys(folder / "keys.json")
        self.keys = Keys.read(folder / "keys.json")
        self.settings = Settings(
            database=self.database.address,
            deployment=folder / "deployment.json",
            keys=folder / "keys.json",
            counters=folder / "counters",
            simulated=True,
            clock="manual",
            rate=1e6,
            burst=1e6,
        )
        with psycopg.connect(self.database.address, autocommit=True) as base:
            migrate(base)
        self.port = free_port()
        command = [sys.executable, "-m", "collector", "serve", "--port", str(self.port)]
        command += ["--workers", str(workers)]
        environment = {**os.environ, **self.settings.to_environment()}
        self.server = subprocess.Popen(command, cwd=HERE, env=environment)

    def store(self) -> Store:
        """A connection beside those of the workers."""
        key = self.keys.registry
        return Store(self.database.address, self.deployment, key, simulated=True, patience=60.0)

    def workers(self) -> list[int]:
        """The processes that take reports."""
        path = Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children")
        found = []
        for pid in map(int, path.read_text().split()):
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"spawn_main" in command:
                found.append(pid)
        return found

    def kill_worker(self) -> None:
        """Kill -9 of one of them; uvicorn starts another."""
        os.kill(self.workers()[0], signal.SIGKILL)

    def stop(self) -> None:
        """Stop all."""
        self.server.send_signal(signal.SIGTERM)
        self.server.wait()
        self.database.kill()


async def answering(port: int) -> None:
    """Wait for the first worker."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            await asyncio.sleep(2.0)  # and for the others
            return


async def killing(service: Service, day: Day) -> list[float]:
    """Kill a worker after a quarter of the day, the database after half, both after 3/4.

    Right after each time the reports that were acknowledged before are sent again.

    Returns:
        Seconds for which the database was away, each time.
    """
    away = []
    for part in (0.25, 0.5, 0.75):
        while sum(map(bool, day.answers)) < part * len(day.records):
            await asyncio.sleep(0.02)
        if part != 0.5:
            service.kill_worker()
        if part != 0.25:
            before = bytes(day.answers)
            start = time.monotonic()
            service.database.kill()
            await asyncio.to_thread(service.database.start)
            away.append(time.monotonic() - start)
            kept = [record for i, record in enumerate(day.records) if before[i]]
            again = Day(day.period, kept, 500)
            await sent(service.port, again, 2)
            if set(again.answers) != set(b"="):
                raise SystemExit("what was acknowledged is lost")
    return away


def spent(root: int) -> float:
    """Seconds of CPU of a process and of all that it started, as far as it waited for the dead."""
    text = Path(f"/proc/{root}/stat").read_text().rpartition(")")[2].split()
    found = sum(map(int, text[11:15])) / os.sysconf("SC_CLK_TCK")
    for pid in Path(f"/proc/{root}/task/{root}/children").read_text().split():
        with suppress(OSError):
            found += spent(int(pid))
    return found


def costs(service: Service) -> list[float]:
    """CPU of this generator, of the workers and of the database."""
    own = os.times()
    servers = (service.server.pid, service.database.process)
    return [own.user + own.system, *map(spent, servers)]


def drawn(service: Service, tokens: list[bytes], number: int) -> list[bytes]:
    """The records of all users on a day."""
    mechanism, users = service.deployment.mechanism, len(tokens)
    values = np.arange(users) * (number + 3) // 7 % 10
    reports = service.deployment.to_bytes(mechanism.privatize(values, rng=number))
    return [mark + report for mark, report in zip(tokens, reports, strict=True)]


async def run(service: Service, users: int, batch: int, connections: int) -> list[str]:
    """All days.

    Returns:
        Rows of a table of Markdown.
    """
    store = service.store()
    keys = service.keys
    tokens = [token(keys.tokens, secrets.token_bytes(16)) for _ in range(users)]
    await answering(service.port)
    rows = []
    for number in range(DAYS):
        today = FIRST + timedelta(days=number)
        store.roll(today)
        one_by_one = number >= ONE_BY_ONE_FROM
        records = drawn(service, tokens, number)
        day = Day(today.isoformat(), records, 1 if one_by_one else batch)
        killer = None
        if number in KILLED_ON:
            killer = asyncio.get_running_loop().create_task(killing(service, day))
        start, used = time.monotonic(), costs(service)
        await sent(service.port, day, connections if one_by_one else 8)
        day.seconds = time.monotonic() - start
        away = await killer if killer is not None else []
        cost = [1e6 * (now - u) / users for now, u in zip(costs(service), used, strict=True)]
        shown = "" if away else f"{cost[0]:.0f} + {cost[1]:.0f} + {cost[2]:.0f}"
        check(service, store, day)
        how = "one by one" if one_by_one else f"batches of {batch}"
        killed = f"2 workers; database away {', '.join(f'{a:.1f} s' for a in away)}" if away else ""
        again = day.tries - -(-users // day.each)
        row = f"| {number + 1} | {how} | {killed} | {day.seconds:.1f} "
        row += f"| {users / day.seconds:,.0f} | {shown} "
        rows.append(f"{row}| {again} | {bytes(day.answers).count(b'=')} | {day.slowest:.2f} |")
        print(rows[-1], flush=True)
    store.roll(FIRST + timedelta(days=DAYS + 1))
    if [closed for _, closed in store.periods()] != [False] + [True] * DAYS:
        raise SystemExit("periods did not end")
    store.close()
    return rows


def check(service: Service, store: Store, day: Day) -> None:
    """Every report was acknowledged, and the state is that of counting each once in one process.

    Raises:
        SystemExit: it is not so.
    """
    if set(day.answers) - set(b"+="):
        raise SystemExit(f"day {day.period}: a report was not acknowledged")
    direct = service.deployment.collector(simulated=True)
    reports = b"".join(record[32:] for record in day.records)
    direct.add_rows(np.frombuffer(reports, np.uint8).reshape(len(day.records), -1))
    if store.collector(day.period).to_bytes() != direct.in_order().to_bytes():
        raise SystemExit(f"day {day.period}: the state differs from one process that counts")


def main() -> None:
    """Run the test and write its page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="collector-load-"))
    folder.chmod(0o755)
    before = os.getloadavg()[0]
    service = Service(folder, Deployment(GRR(1.0, 10)), given.workers)
    try:
        rows = asyncio.run(run(service, given.users, given.batch, given.connections))
    finally:
        service.stop()
        shutil.rmtree(folder)
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{given.users:,} users; {machine}; load before the start {before:.1f}")
    if given.output:
        columns = "day | sent | killed | seconds | reports a second | CPU, us a report | "
        columns += "requests sent again | counted before | slowest answer, s"
        head = [f"| {columns} |", "|" + " --- |" * 9]
        given.output.write_text("\n".join([*head, *rows]) + "\n")


if __name__ == "__main__":
    main()
