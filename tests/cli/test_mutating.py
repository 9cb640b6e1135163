"""verify --mutate: the matrix of a user's spec, its document, and what it does not go with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified.app.cli.mutating import mutate
from ldp_verified.app.cli.outcome import Outcome
from ldp_verified.language import load_file
from ldp_verified.prove import routes
from tests.cli.running import document, run

if TYPE_CHECKING:
    from pathlib import Path

COIN = '''"""A coin that keeps the answer more often than not."""

from ldp_verified.language import LDP, Matrix, Mechanism, Unbiased, exp, real

eps = real("eps", above=0)
keep, flip = exp(eps) / (exp(eps) + 1), 1 / (exp(eps) + 1)
mine = Mechanism(
    "mine",
    parameters=[eps],
    table=Matrix([[keep, flip], [flip, keep]]),
    claims=[LDP(eps, tight=True), Unbiased()],
)
'''

COUNTS_ONLY = '''"""A balanced design of which nothing but the counts is known."""

from ldp_verified.language import LDP, Design, Mechanism, exp, real

eps = real("eps", above=0)
u = exp(eps)
mine = Mechanism(
    "mine",
    parameters=[eps],
    table=Design(7, 3, 1, u / (3 * u + 4), 1 / (3 * u + 4)),
    claims=[LDP(eps, tight=True)],
)
'''


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(COIN)
    return path


def test_the_matrix_of_a_users_spec(spec: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    found = run("verify", spec, "--mutate", "--json", "--write", page)
    assert found.exit_code == Outcome.HOLDS
    assert page.read_text().startswith("# Mutation matrix\n")
    body = document(found)["mutation"]
    assert body["holds"] is True
    assert {"certificate", "enumeration", "identities"} <= set(body["checkers"])
    status = {v["change"]: v["status"] for v in body["variants"]}
    assert status["claim 1: eps/2"] == "wrong"
    assert "equivalent" in status.values()
    for each in body["variants"]:
        assert each["enough"]
        assert each["reason"] if each["status"] != "wrong" else len(each["routes"]) >= 2


def test_a_round_makes_few_variants_of_each_kind_and_says_so(spec: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    found = run("verify", spec, "--mutate", "--each", 1, "--json", "--write", page)
    kinds = [each["kind"] for each in document(found)["mutation"]["variants"]]
    assert len(kinds) == len(set(kinds)) > 3
    assert "At most 1 variants of each kind were run of: mine." in page.read_text()
    assert "at most 1 of each kind for a mechanism" in page.read_text()


def test_too_few_routes_are_a_violation(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only = {"certificate": routes.certificate}
    monkeypatch.setattr(routes, "checkers", lambda: only)
    assert mutate(list(load_file(spec)), None, False) is Outcome.VIOLATED
    shown = capsys.readouterr().out
    assert "Rejected by fewer than two independent routes" in shown
    assert "claim 1: eps/2" in shown
    assert "change names" in shown


def test_a_design_without_a_structure_is_inconclusive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One route rejects the wrong ones and no other can look: no pass, and no violation."""
    path = tmp_path / "counts.py"
    path.write_text(COUNTS_ONLY)
    assert mutate(list(load_file(path)), None, False) is Outcome.INCONCLUSIVE
    shown = capsys.readouterr().out
    assert "one route only: no structure" in shown
    assert "so that two cannot be shown" in shown


def test_what_it_does_not_go_with(spec: Path, tmp_path: Path) -> None:
    for arguments in (
        ("--mutate", "--write", tmp_path),
        ("--mutate", "--write", tmp_path / "nowhere" / "w"),
        ("--mutate", "--write-smt", tmp_path / "w"),
    ):
        found = run("verify", spec, *arguments)
        assert found.exit_code == Outcome.BAD_INPUT, arguments
        assert not (tmp_path / "w").exists()


def test_coq_that_is_missing_is_bad_input(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert run("verify", spec, "--mutate", "--coq").exit_code == Outcome.BAD_INPUT
