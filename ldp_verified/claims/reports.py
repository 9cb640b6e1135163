"""Sizes and costs of reports: how long a hashed one is, what many of one person cost."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb, log, log2

from ldp_verified.account.rules import dominating_pair
from ldp_verified.claims.numeric import Case, Cases
from ldp_verified.prove.expand import digits_of_family
from ldp_verified.realize.balls import ball, decide
from ldp_verified.utility.contributions import Contribution
from ldp_verified.utility.queries import noisy_bit
from ldp_verified.utility.tails import exact_tail

SIZES = tuple(2**i + d for i in range(2, 31) for d in (-1, 0, 1))
BUCKETS = (2, 3, 4, 5, 8, 21)


def hash_reports() -> Cases:
    """A hashed report needs at most log2 k (log2 g/log2 l) + 2 log2 g + 1 bits, an unary one k.

    l is the smallest prime factor of g; for a prime g that is log2 k + O(log g).
    """

    def cases() -> Iterable[Case]:
        for g in BUCKETS:
            for k in SIZES:
                least, digits = digits_of_family(k, g)
                bits = (g ** (digits + 1) - 1).bit_length()
                bound = log2(k) * log2(g) / log2(least) + 2 * log2(g) + 1 + 1e-9
                yield Case(
                    {"k": k, "g": g},
                    bits <= bound,
                    lambda g=g, d=digits, b=bound: len(bin(g ** (d + 1) - 1)) - 2 <= b,
                    {"bits": bits, "bound": bound},
                    f"a report has {bits} bits, the bound is {bound:.3f}",
                )

    where = f"k around every power of two up to 2^30, g = {', '.join(map(str, BUCKETS))}"
    return Cases(cases, where)


def repeated_reports(times: int, total: int, levels: tuple[str, ...]) -> Cases:
    """That many reports on one value, each by binary randomized response, cost at most `total`.

    Args:
        times: how many. total: the claimed epsilon. levels: e^eps of one report.
    """

    def cases() -> Iterable[Case]:
        for level in map(Fraction, levels):
            ratio = dominating_pair(level).repeated(times).ratio
            assert ratio is not None
            holds = decide(lambda r=ratio: _below(ball(r).log(), total))
            eps = decide(lambda r=ratio: ball(r).log()).str(6, radius=False)
            one = decide(lambda v=level: ball(v).log()).str(6, radius=False)
            again = level**times
            yield Case(
                {"e^eps of one report": level, "reports": times},
                holds,
                lambda a=again: decide(lambda: _below(ball(a).log(), total)),
                {"eps of one report": one, "eps of all": eps},
                f"claimed at most {total}, found {eps} for {times} reports of eps {one} each",
            )

    where = f"{times} reports at e^eps = {', '.join(levels)}"
    return Cases(cases, where, checkers=("enumeration", "balls"))


def _below(value: object, total: int) -> bool | None:
    gap = total - value  # type: ignore[operator]  # a ball, which flint's stub does not subtract
    return True if gap >= 0 else False if gap < 0 else None


def query_sizes(*, log_factor: bool) -> Cases:
    """n <= 8 t/(eps tau)^2 users, or 3 t ln(20 t)/(eps tau)^2, suffice for t statistical queries.

    Each query has n/t users of its own, a true share of 1/2 and failure probability 1/(10 t), so
    that all answers are within tau with probability 9/10; the tail is summed exactly, by a normal
    bound never.
    """

    def cases() -> Iterable[Case]:
        for queries in (1, 10, 1000, 10**6):
            for level, epsilon in (("2", "69/100"), ("5/2", "9/10")):
                for tau in (Fraction(1, 2), Fraction(1, 4)):
                    scale = (Fraction(epsilon) * tau) ** 2
                    factor = 3 * log(20 * queries) if log_factor else 8
                    users = int(factor / float(scale))
                    bit = noisy_bit(Fraction(level), Fraction(1, 2))
                    allowed = 1 / Fraction(10 * queries)
                    chance = exact_tail([(bit, users)], tau * users, strict=True)
                    yield Case(
                        {"t": queries, "e^eps": level, "tau": tau},
                        Fraction(chance) <= allowed,
                        lambda b=bit, n=users, t=tau, a=allowed: tail_in_integers(b, n, t) <= a,
                        {"users per query": users, "probability": chance, "allowed": allowed},
                        f"{users} users for each of {queries} queries: an answer is off by more "
                        f"than {tau} with probability {chance:.4g}, allowed is {float(allowed):.4g}",
                    )

    where = "t = 1, 10, 1000, 10^6; e^eps = 2, 5/2 (eps taken below); tau = 1/2, 1/4"
    cited = "Kasiviswanathan, Lee, Nissim, Raskhodnikova, Smith 2011, What Can We Learn Privately?"
    return Cases(cases, where, cited, ("balls", "enumeration"))


def tail_in_integers(bit: Contribution, users: int, tau: Fraction) -> Fraction:
    """The same tail of one query summed in integers, the second opinion."""
    (low, chance), (high, _) = bit.atoms[0], bit.atoms[-1]
    below, above = chance.numerator, chance.denominator
    total, mean = 0, users * bit.mean
    for told in range(users + 1):
        if abs(told * high + (users - told) * low - mean) > tau * users:
            total += comb(users, told) * (above - below) ** told * below ** (users - told)
    return Fraction(total, above**users)
