"""The typed module of a numeric mechanism: the spec's moments as functions, over a base class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy

from ldp_verified.derive.density import mean_and_variance
from ldp_verified.derive.rational import in_epsilon, simple
from ldp_verified.errors import SpecError
from ldp_verified.language import Density, Mechanism

BASES = {
    "duchi": ("sign", "SignRandomizer"),
    "piecewise": ("window", "PiecewiseRandomizer"),
    "hybrid": ("hybrid", "HybridRandomizer"),
    "square_wave": ("square_wave", "SquareWaveRandomizer"),
}
"""Mechanism -> module and name of the class in `realize` that draws from it."""

WIDTH = 100


def has_class(mechanism: Mechanism) -> bool:
    """Whether a class is generated for it: comparisons over a `Density` have none."""
    return not isinstance(mechanism.table, Density) or mechanism.name in BASES


def density_body(
    mechanisms: Sequence[Mechanism], command: str
) -> tuple[list[str], list[tuple[str, str]]]:
    """Import lines below those of the standard library, and (mechanism's name, class body) pairs.

    Raises:
        SpecError: no sampler is known for any of the mechanisms.
    """
    found = [m for m in mechanisms if m.name in BASES]
    if not found:
        raise SpecError(
            mechanisms[0].name,
            f"has no sampler: a Density has one if it is {', '.join(sorted(BASES))}",
        )
    imports = ["from ldp_verified.realize import Number"]
    imports += sorted(
        {f"from ldp_verified.realize.{BASES[m.name][0]} import {BASES[m.name][1]}" for m in found}
    )
    return imports, [(m.name, "\n".join(_body(m, command))) for m in found]


def _body(mechanism: Mechanism, command: str) -> Iterator[str]:
    form = mechanism.algebraic_table
    assert isinstance(form, Density)
    domain = form.value.domain
    stated = [type(claim).__name__ for claim in mechanism.claims]
    yield f'    """{mechanism.title}.'
    yield ""
    yield f"    A report y, given the input {domain.describe(form.value.name)}:"
    yield ""
    for piece in form.pieces:
        low, high, level = (_shown(mechanism, v) for v in (piece.low, piece.high, piece.level))
        yield f"        density {level}"
        yield f"            for {low} <= y <= {high}"
    for atom in form.atoms:
        yield f"        y = {_shown(mechanism, atom.location)}"
        yield f"            with probability {_shown(mechanism, atom.mass)}"
    yield ""
    yield f"    Rests on what `ldp-verified verify {command}` shows: {', '.join(stated)}."
    yield "    What is drawn: see the base class."
    yield '    """'
    yield ""
    yield "    epsilon: float"
    yield f"    bounds: tuple[float, float] = ({float(domain.lower)}, {float(domain.upper)})"
    yield ""
    yield f'    name: ClassVar[str] = "{mechanism.name}"'
    yield f'    spec_sha256: ClassVar[str] = "{mechanism.spec_hash}"'
    mean, variance = mean_and_variance(form)
    arguments = [form.value, *mechanism.variables]
    for name, value, of in (("mean", mean, "mean"), ("variance", variance, "variance")):
        yield ""
        yield from _function(f"report_{name}", arguments, value, f"The {of} of a report.")


def _function(name: str, arguments: list[Any], value: Any, summary: str) -> Iterator[str]:
    unused = [a.name for a in arguments if not value.has(a)]
    noqa = f"  # noqa: ARG004  constant in {', '.join(unused)}" if unused else ""
    listed = ", ".join(f"{a.name}: Number" for a in arguments)
    yield "    @staticmethod"
    yield f"    def {name}({listed}) -> Number:{noqa}"
    yield f'        """{summary}"""'
    top, bottom = sympy.fraction(simple(value))
    if bottom == 1 and len(str(top)) < WIDTH - 15:
        yield f"        return {top}"
        return
    yield from _sum("top", top)
    yield (
        f"        return top / ({bottom})"
        if bottom.is_Add
        else f"        return top / {_solid(bottom)}"
    )


def _solid(value: Any) -> str:
    text = str(value)
    return f"({text})" if value.is_Mul else text


def _sum(name: str, value: Any) -> Iterator[str]:
    """An assignment, one summand to a line where it does not fit on one."""
    line = f"        {name} = {value}"
    if len(line) <= WIDTH:
        yield line
        return
    terms = sympy.Add.make_args(sympy.expand(value))
    yield f"        {name} = ("
    for place, term in enumerate(sorted(terms, key=str)):
        text = str(term)
        sign = "-" if text.startswith("-") else "+"
        shown = text.removeprefix("-")
        first = text if place == 0 else f"{sign} {shown}"
        yield f"            {first}"
    yield "        )"


def _shown(mechanism: Mechanism, value: Any) -> str:
    return str(in_epsilon(mechanism, simple(value))).replace("**", "^").replace("exp(", "e^(")
