"""The table that was printed to Coq, compared with the one that is enumerated.

Coq proves theorems about the definitions in a printed text. Whether these are the spec's is no
theorem: here they are read back, by a parser that shares nothing with the printer, and compared in
exact arithmetic with the expanded table at small sizes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations, islice, product
from typing import Any

from ldp_verified.language import Density, Design, Lattice, Mechanism, Noise, SmallerWorst
from ldp_verified.prove.coq.reading import (
    Reader,
    UnreadableError,
    Value,
    binders,
    blocks_of,
    definition,
    hashes,
    parts,
    tuples,
)
from ldp_verified.prove.coq.scan import blanked
from ldp_verified.prove.drawn import Drawing, drawn_points
from ldp_verified.prove.expand import (
    NotExpandableError,
    UndefinedCellError,
    complete,
    evaluate,
    expand_form,
)
from ldp_verified.prove.points import points as fixed_points

Point = Mapping[Any, Fraction]
Row = list[tuple[Fraction, bool]]

NUMBERS = ("blocks", "containing", "together", "inside", "outside")
"""What a printed design defines beside its randomizer."""

MOST_ENTRIES = 2**13
"""Probabilities of a table that is compared."""

SMALL = 3
"""Up to which sizes it is compared at fixed points; drawn ones go beyond."""

MOST, FIXED = 9, 3
"""Points at which it is; how many of them are fixed ones."""

INPUTS = (Fraction(0), Fraction(1), Fraction(2, 7))
"""Where between its ends the input of a density is put."""


def small_points(mechanism: Mechanism, seed: str | None = None) -> list[Point]:
    """Points at which a printed table is compared: some fixed ones, and more that are drawn.

    Args:
        mechanism: the declaration. seed: of the drawn ones; None draws new ones.
    """
    fixed = fixed_points(mechanism, SMALL)
    drawn = drawn_points(mechanism, Drawing().seed if seed is None else seed, SMALL)
    chosen = fixed[:: max(1, len(fixed) // FIXED)][:FIXED]
    return [*chosen, *islice((point for point, _ in drawn), MOST - len(chosen))]


def difference(mechanism: Mechanism, text: str, points: Iterable[Point]) -> str:
    """Return where the printed table is another one than the declared table; empty where it is not.

    Args:
        mechanism: the declaration. text: printed for it. points: of its variables; those at which
            the table is small are compared.

    Raises:
        UnreadableError: there is nothing that can be compared, and why.
    """
    compared, why = 0, "no table is small enough"
    text = blanked(text)
    for point in points:
        full = dict(point)
        try:
            full = complete(mechanism.algebraic_table, point)
            wrong = _at(mechanism, text, full)
        except (NotExpandableError, UndefinedCellError) as error:
            why = str(error)
            continue
        except ZeroDivisionError:
            wrong = "it divides by zero"
        if wrong:
            at = ", ".join(f"{symbol.name} = {value}" for symbol, value in full.items())
            return f"the printed table is not the declared one at {at or 'its only point'}: {wrong}"
        compared += 1
    if not compared:
        raise UnreadableError(why)
    return ""


def _at(mechanism: Mechanism, text: str, full: Point) -> str:
    form: Any = mechanism.table
    if exchanged := _exchanged(text, mechanism.name):
        return exchanged
    if isinstance(form, Density):
        return _density(mechanism, form, text, full)
    if isinstance(form, Noise):
        return _noise(mechanism, form, text, full)
    table = expand_form(mechanism.algebraic_table, full)
    entries = table.outputs * len(table.inputs)
    if entries > MOST_ENTRIES:
        raise NotExpandableError("table", f"must have at most {MOST_ENTRIES} entries", entries)
    read = reader(mechanism, full, text)
    algebraic: Any = mechanism.algebraic_table
    for name in NUMBERS if isinstance(form, Design) else ():
        got = read.real(definition(text, f"{mechanism.name}_{name}"))
        wanted = evaluate(getattr(algebraic, name), full)
        if got != wanted:
            return f"{name} is {got} in place of {wanted}"
    if isinstance(form, Design) and " structure " in definition(text, mechanism.name):
        return ""  # Of every structure with these numbers.
    # A table may say nothing of which values an output supports.
    declared = any(column.supports is not None for column in table.columns)
    size = range(len(table.inputs))
    printed = sorted(
        (tuple(p for p, _ in row), tuple(s and declared for _, s in row))
        for row in printed_table(mechanism, read).values()
    )
    expanded = sorted(
        (
            tuple(table.probability(column, x) for x in size),
            tuple(x in (column.supports or ()) for x in size),
        )
        for column in table.columns
        for _ in range(column.multiplicity)
    )
    if len(printed) != len(expanded):
        return f"it has {len(printed)} outputs in place of {len(expanded)}"
    for got_row, wanted_row in zip(printed, expanded, strict=True):
        if got_row[0] != wanted_row[0]:
            return f"an output has the probabilities {_listed(got_row)} in place of " + _listed(
                wanted_row
            )
        if got_row != wanted_row:
            return "an output supports other values"
    return ""


def _listed(row: tuple[tuple[Fraction, ...], tuple[bool, ...]]) -> str:
    return ", ".join(map(str, row[0][:4])) + (", ..." if len(row[0]) > 4 else "")


def reader(mechanism: Mechanism, point: Point, text: str) -> Reader:
    """Return the reader that evaluates a text's definitions at a point."""
    generator = mechanism.generator
    values = {s.name: v for s, v in point.items() if s != generator.symbol}
    # A parameter with the name of a cell is printed with an underscore.
    values |= {f"{name}_": v for name, v in values.items()}
    return Reader(values, point.get(generator.symbol, Fraction(1)), generator.root, text)


CELLS: Mapping[str, tuple[str, ...]] = {
    "matrix": ("rows",),
    "one_hot_bits": ("one", "zero"),
    "hashed_bits": ("one", "zero"),
    "bloom_bits": ("one", "zero"),
    "design": ("inside", "outside"),
    "Line": ("steps", "atoms"),
    "exponential_noise": ("level", "scale"),
    "lattice_noise": ("mass", "decay"),
    "cut_noise": ("mass", "decay", "low_report", "high_report"),
}
"""Randomizer of the library -> the cells that it gets last, in their order."""


def printed_table(mechanism: Mechanism, read: Reader) -> dict[Any, Row]:
    """Output -> (probability, does it support x) for every input x, as the definitions say.

    Raises:
        UnreadableError: the randomizer is of a form that is not read.
    """
    name = mechanism.name
    words = definition(read.definitions, name).split()

    def number(suffix: str) -> Fraction:
        value = read.real(definition(read.definitions, f"{name}_{suffix}"))
        if not isinstance(value, Fraction):
            raise UnreadableError(f"{name}_{suffix}")
        return value

    def size(word: str) -> int:
        if word.isdigit():
            return int(word)
        if word not in read.values:
            raise UnreadableError(word)
        return int(read.values[word])

    def chance(ones: Iterable[Any], bits: tuple[bool, ...], start: Fraction) -> Fraction:
        one, zero = number("one"), number("zero")
        chances = ((one if place in ones else zero) for place in range(len(bits)))
        each = (p if bit else 1 - p for p, bit in zip(chances, bits, strict=True))
        return math.prod(each, start=start)

    if words[0] == "matrix":
        return _matrix(read, name)
    k = size(words[1])
    match words[0]:
        case "one_hot_bits":
            return {
                y: [(chance((x,), y, Fraction(1)), y[x]) for x in range(k)]
                for y in product((False, True), repeat=k)
            }
        case "hashed_bits":
            m = size(words[2])
            family = hashes(k, m)
            return {
                (h, y): [(chance((b,), y, Fraction(1, len(family))), y[b]) for b in buckets]
                for h, buckets in family
                for y in product((False, True), repeat=m)
            }
        case "bloom_bits":
            sets = [s for n in range(1, size(words[2]) + 1) for s in combinations(range(k), n)]
            return {
                y: [(chance(ones, y, Fraction(1)), False) for ones in sets]
                for y in product((False, True), repeat=k)
            }
        case "design":
            inside, outside = number("inside"), number("outside")
            return {
                y: [(inside if i else outside, i) for i in has]
                for y, has in _blocks(read, " ".join(words), size, k)
            }
    raise UnreadableError(f"the randomizer {words[0]}")


def _exchanged(text: str, name: str) -> str:
    """Say how a randomizer is not given its own cells, each with its parameters; else empty.

    Raises:
        UnreadableError: no randomizer of the library is defined.
    """
    body = " ".join(definition(text, name).split())
    cells = CELLS.get(body.partition(" ")[0])
    if cells is None:
        raise UnreadableError(f"the randomizer {body.partition(' ')[0]}")
    own = binders(text, name)
    calls = []
    for cell in (f"{name}_{cell}" for cell in cells):
        if binders(text, cell) != own:
            return f"{cell} has other parameters"
        term = " ".join([cell, *own])
        calls.append(f"({term})" if own else term)
    wanted = " ".join(calls)
    return "" if body.endswith(f" {wanted}") else f"its cells are not {wanted}"


def _matrix(read: Reader, name: str) -> dict[Any, Row]:
    rows = read.real(definition(read.definitions, f"{name}_rows"))
    cells = [row for row in rows if isinstance(row, list)] if isinstance(rows, list) else []
    if not cells or len({len(row) for row in cells}) > 1:
        raise UnreadableError(f"{name}_rows")
    return {
        y: [(p, x == y) for x, row in enumerate(cells) if isinstance(p := row[y], Fraction)]
        for y in range(len(cells[0]))
    }


def _blocks(read: Reader, term: str, size: Any, k: int) -> list[tuple[Any, list[bool]]]:
    """The blocks of a printed design, each with whether it contains every value."""
    if listed := re.search(r"\(listed_contains (\w+)\)", term):
        lists = read.real(definition(read.definitions, listed[1]))
        blocks = [b for b in lists if isinstance(b, list)] if isinstance(lists, list) else []
        return [(y, [Fraction(x) in block for x in range(k)]) for y, block in enumerate(blocks)]
    found = re.search(r"\((\w+)((?: \w+)+)\)", term)
    if found is None:
        raise UnreadableError(term)
    return blocks_of(found[1], [size(word) for word in found[2].split()])


def line_lists(
    mechanism: Mechanism, read: Reader, prefix: str = ""
) -> tuple[list[list[Value]], list[list[Value]]]:
    """Intervals and atoms of a density, as the definitions say."""

    def entries(kind: str) -> list[list[Value]]:
        body = definition(read.definitions, f"{mechanism.name}_{prefix}{kind}")
        return [[read.real(term) for term in entry] for entry in tuples(body)]

    return entries("steps"), entries("atoms")


def stated_lists(
    mechanism: Mechanism, form: Density, point: Point
) -> tuple[list[list[Value]], list[list[Value]]]:
    """The same, as the declaration has them."""

    def value(expression: Any) -> Value:
        return evaluate(mechanism.algebraic("table", expression), point)

    return (
        [[value(p.low), value(p.high), value(p.level)] for p in form.pieces],
        [[value(a.location), value(a.mass)] for a in form.atoms],
    )


def _density(mechanism: Mechanism, form: Density, text: str, full: Point) -> str:
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
            exchanged = _exchanged(text, f"{mechanism.name}_{prefix.removesuffix('_')}")
            if exchanged or line_lists(mechanism, read, prefix) != stated_lists(
                mechanism, other, point
            ):
                return f"the density that it is compared with is another one ({prefix})"
    return ""


OF_VECTORS = "stochastic|equal_support|ldp|tight"
"""What is said of the whole vector where each number of one has noise of its own."""


def _noise(mechanism: Mechanism, form: Noise, text: str, full: Point) -> str:
    """The difference between a law of noise and its printed text, at one point."""
    name, read = mechanism.name, reader(mechanism, full, text)

    def integer(term: str) -> Value:
        return read.real(re.sub(r"Z\.of_nat (\w+)", r"INR \1", term.removesuffix("%Z")))

    on_integers = isinstance(form.law, Lattice)
    wanted_family = "cut_noise" if form.ends else "lattice_noise" if on_integers else "exponential"
    domain = form.value.domain
    places = [domain.lower, domain.upper]
    stated: dict[str, Any] = {each: getattr(form.law, each) for each in vars(form.law)}
    if form.ends is not None:
        places += [form.ends.low, form.ends.high]
        stated |= {each: getattr(form.ends, each) for each in ("low_report", "high_report")}
    family, *terms = parts(" ".join(definition(text, name).split()), " ")[: 1 + len(places)]
    if not family.startswith(wanted_family):
        return f"its law is {family}"
    for term, place in zip(terms, places, strict=True):
        if (integer if on_integers else read.real)(term) != evaluate(place, full):
            return f"an end of its inputs or reports is {term}"
    for cell in CELLS[family]:
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
