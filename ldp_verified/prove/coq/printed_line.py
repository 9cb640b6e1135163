"""Printed densities and laws of noise, compared with the declared ones: see `printed_table`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from ldp_verified.language import (
    Density,
    Exponential,
    Lattice,
    Mechanism,
    Noise,
    Normal,
    Piece,
    SmallerWorst,
    Steps,
)
from ldp_verified.prove.coq.printed_cells import CELLS, Point, exchanged, reader
from ldp_verified.prove.coq.reading import (
    StatementReader,
    UnreadableError,
    Value,
    binders,
    definition,
    parts,
    tuples,
)
from ldp_verified.prove.enumeration.expand import evaluate

INPUTS = (Fraction(0), Fraction(1), Fraction(2, 7))
"""Where between its ends the input of a density is put."""

FAMILIES: Mapping[type, str] = {
    Exponential: "exponential_noise",
    Lattice: "lattice_noise",
    Normal: "normal_noise",
    Steps: "steps_noise",
}
"""Law -> what the library calls noise of it."""


def line_lists(
    mechanism: Mechanism, read: StatementReader, prefix: str = ""
) -> tuple[list[list[Value]], list[list[Value]]]:
    """Intervals and atoms of a density, as the definitions say."""
    bodies = [
        definition(read.definitions, f"{mechanism.name}_{prefix}{kind}")
        for kind in ("steps", "atoms")
    ]
    return step_list(read, bodies[0]), step_list(read, bodies[1])


def step_list(read: StatementReader, body: str) -> list[list[Value]]:
    """The values of a printed list of tuples."""
    return [[read.real(term) for term in entry] for entry in tuples(body)]


def step_list_of(mechanism: Mechanism, pieces: Iterable[Piece], point: Point) -> list[list[Value]]:
    """Intervals with their levels, as the declaration has them."""

    def value(expression: Any) -> Value:
        return evaluate(mechanism.algebraic("table", expression), point)

    return [[value(p.low), value(p.high), value(p.level)] for p in pieces]


def stated_lists(
    mechanism: Mechanism, form: Density, point: Point
) -> tuple[list[list[Value]], list[list[Value]]]:
    """Intervals and atoms, as the declaration has them."""

    def value(expression: Any) -> Value:
        return evaluate(mechanism.algebraic("table", expression), point)

    atoms: list[list[Value]] = [[value(a.location), value(a.mass)] for a in form.atoms]
    return step_list_of(mechanism, form.pieces, point), atoms


def density_difference(mechanism: Mechanism, form: Density, text: str, full: Point) -> str:
    """The difference between a density and its printed text, at some inputs and one point."""
    low, high = (evaluate(end, full) for end in (form.value.domain.lower, form.value.domain.upper))
    ends = re.match(
        r"Line \(fun x => (.*?) <= x /\\ x <= (.*?)\) ", definition(text, mechanism.name)
    )
    if ends is None:
        raise UnreadableError(f"the inputs of {mechanism.name}")
    others = [claim.table for claim in mechanism.claims if isinstance(claim, SmallerWorst)]
    for share in INPUTS:
        point = {**full, form.value: low + share * (high - low)}
        read = reader(mechanism, point, text)
        if [read.real(end) for end in ends.groups()] != [low, high]:
            return "the inputs are others"
        read.values["x"] = point[form.value]
        if line_lists(mechanism, read) != stated_lists(mechanism, form, point):
            return f"the density of the input {point[form.value]} is another one"
        for number, other in enumerate(others, start=1):
            prefix = "other_" if number == 1 else f"other_{number}_"
            if other is None or f"_{prefix}steps" not in text:
                continue
            other_cells = exchanged(text, f"{mechanism.name}_{prefix.removesuffix('_')}")
            if other_cells or line_lists(mechanism, read, prefix) != stated_lists(
                mechanism, other, point
            ):
                return f"the density that it is compared with is another one ({prefix})"
    return ""


OF_VECTORS = "stochastic|equal_support|ldp|tight|curve|curve_tight"
"""What is said of the whole vector where each number of one has noise of its own."""


def noise_difference(mechanism: Mechanism, form: Noise, text: str, full: Point) -> str:
    """The difference between a law of noise and its printed text, at one point."""
    name, read = mechanism.name, reader(mechanism, full, text)

    def integer(term: str) -> Value:
        return read.real(re.sub(r"Z\.of_nat (\w+)", r"INR \1", term.removesuffix("%Z")))

    on_integers = isinstance(form.law, Lattice)
    wanted_family = "cut_noise" if form.ends else FAMILIES[type(form.law)]
    domain = form.value.domain
    places = [domain.lower, domain.upper]
    stated: dict[str, Any] = {each: getattr(form.law, each) for each in vars(form.law)}
    if form.ends is not None:
        places += [form.ends.low, form.ends.high]
        stated |= {each: getattr(form.ends, each) for each in ("low_report", "high_report")}
    family, *terms = parts(" ".join(definition(text, name).split()), " ")[: 1 + len(places)]
    if family != wanted_family:
        return f"its law is {family}"
    for term, place in zip(terms, places, strict=True):
        if (integer if on_integers else read.real)(term) != evaluate(place, full):
            return f"an end of its inputs or reports is {term}"
    if isinstance(form.law, Steps):
        printed = step_list(read, definition(text, f"{name}_steps"))
        if printed != step_list_of(mechanism, form.law.pieces, full):
            return "its steps are others"
    for cell in (each for each in CELLS[family] if each != "steps"):
        wanted = evaluate(mechanism.algebraic("table", stated[cell]), full)
        if read.real(definition(text, f"{name}_{cell}")) != wanted:
            return f"{cell} is not {wanted}"
    said = re.findall(rf"^  (additive|noisy_bits)_(?:{OF_VECTORS})\b (.*)", text, re.MULTILINE)
    subject = f"({' '.join([name, *binders(text, name)])})"
    for kind, of in said:
        if (kind == "noisy_bits") != (form.encoder is not None) or not of.startswith(subject):
            return f"a theorem is about {kind}_ {of}"
        if form.encoder is not None:
            low, high, size = parts(of.removeprefix(subject).strip(" ."), " ")[:3]
            values = evaluate(form.encoder.values, full)
            own = read.real(size) if size.isdigit() else read.real(f"INR {size}")
            if [low, high] != terms[:2] or own != values:
                return f"a theorem is about vectors of {low}, {high}, {size}"
    return ""
