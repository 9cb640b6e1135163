"""Options of `audit` that a target has no use for are refused, and those that it has are taken."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from ldp_verified.app.cli import app
from ldp_verified.app.cli.audit_options import ALL, KINDS, OPENED, USES, kind_of
from ldp_verified.check.audit.targets import targets
from tests.cli.running import document, run

CLIENT = "tests.broken.audit.targets:Client(1.0, 4).privatise"
TARGETS: dict[str, tuple[str, ...]] = {
    "callable": (CLIENT, "--inputs", "0..3"),
    "protocol": ("tree_hist",),
    "program": ("--command", "no-such-program", "--inputs", "0,1"),
    "http": ("--http", "http://127.0.0.1:9/{input}", "--inputs", "0,1"),
    "file": ("reports.csv",),
    "fit": ("reports.csv", "--fit", "--as", "oue", "--inputs", "0,1"),
    "counts": ("reports.csv", "--fit", "--users", "5", "--as", "oue", "--inputs", "0,1"),
    "table": ("--table", "table.csv"),
    "configuration": ("--configuration", "flip.csv"),
}
UNUSED = {
    "callable": (
        *("--period week", "--period ever", "--per-day 0", "--concurrency 0", "--body {}"),
        *("--echo", "--bare", "--input v", "--output v", "--users 3", "--fit"),
        *("--in-process --timeout 5", "--n 1000 --period report"),
    ),
    "protocol": ("--period day", "--input v", "--echo"),
    "program": ("--bulk", "--in-process", "--outside 7", "--estimator a:b", "--concurrency 2"),
    "http": ("--echo", "--bare", "--fresh", "--repeat 1", "--variance a:b"),
    "file": (
        *("--period ever --per-day 0", "--timeout -5", "--calls 9", "--timing", "--users 5"),
        *("--anytime", "--round 2", "--in-process", "--seconds 3"),
    ),
    "fit": ("--input v", "--seed 1", "-n 1000", "--no-checks", "--outputs 0,1", "--save x.json"),
    "counts": ("--seed 1", "--anytime", "--calls 5"),
    "table": (
        *("--timeout -5", "--fresh", "--bulk", "--set k=3", "--confidence 9", "--inputs 0,1"),
        *("--period report", "--level 0.01", "--checks", "--no-checks", "--as grr", "-n 200000"),
    ),
    "configuration": ("--reading same", "--seed 3", "--echo", "--beside", "--save x.json"),
}
"""Explicit defaults are among them: whoever gives one means something by it."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports.csv").write_text("input,output\n" + "0,0\n1,1\n" * 300)
    (tmp_path / "table.csv").write_text("x,a,b\n0,2/3,1/3\n1,1/3,2/3\n")
    (tmp_path / "flip.csv").write_text("k,flip\n4,1/4\n")


def test_every_option_and_every_kind_is_in_the_table() -> None:
    group: Any = typer.main.get_command(app)
    command = group.commands["audit"]
    assert {parameter.name for parameter in command.params} == {*USES}
    for use in USES.values():
        for kinds in (use.kinds, *use.needs.values()):
            assert {*kinds} <= {*ALL}
        assert {*use.needs, *use.excludes} <= {*USES}
    assert {*TARGETS} == {*UNUSED} == {*ALL}
    sampled = {OPENED.get(kind, kind) for kind in ALL} - {"table", "configuration"}
    assert sampled == {*targets.KINDS}


@pytest.mark.parametrize(
    ("kind", "words"), [(kind, words) for kind, several in UNUSED.items() for words in several]
)
def test_an_option_without_a_use_is_refused(kind: str, words: str) -> None:
    result = run("audit", *TARGETS[kind], "--epsilon", 1, *shlex.split(words), "--json")
    assert result.exit_code == 2, result.output
    error = document(result)["error"]
    spelled = [word for word in shlex.split(words) if word.startswith("-")]
    spelled = ["--n" if word == "-n" else word for word in spelled]
    assert error["argument"] in spelled
    assert KINDS[kind] in error["message"] or "beside --in-process" in error["message"]


@pytest.mark.parametrize(
    ("kind", "words", "needed"),
    [
        ("callable", "--epsilon 1 --set k=2", "--as"),
        ("file", "--epsilon 1 --set k=2", "--as"),
        ("callable", "--confidence 3", "--interval"),
        ("callable", "--as grr", "--epsilon"),
        ("program", "--save x.json", "--epsilon"),
        ("fit", "", "--epsilon"),
        ("table", "--delta 0.5", "--epsilon"),
        ("configuration", "--period ever", "--epsilon"),
    ],
)
def test_an_option_about_another_one_needs_it(kind: str, words: str, needed: str) -> None:
    error = document(run("audit", *TARGETS[kind], *shlex.split(words), "--json"))["error"]
    assert error["argument"] == needed
    assert "must be given with" in error["message"]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("callable", "--epsilon 1 --reading bits -n 400 --timeout 20 --seed 3 --no-checks"),
        ("callable", "--epsilon 1 --as grr --set k=4 -n 400 --bulk --no-checks --in-process"),
        ("callable", "--delta 0.1 -n 400 --outputs 0..3 --no-checks --level 1e-6 --round 2"),
        ("file", "--epsilon 1 --no-checks --seed 3 -n 500 --input input --output output"),
        ("file", "--epsilon 1 --as grr --set k=2"),
        ("fit", "--epsilon 1 --level 1e-6 --output output --reading hash:operator:mod"),
        ("table", "--epsilon 1 --delta 0.1"),
        ("configuration", "--epsilon 3 --per-day 2 --period day"),
    ],
)
def test_an_option_with_a_use_is_taken(kind: str, words: str) -> None:
    """Whatever the verdict is, and whatever else is refused about the values."""
    result = run("audit", *TARGETS[kind], *shlex.split(words), "--json")
    message = document(result).get("error", {}).get("message", "")
    assert "must be left out" not in message
    assert "must be given with" not in message
    refused = kind == "fit" or "must answer some call" in message  # it takes no array of inputs
    assert result.exit_code in (0, 1, 3) or refused


def test_an_error_says_what_an_option_is_for() -> None:
    result = run("audit", *TARGETS["callable"], "--epsilon", 1, "--period", "ever")
    assert (
        "--period: must be left out for a Python callable: it is for a configuration "
        "(--configuration), got 'ever'" in result.stderr
    )


@pytest.mark.parametrize("kind", ALL)
def test_the_kind_of_a_target(kind: str) -> None:
    words = TARGETS[kind]
    name = words[0].removeprefix("--") if words[0].startswith("--") else "target"
    value = words[0] if name == "target" else words[1]
    users = 5 if "--users" in words else None
    assert kind_of({name: value}, fit="--fit" in words, users=users) == kind


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("reports.jsonl", "file", "reports.jsonl: must be .csv, .csv.gz, .parquet, .arrow or .har"),
        ("reports", "file", "reports: must be .csv, .csv.gz, .parquet, .arrow or .har"),
        ("reports.py", "callable", "TARGET: must be of the form package.module:expression"),
    ],
)
def test_a_file_of_a_kind_that_is_not_read_is_refused_as_one(
    name: str, kind: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("{}")
    assert kind_of({"target": name}, fit=False, users=None) == kind
    result = run("audit", name, "--epsilon", 1)
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr
    assert "samples to test with" not in result.stderr
