"""`plot` writes a whole picture or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified import OUE
from ldp_verified.deploy.collect.plan import users_for_quantile, users_to_detect
from tests.cli.running import ROOT, document, run


def test_variance_marks_its_crossing(tmp_path: Path) -> None:
    path = tmp_path / "v.svg"
    result = run("plot", "variance", "--against", "k", "--epsilon", 1, "-o", path, "--json")
    assert result.exit_code == 0
    found = document(result)
    (crossing,) = [c for c in found["crossings"] if (c["before"], c["after"]) == ("grr", "oue")]
    assert crossing["at"] == pytest.approx(10.1548, abs=1e-4)
    assert crossing["once"]
    assert not crossing["best"]  # subset selection is below both
    assert {"subset_selection", "pgr"} <= set(found["mechanisms"])
    text = path.read_text()
    assert "k = 10.15" in text
    for name in ("grr", "oue", "olh"):
        assert f">{name}</text>" in text


@pytest.mark.parametrize(("command", "says"), [("tradeoff", "trade-off"), ("loss", "privacy loss")])
def test_one_mechanism(command: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "p.svg"
    result = run("plot", command, "grr", "--set", "eps=1", "--set", "k=5", "-o", path, "--json")
    found = document(result)
    assert found["epsilon"] == pytest.approx(1)
    assert sum(found["pairs"][0]["probability"]) == pytest.approx(1)
    assert f"grr: {says}" in path.read_text()


def test_png(tmp_path: Path) -> None:
    path = tmp_path / "p.png"
    assert run("plot", "loss", "oue", "--set", "eps=1", "-o", path).exit_code == 0
    assert path.read_bytes().startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("variance", "-o", "x.gif"), "--output: must end in .png or .svg"),
        (("variance", "-o", "x.svg", "--n", "1.5"), "--n: must be a whole number"),
        (("variance", "-o", "x.svg", "--low", "5", "--high", "2"), "below --high"),
        (("variance", "-o", "x.svg", "--high", "inf"), "--high: must be below 300, got inf"),
        (
            ("variance", "-o", "x.svg", "--against", "k", "--high", "inf"),
            "--high: must be a finite",
        ),
        (("loss", "grr", "-o", "x.svg"), "must give eps"),
        (("loss", "grr", "-o", "x.svg", "--set", "eps"), "must be NAME=VALUE"),
    ],
)
def test_bad_input_writes_nothing(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("plot", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert not list(tmp_path.iterdir())


def test_the_loss_of_numbers_is_that_of_the_class(tmp_path: Path) -> None:
    target = tmp_path / "loss.png"
    found = document(run("plot", "loss", "duchi", "--set", "eps=1", "-o", target, "--json"))
    assert found["epsilon"] == pytest.approx(1)
    (pair,) = found["pairs"]
    assert pair["loss"] == pytest.approx([1, -1])
    assert pair["probability"] == pytest.approx([0.731058578, 0.268941421])
    assert target.stat().st_size > 0


@pytest.mark.parametrize(
    "spec, settings, message",
    [
        ("duchi", ["eps=1", "b=1"], "--set: must give eps and nothing else"),
        (
            str(ROOT / "examples/specs/two_steps.py"),
            ["eps=1"],
            "SPEC: must be a table with finitely many outputs, or a class",
        ),
    ],
)
def test_what_numbers_have_no_loss_to_draw(
    spec: str, settings: list[str], message: str, tmp_path: Path
) -> None:
    given = [part for setting in settings for part in ("--set", setting)]
    result = run("plot", "loss", spec, *given, "-o", tmp_path / "loss.png")
    assert result.exit_code == 2
    assert message in result.output


def test_users_by_epsilon(tmp_path: Path) -> None:
    path = tmp_path / "u.svg"
    asked = ("plot", "users", "--k", 20, "--target-error", 0.02, "-o", path)
    found = document(run(*asked, "--json"))
    oue = found["users"]["oue"]
    assert len(oue) == len(found["epsilon"]) == 24
    assert oue == sorted(oue, reverse=True)
    text = path.read_text()
    assert "within 0.02" in text
    assert ">grr, keep_or_uniform</text>" in text
    assert run(*asked, "--low", 3, "--high", 2).exit_code == 2


def test_users_for_other_questions(tmp_path: Path) -> None:
    path = tmp_path / "u.svg"
    asked = ("plot", "users", "--k", 20, "-o", path, "--low", 1, "--high", 2)
    for options, title, first in (
        (("--detect-share", 0.05), "a share 0.05 stands out", users_to_detect(OUE(1.0, 20), 0.05)),
        (
            ("--target-error", 0.02, "--quantile", 0.5),
            "share below quantile 0.5 of 20",
            users_for_quantile(OUE(1.0, 20), 0.02),
        ),
    ):
        found = document(run(*asked, *options, "--json"))
        assert found["users"]["oue"][0] == first.users
        assert title in path.read_text()
    wrong: list[tuple[tuple[object, ...], str]] = [
        ((), "--target-error: give exactly one of"),
        (("--detect-share", 0.05, "--quantile", 0.5), "--quantile: goes with --target-error only"),
        (("--target-error", 2), "--target-error: must be a share below 1"),
    ]
    for refused, message in wrong:
        result = run(*asked, *refused)
        assert (result.exit_code, message in result.output) == (2, True)


def test_a_wish_that_nothing_fulfils_is_not_drawn(tmp_path: Path) -> None:
    path = tmp_path / "u.png"
    wish = ("--k", 1000, "--target-error", 0.000001, "--low", 0.1, "--high", 0.5, "-o", path)
    done = run("plot", "users", *wish)
    assert (done.exit_code, path.exists()) == (1, False)
    assert done.stderr.startswith("Nothing does this: no number of users up to 10,000,000,000 is")
    assert document(run("plot", "users", *wish, "--json"))["users"]
