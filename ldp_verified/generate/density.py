"""The typed module of a numeric mechanism: the spec's moments as functions, over a base class."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ldp_verified.derive.density import moment
from ldp_verified.derive.rational import in_epsilon, simple
from ldp_verified.errors import SpecError
from ldp_verified.generate.contract import arguments_section, shown
from ldp_verified.generate.formulas import function
from ldp_verified.generate.line import drawn, own_constants, own_fields, own_method
from ldp_verified.language import (
    Density,
    Exponential,
    Lattice,
    Line,
    Mechanism,
    Noise,
    Steps,
    catalogue,
    load,
    load_catalogue,
)

SAMPLERS = {
    "sign": ("sign", "NumberSignRandomizer"),
    "window": ("window", "PiecewiseRandomizer"),
    "hybrid": ("hybrid", "HybridRandomizer"),
    "square_wave": ("square_wave", "SquareWaveRandomizer"),
    "geometric": ("geometric", "GeometricRandomizer"),
    "truncated_geometric": ("geometric", "TruncatedRandomizer"),
    "laplace": ("geometric", "LaplaceRandomizer"),
    "staircase": ("staircase", "StaircaseRandomizer"),
}
"""What a spec calls its sampler -> module and name of its class in `run.realize.real_numbers`."""

OWN = ("line", "LineRandomizer")
"""The same for a density of one's own."""

GRID, CELLS = 256, 1024
"""Steps of the input and of the output of a density of one's own, where nothing else is asked."""

WIDTH = 100


def density_body(
    mechanisms: Sequence[Mechanism], command: str
) -> tuple[list[str], list[tuple[str, str, str]]]:
    """Import lines below those of the standard library; (mechanism's name, base, class body).

    Raises:
        SpecError: no sampler is known for any of the mechanisms, or a density of one's own cannot
            be drawn from.
    """
    found = [(m, base) for m in mechanisms if m.runs and (base := base_of(m)) is not None]
    if not found:
        drawn_from = (m for m in load_catalogue() if m.sampler in SAMPLERS)
        known = ", ".join(sorted(m.name for m in drawn_from if isinstance(m.table, Noise)))
        rule = f"has no sampler: noise on the line has one if it is the catalogue's {known}"
        raise SpecError(mechanisms[0].name, rule)
    bodies = [(m.name, base[1], "\n".join(_body(m, base, command))) for m, base in found]
    text = "".join(body for _, _, body in bodies)
    names = ["Number", *(n for n in ("RationalParameter", "rational") if f"{n}(" in text)]
    imports = [f"from ldp_verified.run.realize import {', '.join(names)}"]
    imports += sorted(
        {
            f"from ldp_verified.run.realize.real_numbers.{module} import {name}"
            for _, (module, name) in found
        }
    )
    return imports, bodies


def base_of(mechanism: Mechanism) -> tuple[str, str] | None:
    """Module and name of the class in `realize` that draws from a table; None where there is none.

    Raises:
        SpecError: it names no sampler that there is, or, in a spec of one's own, one that draws
            from another law.
    """
    if mechanism.sampler and mechanism.sampler not in SAMPLERS and "." not in mechanism.sampler:
        raise SpecError("sampler", f"must be one of {', '.join(SAMPLERS)}", mechanism.sampler)
    origin, files = mechanism.origin, catalogue()
    known = None if origin is None else files.get(origin.module)
    if known is not None and origin is not None and Path(origin.path).resolve() == known.resolve():
        return SAMPLERS.get(mechanism.sampler)
    # A name alone says nothing of the table.
    if mechanism.name in files:
        for own in load(mechanism.name):
            same = own.table == mechanism.table and own.parameters == mechanism.parameters
            if own.name == mechanism.name and own.sampler in SAMPLERS and same:
                return SAMPLERS[own.sampler]
    if mechanism.sampler in SAMPLERS:
        drawn_from = [m for m in load_catalogue() if m.sampler == mechanism.sampler]
        if mechanism.law_hash in {m.law_hash for m in drawn_from}:
            return SAMPLERS[mechanism.sampler]
        names = " and ".join(m.name for m in drawn_from)
        raise SpecError("sampler", f"draws from the law of {names} only", mechanism.sampler)
    return OWN if isinstance(mechanism.table, Density) else None


def _body(mechanism: Mechanism, base: tuple[str, str], command: str) -> Iterator[str]:
    given = drawn(mechanism) if base == OWN else None
    form = mechanism.algebraic_table
    assert isinstance(form, Line)
    domain = form.value.domain
    # An interval whose ends depend on the parameters stands for any other one.
    fixed = domain.lower.is_Rational and domain.upper.is_Rational
    low, high = (float(domain.lower), float(domain.upper)) if fixed else (-1.0, 1.0)
    declared = ["epsilon: float", *(own_fields(given) if given is not None else ())]
    declared.append(f"bounds: tuple[float, float] = ({low}, {high})")
    if base[0] == "geometric":
        declared.append("grid: int | None = None")
    if given is not None:
        declared += [f"grid: int = {GRID}", f"cells: int = {CELLS}"]
    yield f'    """{mechanism.title}.'
    yield ""
    own = () if given is None else given.own
    yield from (f"    {line}" if line else "" for line in arguments_section(declared, own))
    yield f"    A report y, given the input {domain.describe(form.value.name)}:"
    yield ""
    lines = _noise(mechanism, form) if isinstance(form, Noise) else _density(mechanism, form)
    yield from (f"        {line}" for line in lines)
    yield ""
    rests = f"Rests on what `ldp-verified verify {command}` shows: {shown(mechanism, free=False)}."
    yield from (f"    {line}" for line in textwrap.wrap(rests, WIDTH - 4))
    yield "    What is drawn: see the base class."
    yield '    """'
    yield ""
    yield from (f"    {line}" for line in declared)
    yield ""
    yield f'    name: ClassVar[str] = "{mechanism.name}"'
    yield f'    law_sha256: ClassVar[str] = "{mechanism.law_hash}"'
    if given is not None:
        yield from (f"    {line}" for line in own_constants(mechanism, given))
        yield ""
        yield from (f"    {line}" for line in own_method(mechanism))
    yield ""
    moments = [moment(form, power) for power in (1, 2)]
    used = {symbol for value in moments for symbol in value.free_symbols}
    arguments = [form.value, *(v for v in mechanism.variables if v in used)]
    # The bounds of the input may mention parameters.
    domains = {**mechanism.variables, form.value: domain}
    summaries = (("mean", "E[y | x]."), ("square", "E[y^2 | x]."))
    for value, (name, summary) in zip(moments, summaries, strict=True):
        made = function(f"report_{name}", arguments, [value], arguments, domains)
        yield "    @staticmethod"
        yield f"    def {made.name}({made.parameters}) -> Number:{made.remark}"
        yield f'        """{summary}"""'
        yield from (f"        {line}" for line in _broken(made.body[-1]))
        if name == "mean":
            yield ""


def _density(mechanism: Mechanism, form: Density) -> Iterator[str]:
    for piece in form.pieces:
        low, high, level = (_shown(mechanism, v) for v in (piece.low, piece.high, piece.level))
        yield f"density {level}"
        yield f"    for {low} <= y <= {high}"
    for atom in form.atoms:
        yield f"y = {_shown(mechanism, atom.location)}"
        yield f"    with probability {_shown(mechanism, atom.mass)}"


def _noise(mechanism: Mechanism, form: Noise) -> Iterator[str]:
    def said(value: Any) -> str:
        return _shown(mechanism, value)

    yield "y = x + z, and z has"
    match form.law:
        case Lattice(mass=mass, decay=decay):
            yield f"probability {said(mass)} ({said(decay)})^|z|"
        case Exponential(level=level, scale=scale):
            yield f"density {said(level)} e^(-|z|/({said(scale)}))"
        case Steps(pieces=pieces, period=period, decay=decay):
            for p in pieces:
                yield f"density {said(p.level)}"
                yield f"    for {said(p.low)} <= |z| < {said(p.high)}"
            yield f"and at |z| + {said(period)} that at |z| times {said(decay)}"
    if form.ends is not None:
        yield f"all of y <= {said(form.ends.low)} is reported as one end, which stands for"
        yield f"    {said(form.ends.low_report)}"
        yield f"all of y >= {said(form.ends.high)} as the other, which stands for"
        yield f"    {said(form.ends.high_report)}"


def _broken(line: str) -> list[str]:
    """A return statement, as the formatter breaks a quotient that is too long."""
    top, middle, bottom = line.rpartition(") / (")
    if len(line) <= WIDTH - 8 or not middle:
        return [line]
    # The last quotient is the outer one: a denominator is a sum or product in parentheses.
    if len(top) <= WIDTH - 12:
        return [f"{top}) / (", f"    {bottom.removesuffix(')')}", ")"]
    terms = re.split(r" (?=[+-] )", top.removeprefix("return ("))
    return ["return (", *(f"    {term}" for term in terms), f") / ({bottom}"]


def _shown(mechanism: Mechanism, value: Any) -> str:
    return str(in_epsilon(mechanism, simple(value))).replace("**", "^").replace("exp(eps)", "e^eps")
