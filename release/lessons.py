"""Make lessons from the claims register: a page and a notebook for each document, in its order.

A page says of every claim what the document says, what that means as a formal statement, and
what was decided, with the counterexample as something that can be moved where its formula has a
value for every number. The notebook has the same claims as cells, so that a reader changes a
statement and decides it again.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import sympy
from sympy.printing.codeprinter import PrintMethodNotImplementedError

from ldp_verified.app.report.claims import MEANINGS, as_markdown, evidence, in_words, said
from ldp_verified.check.claims import chosen, claims_folder, load_documents
from ldp_verified.check.claims.deciding import counts, decide
from ldp_verified.check.claims.rulings import RulingKind
from release.build import ReleaseError
from release.licences import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ldp_verified.check.claims.deciding import Decided, DecidedEntry
    from ldp_verified.language.parameters import Domain

FOLDER = "docs/lessons"
ABOUT = (
    "What teaching documents and papers say about local differential privacy, claim by claim, in "
    "the order of each document: what it says, what that means as a formal statement, and whether "
    "it is true. Where it is not, a counterexample stands beside it, and can be moved."
)
SCRIPT, STYLE = "lessons.js", "lessons.css"

SHOW = """\
from ldp_verified.check.claims import Document, decide
from ldp_verified.app.report.claims import lines


def show(entry):
    \"\"\"Decide a claim now, and print each statement with its verdict.\"\"\"
    (found,) = decide([("notebook", Document("notebook", [entry]), entry)])
    print("\\n".join(lines(found)))"""


@dataclass(frozen=True)
class Source:
    """A file of claims, cut where a notebook has its cells.

    Attributes:
        before: everything above the document, without the docstring. claims: id -> the call that
            declares it.
    """

    before: str
    claims: dict[str, str]


def source(path: Path) -> Source:
    """Cut a file of claims.

    Args:
        path: of the file.

    Raises:
        ReleaseError: it does not end with one Document of calls, each with its id first.
    """
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    last = tree.body[-1]
    try:
        listed = last.value.args[1].elts  # type: ignore[attr-defined]  # else no such document
        claims = {ast.literal_eval(each.args[0]): _dedented(text, each) for each in listed}
    except (AttributeError, IndexError, ValueError):
        raise ReleaseError(f"{path.name}: must end with a Document of calls") from None
    first = tree.body[1] if ast.get_docstring(tree) else tree.body[0]
    above = text.splitlines()[first.lineno - 1 : last.lineno - 1]
    return Source("\n".join(above).strip(), claims)


def _dedented(text: str, node: ast.expr) -> str:
    """The text of an expression, as it stands at the left edge."""
    found = ast.get_source_segment(text, node) or ""
    indent = " " * node.col_offset
    return "\n".join(line.removeprefix(indent) for line in found.splitlines())


# --- the counterexample ----------------------------------------------------------------------


def moved(decided: Decided) -> dict[str, Any] | None:
    """The inequality that a counterexample refutes, as formulas for a browser.

    Args:
        decided: a reading that is refuted.

    Returns:
        Formulas of both sides, the sign between them, and each parameter with its value in the
        counterexample; None where a side is no formula of these parameters alone.
    """
    relation, witness = getattr(decided.reading.check, "relation", None), decided.ruling.witness
    if not isinstance(relation, sympy.core.relational.Relational) or witness is None:
        return None
    values = {name: _number(text) for name, text in witness.parameters.items()}
    if None in values.values():
        return None
    # A witness names u = e^eps, or u2 = e^(eps/2), where the statement has eps.
    for name in [each for each in values if re.fullmatch(r"u\d*", each)]:
        scale = int(name[1:] or 1)
        values["eps"] = scale * float(sympy.log(values.pop(name)))
    symbols = {each.name for side in (relation.lhs, relation.rhs) for each in side.free_symbols}
    check: Any = decided.reading.check
    named = getattr(check, "parameters", None) or [getattr(check, "parameter", None)]
    domains = {each.name: each.domain for each in named if each is not None}
    # The ends of a domain may have names that the relation has not.
    ends = [end for domain in domains.values() for end in (domain.lower, domain.upper)]
    symbols |= {
        each.name for end in ends for each in sympy.sympify(end or 0).free_symbols if symbols
    }
    if not symbols or not symbols <= values.keys():
        return None
    try:
        left, right = (
            sympy.jscode(side, user_functions={"erfc": "erfc"})
            for side in (relation.lhs, relation.rhs)
        )
    except PrintMethodNotImplementedError:
        return None
    return {
        "left": left,
        "right": right,
        "sign": relation.rel_op,
        "parameters": [
            {"name": name, "value": values[name], **_ends(domains.get(name))}
            for name in sorted(symbols)
        ],
    }


def _ends(domain: Domain | None) -> dict[str, Any]:
    """Return where a parameter may be moved, as formulas of the other parameters."""
    if domain is None:
        return {"integer": False}
    ends = {"lower": domain.lower, "upper": domain.upper}
    found = {side: sympy.jscode(sympy.sympify(e)) for side, e in ends.items() if e is not None}
    return {**found, "integer": domain.integer}


def _number(text: str) -> float | None:
    try:
        return float(sympy.Rational(text))
    except (TypeError, ValueError):
        return None


def laws(decided: Decided) -> dict[str, Any] | None:
    """Return the distributions of a counterexample to a definition, with e^eps and delta."""
    witness = decided.ruling.witness
    if witness is None or not {"e^eps", "delta"} <= witness.parameters.keys():
        return None
    rows = {name: text.split(", ") for name, text in witness.values.items() if name[:2] == "P("}
    if len(rows) < 2:
        return None
    return {
        "level": witness.parameters["e^eps"],
        "delta": witness.parameters["delta"],
        "rows": [{"name": name, "chances": each} for name, each in rows.items()],
    }


def counterexample(decided: Decided) -> Iterator[str]:
    """The counterexample as a table, and what a browser makes of it, in HTML.

    Args:
        decided: a reading that is refuted.
    """
    witness = decided.ruling.witness
    assert witness is not None
    cells = {**witness.parameters, **witness.values}
    yield '<table class="witness"><tbody>'
    for name, value in cells.items():
        yield f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
    yield "</tbody></table>"
    for kind, found in (("relation", moved(decided)), ("laws", laws(decided))):
        if found is not None:
            yield f'<div class="lesson" data-{kind}="{escape(json.dumps(found))}"></div>'


# --- the page --------------------------------------------------------------------------------


def page(decided: Sequence[DecidedEntry], code: Source) -> str:
    """The lesson of one document, as Markdown.

    Args:
        decided: its claims, in the order of the document. code: the file that has them, cut.
    """
    first, found = decided[0], counts(decided)
    lines = [f"# {first.document.title}", ""]
    lines.append(
        f"{len(decided)} claims in {sum(found.values())} parts. [The notebook]({first.file}.ipynb) "
        "has them as cells: change a statement, and decide it again."
    )
    lines += ["", "| verdict | parts | means |", "| --- | ---: | --- |"]
    lines += [f"| {o.value} | {number} | {MEANINGS[o]} |" for o, number in found.items()]
    for each in decided:
        lines += ["", f"## {each.entry.id}", "", f"> {as_markdown(each.entry.statement)}", ""]
        if each.entry.source:
            lines += [as_markdown(each.entry.source), ""]
        for part in each.parts:
            for one in part.readings:
                lines += _reading(one, "")
            for one in part.corrections:
                lines += _reading(one, "Corrected: ")
        lines += [
            '<details markdown="1"><summary>The code that decides it</summary>',
            "",
            "```python",
            code.claims[each.entry.id],
            "```",
            "",
            f"`ldp-verified claims {each.entry.id}` decides it again.",
            "",
            "</details>",
        ]
    return "\n".join([*lines, "", f'<script src="{SCRIPT}"></script>', ""])


def _reading(decided: Decided, before: str) -> Iterator[str]:
    yield f'<div class="reading {decided.ruling.kind.name.lower()}" markdown="1">'
    yield ""
    yield f"**{before}{as_markdown(said(decided.ruling))}.** {as_markdown(decided.statement)}"
    yield ""
    yield as_markdown(in_words(decided))
    yield ""
    if shown := evidence(decided.ruling):
        yield f"<small>{escape(shown)}</small>"
    yield ""
    yield "</div>"
    yield ""
    if decided.ruling.kind is RulingKind.REFUTED:
        yield from counterexample(decided)
        yield ""


# --- the notebook ----------------------------------------------------------------------------


def notebook(file: str, title: str, found: Source) -> str:
    """The notebook of one document, as JSON (nbformat 4.5).

    Args:
        file: the name of the file of claims. title: of the document. found: that file, cut.
    """
    cells = [
        _cell("markdown", f"# {title}\n\nEvery claim is decided when its cell runs."),
        _cell("code", SHOW),
        _cell("code", found.before),
    ]
    for name, call in found.claims.items():
        cells += [_cell("markdown", f"## {name}"), _cell("code", f"show({call})")]
    whole = {
        "cells": [{**cell, "id": f"cell-{place}"} for place, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "title": f"{file}: {title}",
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def write(folder: Path) -> None:
    """Write the pages, the notebooks and what moves the counterexamples; decides every claim.

    Args:
        folder: where they go; made anew.

    Raises:
        ReleaseError: as in `source`.
    """
    documents = load_documents()
    found = decide(chosen(documents, []))
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["# Lessons", "", ABOUT, "", "| document | claims | notebook |", "| --- | ---: | --- |"]
    for file, document in documents:
        own = {each.entry.id: each for each in found if each.file == file}
        code = source(claims_folder() / f"{file}.py")
        text = page([own[entry.id] for entry in document.entries], code)
        (folder / f"{file}.md").write_text(text, encoding="utf-8")
        cells = notebook(file, document.title, code)
        (folder / f"{file}.ipynb").write_text(cells, encoding="utf-8")
        lines.append(f"| [{document.title}]({file}.md) | {len(own)} | [open]({file}.ipynb) |")
    (folder / "index.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in (SCRIPT, STYLE):
        shutil.copyfile(ROOT / "release" / name, folder / name)


def _cell(kind: str, text: str) -> dict[str, Any]:
    more: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True), **more}
