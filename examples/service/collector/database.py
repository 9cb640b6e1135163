"""Starts Debian's PostgreSQL for the example and its tests, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psycopg

STARTED = 60.0
# Errors without the values that were in the way, and no statements.
_SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "recovery_init_sync_method": "syncfs",  # one call after a crash, rather than one for each file
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "listen_addresses": "127.0.0.1",
}


def programs() -> Path:
    """The folder of PostgreSQL's programs, the newest version.

    Raises:
        FileNotFoundError: it is not installed.
    """
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    elsewhere = shutil.which("initdb")
    if elsewhere is None:
        raise FileNotFoundError("PostgreSQL is not installed: apt-get install postgresql")
    return Path(elsewhere).resolve().parent


class Database:
    """One PostgreSQL server on loopback. It refuses root, so that root runs it as `postgres`.

    Args:
        folder: for its data, that is not there yet, or of a server that was killed. Its log is
            beside it. Where root runs this, `postgres` must be able to reach it.
        port: a free one where it is None.

    Raises:
        FileNotFoundError: PostgreSQL is not installed.
    """

    def __init__(self, folder: Path, port: int | None = None) -> None:
        self.folder, self.port = folder, port or free_port()
        self._bin = programs()
        self._as = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        if os.geteuid() != 0:
            self._as = []
        self._server: subprocess.Popen[bytes] | None = None
        if not (folder / "PG_VERSION").exists():
            folder.mkdir(parents=True, exist_ok=True)
            if self._as:
                shutil.chown(folder, "postgres", "postgres")
            command = [
                str(self._bin / "initdb"),
                "-D",
                str(folder),
                "-U",
                "collector",
                "-E",
                "UTF8",
            ]
            command += ["--auth=trust", "--no-sync"]  # a server on loopback, for an example
            subprocess.run([*self._as, *command], check=True, capture_output=True, cwd="/")

    @property
    def address(self) -> str:
        """What libpq reads."""
        return f"host=127.0.0.1 port={self.port} user=collector dbname=postgres"

    @property
    def process(self) -> int:
        """The number of its first process.

        Raises:
            RuntimeError: it was not started.
        """
        if self._server is None:
            raise RuntimeError("the database was not started")
        return self._server.pid

    def start(self) -> None:
        """Start it, also after it was killed, and wait until it answers.

        Raises:
            TimeoutError: it does not.
        """
        command = [str(self._bin / "postgres"), "-D", str(self.folder), "-p", str(self.port)]
        command += ["-k", str(self.folder)]
        for name, value in _SETTINGS.items():
            command += ["-c", f"{name}={value}"]
        end = time.monotonic() + STARTED
        while time.monotonic() < end:
            if self._server is None or self._server.poll() is not None:
                with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
                    self._server = subprocess.Popen(
                        [*self._as, *command], stdout=log, stderr=log, cwd="/"
                    )
            try:
                psycopg.connect(self.address, connect_timeout=1).close()
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                return
        raise TimeoutError("PostgreSQL does not start; see its log beside its folder")

    def kill(self) -> None:
        """Kill -9 of the server and all of its processes."""
        if self._server is not None:
            children = Path(f"/proc/{self._server.pid}/task/{self._server.pid}/children")
            for pid in [self._server.pid, *map(int, children.read_text().split())]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._server.wait()

    def stop(self) -> None:
        """Shut it down."""
        if self._server is not None and self._server.poll() is None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait()


def free_port() -> int:
    """A port of loopback that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
