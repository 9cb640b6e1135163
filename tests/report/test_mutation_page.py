"""The kept page of the mutation matrix: every number and every exception stands on it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ldp_verified.app.report.mutation_page import markdown
from ldp_verified.prove.mutation.mutants import Mutant
from ldp_verified.prove.mutation.mutate import Judged
from tests.report.test_mutation import (
    COUNTED,
    ENOUGH,
    GRR,
    LIMITED,
    REFUSED,
    SAME,
    SHORT,
    STRICT,
    report,
)


@pytest.fixture
def page() -> str:
    return markdown(report(ENOUGH, COUNTED, SHORT, LIMITED, SAME, STRICT, REFUSED), "abc123")


def test_where_it_comes_from(page: str) -> None:
    assert page.startswith("# Mutation matrix\n")
    assert f"on {datetime.now(UTC).date().isoformat()} at commit abc123, in 1 s" in page
    assert "Asked: certificate, enumeration, identities, coq." in page


def test_counts_by_mechanism_and_by_kind(page: str) -> None:
    """Four wrong ones; coq rejects what it rejected before, so it gets none."""
    numbers = "4 | 2 | {} | 2 | 3 (1 not judged) | 1 (2 not judged) | 0 | 1 |"
    assert f"| grr | 7 | {numbers.format(1)}" in page
    assert f"| all | 7 | {numbers.format(1)}" in page
    assert f"| lambda | 6 | {numbers.format(0)}" in page
    assert "| epsilon | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 | - |" in page
    assert "| 1 | 2 |\n| 2 | 2 |" in page


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("Rejected by fewer than two independent routes", "grr: lambda: missed (enumeration)"),
        ("Judged by fewer than two routes", "grr: lambda: alone: one route only: the table"),
        ("Accepted by certificate and smt", "grr: lambda: counted (enumeration, identities)"),
        ("Equivalent: still true, with the reason", "grr: lambda: same: only the names change"),
        ("Equivalent, but not accepted", "grr: lambda: strict: certificate: because"),
        ("Refused by the vocabulary", "grr: epsilon: odd: not rational"),
        ("Not accepted before any change", "grr: coq: because"),
        ("Not judged, by checker", "grr: lambda: identities: cannot (2 variants)"),
    ],
)
def test_every_exception_is_listed(page: str, head: str, line: str) -> None:
    (section,) = (part for part in page.split("\n## ") if part.startswith(head))
    assert f"- {line}" in section


def test_what_does_not_occur_is_said_to_be_none() -> None:
    page = markdown(report(ENOUGH), "abc123")
    assert "## Rejected by fewer than two independent routes\n\nNone." in page
    assert "Every wrong one is rejected by at least two independent routes." in page


def test_what_was_not_run_is_named() -> None:
    """Nothing is said of a mechanism whose variants were not run."""
    page = markdown(replace(report(ENOUGH), left=("grr", "oue"), recorded=1), "abc123")
    assert "Of these results 1 are from earlier runs" in page
    assert "All variants were run of: no mechanism." in page
    assert "Some variants were run, and the others not, of: grr." in page
    assert "Not run: oue. `make mutation` goes on there." in page
    assert "| oue |" not in page
    assert "2 mechanisms for which time did not suffice" in page
    assert "All variants were run of: grr." in markdown(report(ENOUGH), "abc123")


def test_markup_is_escaped() -> None:
    odd = Judged(Mutant("epsilon", "a*b < c|d_e", GRR, None, "two\nlines"), "", {}, {})
    page = markdown(report(odd, ENOUGH), "a")
    assert "- grr: epsilon: a\\*b \\< c\\|d\\_e: two lines\n" in page
