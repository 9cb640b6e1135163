"""Points on a line and unary encodings with levels: true claims, and false ones beside them.

Texts of specs, so that each is declared alone. The first false ones of each form are the issue's
kinds of errors, the last two or more are relatives.
"""

from __future__ import annotations

HEAD = """
from sympy import prod
from ldp_verified.language import *

k = integer("k", at_least=2)
t = real("t", above=0, below=1)
eps = real("eps", above=0)
s = real("s", above=0, below=1)
a = real("a", above=0, below=1)
b = real("b", above=0, below=a)
u = exp(eps)
tiny = Rational(1, 10**6)
nine = prod([k - i for i in range(2, 9)]) / 10**9
steps = k - 1
each = log(1 / t)

def line(*claims, parameters=(k, t), **changed):
    inner = (1 - t) / (1 + t) * near
    given = dict(decay=t, cell=inner, low_end=left / (1 + t), high_end=right / (1 + t))
    table = Points(k, **{**given, **changed})
    return Mechanism("planted", parameters=parameters, table=table, claims=claims)

def exponential(*claims):
    cell = near * (1 - t) / (1 + t - t * left - t * right)
    return line(*claims, cell=cell, low_end=None, high_end=None)

def levels(*claims, more_held=0, held=1, unheld=1):
    more, less = (1 - s) * u / (u + 1), (1 - s) / (u + 1)
    table = Levels(
        [held * (more + more_held), held * s, held * less],
        [unheld * less, unheld * s, unheld * more],
        OneHot(k),
        supporting=[0],
    )
    return Mechanism("planted", parameters=(eps, k, s), table=table, claims=claims)
"""
"""`nine` is 0 for k = 2..8, and not from k = 9 on."""

TRUE = {
    "geometric noise": "line(LDP(steps * each, tight=True), MetricLDP(each, apart))",
    "not tight": "line(LDP(k * each))",
    "two steps at once": """line(
        LDP(2 * steps * each, tight=True), MetricLDP(2 * each, apart),
        cell=near**2 * (1 - t**2) / (1 + t**2),
        low_end=left**2 / (1 + t**2), high_end=right**2 / (1 + t**2))""",
    "one end only": """line(
        LDP(log((1 + t - t * span) / span), tight=True),
        cell=near * (1 - t) / (1 + t - t * right), low_end=left / (1 + t - t * right),
        high_end=None)""",
    "exponential": "exponential(LDP(steps * each, tight=True))",
    "in eps": """line(
        LDP(steps * eps, tight=True), MetricLDP(eps, apart), parameters=(k, eps), decay=1 / u,
        cell=near * (u - 1) / (u + 1), low_end=left * u / (u + 1), high_end=right * u / (u + 1))""",
    "three levels": "levels(LDP(2 * eps, tight=True), Unbiased())",
    "two levels are bits": """Mechanism("planted", parameters=(k, a, b),
        table=Levels([a, 1 - a], [b, 1 - b], OneHot(k), supporting=[0]),
        claims=[LDP(log(a * (1 - b) / (b * (1 - a))), tight=True),
            Variance(n * b * (1 - b) / (a - b)**2 + n * f * (1 - a - b) / (a - b))])""",
}
"""All of it is proved."""

FALSE = {
    "eps of one step less": ("line(LDP((k - 2) * each))", "ratio"),
    "eps a little smaller": ("line(LDP(steps * each - log(1 + tiny)))", "ratio"),
    "tight where it is not": ("line(LDP(k * each, tight=True))", "tight"),
    "a wrong end": ("line(low_end=t * left / (1 + t))", "sums_to_one"),
    "no high end": ("line(high_end=None)", "sums_to_one"),
    "one up to k = 8": ("line(cell=(1 - t) / (1 + t) * near + nine)", "sums_to_one"),
    "the exponential's eps per step": ("exponential(MetricLDP(each, apart))", "ratio"),
    "a wrong normaliser": (
        "line(cell=near * (1 - t) / (1 + t - t * left), low_end=None, high_end=None)",
        "sums_to_one",
    ),
    "an end that may be negative": ("line(low_end=left / (1 + t) - tiny)", "nonnegative"),
    "levels: half of eps": ("levels(LDP(eps))", "ratio"),
    "levels: eps a little smaller": ("levels(LDP(2 * eps - log(1 + tiny)))", "ratio"),
    "levels: a wrong variance": ("levels(Variance(n * (1 - s), at_f=0))", "variance"),
    "levels: one up to k = 8": (
        """Mechanism("planted", parameters=(k, a, b),
        table=Levels([a + nine, 1 - a], [b, 1 - b], OneHot(k)))""",
        "sums_to_one",
    ),
    "levels: one at k = 2 only": ("levels(held=2, unheld=Rational(1, 2))", "sums_to_one"),
    "levels: one gives the value away": (
        """Mechanism("planted", parameters=(k, s),
        table=Levels([1 - s, s, 0], [s / 2, s / 2, 1 - s], OneHot(k)))""",
        "equal_support",
    ),
    "levels: other weights": ("levels(Unbiased(supported=1, otherwise=0))", "unbiased"),
}
"""The kind of obligation that is refuted comes last."""


OPEN = "levels(more_held=nine)"
"""Wrong from k = 9 on, where three levels make too many reports to be written out."""


def text(made: str) -> str:
    """The text of a spec file that declares one of them."""
    return f"{HEAD}\nplanted = {made}\n"
