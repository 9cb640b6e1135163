"""The servers of a load test: the collector over its database, and a bare one to compare with."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from collector.database import Database, free_port
from collector.migrations import migrate
from collector.settings import Keys, Settings, make_keys
from collector.store import Store

if TYPE_CHECKING:
    from ldp_verified.deploy import Deployment

HERE = Path(__file__).resolve().parents[1]
RECORD = "BARE_RECORD"


class Service:
    """Database and workers of a run, in a folder.

    Args:
        folder: an empty one that `postgres` can reach. deployment: whose reports come.
        workers: how many processes. application: what each runs.
    """

    def __init__(
        self,
        folder: Path,
        deployment: Deployment,
        workers: int,
        application: str = "collector.app:create",
    ) -> None:
        self.deployment = deployment
        self.database = Database(folder / "data")
        self.database.start()
        deployment.save(folder / "deployment.json")
        make_keys(folder / "keys.json")
        self.keys = Keys.read(folder / "keys.json")
        settings = Settings(
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
        self.server = _served(application, self.port, workers, settings.to_environment())

    def store(self) -> Store:
        """A connection beside those of the workers."""
        key = self.keys.registry
        return Store(self.database.address, self.deployment, key, simulated=True, patience=60.0)

    def workers(self) -> list[int]:
        """The processes that take reports."""
        found = []
        for pid in _children(self.server.pid):
            with suppress(OSError):
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return found

    def kill_worker(self) -> None:
        """Kill -9 of one of them; uvicorn starts another."""
        os.kill(self.workers()[0], signal.SIGKILL)

    def costs(self) -> list[float]:
        """Seconds of CPU of this process, of the workers and of the database."""
        own = os.times()
        servers = (self.server.pid, self.database.process)
        return [own.user + own.system, *map(spent, servers)]

    def stop(self) -> None:
        """Stop all."""
        self.server.send_signal(signal.SIGTERM)
        self.server.wait()
        self.database.kill()


class Bare:
    """As many workers of the same HTTP server, which read a body, answer it and keep nothing.

    Args:
        record: bytes of a report and its token. workers: how many processes.
    """

    def __init__(self, record: int, workers: int) -> None:
        self.port = free_port()
        self.server = _served("load.servers:bare", self.port, workers, {RECORD: str(record)})

    def stop(self) -> None:
        """Stop it."""
        self.server.send_signal(signal.SIGTERM)
        self.server.wait()


def bare() -> Any:
    """The application of `Bare`."""
    record = int(os.environ[RECORD])

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while True:
                said = (await receive())["type"]
                await send({"type": f"{said}.complete"})
                if said == "lifespan.shutdown":
                    return
        length, more = 0, True
        while more:
            message = await receive()
            length += len(message.get("body", b""))
            more = message.get("more_body", False)
        answer = b"+" * (length // record)
        headers = [(b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    return app


def bare_inserts(address: str, rows: int, together: int) -> float:
    """Insert rows as wide as those of the registry, in transactions that are on the disk.

    Two connections, as two workers have; a primary key; nothing is looked at.

    Args:
        address: of the database. rows: how many. together: rows of a transaction.

    Returns:
        Seconds that it took.
    """
    with psycopg.connect(address, autocommit=True) as base:
        base.execute("drop table if exists bare")
        base.execute("create table bare (tag bytea primary key, report bytea not null)")

    def inserted(number: int) -> None:
        query = "insert into bare select * from unnest(%b::bytea[], %b::bytea[])"
        with psycopg.connect(address, autocommit=True, prepare_threshold=1) as base:
            for start in range(0, number, together):
                size = min(together, number - start)
                columns = [[os.urandom(16) for _ in range(size)] for _ in range(2)]
                base.execute(query, columns, binary=True)

    start = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(inserted, (rows // 2, rows - rows // 2)))
    return time.monotonic() - start


def _served(
    application: str, port: int, workers: int, settings: dict[str, str]
) -> subprocess.Popen[bytes]:
    """Uvicorn, with the options of `collector serve`."""
    command = [sys.executable, "-m", "uvicorn", "--factory", application, "--port", str(port)]
    command += ["--workers", str(workers), "--no-access-log", "--no-server-header"]
    command += ["--log-level", "warning"]
    environment = {**os.environ, **settings}
    return subprocess.Popen(command, cwd=HERE, env=environment)


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(each) for each in text.split()]


def spent(root: int) -> float:
    """Seconds of CPU of a process and of all that it started, as far as it waited for the dead."""
    text = Path(f"/proc/{root}/stat").read_text().rpartition(")")[2].split()
    found = sum(map(int, text[11:15])) / os.sysconf("SC_CLK_TCK")
    for pid in _children(root):
        with suppress(OSError):
            found += spent(pid)
    return found


async def answering(port: int, tries: int = 1200) -> None:
    """Wait for the first worker, and a while for the others.

    Raises:
        TimeoutError: there is none after so many tries, ten in a second.
    """
    for _ in range(tries):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            await asyncio.sleep(2.0)
            return
    raise TimeoutError("no worker answers")
