"""Numbers and powers that nobody could write out or multiply out are refused where they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    Matrix,
    Mechanism,
    Rational,
    Unbiased,
    Variance,
    exp,
    integer,
    log,
    n,
    real,
)
from ldp_verified.language.expressions import MOST_DIGITS, MOST_POWER, MOST_POWER_OF_SUM, expression
from ldp_verified.prove.certificates.polynomials import MAX_MONOMIAL_POWER, MAX_POWER

eps = real("eps", above=0)
p = real("p", above=0, below=1)
u = exp(eps)
MANY = 10**2500


def coin(keep: Any, *claims: Any, assuming: tuple[Any, ...] = ()) -> Mechanism:
    table = Matrix([[keep, 1 - keep], [1 - keep, keep]])
    used = [s for s in (eps, p) if table.rows[0][0].has(s)]
    return Mechanism("m", parameters=used, table=table, claims=claims, assuming=assuming)


def test_the_limits_are_those_of_the_verifier() -> None:
    assert (MOST_POWER, MOST_POWER_OF_SUM) == (MAX_MONOMIAL_POWER, MAX_POWER)


POWERS = {
    "of e^eps": (u**1000 / (u**1000 + 1), r"e\^eps up to 512, got 'power 1000'"),
    "far above": (u**100000 / (u**100000 + 1), "power 100000"),
    "one above": (u**513 / (u**513 + 1), "power 513"),
    "below the line": (1 / (1 + exp(-1000 * eps)), "power 1000"),
    "of a root of e^eps": (
        exp(9 * eps) / (exp(eps / 64) + exp(9 * eps)),
        r"e\^\(eps/64\) up to 512",
    ),
    "of a product": (u**300 / ((u**300 + 1) * (u**301 + 1)), "power 601"),
    "of a parameter": (p**1000, "symbols up to 512, got 'power 1000'"),
    "of a sum": (u**65 / (u + 1) ** 65, "powers of sums up to 64, got 'power -65'"),
    "of a sum above the line": ((p * (1 - p)) ** 70, "powers of sums up to 64"),
}


@pytest.mark.parametrize("name", POWERS)
def test_a_power_that_no_checker_can_read_is_refused(name: str) -> None:
    keep, says = POWERS[name]
    with pytest.raises(
        SpecError, match=rf"table\.rows\[0\]\[0\]: must have powers? of.*{says}|{says}"
    ):
        coin(keep)


@pytest.mark.parametrize(
    "claim", [LDP(log(u**600 + 1)), Variance(n * u**600 / (u - 1) ** 2), Unbiased(u**600, 0)]
)
def test_the_same_holds_for_claims(claim: Any) -> None:
    with pytest.raises(SpecError, match=r"claims\[0\] .*must have powers of e\^eps up to 512"):
        coin(u / (u + 1), claim)


def test_powers_up_to_the_limit_stand() -> None:
    coin(u**512 / (u**512 + 1), LDP(512 * eps))
    coin(u / (u + 1), LDP(100000 * eps))
    coin(p**512)
    coin(u**64 / (u + 1) ** 64)


DIGITS: dict[str, Callable[[], Any]] = {
    "a cell": lambda: coin(Rational(1, MANY)),
    "a cell beside eps": lambda: coin(
        u / (u + 1) * (1 - Rational(1, MANY)) + Rational(1, 2 * MANY)
    ),
    "a numerator": lambda: coin(1 - p / 2 + Rational(MANY - 1, MANY) * p / 4),
    "a claim": lambda: coin(u / (u + 1), LDP(eps + Rational(1, MANY))),
    "an open bound": lambda: real("z", above=Rational(1, MANY)),
    "an upper bound": lambda: real("z", above=0, at_most=MANY),
    "a bound of integers": lambda: integer("z", at_least=MANY),
    "an assumption": lambda: coin(p, assuming=(p > Rational(1, MANY),)),
    "an integer of Python": lambda: expression("here", MANY),
    "a number in a power": lambda: expression("here", exp(eps / sympy.Integer(MANY))),
}


@pytest.mark.parametrize("name", DIGITS)
def test_numbers_of_very_many_digits_are_refused(name: str) -> None:
    with pytest.raises(SpecError, match=r"up to 1,000 digits.*got 'about 2,50\d digits'"):
        DIGITS[name]()


def test_the_largest_number_of_digits_stands() -> None:
    largest = 10**MOST_DIGITS - 1
    assert expression("here", Rational(1, largest)) == Rational(1, largest)
    with pytest.raises(SpecError, match="here: must have numbers of up to"):
        expression("here", 100 * largest)
