"""The picture: what it may show, and that labels are never markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.deploy.collect import plot
from ldp_verified.deploy.collect.domain import ColumnDomain
from ldp_verified.deploy.collect.plot import check_plot_path, draw
from ldp_verified.deploy.collect.run import Collection, collect
from ldp_verified.deploy.collect.table import open_column
from ldp_verified.errors import ParameterError
from tests.collect.files import csv_file

DOMAIN = ColumnDomain(("US$ $5", "<b>&", "日本", "a" * 60, "rare"), "list")


def collection(folder: Path, compare: bool) -> Collection:
    cells = ["US$ $5"] * 700 + ["<b>&"] * 200 + ["日本"] * 90 + ["elsewhere"] * 10
    column = open_column(csv_file(folder, cells), "answer")
    return collect(column, DOMAIN.with_other(), epsilon=4.0, seed=1, compare=compare)


def svg(folder: Path, compare: bool, top: int = 20) -> str:
    path = folder / "a.svg"
    draw(collection(folder, compare), path, top)
    return path.read_text()


def test_png(tmp_path: Path) -> None:
    path = tmp_path / "A.PNG"
    draw(collection(tmp_path, compare=True), path, 20)
    assert path.read_bytes().startswith(b"\x89PNG\r\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["A.PNG", "private.csv"]


def test_labels_stand_as_they_are(tmp_path: Path) -> None:
    text = svg(tmp_path, compare=False)
    for label in ("US$ $5", "&lt;b&gt;&amp;", "日本", "a" * 27 + "…", "other"):
        assert f">{label}</text>" in text
    assert "answer: 1,000 rows, each randomized on its own by" in text
    assert "at ε = 4 (simulated randomness)" in text


def test_the_truth_is_drawn_only_when_asked_for(tmp_path: Path) -> None:
    private, compared = svg(tmp_path, compare=False), svg(tmp_path, compare=True)
    assert "true count" not in private
    assert "Simulation" not in private
    assert "true count" in compared
    assert "Simulation: the true counts are shown for comparison" in compared
    assert "2 values that no row holds:" in compared


def test_other_is_shown_wherever_it_comes(tmp_path: Path) -> None:
    text = svg(tmp_path, compare=False, top=1)
    assert "The 1 largest estimates of 6 values, and “other”" in text
    assert ">US$ $5</text>" in text
    assert ">other</text>" in text
    assert "日本" not in text


def test_the_same_result_gives_the_same_bytes(tmp_path: Path) -> None:
    assert svg(tmp_path, compare=True) == svg(tmp_path, compare=True)


def test_paths_are_checked_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder.png").mkdir()
    for path, message in (
        (tmp_path / "a.pdf", r"must end in \.png or \.svg"),
        (tmp_path / "missing" / "a.png", "must lie in an existing folder"),
        (tmp_path / "folder.png", "must be a file, not a folder"),
    ):
        with pytest.raises(ParameterError, match=f"--plot: {message}"):
            check_plot_path(path)
        with pytest.raises(ParameterError, match=f"--output: {message}"):
            check_plot_path(path, "--output")
    check_plot_path(tmp_path / "a.svg")
    check_plot_path(Path("a.png"))
    monkeypatch.setattr(plot, "find_spec", lambda _: None)
    with pytest.raises(
        ParameterError, match=r"needs matplotlib: pip install 'ldp-verified\[plot\]'"
    ):
        check_plot_path(tmp_path / "a.svg")
