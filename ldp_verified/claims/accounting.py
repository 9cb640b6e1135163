"""Published bounds on several reports, against exact sums of the privacy loss of binary response.

Binary randomized response is an instance of each theorem (and the worst one of composition), so a
case that fails refutes the formula; cases that hold prove nothing beyond themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, exp, log
from typing import TYPE_CHECKING

import sympy

from ldp_verified.account.renyi import _divergence
from ldp_verified.account.rules import dominating_pair
from ldp_verified.account.shuffle import shuffle_closed_form, shuffled_delta
from ldp_verified.claims import evaluate
from ldp_verified.claims.numeric import Case, Cases
from ldp_verified.claims.wording import formula
from ldp_verified.realize.balls import ball, decide

if TYPE_CHECKING:
    from flint import arb

LEVEL, TIMES, ORDER, DELTA = sympy.symbols("level k order delta", positive=True)
LEVELS = tuple(map(Fraction, ("11/10", "3/2", "3")))
DELTAS = tuple(map(Fraction, ("1/10", "1/1000", "1/1000000")))


def _case(
    parameters: dict[str, object],
    holds: bool,
    again: Callable[[], bool],
    left: object,
    right: object,
) -> Case:
    said = f"the exact value is {left}, the formula says {right}"
    return Case(parameters, holds, again, {"exact": left, "formula": right}, said)


def delta_by_truths(u: Fraction, k: int, level: Fraction) -> Fraction:
    """The delta of k binary responses, summed over the number of true ones: the second opinion."""
    total = Fraction(0)
    for truths in range(k + 1):
        excess = u**truths - level * u ** (k - truths)
        total += comb(k, truths) * max(Fraction(0), excess)
    return total / (1 + u) ** k


def divergence_in_floats(u: Fraction, order: Fraction) -> float:
    """Renyi divergence of binary response by the textbook formula, in doubles."""
    p, a = float(u / (u + 1)), float(order)
    return log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)


def exact_composition() -> Cases:
    """delta_i = sum_{l < i} C(k, l) (e^((k-l) eps) - e^((k-2i+l) eps))/(1 + e^eps)^k, exactly."""

    def one(u: Fraction, k: int, i: int) -> Case:
        total = sum(
            (comb(k, j) * (u ** (k - j) - u ** (k - 2 * i + j)) for j in range(i)),
            Fraction(0),
        )
        level, claimed = u ** (k - 2 * i), total / (1 + u) ** k
        exact = dominating_pair(u).repeated(k).delta(level)

        def again() -> bool:
            return delta_by_truths(u, k, level) == claimed

        return _case({"e^eps": u, "k": k, "i": i}, exact == claimed, again, exact, claimed)

    return Cases(
        "the delta of k reports of eps at (k - 2 i) eps is the sum over l < i of "
        "C(k, l) (e^((k - l) eps) - e^((k - 2 i + l) eps))/(1 + e^eps)^k",
        lambda: (one(u, k, i) for u in LEVELS for k in (1, 2, 5, 10) for i in range(k // 2 + 1)),
        "e^eps = 11/10, 3/2, 3; k = 1, 2, 5, 10; every i, for binary response",
        "Kairouz, Oh, Viswanath 2017, The Composition Theorem for Differential Privacy",
    )


def advanced_composition() -> Cases:
    """k reports are (eps sqrt(2 k ln(1/d)) + k eps (e^eps - 1), d)-DP."""
    eps = sympy.log(LEVEL)
    claimed = eps * sympy.sqrt(2 * TIMES * sympy.log(1 / DELTA)) + TIMES * eps * (LEVEL - 1)

    def one(u: Fraction, k: int, d: Fraction) -> Case:
        def bound() -> arb:
            return evaluate.value(claimed, {LEVEL: u, TIMES: Fraction(k), DELTA: d})

        return _converted({"e^eps": u, "k": k, "delta": d}, u, k, d, bound)

    return Cases(
        f"k reports of eps are ({formula(claimed)}, delta)-DP, where level = e^eps",
        lambda: (one(u, k, d) for u in LEVELS for k in (1, 10, 100) for d in DELTAS),
        "e^eps = 11/10, 3/2, 3; k = 1, 10, 100; delta = 1/10, 10^-3, 10^-6",
        "Dwork, Rothblum, Vadhan 2010, Boosting and Differential Privacy",
    )


def concentrated() -> Cases:
    """eps-DP has Renyi divergence at most a eps^2/2 at every order a > 1."""
    claimed = ORDER * sympy.log(LEVEL) ** 2 / 2

    def one(u: Fraction, order: Fraction) -> Case:
        loss = dominating_pair(u)

        def exact() -> arb:
            return _divergence(loss, order)

        def bound() -> arb:
            return evaluate.value(claimed, {LEVEL: u, ORDER: order})

        def again() -> bool:
            return divergence_in_floats(u, order) <= float(bound().mid())

        holds = decide(lambda: _at_least(bound(), exact()))
        place: dict[str, object] = {"e^eps": u, "order": order}
        return _case(place, holds, again, _shown(exact), _shown(bound))

    orders = tuple(map(Fraction, ("11/10", "2", "4", "32")))
    return Cases(
        f"eps-DP has Renyi divergence at most {formula(claimed)}, where level = e^eps",
        lambda: (one(u, order) for u in LEVELS for order in orders),
        "binary response at e^eps = 11/10, 3/2, 3; orders 11/10, 2, 4, 32",
        "Bun, Steinke 2016, Concentrated Differential Privacy: Simplifications, Extensions, and "
        "Lower Bounds",
    )


def from_renyi() -> Cases:
    """(a, r)-Renyi DP is (r + ln(1/d)/(a - 1), d)-DP, for the exact r of binary response."""

    def one(u: Fraction, order: Fraction, d: Fraction) -> Case:
        loss = dominating_pair(u)

        def bound() -> arb:
            return _divergence(loss, order) - ball(d).log() / ball(order - 1)

        return _converted({"e^eps": u, "order": order, "delta": d}, u, 1, d, bound)

    orders = tuple(map(Fraction, ("3/2", "2", "4", "32")))
    return Cases(
        "(order, r)-Renyi DP is (r + ln(1/delta)/(order - 1), delta)-DP",
        lambda: (one(u, order, d) for u in LEVELS for order in orders for d in DELTAS),
        "binary response at e^eps = 11/10, 3/2, 3; orders 3/2, 2, 4, 32; delta = 1/10, 10^-3, "
        "10^-6",
        "Mironov 2017, Renyi Differential Privacy",
    )


def from_concentrated() -> Cases:
    """rho-zCDP is (rho + 2 sqrt(rho ln(1/d)), d)-DP, for k responses with rho = k eps^2/2."""
    root = sympy.sqrt(TIMES / 2) * sympy.log(LEVEL)
    claimed = root**2 + 2 * root * sympy.sqrt(sympy.log(1 / DELTA))

    def one(u: Fraction, k: int, d: Fraction) -> Case:
        def bound() -> arb:
            return evaluate.value(claimed, {LEVEL: u, TIMES: Fraction(k), DELTA: d})

        return _converted({"e^eps": u, "k": k, "delta": d}, u, k, d, bound)

    return Cases(
        f"k reports of eps, so of rho = k eps^2/2, are ({formula(claimed)}, delta)-DP, where "
        "level = e^eps",
        lambda: (one(u, k, d) for u in LEVELS for k in (1, 10, 50) for d in DELTAS),
        "e^eps = 11/10, 3/2, 3; k = 1, 10, 50; delta = 1/10, 10^-3, 10^-6, for binary response",
        "Bun, Steinke 2016, Concentrated Differential Privacy: Simplifications, Extensions, and "
        "Lower Bounds",
    )


def _converted(
    place: dict[str, object], u: Fraction, k: int, d: Fraction, bound: Callable[[], arb]
) -> Case:
    """Decide whether k binary responses are (bound, d)-DP, by the least level of this delta."""
    least = dominating_pair(u).repeated(k).level(d)
    if least is None:
        raise ArithmeticError("binary response has a level for every delta")

    def exact() -> arb:
        return ball(least).log()

    def again() -> bool:
        return delta_by_truths(u, k, Fraction(exp(float(bound().mid())))) <= d

    holds = decide(lambda: _at_least(bound(), exact()))
    return _case(place, holds, again, _shown(exact), _shown(bound))


def shuffled() -> Cases:
    """The closed form of amplification by shuffling, against the bound it was derived from."""

    def one(epsilon0: float, users: int, delta: float) -> Case:
        claimed = shuffle_closed_form(epsilon0, users, delta)
        level = Fraction(decide(lambda: ball(epsilon0).exp()).str(20, radius=False))
        found = shuffled_delta(claimed, level, users)
        place: dict[str, object] = {"eps0": epsilon0, "n": users}
        return _case(place, found <= delta, lambda: False, found, delta)

    return Cases(
        "n shuffled reports of eps0 are (e, delta)-DP, e = ln(1 + (e^eps0 - 1)/(e^eps0 + 1) "
        "(8 sqrt(e^eps0 ln(4/delta)/n) + 8 e^eps0/n))",
        lambda: (one(e, n, 1e-6) for e, n in ((0.5, 1000), (1.0, 1000), (1.0, 10000))),
        "eps0 = 1/2, 1; n = 1000, 10000; delta = 10^-6",
        "Feldman, McMillan, Talwar 2021, Hiding Among the Clones",
        conclusive=False,
    )


def _at_least(left: arb, right: arb) -> bool | None:
    gap = left - right
    return True if gap >= 0 else False if gap < 0 else None


def _shown(value: Callable[[], arb]) -> str:
    return str(decide(value).str(6, radius=False))


PUBLISHED: dict[str, Callable[[], Cases]] = {
    "exact_composition": exact_composition,
    "advanced_composition": advanced_composition,
    "concentrated": concentrated,
    "from_concentrated": from_concentrated,
    "from_renyi": from_renyi,
    "shuffled": shuffled,
}
"""Name -> check, for files of claims."""
