"""Deployed configurations against tables that are written out bit by bit."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf, log
from pathlib import Path

import pytest

from examples.deployments import deployments
from examples.deployments.deployments import epsilon_of, randomized_rate
from ldp_verified import GRR, SUE
from ldp_verified.check.audit.bounds.configurations import (
    audit_configuration,
    rappor,
    read_configuration,
)
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.errors import ParameterError

PUBLISHED = {"k": "16", "h": "2", "m": "64", "p": "0.5", "q": "0.75", "f": "0.5"}


def values(**given: str) -> dict[str, Fraction]:
    return {name: Fraction(text) for name, text in given.items()}


def by_enumeration(k: int, h: int, p: Fraction, q: Fraction, f: Fraction, r: int) -> Fraction:
    """The largest ratio over all outputs and all pairs of Bloom vectors with at most h ones."""

    def bit(shown: tuple[int, ...], bloom: int) -> Fraction:
        """Over both values of the permanent bit."""
        permanent = 1 - f / 2 if bloom else f / 2
        one, zero = Fraction(1), Fraction(1)
        for y in shown:
            one *= q if y else 1 - q
            zero *= p if y else 1 - p
        return permanent * one + (1 - permanent) * zero

    patterns = [*product((0, 1), repeat=r)]
    vectors = [v for v in product((0, 1), repeat=k) if 1 <= sum(v) <= h]
    worst = Fraction(1)
    for x, x2 in product(vectors, repeat=2):
        ratio = Fraction(1)
        for a, b in zip(x, x2, strict=True):
            ratio *= max(bit(y, a) / bit(y, b) for y in patterns)
        worst = max(worst, ratio)
    return worst


def test_the_golden_values_of_the_published_configuration(tmp_path: Path) -> None:
    path = tmp_path / "params.csv"
    path.write_text(",".join(PUBLISHED) + "\n" + ",".join(PUBLISHED.values()) + "\n")
    kind, read = read_configuration(path)
    result = audit_configuration(read, path.name)
    assert kind == "rappor"
    one, ever = result.found
    assert (
        one.ratio == (Fraction(11, 16) * Fraction(7, 16) / Fraction(9, 16) / Fraction(5, 16)) ** 2
    )
    assert (f"{one.value:.5f}", f"{ever.value:.5f}") == ("1.07429", "4.39445")
    assert ever.ratio == 81


@pytest.mark.parametrize("k,h", [(2, 1), (4, 2), (3, 2)])
@pytest.mark.parametrize(
    "p,q,f", [("0.5", "0.75", "0.5"), ("0.75", "0.5", "0.2"), ("1/3", "2/3", "1")]
)
def test_rappor_equals_its_table_written_out(k: int, h: int, p: str, q: str, f: str) -> None:
    given = values(k=str(k), h=str(h), m="1", p=p, q=q, f=f)
    for reports in (1, 2, 3):
        expected = by_enumeration(k, h, Fraction(p), Fraction(q), Fraction(f), reports)
        assert rappor(given, reports).ratio == expected


def test_a_day_lies_between_one_report_and_for_ever() -> None:
    result = audit_configuration(values(**PUBLISHED), "c", reports_per_day=48)
    one, day, ever = (each.value for each in result.found)
    assert one < day < ever
    assert result.found[1].period == "a day of 48 reports"


def test_a_claim_is_about_a_period() -> None:
    for period, epsilon, verdict in (
        ("report", 1.08, AuditVerdict.CONSISTENT),
        ("report", 1.07, AuditVerdict.VIOLATED),
        ("ever", 4.39, AuditVerdict.VIOLATED),
        ("ever", 4.3945, AuditVerdict.CONSISTENT),
    ):
        found = audit_configuration(values(**PUBLISHED), "c", epsilon=epsilon, period=period)
        assert found.verdict is verdict


def test_no_permanent_noise_is_infinite_for_ever() -> None:
    result = audit_configuration(values(**{**PUBLISHED, "f": "0"}), "c", epsilon=5.0, period="ever")
    assert result.found[-1].value == inf
    assert result.verdict is AuditVerdict.VIOLATED


def test_k_rr_and_count_mean_sketch() -> None:
    krr = audit_configuration(values(k="4", flip="0.3"), "c")
    assert krr.found[0].ratio == 7
    assert krr.found[-1].value == inf
    cms = audit_configuration(
        values(m="1024", epsilon="4", reports_per_day="2"), "c", epsilon=8.0, period="day"
    )
    assert cms.verdict is AuditVerdict.CONSISTENT
    assert cms.found[1].value == pytest.approx(8)
    assert cms.slack == pytest.approx(0, abs=1e-12)
    flipped = audit_configuration(values(m="256", flip="1/4"), "c")
    assert flipped.found[0].value == pytest.approx(2 * log(3))
    without = audit_configuration(values(k="2", flip="1/2"), "c")
    assert without.found[-1].value == 0.0


@pytest.mark.parametrize(
    "given,said",
    [
        ({"k": "16"}, "names of one of"),
        ({**PUBLISHED, "h": "17"}, "at most k"),
        ({**PUBLISHED, "p": "1.5"}, "at most 1"),
        ({**PUBLISHED, "k": "2.5"}, "whole number"),
        ({"k": "1", "flip": "0.1"}, "whole number"),
    ],
)
def test_a_configuration_that_is_none_is_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        audit_configuration(values(**given), "c")


def test_a_claim_about_a_day_needs_its_reports() -> None:
    with pytest.raises(ParameterError, match="day"):
        audit_configuration(values(**PUBLISHED), "c", epsilon=1.0, period="day")


def test_the_page_of_deployed_systems_is_what_its_script_writes() -> None:
    """Chrome's published rate for 2,925 states at eps = 14 is this number, to the last digit."""
    assert randomized_rate(2925, 14.0) == pytest.approx(0.0024263221679834, abs=5e-17)
    assert epsilon_of(2925, 0.0024263221679834) == pytest.approx(14.0, abs=1e-9)
    assert epsilon_of(2925, 0.00243) < 14.0 - 1e-3
    written = Path(deployments.__file__).with_name("RESULTS.md").read_text()
    assert written == deployments.page()
    assert all("assumed" in row.source or "read in" in row.source for row in deployments.rows())


def test_what_a_source_can_send_is_counted() -> None:
    """Chrome's 2,925 states, and every list of reports of a small source; order is not seen."""
    assert deployments.states_of(data=8, windows=3, reports=3) == 2925
    for data, windows, most in ((2, 1, 1), (2, 2, 2), (3, 2, 3)):
        kinds = [*product(range(data), range(windows))]
        lists = {tuple(sorted(sent)) for n in range(most + 1) for sent in product(kinds, repeat=n)}
        assert deployments.states_of(data, windows, most) == len(lists)
        ordered = sum(len(kinds) ** n for n in range(most + 1))
        assert most == 1 or deployments.states_of(data, windows, most) != ordered


def test_numbers_of_reports_follow_from_the_tables() -> None:
    """Beside the classes' own variances; a client that draws both bits alike needs for ever."""
    grr, sue = GRR(1.5, 7), SUE(1.672, 32)
    for mechanism in (grr, sue):
        one, zero = float(mechanism.p_star), float(mechanism.q_star)
        assert deployments.of_bit(one, zero) == pytest.approx(mechanism.variance(1, 0.0), rel=1e-9)
    needed = deployments.bits_of_buckets(1.672, 32, 32).needed
    assert needed == deployments.reports_for(sue.variance(1, 0.0))
    assert deployments.bits_of_buckets(1.672, 32, 16).needed == pytest.approx(2 * needed, abs=2)
    drawn = next(row for row in deployments.rows() if row.system.endswith("as drawn"))
    declared = next(row for row in deployments.rows() if row.system.endswith("as declared"))
    assert (drawn.report, drawn.needed) == (0.0, inf)
    assert declared.report == pytest.approx(4 * log(0.65 / 0.35))
    assert deployments.reports_in(drawn) == "none suffices"
