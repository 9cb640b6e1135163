"""Claims that are true at every size and point that enumeration looks at first, and false beyond.

And tables without an unbiased estimator at one irrational parameter only.
"""

from __future__ import annotations

from typing import Any

from sympy import Eq, Rational, exp, prod

from ldp_verified.language import (
    LDP,
    Bits,
    Design,
    HashBlocks,
    Holds,
    Matrix,
    Mechanism,
    OneHot,
    Optimal,
    Singletons,
    Subsets,
    Unbiased,
    Variance,
    f,
    integer,
    n,
    real,
)

half = Rational(1, 2)
eps, k = real("eps", above=0), integer("k", at_least=2)
a, c = real("a", above=0, below=1), real("c", above=0, below=1)
u = exp(eps)


def zero_until(last: int) -> Any:
    """0 at k = 2, ..., last, positive beyond."""
    return prod([k - i for i in range(2, last + 1)])


def _mechanism(name: str, parameters: list[Any], table: Any, claim: Any) -> Mechanism:
    return Mechanism(name, parameters=parameters, table=table, claims=[claim])


def _singletons(outside: Any) -> Design:
    return Design(k, 1, 0, 1 - (k - 1) * outside, outside, Singletons(k))


GRR = _singletons(1 / (u + k - 1))
GRR_VARIANCE = n * (k - 2 + u) / (u - 1) ** 2 + n * f * (k - 2) / (u - 1)
SLY = _singletons(1 / (u + k - 1 + zero_until(8) / 10**9))
t = real("t", at_least=0)
MIXED = _singletons((1 + 2 * t) / (2 * k * (1 + t)))
"""Says the less, the larger t is: t = 0 has the least variance."""
SLY_BITS = Bits(half, 1 / (u + 1 + zero_until(8) ** 2 / 10**9), OneHot(k))


def _two(p: Any) -> Matrix:
    return Matrix([[p, 1 - p], [1 - p, p]])


# A matrix of five inputs whose determinant has one root above 1, an irrational one.
_ROWS = ((9, 2, 4, 5, 1), (0, 8, 1, 7, 6), (7, 3, 5, 0, 2), (4, 4, 9, 1, 8), (2, 6, 3, 3, 5))
_TOP = ((1, 0, 3, 2, 2), (4, 1, 0, 1, 3), (0, 5, 2, 2, 1), (3, 2, 2, 1, 0), (1, 1, 1, 4, 2))


def five() -> Matrix:
    """Rows (a + b u)/sum."""
    rows = [
        [p + q * u for p, q in zip(ps, qs, strict=True)] for ps, qs in zip(_ROWS, _TOP, strict=True)
    ]
    return Matrix([[cell / sum(row) for cell in row] for row in rows])


many = integer("k", at_least=10**7)
B, M = integer("B", at_least=1), integer("M", at_least=1)


def _half_of_forty(outside: Any) -> Design:
    """Twenty of forty values, blocks without the own value having this probability."""
    return Design(
        B, B / 2, B * Rational(19, 78), 2 / B - outside, outside, structure=Subsets(40, 20, B)
    )


def _hashed(inside: Any) -> Design:
    """Two buckets, the value's own having this probability."""
    return Design(2 * M, M, M / 2, inside / M, (1 - inside) / M, HashBlocks(many, 2, M))


# Name -> (mechanism, the obligation that fails, what its witness says).
FALSE: dict[str, tuple[Mechanism, str, dict[str, str]]] = {
    "tight until 8": (
        _mechanism("tight", [eps, k], SLY, LDP(eps, tight=True)),
        "tight",
        {"k": "9"},
    ),
    "ratio until 8": (_mechanism("ratio", [eps, k], SLY, LDP(eps)), "ratio", {"k": "9"}),
    "one-hot until 8": (
        _mechanism("bits", [eps, k], SLY_BITS, LDP(eps, tight=True)),
        "ratio",
        {"k": "9"},
    ),
    "variance until 12": (
        _mechanism("variance", [eps, k], GRR, Variance(GRR_VARIANCE + n * zero_until(12))),
        "variance",
        {"k": "13"},
    ),
    "best parameter until 8": (
        _mechanism("chosen", [t, k], MIXED, Optimal({t: zero_until(8)}, at_f=0)),
        "optimal",
        {"k": "9"},
    ),
    "best parameter until 12": (
        _mechanism("chosen_later", [t, k], MIXED, Optimal({t: zero_until(12)}, at_f=0)),
        "optimal",
        {"k": "13"},
    ),
    "best cells until 8": (
        _mechanism(
            "cells",
            [eps, k],
            Bits(half, 1 / (u + 1), OneHot(k)),
            Optimal({"one": half, "zero": 1 / (u + 1 + zero_until(8))}, at_f=0),
        ),
        "optimal",
        {"k": "9"},
    ),
    "equation until 20": (
        _mechanism("equation", [eps, k], GRR, Holds(Eq(zero_until(20), 0, evaluate=False))),
        "holds",
        {"k": "21"},
    ),
    "singular at 1/sqrt 2": (
        _mechanism("singular", [a], _two(a**2), Unbiased()),
        "unbiased",
        {"a": "root of 2*a**2 - 1 between 0.707 and 0.708"},
    ),
    "bits that say nothing at 1/sqrt 3": (
        _mechanism("silent", [a], Bits(a**2, Rational(1, 3), OneHot(3)), Unbiased()),
        "unbiased",
        {"a": "root of 3*a**2 - 1 between 0.577 and 0.578"},
    ),
    "a design that says nothing at one place": (
        _mechanism("blocks", [a, k], _singletons(a**3 / (k - 1)), Unbiased()),
        "unbiased",
        {},
    ),
    "singular on a curve": (
        _mechanism("curve", [a, c], Matrix([[a, 1 - a], [c**3, 1 - c**3]]), Unbiased()),
        "unbiased",
        {},
    ),
    "variance with a pole": (
        _mechanism("pole", [a], _two(a**2), Variance(n * a**2 * (1 - a**2) / (2 * a**2 - 1) ** 2)),
        "variance",
        {"a": "root of 2*a**2 - 1 between 0.707 and 0.708"},
    ),
    "an inequality that is an equation at one place": (
        _mechanism("touching", [a], _two((1 + a) / 2), Holds((3 * a**2 - 1) ** 2 > 0)),
        "holds",
        {"a": "root of 3*a**2 - 1 between 0.577 and 0.578"},
    ),
    "a zero at one place": (
        _mechanism(
            "zero",
            [a],
            Matrix([[(a**2 - half) ** 2, 1 - (a**2 - half) ** 2], [half, half]]),
            Unbiased(),
        ),
        "equal_support",
        {"a": "root of 2*a**2 - 1 between 0.707 and 0.708"},
    ),
    # Below 0 everywhere, in tables too large to be written out: the cell alone is looked at.
    "a negative cell over the number of subsets": (
        _mechanism("subsets", [eps, B], _half_of_forty(-1 / (B * u)), LDP(eps)),
        "nonnegative",
        {"B": "137846528820"},
    ),
    "a probability above 1 over the number of subsets": (
        _mechanism("subset_above", [eps, B], _half_of_forty((1 + u) / B), LDP(eps)),
        "nonnegative",
        {"B": "137846528820"},
    ),
    "a negative cell of ten million hashed values": (
        _mechanism("hashed", [eps, many, M], _hashed(-1 / u), LDP(eps)),
        "nonnegative",
        {},
    ),
    "a negative cell of forty bits": (
        _mechanism("forty", [eps], Bits(half, -1 / (u + 1), OneHot(40)), LDP(eps)),
        "nonnegative",
        {},
    ),
    "five inputs": (_mechanism("five", [eps], five(), Unbiased()), "unbiased", {}),
}
