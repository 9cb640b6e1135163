"""`--set NAME=VALUE` is read alike by every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.app.cli.settings import read_settings
from ldp_verified.errors import ParameterError
from tests.cli.running import run

COMMANDS: list[tuple[str, ...]] = [
    ("deploy", "grr", "--epsilon", "1", "-o", "d.json"),
    ("plot", "tradeoff", "grr", "-o", "t.svg"),
    ("derive", "grr", "--delta-at", "1"),
    ("generate", "grr", "--language", "c", "--epsilon", "1", "-o", "c.h"),
    ("conform", "--client", "true", "grr", "--epsilon", "1"),
    ("audit", "builtins:abs", "--epsilon", "1", "--inputs", "0..3", "--as", "grr"),
]


def test_values_are_kept_as_they_were_typed() -> None:
    given = ["k=3", " g = 1=2 ", "bounds=[0, 1]", "\N{GREEK SMALL LETTER ALPHA}="]
    assert read_settings(given) == {
        "k": "3",
        "g": " 1=2 ",
        "bounds": "[0, 1]",
        "\N{GREEK SMALL LETTER ALPHA}": "",
    }
    assert read_settings(None) == read_settings([]) == {}


@pytest.mark.parametrize("settings", [["k"], ["=3"], ["k k=3"], ["k=3", "k=4"], ["k=3", " k =3"]])
def test_what_is_no_setting_is_refused(settings: list[str]) -> None:
    with pytest.raises(ParameterError, match=r"^--set: must be NAME=VALUE, each name once, got"):
        read_settings(settings)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^--set: must be text in UTF-8, got"):
        read_settings(["\udce9=6"])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_no_command_takes_a_name_twice(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*command, "--set", "k=4", "--set", "k=5")
    assert done.exit_code == 2, done.output
    assert "--set: must be NAME=VALUE, each name once, got 'k=5'" in done.stderr
    assert list(tmp_path.iterdir()) == []
