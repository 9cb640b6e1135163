"""Write a page's formulas and sentences about mechanisms, from specs and derivation.

Nothing here knows a mechanism by name, and no formula is written down: the table comes from the
declaration, everything else from `app.report.entry_facts`. A form that is not known here is shown
by the names of its cells.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.app.report.entry_facts import facts_of
from ldp_verified.app.report.sentences import Formula, short, with_input
from ldp_verified.derive import readable
from ldp_verified.derive.rational import simple
from ldp_verified.language import Bits, Density, Design, Matrix, Noise, Normal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ldp_verified.app.report.sentences import Sentence
    from ldp_verified.language import Mechanism

MOST_COLUMNS = 8
"""Outputs of a matrix that is written out."""

MOST_CELLS = 16
"""Cells of another form that are listed."""


@dataclass(frozen=True)
class EntryGrid:
    """A table of a page."""

    heads: tuple[Sentence, ...]
    rows: tuple[tuple[Sentence, ...], ...]


@dataclass(frozen=True)
class CatalogueEntry:
    """One mechanism.

    Attributes:
        name, title: of the mechanism.
        table: P(y|x) as declared.
        facts: (label, sentence), in a fixed order.
    """

    name: str
    title: str
    table: EntryGrid
    facts: tuple[tuple[str, Sentence], ...]


@dataclass(frozen=True)
class Section:
    """One spec file.

    Attributes:
        module: its name without .py. lead: what the file says first. notes: what else it says.
        source: author, year, title. entries: its mechanisms.
    """

    module: str
    lead: str
    notes: tuple[str, ...]
    source: str
    entries: tuple[CatalogueEntry, ...]


def sections(mechanisms: Iterable[Mechanism]) -> list[Section]:
    """One section for each spec file, in the order of the mechanisms."""
    files: dict[str, list[Mechanism]] = {}
    for mechanism in mechanisms:
        path = "" if mechanism.origin is None else mechanism.origin.path
        files.setdefault(path, []).append(mechanism)
    return [_section(path, found) for path, found in files.items()]


def _section(path: str, mechanisms: Sequence[Mechanism]) -> Section:
    lead, notes, source = said_by(Path(path)) if path else ("", (), "")
    module = Path(path).stem if path else mechanisms[0].name
    return Section(module, lead, notes, source, tuple(entry(m) for m in mechanisms))


def said_by(path: Path) -> tuple[str, tuple[str, ...], str]:
    """Return a spec file's docstring in parts: first paragraph, other paragraphs, sources.

    Indented paragraphs, which draw the table, are left out: the page shows the declared one. The
    sources are the last paragraph, if it holds a year in brackets.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    blocks = (ast.get_docstring(tree) or "").split("\n\n")
    texts = [" ".join(b.split()) for b in blocks if b.strip() and not b.startswith(" ")]
    source = texts.pop() if len(texts) > 1 and _names_a_year(texts[-1]) else ""
    return (texts[0] if texts else "", tuple(texts[1:]), source)


def _names_a_year(text: str) -> bool:
    return any(f"({year})" in text for year in range(1900, 2100))


def entry(mechanism: Mechanism) -> CatalogueEntry:
    """Everything that the page says of a mechanism."""
    return CatalogueEntry(mechanism.name, mechanism.title, declared(mechanism), facts_of(mechanism))


def declared(mechanism: Mechanism) -> EntryGrid:
    """The table P(y|x) as it is declared, in the generator u = e^eps."""
    form = mechanism.algebraic_table
    variables = with_input(mechanism)

    def shown(value: Any) -> Sentence:
        return (short(simple(value), readable(value, variables)),)

    if isinstance(form, Matrix) and len(form.outputs) <= MOST_COLUMNS and form.shown_in_full:
        rows = zip(form.inputs, form.rows, strict=True)
        return EntryGrid(
            (("x \\ y",), *((str(y),) for y in form.outputs)),
            tuple(((str(x),), *map(shown, row)) for x, row in rows),
        )
    if isinstance(form, Design):
        others = form.blocks - form.containing
        return EntryGrid(
            (("report y",), ("how many",), ("P(y | x)",)),
            (
                (("supports x",), shown(form.containing), shown(form.inside)),
                (("does not support x",), shown(others), shown(form.outside)),
            ),
        )
    if isinstance(form, Bits):
        return EntryGrid(
            (("a bit of the encoding of x",), ("P(1 in the report | x)",)),
            (((Formula(1),), shown(form.one)), ((Formula(0),), shown(form.zero))),
        )
    if isinstance(form, Density):
        pieces = [((*shown(p.low), " ≤ y ≤ ", *shown(p.high)), shown(p.level)) for p in form.pieces]
        atoms = [(("y = ", *shown(a.location)), shown(a.mass)) for a in form.atoms]
        heads = [word for word, found in (("density", pieces), ("probability", atoms)) if found]
        return EntryGrid((("report y, given x",), (" or ".join(heads),)), (*pieces, *atoms))
    if isinstance(form, Noise) and isinstance(form.law, Normal):
        z = sympy.Symbol("z")
        bell = sympy.exp(-(z**2) / (2 * form.law.scale**2)) / sympy.sqrt(2 * sympy.pi)
        return EntryGrid(
            (("report y = x + z",), ("density of z",)),
            ((("any z",), (Formula(form.law.level * bell),)),),
        )
    cells = [((name,), shown(value)) for name, value in form.cells().items()]
    return EntryGrid((("cell",), ("value",)), tuple(cells[:MOST_CELLS]))
