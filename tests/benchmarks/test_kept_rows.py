"""Rows of audits of packages: kept, made again where old, and never made of local faults."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from examples.audits import audits, installs, peer
from examples.audits.apart import LocalError, apart, descendants
from examples.audits.cases import HERE, Case, cases
from examples.audits.installs import InstallError, blamed
from examples.audits.one import lost
from examples.audits.rests import bare, hashed, today
from examples.audits.rows import BEGIN, END, KEPT, Key, Row, page, read, table, with_row, write
from ldp_verified.check.audit.results.results import AuditOutcome, AuditPlan, AuditResult

CELLS = ("1", "consistent", "0.900", "the value", "none")
KEY = Key("aa", "bb", 10, 1e-6)
ONE, TWO = Row("one", KEY, CELLS), Row("two", KEY, CELLS)
RUN = "ldp_verified.check.audit.run"
PYTHON = [sys.executable, "-c"]


class Audits:
    """Counts the audits that are asked for; those of some names fail."""

    def __init__(self, failing: dict[str, Exception] | None = None) -> None:
        self.asked: list[str] = []
        self.failing = failing or {}

    def __call__(self, case: Case, n: int) -> audits.Made:
        self.asked.append(case.name)
        if case.name in self.failing:
            raise self.failing[case.name]
        cells = (*CELLS[:2], f"0.{n}", *CELLS[3:])
        return {"cells": cells, "passed": (RUN,), "loaded": ("ldp_verified.scalars",)}


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    shown = tmp_path / "RESULTS.md"
    shown.write_text(f"before\n{BEGIN}\n{END}\nafter\n", encoding="utf-8")
    return {"kept": tmp_path / "rows.jsonl", "shown": shown}


def reported(name: str, texts: Sequence[str]) -> bool:
    """Whether an upstream report's title names the package and version, and its text the client."""
    package, version, *client = name.split(", ")[0].split(" ")
    words = [word.replace("-", "_") for word in client if word != "as"]
    titles = [text for text in texts if package in text.partition("\n")[0]]
    return any(version in text and all(word in text for word in words) for text in titles)


def test_every_violation_of_a_package_has_an_upstream_report() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (HERE / "upstream").glob("*.md")]
    violated = [row.name for row in read(KEPT) if row.cells[1:2] == ("violated",)]
    packages = [name for name in violated if not name.startswith("client.")]
    assert len(packages) > 15
    assert [name for name in packages if not reported(name, texts)] == []
    assert not reported("diffprivlib 0.6.7 Laplace", texts)
    assert not reported("pure-ldp 1.2.0 SUE", [text for text in texts if "1.1.2" not in text])


WANTED = list(cases())[:3]
NAMES = [case.name for case in WANTED]


def test_a_row_whose_key_holds_is_not_made_again(places: dict[str, Path]) -> None:
    first, again, more = Audits(), Audits(), Audits()
    audits.run(WANTED, 10, **places, audit=first)
    audits.run(WANTED, 10, **places, audit=again)
    audits.run(WANTED, 20, **places, audit=more)
    assert (first.asked, again.asked, more.asked) == (NAMES, [], NAMES)
    assert {row.cells[2] for row in read(places["kept"])} == {"0.20"}


def test_the_oldest_row_is_made_first(places: dict[str, Path]) -> None:
    audits.run([WANTED[2]], 10, **places, audit=Audits())
    audits.run([WANTED[0]], 10, **places, audit=Audits())
    again = Audits()
    audits.run(WANTED, 20, **places, audit=again)
    assert again.asked == [NAMES[1], NAMES[2], NAMES[0]]


def test_a_dying_auditor_stops_the_run_and_leaves_no_row(places: dict[str, Path]) -> None:
    """What was made before it is kept, and the next run goes on there."""
    dying = Audits({NAMES[1]: LocalError("the auditor ended with -9")})
    with pytest.raises(LocalError, match="ended with -9"):
        audits.run(WANTED, 10, **places, audit=dying)
    assert [row.name for row in read(places["kept"])] == NAMES[:1]
    assert NAMES[1] not in places["shown"].read_text(encoding="utf-8")
    again = Audits()
    audits.run(WANTED, 10, **places, audit=again)
    assert again.asked == NAMES[1:]


def test_a_package_that_cannot_be_installed_keeps_its_old_row_and_says_so(
    places: dict[str, Path],
) -> None:
    audits.run(WANTED[:1], 10, **places, audit=Audits())
    gone: dict[str, Exception] = {
        name: InstallError("No matching distribution found") for name in NAMES[:2]
    }
    audits.run(WANTED, 20, **places, audit=Audits(gone))
    rows = {row.name: row for row in read(places["kept"])}
    assert rows[NAMES[0]].cells[2] == "0.10"
    assert rows[NAMES[0]].key.n == 10
    assert rows[NAMES[1]].cells == ()
    shown = places["shown"].read_text(encoding="utf-8")
    assert shown.count("could not be made again: No matching distribution found") == 2
    assert "old: " in shown
    again = Audits()  # it is tried again, until it can be installed
    audits.run(WANTED, 20, **places, audit=again)
    assert sorted(again.asked) == sorted(NAMES[:2])


def test_old_rows_are_marked_and_counted() -> None:
    new = replace(KEY, auditor="cc")
    told = table([ONE, replace(TWO, key=new)], {"one": new, "two": new, "three": new})
    assert "2 of 3 audits, 1 of the auditor" in told
    assert "| one | 1 | consistent | 0.900 | the value | none | old: aa, n = 10 |" in told
    assert "| two | 1 | consistent | 0.900 | the value | none | cc, n = 10 |" in told
    assert "| aa | 10 | 1e-06 | 1 |" in told
    assert "| of today | 10 | 1e-06 | 1 |" in told


def test_a_line_that_was_being_written_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write(path, [ONE, TWO])
    whole = path.read_bytes()
    lengths = len(whole.splitlines(keepends=True)[0])
    for cut in range(lengths, len(whole)):
        path.write_bytes(whole[:cut])
        assert read(path) == [ONE]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[10:],
        lambda text: text.replace('"n": 10', '"m": 10', 1),
        lambda text: text.replace('"consistent", ', "", 1),
        lambda text: text.replace('"consistent"', "0", 1),
        lambda text: text + text,
        lambda text: "\n" + text,
    ],
)
def test_other_damage_stops_the_run(tmp_path: Path, damage: Callable[[str], str]) -> None:
    path = tmp_path / "rows.jsonl"
    write(path, [ONE, TWO])
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(LocalError, match=r"rows\.jsonl:"):
        read(path)


def test_rows_that_cannot_be_written_leave_the_old_ones(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write(path, [ONE])
    bad = Row("two", KEY, (*CELLS[:4], object()))  # type: ignore[arg-type]  # an object that no file takes
    with pytest.raises(TypeError):
        write(path, with_row([ONE], bad))
    assert read(path) == [ONE]


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(LocalError, match="must have the lines"):
        page("rows were here", "rows")


def test_a_key_is_of_the_sources_the_client_and_the_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = next(each for each in cases() if "pure-ldp" in each.command)
    key = audits.key(case, 10, "aa")
    assert key == audits.key(case, 10, "aa")
    others = {
        audits.key(case, 11, "aa"),
        audits.key(case, 10, "ab"),
        audits.key(replace(case, decimals=3), 10, "aa"),
    }
    monkeypatch.setattr(audits, "pinned", lambda _: ["pure-ldp==0"])
    assert len(others | {key, audits.key(case, 10, "aa")}) == 5
    (tmp_path / "a.py").write_text("1", encoding="utf-8")
    before = hashed(tmp_path)
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert hashed(tmp_path) != before


SOURCE = """from a import b
LIMIT = 3
class C:
    width: int = 4
    def f(self, x=1):
        "Say it."
        return x + LIMIT
"""


@pytest.mark.parametrize(
    ("old", "new", "ran", "loaded"),
    [
        ("Say it.", "Say it better.", True, True),
        ("LIMIT = 3", "LIMIT =  3  # because", True, True),
        ("LIMIT = 3", "LIMIT = 4", False, False),
        ("width: int = 4", "width: int = 5", False, False),
        ("x=1", "x=2", False, False),
        ("return x + LIMIT", "return x - LIMIT", False, True),
    ],
)
def test_a_row_holds_until_something_changes_that_it_rests_on(
    tmp_path: Path, old: str, new: str, ran: bool, loaded: bool
) -> None:
    """Of a module that was only loaded, the bodies of functions are not that."""
    names, changed = ("p.m", "p"), tmp_path / "changed"
    for folder, text in ((tmp_path, SOURCE), (changed, SOURCE.replace(old, new))):
        (folder / "p").mkdir(parents=True)
        (folder / "p" / "__init__.py").write_text("", encoding="utf-8")
        (folder / "p" / "m.py").write_text(text, encoding="utf-8")
    assert (today(names, (), tmp_path) == today(names, (), changed)) is ran
    assert (today((), names, tmp_path) == today((), names, changed)) is loaded
    (changed / "p" / "m.py").unlink()
    assert today((), names, tmp_path) != today((), names, changed)


def test_a_kept_row_is_old_once_its_modules_change(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    audits.run(WANTED, 10, **places, audit=Audits())
    again = Audits()
    monkeypatch.setattr(audits, "today", lambda *_: "another")
    audits.run(WANTED, 10, **places, audit=again)
    assert again.asked == NAMES


def test_a_watched_audit_says_what_it_ran(tmp_path: Path) -> None:
    """A rule that has not been asked was only loaded; nothing that decides is missing."""
    script = tmp_path / "truth.py"
    script.write_text(
        "import sys\nfor line in sys.stdin:\n print(1, flush=True)\n", encoding="utf-8"
    )
    case = next(each for each in cases() if each.name == "client.c mended")
    words = [sys.executable, "-m", "examples.audits.watched", case.name]
    told = json.loads(apart([*words, f"{sys.executable} {script}", "200", "0.01"]))
    decides = {
        f"ldp_verified.check.audit.{name}" for name in ("run", "events.learn", "bounds.bounds")
    }
    assert decides <= {*told["passed"]}
    assert "ldp_verified.check.audit.targets.har" in told["loaded"]
    assert not {*told["passed"]} & {*told["loaded"]}
    assert not any("ldp_verified.app" in name for name in told["passed"] + told["loaded"])


def test_both_kinds_of_function_lose_their_bodies() -> None:
    kept = "def f():\n    pass\n\nasync def g():\n    pass"
    assert bare("def f(): return 1\nasync def g(): return 2", False) == kept


@pytest.mark.parametrize(
    "told",
    [
        "ERROR: No matching distribution found for pure-ldp==1.2.0",
        "error: subprocess-exited-with-error\nERROR: Failed building wheel for x",
        "npm error code E404\nnpm error 404 Not Found - GET jstat",
    ],
)
def test_a_package_that_is_gone_is_blamed(told: str) -> None:
    assert isinstance(blamed(_failed(1, told)), InstallError)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (1, "OSError: [Errno 28] No space left on device"),
        (1, "NewConnectionError: retrying\nERROR: No matching distribution found for x"),
        (1, "Failed building wheel\nc++: fatal error: Killed signal terminated program cc1plus"),
        (1, "BlockingIOError: [Errno 11] Resource temporarily unavailable"),
        (1, "npm error code EAI_AGAIN"),
        (1, "npm error code ENOSPC"),
        (1, ""),
        (1, "something that nobody has seen"),
        (-9, "ERROR: No matching distribution found for x"),
    ],
)
def test_this_machine_is_blamed_otherwise(code: int, told: str) -> None:
    assert isinstance(blamed(_failed(code, told)), LocalError)


def _failed(code: int, told: str) -> subprocess.CalledProcessError:
    return subprocess.CalledProcessError(code, ["pip"], stderr=told)


def test_an_installer_that_cannot_start_is_a_local_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    case = next(each for each in cases() if "{npm}" in each.command)
    monkeypatch.setattr(installs, "_npm", full)
    with pytest.raises(LocalError, match="temporarily unavailable"):
        installs.made(case)


def test_a_missing_answer_is_no_row() -> None:
    plan = AuditPlan(10, 1.0, None, (), "")
    result = AuditResult("x", (0, 1), 1.0, 0.0, 1e-6, "fixed", (5, 5), 0, (), plan, 0.2)
    told = AuditOutcome("no answer (exit code -9)", (0, 1), (5, 5))
    raised = AuditOutcome("raised ValueError", (5, 5), (5, 5))
    assert lost(replace(result, outcomes=(raised, told))) == told.words
    assert lost(replace(result, outcomes=(raised,))) == ""


def test_a_fault_of_the_machine_is_no_answer_of_a_client(tmp_path: Path) -> None:
    """The program that speaks for a package ends; what the package raises is an answer."""
    (tmp_path / "clients").mkdir()
    raising = " def f(v):\n  raise [ValueError, MemoryError, OSError][v]('x')\n"
    source = f"def _m(e, k):\n{raising} return f\nCLIENTS = {{'m': _m}}\n"
    (tmp_path / "clients" / "of_planted.py").write_text(source, encoding="utf-8")
    script = tmp_path / "peer.py"
    script.write_bytes(Path(peer.__file__).read_bytes())
    words, codes = [sys.executable, str(script), "planted", "m", "1", "3"], []
    for value in range(3):
        run = partial(subprocess.run, words, capture_output=True, text=True, check=False)
        done = run(input=f"{value}\n")
        codes.append((done.returncode, done.stdout))
    assert codes == [(0, '{"error": "ValueError: x"}\n'), (1, ""), (1, "")]


def test_what_an_audit_wrote_comes_back() -> None:
    assert json.loads(apart([*PYTHON, "print([1, 2])"])) == [1, 2]


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("import os; os.kill(os.getpid(), 9)", "ended with -9"),
        ("raise MemoryError('none left')", "none left"),
        ("import sys; sys.exit(3)", "ended with 3"),
    ],
)
def test_an_auditor_that_dies_is_a_local_fault(source: str, rule: str) -> None:
    with pytest.raises(LocalError, match=rule):
        apart([*PYTHON, source])


def test_an_auditor_that_cannot_start_or_does_not_end_is_a_local_fault() -> None:
    with pytest.raises(LocalError, match="could be started"):
        apart(["/nothing/here"])
    with pytest.raises(LocalError, match="no end after"):
        apart([*PYTHON, "import time; time.sleep(600)"], seconds=0.5)


BOMB = """
import os, sys, time
for _ in range(40):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
        os._exit(0)
time.sleep(float(sys.argv[1]))
"""


@pytest.mark.parametrize("stays", [0, 600])
def test_a_target_that_leaves_processes_behind_loses_them(stays: int) -> None:
    """Whether they are too many while it runs, or are there after it has ended."""
    before = set(descendants())
    words = [*PYTHON, BOMB, str(stays)]
    if stays:
        with pytest.raises(LocalError, match="more than 20 processes"):
            apart(words, most=20)
    else:
        apart(words)
    assert not set(descendants()) - before
    assert os.getpid() not in descendants()
