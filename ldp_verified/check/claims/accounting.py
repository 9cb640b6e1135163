"""Published bounds on several reports, against exact sums of the privacy loss of binary response.

Binary randomized response is an instance of each theorem (and the worst one of composition), so a
case that fails refutes the formula; cases that hold prove nothing beyond themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb, exp, log
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.analysis.account.renyi import _divergence
from ldp_verified.analysis.account.rounding import above
from ldp_verified.analysis.account.rules import dominating_pair
from ldp_verified.analysis.account.shuffle import shuffled_delta
from ldp_verified.check.claims import evaluate
from ldp_verified.check.claims.numeric import Case, Cases, Values, combinations
from ldp_verified.check.claims.wording import formula, given
from ldp_verified.run.realize.tables.balls import ball, decide

if TYPE_CHECKING:
    from flint import arb

LEVEL, TIMES, ORDER, DELTA = sympy.symbols("level k order delta", positive=True)
OF_ORDER, USERS, EPS0 = sympy.symbols("r n eps0", positive=True)
PLACE, FALSE_ONES = sympy.symbols("i l", integer=True)
LEVELS = tuple(map(Fraction, ("11/10", "3/2", "3")))
DELTAS = tuple(map(Fraction, ("1/10", "1/1000", "1/1000000")))
RESPONSE = "binary response, level = e^eps"


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


SHARE = (1 + LEVEL) ** -TIMES


def exact_composition(*, share: Any = SHARE) -> Cases:
    """delta_i = sum_{l < i} C(k, l) (e^((k-l) eps) - e^((k-2i+l) eps))/(1 + e^eps)^k, exactly.

    Args:
        share: the factor of the sum.
    """
    at = LEVEL ** (TIMES - 2 * PLACE)
    gained = LEVEL ** (TIMES - FALSE_ONES) - LEVEL ** (TIMES - 2 * PLACE + FALSE_ONES)
    term = sympy.binomial(TIMES, FALSE_ONES) * gained

    def one(u: Fraction, k: int, i: int) -> Case:
        put = {LEVEL: sympy.Rational(u.numerator, u.denominator), TIMES: k, PLACE: i}
        level = _fraction(at.subs(put))
        terms = (_fraction(term.subs({**put, FALSE_ONES: j})) for j in range(i))
        claimed = _fraction(share.subs(put)) * sum(terms, Fraction(0))
        exact = dominating_pair(u).repeated(k).delta(level)

        def again() -> bool:
            return delta_by_truths(u, k, level) == claimed

        return _case({"e^eps": u, "k": k, "i": i}, exact == claimed, again, exact, claimed)

    values: Values = {LEVEL: LEVELS, TIMES: (1, 2, 5, 10)}
    return Cases(
        f"the least delta of k reports of eps, for all at the epsilon whose exponential is "
        f"{formula(at)}, is {formula(share)} times the sum over l < i of {formula(term)}",
        lambda: (
            one(point[LEVEL], int(point[TIMES]), i)
            for point in combinations(values)
            for i in range(int(point[TIMES]) // 2 + 1)
        ),
        f"{given(values)}; every i <= k/2, for {RESPONSE}",
        "Kairouz, Oh, Viswanath 2017, The Composition Theorem for Differential Privacy",
    )


def advanced_composition() -> Cases:
    """k reports are (eps sqrt(2 k ln(1/d)) + k eps (e^eps - 1), d)-DP."""
    eps = sympy.log(LEVEL)
    claimed = eps * sympy.sqrt(2 * TIMES * sympy.log(1 / DELTA)) + TIMES * eps * (LEVEL - 1)
    return _conversion(
        f"k reports of eps are ({formula(claimed)}, delta)-DP",
        claimed,
        {LEVEL: LEVELS, TIMES: (1, 10, 100), DELTA: DELTAS},
        "Dwork, Rothblum, Vadhan 2010, Boosting and Differential Privacy",
    )


def concentrated() -> Cases:
    """eps-DP has Renyi divergence at most a eps^2/2 at every order a > 1."""
    claimed = ORDER * sympy.log(LEVEL) ** 2 / 2

    def one(point: Mapping[Any, Fraction]) -> Case:
        u, order = point[LEVEL], point[ORDER]
        loss = dominating_pair(u)

        def exact() -> arb:
            return _divergence(loss, order)

        def bound() -> arb:
            return evaluate.value(claimed, point)

        def again() -> bool:
            return divergence_in_floats(u, order) <= float(bound().mid())

        holds = decide(lambda: _at_least(bound(), exact()))
        place: dict[str, object] = {"e^eps": u, "order": order}
        return _case(place, holds, again, _shown(exact), _shown(bound))

    values: Values = {LEVEL: LEVELS, ORDER: ("11/10", "2", "4", "32")}
    return Cases(
        f"eps-DP has Renyi divergence at most {formula(claimed)}",
        lambda: map(one, combinations(values)),
        f"{given(values)}, for {RESPONSE}",
        "Bun, Steinke 2016, Concentrated Differential Privacy: Simplifications, Extensions, and "
        "Lower Bounds",
    )


FROM_RENYI = OF_ORDER + sympy.log(1 / DELTA) / (ORDER - 1)


def from_renyi(*, claimed: Any = FROM_RENYI) -> Cases:
    """(a, r)-Renyi DP is (r + ln(1/d)/(a - 1), d)-DP, for the exact r of binary response.

    Args:
        claimed: the epsilon, in `OF_ORDER`, `ORDER` and `DELTA`.
    """
    return _conversion(
        f"(order, r)-Renyi DP is ({formula(claimed)}, delta)-DP",
        claimed,
        {LEVEL: LEVELS, ORDER: ("3/2", "2", "4", "32"), DELTA: DELTAS},
        "Mironov 2017, Renyi Differential Privacy",
    )


def from_concentrated() -> Cases:
    """rho-zCDP is (rho + 2 sqrt(rho ln(1/d)), d)-DP, for k responses with rho = k eps^2/2."""
    root = sympy.sqrt(TIMES / 2) * sympy.log(LEVEL)
    claimed = root**2 + 2 * root * sympy.sqrt(sympy.log(1 / DELTA))
    return _conversion(
        f"k reports of eps, so of rho = {formula(root**2)}, are ({formula(claimed)}, delta)-DP",
        claimed,
        {LEVEL: LEVELS, TIMES: (1, 10, 50), DELTA: DELTAS},
        "Bun, Steinke 2016, Concentrated Differential Privacy: Simplifications, Extensions, and "
        "Lower Bounds",
    )


def _conversion(said: str, claimed: Any, values: Values, cited: str) -> Cases:
    """Decide whether binary responses are (claimed, delta)-DP at every combination of values.

    Args:
        said: the statement. claimed: in the symbols of `values` and `OF_ORDER`, the exact
            divergence of one response at `ORDER`. values: of `LEVEL`, `DELTA`, and of `TIMES` or
            `ORDER`. cited: whose theorem it is.
    """

    def one(point: Mapping[Any, Fraction]) -> Case:
        u, k = point[LEVEL], int(point.get(TIMES, 1))
        loss = dominating_pair(u)

        def bound() -> arb:
            known: dict[Any, Fraction | arb] = {**point}
            if ORDER in point:
                known[OF_ORDER] = _divergence(loss, point[ORDER])
            return evaluate.value(claimed, known)

        place: dict[str, object] = {
            "e^eps" if symbol == LEVEL else symbol.name: value for symbol, value in point.items()
        }
        return _converted(place, u, k, point[DELTA], bound)

    where = f"{given(values)}, for {RESPONSE}"
    return Cases(said, lambda: map(one, combinations(values)), where, cited)


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


_HIDDEN = 8 * sympy.sqrt(sympy.exp(EPS0) * sympy.log(4 / DELTA) / USERS)
HIDDEN = _HIDDEN + 8 * sympy.exp(EPS0) / USERS
"""The factor of tanh(eps0/2) in the closed form: what the clones of a report leave of it."""


def shuffled(*, hidden: Any = HIDDEN) -> Cases:
    """The closed form of amplification by shuffling, against the bound it was derived from.

    Args:
        hidden: what the factor of tanh(eps0/2) is.
    """
    odds = (sympy.exp(EPS0) - 1) / (sympy.exp(EPS0) + 1)
    claimed = sympy.log(1 + odds * hidden)

    def one(epsilon0: Fraction, users: int, delta: Fraction) -> Case:
        point = {EPS0: epsilon0, USERS: Fraction(users), DELTA: delta}
        bound = above(lambda: evaluate.value(claimed, point))
        level = Fraction(decide(lambda: ball(epsilon0).exp()).str(20, radius=False))
        found = shuffled_delta(bound, level, users)
        place: dict[str, object] = {"eps0": epsilon0, "n": users}
        return _case(place, Fraction(found) <= delta, lambda: False, found, delta)

    sizes = ((Fraction(1, 2), 1000), (Fraction(1), 1000), (Fraction(1), 10000))
    delta = DELTAS[-1]
    where = ", ".join(f"(eps0, n) = ({e}, {n})" for e, n in sizes)
    return Cases(
        f"n shuffled reports of eps0 are ({formula(claimed)}, delta)-DP",
        lambda: (one(e, n, delta) for e, n in sizes),
        f"{where}; delta = {delta}",
        "Feldman, McMillan, Talwar 2021, Hiding Among the Clones",
        conclusive=False,
    )


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


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
