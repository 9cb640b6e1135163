"""Sizes and costs of reports: how long a hashed one is, what many of one person cost."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb, log, log2
from typing import TYPE_CHECKING

from ldp_verified.account.rules import dominating_pair
from ldp_verified.claims.numeric import Case, Cases
from ldp_verified.prove.expand import digits_of_family
from ldp_verified.realize.balls import ball, decide
from ldp_verified.utility.contributions import Contribution
from ldp_verified.utility.queries import noisy_bit
from ldp_verified.utility.tails import exact_tail

if TYPE_CHECKING:
    from flint import arb

SIZES = tuple(2**i + d for i in range(2, 31) for d in (-1, 0, 1))
BUCKETS = (2, 3, 4, 5, 8, 21)


def hash_reports() -> Cases:
    """A hashed report needs at most log2 k (log2 g/log2 l) + 2 log2 g + 1 bits, an unary one k.

    l is the smallest prime factor of g; for a prime g that is log2 k + O(log g).
    """

    def one(k: int, g: int) -> Case:
        least, digits = digits_of_family(k, g)
        bits = (g ** (digits + 1) - 1).bit_length()
        bound = log2(k) * log2(g) / log2(least) + 2 * log2(g) + 1 + 1e-9
        return Case(
            {"k": k, "g": g},
            bits <= bound,
            lambda: len(bin(g ** (digits + 1) - 1)) - 2 <= bound,
            {"bits": bits, "bound": bound},
            f"a report has {bits} bits, the bound is {bound:.3f}",
        )

    where = f"k around every power of two up to 2^30, g = {', '.join(map(str, BUCKETS))}"
    said = "a report has at most log2 k log2 g/log2 l + 2 log2 g + 1 bits, l the least factor of g"
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
            decide(lambda: _below(ball(ratio).log(), total)),
            lambda: decide(lambda: _below(times * ball(level).log(), total)),
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


def _below(value: arb, total: int) -> bool | None:
    gap = total - value
    return True if gap >= 0 else False if gap < 0 else None


def query_sizes(*, log_factor: bool) -> Cases:
    """n <= 8 t/(eps tau)^2 users, or 3 t ln(20 t)/(eps tau)^2, suffice for t statistical queries.

    Each query has n/t users of its own, a true share of 1/2 and failure probability 1/(10 t), so
    that all answers are within tau with probability 9/10. The tail is summed exactly, never bounded
    by a normal law.
    """

    def one(queries: int, level: Fraction, epsilon: Fraction, tau: Fraction) -> Case:
        factor = 3 * log(20 * queries) if log_factor else 8
        users = int(factor / float((epsilon * tau) ** 2))
        bit, allowed = noisy_bit(level, Fraction(1, 2)), 1 / Fraction(10 * queries)
        chance = exact_tail([(bit, users)], tau * users, strict=True)
        return Case(
            {"t": queries, "e^eps": level, "tau": tau},
            Fraction(chance) <= allowed,
            lambda: tail_in_integers(bit, users, tau) <= allowed,
            {"users per query": users, "probability": chance, "allowed": allowed},
            f"{users} users for each of {queries} queries: an answer is off by more than {tau} "
            f"with probability {chance:.4g}, allowed is {float(allowed):.4g}",
        )

    def cases() -> Iterable[Case]:
        for queries in (1, 10, 1000, 10**6):
            for level, epsilon in (("2", "69/100"), ("5/2", "9/10")):
                for tau in (Fraction(1, 2), Fraction(1, 4)):
                    yield one(queries, Fraction(level), Fraction(epsilon), tau)

    where = "t = 1, 10, 1000, 10^6; e^eps = 2, 5/2 (eps taken below); tau = 1/2, 1/4"
    factor = "3 t ln(20 t)" if log_factor else "8 t"
    said = f"n <= {factor}/(eps tau)^2 users answer t queries within tau, together with 9/10"
    return Cases(said, cases, where, checkers=("balls", "enumeration"))


def tail_in_integers(bit: Contribution, users: int, tau: Fraction) -> Fraction:
    """The same tail of one query summed in integers, the second opinion."""
    (low, chance), (high, _) = bit.atoms[0], bit.atoms[-1]
    below, above = chance.numerator, chance.denominator
    total, mean = 0, users * bit.mean
    for told in range(users + 1):
        if abs(told * high + (users - told) * low - mean) > tau * users:
            total += comb(users, told) * (above - below) ** told * below ** (users - told)
    return Fraction(total, above**users)
