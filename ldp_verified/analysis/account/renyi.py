"""Renyi divergences of a table, and the epsilon they give for several reports.

Ilya Mironov (2017), Renyi Differential Privacy. The conversion is that of Clement Canonne, Gautam
Kamath, Thomas Steinke (2020), The Discrete Gaussian for Differential Privacy: `renyi_delta` in
proofs/lib/Renyi.v, and `renyi_compose` for several reports.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import arb

from ldp_verified.analysis.account.loss import PrivacyLoss
from ldp_verified.analysis.account.rounding import above, listed, number, share_of, whole
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.tables.balls import ball

ORDERS: Sequence[Fraction] = tuple(
    [Fraction(i, 8) for i in range(9, 33)] + [Fraction(i) for i in (5, 6, 8, 12, 16, 32, 64, 256)]
)
"""Orders that are tried by default."""


def _divergence(loss: PrivacyLoss, order: Fraction) -> arb:
    """ln(sum P^a Q^(1-a)) / (a - 1), or its limit sum P ln(P/Q) at a = 1."""
    a = ball(order)
    total = arb(0)
    for p, q in loss.atoms:
        if p == 0:
            continue
        ratio = (ball(p) / ball(q)).log()
        total += ball(p) * (ratio if order == 1 else ((a - 1) * ratio).exp())
    return total if order == 1 else total.log() / (a - 1)


def renyi_divergence(loss: PrivacyLoss, order: float | Fraction) -> float:
    """D_order(P(.|x) || P(.|x')) in nats, rounded up; inf where x' cannot give an output.

    Args:
        loss: the pair of inputs.
        order: at least 1; 1 is the Kullback-Leibler divergence, math.inf the largest loss.

    Returns:
        The divergence in nats.

    Raises:
        ParameterError: the order is below 1 or no number.
    """
    if loss.infinite:
        return math.inf
    if isinstance(order, float) and order == math.inf:
        return loss.epsilon(0)
    exact = number("order", order, low=1)
    return above(lambda: _divergence(loss, exact))


def renyi_epsilon(
    loss: PrivacyLoss, times: int, delta: float, orders: Iterable[float | Fraction] = ORDERS
) -> float:
    """An epsilon that `times` reports have at `delta`, the least over `orders`; rounded up.

    times D_a + ln((a - 1)/a) - (ln delta + ln a)/(a - 1), at least 0.

    Args:
        loss: the loss of one report. times: the number of reports, at least 1.
        delta: in (0, 1). orders: the orders a to try, each above 1.

    Returns:
        Epsilon in nats; inf where x' cannot give an output.

    Raises:
        ParameterError: times below 1, delta outside (0, 1), an order of at most 1, no order.
    """
    whole("times", times, 1)
    share = share_of("delta", delta)
    tried = [number("orders", order, low=1) for order in listed("orders", orders)]
    if not tried or min(tried) <= 1:
        raise ParameterError("orders", "must be numbers above 1", orders)
    if loss.infinite:
        return math.inf
    best = math.inf
    for order in tried:

        def bound(a: Fraction = order) -> arb:
            extra = (ball(share).log() + ball(a).log()) / ball(a - 1)
            value = times * _divergence(loss, a) + (ball(a - 1) / ball(a)).log() - extra
            return value.max(arb(0))

        best = min(best, above(bound))
    return best
