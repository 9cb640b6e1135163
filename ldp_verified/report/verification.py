"""Verdicts: a table of mechanism x obligation, then what does not hold, and why."""

from __future__ import annotations

import re
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from ldp_verified.prove.verdicts import Status, Verdict, Verification, Witness
from ldp_verified.report.output import Json, Part, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TIGHT, EXAMPLE = "tight epsilon", "reached, for example, at"
"""Derived facts that are shown; the document has all."""

NONE: Mapping[str, str] = MappingProxyType({})

STYLES = {
    Status.PROVED: "green",
    Status.ENUMERATED: "cyan",
    Status.SAMPLED: "cyan",
    Status.ASSUMED: "yellow",
    Status.REFUTED: "bold red",
    Status.OPEN: "yellow",
}


def terminal(
    results: Sequence[Verification], generators: Mapping[str, str] = NONE
) -> Iterator[Part]:
    """The table, where the tight epsilon is reached, the count of each status.

    Then each refutation's witness and each open item's reason.

    Args:
        results: in the order in which they are shown.
        generators: mechanism -> what its symbol for e^eps stands for ("u = e^eps").
    """
    rows = table(
        "mechanism", "obligation", "claim", "status", "checkers", folded=("claim", "checkers")
    )
    for result in results:
        for position, verdict in enumerate(result.verdicts):
            rows.add_row(
                result.mechanism,
                verdict.obligation,
                verdict.statement,
                Text(verdict.status, style=STYLES[verdict.status]),
                ", ".join(verdict.checkers),
                end_section=position == len(result.verdicts) - 1,
            )
    yield rows
    if any(EXAMPLE in result.derived for result in results):
        yield _examples(results, generators)
    yield _summary(results)
    for status, head in (
        (Status.REFUTED, "Refuted"),
        (Status.OPEN, "Open: no checker decided it"),
        (Status.ASSUMED, "Assumed"),
        (Status.SAMPLED, "Sampled, not proved"),
        (Status.ENUMERATED, "Enumerated, not proved"),
    ):
        found = [(r, v) for r in results for v in r.verdicts if v.status is status]
        if found:
            items = [_item(*item, generators) for item in found]
            yield Group(Text(head, style=STYLES[status]), *items)
    resting = [(r, v) for r in results for v in r.verdicts if v.given]
    if resting:
        items = [_given(r.mechanism, v) for r, v in resting]
        yield Group(Text("Proved, given what no checker decides here", style="yellow"), *items)
    reasons: dict[tuple[str, str], list[Verdict]] = {}
    for r in results:
        for v in r.verdicts:
            if v.unaccepted and v.status is Status.PROVED:
                reasons.setdefault((r.mechanism, v.unaccepted), []).append(v)
    if reasons:
        items = [_unaccepted(name, why, found) for (name, why), found in reasons.items()]
        yield Group(Text("Proved, but not by Coq's kernel", style="yellow"), *items)


def _examples(results: Sequence[Verification], generators: Mapping[str, str]) -> Part:
    """Where each mechanism's largest ratio is reached, for the eye."""
    heads = ("tight epsilon, derived", "reached, for example, at")
    rows = table("mechanism", *heads, folded=heads)
    for result in results:
        if EXAMPLE in result.derived:
            example = _explained(result.derived[EXAMPLE], generators.get(result.mechanism, ""))
            rows.add_row(result.mechanism, result.derived[TIGHT], example)
    return rows


def _summary(results: Sequence[Verification]) -> Text:
    counts = Counter(v.status for r in results for v in r.verdicts)
    total = sum(counts.values())
    parts = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    mechanisms = _plural(len(results), "mechanism")
    seconds = sum(result.seconds for result in results)
    return Text(
        f"{mechanisms}, {_plural(total, 'obligation')}: {parts or 'none'} ({seconds:.1f} s)"
    )


def _item(result: Verification, verdict: Verdict, generators: Mapping[str, str]) -> Part:
    """One verdict with its witness or reason, indented."""
    head = Text(f"{result.mechanism}, {verdict.obligation}: {verdict.statement}")
    lines = []
    if verdict.witness is not None:
        lines.append(verdict.witness.explanation)
        at = _named(verdict.witness.parameters)
        lines += [_explained(f"at {at}", generators.get(result.mechanism, ""))] if at else []
        lines += filter(None, [_named(verdict.witness.values)])
    lines += filter(None, [verdict.detail])
    body = Padding(Text("\n".join(lines)), (0, 0, 0, 2), expand=False)
    return Padding(Group(head, body), (0, 0, 0, 2), expand=False)


def _given(mechanism: str, verdict: Verdict) -> Part:
    """What a proof takes for granted."""
    return Padding(Text(f"{mechanism}, {verdict.obligation}: {verdict.given}"), (0, 0, 0, 2))


def _unaccepted(mechanism: str, why: str, found: Sequence[Verdict]) -> Part:
    """Why Coq, which was asked, is not among the checkers of things proved; a reason only once."""
    names = dict.fromkeys(verdict.obligation for verdict in found)
    head = Text(f"{mechanism}, {', '.join(names)}")
    if len(found) == 1:
        head.append(f": {found[0].statement}")
    body = Padding(Text(f"coq: {why}"), (0, 0, 0, 2), expand=False)
    return Padding(Group(head, body), (0, 0, 0, 2), expand=False)


def _named(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _explained(text: str, generator: str) -> str:
    """What is said at a point, and what the symbol in it stands for."""
    symbol = generator.partition(" = ")[0]
    return f"{text} ({generator})" if symbol and re.search(rf"\b{symbol} = ", text) else text


def document(results: Sequence[Verification]) -> dict[str, Json]:
    """{"mechanisms": [...]}, each with its verdicts in the order of the claims."""
    return {"mechanisms": [_mechanism(result) for result in results]}


def _mechanism(result: Verification) -> Json:
    return {
        "name": result.mechanism,
        "title": result.title,
        "spec_hash": result.spec_hash,
        "status": str(result.status),
        "holds": result.holds,
        "seconds": round(result.seconds, 3),
        "verdicts": [_verdict(verdict) for verdict in result.verdicts],
        "derived": dict(result.derived),
    }


def _verdict(verdict: Verdict) -> Json:
    return {
        "claim": verdict.claim,
        "statement": verdict.statement,
        "obligation": verdict.obligation,
        "status": str(verdict.status),
        "checkers": list(verdict.checkers),
        "detail": verdict.detail,
        "theorems": list(verdict.theorems),
        "unaccepted": verdict.unaccepted,
        "given": verdict.given,
        "witness": None if verdict.witness is None else _witness(verdict.witness),
    }


def _witness(witness: Witness) -> Json:
    return {
        "parameters": dict(witness.parameters),
        "values": dict(witness.values),
        "explanation": witness.explanation,
    }


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
