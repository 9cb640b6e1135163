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
TRIANGLE = """
eps = real("eps", above=0)
u = exp(eps)
edges = Blocks(3, [[0, 1], [0, 2], [1, 2]])
triangle = Mechanism("triangle", parameters=[eps],
    table=Design(3, 2, 1, u / (2 * u + 1), 1 / (2 * u + 1), structure=edges))
"""
PAIRS_OF_FOUR = """
eps = real("eps", above=0)
u = exp(eps)
edges = Blocks(4, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
pairs_of_four = Mechanism("pairs_of_four", parameters=[eps],
    table=Design(6, 3, 1, u / (3 * u + 3), 1 / (3 * u + 3), structure=edges))
"""
FREE_BITS = """
zero = real("zero", above=0, below=1)
one = real("one", above=0, below=1)
k = integer("k", at_least=3, at_most=1000)
free_bits = Mechanism("free_bits", parameters=[zero, one, k], assuming=[zero < one],
    table=Bits(one=one, zero=zero, encoder=OneHot(k)))
"""
FREE_RESPONSE = """
k = integer("k", at_least=2)
keep = real("keep", above=1 / k, below=1)
free_response = Mechanism("free_response", parameters=[k, keep],
    table=Design(k, 1, 0, keep, (1 - keep) / (k - 1), structure=Singletons(k)))
"""
FREE_HASHING = """
k = integer("k", at_least=2)
g = integer("g", at_least=2, at_most=64)
M = integer("M", at_least=1)
keep = real("keep", above=1 / g, below=1)
free_hashing = Mechanism("free_hashing", parameters=[k, g, M, keep],
    table=Design(M * g, M, M / g, keep / M, (1 - keep) / (g - 1) / M,
        structure=HashBlocks(k, g, M)))
"""
LINE_OF_THREE = """
eps = real("eps", above=0)
u = exp(eps)
a, b = u**2 + u + 1, u + 2
line_of_three = Mechanism("line_of_three", parameters=[eps], table=Matrix(
    [[u**2 / a, u / a, 1 / a], [1 / b, u / b, 1 / b], [1 / a, u / a, u**2 / a]],
    inputs=["low", "middle", "high"], outputs=["low", "middle", "high"]),
    claims=[LDP(2 * eps), MetricLDP(2 * eps, {("low", "middle"): 1, ("middle", "high"): 1,
        ("low", "high"): 2}), PersonalisedLDP(2 * eps, ["low", "high"])])
"""
SCALE = """
h = real("h", above=0, below=1)
r = real("r", above=0, below=1 - h)
scale = Mechanism("scale", parameters=[h, r], table=Matrix([
    [h / 2, h / 2, r / 3, 2 * r / 3, 1 - h - r],
    [(1 - h) / 4, (1 - h) / 4, (1 - h) / 4, (1 - h) / 4, h]]))
"""
KARY = """
eps = real("eps", above=0)
u = exp(eps)
kary = Mechanism("kary", parameters=[eps], table=Matrix(
    [[u / (u + 2) if i == j else 1 / (u + 2) for j in range(3)] for i in range(3)]),
    claims=[LDP(eps, tight=True), LDP(0, delta=(u - 1) / (u + 2))])
"""
LOW_RANK = """
eps = real("eps", above=0)
u = exp(eps)
low_rank = Mechanism("low_rank", parameters=[eps], table=Matrix(
    [[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)], [Rational(1, 2), Rational(1, 2)]]))
"""
DAMPED = """
eps = real("eps", above=0, at_most=8)
a = real("a", above=0, at_most=1)
u = exp(eps)
lie = a / (u + 1) + (1 - a) / 2
damped = Mechanism("damped", parameters=[eps, a],
    table=Matrix([[1 - lie, lie], [lie, 1 - lie]]))
"""
LIKELY_LIE = """
x = real("x", above=0, below=1)
likely_lie = Mechanism("likely_lie", parameters=[x], table=Matrix([[1 - x, x], [x, 1 - x]]))
"""
ANOTHER_EPSILON = """
epsilon = real("epsilon", above=0)
total = exp(epsilon) + 2
rows = [[(total - 1) / total, 1 / total], [1 / total, (total - 1) / total]]
another_epsilon = Mechanism("another_epsilon", parameters=[epsilon], table=Matrix(rows))
"""
P_AND_Q = """
k = integer("k", at_least=2)
p = real("p", above=0, below=1)
q = real("q", above=0, below=p)
p_and_q = Mechanism("p_and_q", parameters=[k, p, q], table=Bits(one=p, zero=q, encoder=OneHot(k)))
"""
LETTERS_OF_FORMULAS = """
t = real("t", above=0, below=Rational(1, 2))
k = real("k", above=t, below=Rational(1, 2))
letters = Mechanism("letters", parameters=[t, k], table=Matrix([[1 - t, t], [k, 1 - k]]))
"""
ACCEPTED = {
    "another_epsilon": ANOTHER_EPSILON,
    "p_and_q": P_AND_Q,
    "letters": LETTERS_OF_FORMULAS,
    "two_coins": TWO_COINS,
    "one_time": ONE_TIME,
    "histogram": HISTOGRAM,
    "five": FIVE,
    "triangle": TRIANGLE,
    "pairs_of_four": PAIRS_OF_FOUR,
    "free_bits": FREE_BITS,
    "free_response": FREE_RESPONSE,
    "free_hashing": FREE_HASHING,
    "line_of_three": LINE_OF_THREE,
    "scale": SCALE,
    "kary": KARY,
    "low_rank": LOW_RANK,
    "damped": DAMPED,
    "likely_lie": LIKELY_LIE,
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
refused = Mechanism("refused", parameters=[eps],
    table=Design({counts}, u / (2 * u + 1), 1 / (2 * u + 1), structure=Blocks(3, {blocks})))
"""
_RATIONAL = """
x = real("{name}", {bounds})
refused = Mechanism("refused", parameters=[x], table=Matrix([[1 - x, x], [x, 1 - x]]))
"""
_ONE_NAME = """
g = real("g", above=0, below=Rational(1, 2))
g_ = real("g_", above=0, below=Rational(1, 2))
refused = Mechanism("refused", parameters=[g, g_], table=Matrix([[1 - g, g], [g_, 1 - g_]]))
"""
_SINGLE = "Singletons(k)"

REFUSED = {
    "no structure": (
        _DESIGN.format(counts="k, 1, 0", cells="u/(u + k - 1), 1/(u + k - 1)", structure="None"),
        "there is no sampler",
    ),
    "wrong count of blocks": (
        _BLOCKS.format(counts="3, 2, 0", blocks="[[0, 1], [0, 2], [1, 2]]"),
        "must be those of the structure",
    ),
    "unbalanced blocks": (
        _BLOCKS.format(counts="3, 2, 1", blocks="[[0, 1], [0, 1], [1, 2]]"),
        "every value must be in equally many blocks",
    ),
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
    "no order of the cells": (
        "a, b = real('a', above=0, below=1), real('b', above=0, below=1)"
        + _BITS.format(least=2, more=", a, b", one="a", zero="b"),
        "assume what orders the cells",
    ),
    "sum of a row": (
        _MATRIX.format(rows="[[Rational(1, 2), Rational(1, 3)]] * 2", more=""),
        "must be a distribution",
    ),
    "zero": (
        _MATRIX.format(
            rows="[[Rational(1, 2), Rational(1, 2)], [1, 0]]", more=", inputs=['yes', 'no']"
        ),
        "P(y = 1 | x = no) is zero",
    ),
    "equal rows": (
        _MATRIX.format(rows="[[Rational(1, 4), Rational(3, 4)]] * 3", more=""),
        "all its rows are equal",
    ),
    "many cells": (
        _MATRIX.format(rows="[[Rational(1, 200)] * 200] * 200", more=""),
        "at most 16384 cells",
    ),
    "keyword": (
        _RATIONAL.format(name="lambda", bounds="above=0, below=Rational(1, 2)"),
        "needs another name",
    ),
    "no rational bound": (
        _RATIONAL.format(name="x", bounds="above=0, below=sqrt(2) / 4"),
        "bounds must be rational",
    ),
    "two names that become one": (_ONE_NAME, "must have names that stay different"),
}
"""Spec text, and what its refusal says."""
