"""generate: where modules go, what is refused, what is not current."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ldp_verified import generate
from ldp_verified.app.cli import client_files, generating, modules
from ldp_verified.errors import ParameterError
from ldp_verified.generate import files
from ldp_verified.prove import Status, Verdict, Verification, several
from tests.cli.running import ROOT, document, process, run

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism

COINS = '''"""Two coins."""

from ldp_verified.language import LDP, Matrix, Mechanism, Rational, log

print("reading coins")
keep = Rational(3, 4)
two_coins = Mechanism(
    "two_coins",
    parameters=[],
    table=Matrix([[keep, 1 - keep], [1 - keep, keep]]),
    claims=[LDP(log({ratio}), tight=True)],
)
'''
SKEWED = """from ldp_verified.language import Matrix, Mechanism, Rational

third = Rational(1, 3)
skewed = Mechanism("skewed", parameters=[], table=Matrix([[third, 2 * third], [third, 2 * third]]))
"""
USE = (
    "from coins_module import TwoCoins; coins = TwoCoins()\n"
    "state = coins.aggregate(coins.privatize([0] * 90 + [1] * 10, rng=1), simulated=True)\n"
    "print(state.n, coins.p, coins.realized_epsilon <= coins.epsilon)"
)


def own(folder: Path, ratio: int = 3) -> Path:
    path = folder / "coins.py"
    path.write_text(COINS.format(ratio=ratio))
    return path


def test_a_module_goes_to_stdout_and_is_the_committed_one() -> None:
    result = run("generate", "blh")
    assert (result.exit_code, result.stderr) == (0, "")
    committed = (files.FOLDER / "olh.py").read_text("utf-8")
    without = [line for line in committed.splitlines() if not line.startswith("# Tools")]
    assert [li for li in result.stdout.splitlines() if not li.startswith("# Tools")] == without


def test_the_module_of_a_user_s_own_file_runs(tmp_path: Path) -> None:
    spec, module = own(tmp_path), tmp_path / "coins_module.py"
    accepted = ("--no-coq", "--accept", "one-group:two_coins")
    result = process("generate", spec, "-o", module, *accepted)
    assert (result.returncode, result.stdout) == (0, f"{module}: written\n")
    header = module.read_text().partition('"""')[0]
    assert "\n# Accepted, though not proved: one-group:two_coins\n" in header
    assert result.stderr == "reading coins\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["coins.py", "coins_module.py"]
    used = process(code=f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{USE}")
    assert used.stdout == "100 3/4 True\n", used.stderr
    assert run("generate", spec, "-o", module, "--check", *accepted).exit_code == 0
    assert run("generate", spec, "-o", module, "--check").exit_code == 1
    own(tmp_path).write_text(COINS.format(ratio=3) + "\n")
    stale = run("generate", spec, "-o", module, "--check", *accepted)
    assert stale.exit_code == 1
    assert f"{module}: is not what the spec gives now\n" in stale.stdout
    mend = f"to mend: ldp-verified generate {spec} -o {module} --accept one-group:two_coins\n"
    assert mend in stale.stdout
    assert run("generate", spec, "-o", module, *accepted).exit_code == 0
    assert run("generate", spec, "-o", module, "--check", *accepted).exit_code == 0


def test_a_false_claim_gives_no_module(tmp_path: Path) -> None:
    spec, module = own(tmp_path, ratio=2), tmp_path / "coins_module.py"
    result = run("generate", spec, "-o", module, "--no-coq", "--accept", "one-group")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "two_coins: ratio is refuted: eps-LDP with eps = log(2), tight\n" in result.stderr
    assert "nothing was written" in result.stderr
    assert not module.exists()
    found = document(run("generate", spec, "--json", "--no-coq"))
    assert (found["exit_code"], found["files"]) == (1, [])
    assert any("ratio is refuted" in line for line in found["not_shown"])


def test_an_open_claim_gives_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(mechanism: Mechanism, **_options: object) -> Verification:
        verdict = Verdict(0, "the claim", "ratio", Status.OPEN, ())
        return Verification(mechanism.name, "", "", (verdict,))

    monkeypatch.setattr(several, "verify", undecided)
    result = run("generate", own(tmp_path))
    assert (result.exit_code, result.stdout) == (3, "")
    assert "two_coins: ratio is open: the claim" in result.stderr


@pytest.mark.parametrize(
    "status, accepted, code",
    [
        (Status.PROVED, [], 0),
        (Status.ONE_GROUP, [], 3),
        (Status.ONE_GROUP, ["one-group"], 0),
        (Status.ENUMERATED, [], 3),
        (Status.ENUMERATED, ["enumerated:two_coins"], 0),
        (Status.ASSUMED, [], 3),
        (Status.ASSUMED, ["assumed:two_coins"], 0),
        (Status.PROVED, ["assumed:two_coins"], 2),
        (Status.PROVED, ["one-group"], 2),
        (Status.PROVED, ["assumed:warner"], 2),
    ],
)
def test_what_is_less_than_proved_gives_a_module_only_if_it_is_accepted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: Status,
    accepted: list[str],
    code: int,
) -> None:
    def known(mechanism: Mechanism, **_options: object) -> Verification:
        return Verification(mechanism.name, "", "", (Verdict(0, "it", "ratio", status, ()),))

    monkeypatch.setattr(several, "verify", known)
    options = [word for text in accepted for word in ("--accept", text)]
    result = run("generate", own(tmp_path), *options)
    assert result.exit_code == code, result.stderr
    assert bool(result.stdout) == (code == 0)
    if code == 3:
        assert f"two_coins: ratio is {status}: it" in result.stderr
    for text in accepted:
        assert (f"\n# Accepted, though not proved: {text}\n" in result.stdout) == (code == 0)


def test_an_acceptance_is_for_a_spec_of_one_s_own() -> None:
    for arguments in (["warner"], []):
        result = run("generate", *arguments, "--accept", "one-group")
        assert (result.exit_code, result.stdout) == (2, "")


def test_a_spec_without_a_numeric_side_is_refused(tmp_path: Path) -> None:
    (tmp_path / "skewed.py").write_text(SKEWED)
    result = run("generate", tmp_path / "skewed.py")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("ldp-verified: skewed: has no numeric side: ")


def test_what_generate_did_not_write_is_not_replaced(tmp_path: Path) -> None:
    spec = own(tmp_path)
    for path in (spec, tmp_path / "mine.txt", tmp_path / "coins.py"):
        path.touch()
        before = path.read_bytes()
        result = run("generate", spec, "-o", path)
        assert result.exit_code == 2
        assert "--output: must be a new file or one that generate wrote" in result.stderr
        assert path.read_bytes() == before


def test_several_specs_go_to_a_folder(tmp_path: Path) -> None:
    result = run("generate", "warner", "binary_rr", "warner", "-o", tmp_path, "--json")
    assert result.exit_code == 0
    assert [file["spec"] for file in document(result)["files"]] == ["warner", "binary_rr"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["binary_rr.py", "warner.py"]
    (tmp_path / "warner.py").unlink()
    result = run("generate", "warner", "binary_rr", "-o", tmp_path, "--check", "--json")
    assert result.exit_code == 1
    (file,) = document(result)["files"]
    assert (file["path"], file["state"]) == (str(tmp_path / "warner.py"), "missing")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["warner", "binary_rr"], "--output: must be an existing folder for several specs (more: "),
        (["warner", "-o", "missing/a.py"], "--output: must lie in an existing folder, got"),
        (["-o", "a.py"], "--output: needs a SPEC, got 'a.py'"),
        (["nothing"], "SPEC: must be a file, or a name of the catalogue"),
        (["coins.py", "--check"], "--check: needs --output, the file to look at, got 'coins.py'"),
        (["coins.py", "other/coins.py", "-o", "."], "SPEC: must have different file names"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_bad_usage_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    own(tmp_path), own(tmp_path / "other", ratio=4)
    result = run("generate", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"ldp-verified: {message}" in result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["coins.py", "other"]


def test_the_committed_module_of_a_catalogue_name_is_checked() -> None:
    assert run("generate", "warner", ROOT / "spec" / "warner.py", "--check").exit_code == 0


def test_drift_of_the_catalogue_names_the_file_and_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drift = ["ldp_verified/run/mechanisms/grr.py: is not what the spec gives now"]
    monkeypatch.setattr(generate, "check", lambda: drift)
    result = run("generate", "--check")
    assert result.exit_code == 1
    assert result.stdout == f"{drift[0]}\n\n1 not current; to mend: ldp-verified generate\n"
    monkeypatch.setattr(generate, "check", list)
    assert run("generate", "--check").exit_code == 0


def test_the_catalogue_is_written_in_a_checkout_only(monkeypatch: pytest.MonkeyPatch) -> None:
    written = [Path("grr.py")]
    monkeypatch.setattr(generate, "write", lambda: written)
    assert run("generate").stdout == "grr.py: written\n"
    monkeypatch.setattr(generating, "_is_checkout", lambda: False)
    result = run("generate")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "SPEC: must be named: this package is installed" in result.stderr


def test_a_file_that_somebody_made_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    """What is written, is written after the places were looked at."""
    path = tmp_path / "grr.py"
    path.write_text("mine")
    late = modules.Module("grr", path, (), f"{modules.FIRST_LINE} grr\n", path)
    with pytest.raises(ParameterError, match="must be a new file or one that generate wrote"):
        modules.deliver([late], as_json=False)
    with pytest.raises(ParameterError, match="must be a new file or one that generate wrote"):
        client_files._write_all([path], ["a client"])
    assert [each.read_text() for each in tmp_path.iterdir()] == ["mine"]
