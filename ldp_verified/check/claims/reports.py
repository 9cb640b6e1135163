"""Sizes and costs of reports: how long a hashed one is, what many of one person cost."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import comb
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.analysis.account.rounding import below
from ldp_verified.analysis.account.rules import dominating_pair
from ldp_verified.analysis.utility.contributions import Contribution
from ldp_verified.analysis.utility.queries import noisy_bit
from ldp_verified.analysis.utility.tails import exact_tail
from ldp_verified.check.claims import evaluate
from ldp_verified.check.claims.numeric import Case, Cases
from ldp_verified.check.claims.wording import formula, given
from ldp_verified.prove.enumeration.expand import digits_of_family
from ldp_verified.run.realize.tables.balls import ball, decide

if TYPE_CHECKING:
    from flint import arb

TOP = 30
SIZES = tuple(2**i + d for i in range(2, TOP + 1) for d in (-1, 0, 1))
BUCKETS = (2, 3, 4, 5, 8, 21)
K, G, LEAST = sympy.symbols("k g l", positive=True)
QUERIES_ASKED, EPS, TAU = sympy.symbols("t eps tau", positive=True)


def _log2(value: Any) -> Any:
    return sympy.log(value) / sympy.log(2)


BITS = _log2(K) * sympy.log(G) / sympy.log(LEAST) + 2 * _log2(G) + 1
"""Bits of a report that is hashed to g values, l the least prime factor of g."""


def hash_reports(*, bound: Any = BITS) -> Cases:
    """A hashed report needs at most log2 k (log2 g/log2 l) + 2 log2 g + 1 bits, an unary one k.

    l is the smallest prime factor of g; for a prime g that is log2 k + O(log g).

    Args:
        bound: the claimed number of bits, in `K`, `G` and `LEAST`.
    """

    def one(k: int, g: int) -> Case:
        least, digits = digits_of_family(k, g)
        bits = (g ** (digits + 1) - 1).bit_length()
        at = {K: Fraction(k), G: Fraction(g), LEAST: Fraction(least)}
        shown = evaluate.decimal(bound, at, 6)

        def enough(needed: int) -> bool:
            return decide(lambda: _below(ball(Fraction(needed)), evaluate.value(bound, at)))

        return Case(
            {"k": k, "g": g},
            enough(bits),
            lambda: enough(len(bin(g ** (digits + 1) - 1)) - 2),
            {"bits": bits, "bound": shown},
            f"a report has {bits} bits, the bound is {shown}",
        )

    near = f"k = 2^i - 1, 2^i, 2^i + 1 up to i = {TOP}"
    where = f"{near}, g = {', '.join(map(str, BUCKETS))}"
    said = f"a report has at most {formula(bound)} bits, l the least factor of g"
    return Cases(said, lambda: (one(k, g) for g in BUCKETS for k in SIZES), where)


def repeated_reports(times: int, total: int, levels: tuple[str, ...]) -> Cases:
    """Decide if so many reports on one value, by binary response, cost at most `total`.

    Args:
        times: how many. total: the claimed epsilon. levels: e^eps of one report.
    """

    def one(level: Fraction) -> Case:
        ratio = dominating_pair(level).repeated(times).ratio
        assert ratio is not None
        eps, each = (decide(ball(r).log).str(6, radius=False) for r in (ratio, level))
        return Case(
            {"e^eps of one report": level, "reports": times},
            decide(lambda: _below(ball(ratio).log(), ball(total))),
            lambda: decide(lambda: _below(times * ball(level).log(), ball(total))),
            {"eps of one report": each, "eps of all": eps},
            f"claimed at most {total}, found {eps} for {times} reports of eps {each} each",
        )

    where = f"{times} reports at e^eps = {', '.join(levels)}"
    return Cases(
        f"{times} reports by binary randomized response on one value cost at most {total}",
        lambda: (one(Fraction(level)) for level in levels),
        where,
        checkers=("enumeration", "balls"),
    )


def _below(value: arb, bound: arb) -> bool | None:
    gap = bound - value
    return True if gap >= 0 else False if gap < 0 else None


QUERIES = (1, 10, 1000, 10**6)
RATES = (("2", "69/100"), ("5/2", "9/10"))
"""(e^eps, a number below eps)."""

TOLERANCES = (Fraction(1, 2), Fraction(1, 4))
FAILS = Fraction(1, 10)
"""How often some answer may be further off."""


def query_sizes(*, users: Any) -> Cases:
    """State that users/(eps tau)^2 users suffice to answer t statistical queries.

    Each query has n/t users of its own, a true share of 1/2 and failure probability 1/(10 t), so
    that all answers are within tau with probability 9/10. The tail is summed exactly, never bounded
    by a normal law.

    Args:
        users: an expression in `QUERIES_ASKED`, t.
    """
    all_users = users / (EPS * TAU) ** 2

    def one(queries: int, level: Fraction, epsilon: Fraction, tau: Fraction) -> Case:
        at = {QUERIES_ASKED: Fraction(queries), EPS: epsilon, TAU: tau}
        each = int(below(lambda: evaluate.value(all_users / QUERIES_ASKED, at)))
        bit, allowed = noisy_bit(level, Fraction(1, 2)), FAILS / queries
        chance = exact_tail([(bit, each)], tau * each, strict=True)
        return Case(
            {"t": queries, "e^eps": level, "tau": tau},
            Fraction(chance) <= allowed,
            lambda: tail_in_integers(bit, each, tau) <= allowed,
            {"users per query": each, "probability": chance, "allowed": allowed},
            f"{each} users for each of {queries} queries: an answer is off by more than {tau} "
            f"with probability {chance:.4g}, allowed is {float(allowed):.4g}",
        )

    def cases() -> Iterable[Case]:
        for queries, (level, epsilon), tau in product(QUERIES, RATES, TOLERANCES):
            yield one(queries, Fraction(level), Fraction(epsilon), tau)

    levels = ", ".join(f"{level} (eps taken as {epsilon})" for level, epsilon in RATES)
    where = f"{given({QUERIES_ASKED: QUERIES})}; e^eps = {levels}; {given({TAU: TOLERANCES})}"
    said = (
        f"n <= {formula(all_users)} users answer t queries, each within tau, all together with "
        f"probability {1 - FAILS}"
    )
    return Cases(said, cases, where, checkers=("balls", "enumeration"))


def tail_in_integers(bit: Contribution, users: int, tau: Fraction) -> Fraction:
    """The tail of one query's sum, computed in integers: the second opinion."""
    (low, chance), (high, _) = bit.atoms[0], bit.atoms[-1]
    below, above = chance.numerator, chance.denominator
    total, mean = 0, users * bit.mean
    for told in range(users + 1):
        if abs(told * high + (users - told) * low - mean) > tau * users:
            total += comb(users, told) * (above - below) ** told * below ** (users - told)
    return Fraction(total, above**users)
