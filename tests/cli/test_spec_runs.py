"""A spec file that ends the process has proved nothing, whatever the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.app.cli.spec_runs import refuse_ending, spec_named
from ldp_verified.errors import SpecError
from ldp_verified.run import mechanisms
from tests.cli.running import ROOT, process, run

GRR = (ROOT / "spec" / "grr.py").read_text(encoding="utf-8")
PROTOCOL = "# Protocol\n"
ENDINGS = {
    "exit": "import os\nos._exit(0)\n",
    "other program": "import os\nos.execv('/bin/true', ['true'])\n",
    "signal": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "a child stays": "import os, time\nif os.fork() == 0:\n    time.sleep(3)\nos._exit(0)\n",
}
"""What ends a process -> lines of a spec file."""


@pytest.mark.parametrize("command", ["verify", "derive", "generate", "conform", "catalogue"])
def test_a_file_that_ends_with_0_is_no_pass(command: str, tmp_path: Path) -> None:
    spec = tmp_path / "mine.py"
    spec.write_text(PROTOCOL + GRR + ENDINGS["exit"], encoding="utf-8")
    more = ["--output", tmp_path / "page.md"] if command == "catalogue" else []
    done = process(command, spec, *more)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "must run to its end" in done.stderr


@pytest.mark.parametrize("lines", ENDINGS.values(), ids=ENDINGS)
def test_whatever_ends_the_process_is_refused(lines: str, tmp_path: Path) -> None:
    spec = tmp_path / "mine.py"
    spec.write_text(GRR + lines, encoding="utf-8")
    with pytest.raises(SpecError, match="must run to its end"):
        refuse_ending(["grr", str(spec)])


@pytest.mark.parametrize("lines", ["", "raise SystemExit(0)\n", "1 +\n", "raise ValueError\n"])
def test_other_files_are_left_to_who_loads_them(
    lines: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of those that raise the loader says where; what they print is printed once."""
    spec = tmp_path / "mine.py"
    spec.write_text(f"print('once')\n{GRR}{lines}", encoding="utf-8")
    refuse_ending([str(spec), "no_such_name", str(tmp_path)])
    assert capfd.readouterr() == ("", "")


def test_no_descriptor_and_no_child_is_left(tmp_path: Path) -> None:
    """In a process that has neither of other tests."""
    spec = tmp_path / "mine.py"
    spec.write_text(GRR, encoding="utf-8")
    code = """
import os, sys
from pathlib import Path
from ldp_verified.app.cli.spec_runs import refuse_ending
before = sorted(os.listdir("/proc/self/fd"))
refuse_ending(sys.argv[1:] * 3)
assert sorted(os.listdir("/proc/self/fd")) == before
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("none")
"""
    done = process(spec, code=code)
    assert done.stdout == "none\n", done.stderr


def test_every_class_names_its_spec(tmp_path: Path) -> None:
    for name in mechanisms.__all__:
        made = getattr(mechanisms, name)
        assert spec_named(name) == spec_named(name.upper()) == spec_named(made.name), name
    assert spec_named("PrefixExtending") == "prefix_extending"
    assert spec_named("no_such") == "no_such"
    spec = tmp_path / "GRR"
    spec.write_text(GRR, encoding="utf-8")
    assert spec_named(str(spec)) == str(spec)


@pytest.mark.parametrize(
    "words",
    [
        ("derive", "HadamardResponse"),
        ("verify", "OUE", "--no-coq", "--accept", "one-group", "--summary"),
        ("verify", "PrefixExtending", "--no-coq", "--accept", "one-group"),
        ("conform", "GRR"),
        ("generate", "GRR", "--check"),
        (
            "audit",
            "operator:index",
            "--as",
            "GRR",
            "--inputs",
            "0..1",
            "--epsilon",
            "0.5",
            "-n",
            "2000",
        ),
    ],
    ids=" ".join,
)
def test_commands_take_the_name_of_a_class(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == (1 if words[0] == "audit" else 0), result.stderr
