"""`examples/telemetry`: nothing that arrives stops the server, and no day counts twice."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.protocols import LOLOHA
from ldp_verified.run.mechanisms import GRR, Piecewise

ROOT = Path(__file__).resolve().parents[2]
MADE = {
    "browser": Deployment(GRR(1.0, 4)),
    "language": Deployment(LOLOHA(2, 1, 3, categories=("de", "en", "fr"))),
    "minutes": Deployment(Piecewise(2.0, (0, 60))),
}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    folder = tmp_path / "deployments"
    folder.mkdir()
    for name, made in MADE.items():
        made.save(folder / f"{name}.json")
    return folder


def started(script: str, *words: str | Path) -> subprocess.Popen[str]:
    """A script of the example while it runs."""
    command = [sys.executable, str(ROOT / "examples" / "telemetry" / script), *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment)


def ran(script: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """What a script of the example does."""
    with started(script, *words) as run:
        shown, wrong = run.communicate(timeout=120)
        return subprocess.CompletedProcess(run.args, run.returncode, shown, wrong)


def served(published: Path, day: str, lines: bytes) -> str:
    """What the server prints of a day's file. It must end well."""
    arrived = published.parent / day
    arrived.write_bytes(lines)
    found = ran("server.py", published, counted(published), arrived)
    assert found.returncode == 0, found.stderr
    return found.stdout


def counted(published: Path) -> Path:
    return published.parent / "counted"


def lines_of(users: int) -> bytes:
    """A line of each kind of report of so many users."""
    found = []
    for _ in range(users):
        found.append(b"browser " + MADE["browser"].client().report(1).hex().encode())
        found.append(b"minutes " + MADE["minutes"].client().report(30.0).hex().encode())
        device = MADE["language"].device(new_user=True)
        found.append(b"language " + device.report("en").hex().encode())
    return b"\n".join(found) + b"\n"


def counts(published: Path) -> list[int]:
    return [
        made.load_collector(counted(published) / name, implausible=True).n
        for name, made in MADE.items()
    ]


def test_a_liar_is_seen_and_does_not_stop_the_server(published: Path) -> None:
    """6,000 equal reports: the file that the server wrote itself is read on the next day."""
    made = MADE["browser"]
    same = made.mechanism.reports(np.zeros(6000, np.uint8), simulated=False)
    lies = b"".join(b"browser " + each.hex().encode() + b"\n" for each in made.to_bytes(same))
    assert "doubted: " not in served(published, "day0", lines_of(2))
    assert "doubted: " in served(published, "day1", lines_of(2) + lies)
    assert "doubted: " in served(published, "day2", lines_of(2))
    assert counts(published) == [6006, 6, 6]


def test_lines_of_any_bytes_are_refused_alone(published: Path) -> None:
    strange = [b"browser \xff\xfe", b"\xff 00", b"\xc3 \xc3", b"", b"browser", b"browser \x00"]
    strange += [b"browser 0\xc2\xb2", b"x" * 100_000, b"../counted 00", b"minutes 00 00"]
    shown = served(published, "day1", b"\n".join(strange) + b"\n" + lines_of(1))
    assert shown.count("refused: ") == len(strange)
    assert counts(published) == [1, 1, 1]


def test_a_day_that_was_cut_off_is_counted_once(published: Path) -> None:
    """A crash after each of the saves, and a second run of a day that was counted."""
    first, second = lines_of(2), lines_of(3)
    served(published, "day1", first)
    before = {name: (counted(published) / name).read_bytes() for name in MADE}
    served(published, "day2", second)
    for lost in range(len(MADE) + 1):
        for name in [*MADE][lost:]:
            (counted(published) / name).write_bytes(before[name])
        shown = served(published, "day2", second)
        assert shown.count("counted before") == lost
        assert counts(published) == [5, 5, 5]
    assert served(published, "day1", first).count("counted before") == 3
    served(published, "day3", first)
    assert counts(published) == [7, 7, 7]


def test_of_two_runs_at_a_time_no_day_is_lost(published: Path) -> None:
    """The first has read what was counted, and waits for its day; the second could be faster."""
    days = [published.parent / day for day in ("day1", "day2")]
    os.mkfifo(days[0])
    days[1].write_bytes(lines_of(3))
    folder = counted(published)
    with ExitStack() as stack:
        runs = [stack.enter_context(started("server.py", published, folder, days[0]))]
        first = stack.enter_context(days[0].open("wb"))  # when it is opened there
        runs.append(stack.enter_context(started("server.py", published, folder, days[1])))
        with suppress(subprocess.TimeoutExpired):
            runs[1].wait(5)
        first.write(lines_of(2))
        first.close()
        assert [each.wait(120) for each in runs] == [0, 0]
    assert counts(published) == [5, 5, 5]


@pytest.mark.parametrize("of", ["day1", "day2"])
def test_a_batch_with_the_hash_of_a_day_stops_no_day(published: Path, of: str) -> None:
    """Its id is chosen by whoever sends it: it wiped out the later day, or kept its own unsaved."""
    made = MADE["browser"]
    chosen = sha256(of.encode()).digest()[:16]
    batch = made.to_batch(made.mechanism.privatize([0]), batch_id=chosen)
    evil = b"browser " + batch.hex().encode() + b"\n"
    assert "refused: " in served(published, "day1", lines_of(2) + evil)
    assert "counted before" not in served(published, "day2", lines_of(3))
    assert counts(published) == [5, 5, 5]


def test_a_folder_without_deployments_counts_nothing(tmp_path: Path) -> None:
    """Each line was "malformed", and the exit code 0."""
    day = tmp_path / "day1"
    day.write_bytes(lines_of(1))
    found = ran("server.py", tmp_path / "nodep", tmp_path / "counted", day)
    assert found.returncode == 1
    assert "nothing was counted and saved" in found.stderr
    assert found.stdout.count("refused: no deployment named ") == 3
    assert not (tmp_path / "counted").exists()


def test_a_folder_of_other_deployments_is_named_and_saves_nothing(published: Path) -> None:
    """A day that was marked as counted in it would not be counted again in the right one."""
    (published / "browser.json").unlink()
    day = published.parent / "day1"
    day.write_bytes(b"".join(b"browser 00\n" for _ in range(3)))
    found = ran("server.py", published, counted(published), day)
    assert found.returncode == 1
    assert found.stdout.count("refused: no deployment named 'browser'\n") == 3
    assert str(published) in found.stderr
    assert not counted(published).exists()


def test_a_day_without_reports_is_counted(published: Path) -> None:
    assert served(published, "day1", b"").count("counted before") == 0
    assert served(published, "day1", lines_of(1)).count("counted before") == 3


def test_a_name_of_a_line_is_shown_short_and_without_control_characters(published: Path) -> None:
    shown = served(published, "day1", b"\x1b[2J" + b"x" * 1000 + b" 00\n" + lines_of(1))
    assert "no deployment named '\\x1b[2J" in shown
    assert "\x1b" not in shown
    assert "x" * 50 not in shown


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        (("x", "35.5", "de"), "browser: must be a number"),
        (("7", "35.5", "de"), "browser: must be an integer in 0..3"),
        (("2", "y", "de"), "minutes: must be a number"),
        (("2", "nan", "de"), "minutes: must be in 0.0..60.0"),
        (("2", "35.5", "zz"), "language: must be one of the categories"),
    ],
)
def test_a_device_prints_no_report_before_all_values_are_good(
    published: Path, values: tuple[str, str, str], rule: str
) -> None:
    """What was printed had cost its epsilon; a traceback showed the value."""
    kept = published.parent / "device.json"
    found = ran("device.py", published, kept, *values)
    assert (found.returncode, found.stdout, found.stderr) == (1, "", rule + "\n")
    assert not kept.exists()


def test_a_device_prints_a_line_for_each_report(published: Path) -> None:
    kept = published.parent / "device.json"
    found = ran("device.py", published, kept, "2", "35.5", "de")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert sorted(line.split()[0] for line in found.stdout.splitlines()) == sorted(MADE)
    shown = served(published, "day1", found.stdout.encode())
    assert "refused" not in shown
    assert counts(published) == [1, 1, 1]
