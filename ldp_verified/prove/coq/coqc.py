"""Running coqc: one file with a hard time-out, or all files in the order of their imports."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from ldp_verified.errors import SpecError
from ldp_verified.prove.coq.scan import ScanFinding, imports

FOLDERS = {"lib": "LDP", "generated": "Mechanisms"}
WORKERS = 2
_PLACE = re.compile(r'File "([^"]+)", line (\d+)')


def coqc_available() -> bool:
    """Return whether `coqc` is on the path."""
    return shutil.which("coqc") is not None


def coq_version() -> str:
    """The version of coqc.

    Raises:
        SpecError: there is none.
    """
    if not coqc_available():
        raise SpecError("coqc", "is not installed: nothing was checked by Coq's kernel")
    run = subprocess.run(
        ["coqc", "--print-version"], capture_output=True, text=True, timeout=60, check=True
    )
    return run.stdout.split()[0]


def module_name(file: str) -> str:
    """lib/Sums.v -> LDP.Sums."""
    folder, name = file.split("/")
    return f"{FOLDERS[folder]}.{Path(name).stem}"


def run_coqc(
    build_dir: Path, file: str, limit: float, stop: threading.Event | None = None
) -> tuple[int, str]:
    """Exit status (124: out of time, or stopped) and output of coqc.

    Nothing it started outlives the limit, or `stop` by more than a moment.
    """
    command = ["coqc", "-Q", ".", ""]
    for folder, logical in FOLDERS.items():
        command += ["-Q", folder, logical]
    process = subprocess.Popen(
        [*command, file],
        cwd=build_dir,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output = _waited(process, time.monotonic() + limit, stop)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    if output is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return 124, f"took more than {limit:.3g} s"
    return process.returncode, output


def _waited(process: subprocess.Popen[str], end: float, stop: threading.Event | None) -> str | None:
    """The output of a process, or None where it is still running at the end, or at `stop`."""
    while True:
        left = max(0.0, end - time.monotonic())
        try:
            return process.communicate(timeout=left if stop is None else min(left, 0.1))[0]
        except subprocess.TimeoutExpired:
            if not left or (stop is not None and stop.is_set()):
                return None


NO_ANSWER = (
    "Out of memory",
    "Stack overflow",
    "Cannot find a physical path",
    "Cannot load",
    "Can't find file",
    "makes inconsistent assumptions over library",
)
"""Complaints of coqc that are about the machine or its installation, not about the text."""


def is_answer(status: int, output: str) -> bool:
    """Return whether coqc refused the text: it ran to its end and found the files it needs."""
    stopped = status < 0 or status == 124 or status > 128
    return not stopped and not any(text in output for text in NO_ANSWER)


def first_error(file: str, output: str) -> ScanFinding:
    """Return the first error that coqc reported, with its line in the file."""
    lines = output.strip().splitlines()
    places = [i for i, line in enumerate(lines) if _PLACE.search(line)]
    if not places:
        return ScanFinding(file, 0, " ".join(lines)[:500] or "coqc failed without a word")
    place = _PLACE.search(lines[places[-1]])
    assert place is not None
    message = " ".join(line.strip() for line in lines[places[-1] + 1 :])
    return ScanFinding(file, int(place.group(2)), message[:500])


def compile_all(
    build_dir: Path,
    files: list[str],
    limit: float,
    tell: Callable[[int], None] = lambda _: None,
) -> tuple[dict[str, float], list[ScanFinding]]:
    """Compile all files, each after what it imports.

    Args:
        build_dir: where they lie.
        files: their paths below it.
        limit: seconds for each file.
        tell: called with the number of files that are done with, whenever it grows.

    Returns:
        Seconds per file, and what failed.
    """
    library = {Path(name).stem: name for name in files if name.startswith("lib/")}
    needs = {
        name: {library[i] for i in imports(build_dir / name) if i in library} for name in files
    }
    seconds: dict[str, float] = {}
    failures: list[ScanFinding] = []
    failed: set[str] = set()

    def compile_one(name: str) -> ScanFinding | None:
        start = time.perf_counter()
        status, output = run_coqc(build_dir, name, limit)
        seconds[name] = time.perf_counter() - start
        return None if status == 0 else first_error(name, output)

    waiting, done = list(files), set[str]()
    running: dict[Future[ScanFinding | None], str] = {}
    with ThreadPoolExecutor(WORKERS) as pool:
        while waiting or running:
            for name in [n for n in waiting if needs[n] <= done | failed]:
                waiting.remove(name)
                blocked = sorted(needs[name] & failed)
                if blocked:
                    failed.add(name)
                    failures.append(ScanFinding(name, 0, f"not compiled: it needs {blocked[0]}"))
                else:
                    running[pool.submit(compile_one, name)] = name
            if not running:
                if waiting and not any(needs[n] <= done | failed for n in waiting):
                    failures += [ScanFinding(n, 0, "imports go in a circle") for n in waiting]
                    break
                continue
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                name = running.pop(future)
                finding = future.result()
                if finding is None:
                    done.add(name)
                else:
                    failed.add(name)
                    failures.append(finding)
            tell(len(done) + len(failed))
    return seconds, failures
