"""Verdicts as people and programs see them; nothing inconclusive looks like a pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ldp_verified.app.report.output import show
from ldp_verified.app.report.verification import document, terminal
from ldp_verified.prove import Status, Verdict, Verification, Witness

if TYPE_CHECKING:
    import pytest

WITNESS = Witness(
    {"k": "3", "u": "3/2"},
    {"x": "0", "x'": "1", "P(y|x)": "3/5"},
    "claimed e^eps = 3/2, found 9/4 = 2.25",
)
VERDICTS = (
    Verdict(None, "sums to 1", "sums_to_one", Status.PROVED, ("certificate", "enumeration")),
    Verdict(0, "eps-LDP", "ratio", Status.REFUTED, ("enumeration",), witness=WITNESS),
    Verdict(1, "unbiased", "unbiased", Status.OPEN, (), "no certificate was found"),
    Verdict(2, "variance", "variance", Status.ENUMERATED, ("enumeration",), "k = 2..8"),
)
RESULT = Verification("mine", "My mechanism", "ab12", VERDICTS, {"p*": "1/2"}, 1.23456)


def printed(capsys: pytest.CaptureFixture[str], *results: Verification) -> str:
    show(terminal(results))
    return capsys.readouterr().out


def test_the_table_has_a_row_for_each_obligation(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split() for line in printed(capsys, RESULT).splitlines()[2:6]]
    assert rows == [
        ["mine", "sums_to_one", "sums", "to", "1", "proved", "certificate,", "enumeration"],
        ["mine", "ratio", "eps-LDP", "refuted", "enumeration"],
        ["mine", "unbiased", "unbiased", "open"],
        ["mine", "variance", "variance", "enumerated", "enumeration"],
    ]


def test_below_it_every_refutation_and_every_open_item(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, RESULT)
    assert text.endswith(
        """
1 mechanism, 4 obligations: 1 proved, 1 enumerated, 1 refuted, 1 open (1.2 s)

Refuted
  mine, ratio: eps-LDP
    claimed e^eps = 3/2, found 9/4 = 2.25
    at k = 3, u = 3/2
    x = 0, x' = 1, P(y|x) = 3/5

Open: no checker decided it, or checkers disagree
  mine, unbiased: unbiased
    no certificate was found

Enumerated, not proved
  mine, variance: variance
    k = 2..8
"""
    )


def test_where_the_tight_epsilon_is_reached_and_what_u_stands_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    facts = {"tight epsilon": "eps (any two values)", "reached, for example, at": "u = 3: x = 0"}
    known = replace(RESULT, derived=facts)
    show(terminal([RESULT, known], {"mine": "u = e^eps"}))
    text = capsys.readouterr().out
    assert "mine        eps (any two values)     u = 3: x = 0 (u = e^eps)\n" in text
    assert text.count("eps (any two values)") == 1
    assert "    at k = 3, u = 3/2 (u = e^eps)\n" in text
    show(terminal([RESULT], {"mine": "s = e^(eps/2)"}))
    assert "e^(eps/2)" not in capsys.readouterr().out


def test_what_coq_does_not_accept_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    open_to_coq = replace(
        VERDICTS[0],
        status=Status.ONE_GROUP,
        groups=("algebra",),
        unaccepted="not printed because it is large",
    )
    text = printed(capsys, Verification("mine", "", "ab12", (open_to_coq,)))
    assert text.endswith(
        """
Proved by one group of checkers only
  mine, sums_to_one: sums to 1
    coq: not printed because it is large
"""
    )


def test_what_a_proof_takes_for_granted_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    resting = replace(VERDICTS[0], assumptions=("an integral",))
    text = printed(capsys, Verification("mine", "", "ab12", (resting,)))
    assert text.endswith(
        "\nProved, given what no checker decides here\n  mine, sums_to_one: an integral\n"
    )


def test_no_sections_where_everything_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, Verification("mine", "", "ab12", VERDICTS[:1]))
    assert text.endswith("\n1 mechanism, 1 obligation: 1 proved (0.0 s)\n")


def test_the_document() -> None:
    assert document([RESULT]) == {
        "mechanisms": [
            {
                "name": "mine",
                "title": "My mechanism",
                "spec_hash": "ab12",
                "status": "refuted",
                "holds": False,
                "needs": ["enumerated", "refuted", "open"],
                "accepted": [],
                "seconds": 1.235,
                "drawn_points": "",
                "verdicts": [
                    {
                        "claim": verdict.claim,
                        "statement": verdict.statement,
                        "obligation": verdict.obligation,
                        "status": verdict.status.value,
                        "checkers": list(verdict.checkers),
                        "detail": verdict.detail,
                        "theorems": list(verdict.theorems),
                        "unaccepted": verdict.unaccepted,
                        "given": "",
                        "assumptions": [],
                        "groups": [],
                        "refusals": {},
                        "alone": verdict.status.value,
                        "capped_by": [],
                        "proviso": "",
                        "witness": {
                            "parameters": {"k": "3", "u": "3/2"},
                            "values": {"x": "0", "x'": "1", "P(y|x)": "3/5"},
                            "explanation": "claimed e^eps = 3/2, found 9/4 = 2.25",
                        }
                        if verdict.witness
                        else None,
                    }
                    for verdict in VERDICTS
                ],
                "derived": {"p*": "1/2"},
            }
        ],
        "stale": [],
    }
