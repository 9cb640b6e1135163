"""LDP020: reports on file and counts, beside the mechanism that is claimed.

Nulls: reports of the claimed mechanism, whatever the values are; level 1e-9 in each run. The
planted ones differ by at least eight standard errors of the number that shows them, at 20,000
reports; the nearest is one coin for two bits, seen together in 0.27 of the reports where 0.135
is the most.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ldp_verified.check.audit.named.named import independent_bits
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.rules.fit import FitTable, FittedCounts, compared, judged, resolution
from ldp_verified.check.audit.rules.fitted import audit_fit
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.errors import ParameterError
from tests.broken.audit import filed
from tests.cli.running import document, run

USERS = 20_000
CLAIM = Claim(1.0, level=1e-9)
DOMAIN = tuple(range(filed.K))
SHAPES = {
    "even": np.arange(USERS) % filed.K,
    "one value": np.zeros(USERS, dtype=np.int64),
    "skewed": np.minimum(np.arange(USERS) % 17, filed.K - 1),
}


def kept(path: Path, reports: object) -> Target:
    assert isinstance(reports, list)
    rows = [f'"{json.dumps(report)}"' for report in reports]
    path.write_text("report\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return Target("file", str(path), DOMAIN, output="report")


@pytest.mark.parametrize("values", [*SHAPES])
@pytest.mark.parametrize("mechanism", ["oue", "grr"])
def test_reports_of_the_mechanism_fit(
    mechanism: str, values: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    make = filed.unary if mechanism == "oue" else filed.response
    target = kept(tmp_path / "reports.csv", make(SHAPES[values], rng))
    found = audit_fit(target, CLAIM, mechanism)
    assert found.findings == ()
    # What k-ary response hides where values are even is never called consistent.
    good = AuditVerdict.CONSISTENT if mechanism == "oue" else AuditVerdict.INCONCLUSIVE
    assert found.verdict is good


@pytest.mark.parametrize("name", [*filed.WRONG])
def test_reports_of_something_else_do_not_fit(
    name: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    mechanism, make = filed.WRONG[name]
    values = SHAPES["one value" if name == "clear" else "even"]
    target = kept(tmp_path / "reports.csv", make(values, rng))
    found = audit_fit(target, CLAIM, mechanism)
    assert [each.rule for each in found.findings] == ["LDP020"]
    assert found.verdict is AuditVerdict.VIOLATED


@pytest.mark.parametrize(("eps", "broken"), [(1.0, False), (1.5, True)])
def test_counts_fit_or_do_not(
    eps: float, broken: bool, tmp_path: Path, rng: np.random.Generator
) -> None:
    held = np.sum(filed.unary(SHAPES["skewed"], rng, eps), axis=0)
    path = tmp_path / "counts.csv"
    path.write_text("value,count\n" + "".join(f"{v},{c}\n" for v, c in enumerate(held.tolist())))
    words = ["audit", path, "--fit", "--users", USERS, "--as", "oue", "--epsilon", 1]
    more = ["--inputs", "0..5", "--input", "value", "--output", "count", "--level", "1e-9"]
    found = document(run(*words, *more, "--json"))
    assert found["exit_code"] == int(broken)
    assert [each["rule"] for each in found["findings"]] == ["LDP020"] * broken


def test_a_parquet_file_on_the_command_line(tmp_path: Path, rng: np.random.Generator) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path, junit = tmp_path / "reports.parquet", tmp_path / "junit.xml"
    sarif, page = tmp_path / "a.sarif", tmp_path / "a.html"
    parquet.write_table(pa.table({"output": filed.wrong_eps(SHAPES["even"], rng)}), path)
    words = ["audit", path, "--fit", "--as", "oue", "--epsilon", 1, "--inputs", "0..5"]
    told = run(*words, "--junit", junit, "--sarif", sarif, "--html", page)
    assert told.exit_code == 1
    assert "LDP020" in told.stdout
    assert '<failure message="' in junit.read_text()
    assert "LDP020" in sarif.read_text()
    assert "LDP020" in page.read_text()


def test_the_smallest_p_value_of_a_hand_made_table() -> None:
    """Two users, two values, both reports support value 0 only: p*^2 = 1/4 is its chance."""
    counts = FittedCounts(2, np.array([2, 0]), Counter(), np.zeros((0, 0), int))
    several = compared(counts, FitTable(0.5, 0.25, bits=False, reading="same"))
    assert [each.p_value for each in several][:2] == [0.25, 0.5625]
    assert judged(several, 0.99) == []
    assert len(judged(several, 1.0)) == 1  # four comparisons share the level


def test_what_would_be_seen_grows_finer_with_users() -> None:
    def chances(eps: float) -> FitTable:
        return FitTable(0.5, 1 / (np.exp(eps) + 1), bits=True, reading="bits")

    few, many = (resolution(n, 6, 1.0, 1e-6, chances) for n in (1000, 100_000))
    assert few is not None
    assert many is not None
    assert many < few
    assert resolution(5, 6, 1.0, 1e-6, chances) is None


def test_which_reports_are_independent_bits() -> None:
    found = [independent_bits(name) for name in ("oue", "sue", "grr", "subset_selection")]
    assert found == [True, True, False, False]


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    target = kept(tmp_path / "reports.csv", [[0] * filed.K])
    no_domain = Target("file", target.reference)
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: audit_fit(Target("callable", "a:b", DOMAIN), CLAIM, "oue"), "--fit"),
        (lambda: audit_fit(no_domain, CLAIM, "oue"), "--inputs"),
        (lambda: audit_fit(target, Claim(1.0, 0.1), "oue"), "--delta"),
        (lambda: audit_fit(target, CLAIM, "laplace"), "--"),
        (lambda: audit_fit(target, CLAIM, "oue", users=0), "--users"),
    ]
    for refused, said in wrong:
        with pytest.raises(ParameterError, match=said):
            refused()
    path = tmp_path / "counts.csv"
    counts = Target("file", str(path), DOMAIN, column="value", output="count")
    for rows in ("0,1\n0,1\n", "0,1\n", "9,1\n", "0,-1\n", "0,1.5\n", "0,11\n"):
        path.write_text(f"value,count\n{rows}")
        with pytest.raises(ParameterError):
            audit_fit(counts, CLAIM, "oue", users=10)
    options: list[list[object]] = [
        ["--users", 5],
        ["--fit"],
        ["--fit", "--as", "oue", "--calls", 5],
    ]
    for words in options:
        told = document(run("audit", target.reference, "--epsilon", 1, *words, "--json"))
        assert told["exit_code"] == 2
