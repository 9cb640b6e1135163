"""`generate` and `audit` of a protocol file, as a stranger runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.app.cli.outcome import Outcome
from ldp_verified.app.cli.running_protocols import is_declaration
from tests.cli.running import document, run
from tests.generate.declarations import HIERARCHY


def _file(folder: Path, price: str) -> str:
    path = folder / "hierarchy.py"
    path.write_text(HIERARCHY.replace("PRICE", price), encoding="utf-8")
    return str(path)


def test_a_module_is_written_once_it_is_verified(tmp_path: Path) -> None:
    spec, module = _file(tmp_path, "eps"), tmp_path / "module.py"
    found = run("generate", spec, "-o", str(module), "--no-coq")
    assert found.exit_code == Outcome.INCONCLUSIVE
    assert "hierarchy is proved by one group" in found.stderr
    assert not module.exists()
    accepted = ("--accept", "one-group:hierarchy")
    found = run("generate", spec, "-o", str(module), "--no-coq", *accepted)
    assert found.exit_code == Outcome.HOLDS, found.stderr
    text = module.read_text("utf-8")
    assert "# Accepted, though not proved: one-group:hierarchy" in text
    assert "class Hierarchy(DeclaredProtocol):" in text
    same = run("generate", spec, "-o", str(module), "--check", *accepted)
    assert same.exit_code == Outcome.HOLDS
    module.write_text(text.replace("whole(", "whole( "), encoding="utf-8")
    other = run("generate", spec, "-o", str(module), "--check", *accepted)
    assert other.exit_code == Outcome.VIOLATED


def test_a_price_above_the_declared_one_writes_nothing(tmp_path: Path) -> None:
    spec, module = _file(tmp_path, "2*eps"), tmp_path / "module.py"
    found = run("generate", spec, "-o", str(module), "--no-coq")
    assert found.exit_code == Outcome.INCONCLUSIVE
    assert "2*eps is above the declared eps" in found.stderr
    assert not module.exists()


def test_one_of_the_catalogue_goes_to_stdout() -> None:
    found = run("generate", "tree_hist")
    assert found.exit_code == Outcome.HOLDS
    assert "class TreeHist(DeclaredProtocol):" in found.stdout


def test_nobodys_file_is_replaced(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("precious\n", encoding="utf-8")
    found = run("generate", "tree_hist", "-o", str(mine))
    assert found.exit_code == Outcome.BAD_INPUT
    assert mine.read_text("utf-8") == "precious\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--check",), "--check: needs --output"),
        (("prefix_rounds", "-o", "/nowhere/x.py"), "--output"),
        (("prefix_rounds",), "--output: must be an existing folder for several specs"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: tuple[str, ...], said: str) -> None:
    found = run("generate", "tree_hist", *options)
    assert found.exit_code == Outcome.BAD_INPUT
    assert said in found.stderr


def test_what_users_keep_count_of_is_refused_with_the_reason() -> None:
    found = run("generate", "voted_mean")
    assert found.exit_code == Outcome.BAD_INPUT
    assert "must be sent whenever it is asked for" in found.stderr


def test_padded_sets_are_generated_and_conform() -> None:
    found = run("generate", "padded_response")
    assert found.exit_code == Outcome.HOLDS
    assert "padded_item(x, draw, self.k, self.l)" in found.stdout


def test_an_audit_refutes_a_price_that_is_too_low(tmp_path: Path) -> None:
    """Planted: the report spends 3 eps. Level 0.01 at a fixed seed; ln 20 against 1 is found."""
    options = ("--set", "levels=2", "-n", "8000", "--seed", "7", "--no-checks", "--in-process")
    right = document(run("audit", _file(tmp_path, "eps"), *options, "--json"))
    wrong = run("audit", _file(tmp_path, "3*eps"), *options, "--json")
    assert wrong.exit_code == Outcome.VIOLATED
    assert document(wrong)["verdict"] == "violated"
    assert right["verdict"] != "violated"


def test_what_is_a_declaration(tmp_path: Path) -> None:
    assert is_declaration("tree_hist")
    assert is_declaration(_file(tmp_path, "eps"))
    assert not is_declaration("grr")
    assert not is_declaration("package.module:client")
    assert not is_declaration("reports.csv")
