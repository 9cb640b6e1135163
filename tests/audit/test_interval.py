"""Audits without a claim: both ends of the interval keep their level, and none is a verdict."""

from __future__ import annotations

from math import exp, inf, log

import pytest
from scipy.stats import binom

from ldp_verified.app.report.audit_files import junit
from ldp_verified.check.audit.bounds.bounds import Stake, Tally
from ldp_verified.check.audit.bounds.interval import interval, upper_limit, words
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.sources import from_callable
from ldp_verified.errors import ParameterError
from tests.broken.audit.ending import told
from tests.cli.running import document, run

CLIENT = "tests.broken.audit.ending:told"


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("odds", [1.0, 3.0])
def test_the_upper_limit_keeps_its_level_over_all_counts(epsilon: float, odds: float) -> None:
    """Given m samples on a side, plus is binomial: all m + 1 counts are enumerated."""
    level, m = 0.05, 60
    plus = exp(epsilon) / (exp(epsilon) + odds)
    below = sum(
        float(binom.pmf(count, m, plus))
        for count in range(m + 1)
        if upper_limit(Tally(count, m - count, m), Stake(odds), level) < epsilon
    )
    assert 0 < below <= level


def test_the_upper_limit_has_ends() -> None:
    assert upper_limit(Tally(30, 0, 40), Stake(), 0.01) == inf
    assert upper_limit(Tally(0, 30, 40), Stake(), 0.01) == 0.0
    near = upper_limit(Tally(7300, 2700, 10_000), Stake(), 0.01)
    assert log(7300 / 2700) < near < 1.1
    assert upper_limit(Tally(7300, 2700, 10_000), Stake(), 0.01, 0.1) < near


def test_no_claim_gives_an_interval_and_no_verdict() -> None:
    """Level 1e-9 at each end; the interval is about 0.2 wide at 30,000 samples."""
    source = from_callable(told, range(4), "client")
    found = audit(source, Claim(0.0, level=1e-9, n=60_000, stated=False))
    held = interval(found)
    assert held is not None
    assert 0.5 < held.lower <= 1.0 <= held.upper < 1.5
    assert found.verdict is AuditVerdict.INCONCLUSIVE
    assert "no proof" in words(held)
    assert "consistent" not in words(held)
    assert 'errors="1"' in junit(found)


def test_a_claim_has_a_verdict_and_no_interval() -> None:
    found = audit(from_callable(told, range(4), "client"), Claim(1.0, n=4000, level=1e-9))
    assert interval(found) is None
    assert words(None).startswith("no claim")
    with pytest.raises(ParameterError, match="sequential"):
        Claim(0.0, mode="anytime", stated=False)


def test_a_report_in_clear_has_no_end_above() -> None:
    options = ["--inputs", "0,1", "-n", 6000, "--no-checks", "--json"]
    found = document(run("audit", "builtins:str", *options))
    assert (found["exit_code"], found["verdict"], found["claim"]) == (3, "inconclusive", None)
    assert found["interval"]["lower"] > 5
    assert found["interval"]["upper"] is None


@pytest.mark.parametrize("option", ["--as=grr", "--anytime", "--outside=9", "--save=x.json"])
def test_what_needs_a_claim_asks_for_it(option: str) -> None:
    found = document(run("audit", CLIENT, "--inputs", "0..3", option, "--json"))
    assert found["exit_code"] == 2
    assert found["error"]["argument"] == "--epsilon"


def test_without_a_claim_it_exits_with_3_and_says_so() -> None:
    done = run("audit", CLIENT, "--inputs", "0..3", "-n", 4000, "--no-checks")
    assert done.exit_code == 3
    assert "no claim: eps >= " in done.stdout
    assert "This is no proof" in done.stdout
    assert "rejects the claim" not in done.stdout
