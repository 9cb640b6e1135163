"""Large explicit tables: by column they are judged as pair by pair, and wrong cells are found."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from sympy import Rational, exp

from ldp_verified.derive import Facts, NoEstimator, simple
from ldp_verified.language import LDP, Matrix, Mechanism, Unbiased, forms, real
from ldp_verified.prove import Status, verify
from ldp_verified.prove.certificates.checker import check
from ldp_verified.prove.certificates.modular import full_rank
from ldp_verified.prove.certificates.obligations import obligations
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.prepared import case

EPS = real("eps", above=0)
U = exp(EPS)


def ring_table(k: int) -> list[list[Any]]:
    """Not symmetric: the next value is likelier than the one before."""
    row = [U**2, U, 1, *[1] * (k - 3)]
    total = sum(row)
    return [[row[(j - i) % k] / total for j in range(k)] for i in range(k)]


def response(k: int) -> list[list[Any]]:
    return [[(U if i == j else 1) / (U + k - 1) for j in range(k)] for i in range(k)]


def shown(mechanism: Mechanism) -> dict[str, bool]:
    this = case(mechanism)
    kinds: dict[str, bool] = {}
    for outcome in check(this.statement, this.certificate):
        kind = outcome.obligation.kind
        kinds[kind] = kinds.get(kind, True) and outcome.shown
    return kinds


@pytest.mark.parametrize("rows", [response(4), ring_table(4), [r + r for r in response(3)]])
def test_both_ways_derive_the_same(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if len(rows[0]) == 2 * len(rows):
        rows = [[cell / 2 for cell in row] for row in rows]

    def mechanism() -> Mechanism:
        return Mechanism("m", parameters=[EPS], table=Matrix(rows))

    by_pair, one = Facts(mechanism()), shown(mechanism())
    assert by_pair.large is None
    first = (by_pair.tight, by_pair.support, by_pair.variance, by_pair.equal_support)
    monkeypatch.setattr(forms, "MOST_PAIR_ROWS", 0)
    by_column, other = Facts(mechanism()), shown(mechanism())
    assert by_column.large is not None
    assert first[:2] == (by_column.tight, by_column.support)
    assert by_column.equal_support is first[3]
    if first[2] is None:
        assert by_column.variance is None
    else:
        assert simple(by_column.variance - first[2]) == 0
    assert set(by_column.total_mass) == {1}
    assert other == one


def test_a_large_response_is_proved_with_few_obligations() -> None:
    table = Matrix(response(64))
    mechanism = Mechanism(
        "m", parameters=[EPS], table=table, claims=[LDP(EPS, tight=True), Unbiased()]
    )
    assert len(obligations(case(mechanism).statement)) < 20
    result = verify(mechanism, smt=False, coq=False)
    assert result.needs == {Status.ONE_GROUP}
    decided = {v.obligation: v.status for v in result.verdicts}
    assert decided["ratio"] is decided["tight"] is decided["unbiased"] is Status.ONE_GROUP


def test_one_wrong_cell_of_a_large_table_is_the_witness() -> None:
    rows = response(64)
    rows[17][40], rows[17][41] = rows[17][40] * Rational(3, 2), rows[17][41] / 2
    table = Matrix(rows)
    mechanism = Mechanism("m", parameters=[EPS], table=table, claims=[LDP(EPS)])
    found = {f.obligation: f for f in enumerate_obligations(mechanism)}["ratio"]
    assert found.witness is not None
    values = found.witness.values
    # The halved cell stands below the truth of its column.
    assert (values["x"], values["x'"], values["y"]) == ("41", "17", "41")
    ratio, bound = (sympy.Rational(values[name]) for name in ("ratio", "bound"))
    assert ratio == 2 * bound
    assert not shown(mechanism)["ratio"]


def test_a_wrong_weight_is_not_shown_to_be_unbiased() -> None:
    this = case(Mechanism("m", parameters=[EPS], table=Matrix(response(20)), claims=[Unbiased()]))
    stated = {**this.statement}
    index = [list(row) for row in stated["weights"]["index"]]
    index[3][5] = 1 - index[3][5]
    stated["weights"] = {**stated["weights"], "index": index}
    wrong = [o.name for o in obligations(stated) if o.kind == "unbiased" and o.value.numerator]
    assert wrong


def test_dependent_rows_are_refuted_with_the_rank() -> None:
    # The products modulo 7 have the trivial character and the three odd ones; the row of ones is
    # a fifth direction.
    rows = [[Rational(1 + (i * j) % 7, 1) for j in range(128)] for i in range(127)]
    rows = [[cell / sum(row) for cell in row] for row in rows]
    rows.append([(a + b) / 2 for a, b in zip(rows[0], rows[1], strict=True)])
    table = Matrix(rows)
    mechanism = Mechanism("m", parameters=[], table=table, claims=[Unbiased()])
    found = Facts(mechanism).estimator
    assert isinstance(found, NoEstimator)
    assert "rank 5 < 128" in found.reason
    (verdict,) = [
        v for v in verify(mechanism, smt=False, coq=False).verdicts if v.obligation == "unbiased"
    ]
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None
    assert "rank 5" in verdict.witness.explanation


def test_rank_modulo_a_prime_never_shows_more_than_is_true() -> None:
    table = Matrix([[1, 2, 3], [2, 4, 6], [0, 0, 1]])
    index = table.layout.index
    tops = [int(c.p) for c in table.layout.cells]
    assert not full_rank(tops, [1] * len(tops), index, 2097143)
    unit = Matrix([[1, 0], [0, 2]])
    tops = [int(c.p) for c in unit.layout.cells]
    assert full_rank(tops, [1] * len(tops), unit.layout.index, 2097143)
    assert not full_rank(tops, [1] * len(tops), unit.layout.index, 2**20)  # no prime
    assert not full_rank(tops, [2097143] * len(tops), unit.layout.index, 2097143)
