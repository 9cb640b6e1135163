"""LDP019: intervals that hold the count as often as they say, and some that do not.

Null: an interval of Hoeffding's inequality at 0.95; level 1e-9 in each run. At 0.1 of the width
the reach is 0.3 standard errors, so that 47 of 60 populations miss and fewer than 21 do with
probability below 1e-9: so many are enough.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ldp_verified.check.audit.rules.intervals import beside, check_intervals
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.whole_audit import audit_target
from ldp_verified.errors import ParameterError
from tests.broken.audit import targets
from tests.cli.running import document, run

CLIENT = targets.Client(1.0, 4).privatise
LABELS = (0, 1, 2, 3)


def found(server: Any, confidence: float = 0.95) -> list[str]:
    several = check_intervals(CLIENT, server, LABELS, confidence, level=1e-9, populations=60)
    return [each.rule for each in several]


def test_intervals_that_hold_have_no_finding() -> None:
    assert found(targets.interval_server) == []
    # Too wide is no finding, and a smaller promise is kept by the same intervals.
    assert found(partial(targets.interval_server, scale=3.0)) == []
    assert found(targets.interval_server, 0.5) == []


@pytest.mark.parametrize("shape", ["list", "mapping", "one pair"])
def test_intervals_that_are_too_narrow_are_found(shape: str) -> None:
    def server(reports: list[int]) -> Any:
        several = targets.interval_server(reports, 0.1)
        if shape == "mapping":
            return dict(zip(LABELS, several, strict=True))
        return several if shape == "list" else several[0]

    assert found(server) == ["LDP019"]


def test_an_interval_of_another_value_is_found_too() -> None:
    """All right but that of value 3, which is moved by its own width."""

    def server(reports: list[int]) -> list[tuple[float, float]]:
        *first, (low, high) = targets.interval_server(reports)
        return [*first, (2 * high - low, 3 * high - 2 * low)]

    assert found(server) == ["LDP019"]


@pytest.mark.parametrize("given", [None, 3.0, [], [(1, 2, 3)], {0: (1, 2)}, ["ab"]])
def test_what_are_no_intervals_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="--interval"):
        found(lambda _: given)


def test_numbers_out_of_range_are_refused() -> None:
    for wrong in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(ParameterError, match="--confidence"):
            found(targets.interval_server, wrong)
    with pytest.raises(ParameterError, match="users"):
        check_intervals(CLIENT, targets.interval_server, LABELS, 0.9, users=0)
    with pytest.raises(ParameterError, match="--interval"):
        beside(CLIENT, "math:pi", LABELS, 0.9)
    for target in (Target("program", "cat", LABELS), Target("callable", "a:b", LABELS, bulk=True)):
        with pytest.raises(ParameterError, match="--interval"):
            audit_target(target, Claim(1.0), interval="a:b")


def test_intervals_on_the_command_line_and_again(tmp_path: Path) -> None:
    saved = tmp_path / "finding.json"
    home = "tests.broken.audit.targets:"
    words = ["audit", f"{home}Client(1.0, 4).privatise", "--epsilon", 1, "--inputs", "0..3"]
    narrow = f"{home}__import__('functools').partial(interval_server, scale=0.1)"
    more = ["-n", 8000, "--no-checks", "--level", "1e-9", "--json", "--interval", narrow]
    told = document(run(*words, *more, "--save", saved))
    assert [each["rule"] for each in told["findings"]] == ["LDP019"]
    assert told["findings"][0]["violates"] is False
    again = document(run("replay", saved, "--json"))
    assert "LDP019 is broken again" in again["notes"]
    few = document(run(*words, *more, "--calls", 2000))
    assert few["error"]["argument"] == "--interval"
