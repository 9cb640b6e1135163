"""The claims register: in the terminal, as JSON, and as the page CLAIMS.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from ldp_verified.app.report.output import Json, Part, table
from ldp_verified.check.claims.deciding import ReadingOutcome, counts
from ldp_verified.check.claims.rulings import RulingKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.check.claims.deciding import Decided, DecidedEntry, DecidedPart
    from ldp_verified.check.claims.rulings import Ruling

STYLES = {
    ReadingOutcome.PROVED: "green",
    ReadingOutcome.REGION: "green",
    ReadingOutcome.CORRECTED: "magenta",
    ReadingOutcome.REFUTED: "bold red",
    ReadingOutcome.DEPENDS: "yellow",
    ReadingOutcome.CHECKED: "cyan",
    ReadingOutcome.OPEN: "yellow",
}

MEANINGS = {
    ReadingOutcome.PROVED: "for all parameters, by the checkers named",
    ReadingOutcome.REGION: "true exactly where the region says, proved",
    ReadingOutcome.CORRECTED: "false as stated, with a witness; the correction beside it is proved",
    ReadingOutcome.REFUTED: "false as stated, with a witness; no correction is proved",
    ReadingOutcome.DEPENDS: "several readings, which do not all have the same verdict",
    ReadingOutcome.CHECKED: "rests on what is cited, or was looked at in the stated range only",
    ReadingOutcome.OPEN: "nothing here decides it",
}

HEAD = """# Claims, decided

What teaching documents and papers claim about local differential privacy, as formal statements
with computed verdicts. `ldp-verified claims --write CLAIMS.md` made this page from the files in
`spec/claims/`; nothing in them says what the answer is. A verdict is on the formal statement that
stands before it, which is rendered from what was decided; words in italics have no verdict.
What a verdict does and does not say: [SOUNDNESS.md](SOUNDNESS.md#claims).
"""


def said(ruling: Ruling) -> str:
    """The verdict on one reading, as a sentence without its witness."""
    by = f" by {', '.join(ruling.checkers)}" if ruling.checkers else ""
    if ruling.kind is RulingKind.REGION:
        return f"holds iff {ruling.region}{by and f' (proved{by})'}"
    if ruling.kind is RulingKind.REFUTED:
        return f"refuted{by}"
    return f"{ruling.kind.value}{by}"


def evidence(ruling: Ruling) -> str:
    """The witness, or what was looked at, or why nothing decides it."""
    if ruling.witness is None:
        return ruling.detail
    witness = ruling.witness
    at = ", ".join(f"{name} = {value}" for name, value in witness.parameters.items())
    values = ", ".join(f"{name} = {value}" for name, value in witness.values.items())
    parts = [witness.explanation, f"at {at}" if at else "", values]
    return "; ".join(part for part in parts if part)


NOT_COMPARED = "not the source's: this formal version was not compared with it"


def in_words(decided: Decided) -> str:
    """The prose beside a formal statement, which has no verdict."""
    reading = decided.reading
    adds = f" [added: {reading.adds}]" if reading.adds else ""
    return f"In words: {reading.words}{adds}."


def terminal(decided: Sequence[DecidedEntry], seconds: float) -> Iterator[Part]:
    """The table, the counts, then each refutation's witness and each open part's reason."""
    rows = table(
        "id",
        "in words, and what is decided",
        "verdict",
        folded=("in words, and what is decided", "verdict"),
    )
    for each in decided:
        lines = [(part, d, "") for part in each.parts for d in part.readings]
        lines += [(part, d, "corrected: ") for part in each.parts for d in part.corrections]
        for position, (part, d, before) in enumerate(lines):
            rows.add_row(
                each.entry.id,
                f"{before}{d.reading.words}\n{d.statement}",
                Text(said(d.ruling), style=_style(part, d, before)),
                end_section=position == len(lines) - 1,
            )
    yield rows
    found = counts(decided)
    summary = ", ".join(f"{number} {outcome.value}" for outcome, number in found.items())
    yield Text(f"{len(decided)} claims, {sum(found.values())} parts: {summary} ({seconds:.0f} s)")
    for kind, head in (
        (RulingKind.REFUTED, "Refuted"),
        (RulingKind.CHECKED, "Checked, not proved"),
        (RulingKind.OPEN, "Open"),
    ):
        items = [
            _item(each, d)
            for each in decided
            for part in each.parts
            for d in (*part.readings, *part.corrections)
            if d.ruling.kind is kind
        ]
        if items:
            yield Group(Text(head), *items)


def _style(part: DecidedPart, decided: Decided, before: str) -> str:
    if before or len(part.readings) > 1:
        return STYLES[ReadingOutcome(decided.ruling.kind.value)]
    return STYLES[part.outcome]


def _item(entry: DecidedEntry, decided: Decided) -> Part:
    head = Text(f"{entry.entry.id}: {decided.statement}")
    return Padding(Group(head, Padding(Text(evidence(decided.ruling)), (0, 0, 0, 2))), (0, 0, 0, 2))


def document(decided: Sequence[DecidedEntry]) -> dict[str, Json]:
    """The register as JSON."""
    return {
        "counts": {outcome.value: number for outcome, number in counts(decided).items()},
        "claims": [
            {
                "id": each.entry.id,
                "file": each.file,
                "register": each.document.register,
                "source": each.entry.source or each.document.title,
                "statement": each.entry.statement,
                "parts": [
                    {
                        "outcome": part.outcome.value,
                        "readings": [_reading(d) for d in part.readings],
                        "corrections": [_reading(d) for d in part.corrections],
                    }
                    for part in each.parts
                ],
            }
            for each in decided
        ],
    }


def _reading(decided: Decided) -> dict[str, Json]:
    ruling = decided.ruling
    witness = ruling.witness
    return {
        "statement": decided.statement,
        "compared_with_source": decided.compared,
        "words": decided.reading.words,
        "adds": decided.reading.adds,
        "verdict": ruling.kind.value,
        "checkers": list(ruling.checkers),
        "detail": ruling.detail,
        "region": ruling.region,
        "witness": None
        if witness is None
        else {
            "parameters": dict(witness.parameters),
            "values": dict(witness.values),
            "explanation": witness.explanation,
        },
    }


def lines(decided: DecidedEntry) -> Iterator[str]:
    """A claim in plain text: each formal statement, its verdict, and what it rests on.

    Args:
        decided: the claim.
    """
    for part in decided.parts:
        for before, each in (
            *(("", d) for d in part.readings),
            *(("corrected: ", d) for d in part.corrections),
        ):
            yield f"{before}{each.statement}"
            yield f"    {said(each.ruling)}"
            if shown := evidence(each.ruling):
                yield f"    {shown}"


def page(decided: Sequence[DecidedEntry]) -> str:
    """CLAIMS.md. It holds no time and no version: the same verdicts give the same page."""
    lines = [HEAD]
    for register, title in (("sources", "Teaching documents"), ("literature", "Literature")):
        own = [each for each in decided if each.document.register == register]
        if not own:
            continue
        found = counts(own)
        lines += [f"## {title}", "", f"{len(own)} claims, {sum(found.values())} parts.", ""]
        lines += ["| verdict | parts | means |", "| --- | ---: | --- |"]
        lines += [f"| {o.value} | {number} | {MEANINGS[o]} |" for o, number in found.items()]
        lines.append("")
        for name in dict.fromkeys(each.document.title for each in own):
            lines += [f"### {name}", ""]
            for each in own:
                if each.document.title == name:
                    lines += _lines(each)
    return "\n".join(lines).rstrip() + "\n"


def _lines(each: DecidedEntry) -> list[str]:
    source = f" ({each.entry.source})" if each.entry.source else ""
    lines = [f"**{each.entry.id}** {as_markdown(each.entry.statement)}{as_markdown(source)}", ""]
    for part in each.parts:
        several = len(part.readings) > 1
        lines += [_line(d, "reading: " if several else "") for d in part.readings]
        lines += [f"  {_line(d, 'corrected: ')}" for d in part.corrections]
    return [*lines, ""]


def _line(decided: Decided, before: str) -> str:
    proof = evidence(decided.ruling)
    shown = f". {proof}" if proof else ""
    mark = "" if decided.compared else f" ({NOT_COMPARED})"
    return (
        as_markdown(f"- {before}{decided.statement}: ")
        + f"**{as_markdown(said(decided.ruling))}**"
        + as_markdown(shown)
        + f" *{as_markdown(in_words(decided))}*{mark}"
    )


def as_markdown(plain: str) -> str:
    """Plain text with nothing in it that Markdown would take for markup.

    Args:
        plain: the text.
    """
    for mark in ("\\", "*", "_", "|", "`"):
        plain = plain.replace(mark, "\\" + mark)
    return plain.replace("<", "&lt;")
