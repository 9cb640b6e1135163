"""list, verify, derive: specs of the catalogue and of a user's own, exit codes, certificates."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ldp_verified import prove
from ldp_verified.app.cli.outcome import Outcome
from ldp_verified.app.cli.specs import judge
from ldp_verified.language import Mechanism, load_catalogue
from ldp_verified.prove import Status, Verdict, Verification, several
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.coq import kernel, reflection
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
    listed = [m["name"] for m in document(run("list", "--json"))["mechanisms"]]
    assert sorted(listed) == sorted(names)
    assert listed[:2] == ["grr", "oue"]
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


def test_the_seed_of_the_drawn_points_is_shown_and_gives_them_again() -> None:
    (first,) = document(run("verify", "warner", "--no-coq", "--json"))["mechanisms"]
    seed = first["drawn_points"].rpartition(" ")[2]
    assert len(seed) == 32
    (again,) = document(run("verify", "warner", "--no-coq", "--json", "--points-seed", seed))[
        "mechanisms"
    ]
    assert again["drawn_points"] == first["drawn_points"]
    (other,) = document(run("verify", "warner", "--no-coq", "--json"))["mechanisms"]
    assert other["drawn_points"] != first["drawn_points"]
    shown = run("verify", "warner", "--no-coq", "--points-seed", "5eed").stdout
    assert "drawn with the seed 5eed" in " ".join(shown.split())


@pytest.mark.parametrize("options", [["--points-seed", "x"], ["--points-seed", "5", "--mutate"]])
def test_a_wrong_seed_of_points_is_told_by_the_option_s_name(options: list[str]) -> None:
    result = run("verify", "warner", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--points-seed" in result.stderr


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


def test_that_coq_was_not_asked_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Newcomers read "not accepted: proved by one group" and exit code 3 as a refutation."""

    def said(*arguments: object) -> str:
        result = run("verify", *arguments)
        assert result.exit_code == (0 if "one-group" in arguments else 3), result.stderr
        return " ".join(result.stderr.split())

    monkeypatch.setattr("ldp_verified.prove.coq.coqc.coqc_available", lambda: True)
    assert "Nothing is wrong: " in said("warner", "--no-coq")
    assert "To pass, leave out --no-coq, or accept" in said("warner", "--no-coq", "--json")
    assert "Nothing is wrong" not in said("warner", "--no-coq", "--accept", "one-group")
    monkeypatch.setattr("ldp_verified.prove.coq.coqc.coqc_available", lambda: False)
    assert "To pass, install Coq (the package coq) and leave" in said("warner", "--no-coq")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(MINE.format(ratio=2), encoding="utf-8")
    assert "Nothing is wrong" not in run("verify", wrong, "--no-coq").stderr


def test_coq_that_is_asked_for_and_missing_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = run("verify", "warner", "--coq")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--coq: needs coqc on the path" in result.stderr


def fixed(*results: Verification) -> object:
    """A `verify` that knows the answer."""
    known = {result.mechanism: result for result in results}
    return lambda mechanism, **_options: known[mechanism.name]


@pytest.mark.parametrize("tool", ["with coqc", "without coqc"])
@pytest.mark.parametrize(
    "status, accepted, code",
    [
        (Status.PROVED, [], 0),
        (Status.ONE_GROUP, [], 3),
        (Status.ONE_GROUP, ["one-group"], 0),
        (Status.ONE_GROUP, ["one-group:warner"], 0),
        (Status.ONE_GROUP, ["enumerated:warner"], 3),
        (Status.ENUMERATED, [], 3),
        (Status.ENUMERATED, ["enumerated:warner"], 0),
        (Status.ENUMERATED, ["one-group"], 3),
        (Status.ASSUMED, [], 3),
        (Status.ASSUMED, ["assumed:warner"], 0),
        (Status.OPEN, ["one-group", "enumerated:warner", "assumed:warner"], 3),
        (Status.REFUTED, ["one-group", "enumerated:warner", "assumed:warner"], 1),
        (Status.PROVED, ["enumerated:warner"], 2),
        (Status.PROVED, ["enumerated:grr"], 2),
        (Status.PROVED, ["open:warner"], 2),
        (Status.PROVED, ["one-group"], 0),
    ],
)
def test_exit_codes_of_what_is_less_than_proved(
    monkeypatch: pytest.MonkeyPatch, tool: str, status: Status, accepted: list[str], code: int
) -> None:
    if tool == "without coqc":
        monkeypatch.setenv("PATH", "")
    result = Verification("warner", "", "", (Verdict(0, "", "ratio", status, ()),))
    monkeypatch.setattr(several, "verify", fixed(result))
    options = [word for text in accepted for word in ("--accept", text)]
    said = run("verify", "warner", *options)
    assert said.exit_code == code, said.stdout + said.stderr
    if code == 2:
        assert accepted[0] in said.stderr
    if code == 0 and status is not Status.PROVED:
        assert accepted[0] in said.stdout.splitlines()[-1]


def test_the_document_names_what_is_accepted_and_what_is_stale(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = Verification("warner", "", "", (Verdict(0, "", "ratio", Status.ONE_GROUP, ()),))
    monkeypatch.setattr(several, "verify", fixed(result))
    words = ("--accept", "one-group:warner", "--accept", "assumed:warner", "--json")
    found = document(run("verify", "warner", *words))
    assert found["exit_code"] == 2
    assert found["stale"] == ["assumed:warner"]
    (mechanism,) = found["mechanisms"]
    assert mechanism["needs"] == ["proved by one group"]
    assert mechanism["accepted"] == ["one-group:warner"]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_proof_beside_a_witness_exits_with_70_and_all_that_helps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, as_json: bool
) -> None:
    right = checker.check
    monkeypatch.setattr(
        checker,
        "check",
        lambda *arguments: [checker.CheckerOutcome(o.obligation, True) for o in right(*arguments)],
    )
    path = tmp_path / "mine.py"
    path.write_text(MINE.format(ratio=2))
    result = run("verify", path, "--no-coq", *(["--json"] if as_json else []))
    assert result.exit_code == 70
    assert "mine: ratio: is both proved and refuted, so this package is wrong" in result.stderr
    assert "INTERNAL ERROR" in result.stderr
    assert "claimed e^eps = 2" in result.stderr
    assert "sha256 of the spec" in result.stderr
    if as_json:
        assert document(result)["error"]["type"] == "ContradictionError"


def test_inconclusive_exits_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(_: Mechanism, **_options: object) -> Verification:
        return verdict(Status.OPEN)

    monkeypatch.setattr(several, "verify", undecided)
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

    monkeypatch.setattr(several, "verify", never)
    assert run("verify", "warner", "missing.py").exit_code == 2


def test_certificates_are_written_when_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "certificates"
    assert run("verify", "warner", "--no-coq", "--write", folder).exit_code == 3
    assert [p.name for p in folder.iterdir()] == ["warner.json"]
    assert prove.recheck(json.loads((folder / "warner.json").read_text())) == []


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

    monkeypatch.setattr(several, "verify", never)
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


@pytest.mark.parametrize("command", ["verify", "generate"])
def test_the_time_that_coq_gets_is_said(command: str) -> None:
    assert kernel.LIMIT_S == reflection.LIMIT_S
    words = run(command, "--help").stdout.replace("│", " ").split()
    assert f"too, {kernel.LIMIT_S:.0f} s at most for each mechanism" in " ".join(words)
