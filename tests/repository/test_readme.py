"""The examples of the README and of docs/ print what the page says they print."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def failures(text: str) -> tuple[int, str]:
    """(number of examples, what failed) over the ```python blocks of a page, run in one session."""
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", None, None)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(session, out=said.append)
    return len(session.examples), "".join(said)


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
    "docs/personalised.md",
    "docs/protocols.md",
    "docs/queries.md",
    "docs/recheck.md",
    "docs/several-attributes.md",
    "docs/states.md",
    "docs/unknown-words.md",
    "docs/your-own-mechanism.md",
)


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples, failed = failures((ROOT / page).read_text(encoding="utf-8"))
    assert examples > 0
    assert not failed, failed


@pytest.mark.parametrize("page", PAGES)
def test_every_python_block_shows_its_output(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert all(block.startswith(">>> ") for block in blocks)


def test_a_wrong_output_is_found() -> None:
    right = "```python\n>>> x = 2\n```\n\ntext\n\n```python\n>>> x + x\n4\n```\n"
    assert failures(right) == (2, "")
    assert "Expected:\n    5" in failures(right.replace("4", "5"))[1]
