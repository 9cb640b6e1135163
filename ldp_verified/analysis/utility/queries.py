"""Statistical queries answered locally, and the users that this takes.

A statistical query asks for the mean of q(x) over the distribution of the users' values, q into
[0, 1], with a tolerance tau. Each query has users of its own; each of them sends one randomized
bit, true with probability q(x) before randomization, so every user spends eps once. Shiva Prasad
Kasiviswanathan, Homin K. Lee, Kobbi Nissim, Sofya Raskhodnikova, Adam Smith (2011), What Can We
Learn Privately?
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ldp_verified.analysis.account.rounding import number, share_of, whole
from ldp_verified.analysis.utility.contributions import Contribution
from ldp_verified.analysis.utility.sample_size import smallest_users
from ldp_verified.errors import ParameterError


@dataclass(frozen=True)
class QueryPlan:
    """The number of users that a number of queries takes.

    Attributes:
        queries: t. level: e^eps. tolerance: tau. beta: the probability that some answer is off.
        users_per_query: proven by Hoeffding's inequality and the union bound.
        users: in all.
        exact_per_query: where the answer's own tail, at q = 1/2, first allows it.
    """

    queries: int
    level: Fraction
    tolerance: Fraction
    beta: Fraction
    users_per_query: int
    users: int
    exact_per_query: int


def noisy_bit(level: Fraction, share: Fraction) -> Contribution:
    """Return what one randomized bit adds to the estimated number of true answers.

    Args:
        level: e^eps. share: the probability that the bit is true, over users and query.

    Raises:
        ParameterError: a level that is not above 1, a share outside [0, 1].
    """
    exact, chance = number("level", level), number("share", share, low=0, high=1)
    if exact <= 1:
        raise ParameterError("level", "must be e^eps > 1", str(level))
    keep = exact / (exact + 1)
    said = chance * keep + (1 - chance) * (1 - keep)
    return Contribution([(keep / (2 * keep - 1), said), ((keep - 1) / (2 * keep - 1), 1 - said)])


def query_plan(
    queries: int, level: Fraction | int, tolerance: float | Fraction, beta: float | Fraction
) -> QueryPlan:
    """The users that `queries` statistical queries take, all within tolerance with 1 - beta.

    Args:
        queries: how many, at least 1. level: e^epsilon, above 1.
        tolerance: the error of an answer, a share above 0.
        beta: the probability that any one fails, in (0, 1); a float counts as the fraction that it
            is.

    Raises:
        ParameterError: no queries, a level that is not above 1, a tolerance or beta out of range.
    """
    asked, exact = whole("queries", queries, 1), number("level", level, low=1)
    tau, share = number("tolerance", tolerance, low=0, high=1), share_of("beta", beta)
    if tau == 0:
        raise ParameterError("tolerance", "must be > 0", tolerance)
    bit, each = noisy_bit(exact, Fraction(1, 2)), share / asked
    proven = smallest_users(bit, tau, each, "hoeffding")
    fewest = smallest_users(bit, tau, each, "exact")
    return QueryPlan(asked, exact, tau, share, proven, proven * asked, fewest)
