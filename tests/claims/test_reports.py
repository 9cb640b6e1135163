"""Sizes of reports, costs of many, users of queries: each computed a second way."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import log

from ldp_verified.analysis.utility.queries import noisy_bit
from ldp_verified.check.claims import (
    QUERIES_ASKED,
    Context,
    RulingKind,
    hash_reports,
    query_sizes,
    repeated_reports,
)
from ldp_verified.check.claims.reports import tail_in_integers
from ldp_verified.check.claims.tail_claims import tail_by_convolution


def test_hashed_reports_are_logarithmic_where_looked_at() -> None:
    found = hash_reports().decide(Context())
    assert found.kind is RulingKind.CHECKED
    assert "522 cases" in found.detail


@pytest.mark.parametrize(("total", "kind"), [(31, RulingKind.REFUTED), (32, RulingKind.CHECKED)])
def test_sixteen_reports_of_almost_two(total: int, kind: RulingKind) -> None:
    # 16 ln 7 = 31.13
    assert repeated_reports(16, total, ("7",)).decide(Context()).kind is kind


def test_a_constant_does_not_do_for_many_queries_and_a_logarithm_does() -> None:
    few = query_sizes(users=8 * QUERIES_ASKED).decide(Context())
    assert few.kind is RulingKind.REFUTED
    assert few.witness is not None
    assert int(few.witness.parameters["t"]) > 1
    assert (
        query_sizes(users=3 * QUERIES_ASKED * log(20 * QUERIES_ASKED)).decide(Context()).kind
        is RulingKind.CHECKED
    )


def test_the_tail_of_a_query_in_integers_and_user_by_user() -> None:
    bit = noisy_bit(Fraction(2), Fraction(1, 2))
    for users, tau in ((5, Fraction(1, 2)), (12, Fraction(1, 4))):
        assert tail_in_integers(bit, users, tau) == tail_by_convolution([(bit, users)], tau * users)
