"""The commands that pages print are commands of a shell and of ours, and those of the tasks run.

A reader types them as they stand, in a folder that holds nothing but the files that the page gives.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer

from ldp_verified.app.cli import app
from tests.cli.running import run

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"^(?: {4})?(ldp-verified (?:.*\\\n)*.*)$", re.MULTILINE)
"""A line of a block of code that begins with our command, and the lines that continue it."""

GROUP: Any = typer.main.get_command(app)


def commands(text: str) -> list[str]:
    """The commands of a page, without what a comment or a column beside them says."""
    found = COMMAND.findall(text)
    return [re.sub(r"\s{2,}(?=#)#.*$", "", each.replace("\\\n", " ")).strip() for each in found]


def faults(command: str) -> list[str]:
    """What a shell or our command line finds wrong with a line, without running it."""
    syntax = subprocess.run(
        ["bash", "-n", "-c", command], capture_output=True, text=True, timeout=60, check=False
    )
    if syntax.returncode:
        return [f"{command}: {syntax.stderr.strip()}"]
    _, *words = shlex.split(command, comments=True)
    if not words or words[0].startswith("-"):
        return []
    meant = GROUP
    while words and hasattr(meant, "commands") and not words[0].startswith("-"):
        name, *words = words
        if name not in meant.commands:
            return [f"{command}: no such command"]
        meant = meant.commands[name]
    known = {opt for p in meant.params for opt in (*p.opts, *p.secondary_opts)}
    asked = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    return [f"{command}: no option {each}" for each in asked if each not in {*known, "--help"}]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_prints_can_be_typed(page: Path) -> None:
    lines = [c for c in commands(page.read_text(encoding="utf-8")) if "COMMAND" not in c]
    assert [fault for line in lines for fault in faults(line)] == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("ldp-verified audit lib:C(eps=1).f --epsilon 1", "syntax error"),
        ("ldp-verified nosuch grr", "no such command"),
        ("ldp-verified verify grr --nosuch", "no option --nosuch"),
    ],
)
def test_what_cannot_be_typed_is_noticed(line: str, fault: str) -> None:
    assert commands(f"text\n\n    {line}\n") == [line]
    assert fault in "".join(faults(line))


def given(page: str, name: str) -> str:
    """The file of a page that it says to save under a name: the next block of code."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(rf"`{re.escape(name)}`[.:]\s+```(?:\w*)\n(.*?)```", text, re.DOTALL)
    assert found, f"{page}: has no block for {name}"
    return found[1]


@pytest.mark.parametrize("page", ["choose.md", "devices.md"])
def test_the_commands_of_a_task_run_one_after_the_other(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = commands((ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert len(lines) >= 7
    for line in lines:
        _, *words = shlex.split(line, comments=True)
        if words[0] == "conform" or "wasm" in words:
            continue  # tests of clients do that, with the page's program
        done = run(*words)
        assert done.exit_code == 0, (line, done.output)


def test_a_mechanism_of_ones_own_as_the_page_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = given("your-own-mechanism.md", "coin.py")
    Path("coin.py").write_text(text)
    done = run("verify", "coin.py", "--no-coq")
    assert done.exit_code == 3
    assert "9 obligations: 9 proved by one group" in done.output
    assert run("verify", "coin.py", "--no-coq", "--accept", "one-group").exit_code == 0
    Path("coin.py").write_text(text.replace("LDP(log(3), tight=True)", "LDP(log(2))"))
    assert "ratio = 3" in run("verify", "coin.py", "--no-coq").output


def test_a_mechanism_from_a_paper_as_the_page_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = given("your-own-mechanism.md", "paper.py")
    Path("paper.py").write_text(text)
    assert run("verify", "paper.py", "--no-coq", "--accept", "one-group").exit_code == 0
    slip = text.replace("zero=1 / (u + 1)", "zero=1 / (2 * u + 1)")
    assert slip != text
    Path("paper.py").write_text(slip)
    done = run("verify", "paper.py", "--no-coq", "--json")
    assert done.exit_code == 1
    verdicts = json.loads(done.stdout)["mechanisms"][0]["verdicts"]
    assert {v["obligation"] for v in verdicts if v["status"] == "refuted"} >= {"ratio", "variance"}
    assert "derived tight epsilon" in run("verify", "paper.py", "--no-coq").output


def test_an_audit_as_the_page_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slip makes eps 1.39, 100,000 samples; a right client is called violated at level 1e-9."""
    monkeypatch.chdir(tmp_path)
    text = given("audit.md", "mylib.py")
    (line,) = [c for c in commands((ROOT / "docs/audit.md").read_text()) if "Client(" in c]
    _, *words = [*shlex.split(line), "--level", "1e-9"]
    for module, lie, code in (
        ("mylib", "random.randrange(self.d)", 1),
        ("mended", "(value + 1 + random.randrange(self.d - 1)) % self.d", 0),
    ):
        assert "random.randrange(self.d)" in text
        Path(f"{module}.py").write_text(text.replace("random.randrange(self.d)", lie))
        done = run(*[word.replace("mylib", module) for word in words])
        assert done.exit_code == code, done.output
