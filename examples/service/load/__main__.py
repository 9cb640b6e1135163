"""The load test: simulated users of seven days on loopback, with workers and database killed.

    python -m load --users 100000 --output RESULTS.md

It starts everything itself. Of the days, the first five come in batches and the last two one by
one; on the third and the seventh a worker and the database are killed with kill -9 while reports
come. What is required is checked, and a run that finds otherwise fails. On the other days the same
requests go to a bare server first, and as many rows to the database, since a rate says little on a
machine that others use.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import secrets
import shutil
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from collector.records import TOKEN_BYTES, token

from ldp_verified.deploy import Deployment
from ldp_verified.run.mechanisms import GRR
from load.sending import Day, sent
from load.servers import Bare, Service, answering, bare_inserts

if TYPE_CHECKING:
    from collector.store import Store

FIRST = date(2026, 11, 16)
DAYS = 7
ONE_BY_ONE_FROM = 5
KILLED_ON = (2, 6)
COLUMNS = (
    "day",
    "sent",
    "killed",
    "seconds",
    "reports a second",
    "of a bare server's",
    "of bare inserts",
    "CPU, us a report",
    "requests sent again",
    "counted before",
    "slowest answer, s",
)


class LostError(Exception):
    """Something that must hold of the service does not."""


@dataclass(frozen=True)
class Plan:
    """The sizes of a run.

    Attributes:
        users: who report each day. batch: records of a request. connections: where they come one
            by one. workers: of each server.
    """

    users: int = 100_000
    batch: int = 1000
    connections: int = 256
    workers: int = 2


async def killing(service: Service, day: Day) -> list[float]:
    """Kill a worker after a quarter of the day, the database after half, both after 3/4.

    Right after the database came back, the reports that were acknowledged before are sent again.

    Returns:
        Seconds for which the database was away, each time.

    Raises:
        LostError: one of them is not known any more.
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
                raise LostError("what was acknowledged is lost")
    return away


def drawn(service: Service, tokens: list[bytes], number: int) -> list[bytes]:
    """The records of all users on a day."""
    mechanism, users = service.deployment.mechanism, len(tokens)
    values = np.arange(users) * (number + 3) // 7 % 10
    reports = service.deployment.to_bytes(mechanism.privatize(values, rng=number))
    return [mark + report for mark, report in zip(tokens, reports, strict=True)]


async def run(service: Service, bare: Bare, plan: Plan) -> list[str]:
    """Wait for the servers, and send the reports of all days; as `sent_all`."""
    await answering(service.port)
    await answering(bare.port)
    with closing(service.store()) as store:
        return await sent_all(service, bare, plan, store)


async def sent_all(service: Service, bare: Bare, plan: Plan, store: Store) -> list[str]:
    """All days.

    Returns:
        Rows of a table of Markdown.

    Raises:
        LostError: a report was lost or counted twice.
    """
    names = [secrets.token_bytes(16) for _ in range(plan.users)]
    tokens = [token(service.keys.tokens, name) for name in names]
    rows = []
    for number in range(DAYS):
        today = FIRST + timedelta(days=number)
        store.roll(today)
        one_by_one = number >= ONE_BY_ONE_FROM
        each, connections = (1, plan.connections) if one_by_one else (plan.batch, 8)
        day = Day(today.isoformat(), drawn(service, tokens, number), each)
        alone = number not in KILLED_ON
        killer = None if alone else asyncio.create_task(killing(service, day))
        without = inserts = 0.0
        if alone:
            without = await sent(bare.port, day.fresh(), connections)
            address = service.database.address
            inserts = await asyncio.to_thread(bare_inserts, address, plan.users, plan.batch)
        used = service.costs()
        seconds = await sent(service.port, day, connections)
        away = await killer if killer is not None else []
        cost = [1e6 * (now - u) / plan.users for now, u in zip(service.costs(), used, strict=True)]
        check(service, store, day)
        cells = [
            str(number + 1),
            "one by one" if one_by_one else f"batches of {plan.batch}",
            "" if alone else f"2 workers; database away {', '.join(f'{a:.1f} s' for a in away)}",
            f"{seconds:.1f}",
            f"{plan.users / seconds:,.0f}",
            f"{without / seconds:.0%}" if alone else "",
            f"{inserts / seconds:.0%}" if alone else "",
            " + ".join(f"{each:.0f}" for each in cost) if alone else "",
            str(day.tries - -(-plan.users // each)),
            str(bytes(day.answers).count(b"=")),
            f"{day.slowest:.2f}",
        ]
        rows.append(f"| {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    store.roll(FIRST + timedelta(days=DAYS + 1))
    if [closed for _, closed in store.periods()] != [False] + [True] * DAYS:
        raise LostError("periods did not end")
    return rows


def check(service: Service, store: Store, day: Day) -> None:
    """Every report was acknowledged, and the state is that of counting each once in one process.

    Raises:
        LostError: it is not so.
    """
    if set(day.answers) - set(b"+="):
        raise LostError(f"day {day.period}: a report was not acknowledged")
    direct = service.deployment.collector(simulated=True)
    reports = b"".join(record[TOKEN_BYTES:] for record in day.records)
    direct.add_rows(np.frombuffer(reports, np.uint8).reshape(len(day.records), -1))
    if store.collector(day.period).to_bytes() != direct.in_order().to_bytes():
        raise LostError(f"day {day.period}: the state differs from one process that counts")


def loaded(plan: Plan, application: str = "collector.app:create") -> list[str]:
    """Start the servers, run all days, and stop them; as `run`.

    Args:
        plan: the sizes. application: of the workers.
    """
    folder = Path(tempfile.mkdtemp(prefix="collector-load-"))
    folder.chmod(0o755)
    deployment = Deployment(GRR(1.0, 10))
    bare = Bare(TOKEN_BYTES + deployment.report_bytes, plan.workers)
    try:
        service = Service(folder, deployment, plan.workers, application)
        try:
            return asyncio.run(run(service, bare, plan))
        finally:
            service.stop()
    finally:
        bare.stop()
        shutil.rmtree(folder)


def main() -> None:
    """Run the test and write its page."""
    plan = Plan()
    parser = argparse.ArgumentParser(prog="load", description=__doc__.partition("\n")[0])
    for name, usual in vars(plan).items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--output", type=Path)
    given = vars(parser.parse_args())
    output = given.pop("output")
    before = os.getloadavg()[0]
    rows = loaded(Plan(**given))
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    said = f"{given['users']:,} users; {machine}; "
    said += f"load {before:.1f} before the start, {os.getloadavg()[0]:.1f} at the end"
    print(said)
    if output:
        head = [f"| {' | '.join(COLUMNS)} |", "|" + " --- |" * len(COLUMNS)]
        output.write_text("\n".join([said, "", *head, *rows]) + "\n")


if __name__ == "__main__":
    main()
