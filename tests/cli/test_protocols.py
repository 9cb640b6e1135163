"""`verify` and `derive` of protocols, and what other commands say of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.app.cli.outcome import Outcome
from tests.cli.running import document, run

TWICE = '''"""Two reports at the price of one."""

from ldp_verified.language import load, real
from ldp_verified.language.protocol import Protocol, Round, Sends, x

(grr,) = load("grr")
price, k = grr.parameters
eps = real("eps", above=0)
twice = Protocol(
    "twice", [eps], 4, [Round([Sends(grr, x, {price: eps, k: 4})] * COUNT)], eps
)
'''


def spec(folder: Path, count: int) -> Path:
    path = folder / "twice.py"
    path.write_text(TWICE.replace("COUNT", str(count)))
    return path


def test_a_protocol_of_the_catalogue_is_shown_with_its_derivation() -> None:
    found = run("verify", "prefix_extending", "--no-coq", "--accept", "one-group")
    assert found.exit_code == Outcome.HOLDS
    assert "transcript is eps-LDP: proved by one group" in found.stdout
    assert "[theorem LDP.Protocols.groups_ldp]" in found.stdout
    assert "read by eye" in found.stdout
    assert run("verify", "prefix_extending", "--no-coq").exit_code == Outcome.INCONCLUSIVE


def test_ones_own_file_is_verified_and_what_costs_more_is_no_pass(tmp_path: Path) -> None:
    honest = run("verify", spec(tmp_path, 1), "--no-coq", "--json", "--accept", "one-group:twice")
    assert honest.exit_code == Outcome.HOLDS
    (body,) = document(honest)["protocols"]
    assert body["status"] == "proved by one group"
    assert body["rests_on"][0]["mechanism"] == "grr"
    wrong = run("verify", spec(tmp_path, 2), "--no-coq", "--json", "--accept", "one-group")
    assert wrong.exit_code == Outcome.INCONCLUSIVE
    (body,) = document(wrong)["protocols"]
    assert body["status"] == "open"
    assert "2*eps is above the declared eps" in body["reason"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["grr"], "must be protocols or mechanisms"),
        (["--mutate"], "--mutate: does not go with a protocol"),
        (["--summary"], "--summary: does not go with a protocol"),
        (["--accept", "assumed:grr"], "must name what is verified here (prefix_extending)"),
    ],
)
def test_what_does_not_go_with_a_protocol_is_refused(arguments: list[str], said: str) -> None:
    found = run("verify", "prefix_extending", *arguments)
    assert found.exit_code == Outcome.BAD_INPUT
    assert said in found.stderr


def test_a_transcript_s_price_is_derived_from_a_file_of_ones_own(tmp_path: Path) -> None:
    mine = spec(tmp_path, 2)
    found = run("derive", mine)
    assert found.exit_code == Outcome.HOLDS
    assert "declared to cost eps, and costs at most (derived, not proved)" in found.stdout
    assert "2*eps" in found.stdout
    body = document(run("derive", mine, "--json"))["protocol"]
    assert (body["name"], body["declared"], body["derived"]) == ("twice", "eps", "2*eps")
    assert {step["theorem"] for step in body["ledger"]} >= {"LDP.Combine.compose_ldp"}
    for options in (["--delta-at", "0"], ["--set", "eps=1"]):
        refused = run("derive", mine, *options)
        assert refused.exit_code == Outcome.BAD_INPUT
        assert f"{options[0]}: does not go with a protocol" in refused.stderr


def test_an_audit_is_not_compared_with_a_protocol(tmp_path: Path) -> None:
    said = ["--epsilon", "1", "--inputs", "0,1", "--as", spec(tmp_path, 1)]
    refused = run("audit", "math:isfinite", *said)
    assert refused.exit_code == Outcome.BAD_INPUT
    assert "declares a protocol, no mechanism" in refused.stderr
