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
z = integer("z", at_least=1)
y = integer("y", at_least=0, at_most=9)
v = integer("v", at_least=0, at_most=k)
up = integer("up", at_least=1, at_most=k)
x = real("x", at_least=0, at_most=1)
u = exp(eps)
half = Rational(1, 2)

def warner(*claims):
    return Mechanism("m", parameters=[a], table=Matrix([[1 - a, a], [a, 1 - a]]), claims=claims)

def hashing(number, *claims, parameters=(), assuming=(), buckets=g,
            structure=HashBlocks):
    table = Design(number * buckets, number, number / buckets, u / (u + buckets - 1) / number,
                   1 / (u + buckets - 1) / number, structure(k, buckets, number))
    return Mechanism("m", parameters=[eps, k, g, *parameters], table=table, claims=claims,
                     assuming=assuming)

def numbers(*atoms, claims=()):
    return Mechanism("m", parameters=[], table=Density(x, atoms=atoms), claims=claims)

def singletons(size, *parameters, claims=()):
    table = Design(size, 1, 0, u / (u + size - 1), 1 / (u + size - 1), Singletons(size))
    return Mechanism("m", parameters=[eps, *parameters], table=table, claims=claims)

def unary(size, *parameters, one=half, zero=1 / (u + 1), claims=()):
    table = Bits(one, zero, OneHot(size))
    return Mechanism("m", parameters=[eps, *parameters], table=table, claims=claims)

def two(*claims, p=u / (u + 1)):
    table = Matrix([[p, 1 - p], [1 - p, p]])
    used = [eps] if p.free_symbols else []
    return Mechanism("m", parameters=used, table=table, claims=claims)

low = real("low", above=0, at_most=1)
high = real("high", above=0, at_most=1)
part = real("part", above=0, at_most=low)
q = integer("q", at_least=0, at_most=3)

def cut(*claims, assuming=(), decay=a, reach=a / (1 - a), tails=(low, high), parameters=()):
    table = Noise(q, Lattice((1 - decay) / (1 + decay), decay),
                  Ends(0, 3, -reach, 3 + reach, low_tail=tails[0], high_tail=tails[1]))
    return Mechanism("m", parameters=[a, low, high, *parameters], table=table, claims=claims,
                     assuming=assuming)

def line(*claims, assuming=()):
    table = Points(k, decay=a, cell=(1 - a) / (1 + a) * near, low_end=left / (1 + a),
                   high_end=right / (1 + a))
    return Mechanism("m", parameters=[k, a], table=table, claims=claims, assuming=assuming)
"""

WHOLE = {
    "one value": ("singletons(integer('z', at_least=1), integer('z', at_least=1))", "z = 1"),
    "one value of bits": ("unary(integer('z', at_least=1), integer('z', at_least=1))", "z = 1"),
    "no values": ("unary(0)", "at least 2"),
    "negative values": ("unary(-3)", "at least 2"),
    "any integer": ("unary(integer('z'), integer('z'))", "at least 2, also at z = -1"),
    "one number of values": ("unary(1)", "at least 2"),
    "half a value": ("unary(Rational(5, 2))", "whole number"),
    "half as many": ("unary(k / 2, k)", "whole number of at least 2, also at k = 2"),
    "two fewer": ("unary(k - 2, k)", "whole number of at least 2, also at k = 2"),
    "one bucket": ("hashing(M, parameters=[M, z], buckets=z)", "HashBlocks.buckets.*z = 1"),
    "one bucket at the end": (
        "hashing(M, parameters=[M, y], buckets=10 - y)",
        "HashBlocks.buckets.*y = 9, got 10 - y",
    ),
    "no bucket where z is k": (
        "hashing(M, parameters=[M, up], buckets=k + 1 - up)",
        "HashBlocks.buckets.*at least 2, also at k = 2, also at up = 2",
    ),
    "one number of buckets": ("hashing(M, parameters=[M], buckets=Integer(1))", "at least 2, got"),
    "a prime that is 1": (
        "hashing(M, parameters=[M, z], buckets=z, structure=LinearBlocks)",
        "LinearBlocks.prime.*at least 2, also at z = 1",
    ),
    "one bucket of signs": (
        "hashing(M, parameters=[M, z], buckets=z, structure=HashedSigns)",
        "HashedSigns.buckets.*at least 2, also at z = 1",
    ),
    "points over no field": (
        "hashing(M, parameters=[M, z], buckets=z, structure=Hyperplanes)",
        "Hyperplanes.prime.*at least 2, also at z = 1",
    ),
    "empty subsets": (
        "hashing(M, parameters=[M, v], buckets=v, structure=Subsets)",
        "Subsets.size.*at least 1, also at k = 2, also at v = 0",
    ),
    "bits of one bucket": (
        "Mechanism('m', parameters=[a, k, z, M], table=Bits(half, a, HashedOneHot(k, z, M)))",
        "HashedOneHot.buckets.*at least 2, also at z = 1",
    ),
    "a third of three times": ("unary(many * k / 3, many, k)", "also at"),
    "a real number": (
        "unary(real('z', at_least=2), real('z', at_least=2))",
        "must be made of integer",
    ),
    "a real number of blocks": (
        "singletons(real('z', at_least=2), real('z', at_least=2))",
        "must be made of integer",
    ),
}

OPTIMA = {
    "of cells without epsilon": (
        "unary(2, one=half, zero=Rational(1, 3), claims=[Optimal({'one': half, 'zero': half})])",
        "with exp.eps.",
    ),
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

NUMBERS = {
    "an exponential of a number": ("two(p=exp(-1))", "rational coefficients; exp.-1. is none"),
    "a logarithm of a number": ("two(p=log(2))", "rational coefficients; log.2. is none"),
    "no list of inputs": ("Matrix([[half, half]] * 2, inputs=5)", "inputs: must be 2 different"),
    "outputs that are lists": (
        "Matrix([[half, half]] * 2, outputs=[[1], [2]])",
        "outputs: must be 2 different",
    ),
    "a support that is a number": (
        "Matrix([[half, half]] * 2, support=[1, 2])",
        "must be 2 sets of inputs",
    ),
    "no encoder": ("Bits(half, half / 2, 3)", "encoder: must be OneHot, HashedOneHot or Bloom"),
    "an optimum that is a list": ("Optimal([1, 2])", "must be a mapping"),
    "a power of 1/1000": (
        "two(LDP(999 * eps / 1000))",
        "common denominator up to 64, got 999/1000",
    ),
    "a power of 1/100": ("two(LDP(eps), LDP(99 * eps / 100))", "common denominator up to 64"),
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
        "x depends on the input",
    ),
    "a stranger in a region": ("warner(PersonalisedLDP(log((1 - a) / a), [0, 7]))", "inputs of"),
    "no input in a region": ("warner(PersonalisedLDP(0, ['p', 'q']))", "inputs of"),
}

STAND_INS = {
    "one tail for both": ("cut(tails=(low, low))", "another parameter than low_tail"),
    "a tail that is pinned": ("cut(assuming=[low >= 1])", "low depends on the input"),
    "tails that are compared": ("cut(assuming=[low <= high])", "depends on the input"),
    "a bound by a tail": ("cut(parameters=[part])", "part: .*low depends on the input"),
    "a decay of a tail": ("cut(decay=low / 2)", "low depends on the input"),
    "an end of a tail": ("cut(reach=high)", "high depends on the input"),
    "an end of the input": ("cut(reach=q)", "q depends on the input"),
    "a relation of tails": ("cut(Holds(low <= high))", "depends on the input"),
    "eps of a tail": ("cut(LDP(-log(low)))", "low depends on the input"),
    "eps of the input": ("cut(LDP(-q * log(a)))", "q depends on the input"),
    "a mean of e^low": ("cut(Mean(exp(low)))", "low depends on the input"),
    "a relation of near": ("line(Holds(near <= 1))", "near depends on the input"),
    "eps of left": ("line(LDP(-log(left)))", "left depends on the input"),
    "right that is pinned": ("line(assuming=[right >= a])", "right depends on the input"),
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

REFUSED = OPTIMA | NUMBERS | WHOLE | CLAIMS | STAND_INS | SIZES | PLACES
"""Name -> (declaration, part of the refusal)."""

SAID = {
    "an optimum": "hashing(M, Optimal({g: u + 1}), parameters=[M])",
    "a share of 1/3": "warner(Variance(n * a * (1 - a) / (1 - 2 * a)**2, at_f=Rational(1, 3)))",
    "users in a relation": "warner(Holds(n + f >= 1))",
    "sizes": "singletons(k, k)",
    "one more value": "unary(k + 1, k)",
    "twice as many": "unary(2 * k, k)",
    "a product that is even": "unary(k * (k + 1) / 2 + 1, k)",
    "a number of values": "unary(4)",
    "a power of 1/64": "two(LDP(63 * eps / 64))",
    "half a unit of distance": "two(MetricLDP(eps, {(0, 1): half}))",
    "moments in the tails": "cut(Mean(q), ReportVariance(2*a/(1 - a)**2 - low - high))",
    "eps of the span": "line(LDP(-log(span)), Holds(span <= 1))",
    "two places": "numbers(Atom(0, x), Atom(1, 1 - x))",
}
"""Name -> declaration beside them that stands."""


def text(made: str) -> str:
    """The text of a spec file that declares one of them."""
    return f"{HEAD}\nfrom sympy import Integer\nplanted = {made}\n"
