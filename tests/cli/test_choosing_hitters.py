"""`choose heavy-hitters` ranks protocols, and says where nothing is found."""

from __future__ import annotations

import pytest

from ldp_verified.deploy.collect.hitters import found_shares, searches
from tests.cli.running import document, run

ASKED = ("choose", "heavy-hitters", "--epsilon", 4)


def test_the_best_protocol_comes_first() -> None:
    found = document(run(*ASKED, "--n", "1e6", "--bits", 48, "--json"))
    assert found["command"] == "choose heavy-hitters"
    assert {plan["protocol"] for plan in found["plans"]} == set(searches())
    assert all(plan["share"] > plan["predicted_share"] for plan in found["plans"] if plan["users"])
    shares = [plan["predicted_share"] for plan in found["plans"] if plan["users"]]
    assert shares == sorted(shares)
    best = found_shares(4.0, 10**6, 48)[0]
    assert found["plans"][0]["settings"] == best.settings
    text = run(*ASKED, "--n", "1e6", "--bits", 48).stdout
    assert text.splitlines()[0].startswith(
        f"{best.settings} is predicted to find every second value of a share"
    )
    assert "BitReduction: left out, as it is for numbers of at most 16 bits (--bits)." in text


def test_users_for_a_share() -> None:
    found = document(run(*ASKED, "--detect-share", 0.05, "--bits", 24, "--json"))
    users = [plan["users"] for plan in found["plans"] if plan["users"] is not None]
    assert users == sorted(users)
    assert "needs" in found["answer"]


def test_nothing_is_found() -> None:
    result = run("choose", "heavy-hitters", "--epsilon", 0.01, "--n", 100)
    assert result.exit_code == 1
    assert result.stdout.startswith("No protocol finds anything.")
    assert "not even a value that all users hold is found" in result.stdout
    found = document(run("choose", "heavy-hitters", "--epsilon", 0.01, "--n", 100, "--json"))
    assert all(plan["share"] is None and plan["why_not"] for plan in found["plans"])
    result = run("choose", "heavy-hitters", "--epsilon", 1e-6, "--detect-share", 1e-6)
    assert "No protocol finds a value that a share 1e-06 has." in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*ASKED,), "--n: give exactly one of --n (how many users?) and --detect-share"),
        ((*ASKED, "--n", 5, "--detect-share", 0.1), "--n: give exactly one of --n"),
        ((*ASKED, "--n", 0.5), "--n: must be a whole number"),
        ((*ASKED, "--n", 5, "--bits", 1), "--bits: must be"),
        ((*ASKED, "--n", 5, "--miss", 1), "--miss: must"),
        ((*ASKED, "--detect-share", 2), "--detect-share: must be"),
        (("choose", "heavy-hitters", "--epsilon", 0, "--n", 5), "--epsilon: must be"),
        (("choose", "--k", 3, "heavy-hitters", "--epsilon", 1, "--n", 5), "--k: must come after"),
        (("choose", "--epsilon", 1), "--k: must be given"),
    ],
)
def test_bad_input(arguments: tuple[object, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output
