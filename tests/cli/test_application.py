"""Help, errors, exit codes, and what is imported when."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ldp_verified.app.cli import main, specs
from tests.cli.running import ROOT, document, process, run

COMMANDS = (
    *("list", "verify", "recheck", "derive", "generate", "conform", "choose", "collect", "deploy"),
)


def test_help_teaches() -> None:
    result = process("--help", COLUMNS="80")
    assert result.returncode == 0
    for command in COMMANDS:
        assert f"ldp-verified {command}" in result.stdout
    assert "Exit codes" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples_and_json(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "--json" in result.stdout
    assert f"ldp-verified {command}" in result.stdout


def test_without_a_command_the_help_is_shown() -> None:
    result = run()
    assert result.exit_code == 2
    assert "Usage" in result.output


def test_version() -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("ldp-verified")


@pytest.mark.parametrize(
    "arguments",
    [["frobnicate"], ["verify", "--frobnicate"], ["derive"], ["collect", "a.csv"]],
    ids=" ".join,
)
def test_bad_usage_exits_with_2(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "--frobnicate", "--json"],
        ["audit", "a:b", "--epsilon", "one", "--json"],
        ["frobnicate", "--json"],
    ],
    ids=" ".join,
)
def test_bad_usage_is_a_document_too(arguments: list[str]) -> None:
    done = process(*arguments)
    found = json.loads(done.stdout)
    assert (done.returncode, found["exit_code"]) == (2, 2)
    assert (found["command"], found["error"]["type"]) == (arguments[0], "UsageError")
    assert process(*arguments[:-1]).stdout == ""


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from ldp_verified.app.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'sympy', 'numpy', 'pyarrow', 'numba', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    result = process(code=code)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("error", [ZeroDivisionError, EOFError])
def test_a_fault_of_the_program_is_no_refutation(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An EOFError too, which typer takes for a user who gives up (exit 1)."""

    def fault(_: object) -> None:
        raise error

    monkeypatch.setattr(specs, "_load", fault)
    with pytest.raises(SystemExit) as caught:
        main(["derive", "grr"])
    assert caught.value.code == 70


def test_an_interrupt_is_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(specs, "_load", interrupt)
    assert run("derive", "grr").exit_code == 130


def test_a_closed_pipe_is_no_error() -> None:
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    assert reader.stdin is not None
    reader.wait()
    result = subprocess.run(
        [sys.executable, "-m", "ldp_verified", "list"],
        check=False,
        stdout=reader.stdin,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        timeout=60,
    )
    reader.stdin.close()
    assert "Traceback" not in result.stderr
    assert result.returncode == 141


def test_errors_are_one_line_and_one_document() -> None:
    result = run("derive", "no_such_mechanism", "--json")
    assert result.exit_code == 2
    error = document(result)["error"]
    assert error["type"] == "SpecError"
    assert "must be a file, or a name of the catalogue" in error["message"]
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("ldp-verified: SPEC: must be a file, or a name of the cat")
