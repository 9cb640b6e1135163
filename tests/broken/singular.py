"""Declarations that divide by 0, or take a root or logarithm of what has none, in their domain.

Most of it has cancelled before anyone looks. `a` ranges over (0, 1/2), `b` over (0, 1), `k` over
the integers from 2; `m` is Warner's table, at the probability `c`.
"""

from __future__ import annotations

HEAD = """
import sympy
from sympy import Symbol, acos, cos
from ldp_verified.language import *

seventh = Rational(1, 7)
a = real("a", above=0, below=Rational(1, 2))
b = real("b", above=0, below=1)
k = integer("k", at_least=2)
eps = real("eps", above=0)
u = exp(eps)

def warner(c, *parameters, claims=()):
    table = Matrix([[1 - c, c], [c, 1 - c]])
    return Mechanism("m", parameters=parameters, table=table, claims=claims)

def shares(parts):
    total = parts[0]
    for part in parts[1:]:
        total = total / part
    return total
"""

REFUTED = {
    "the issue's, as it stands": (
        "m = warner((a**2 - Rational(1, 49))/(a - seventh) - seventh, a)",
        "a = 1/7",
    ),
    "the issue's, gone at once": ("m = warner(a*((a - seventh)/(a - seventh)), a)", "a = 1/7"),
    "nothing, divided": ("m = warner(a + 0*(1/(a - seventh)), a)", "a = 1/7"),
    "a power of -1": ("m = warner(a*(a - seventh)**-1*(a - seventh), a)", "a = 1/7"),
    "sympy's own classes": (
        "m = warner(sympy.Mul(a, a - seventh, sympy.Pow(a - seventh, -1)), a)",
        "a = 1/7",
    ),
    "in a function, in a loop": ("m = warner(shares([a*(3*a - 1), 3*a - 1]), a)", "a = 1/3"),
    "a text": ("m = warner(sympy.sympify('a*(3*a - 1)/(3*a - 1)', {'a': a}), a)", "a = 1/3"),
    "no rational zero": (
        "m = warner(a*((8*a**2 - 1)/(8*a**2 - 1)), a)",
        "the root of 8*x**2 - 1 between",
    ),
    "where two parameters meet": ("m = warner(a*((a - b)/(a - b)), a, b)", "a = "),
    "a whole number": ("m = warner(a*((k - 5)/(k - 5)), a, k)", "k = 5"),
    "where e^eps is 3": ("m = warner((u - 3)/(u - 3)/(u + 1), eps)", "u = 3"),
    "in a claim only": (
        "m = warner(a, a, claims=[LDP(log((1 - a)/a*((a - seventh)/(a - seventh))))])",
        "a = 1/7",
    ),
    "in a bound": (
        "s = real('s', above=0, at_most=(4*a - 1)**2/(4*a - 1)**2)\nm = warner(a, a, s)",
        "a = 1/4",
    ),
    "in a structure's counts": (
        """m = Mechanism('m', parameters=[k, eps], table=Design(
            blocks=k, containing=(k - 3)/(k - 3), together=0, inside=u/(u + k - 1),
            outside=1/(u + k - 1), structure=Singletons(k)))""",
        "k = 3",
    ),
    "beside a division that another has": (
        """w = integer('w', at_least=1)
unused = 1/(a - w)
m = warner(a*((a - seventh)/(a - seventh)), a)""",
        "a = 1/7",
    ),
    "in another's table": (
        """other = warner(a*((a - seventh)/(a - seventh)), a)
m = Mechanism('n', parameters=[a], table=Matrix([[1 - a, a], [a, 1 - a]]),
              claims=[SameTable(other)])""",
        "a = 1/7",
    ),
    "a root squared": ("m = warner(sqrt(a - seventh)**2 + seventh, a)", "a = "),
    "a logarithm undone": ("m = warner(exp(log(a - seventh)) + seventh, a)", "a = "),
    "at the share 0": (
        "m = warner(a, a, claims=[Variance(n*a*(1 - a)/(1 - 2*a)**2*(f/f))])",
        "f = 0",
    ),
}
"""Name -> (declaration, part of the witness)."""

OPEN = {
    "put in afterwards": "z = Symbol('z')\nm = warner(((a - seventh)*a/z).subs(z, a - seventh), a)",
    "a function without a value": "m = warner(cos(acos(4*a))/4, a)",
    "by what nobody declared": "z = Symbol('z')\nm = warner(a*((a - z)/(a - z)), a)",
    "an integer between": "m = warner(a*((2*k - 5)/(2*k - 5)), a, k)",
}
"""Name -> declaration of which nothing shows that it is always defined."""

HARMLESS = {
    "a divisor that is never 0": "m = warner(a*((a + seventh)/(a + seventh)), a)",
    "another's, of a parameter of its own": (
        "z = real('z', above=0, below=1)\none = warner(a, a)\nw = (z - seventh)/(z - seventh)\n"
        "m = Mechanism('n', parameters=[a], table=Matrix([[1 - a, a], [a, 1 - a]]))"
    ),
    "by a parameter of nobody": (
        "w = integer('w', at_least=1)\nunused = 1/(u - w*k)\nm = warner(u/(u + 1), eps)"
    ),
    "by another's parameter, and one of both": (
        "w = integer('w', at_least=1)\n"
        "one = Mechanism('one', parameters=[a, w], table=Matrix([[1 - a/w, a/w]]*2))\n"
        "unused = w/(2*a*k - w)\nm = warner(a, a, k)"
    ),
    "a polynomial's quotient": "m = warner(sympy.quo(a**2 - seventh**2, a - seventh) - seventh, a)",
}
"""Name -> declaration that is defined everywhere."""
