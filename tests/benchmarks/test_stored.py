"""Stored ratios: read from the page, compared with a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import benchmarks.__main__ as command
from benchmarks import stored
from benchmarks.limits import ratios
from benchmarks.run import AIMS, Results
from benchmarks.spread import summary
from benchmarks.stored import halved, stored_ratios

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).parents[2] / "benchmarks" / "RESULTS.md"


def run(**medians: float) -> Results:
    results = Results()
    for name, median in medians.items():
        results.ratios[name, "client"] = summary([median])
    return results


def test_the_page_has_every_ratio_that_is_aimed_at() -> None:
    found = stored_ratios(PAGE.read_text(encoding="utf-8"))
    assert set(AIMS) <= set(found)
    assert found["OLH", "server"] > 1000


def test_a_ratio_that_halves_or_is_gone_is_named() -> None:
    page = f"# Page\n\n{ratios(run(GRR=3000.0, OLH=9.0, SUE=4.0))}\n| GRR | client | 1 (1-1) |\n"
    assert halved(page, run(GRR=1501.0, OLH=5.0, SUE=40.0)) == []
    (one,) = halved(page, run(GRR=1400.0, OLH=9.0, SUE=4.0))
    assert one.startswith("GRR, client: 3000 times the peer before, now 1")
    (gone,) = halved(page, run(GRR=3000.0, OLH=9.0))
    assert gone == "SUE, client: 4 times the peer before, now None"


def test_a_page_without_ratios_is_refused() -> None:
    with pytest.raises(ValueError, match="no table of ratios"):
        stored_ratios("# Page")


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Runs the command, which measures the ratio that is given and plots nothing."""
    output, kept = tmp_path / "RESULTS.md", tmp_path / "build" / "kept"
    for module in (command, stored):
        monkeypatch.setattr(module, "KEPT", kept)
    monkeypatch.setattr(command, "plot", lambda _, path: path.write_text("a picture"))
    monkeypatch.setattr(command, "page", lambda results, *_: f"# Page\n\n{ratios(results)}")
    for stage in ("startup", "short_jobs", "memory", "scaling", "exchange"):
        monkeypatch.setattr(command, stage, lambda *_: None)

    def run_with(ratio: float, *arguments: str) -> Path:
        def throughput(results: Results, rounds: int, step: Callable[[str], None]) -> None:
            step(f"{rounds} rounds")
            results.ratios["GRR", "client"] = summary([ratio])

        monkeypatch.setattr(command, "throughput", throughput)
        monkeypatch.setattr(sys, "argv", ["benchmarks", f"--output={output}", *arguments])
        command.main()
        return output

    return run_with


def test_a_page_whose_ratios_halved_is_kept_until_it_is_accepted(
    asked: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    output = asked(3000.0)
    before = output.read_text()
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        asked(1000.0)
    assert stopped.value.code == 1
    assert output.read_text() == before
    said = capsys.readouterr().err
    kept = output.parent / "build" / "kept" / "RESULTS.md"
    assert f"ratios that halved (--accept stores the new page, {kept}):\nGRR, client: 3000" in said
    assert said.startswith("3 rounds\n")  # no terminal, so a line for each step
    asked(9.0, "--accept")  # measures nothing
    assert stored_ratios(output.read_text()) == {("GRR", "client"): 1000.0}
    assert output.with_name("growth.svg").read_text() == "a picture"
    with pytest.raises(SystemExit) as stopped:
        asked(9.0, "--accept")
    assert stopped.value.code == 2
    assert f"--accept: no run kept {kept}" in capsys.readouterr().err


def test_a_page_that_is_stored_leaves_none_to_be_accepted(asked: Callable[..., Path]) -> None:
    asked(3000.0)
    with pytest.raises(SystemExit):
        asked(1000.0)
    output = asked(2500.0)
    assert stored_ratios(output.read_text()) == {("GRR", "client"): 2500.0}
    with pytest.raises(SystemExit):
        asked(1.0, "--accept")
    assert stored_ratios(output.read_text()) == {("GRR", "client"): 2500.0}
