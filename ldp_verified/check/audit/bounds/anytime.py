"""Bounds that hold at every sample size at once: look as often as you like, stop when you like.

For delta = 0 the sides of an event (see `bounds`) are coin flips with chance theta of plus. The
likelihood of what was seen, averaged over theta by the Beta(1/2, 1/2) law, divided by its value at
theta0, is a nonnegative martingale that starts at 1 if theta0 is the truth. Ville's inequality says
that it ever reaches 1/level with probability at most level. All theta0 that it has rejected lie
below a bound that is therefore below the truth at all times, except with probability level.

For delta > 0 the same is done with the three sides, and a Dirichlet(1/2, 1/2, 1/2) average. The
divisor is the largest likelihood under the null (*) of `bounds`, which can only make the ratio
smaller.

J. Ville (1939), Etude critique de la notion de collectif. H. Robbins (1970), Statistical Methods
Related to the Law of the Iterated Logarithm. L. Wasserman, A. Ramdas, S. Balakrishnan (2020),
Universal Inference.
"""

from __future__ import annotations

from math import exp, inf, lgamma, log, log1p, pi

from scipy.special import xlogy

from ldp_verified.check.audit.bounds.bounds import Stake, Tally

_PRECISION = 1e-9


def _log_theta(target: float, odds: float) -> tuple[float, float]:
    """ln theta and ln(1 - theta) at P(plus) = e^target P(minus)/odds."""
    x = log(odds) - target
    both = log1p(exp(-abs(x)))
    return (-both, x - both) if x < 0 else (-x - both, -both)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def log_evidence(tally: Tally, stake: Stake, target: float, delta: float = 0.0) -> float:
    """ln of the evidence against eps <= target: an e-process, expected at most 1 at any stopping.

    It is 0 (no evidence) where the counts lie on the null's own side.
    """
    if delta:
        return _log_evidence_delta(tally, stake, target, delta)
    plus, minus = tally.plus, tally.minus
    log_yes, log_no = _log_theta(target, stake.odds)
    if plus <= exp(log_yes) * (plus + minus):
        return 0.0
    mixture = _log_beta(plus + 0.5, minus + 0.5) - log(pi)
    return mixture - plus * log_yes - minus * log_no


def _log_evidence_delta(tally: Tally, stake: Stake, target: float, delta: float) -> float:
    ratio, extra = exp(target) / stake.odds, stake.share * delta
    if tally.plus <= ratio * tally.minus + extra * tally.n:
        return 0.0
    return _against_edge(tally, ratio, extra)


def _log_evidence_below(tally: Tally, stake: Stake, target: float, delta: float) -> float:
    """ln of the evidence against a ratio of `target` or more: the other side of the same edge."""
    ratio, extra = exp(target) / stake.odds, stake.share * delta
    if tally.plus >= ratio * tally.minus + extra * tally.n:
        return 0.0
    return _against_edge(tally, ratio, extra)


def _against_edge(tally: Tally, ratio: float, extra: float) -> float:
    """The average likelihood over the largest one where p = ratio q + extra.

    Where the counts lie beyond that edge, it is the largest on the whole side that is the null,
    because the likelihood is concave.
    """
    plus, minus = tally.plus, tally.minus
    rest = tally.n - plus - minus
    mixture = (
        lgamma(plus + 0.5)
        + lgamma(minus + 0.5)
        + lgamma(rest + 0.5)
        - lgamma(tally.n + 1.5)
        + lgamma(1.5)
        - 1.5 * log(pi)
    )
    return mixture - _largest_on_edge(plus, minus, rest, ratio, extra)


def _largest_on_edge(plus: int, minus: int, rest: int, ratio: float, extra: float) -> float:
    """max of plus ln p + minus ln q + rest ln(1 - p - q) where p = ratio q + extra.

    The likelihood is concave along the edge: its slope is bisected, and both ends of the last
    interval are bounded from above by their tangents.
    """

    def value(q: float) -> float:
        p = ratio * q + extra
        return float(xlogy(plus, p) + xlogy(minus, q) + xlogy(rest, max(1 - p - q, 0.0)))

    def slope(q: float) -> float:
        p = ratio * q + extra
        left = 1 - p - q
        found = (plus * ratio / p if plus else 0.0) + (minus / q if minus else 0.0)
        return found - (rest * (ratio + 1) / left if rest else 0.0)

    top = (1 - extra) / (ratio + 1)
    low, high = top * 1e-18, top * (1 - 1e-15)
    if slope(low) <= 0:
        return value(low) - slope(low) * low
    if slope(high) >= 0:
        return value(high) + slope(high) * (top - high)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
        if high - low <= 1e-14 * high:
            break
    return max(value(low) + slope(low) * (high - low), value(high))


def lower_bound(tally: Tally, stake: Stake, level: float, delta: float = 0.0) -> float:
    """A bound that is ever above the true eps, at any sample size, with probability <= level."""
    return _bound(tally, stake, level, delta)


def upper_ratio(tally: Tally, stake: Stake, level: float, delta: float = 0.0) -> float:
    """A bound that is ever below the event's own ln ratio (not eps) with probability <= level.

    That is the t with P(plus) = e^t P(minus)/odds + share * delta. Infinite where no minus was
    seen enough, -infinity where even t at its least is too much.
    """
    if delta == 0:
        flipped = Stake(1 / stake.odds, stake.share)
        found = _bound(Tally(tally.minus, tally.plus, tally.n), flipped, level, 0.0, least=-700.0)
        return -found
    needed = -log(level)

    def rejected(target: float) -> bool:
        return _log_evidence_below(tally, stake, target, delta) >= needed

    low, high = -20.0, 60.0
    if not rejected(high):
        return inf
    if rejected(low):
        return -inf
    while high - low > _PRECISION * max(1.0, abs(high)):
        middle = (low + high) / 2
        low, high = (low, middle) if rejected(middle) else (middle, high)
    return high


def _bound(tally: Tally, stake: Stake, level: float, delta: float, least: float = 0.0) -> float:
    needed = -log(level)

    def rejected(target: float) -> bool:
        return log_evidence(tally, stake, target, delta) >= needed

    if tally.plus == 0 or not rejected(least):
        return least if least == 0.0 else -inf
    low, high = least, min(tally.point(stake, delta), 700.0)
    if rejected(high):
        return high
    while high - low > _PRECISION * max(1.0, abs(high)):
        middle = (low + high) / 2
        low, high = (middle, high) if rejected(middle) else (low, middle)
    return low
