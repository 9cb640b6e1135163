"""Objects of a wanted epsilon, for mechanisms whose epsilon follows from another parameter."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.parameters import check_epsilon, exact_number
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.formal import Formal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ldp_verified.run.realize.tables.claimed_table import ClaimedTable

    Made = TypeVar("Made", bound=ClaimedTable)

BITS = 64
"""Bits of the parameter beyond those that its size and its distance from an end take."""


def at_epsilon(
    make: type[Made],
    epsilon: float,
    name: str,
    solution: Callable[..., Any],
    used: Sequence[str],
    arguments: Mapping[str, object],
) -> Made:
    """The object whose epsilon is just below the wanted one, never above it.

    Args:
        make: the class. epsilon: the wanted one.
        name: the argument that is solved for.
        solution: its value at u = e^epsilon and the arguments named `used`.
        used: names among `arguments`.
        arguments: all other arguments.

    Raises:
        ParameterError: an argument is no number or outside its domain, or no value of the one that
            is solved for belongs to its domain.
    """
    wanted = check_epsilon(epsilon)
    rules = {rule.name: rule for rule in make.parameters}
    exact: list[Fraction] = []
    for other in used:
        value = exact_number(arguments[other])
        exact.append(rules[other].check(arguments[other], {}) if value is None else value)
    bits = BITS + math.ceil(1.45 * wanted) + max(0, math.ceil(-math.log2(wanted)))

    value = solution(Formal.exponential(), *map(Formal.constant, exact)) * (1 << bits)
    known = value.rational

    def below() -> int | None:
        whole = value.at(balls.ball(wanted).exp()).floor().unique_fmpz()
        return None if whole is None else int(whole)

    refused: ParameterError | None = None
    low = balls.decide(below) if known is None else math.floor(known)
    for numerator in (low, low + 1):
        try:
            made = make(**{**arguments, name: Fraction(numerator, 1 << bits)})
        except ParameterError as error:
            refused = error
            continue
        if made.epsilon <= wanted:
            return made
    if refused is not None and refused.argument != name:
        raise refused
    given = ", ".join(f"{other} = {arguments[other]!r}" for other in used)
    rule = f"must leave room for {rules[name].rule} at epsilon = {wanted}"
    raise ParameterError(", ".join(used) or "epsilon", rule, given or wanted)
