"""The claims register as a page for a browser, which loads nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ldp_verified.app.report.audit_page import STYLE
from ldp_verified.app.report.claims import MEANINGS, NOT_COMPARED, evidence, in_words, said
from ldp_verified.check.claims.deciding import ReadingOutcome, counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.check.claims.deciding import Decided, DecidedEntry

COLOURS = {
    ReadingOutcome.PROVED: "#1b6e3c",
    ReadingOutcome.REGION: "#1b6e3c",
    ReadingOutcome.CORRECTED: "#7b2d8b",
    ReadingOutcome.REFUTED: "#b3261e",
    ReadingOutcome.DEPENDS: "#8a6100",
    ReadingOutcome.CHECKED: "#0b5a8a",
    ReadingOutcome.OPEN: "#57606a",
}

MORE_STYLE = """
article { border-top: 1px solid #d7dce1; padding: .6rem 0; }
article > p { margin: .2rem 0; }
article h4 { margin: 0; font-size: 1rem; display: inline; }
.reading { margin: .5rem 0 0 1rem; overflow-wrap: anywhere; }
.correction { margin-left: 2.5rem; }
.adds, details { color: #57606a; }
.mark { color: #fff; border-radius: .3rem; padding: 0 .4rem; white-space: nowrap; }
nav { margin: 1rem 0; }
nav a { margin-right: .6rem; }
"""

ABOUT = (
    "What teaching documents and papers claim about local differential privacy, as formal "
    "statements with computed verdicts. The command <code>ldp-verified claims</code> decides "
    "them from the files in <code>spec/claims/</code>; nothing in these says what the answer is. A "
    "verdict is on the formal statement beside it, which is rendered from what was decided; words "
    "in grey have no verdict."
)


def html(decided: Sequence[DecidedEntry]) -> str:
    """The page. It holds no time and no version: the same verdicts give the same page."""
    parts = ["<h1>Claims, decided</h1>", f"<p>{ABOUT}</p>"]
    for register, title in (("sources", "Teaching documents"), ("literature", "Literature")):
        own = [each for each in decided if each.document.register == register]
        if not own:
            continue
        found = counts(own)
        parts += [f"<h2>{title}</h2>", f"<p>{len(own)} claims, {sum(found.values())} parts.</p>"]
        parts.append("<table><tr><th>verdict</th><th class=number>parts</th><th>means</th></tr>")
        parts += [
            f"<tr><td>{_mark(o)}</td><td class=number>{number}</td><td>{MEANINGS[o]}</td></tr>"
            for o, number in found.items()
        ]
        parts.append("</table><nav>")
        parts += [f'<a href="#{escape(e.entry.id)}">{escape(e.entry.id)}</a>' for e in own]
        parts.append("</nav>")
        for name in dict.fromkeys(each.document.title for each in own):
            parts.append(f"<h3>{escape(name)}</h3>")
            for each in own:
                if each.document.title == name:
                    parts += _entry(each)
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Claims, decided</title>\n<style>{STYLE}{MORE_STYLE}</style>\n</head>\n<body>\n"
        f"{body}\n</body>\n</html>\n"
    )


def _entry(each: DecidedEntry) -> Iterator[str]:
    name = escape(each.entry.id)
    source = (
        f' <span class="adds">({escape(each.entry.source)})</span>' if each.entry.source else ""
    )
    yield f'<article id="{name}"><h4>{name}</h4> {escape(each.entry.statement)}{source}'
    for part in each.parts:
        several = len(part.readings) > 1
        for decided in part.readings:
            alone = part.outcome is ReadingOutcome.CORRECTED and not several
            yield _reading(decided, "reading: " if several else "", part.outcome if alone else None)
        for decided in part.corrections:
            yield _reading(decided, "corrected: ", None, "reading correction")
    yield "</article>"


def _reading(
    decided: Decided, before: str, outcome: ReadingOutcome | None, kind: str = "reading"
) -> str:
    mark = _mark(outcome or ReadingOutcome(decided.ruling.kind.value))
    words = f'<div class="adds">{escape(in_words(decided))}</div>'
    if not decided.compared:
        words = f'<div class="adds"><strong>{escape(NOT_COMPARED)}</strong></div>{words}'
    proof = evidence(decided.ruling)
    shown = f"<details><summary>{escape(said(decided.ruling))}</summary>{escape(proof)}</details>"
    if not proof:
        shown = f'<div class="adds">{escape(said(decided.ruling))}</div>'
    return f'<div class="{kind}">{mark} {before}{escape(decided.statement)}{words}{shown}</div>'


def _mark(outcome: ReadingOutcome) -> str:
    return f'<span class="mark" style="background:{COLOURS[outcome]}">{outcome.value}</span>'
