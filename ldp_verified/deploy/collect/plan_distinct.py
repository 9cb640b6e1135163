"""Plan which values `Estimate.distinct_at_least` will count: the share that one needs."""

from __future__ import annotations

from typing import Any

from ldp_verified.errors import ParameterError
from ldp_verified.extras import needs
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.realize.parameters import LARGEST_N, check_integer


def share_seen(
    made: Any,
    n: int,
    candidates: int | None = None,
    level: float = 0.95,
    chance: float = 0.9,
) -> float | None:
    """A share of the users at which `distinct_at_least` counts a value, with a given chance.

    By binomial tails, for every number of users and whatever the others hold: a value of this share
    passes the first and strictest step of Holm's procedure with the chance asked for, or more.
    Where many values are seen, the next ones need a little less.

    Args:
        made: a mechanism or protocol whose reports are all new draws and support values: anything
            with such an `oracle`.
        n: how many users report. candidates: how many values are looked at, fixed beforehand; None
            for all. level: of the bound, in (0, 1). chance: that the value is counted, in (0, 1).

    Returns:
        A share in (0, 1]; None where not even a value that all hold is counted with the chance.

    Raises:
        ParameterError: an argument is out of range, or reports are no such ones.
    """
    needs("share_seen", "scipy")
    from scipy.special import betaincinv  # not needed by clients
    from scipy.stats import binom

    oracle = getattr(made, "oracle", None)
    if not isinstance(oracle, FrequencyOracle) or not oracle.fresh:
        rule = "must have reports that are all new draws and support values"
        raise ParameterError("mechanism", rule, type(made))
    users = check_integer("n", n, 1, LARGEST_N)
    check_level(level)
    check_level(chance, "chance")
    looks = made.k if candidates is None else check_integer("candidates", candidates, 1, LARGEST_N)
    # Of all values of users who hold one each, half of the error is for the other bound.
    halved = candidates is None and oracle.exclusive
    miss = (1 - float(level)) / looks / (2 if halved else 1)
    q, slope = float(oracle.q_star), float(oracle.p_star - oracle.q_star)
    # The fewest supports that show a value: more than `isf` have a tail of at most `miss`.
    supports = int(binom.isf(miss, users, q)) + 1
    if supports > users:
        return None
    # As in `run.aggregate.distinct`: the lower tail of a sum of coins is that of a binomial.
    needed = float(betaincinv(supports, users - supports + 1, float(chance)))
    share = (max(needed, supports / users) - q) / slope
    return share if share <= 1 else None
