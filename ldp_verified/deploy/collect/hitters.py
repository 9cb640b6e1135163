"""Plan the search for frequent values that nobody can list: every protocol, the best first.

Two shares stand side by side. `predicted_share` is what a value needs to be found every second time
in a population of many values, by stated variances and the normal law. `detectable_share` bounds
the chance of a miss at the worst population, for some protocols of a value alone in its cell
(docs/protocols.md). Protocols are ranked by the first where users are given, those without a
prediction last, and by the promise where a share is. What was measured is in
benchmarks/HEAVY_HITTERS.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any

from ldp_verified import protocols
from ldp_verified.errors import ParameterError
from ldp_verified.protocols.planned import LARGEST_N
from ldp_verified.run.aggregate.distinct import check_held_share
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.realize.parameters import check_epsilon, check_integer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

STEPS = (4, 8, 12, 16)
"""Bits by which prefixes are extended, which are tried where a protocol takes them."""


@cache
def searches() -> Mapping[str, Any]:
    """Name -> class of every protocol that finds frequent values among those of so many bits.

    A new class needs no entry here: it says of itself that it `searches`.
    """
    every = {name: getattr(protocols, name) for name in protocols.__all__}
    return {name: made for name, made in every.items() if getattr(made, "searches", False)}


@dataclass(frozen=True)
class SearchPlan:
    """The shares of users that one protocol finds.

    Attributes:
        name: of its class in `ldp_verified.protocols`.
        protocol: the object at its best settings; None where it takes none of these parameters.
        share: of the users, that a value needs so that it is promised to be found; above 1 that
            is promised of none.
        users: they are as many.
        predicted: the share that is found with probability 1/2: no bound; None where the protocol
            has no prediction.
        refused: why there is none.
    """

    name: str
    protocol: Any
    share: float = math.inf
    users: int | None = None
    refused: str = ""
    predicted: float | None = None

    @property
    def rank(self) -> tuple[float, float]:
        """The predicted share, infinite where there is none, and the promised one."""
        return math.inf if self.predicted is None else self.predicted, self.share

    @property
    def finds(self) -> bool:
        """Return whether at least a value that all users hold is found."""
        return self.users is not None and min(self.rank) <= 1

    @property
    def settings(self) -> str:
        """The arguments that make the protocol, as they are written in Python."""
        if self.protocol is None:
            return ""
        given = ((field, getattr(self.protocol, field.name)) for field in fields(self.protocol))
        always = ("epsilon", "bits", "step")
        shown = [f"{f.name}={v!r}" for f, v in given if f.name in always or v != f.default]
        return f"{self.name}({', '.join(shown)})"

    @property
    def bits_per_report(self) -> int | None:
        """Bits of what one user sends; None where rounds differ."""
        return getattr(self.protocol, "bits_per_report", None)

    @property
    def rounds(self) -> int:
        """How often the server asks: 1 where nobody waits for others' reports."""
        return int(getattr(self.protocol, "rounds", 1))


def found_shares(
    epsilon: float, n: int, bits: int | None = None, miss: float = 1e-3
) -> tuple[SearchPlan, ...]:
    """The shares of n users that a value needs to be found, by each protocol.

    The smallest predicted share comes first, of protocols and of a protocol's settings.

    Args:
        epsilon: of one user's whole transcript. n: users, at least 1.
        bits: values are integers below 2^bits; None for strings of up to 15 bytes in UTF-8.
        miss: the chance that a value of the promised share is missed.

    Raises:
        ParameterError: an argument is out of range.
    """
    check_integer("n", n, 1, LARGEST_N)
    _check(epsilon, bits, miss)

    def planned(name: str, made: Any) -> SearchPlan:
        share = float(made.detectable_share(n, miss))
        return SearchPlan(name, made, share, n, predicted=made.predicted_share(n))

    return _of_each(epsilon, bits, planned, lambda plan: plan.rank)


def needed_users(
    epsilon: float, share: float, bits: int | None = None, miss: float = 1e-3
) -> tuple[SearchPlan, ...]:
    """The users at which a value of a share is promised to be found, by each protocol.

    The fewest come first.

    Args:
        epsilon, bits, miss: as in `found_shares`. share: in (0, 1].

    Raises:
        ParameterError: an argument is out of range.
    """
    _check(epsilon, bits, miss)
    held = check_held_share(share)

    def planned(name: str, made: Any) -> SearchPlan:
        try:
            users = int(made.users_needed(held, miss))
        except ParameterError:  # 2^40 are too few
            return SearchPlan(name, made, math.inf, None)
        predicted = made.predicted_share(users)
        return SearchPlan(name, made, held, users, predicted=predicted)

    return _of_each(
        epsilon, bits, planned, lambda plan: (math.inf if plan.users is None else plan.users,)
    )


def _of_each(
    epsilon: float,
    bits: int | None,
    planned: Callable[[str, Any], SearchPlan],
    cost: Callable[[SearchPlan], tuple[float, ...]],
) -> tuple[SearchPlan, ...]:
    """The best plan of every protocol, the best protocol first."""
    best = []
    for name, kind in searches().items():
        try:
            plans = [planned(name, made) for made in _made(kind, epsilon, bits)]
        except ParameterError as error:
            best.append(SearchPlan(name, None, refused=_refusal(error)))
            continue
        best.append(min(plans, key=cost))
    return tuple(sorted(best, key=lambda plan: (cost(plan), plan.refused, plan.name)))


def _refusal(error: ParameterError) -> str:
    """Why a protocol takes no part; that of `bits`, which others do take, says what it is for."""
    if error.argument == "bits":
        most = error.rule.rpartition("..")[2]
        return f"left out, as it is for numbers of at most {most} bits (--bits)"
    return f"{error.argument} {error.rule}"


def _made(kind: Any, epsilon: float, bits: int | None) -> Iterable[Any]:
    """The protocol at each of its settings."""
    if "step" not in {field.name for field in fields(kind)}:
        return [kind(epsilon, bits)]
    return [kind(epsilon, bits), *(kind(epsilon, bits, step=step) for step in STEPS)]


def _check(epsilon: float, bits: int | None, miss: float) -> None:
    check_epsilon(epsilon)
    if bits is not None:
        check_integer("bits", bits, 2, 128)
    check_level(miss, "miss")
