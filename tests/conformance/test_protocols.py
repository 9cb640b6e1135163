"""Protocols conform, and planted-wrong clients are rejected.

Level: each run over right code has level 1e-9. Power: where a fault shows in two reports together,
its deviation is computed below and is more than the run says it detects, so that it is missed in
at most one of 10^8 runs; other faults change the classes that they are looked for in by more.
"""

from __future__ import annotations

import runpy
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.check.conformance import ConformanceOutcome, conform
from ldp_verified.check.conformance.exact import BinomialTests
from ldp_verified.check.conformance.kept_answers import agree
from ldp_verified.check.conformance.memoised import memoised_subject, reader
from ldp_verified.check.conformance.protocols import PROTOCOLS, protocol_of
from ldp_verified.check.conformance.run import LEVEL, MISS, defaults, known_name, names
from ldp_verified.check.conformance.stateful_clients import (
    CLIENT_SHARE,
    differing,
    law,
    tallied,
)
from ldp_verified.check.conformance.vectors import corner_masses
from ldp_verified.errors import ParameterError
from ldp_verified.language import Matrix, Mechanism, real
from ldp_verified.protocols import LGRR, LOLOHA, LSUE, DBitFlip
from ldp_verified.spec_files import catalogue
from tests.broken.clients import CLIENTS, PERMANENT, REPORT

if TYPE_CHECKING:
    from ldp_verified.check.conformance.results import Comparison

ALARM = 1e-9
N = 2_000_000
"""As in a run without options: 1600 clients of each protocol that has some."""

FEW = 1_000_000
"""Enough for what shows in single reports."""


def _said(c: Comparison) -> str:
    return f"{c.subject}: {c.name}: {c.worst}: {c.observed} not {c.expected}, p = {c.p_value}"


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_conforms(name: str) -> None:
    report = conform(name, n=N, level=ALARM)
    worst = [_said(c) for c in report.comparisons if c.outcome is not ConformanceOutcome.PASSED]
    assert report.outcome is ConformanceOutcome.PASSED, f"seed {report.seed}: {worst}"
    assert sum(c.level for c in report.comparisons) <= ALARM * (1 + 1e-9)
    assert all(0 < c.detectable <= c.limit for c in report.comparisons)


@pytest.mark.parametrize("what", CLIENTS)
def test_a_wrong_client_is_rejected(what: str) -> None:
    make, shows = CLIENTS[what]
    report = conform(make(), n=N if "two" in shows else FEW if shows != "estimates" else 100_000)
    found = [c for c in report.rejected if c.name.startswith(shows)]
    assert found, f"seed {report.seed}: {[_said(c) for c in report.rejected]}"


def test_names_of_specs_stand_for_their_protocols() -> None:
    assert protocol_of("l_sue") == protocol_of("lsue") == known_name("l_sue", "NAME") == "lsue"
    assert known_name("she_grid", "NAME") == "she"
    assert known_name("basic_rappor", "NAME") == "basic_rappor"  # it has a class of its own
    assert set(names()) == {*defaults(), *PROTOCOLS}
    with pytest.raises(ParameterError, match="NAME: must be one of basic_rappor"):
        known_name("nothing", "NAME")


def test_too_few_clients_are_no_pass() -> None:
    report = conform("lgrr", n=100_000)
    assert report.outcome is ConformanceOutcome.INCONCLUSIVE
    assert not report.rejected


def test_a_law_has_to_add_up_and_counts_what_is_none_of_its_classes() -> None:
    half = Fraction(1, 2)
    with pytest.raises(ParameterError, match="must add up to 1"):
        law("x", {"a": half, "b": half / 2})
    look = law("x", {"a": half, "b": half})
    assert tallied(np.array([0, 1, 1, -1, 2, 7]), look).tolist() == [1, 2, 3]
    assert differing([1.0, 2.0, float("nan")], [1.0, 2.1, 0.0], 7).tolist() == [0, 7, 7]


def test_steps_that_are_not_the_specs_are_refused() -> None:
    with pytest.raises(ParameterError, match="must follow its spec"):
        agree("x", (Fraction(1, 2), Fraction(1, 3)))
    with pytest.raises(ParameterError, match="must be a memoised protocol"):
        reader(object())  # type: ignore[arg-type]  # that is what is refused


def test_the_law_of_two_reports_is_the_mixture() -> None:
    """For two answers by hand: p is kept, and each report lies with chance l."""
    made = LGRR(1.0, 0.5, 2)
    tables = reader(made).tables
    p, lie = made.first.p, Fraction(made.thresholds[-1], 1 << 64)
    both = tables.two(0, 0)
    assert both["choice 0, 0 then 0"] == p * (1 - lie) ** 2 + (1 - p) * lie**2
    one = tables.one(0)["choice 0, 0"]
    assert one == p * (1 - lie) + (1 - p) * lie
    assert both["choice 0, 0 then 0"] > one**2
    assert tables.two(0, 1)["choice 0, 0 then 1"] == one**2


TABLES = {
    "LGRR": reader(LGRR(PERMANENT, REPORT, 4)).tables,
    "LSUE": reader(LSUE(PERMANENT, REPORT, 3)).tables,
    "DBitFlip": reader(DBitFlip(PERMANENT, 8, 4, 2)).tables,
}


@pytest.mark.parametrize("name", TABLES)
def test_what_two_reports_show_is_more_than_is_detected(name: str) -> None:
    """Reports from redrawn answers are independent; those of users who share a secret are not."""
    tables = TABLES[name]
    one, kept = [*tables.one(0).values()], [*tables.two(0, 0).values()]
    rows = [one[i : i + tables.symbols] for i in range(0, len(one), tables.symbols)]
    apart = [p * q * tables.choices for row in rows for p in row for q in row]
    assert sum(apart) == 1
    users = N // CLIENT_SHARE
    for n, null in ((users, kept), (users // 2, apart))[: 1 + (name == "LGRR")]:
        tests = BinomialTests(n, np.array([float(p) for p in null]))
        reach = tests.detectable(LEVEL / 6 / (len(kept) + 1), MISS)
        off = [abs(float(p - q)) for p, q in zip(kept, apart, strict=True)]
        assert any(distance > limit for distance, limit in zip(off, reach, strict=True))


def test_values_of_one_bucket_share_their_permanent_answer() -> None:
    tables = reader(LOLOHA(1.0, 0.5, 4, 2)).tables
    shared = [tables.memory(c, 0) == tables.memory(c, 3) for c in range(tables.choices)]
    assert sorted(shared) == [False, False, True, True]
    assert sum(tables.two(0, 3).values()) == 1


def test_corners_are_those_of_the_spec() -> None:
    """The table that is written out for any d is the spec's Matrix for d = 2 and 3."""
    corners = runpy.run_path(str(catalogue()["duchi_vector"]))["corners"]
    u, eps = Fraction(7, 2), real("eps", above=0)
    for d in (2, 3):
        spec = Mechanism("duchi_corners", parameters=[eps], table=corners(d), claims=[])
        form = spec.algebraic_table
        assert isinstance(form, Matrix)
        symbol = spec.generator.symbol
        for v, name in enumerate(form.inputs):
            shares = tuple(Fraction(sign == "+") for sign in name)
            own = corner_masses(d, u, shares)
            row = {
                t: cell.subs(symbol, "7/2")
                for t, cell in zip(form.outputs, form.rows[v], strict=True)
            }
            assert {t: Fraction(int(c.p), int(c.q)) for t, c in row.items()} == own


def test_a_subject_says_what_it_is() -> None:
    assert memoised_subject(LGRR(1.0, 0.5, 2)).name.startswith("LGRR(epsilon_permanent=1.0")
