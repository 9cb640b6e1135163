"""The examples of the README and of docs/ print what the page says they print."""

from __future__ import annotations

import doctest
import io
import re
import shlex
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ldp_verified.extras import EXTRAS, PARTS
from tests.cli.running import process

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def failures(text: str) -> tuple[int, str]:
    """(number of examples, what failed) over the ```python blocks of a page, run in one session."""
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", None, None)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(session, out=said.append)
    return len(session.examples), "".join(said)


def told(text: str, run: Callable[[str], str]) -> tuple[int, str]:
    """(number of commands, what failed) over the ```console blocks of a page.

    The ```python blocks run with them, in the order of the page.
    """
    session: dict[str, object] = {}
    commands, said = 0, io.StringIO()
    runner = doctest.DocTestRunner(verbose=False)
    blocks = re.findall(r"^```(python|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for kind, block in blocks:
        if kind == "python":
            examples = doctest.DocTestParser().get_doctest(block, session, "page", None, None)
            runner.run(examples, out=said.write, clear_globs=False)
            session = examples.globs
            continue
        for each in block.removeprefix("$ ").split("\n$ "):
            command, _, printed = each.partition("\n")
            commands += 1
            if (found := run(command).rstrip()) != printed.rstrip():
                said.write(f"{command}\nprints\n{found}\n")
    return commands, said.getvalue()


def printed_by(command: str) -> str:
    """What a command of ours prints, its errors included."""
    name, *arguments = shlex.split(command)
    assert name == "ldp-verified"
    result = process(*arguments, NO_COLOR="")
    return result.stdout + result.stderr


PAGES = (
    "README.md",
    "docs/budget.md",
    "docs/adversaries.md",
    "docs/central.md",
    "docs/choose.md",
    "docs/classes.md",
    "docs/engines.md",
    "docs/estimates.md",
    "docs/exact-sampling.md",
    "docs/first-survey.md",
    "docs/large-domains.md",
    "docs/malicious.md",
    "docs/numbers.md",
    "docs/over-time.md",
    "docs/pair-table.md",
    "docs/protocols.md",
    "docs/queries.md",
    "docs/recheck.md",
    "docs/several-attributes.md",
    "docs/states.md",
    "docs/unknown-words.md",
    "docs/your-own-mechanism.md",
)

WITH_COMMANDS = ("docs/personalised.md", "docs/sets.md")
"""Pages whose commands read what the page writes: they run in an empty folder."""


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_the_commands_of_a_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands, failed = told((ROOT / page).read_text(encoding="utf-8"), printed_by)
    assert commands > 0
    assert not failed, failed


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples, failed = failures((ROOT / page).read_text(encoding="utf-8"))
    assert examples > 0
    assert not failed, failed


@pytest.mark.parametrize("page", PAGES + WITH_COMMANDS)
def test_every_python_block_shows_its_output(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert all(block.startswith(">>> ") for block in blocks)


def brought(extra: str) -> set[str]:
    """The packages that an extra installs, with those of the extras that it names."""
    found = set()
    for need in PROJECT["optional-dependencies"].get(extra, ()):
        name, _, more = need.partition("[")
        if name == PROJECT["name"]:
            found |= {each for other in more.rstrip("]").split(",") for each in brought(other)}
        else:
            found.add(re.split(r"[<>=~!]", name)[0].replace("scikit-learn", "sklearn"))
    return found


def uninstalled(text: str) -> list[str]:
    """What the examples of a page import that no extra which the page names installs."""
    named = re.findall(r"ldp-verified\[(\w+)\]", text)
    there = {package for extra in named for package in brought(extra)}
    blocks = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    found = set()
    for name in re.findall(r"^(?:>>> )?(?:from|import) ([\w.]+)", blocks, re.MULTILINE):
        own = name.removeprefix("ldp_verified.").split(".") if "." in name else []
        needed = [p for n in (1, 2) for p in PARTS.get(".".join(own[:n]), ())]
        needed += [name] if EXTRAS.get(name) else []
        found |= {f"{name} needs {package}" for package in needed if package not in there}
    return sorted(found)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_what_its_examples_need(page: str) -> None:
    assert uninstalled((ROOT / page).read_text(encoding="utf-8")) == []


def test_what_no_extra_of_the_page_installs_is_noticed() -> None:
    text = (
        "```python\n>>> from ldp_verified.analysis.utility import bound\n>>> import polars\n```\n"
    )
    missing = [f"ldp_verified.analysis.utility needs {each}" for each in ("scipy", "sympy")]
    assert uninstalled(text) == [*missing, "polars needs polars"]
    assert uninstalled(text + "`ldp-verified[verify]`") == ["polars needs polars"]
    assert uninstalled(text + "`ldp-verified[all]` and `ldp-verified[polars]`") == []


def test_a_wrong_output_is_found() -> None:
    right = "```python\n>>> x = 2\n```\n\ntext\n\n```python\n>>> x + x\n4\n```\n"
    assert failures(right) == (2, "")
    assert "Expected:\n    5" in failures(right.replace("4", "5"))[1]


def test_a_wrong_output_of_a_command_is_found() -> None:
    page = "```python\n>>> x = 'a'\n```\n\n```console\n$ say a\na\n$ say b\nb\n```\n"
    assert told(page, lambda command: command[-1]) == (2, "")
    assert told(page, lambda _: "a")[1] == "say b\nprints\na\n"
    assert "Expected:" in told("```python\n>>> 1 + 1\n3\n```\n", str)[1]
