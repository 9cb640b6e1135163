"""The entries of mechanisms as one page: Markdown with LaTeX, or HTML with MathML.

Both render without fetching anything: GitHub knows the first, every browser the second.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

import sympy
from sympy.printing.mathml import mathml

from ldp_verified.app.report.audit_page import STYLE
from ldp_verified.app.report.sentences import Formula, Link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ldp_verified.app.report.families import Family
    from ldp_verified.app.report.sentences import Part, Sentence

HEAD = "Catalogue of mechanisms"
ABOUT = (
    "Written by `ldp-verified catalogue` from the declarations in `spec/`; `make drift` says "
    "whether it is current. Tables are those that are declared; estimators, variances and moments "
    "are derived from them, and `ldp-verified verify NAME` says who proved what. n users report, a "
    "share f of them holds the value that is counted, and x' is any other value. Variances are "
    "those of estimated counts, before rounding to integer thresholds; classes state the realized "
    "ones. Sources claim what is marked with them; where a source claims something else, the text "
    "says so. A batch of unary encodings or of CMS reads words until its reports are decided, "
    "and noise reads what it needs; the number of words then tells more than epsilon allows. So "
    "batches are for simulation. Clients read every bit and every word of bounded noise, and those "
    "that keep answers the words of kept ones: the number tells no more than the report, except "
    "for geometric, Laplace and staircase noise and SHE, where it has no finite epsilon "
    "(docs/devices.md)."
)

MORE_STYLE = """
math { font-size: 1.05em; }
table.facts th { width: 11rem; font-weight: 600; }
td, th { overflow-wrap: normal; }
.scroll { overflow-x: auto; }
nav { columns: 14rem; margin: 1rem 0 2rem; }
nav a { display: block; }
nav strong { display: block; margin-top: .6rem; break-after: avoid; }
h3 { margin-bottom: .3rem; }
p.source { color: #57606a; }
"""

_CODE = re.compile(r"`([^`]+)`")


def _renamed(value: Any) -> Any:
    """Symbols as they are set: eps is the Greek letter, p_star has a star, u4 an index."""
    names = {symbol: _set_name(symbol.name) for symbol in getattr(value, "free_symbols", ())}
    changed = {s: sympy.Symbol(name) for s, name in names.items() if name != s.name}
    return value.xreplace(changed) if changed else value


def _set_name(name: str) -> str:
    if name == "eps":
        return "epsilon"
    if name.endswith("_star"):
        return name.removesuffix("_star") + "^*"
    return re.sub(r"^([A-Za-z])(\d+)$", r"\1_\2", name)


# --- Markdown ------------------------------------------------------------------------------------


def markdown(families: Sequence[Family], root: str | None = None, *, mathml: bool = False) -> str:
    """The page for GitHub.

    Args:
        families: what it says, in this order.
        root: from the page's folder to that of the repository; None where it lies elsewhere.
        mathml: formulas are MathML, for a site that turns Markdown into HTML.
    """
    return "\n".join(_markdown(families, root, _inline if mathml else _dollars)) + "\n"


def _dollars(value: Any) -> str:
    return f"$`{_latex(value)}`$"


def _inline(value: Any) -> str:
    """A formula whose stars and bars Markdown leaves alone."""
    return _math(value).replace("*", "&#42;").replace("|", "&#124;")


def _markdown(
    families: Sequence[Family], root: str | None, formula: Callable[[Any], str]
) -> Iterator[str]:
    yield f"# {HEAD}"
    yield ""
    yield ABOUT
    for family in families:
        yield from ("", f"**{family.name}**", "")
        for section in family.sections:
            for entry in section.entries:
                yield f"- [{_text(entry.title)}](#{_anchor(entry.title)}): `{entry.name}`"
    for section in (section for family in families for section in family.sections):
        yield from ("", f"<!-- {section.module} -->")
        for position, entry in enumerate(section.entries):
            yield from ("", f"## {_text(entry.title)}", "")
            if not position:
                for paragraph in filter(None, (section.lead, *section.notes)):
                    yield from (_text(paragraph), "")
            yield from _rows(entry.table.heads, entry.table.rows, root, formula)
            yield ""
            facts = [((label,), sentence) for label, sentence in entry.facts]
            yield from _rows([("",), ("",)], facts, root, formula)
        if section.source:
            yield from ("", f"Source: {_text(section.source)}")


def _anchor(title: str) -> str:
    """The anchor that GitHub gives to a heading."""
    kept = re.sub(r"[^\w\- ]", "", title.lower())
    return kept.replace(" ", "-")


def _rows(
    heads: Iterable[Sentence],
    rows: Iterable[tuple[Sentence, ...]],
    root: str | None,
    formula: Callable[[Any], str],
) -> Iterator[str]:
    first = [_line(head, root, formula) for head in heads]
    yield f"| {' | '.join(first)} |"
    yield "| " + " | ".join("---" for _ in first) + " |"
    for row in rows:
        yield f"| {' | '.join(_line(cell, root, formula) for cell in row)} |"


def _line(sentence: Sentence, root: str | None, formula: Callable[[Any], str]) -> str:
    def link(words: str, path: str) -> str:
        return f"[{words}]({root}{path})" if root else f"`{path}`"

    def words(text: str) -> str:
        # A bar would end the cell, in code too.
        return re.sub(r"(?<!\\)\|", r"\|", _text(text))

    return _set(sentence, words, formula, link)


def _latex(value: Any) -> str:
    names = {sympy.Symbol("epsilon"): r"\varepsilon"}
    names |= {
        s: rf"\mathrm{{{s.name}}}"
        for s in getattr(value, "free_symbols", ())
        if len(s.name) > 2 and s.name.isalpha() and s.name not in ("eps", "omega", "gamma", "alpha")
    }
    return str(sympy.latex(_renamed(value), symbol_names=names, ln_notation=True))


def _text(words: str) -> str:
    """Words that Markdown shows as they are; code stays code."""
    pieces = _CODE.split(words)
    plain = [re.sub(r"([\\*_<>|$\[\]])", r"\\\1", piece) for piece in pieces[::2]]
    code = [f"`{piece}`" for piece in pieces[1::2]]
    return "".join(a + b for a, b in zip(plain, [*code, ""], strict=True))


# --- HTML ----------------------------------------------------------------------------------------


def html(families: Sequence[Family], root: str | None = None) -> str:
    """The page for a browser, which loads nothing else.

    Args:
        families: what it says, in this order.
        root: from the page's folder to that of the repository; None where it lies elsewhere.
    """
    parts = [f"<h1>{HEAD}</h1>", f"<p>{_marked(ABOUT)}</p>", "<nav>"]
    for family in families:
        parts.append(f"<strong>{escape(family.name)}</strong>")
        for section in family.sections:
            parts += [f'<a href="#{e.name}">{escape(e.title)}</a>' for e in section.entries]
    parts.append("</nav>")
    for section in (section for family in families for section in family.sections):
        for position, entry in enumerate(section.entries):
            heading = "h2" if not position else "h3"
            parts.append(
                f'<{heading} id="{entry.name}">{escape(entry.title)} '
                f"<code>{escape(entry.name)}</code></{heading}>"
            )
            if not position:
                parts += [f"<p>{_marked(p)}</p>" for p in (section.lead, *section.notes) if p]
            parts.append(_table(entry.table.rows, root, entry.table.heads))
            facts = [((label,), sentence) for label, sentence in entry.facts]
            parts.append(_table(facts, root))
        if section.source:
            parts.append(f'<p class="source">Source: {_marked(section.source)}</p>')
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{HEAD}</title>\n<style>{STYLE}{MORE_STYLE}</style>\n</head>\n<body>\n"
        f"{body}\n</body>\n</html>\n"
    )


def _table(
    rows: Iterable[tuple[Sentence, ...]], root: str | None, heads: tuple[Sentence, ...] = ()
) -> str:
    """A table with heads; without them the first cell of each row is one."""
    lines = ["<tr>" + "".join(f"<th>{_mathml_line(h, root)}</th>" for h in heads) + "</tr>"]
    for row in rows:
        kinds = ["td" if heads or i else "th" for i in range(len(row))]
        cells = zip(kinds, row, strict=True)
        lines.append("<tr>" + "".join(f"<{k}>{_mathml_line(c, root)}</{k}>" for k, c in cells))
        lines[-1] += "</tr>"
    kind = ' class="facts"' if not heads else ""
    return f'<div class="scroll"><table{kind}>' + "\n".join(lines[not heads :]) + "</table></div>"


def _mathml_line(sentence: Sentence, root: str | None) -> str:
    def link(words: str, path: str) -> str:
        shown = f'<a href="{root}{path}">{escape(words)}</a>'
        return shown if root else f"<code>{escape(path)}</code>"

    return _set(sentence, _marked, _math, link)


def _math(value: Any) -> str:
    text = str(mathml(_renamed(sympy.sympify(value)), printer="presentation"))
    for old, new in (("<mi>log</mi>", "<mi>ln</mi>"), ("&ExponentialE;", "e"), (">-<", ">−<")):
        text = text.replace(old, new)
    return f'<math displaystyle="true">{text}</math>'


def _marked(words: str) -> str:
    """Words as HTML; code in backticks is code."""
    return _CODE.sub(r"<code>\1</code>", escape(words, quote=False))


# --- both ----------------------------------------------------------------------------------------


def _set(
    sentence: Sentence,
    words: Callable[[str], str],
    formula: Callable[[Any], str],
    link: Callable[[str, str], str],
) -> str:
    def one(part: Part) -> str:
        if isinstance(part, Formula):
            return formula(part.value)
        return link(part.words, part.path) if isinstance(part, Link) else words(part)

    return "".join(one(part) for part in sentence)
