"""floor(k/2) as an integer h with (k - 1)/2 <= h <= k/2, of which there is one for every k.

So cells stay rational functions, and what is proved for all real h in between holds for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.forms import Form, sizes
from ldp_verified.language.parameters import Domain, Parameter
from ldp_verified.language.requirements import expressions_in

Put = Callable[[Any], Any]


def without_floors(
    parameters: Sequence[Parameter], table: Form, claims: Sequence[Any], assuming: Sequence[Any]
) -> tuple[Sequence[Parameter], Form, Sequence[Any], Sequence[Any], Put]:
    """A declaration with a parameter for every floor(...), and what puts the floors in.

    Each new parameter stands after the last one that it is made of. Without floors nothing is
    changed.

    Raises:
        SpecError: the floor of something that is not linear in integer parameters.
    """
    stated = [*expressions_in([*claims, *assuming], type), *_cells(table)]
    found = sorted({f for value in stated for f in value.atoms(sympy.floor)}, key=str)
    if not found:
        return parameters, table, claims, assuming, lambda value: value
    known: dict[Any, Parameter] = {}
    listed, more = list(parameters), []
    for each in found:
        made, least = _parameter(each, listed)
        known[each] = made
        last = max(i for i, p in enumerate(listed) if p in each.free_symbols)
        listed.insert(last + 1, made)
        more += [] if least is None else [sympy.Ge(made, least, evaluate=False)]

    def put(value: Any) -> Any:
        return value.xreplace(known) if isinstance(value, sympy.Basic) else value

    moved = [claim.map(put) for claim in claims]
    return listed, table.map(put), moved, [*map(put, assuming), *more], put


def floors_written(parameters: Sequence[Parameter]) -> Callable[[str], str]:
    """Return what writes floor(k/2) in a text that names the parameter standing for it.

    Args:
        parameters: of the declaration, those that stand for floors among them.
    """
    found = {p.name: f"floor({p.domain.upper})" for p in parameters if _stands(p)}
    names = re.compile(rf"\b(?:{'|'.join(map(re.escape, found))})(?!\w)")
    return lambda text: names.sub(lambda name: found[name[0]], text) if found else text


def _stands(parameter: Parameter) -> bool:
    """Return whether a parameter has the name and the ends of one that stands for a floor."""
    lower, upper = parameter.domain.lower, parameter.domain.upper
    return bool(
        parameter.domain.integer
        and upper is not None
        and parameter.name.rstrip("_") == _named(upper).rstrip("_")
        and lower is not None
        and sympy.expand(upper - lower).is_Rational
    )


def _named(value: Any) -> str:
    return "floor_" + re.sub(r"\W+", "_", str(value)).strip("_")


def _cells(table: Form) -> Iterator[Any]:
    for _, value in (*table.expressions(), *sizes(table)):
        yield value


def _parameter(each: Any, listed: Sequence[Parameter]) -> tuple[Parameter, Any]:
    """The parameter that stands for a floor, and a number that it is at least, if one is seen."""
    value = sympy.expand(each.args[0])
    terms = value.as_coefficients_dict()
    used = value.free_symbols
    if (
        not used
        or not all(isinstance(p, Parameter) and p.domain.integer and p in listed for p in used)
        or not all(term == 1 or term in used for term in terms)
        or not all(c.is_Rational for c in terms.values())
    ):
        raise SpecError("floor", "must be of what is linear in integer parameters", each)
    unit = int(sympy.ilcm(1, *(c.q for c in terms.values())))
    taken = {p.name for p in listed}
    name = _named(value)
    while name in taken:
        name += "_"
    lower = value - sympy.Rational(unit - 1, unit)
    made = Parameter(name, Domain(lower, value, integer=True), integer=True)
    ends = {p: p.domain.lower if terms[p] > 0 else p.domain.upper for p in used}
    if not all(end is not None and sympy.sympify(end).is_Rational for end in ends.values()):
        return made, None
    return made, sympy.floor(value.subs(ends))
