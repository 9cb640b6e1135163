"""conform: exit codes, replay, options. What it computes is tested in tests/conformance."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import GRR
from ldp_verified.app.cli.clients import client_texts
from ldp_verified.check.conformance import run as runs
from ldp_verified.check.conformance.results import Comparison, ConformanceReport
from ldp_verified.protocols import LGRR
from tests.broken.clear import KEPT_ANSWERS
from tests.cli.running import document, run
from tests.program.node import node

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SMALL = ("conform", "binary_rr", "--n", "2000", "--json")
PASSED = Comparison("s", "t", "null", 1, 1e-9, 10, 0.5, 0.01, "u", 0.02, 1e-8, 0.5, 0.5, "w")


def test_right_code_is_not_rejected() -> None:
    # False alarm: 1e-9, the family-wise level of the run.
    result = run("conform", "binary_rr", "--level", "1e-9")
    assert result.exit_code == 0, result.stdout
    assert "BinaryRR(epsilon=1.0" in result.stdout
    assert "this run rejects anything with probability <= 1e-09" in result.stdout
    assert "not rejected" in result.stdout
    assert "inconclusive (" not in result.stdout


def drawn_from_the_seed(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [c for c in found["comparisons"] if "secure" not in c["name"]]


def test_a_small_run_is_inconclusive_and_a_seed_replays_it() -> None:
    result = run(*SMALL)
    found = document(result)
    assert (result.exit_code, found["outcome"]) == (3, "inconclusive")
    again = document(run(*found["replay"].split()[1:], "--json"))
    assert drawn_from_the_seed(again) == drawn_from_the_seed(found)
    assert again["seed"] == found["seed"]
    other = document(run(*SMALL, "--seed", int(found["seed"]) + 1))
    assert drawn_from_the_seed(other) != drawn_from_the_seed(found)


def test_the_seed_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LDP_VERIFIED_SEED", "12")
    assert document(run(*SMALL))["seed"] == "12"


@pytest.mark.parametrize(
    "p_value, detectable, code", [(0.5, 0.01, 0), (1e-12, 0.01, 1), (0.5, 0.03, 3)]
)
def test_the_exit_code_is_the_outcome(
    monkeypatch: pytest.MonkeyPatch, p_value: float, detectable: float, code: int
) -> None:
    comparison = replace(PASSED, p_value=p_value, detectable=detectable)
    given: list[object] = []

    def conform(target: object, **_: object) -> ConformanceReport:
        given.append(target)
        return ConformanceReport((comparison,), 1, 1e-7)

    monkeypatch.setattr(runs, "conform", conform)
    assert run("conform", "grr", "oue", "grr").exit_code == code
    assert run("conform", "--json").exit_code == code
    assert given == [["grr", "oue"], None]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["rapor"],
            "NAME: must be one of basic_rappor, binary_rr, blh, cms, duchi, fair_coins, geometric,",
        ),
        (["grr", "--n", "999"], "--n: must be an integer >= 1000, got 999"),
        (["grr", "--level", "1"], "--level: must be a float between 0 and 1, got 1.0"),
        (["grr", "--level", "nan"], "--level: must be a float between 0 and 1, got nan"),
        (["grr", "--seed", "-1"], "--seed: must be an integer >= 0, got -1"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_bad_options_are_refused_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    def never(*_: object) -> Callable[[], None]:
        raise AssertionError("a run was planned")

    monkeypatch.setattr(runs, "plan", never)
    result = run("conform", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"ldp-verified: {message}")


CLIENT = """
import { webcrypto } from 'node:crypto';
import { createInterface } from 'node:readline';
globalThis.crypto ??= webcrypto;
const { report } = await import('./grr.mjs');
for await (const line of createInterface({ input: process.stdin })) {
  console.log(report(Number(line)));
}
"""


def test_a_javascript_client_is_run_against_the_table(tmp_path: Path) -> None:
    """Of the client's own parameters 2,000 reports say nothing; those of another epsilon say no.

    Null: the table of GRR(1, 4); level 1e-9; n = 40,000; the truth's probability is off by 0.39.
    """
    if node() is None:
        return
    (tmp_path / "client.mjs").write_text(CLIENT)
    command = f"node {tmp_path / 'client.mjs'}"
    (tmp_path / "grr.mjs").write_text(str(client_texts(GRR(1.0, 4), "javascript")["grr.mjs"]))
    arguments = ("grr", "--client", command, "--k", 4, "--epsilon", 1, "--level", "1e-9", "--json")
    few = run("conform", *arguments, "--n", 2000)
    found = document(few)
    assert few.exit_code == 3, few.stderr
    assert f"--client '{command}' --set k=4 --set epsilon=1.0" in found["replay"]
    remark = found["remarks"][-1]
    first, many = (each.split("asked ")[1] for each in found["asked"])
    assert first == "4 of 4 values (all of them), each 500 times"
    assert many.startswith("2 of 4 values (")
    assert "the answers of two starts are compared, and those of users in a row" in remark
    restart = found["comparisons"][-2]
    assert (restart["name"], restart["outcome"]) == ("equal answers of two starts", "passed")
    assert 0 < restart["level"] < 1e-9
    (tmp_path / "grr.mjs").write_text(str(client_texts(GRR(3.0, 4), "javascript")["grr.mjs"]))
    assert run("conform", *arguments, "--n", 40_000).exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["grr", "--k", 4], "--client: must be given with --k"),
        (["grr", "oue", "--client", "node x"], "NAME: must be one mechanism"),
        (["grr", "--client", "", "--k", 4, "--epsilon", 1], "--client: must name a program"),
        (
            ["grr", "--client", "node 'x", "--k", 4, "--epsilon", 1],
            "--client: must be a command with balanced quotes",
        ),
        (
            ["grr", "--client", "node x", "--k", 4, "--epsilon", 1, "--set", "strings=5"],
            "strings: must be a JSON list of two or more different printable texts",
        ),
        (
            ["gaussian", "--client", "node x", "--epsilon", 1, "--set", "delta=1e-6"],
            "must be one whose clients are counted here",
        ),
    ],
)
def test_what_no_client_can_be_is_refused(arguments: list[Any], message: str) -> None:
    done = run("conform", *arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())


def test_kept_answers_in_clear_between_the_ends_are_rejected(tmp_path: Path) -> None:
    """Null: the table of LGRR(1, 0.9, 5) at each value; n = 16,000; level 1e-9.

    Values 1, 2 and 3 are sent as they are: all of 1,600 answers or more say them, p < 1e-99.
    """
    made = LGRR(1.0, 0.9, 5)
    first, second = (threshold / 2**64 for threshold in made.thresholds)
    program = tmp_path / "client.py"
    text = KEPT_ANSWERS.format(k=5, first=first, second=second, clear=(1, 2, 3))
    program.write_text(text, encoding="utf-8")
    result = run(
        *("conform", "lgrr", "--client", f"{sys.executable} {program}", "--k", 5, "--json"),
        *("--set", "epsilon_permanent=1", "--set", "epsilon_report=0.9"),
        *("--n", 16_000, "--level", "1e-9", "--seed", 1),
    )
    assert result.exit_code == 1, result.stderr
    rejected = [c["name"] for c in document(result)["comparisons"] if c["outcome"] == "rejected"]
    assert rejected == ["equal answers to one value", "classes of many values"]
