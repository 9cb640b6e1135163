"""The vocabulary of points on a line: what its symbols stand for, and what it refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from sympy import Rational, exp, log

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    Holds,
    Mechanism,
    MetricLDP,
    Points,
    Unbiased,
    apart,
    integer,
    left,
    near,
    real,
    right,
    span,
)
from ldp_verified.prove.enumeration.expand import expand

k = integer("k", at_least=2)
t = real("t", above=0, below=1)
inner = (1 - t) / (1 + t) * near
TABLE = Points(k, decay=t, cell=inner, low_end=left / (1 + t), high_end=right / (1 + t))


def declared(*claims: Any, table: Any = TABLE) -> Mechanism:
    return Mechanism("line", parameters=[k, t], table=table, claims=claims)


@pytest.mark.parametrize("size", [2, 3, 6])
def test_the_table_is_noise_whose_ends_take_the_rest(size: int) -> None:
    """Against the noise itself, added up far beyond the ends, what is left in closed form."""
    decay = Fraction(1, 3)
    table = expand(declared(), {"k": size, "t": decay})
    for x in range(size):
        wanted = [Fraction(0)] * size
        far = 40
        for z in range(-far, far + 1):
            mass = (1 - decay) / (1 + decay) * decay ** abs(z)
            wanted[min(max(x + z, 0), size - 1)] += mass
        beyond = decay ** (far + 1) / (1 + decay)
        wanted[0] += beyond
        wanted[-1] += beyond
        assert [table.probability(column, x) for column in table.columns] == wanted


def test_powers_of_the_number_of_points_are_those_of_the_span() -> None:
    assert TABLE.in_powers(t ** (1 - k)) == 1 / span
    assert TABLE.in_powers(exp(2 * (k - 1) * log(1 / t))) == span**-2
    assert TABLE.in_powers(t**k) == t * span
    assert str(TABLE.spelled_out(1 / span)) == "-(k - 1)*log(t)"
    assert declared(LDP((k - 1) * log(1 / t))).algebraic("x", t ** (1 - k)) == 1 / span


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Points(5, decay=t, cell=near), "write a Matrix"),
        (lambda: Points(integer("m", at_least=1), decay=t, cell=near), "at_least=2"),
        (lambda: Points(k, decay=near, cell=near), "decay"),
        (lambda: Points(k, decay=t, cell=span * near), "span"),
        (lambda: Points(k, decay=t, cell=near, low_end=near), "low_end"),
        (lambda: Points(k, decay=t, cell=1 / (1 + near)), "polynomial in near"),
        (lambda: Points(k, decay=t, cell=near**5), "power 4"),
        (lambda: Points(k, decay=t, cell=0.5 * near), "not a float"),
        (lambda: declared(Unbiased()), "MetricLDP and Holds"),
        (lambda: declared(LDP((k - 1) * log(1 / t), delta=t)), "without delta"),
        (lambda: declared(MetricLDP(log(1 / t), lambda a, b: abs(a - b))), "apart"),
        (lambda: declared(MetricLDP(log(1 / t) / 2, apart)), "integer multiple"),
        (lambda: declared(LDP((k - 1) * log(2))), "integer multiple"),
        (TABLE.pair_tables, "pair tables"),
        (
            lambda: Mechanism("m", parameters=[k, t, real("left", above=0)], table=TABLE),
            "a symbol of its own",
        ),
    ],
)
def test_what_cannot_be_said_is_refused(make: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        make()


def test_relations_between_parameters_are_said() -> None:
    assert declared(Holds(t * Rational(1, 2) < 1)).claims


def test_it_shows_its_formulas() -> None:
    shown = declared()
    assert "low_end" in shown._repr_html_()
    assert "low end" in shown._repr_latex_()
