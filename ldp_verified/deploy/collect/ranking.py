"""Rank every frequency oracle by the users, or by the epsilon, that a wish needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ldp_verified.deploy.collect.choose import by_name, of_each_oracle
from ldp_verified.deploy.collect.plan import (
    Need,
    epsilon_for,
    users_for_error,
    users_for_quantile,
    users_to_detect,
)
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.deploy.collect.choose import ObjectMaker
    from ldp_verified.deploy.collect.plan import Ask


class Wish(NamedTuple):
    """The question of a plan; one of `error` and `detect` is given.

    Attributes:
        error: for `users_for_error` or `users_for_quantile`, or None.
        detect: the share for `users_to_detect`, or None.
        level: of the answer. share: as in `users_for_error`.
        quantile: as in `users_for_quantile`; None for the share of one value.
    """

    error: float | None
    detect: float | None
    level: float
    share: float | None
    quantile: float | None = None

    def users(self, made: Any) -> Need:
        """The users of a mechanism; Raises as the function that answers."""
        if self.detect is not None:
            return users_to_detect(made, self.detect, self.level)
        if self.error is None:
            raise ParameterError("error", "must be given, or else detect")
        if self.quantile is not None:
            return users_for_quantile(made, self.error, self.quantile, self.level)
        return users_for_error(made, self.error, self.level, share=self.share)


@dataclass(frozen=True)
class RankedPlan:
    """The users or the epsilon that one mechanism needs.

    Attributes:
        name: of the spec. bits: of a report, at the epsilon below; None where it is refused.
        epsilon: of a report; None where none up to 16 is enough.
        need: users at this epsilon; None where it is refused.
        refused: why there is no mechanism at these parameters.
    """

    name: str
    bits: int | None
    epsilon: float | None
    need: Need | None
    refused: str = ""


def plans_for_users(epsilon: float, k: int, ask: Ask) -> tuple[RankedPlan, ...]:
    """The users that each frequency oracle needs, the fewest first.

    Args:
        epsilon: of a report. k: the number of values.
        ask: `lambda made: users_for_error(made, 0.01)`, or with another question.

    Raises:
        ParameterError: no mechanism takes these parameters; or what is asked is out of range.
    """
    return tuple(sorted(_plans(lambda _: epsilon, k, ask, epsilon), key=_by_users))


def plans_for_epsilon(n: int, k: int, ask: Ask) -> tuple[RankedPlan, ...]:
    """The epsilon that each frequency oracle needs, the smallest first.

    Args:
        n: users. k: the number of values. ask: as in `plans_for_users`.

    Raises:
        ParameterError: no mechanism takes these parameters; or an argument is out of range.
    """
    found = _plans(lambda make: epsilon_for(lambda epsilon: make(epsilon, k), n, ask), k, ask)
    return tuple(
        sorted(found, key=lambda p: (p.epsilon or math.inf, p.bits or 0, *by_name(p.name)))
    )


def _plans(
    settled: Callable[[ObjectMaker], float | None],
    k: int,
    ask: Ask,
    refused_at: float | None = None,
) -> tuple[RankedPlan, ...]:
    """A plan of every frequency oracle, at the epsilon that is settled for it."""

    def planned(name: str, make: ObjectMaker) -> RankedPlan:
        epsilon = settled(make)
        made = None if epsilon is None else make(epsilon, k)
        bits, need = (None, None) if made is None else (made.bits_per_report, ask(made))
        return RankedPlan(name, bits, epsilon, need)

    return of_each_oracle(
        planned, lambda name, why: RankedPlan(name, None, refused_at, None, why), with_sketches=True
    )


def _by_users(plan: RankedPlan) -> tuple[float, int, int, str]:
    users = None if plan.need is None else plan.need.users
    return math.inf if users is None else users, plan.bits or 0, *by_name(plan.name)
