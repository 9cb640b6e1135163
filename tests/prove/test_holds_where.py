"""A claim's region is called "iff" only if both directions are shown."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational, log

from ldp_verified.language import LDP, Bits, Design, Holds, Matrix, Mechanism, OneHot, integer, real
from ldp_verified.prove.certificates.checker import check
from ldp_verified.prove.certificates.holds_where import condition
from ldp_verified.prove.statements.certificate import find
from ldp_verified.prove.statements.statement import statement
from tests.broken.deltas import CONSTANT

half = Rational(1, 2)
p, q = real("p", above=0, below=1), real("q", above=0, below=1)
r, s = real("r", at_least=0, at_most=1), real("s", at_least=0, at_most=1)
k, met = integer("k", at_least=2), integer("met", at_least=0)


def said(table: Any, claim: Any, *parameters: Any, kind: str = "holds") -> str | None:
    mechanism = Mechanism("m", parameters=parameters, table=table, claims=[claim])
    stated = statement(mechanism)
    certificate = find(stated, "m", "")
    outcomes = [o for o in check(stated, certificate) if o.obligation.kind == kind]
    return condition(outcomes, certificate)


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        (p >= q, "holds iff p-q >= 0"),
        # At r = 0 and at r = 1/2 these hold whatever s is.
        (r * s >= r / 2, "holds if 2*s-1 >= 0"),
        ((2 * r - 1) ** 2 * s >= (2 * r - 1) ** 2 / 2, "holds if 2*s-1 >= 0"),
        # There these do not hold, whatever s is.
        (r * s > r / 2, "holds iff 2*s-1 > 0 and (r) != 0"),
        ((2 * r - 1) ** 2 * (s + 1) > 0, "holds iff (2*r-1) != 0"),
        (p * q > 1, "holds for no parameters"),
        (r * s > 2 * r, "holds for no parameters"),
        # It holds at r = 0.
        (r * s >= 2 * r, None),
    ],
)
def test_a_factor_that_may_be_zero_is_no_part_that_can_be_left_out(
    relation: Any, text: str | None
) -> None:
    used = sorted(relation.free_symbols, key=str)
    assert said(CONSTANT, Holds(relation), *used) == text


def test_a_bound_binds_where_there_are_outputs_of_its_row() -> None:
    """Two bits are written out; of blocks with both values there may be none."""
    bits = said(Bits(p, q, OneHot(2)), LDP(log(p * (1 - q) / (q * (1 - p)))), p, q, kind="ratio")
    assert bits == "holds iff p-q >= 0"
    alone = Matrix([[p, 1 - p], [half, half]])
    assert said(alone, LDP(log(2 * p)), p, kind="ratio") is None  # at p = 1/2 only
    blocks = Design(2 * k, k, met, p, q, values=k)
    text = said(blocks, LDP(log(p / q)), k, met, p, q, kind="ratio")
    assert text is not None
    assert text.startswith("holds if")


def test_every_event_is_needed() -> None:
    table = Matrix([[r / 2, half, half - r / 2], [half - r / 2, half, r / 2]])
    assert said(table, LDP(0, delta=r / 2), r, kind="ratio") == "holds iff 3*r-1 >= 0"
