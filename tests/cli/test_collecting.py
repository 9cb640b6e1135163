"""collect: options, outputs, errors, and the demo."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ldp_verified.app.cli import demo
from ldp_verified.deploy.collect import plot as plotting
from ldp_verified.deploy.collect.choose import makers
from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.seeds import word_source
from tests.cli.running import document, process, run
from tests.collect.files import csv_file

if TYPE_CHECKING:
    from pathlib import Path

CELLS = ["yes", "no", "no", "unsure"] * 25


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return csv_file(tmp_path, CELLS)


def collect(
    file: Path, *more: object, domain: str = "yes,no,unsure", epsilon: float = 1
) -> list[object]:
    options = ["--column", "answer", "--epsilon", epsilon, "--domain", domain]
    return ["collect", file, *options, *more]


def test_the_estimates_are_those_of_privatize_and_aggregate(private: Path) -> None:
    found = document(run(*collect(private, "--mechanism", "olh", "--seed", 9, "--json")))
    mechanism = makers()["olh"](1.0, 3)
    codes = [("yes", "no", "unsure").index(cell) for cell in CELLS]
    source = word_source(9, "collect", "answer", *mechanism.identity.named)
    expected = mechanism.aggregate(mechanism.privatize(codes, source), simulated=True).estimate()
    assert [e["estimate"] for e in found["estimates"]] == expected.counts.tolist()
    assert (found["simulated"], found["seed"], found["plot"]) == (True, 9, None)


def test_a_run_as_a_user_starts_it(private: Path) -> None:
    result = process(*collect(private), NO_COLOR="")
    assert (result.returncode, result.stderr) == (0, "")
    assert "answer of private.csv: 100 rows" in result.stdout
    assert "randomness: secure" in result.stdout
    assert "\x1b" not in result.stdout
    assert not any(line.endswith(" ") for line in result.stdout.splitlines())


def test_collect_needs_no_sympy(private: Path) -> None:
    code = (
        "import sys; from ldp_verified.app.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as end: assert end.code == 0, end.code\n"
        "sys.exit('sympy was loaded' if 'sympy' in sys.modules else 0)"
    )
    result = process(*collect(private, "--compare"), code=code)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_plot_is_written_and_named_on_stderr(private: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    result = run(*collect(private, "--plot", path, "--json", "--compare"))
    assert result.exit_code == 0
    assert document(result)["plot"] == str(path)
    assert result.stderr == f"plot: {path}\n"
    assert path.read_text().startswith("<?xml")


def test_a_plot_that_fails_does_not_lose_the_estimates(
    private: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise ParameterError("a.svg", "cannot be written: No space left on device")

    monkeypatch.setattr(plotting, "draw", full)
    result = run(*collect(private, "--plot", tmp_path / "a.svg", "--json"))
    assert result.exit_code == 2
    found = document(result)
    assert found["plot"] is None
    assert len(found["estimates"]) == 3
    assert "No space left on device" in result.stderr


@pytest.mark.parametrize(
    "more, message",
    [
        (["--epsilon", "0"], "epsilon: must be a number > 0 and finite"),
        (["--epsilon", "inf"], "epsilon: must be a number > 0 and finite"),
        (["--level", "0"], "--level: must be a number between 0 and 1"),
        (["--seed", "-1"], "--seed: must be an integer >= 0"),
        (["--column", "nothing"], "has no column 'nothing' among its 2; does"),
        (["--domain", "yes"], "--domain: there is no file 'yes'; a list needs at least two values"),
        (["--plot", "a.pdf"], r"--plot: must end in .png or .svg"),
        (["--domain", "yes,no"], "column answer: holds values that are not among the 2"),
        (["--mechanism", "rappor"], "--mechanism"),
        (["--top", "0"], "--top"),
        (["--unknown", "drop"], "--unknown"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_bad_input_exits_with_2_and_writes_nothing(
    private: Path, tmp_path: Path, more: list[str], message: str
) -> None:
    before = sorted(tmp_path.iterdir())
    result = run(*collect(private, *more))
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("lacking", ["--column", "--epsilon", "--domain"])
def test_an_option_that_lacks_is_named(private: Path, lacking: str) -> None:
    given = collect(private)
    place = given.index(lacking)
    result = run(*given[:place], *given[place + 2 :])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"ldp-verified: {lacking}: must be given")


@pytest.mark.parametrize("option", [["--cut"], ["--length", "3"], ["--clusters", "c"]])
def test_options_of_sets_and_places_do_not_go_with_a_column(
    private: Path, option: list[str]
) -> None:
    result = run(*collect(private, *option))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{option[0]}: goes with" in result.stderr


def test_a_file_that_is_no_table_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_bytes(b"")
    for name in ("empty.csv", "missing.csv", "."):
        result = run(*collect(tmp_path / name))
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"ldp-verified: {tmp_path / name}: ")
        assert result.stderr.count("\n") == 1


def test_rows_that_do_not_fit_become_other_when_asked_for(private: Path) -> None:
    options = ["--unknown", "other", "--compare", "--json"]
    found = document(run(*collect(private, *options, domain="yes,unsure")))
    assert [e["value"] for e in found["estimates"]] == ["yes", "unsure", "other"]
    assert [e["true_count"] for e in found["estimates"]] == [25, 25, 50]
    assert found["comparison"]["rows_outside_domain"] == 50


def test_the_demo_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "find_spec", lambda _: None)
    with pytest.raises(SystemExit) as caught:
        demo.demo()
    assert caught.value.code == 2


def test_the_demo_collects_the_flights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    demo.demo()
    text, told = capsys.readouterr()
    assert text.startswith("$ ldp-verified collect ")
    assert text.count("\n") <= 60
    assert re.search(r"\ngrr +proved", text)
    assert "Recorded by earlier runs in proofs/transcript.json, and not run now" in text
    assert re.search(r"\n +[1-9]\d* mechanisms", text)
    assert re.search(r"\n +[1-9]\d* theorems", text)
    assert "dest of flights.csv.zip: 336,776 rows" in text
    assert "domain: 1,458 values (airports.csv:faa)" in text
    assert '7,602 rows hold none of the values, reported as "other"' in text
    assert "plot: demo-output/destinations.png\n" in told
    assert (tmp_path / "demo-output" / "destinations.png").stat().st_size > 10_000
