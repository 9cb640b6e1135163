"""Specs that a user might write: what has a numeric side, and what has none, as files."""

from __future__ import annotations

HEAD = '"""A user\'s own spec."""\n\nfrom ldp_verified.language import *\n\n'

TWO_COINS = """
two_coins = Mechanism("two_coins", parameters=[],
    table=Matrix([[Rational(3, 4), Rational(1, 4)], [Rational(1, 4), Rational(3, 4)]]))
"""
ONE_TIME = """
h = real("h", above=0, below=1)
d = integer("d", at_least=2)
one_time = Mechanism("one_time", title="One-time unary response", parameters=[h, d],
    table=Bits(one=1 - h / 2, zero=h / 2, encoder=OneHot(d)))
"""
HISTOGRAM = """
eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
histogram = Mechanism("histogram", parameters=[eps, k],
    table=Bits(one=u / (u + 1), zero=1 / (u + 1), encoder=OneHot(k)),
    claims=[LDP(2 * eps, tight=True)])
"""
FIVE = """
eps = real("eps", above=0)
u = exp(eps)
five = Mechanism("five", parameters=[eps],
    table=Design(5, 1, 0, u / (u + 4), 1 / (u + 4), structure=Singletons(5)))
"""
ACCEPTED = {
    "two_coins": TWO_COINS,
    "one_time": ONE_TIME,
    "histogram": HISTOGRAM,
    "five": FIVE,
}

_BITS = """
eps = real("eps", above=0)
k = integer("k", at_least={least})
u = exp(eps)
refused = Mechanism("refused", parameters=[eps, k{more}],
    table=Bits(one={one}, zero={zero}, encoder=OneHot(k)))
"""
_DESIGN = """
eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
refused = Mechanism("refused", parameters=[eps, k],
    table=Design({counts}, {cells}, structure={structure}))
"""
_MATRIX = """
refused = Mechanism("refused", parameters=[], table=Matrix({rows}{more}))
"""

_BLOCKS = """
eps = real("eps", above=0)
u = exp(eps)
triangle = Blocks(3, [[0, 1], [0, 2], [1, 2]])
refused = Mechanism("refused", parameters=[eps],
    table=Design(3, 2, 1, u / (2 * u + 1), 1 / (2 * u + 1), structure=triangle))
"""
_RATIONAL = """
x = real("{name}", {bounds})
refused = Mechanism("refused", parameters=[x], table=Matrix([[1 - x, x], [x, 1 - x]]))
"""
_SINGLE = "Singletons(k)"

REFUSED = {
    "no structure": (
        _DESIGN.format(counts="k, 1, 0", cells="u/(u + k - 1), 1/(u + k - 1)", structure="None"),
        "there is no sampler",
    ),
    "blocks": (_BLOCKS, "there is no sampler"),
    "sum": (
        _DESIGN.format(counts="k, 1, 0", cells="u/(u + k), 1/(u + k)", structure=_SINGLE),
        "must be a distribution",
    ),
    "counts": (
        _DESIGN.format(
            counts="2*k, 2, 0", cells="u/(2*u + 2*k - 2), 1/(2*u + 2*k - 2)", structure=_SINGLE
        ),
        "must be those of the structure",
    ),
    "swapped": (
        _DESIGN.format(
            counts="k, 1, 0", cells="1/(1 + (k - 1)*u), u/(1 + (k - 1)*u)", structure=_SINGLE
        ),
        "likelier of the two",
    ),
    "other least size": (
        _BITS.format(least=3, more="", one="Rational(1, 2)", zero="1/(u + 1)"),
        "at_least=2",
    ),
    "one more parameter": (
        "a = real('a', above=0, below=1)"
        + _BITS.format(least=2, more=", a", one="a*u/(u + 1)", zero="a/(u + 1)"),
        "one parameter besides sizes",
    ),
    "no power": (
        _BITS.format(least=2, more="", one="u/(u + 1)", zero="1/(u + 2)"),
        "must be a multiple of eps",
    ),
    "three cells": (
        _MATRIX.format(
            rows="[[Rational(c, 8) for c in row] for row in ((4, 2, 2), (2, 4, 2), (3, 1, 4))]",
            more="",
        ),
        "one probability on its diagonal",
    ),
    "other labels": (
        _MATRIX.format(
            rows="[[Rational(3, 4), Rational(1, 4)], [Rational(1, 4), Rational(3, 4)]]",
            more=", outputs=[1, 0]",
        ),
        "one probability on its diagonal",
    ),
    "three values": (
        _MATRIX.format(
            rows="[[Rational(2 if i == j else 1, 4) for j in range(3)] for i in range(3)]", more=""
        ),
        "cells cannot be freed",
    ),
    "closed range": (
        _RATIONAL.format(name="a", bounds="at_least=0, below=Rational(1, 2)"),
        "needs an open range",
    ),
    "reserved name": (
        _RATIONAL.format(name="g", bounds="above=0, below=Rational(1, 2)"),
        "needs another name",
    ),
}
"""Spec text, and what its refusal says."""
