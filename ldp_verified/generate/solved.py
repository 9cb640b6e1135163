"""The parameter of a generated class at a wanted epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.derive import solve_parameter
from ldp_verified.generate.formulas import Function, function
from ldp_verified.language import Domain
from ldp_verified.language.names import field_name

if TYPE_CHECKING:
    from ldp_verified.derive import Facts
    from ldp_verified.generate.arguments import Arguments
    from ldp_verified.language import Mechanism

LINE = 96
"""A line of a class, which is indented by four."""

U = sympy.Symbol("u", positive=True)
ABOVE_ONE = Domain(lower=sympy.Integer(1), lower_open=True)


@dataclass(frozen=True)
class Solved:
    """A parameter that a class can solve for.

    Attributes:
        name: the parameter.
        at: its value at u = e^epsilon and some of the other rational parameters.
    """

    name: str
    at: Function


def solved(mechanism: Mechanism, given: Arguments, facts: Facts | None = None) -> Solved | None:
    """The function for the parameter that can be solved for; None where there is none.

    Also where the solution needs a size of the structure: no class of the catalogue has one.
    """
    found = solve_parameter(mechanism, facts)
    if found is None:
        return None
    own = {rule.name: given.symbol(rule.name) for rule in given.own}
    value = given.printed(found.value).subs(found.level, U)
    others = [symbol for name, symbol in own.items() if symbol in value.free_symbols]
    name = field_name(found.parameter.name)
    if name not in own or value.free_symbols - {U, *others}:
        return None
    domains: dict[Any, Domain] = {**given.domains, U: ABOVE_ONE}
    return Solved(name, function(f"{name}_at", [U, *others], [value], [U, *others], domains))


def constructor(found: Solved, given: Arguments) -> list[str]:
    """The method that takes the wanted epsilon in the place of the parameter, unindented."""
    typed = [f"{rule.name}: float | Fraction" for rule in given.own if rule.name != found.name]
    typed += [f"{name}: int" for name, size in given.sizes.items() if not size.is_Integer]
    typed.append("categories: Categories | None = None")
    names = [each.partition(":")[0] for each in typed]
    put = [f'"{name}": {name}' for name in names]
    used = ", ".join(f'"{name}"' for name in found.at.arguments[1:])
    arguments = [
        *("cls", "epsilon", f'"{found.name}"', f"cls.{found.at.name}"),
        f"({used},)" if used else "()",
        f"{{{', '.join(put)}}}",
    ]
    return [
        "@classmethod",
        *_call("def for_epsilon(", ["cls", "epsilon: float", "*", *typed], ") -> Self:"),
        '    """Make a mechanism whose epsilon is just below the wanted one, never above it.',
        "",
        f"    `{found.name}` is a fraction, rounded towards more noise. Its formula is what",
        "    `ldp-verified verify` shows as `at_epsilon`.",
        "",
        "    Raises:",
        "        ParameterError: an argument is outside its domain, or leaves no room for epsilon.",
        '    """',
        *(f"    {line}" for line in _call("return at_epsilon(", arguments, ")", LINE - 4)),
    ]


def _call(head: str, parts: list[str], closing: str, room: int = LINE) -> list[str]:
    """Lay a call out on one line, on three, or with a line for each part, as the formatter does."""
    joined = ", ".join(parts)
    if len(head) + len(joined) + len(closing) <= room:
        return [f"{head}{joined}{closing}"]
    if 4 + len(joined) <= room:
        return [head, f"    {joined}", closing]
    return [head, *(f"    {part}," for part in parts), closing]
