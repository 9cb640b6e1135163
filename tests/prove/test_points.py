"""The points at which tables are enumerated."""

from __future__ import annotations

from fractions import Fraction

import sympy

from ldp_verified.language import Domain, Matrix, Mechanism, integer, load, real
from ldp_verified.prove.enumeration.points import (
    LARGEST,
    MAX_COMBINATIONS,
    candidates,
    describe,
    points,
)


def _values(name: str, symbol: str) -> set[Fraction]:
    found = points(load(name)[0])
    return {value for point in found for key, value in point.items() if key.name == symbol}


def test_every_size_up_to_eight_with_several_u() -> None:
    mechanism = load("olh")[0]
    by_name = [{s.name: v for s, v in p.items()} for p in points(mechanism)]
    ratios = {p["u"] for p in by_name}
    sizes = {(Fraction(k), Fraction(g)) for k in range(2, 9) for g in range(2, 9)}
    assert {(p["k"], p["g"]) for p in by_name} == sizes
    assert len(ratios) >= 5
    assert min(ratios) - 1 <= Fraction(1, 100)
    assert max(ratios) >= 100
    assert len(by_name) == 49 * len(ratios)


def test_points_lie_in_the_domain() -> None:
    for name in ("warner", "grr", "sue"):
        mechanism = load(name)[0]
        for point in points(mechanism):
            exact = {s: sympy.Rational(v.numerator, v.denominator) for s, v in point.items()}
            assert all(d.contains(exact[s], exact) for s, d in mechanism.variables.items())


def test_ends_are_tried_where_they_belong_to_the_domain() -> None:
    closed = Domain(lower=sympy.Integer(0), upper=sympy.Integer(1))
    assert {Fraction(0), Fraction(1)} <= set(candidates(closed, {}))
    half_open = Domain(sympy.Integer(0), sympy.Integer(1), lower_open=True)
    found = set(candidates(half_open, {}))
    assert Fraction(1) in found
    assert Fraction(0) not in found


def test_bounds_in_earlier_parameters() -> None:
    a = sympy.Symbol("a")
    above = Domain(lower=a, upper=sympy.Integer(1), lower_open=True, upper_open=True)
    assert all(Fraction(1, 2) < value < 1 for value in candidates(above, {a: Fraction(1, 2)}))
    assert candidates(above, {a: Fraction(1)}) == ()
    whole = Domain(lower=sympy.Integer(1), upper=a - 1, integer=True)
    assert candidates(whole, {a: Fraction(4)}) == (Fraction(1), Fraction(2), Fraction(3))


def test_integers_that_start_above_the_largest() -> None:
    big = Domain(lower=sympy.Integer(50), integer=True)
    assert candidates(big, {}, 8) == (Fraction(50), Fraction(51))


def test_many_parameters_are_spread_and_each_takes_all_its_values() -> None:
    symbols = [real(name, above=0, below=1) for name in "abcdeg"]
    w = integer("w", at_least=1, at_most=5)
    a = symbols[0]
    table = Matrix([[a, 1 - a], [1 - a, a]])
    found = points(Mechanism("many", parameters=[*symbols, w], table=table))
    assert 0 < len(found) <= MAX_COMBINATIONS
    for symbol in symbols:
        assert {p[symbol] for p in found} == set(candidates(symbol.domain, {}))
    assert {p[w] for p in found} == {Fraction(i) for i in range(1, 6)}
    pairs = {(p[symbols[0]], p[symbols[1]]) for p in found}
    assert len(pairs) > 5  # They do not move in step.


def test_description_names_what_was_covered() -> None:
    assert describe(points(load("grr")[0])).startswith("k = 2..8; u = 1001/1000, 3/2, 2, 3")
    assert describe([]) == "no points"


def test_integers_far_below_the_largest_one_are_not_listed() -> None:
    found = [int(value) for value in candidates(integer("m", at_least=-(10**6)).domain, {})]
    assert found == [-(10**6), 1 - 10**6, *range(-LARGEST, LARGEST + 1)]
    near = candidates(integer("m", at_least=-100).domain, {})
    assert [*map(int, near)] == [*range(-100, LARGEST + 1)]
