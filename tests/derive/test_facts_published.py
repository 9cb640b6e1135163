"""Our closed forms against the published ones, for all parameters; each difference explained."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from ldp_verified.language import f
from tests.derive.published import (
    ACHARYA,
    APPLE,
    ARCOLEZI,
    DUCHI,
    ERLINGSSON,
    FELDMAN,
    FIRST,
    KAIROUZ,
    LI,
    NUMERIC,
    POINT,
    SPECS,
    WANG,
    YE,
    Published,
    s,
)
from tests.derive.published_more import (
    DING,
    DWORK,
    FAKES,
    GEOMETRIC,
    GHOSH,
    LOLOHA,
    MORE,
    STAIRCASE,
)

TABLE = [*FIRST, *MORE]
NAMES = [entry.source for entry in TABLE]


@pytest.mark.parametrize("entry", TABLE, ids=NAMES)
def test_ours_is_the_published_one_or_differs_as_stated(entry: Published) -> None:
    assert entry.remainder() == 0
    assert bool(entry.because) == (entry.differs != 0)


@pytest.mark.parametrize("entry", TABLE, ids=NAMES)
def test_another_formula_is_noticed(entry: Published) -> None:
    """At a point: that two closed forms differ is seen there, and takes no expanding."""
    for wrong in (entry.formula + sympy.Rational(1, 1000), entry.formula * 2):
        assert abs(replace(entry, formula=wrong).remainder_at(POINT)) > sympy.Rational(1, 10**6)
    assert abs(entry.remainder_at(POINT)) < sympy.Rational(1, 10**20)


def test_an_unexplained_difference_is_noticed() -> None:
    explained = [entry for entry in TABLE if entry.because]
    assert explained
    least = sympy.Rational(1, 10**6)
    assert all(abs(replace(e, differs=0).remainder_at(POINT)) > least for e in explained)


def test_every_publication_has_entries() -> None:
    """Those of the sources that print closed forms; bounds and optima are in the file `_optima`."""
    wanted = [WANG, YE, ACHARYA, KAIROUZ, ERLINGSSON, APPLE, DUCHI, NUMERIC, LI, FELDMAN, ARCOLEZI]
    wanted += [LOLOHA, FAKES, DING, DWORK, GEOMETRIC, GHOSH, STAIRCASE]
    assert [each for each in wanted if not any(name.startswith(each) for name in NAMES)] == []
    assert len(set(NAMES)) == len(NAMES)
    assert {entry.spec for entry in TABLE} <= set(SPECS)


def test_the_permanent_response_of_rappor_costs_what_its_authors_say() -> None:
    """Erlingsson, Pihur, Korolova 2014: 2 h ln((1 - f/2)/(f/2)), f the noise, at h = 2."""
    spec = SPECS["rappor_permanent"]
    noise = next(symbol for symbol in spec.parameters if symbol.name == "noise")
    (claim,) = spec.claims
    printed = ((1 - noise / 2) / (noise / 2)) ** 4
    assert sympy.simplify(sympy.exp(claim.epsilon) - printed) == 0  # type: ignore[union-attr]  # an LDP claim


def test_the_switch_of_the_hybrid_is_the_printed_one() -> None:
    """Wang et al. 2019 print e^eps* as a root in radicals; ours is a zero of a polynomial in s."""
    radicals = [sympy.cbrt(6353 + sign * 405 * sympy.sqrt(241)) for sign in (1, -1)]
    printed = (-5 + 2 * radicals[0] + 2 * radicals[1]) / 27
    (zero,) = sympy.real_roots(sympy.Poly(3 * s**3 - s**2 + s - 7, s))
    assert abs(sympy.N(printed - zero**2, 40)) < sympy.Float("1e-30")
    assert abs(sympy.N(2 * sympy.log(zero)) - 0.61) < 0.005


def test_local_hashing_and_unary_encoding_agree_where_the_paper_says() -> None:
    """Wang et al. 2017: OLH at g = e^eps + 1 and OUE have one variance, at every f too."""
    from tests.derive.published import g, ours, u

    gap = ours("olh", "variance").subs(g, u + 1) - ours("oue", "variance")
    assert sympy.cancel(gap) == 0
    assert ours("oue", "variance").has(f)
