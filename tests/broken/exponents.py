"""Claims whose epsilon is made of parameters that the table is made of, too, and are false.

The first is the one that such claims are needed for; the others are false in a part of the domain,
at a number, with a factor, or in being called tight.
"""

from __future__ import annotations

from typing import Any

from sympy import Rational, log

from ldp_verified.language import (
    LDP,
    Bits,
    Design,
    Matrix,
    Mechanism,
    OneHot,
    Singletons,
    exp,
    integer,
    real,
)

half = Rational(1, 2)
g = real("g", above=0, below=half)
small = real("g", above=0, below=Rational(1, 8))
k, eps = integer("k", at_least=2), real("eps", above=0)
u = exp(eps)
GRR = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))


def table(by: Any) -> Matrix:
    """The binary table of 1/2 + g."""
    return Matrix([[half + by, half - by], [half - by, half + by]])


def _claim(name: str, parameters: list[Any], form: Any, claim: Any) -> Mechanism:
    return Mechanism(name, parameters=parameters, table=form, claims=[claim])


# Name -> (mechanism, the obligation that fails).
FALSE: dict[str, tuple[Mechanism, str]] = {
    "1/2 + g is g-LDP": (_claim("raw", [g], table(g), LDP(g)), "ratio"),
    "1/2 + g is 4g-LDP": (_claim("four", [g], table(g), LDP(4 * g)), "ratio"),
    "5g-LDP, but not everywhere": (_claim("five", [g], table(g), LDP(5 * g)), "ratio"),
    "5g-LDP, called tight": (
        _claim("tight", [small], table(small), LDP(5 * small, tight=True)),
        "tight",
    ),
    "20g-LDP, but not next to 1/2": (_claim("twenty", [g], table(g), LDP(20 * g)), "ratio"),
    "200g-LDP, but not next to 1/2": (_claim("more", [g], table(g), LDP(200 * g)), "ratio"),
    "half a nat": (_claim("number", [small], table(small), LDP(half)), "ratio"),
    "one nat of eps": (_claim("one", [eps, k], GRR, LDP(1)), "ratio"),
    "a factor too small": (_claim("factor", [g], table(g), LDP(log(half) + 5 * g)), "ratio"),
    "a negative epsilon": (_claim("negative", [g], table(g), LDP(-g)), "ratio"),
    "one-hot bits": (
        _claim("bits", [g, k], Bits(half + g, half - g, OneHot(k)), LDP(8 * g)),
        "ratio",
    ),
}
