"""`deploy`: the descriptor on the disk, and what is refused before anything is written."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from ldp_verified.deploy import Deployment, load_deployment
from ldp_verified.protocols import LGRR, Split
from ldp_verified.run.mechanisms import GRR, Laplace
from tests.cli.running import process, run


@pytest.mark.parametrize(
    ("arguments", "deployment"),
    [
        (["grr", "--k", "50", "--epsilon", "1"], Deployment(GRR(1.0, 50))),
        (
            ["Laplace", "--epsilon", "1", "--set", "bounds=[0,100]", "--round", "2"],
            Deployment(Laplace(1.0, (0, 100)), round=2),
        ),
        (
            ["lgrr", "--k", "9", "--set", "epsilon_permanent=4", "--set", "epsilon_report=1"],
            Deployment(LGRR(4, 1, 9)),
        ),
        (
            ["split", "--epsilon", "2", "--set", "sizes=[3,4]", "--protocol", "poll"],
            Deployment(Split(2.0, (3, 4)), protocol="poll"),
        ),
    ],
)
def test_a_deployment_is_written(
    arguments: list[str], deployment: Deployment, tmp_path: Path
) -> None:
    file = tmp_path / "deployment.json"
    done = run("deploy", *arguments, "-o", str(file))
    assert done.exit_code == 0, done.stderr
    assert load_deployment(file) == deployment
    assert deployment.tag in done.stdout
    done = run("deploy", *arguments, "-o", str(file), "--json")
    assert json.loads(done.stdout)["deployment"] == deployment.tag


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["grrr", "--k", "5"], "name: must name a class"),
        (["grr", "--k", "5"], "epsilon: must be given"),
        (["grr", "--k", "1", "--epsilon", "1"], "k: must be"),
        (["grr", "--k", "5", "--epsilon", "1", "--set", "k=6"], "--set: must not give"),
        (["grr", "--k", "5", "--epsilon", "1", "--set", "g"], "--set: must be NAME=VALUE"),
        (["grr", "--k", "5", "--set", "epsilon=1", "--set", "epsilon=2"], "each name once"),
        (
            ["grr", "--k", "5", "--epsilon", "1", "--set", "\udce9=6"],
            "--set: must be text in UTF-8",
        ),
        (
            ["grr", "--k", "2", "--epsilon", "1", "--set", 'categories={"a":0,"b":1}'],
            "categories: must be",
        ),
        (
            ["grr", "--k", "2", "--set", 'epsilon={"fraction":"1/0"}'],
            "epsilon: must be",
        ),
        (["grr", "--k", "5", "--epsilon", "1", "--set", "g=2"], "g: is no argument"),
        (["grr", "--k", "5", "--epsilon", "1", "--round", "-1"], "round"),
    ],
)
def test_what_is_no_deployment_is_refused(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "deployment.json"
    done = run("deploy", *arguments, "-o", str(file))
    assert (done.exit_code, file.exists()) == (2, False)
    assert message in done.stderr


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("-", "--output: must be a file, not stdout"),
        ("missing/d.json", "--output: must lie in an existing folder"),
        ("", "--output: must be a file, not a folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_named(
    output: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("deploy", "grr", "--k", "4", "--epsilon", "1", "-o", output)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.output
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_no_fault_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Deployment, path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(Deployment, "save", full)
    done = run("deploy", "grr", "--k", "4", "--epsilon", "1", "-o", tmp_path / "d.json")
    assert done.exit_code == 2
    assert "--output: cannot be written: No space left on device, got" in done.stderr


def test_an_ascii_locale_gives_the_same_deployment(tmp_path: Path) -> None:
    file, other = tmp_path / "a.json", tmp_path / "b.json"
    arguments = ["deploy", "grr", "--k", "2", "--epsilon", "1", "--set", 'categories=["\xe9","n"]']
    assert process(*arguments, "-o", file).returncode == 0
    done = process(*arguments, "-o", other, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == other.read_bytes()
