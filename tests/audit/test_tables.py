"""Exact audits of tables: tight eps, witness, slack, delta, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log
from pathlib import Path

import pytest

from ldp_verified.check.audit.bounds.tables import ExplicitTable, audit_table, read_table
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.errors import ParameterError

WARNER = "x,yes,no\nyes,3/4,1/4\nno,0.25,0.75\n"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_tight_ratio_is_an_exact_fraction(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, WARNER))
    tight = table.tight()
    assert tight.ratio == 3
    assert tight.witness == "P(yes | yes) = 3/4, P(yes | no) = 1/4"


def test_a_claim_is_decided_without_rounding(tmp_path: Path) -> None:
    """ln 3 is irrational: the floats on both sides of it decide differently."""
    table = read_table(write(tmp_path, WARNER))
    below = float.fromhex("0x1.193ea7aad030ap+0")
    above = float.fromhex("0x1.193ea7aad030bp+0")
    assert below <= log(3) <= above
    assert audit_table(table, "t", below).verdict is AuditVerdict.VIOLATED
    result = audit_table(table, "t", above)
    assert result.verdict is AuditVerdict.CONSISTENT
    assert result.slack == pytest.approx(0, abs=1e-15)


def test_slack_is_the_eps_that_is_given_away(tmp_path: Path) -> None:
    result = audit_table(read_table(write(tmp_path, WARNER)), "t", 2.0)
    assert result.slack == pytest.approx(2 - log(3))


def test_an_output_that_only_one_input_gives_is_infinite(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "x,a,b\n0,1,0\n1,999/1000,1/1000\n"))
    tight = table.tight()
    assert tight.ratio is None
    assert tight.value == inf
    assert "P(b | 1) = 1/1000" in tight.witness
    assert audit_table(table, "t", 50.0).verdict is AuditVerdict.VIOLATED
    # As (eps, delta) it is fine from the mass of that output on.
    assert audit_table(table, "t", 0.01, 0.001).verdict is AuditVerdict.CONSISTENT
    assert audit_table(table, "t", 0.01, 0.0009).verdict is AuditVerdict.VIOLATED


def test_the_smallest_delta_of_a_warner_table(tmp_path: Path) -> None:
    result = audit_table(read_table(write(tmp_path, WARNER)), "t", 0.5, 0.1)
    assert result.exact_delta == pytest.approx(0.75 - exp(0.5) * 0.25)
    assert result.verdict is AuditVerdict.VIOLATED


def test_equal_rows_give_eps_zero() -> None:
    half = Fraction(1, 2)
    table = ExplicitTable(("0", "1"), ("a", "b"), ((half, half), (half, half)))
    assert audit_table(table, "t", 0.0).verdict is AuditVerdict.CONSISTENT
    assert table.tight().value == 0.0


@pytest.mark.parametrize(
    "text,said",
    [
        ("x,a,b\n0,1/3,2/3\n1,0.33,0.66\n", "exactly 1"),
        ("x,a,b\n0,1/3,2/3\n1,2,-1\n", "negative"),
        ("x,a,b\n0,1/3,2/3\n1,1/3\n", "3 cells"),
        ("x,a,b\n0,1/3,2/3\n1,1/3,two\n", "fraction or decimal"),
        ("x,a,b\n0,1/3,2/3\n", "two inputs"),
        ("x,a,b\n0,1/3,2/3\n0,1/3,2/3\n", "once"),
        ("", "line of outputs"),
        ('x,a,b\n0,1/3,2/3\n1,1/3,"2/3\n', "whose quotes are closed"),
        ("x,a,b\n0,nan,1\n1,0,1\n", "fraction or decimal"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        read_table(write(tmp_path, text))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"none.csv: no such file$"):
        read_table(tmp_path / "none.csv")
