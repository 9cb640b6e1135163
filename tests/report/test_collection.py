"""A collection as it is shown: what it says, and what it must not say unasked."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.app.report.collection import document, how_made, terminal
from ldp_verified.app.report.output import show
from ldp_verified.deploy.collect.choose import makers
from ldp_verified.deploy.collect.domain import ColumnDomain
from ldp_verified.deploy.collect.run import Collection, collect
from ldp_verified.deploy.collect.table import open_column
from tests.collect.files import csv_file

if TYPE_CHECKING:
    from pathlib import Path

DOMAIN = ColumnDomain(tuple(f"v{i}" for i in range(30)), "values.txt").with_other()
CELLS = ["v0"] * 500 + ["v1"] * 300 + ["v2"] * 100 + ["secret"] * 7 + [""] * 3


def collected(folder: Path, *, compare: bool = False, mechanism: str = "auto") -> Collection:
    column = open_column(csv_file(folder, CELLS), "answer")
    return collect(column, DOMAIN, epsilon=3.0, mechanism=mechanism, compare=compare, seed=5)


def printed(capsys: pytest.CaptureFixture[str], result: Collection, top: int = 5) -> str:
    show(terminal(result, top))
    return capsys.readouterr().out


def test_it_says_how_it_was_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = collected(tmp_path, mechanism="grr")
    assert printed(capsys, result).startswith(
        f"""\
answer of private.csv: 910 rows
domain: 30 values (values.txt), and "other" for every row that holds none of them
mechanism: GRR at epsilon = 3.0 (realized {result.mechanism.realized_epsilon!r}), 5 bits per report
randomness: SIMULATED with seed 5; such reports protect nobody
"""
    )


def test_it_says_what_a_report_gives_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulated = collected(tmp_path)
    assert "privacy:" not in printed(capsys, simulated)
    assert "a factor of at most e^3.0 (about 20.1)" in printed(
        capsys, replace(simulated, seed=None)
    )


def test_without_a_comparison_it_says_that_strangers_were_not_dropped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = '"other" stands for every row that holds none of the 30 values, or nothing: such rows'
    assert told in printed(capsys, collected(tmp_path))
    column = open_column(csv_file(tmp_path, CELLS[:900]), "answer")
    fits = collect(column, replace(DOMAIN, other=None), epsilon=3.0, mechanism="grr", seed=5)
    assert "stands for every row" not in printed(capsys, fits)


def test_the_largest_estimates_come_first_and_other_always(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = collected(tmp_path)
    lines = printed(capsys, result, top=2).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("value ")) + 2
    assert [line.split()[0] for line in lines[start : start + 3]] == ["v0", "v1", "other"]
    counts = result.estimate.counts
    assert f"{counts[0]:,.0f}" in lines[start].split()
    rest = counts[np.r_[2:30]]
    assert any(
        line.startswith("28 more values: estimates from ") and f"{rest.max():,.3g}" in line
        for line in lines
    )


def test_it_says_where_reports_cannot_all_be_honest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = collected(tmp_path, mechanism="grr")
    assert "honest" not in printed(capsys, result)
    made = result.mechanism
    fakes = made.reports(np.zeros(5000, dtype=np.uint8), simulated=True)
    faked = replace(result, estimate=made.aggregate(fakes, simulated=True).estimate())
    assert "Not all of these reports are honest ones, it seems: support of each value" in printed(
        capsys, faked
    )


def test_it_says_what_was_chosen_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, collected(tmp_path))
    ranking = text.split("Chosen by the smallest worst-case standard error of a count")[1]
    rows = [line.split() for line in ranking.splitlines()[4:]]
    assert len(rows) == len(makers())
    assert [row[-1] == "chosen" for row in rows] == [True, *[False] * (len(rows) - 1)]
    assert "worst-case" not in printed(capsys, collected(tmp_path, mechanism="oue"))


def test_the_truth_is_told_only_when_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = collected(tmp_path)
    text = printed(capsys, result)
    assert "   truth   " not in text
    assert "simulation" not in text
    assert "secret" not in text + json.dumps(document(result))
    assert "true_count" not in json.dumps(document(result))
    assert document(result)["comparison"] is None
    compared = collected(tmp_path, compare=True)
    text = printed(capsys, compared)
    assert "   truth   " in text
    assert "read from the private column: a simulation" in text
    assert '10 rows hold none of the values, reported as "other" (3 of them empty)' in text
    assert "such as secret" in text


def test_the_document(tmp_path: Path) -> None:
    result = collected(tmp_path, compare=True)
    body = document(result)
    assert set(body) == {
        "file",
        "column",
        "rows",
        "domain",
        "mechanism",
        "simulated",
        "seed",
        "level",
        "estimates",
        "honesty",
        "comparison",
        "choice",
    }
    assert body["rows"] == 910
    assert body["domain"] == {"origin": "values.txt", "values": 30, "other": "other"}
    assert body["comparison"] == {
        "note": "a simulation that looks at the private column",
        "rows_outside_domain": 10,
        "rows_empty": 3,
        "examples_outside_domain": ["secret"],
    }
    estimates = body["estimates"]
    assert isinstance(estimates, list)
    assert len(estimates) == 31
    low, high = result.interval
    for i, entry in enumerate(estimates):
        assert entry == {
            "value": DOMAIN.labels[i],
            "other": i == 30,
            "estimate": result.estimate.counts[i],
            "std_error": result.estimate.std_error[i],
            "low": low[i],
            "high": high[i],
            "true_count": [500, 300, 100][i] if i < 3 else 10 * (i == 30),
        }
    mechanism = body["mechanism"]
    assert isinstance(mechanism, dict)
    assert set(mechanism) == {
        "name",
        "parameters",
        "law_hash",
        "epsilon",
        "realized_epsilon",
        "saturated",
        "bits_per_report",
    }
    choice = body["choice"]
    assert isinstance(choice, list)
    first = choice[0]
    assert isinstance(first, dict)
    assert set(first) == {
        "name",
        "worst_std_error",
        "std_error_at_share_0",
        "bits_per_report",
        "refused",
    }
    assert str(mechanism["name"]).lower() == first["name"]


def test_a_saturated_mechanism_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    column = open_column(csv_file(tmp_path, ["v0"]), "answer")
    result = collect(column, DOMAIN, epsilon=300.0, mechanism="grr", seed=1)
    assert "saturated: 64-bit thresholds are too coarse for this epsilon" in printed(capsys, result)


@pytest.mark.parametrize("level, misses", [(0.95, True), (0.99, False)])
def test_how_many_intervals_may_miss(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], level: float, misses: bool
) -> None:
    column = open_column(csv_file(tmp_path, ["v0"]), "answer")
    result = collect(column, DOMAIN, epsilon=1.0, mechanism="grr", seed=1, level=level)
    text = printed(capsys, result)
    assert f"{100 * level:g} % from" in text
    assert ("of 31 about 2 may miss" in text) == misses


def test_it_says_what_intervals_follow_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Supports of GRR are coins; rows of a sketch that were drawn once are none."""
    made = "with probability 95 % (from the tails of support counts), each value"
    assert made in printed(capsys, collected(tmp_path, mechanism="grr"))
    assert how_made(object()) == "normal approximation"
