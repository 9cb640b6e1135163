"""list, verify, derive: specs of the catalogue and of a user's own, exit codes, certificates."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ldp_verified import prove
from ldp_verified.cli.outcome import Outcome
from ldp_verified.cli.specs import judge
from ldp_verified.language import Mechanism, load_catalogue
from ldp_verified.prove import Status, Verdict, Verification
from tests.cli.running import document, process, run

if TYPE_CHECKING:
    from collections.abc import Sequence

MINE = '''"""A coin that keeps the answer with probability 3/4."""

from ldp_verified.language import LDP, Matrix, Mechanism, Rational, log

print("reading mine")
keep = Rational(3, 4)
mine = Mechanism(
    "mine",
    parameters=[],
    table=Matrix([[keep, 1 - keep], [1 - keep, keep]]),
    claims=[LDP(log({ratio}), tight=True)],
)
'''


def verdict(status: Status) -> Verification:
    return Verification("m", "", "", (Verdict(0, "", "ratio", status, ()),))


@pytest.mark.parametrize(
    "statuses, outcome",
    [
        ([Status.PROVED], Outcome.HOLDS),
        ([Status.PROVED, Status.ENUMERATED], Outcome.INCONCLUSIVE),
        ([Status.PROVED, Status.ONE_GROUP], Outcome.INCONCLUSIVE),
        ([Status.PROVED, Status.OPEN], Outcome.INCONCLUSIVE),
        ([Status.ASSUMED], Outcome.INCONCLUSIVE),
        ([Status.SAMPLED], Outcome.INCONCLUSIVE),
        ([Status.OPEN, Status.REFUTED, Status.PROVED], Outcome.VIOLATED),
    ],
)
def test_the_exit_code_is_that_of_the_worst(statuses: Sequence[Status], outcome: Outcome) -> None:
    assert judge([verdict(status) for status in statuses])[0] is outcome


def test_a_mechanism_without_verdicts_is_no_pass() -> None:
    assert judge([Verification("m", "", "", ())])[0] is Outcome.INCONCLUSIVE


def test_list_names_the_catalogue() -> None:
    names = [m.name for m in load_catalogue()]
    assert [m["name"] for m in document(run("list", "--json"))["mechanisms"]] == names
    shown = run("list").stdout
    assert all(name in shown for name in names)


def test_verify_of_a_catalogue_name() -> None:
    (mechanism,) = document(run("verify", "warner", "--no-coq", "--json"))["mechanisms"]
    assert (mechanism["name"], mechanism["holds"]) == ("warner", False)
    assert mechanism["needs"] == ["proved by one group"]


def test_a_user_s_own_file_is_verified_and_what_it_prints_is_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MINE.format(ratio=3))
    result = process("verify", path, "--no-coq", "--json", "--accept", "one-group:mine")
    assert result.returncode == 0
    assert result.stdout.startswith("{\n")
    assert result.stderr == "reading mine\n"


def test_a_false_claim_exits_with_1_and_a_witness(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MINE.format(ratio=2))
    result = process("verify", path, "warner", "--no-coq")
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    table, below = result.stdout.split("\nRefuted\n")
    assert "mine        ratio" in table
    assert "mine, ratio:" in below
    (mechanism,) = document(run("verify", path, "--no-coq", "--json"))["mechanisms"]
    refuted = [v for v in mechanism["verdicts"] if v["status"] == "refuted"]
    assert refuted
    assert all(v["witness"]["values"] for v in refuted if v["obligation"] == "ratio")


def test_without_coqc_one_loud_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = run("verify", "warner")
    assert result.exit_code == 3
    assert run("verify", "warner", "--accept", "one-group").exit_code == 0
    assert [line for line in result.stderr.splitlines() if "NO KERNEL CHECK" in line]
    assert "coq" not in result.stdout
    assert "proved by one group" in result.stdout
    assert "NO KERNEL CHECK" not in run("verify", "warner", "--no-coq").stderr


def test_coq_that_is_asked_for_and_missing_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = run("verify", "warner", "--coq")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--coq: needs coqc on the path" in result.stderr


def test_inconclusive_exits_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(_: Mechanism, **_options: object) -> Verification:
        return verdict(Status.OPEN)

    monkeypatch.setattr(prove, "verify", undecided)
    result = run("verify", "warner")
    assert result.exit_code == 3
    assert "Open: no checker decided it, or checkers disagree" in result.stdout


@pytest.mark.parametrize(
    "text, message",
    [
        ("x = 1", "declares no Mechanism at its top level"),
        ("x = (", "is not Python"),
        ("1 / 0", "ZeroDivisionError"),
        ("import sys; sys.exit(0)", "SystemExit"),
    ],
)
def test_a_file_that_is_no_table_exits_with_2(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    for command in ("verify", "derive"):
        result = run(command, path)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr
        assert str(path) in result.stderr


def test_nothing_is_verified_before_every_spec_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_: Mechanism, **_options: object) -> Verification:
        raise AssertionError("a spec was verified")

    monkeypatch.setattr(prove, "verify", never)
    assert run("verify", "warner", "missing.py").exit_code == 2


def test_certificates_are_written_when_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "certificates"
    assert run("verify", "warner", "--no-coq", "--write", folder).exit_code == 3
    assert [p.name for p in folder.iterdir()] == ["warner.json"]
    assert (
        prove.certificate_drift([m for m in load_catalogue() if m.name == "warner"], folder) == []
    )


def test_verify_writes_nothing_unasked(tmp_path: Path) -> None:
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        result = run("verify", "warner", "--no-coq")
    finally:
        os.chdir(before)
    assert list(tmp_path.iterdir()) == []
    assert result.exit_code == 3
    assert "refuted" not in result.stdout
    assert "gamma = 1/4: x = 0, x' = 1, y = 0, 3/4 against 1/4\n" in result.stdout


def test_a_folder_that_cannot_be_written_is_refused_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_: Mechanism, **_options: object) -> Verification:
        raise AssertionError("a spec was verified")

    monkeypatch.setattr(prove, "verify", never)
    (tmp_path / "file").write_text("")
    result = run("verify", "warner", "--write", tmp_path / "file" / "folder")
    assert result.exit_code == 2
    assert "--write: cannot be made a folder" in result.stderr
    (tmp_path / "mine.py").write_text(MINE.format(ratio=3))
    (tmp_path / "copy.py").write_text(MINE.format(ratio=4))
    result = run("verify", tmp_path / "mine.py", tmp_path / "copy.py", "--write", tmp_path / "out")
    assert result.exit_code == 2
    assert "--write: needs mechanisms of different names" in result.stderr


def test_derive_shows_the_facts() -> None:
    result = run("derive", "grr")
    assert result.exit_code == 0
    assert "exp(eps)/(k + exp(eps) - 1)" in result.stdout
    (grr,) = document(run("derive", "grr", "--json"))["mechanisms"]
    assert grr["facts"]["q*"]["text"] == "1/(k + exp(eps) - 1)"
