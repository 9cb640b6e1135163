"""Where an engine is missing, one line says what to install."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from ldp_verified.deploy.engines.installed import engine

if TYPE_CHECKING:
    from pathlib import Path


def test_an_engine_that_is_there_is_given() -> None:
    assert engine("json.decoder", "json").__name__ == "json.decoder"


@pytest.mark.parametrize("module", ["an_engine_of_nobody", "an_engine_of_nobody.sql"])
def test_a_missing_engine_is_named_with_its_extra(module: str) -> None:
    with pytest.raises(
        ImportError, match=r"^this engine needs an_engine_of_nobody: pip install "
    ) as said:
        engine(module, "spark")
    assert str(said.value).endswith("'ldp-verified[spark]'")


def test_what_an_engine_itself_lacks_is_not_our_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_an_engine.py").write_text("import its_missing_part\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'its_missing_part'"):
        engine("half_an_engine", "spark")
    assert "half_an_engine" not in sys.modules
