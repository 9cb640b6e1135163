"""Rules that hold for every randomizer with a given epsilon and delta."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ldp_verified.analysis.account.loss import PrivacyLoss
from ldp_verified.analysis.account.rounding import above, number, whole
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.tables.balls import ball

if TYPE_CHECKING:
    from flint import arb


def group_privacy(epsilon: float, delta: float, size: int) -> tuple[float, float]:
    """(epsilon, delta) when the data of `size` users change at once, rounded up.

    (size epsilon, delta (e^(size epsilon) - 1)/(e^epsilon - 1)): the hybrid argument, user after
    user, whose deltas form a geometric sum. Salil Vadhan (2017), The Complexity of Differential
    Privacy, lemma on group privacy. With delta = 0 this is the exact epsilon of `size` users with
    reports of their own where the table is tight; `PrivacyLoss.repeated` has their exact delta.

    Args:
        epsilon, delta: of a change by one user. size: the number of users, at least 1.

    Returns:
        (epsilon, delta) of the group; delta is at most 1.

    Raises:
        ParameterError: epsilon below 0, delta outside [0, 1], size below 1.
    """
    exact = number("epsilon", epsilon, low=0)
    share = number("delta", delta, low=0, high=1)
    whole("size", size, 1)

    def sums() -> arb:
        if exact == 0:
            return ball(share) * size
        return ball(share) * ball(exact * size).expm1() / ball(exact).expm1()

    return above(lambda: ball(exact * size)), min(1.0, above(sums)) if share else 0.0


def dominating_pair(level: Fraction | int) -> PrivacyLoss:
    """The loss of binary randomized response at e^epsilon = `level`.

    It dominates every epsilon-LDP randomizer on every pair of inputs, also in adaptive composition.
    The delta of any reports, each chosen in view of those before, is at most that of as many of
    these: `dominated_composition` in proofs/lib/Domination.v. Peter Kairouz, Sewoong Oh, Pramod
    Viswanath (2017), The Composition Theorem for Differential Privacy.

    Args:
        level: e^epsilon, exact and at least 1.

    Returns:
        The loss on one of the two ordered pairs; the other has the same.

    Raises:
        ParameterError: `level` is below 1, or no exact number.
    """
    if isinstance(level, bool) or not isinstance(level, int | Fraction) or level < 1:
        raise ParameterError("level", "must be an exact number e^epsilon >= 1", level)
    u = Fraction(level)
    return PrivacyLoss([(u / (u + 1), 1 / (u + 1)), (1 / (u + 1), u / (u + 1))])
