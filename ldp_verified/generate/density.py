"""The typed module of a numeric mechanism: the spec's moments as functions, over a base class."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from ldp_verified.derive.density import moment
from ldp_verified.derive.rational import in_epsilon, simple
from ldp_verified.errors import SpecError
from ldp_verified.generate.contract import shown
from ldp_verified.generate.formulas import function
from ldp_verified.language import Density, Mechanism

BASES = {
    "duchi": ("sign", "SignRandomizer"),
    "piecewise": ("window", "PiecewiseRandomizer"),
    "hybrid": ("hybrid", "HybridRandomizer"),
    "square_wave": ("square_wave", "SquareWaveRandomizer"),
}
"""Mechanism -> module and name of the class in `realize` that draws from it."""

WIDTH = 100


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
    rests = f"Rests on what `ldp-verified verify {command}` shows: {shown(mechanism, free=False)}."
    yield from (f"    {line}" for line in textwrap.wrap(rests, WIDTH - 4))
    yield "    What is drawn: see the base class."
    yield '    """'
    yield ""
    yield "    epsilon: float"
    yield f"    bounds: tuple[float, float] = ({float(domain.lower)}, {float(domain.upper)})"
    yield ""
    yield f'    name: ClassVar[str] = "{mechanism.name}"'
    yield f'    spec_sha256: ClassVar[str] = "{mechanism.spec_hash}"'
    yield ""
    arguments = [form.value, *mechanism.variables]
    domains = {form.value: domain, **mechanism.variables}
    for power, name, summary in ((1, "mean", "E[y | x]."), (2, "square", "E[y^2 | x].")):
        value = moment(form, power)
        made = function(f"report_{name}", arguments, [value], arguments, domains)
        constant = f"  # noqa: ARG004  constant in {', '.join(made.unused)}" if made.unused else ""
        listed = ", ".join(f"{argument}: Number" for argument in made.arguments)
        yield "    @staticmethod"
        yield f"    def {made.name}({listed}) -> Number:{constant}"
        yield f'        """{summary}"""'
        yield from (f"        {line}" for line in _broken(made.body[-1]))
        if power == 1:
            yield ""


def _broken(line: str) -> list[str]:
    """A return statement, as the formatter breaks a quotient that is too long."""
    top, middle, bottom = line.rpartition(") / (")
    if len(line) <= WIDTH - 8 or not middle:
        return [line]
    # The last quotient is the outer one: a denominator is a sum or product in parentheses.
    return [f"{top}) / (", f"    {bottom.removesuffix(')')}", ")"]


def _shown(mechanism: Mechanism, value: Any) -> str:
    return str(in_epsilon(mechanism, simple(value))).replace("**", "^").replace("exp(eps)", "e^eps")
