"""Declarations that say something else than they seem to, or nothing: all of them are refused."""

from __future__ import annotations

HEAD = """
from ldp_verified.language import *

a = real("a", above=0, below=Rational(1, 2))
eps = real("eps", above=0)
k = integer("k", at_least=2)
g = integer("g", at_least=2)
w = integer("w", at_least=1, at_most=g)
M = integer("M", at_least=1)
N = integer("N", at_least=1, at_most=4)
many = integer("many", at_least=3)
x = real("x", at_least=0, at_most=1)
u = exp(eps)
half = Rational(1, 2)

def warner(*claims):
    return Mechanism("m", parameters=[a], table=Matrix([[1 - a, a], [a, 1 - a]]), claims=claims)

def hashing(number, *claims, parameters=(), assuming=(), buckets=g):
    table = Design(number * buckets, number, number / buckets, u / (u + buckets - 1) / number,
                   1 / (u + buckets - 1) / number, HashBlocks(k, buckets, number))
    return Mechanism("m", parameters=[eps, k, g, *parameters], table=table, claims=claims,
                     assuming=assuming)

def numbers(*atoms, claims=()):
    return Mechanism("m", parameters=[], table=Density(x, atoms=atoms), claims=claims)
"""

OPTIMA = {
    "itself": ("hashing(M, Optimal({g: g}), parameters=[M])", "says nothing"),
    "made of itself": ("hashing(M, Optimal({g: 1 + u * g}), parameters=[M])", "says nothing"),
    "of nothing": ("hashing(M, Optimal({}), parameters=[M])", "Optimal.values"),
    "of two": ("hashing(M, Optimal({g: u + 1, k: 2}), parameters=[M])", "one declared"),
    "of a text": ("hashing(M, Optimal({'g': u + 1}), parameters=[M])", "one and zero"),
    "of one cell": ("hashing(M, Optimal({'one': half}), parameters=[M])", "one and zero"),
    "of the bound": ("hashing(M, Optimal({eps: 1}), parameters=[M])", "exponents"),
    "of a stranger": ("hashing(M, Optimal({a: u + 1}), parameters=[M])", "not declared"),
    "of another's bound": ("hashing(M, Optimal({g: u + 1}), parameters=[w, M])", "bounds of"),
    "at a share above 1": ("hashing(M, Optimal({g: u + 1}, at_f=2), parameters=[M])", r"\[0, 1\]"),
}

CLAIMS = {
    "a share of 2": ("warner(Variance(n * a * (1 - a) / (1 - 2 * a)**2, at_f=2))", r"\[0, 1\]"),
    "a share of a": ("warner(Variance(n * a * (1 - a) / (1 - 2 * a)**2, at_f=a))", r"\[0, 1\]"),
    "eps of n users": ("warner(LDP(log(n * (1 - a) / a)))", "must not mention n"),
    "eps of a share": ("warner(LDP(log((1 + f) * (1 - a) / a)))", "must not mention f"),
    "delta of n": ("warner(LDP(0, delta=n))", "must not mention n"),
    "weights of n": ("warner(Unbiased((1 - a) / (1 - 2 * a) * n / n + n, 0))", "mention n"),
    "a relation of the input": (
        "numbers(Atom(0, x), Atom(1, 1 - x), claims=[Holds(x <= 1)])",
        "is the input",
    ),
    "a stranger in a region": ("warner(PersonalisedLDP(log((1 - a) / a), [0, 7]))", "inputs of"),
    "no input in a region": ("warner(PersonalisedLDP(0, ['p', 'q']))", "inputs of"),
}

SIZES = {
    "four functions": ("hashing(Integer(4))", "of its own"),
    "at most four": ("hashing(N, parameters=[N])", "without further bounds"),
    "at least three": ("hashing(many, parameters=[many])", "without further bounds"),
    "at most four, assumed": (
        "hashing(M, parameters=[M], assuming=[M <= 4])",
        "without further bounds",
    ),
    "fewer than values": ("hashing(M, parameters=[M], assuming=[M < k])", "without further"),
    "as many as values": ("hashing(k)", "of its own"),
    "an expression": ("hashing(g**2)", "of its own"),
}

PLACES = {
    "a place that moves": ("numbers(Atom(x, half), Atom(2, half))", "same for every input"),
    "one place twice": ("numbers(Atom(0, x), Atom(0, 1 - x))", "another atom"),
    "one place, written twice": (
        "numbers(Atom(half, x), Atom(2 * half**2, 1 - x))",
        "another atom",
    ),
}

REFUSED = OPTIMA | CLAIMS | SIZES | PLACES
"""Name -> (declaration, part of the refusal)."""

SAID = {
    "an optimum": "hashing(M, Optimal({g: u + 1}), parameters=[M])",
    "a share of 1/3": "warner(Variance(n * a * (1 - a) / (1 - 2 * a)**2, at_f=Rational(1, 3)))",
    "users in a relation": "warner(Holds(n + f >= 1))",
    "two places": "numbers(Atom(0, x), Atom(1, 1 - x))",
}
"""Name -> declaration beside them that stands."""


def text(made: str) -> str:
    """The text of a spec file that declares one of them."""
    return f"{HEAD}\nfrom sympy import Integer\nplanted = {made}\n"
