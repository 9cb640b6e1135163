"""The example's modules, and a folder with its page and descriptor."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = Path(__file__).parents[2] / "examples" / "survey"


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    """The modules of the example."""
    sys.path.insert(0, str(EXAMPLE))
    try:
        yield import_module("make_page"), import_module("collector")
    finally:
        sys.path.remove(str(EXAMPLE))
        for name in ("make_page", "collector"):
            sys.modules.pop(name, None)


@pytest.fixture
def folder(example: Any, tmp_path: Path) -> Path:
    """The page and the descriptor."""
    making, _ = example
    (tmp_path / "index.html").write_text(making.page_text(), encoding="utf-8")
    making.deployment().save(tmp_path / "survey.json")
    return tmp_path
