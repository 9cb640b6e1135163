"""Verdicts: a table of mechanism x obligation, then what does not hold, and why."""

from __future__ import annotations

import re
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from ldp_verified.app.report.output import Json, Part, table
from ldp_verified.prove.verdicts import Status, Verdict, Verification, Witness

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ldp_verified.prove.acceptance import Acceptance, Accepted

TIGHT, EXAMPLE = "tight epsilon", "reached, for example, at"
"""Derived facts that are shown; the document has all."""

NONE: Mapping[str, str] = MappingProxyType({})

STYLES = {
    Status.PROVED: "green",
    Status.ONE_GROUP: "cyan",
    Status.ENUMERATED: "cyan",
    Status.SAMPLED: "cyan",
    Status.ASSUMED: "yellow",
    Status.REFUTED: "bold red",
    Status.OPEN: "yellow",
}


def terminal(
    results: Sequence[Verification],
    generators: Mapping[str, str] = NONE,
    accepted: Accepted | None = None,
) -> Iterator[Part]:
    """The table, where the tight epsilon is reached, the count of each status.

    Then each refutation's witness and each open item's reason, and at the end what is accepted.

    Args:
        results: in the order in which they are shown.
        generators: mechanism -> what its symbol for e^eps stands for ("u = e^eps").
        accepted: what somebody accepts of them; None says nothing of that.
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
    if any(result.drawn for result in results):
        yield _drawn(results)
    for status, head in (
        (Status.REFUTED, "Refuted"),
        (Status.OPEN, "Open: no checker decided it, or checkers disagree"),
        (Status.ASSUMED, "Assumed"),
        (Status.SAMPLED, "Sampled, not proved"),
        (Status.ENUMERATED, "Enumerated, not proved"),
    ):
        found = [(r, v) for r in results for v in r.verdicts if v.status is status]
        if found:
            items = [_item(*item, generators) for item in found]
            yield Group(Text(head, style=STYLES[status]), *items)
    resting: dict[tuple[str, tuple[str, ...]], list[Verdict]] = {}
    reasons: dict[tuple[str, str], list[Verdict]] = {}
    for r in results:
        for v in r.verdicts:
            if v.assumptions and v.status.for_all:
                resting.setdefault((r.mechanism, v.assumptions), []).append(v)
            if v.status is Status.ONE_GROUP and _one_sided(v):
                reasons.setdefault((r.mechanism, _one_sided(v)), []).append(v)
    if resting:
        items = [_assumed(name, texts, found) for (name, texts), found in resting.items()]
        yield Group(Text("Proved, given what no checker decides here", style="yellow"), *items)
    if reasons:
        items = [_by_one(name, why, found) for (name, why), found in reasons.items()]
        yield Group(Text("Proved by one group of checkers only", style="yellow"), *items)
    provisos: dict[tuple[str, str], list[Verdict]] = {}
    for r in results:
        for v in r.verdicts:
            if v.proviso:
                provisos.setdefault((r.mechanism, v.proviso), []).append(v)
    if provisos:
        items = [_assumed(name, (text,), found) for (name, text), found in provisos.items()]
        yield Group(Text("Conditional theorems", style="yellow"), *items)
    if accepted is not None:
        yield _accepted(results, accepted)


def summary(results: Sequence[Verification], accepted: Accepted | None = None) -> Iterator[Part]:
    """One line for each mechanism: its status, how many obligations, and who decided them.

    Args:
        results: in the order in which they are shown.
        accepted: what somebody accepts of them; None says nothing of that.
    """
    rows = table(
        "mechanism", "is", "obligations", "by", "accepted", right=("obligations",), folded=("by",)
    )
    for result in results:
        checkers = dict.fromkeys(name for v in result.verdicts for name in v.checkers)
        rows.add_row(
            result.mechanism,
            Text(result.status, style=STYLES[result.status]),
            str(len(result.verdicts)),
            ", ".join(checkers),
            ", ".join(map(str, _of(result, accepted))) if accepted is not None else "",
        )
    yield rows
    yield _summary(results)


def _one_sided(verdict: Verdict) -> str:
    """Say why the other group does not prove a claim; empty where it was not asked."""
    if verdict.capped_by and verdict.alone is Status.PROVED:
        return verdict.detail.partition(";")[0]
    if "coq" in verdict.groups:
        return "no certificate, and no unsat for every question"
    return f"coq: {verdict.unaccepted}" if verdict.unaccepted else ""


def _accepted(results: Sequence[Verification], accepted: Accepted) -> Part:
    """Make the table of each mechanism's status, and of what it lacks that is accepted or not.

    Args:
        results: in the order in which they are shown.
        accepted: what somebody accepts of them, and what a pass lacks all the same.
    """
    rows = table("mechanism", "is", "accepted", "not accepted")
    lacking: dict[str, list[str]] = {}
    for name, status in accepted.lacking:
        lacking.setdefault(name, []).append(str(status))
    for result in results:
        rows.add_row(
            result.mechanism,
            Text(result.status, style=STYLES[result.status]),
            ", ".join(map(str, _of(result, accepted))) or "nothing",
            ", ".join(lacking.get(result.mechanism, [])) or "nothing",
        )
    return rows


def _of(result: Verification, accepted: Accepted) -> list[Acceptance]:
    """The acceptances that this mechanism needs."""
    name = result.mechanism
    return [one for one in accepted.used if any(one.covers(s, name) for s in result.needs)]


def _examples(results: Sequence[Verification], generators: Mapping[str, str]) -> Part:
    """Return where each mechanism's largest ratio is reached, for the eye."""
    heads = ("tight epsilon, derived", "reached, for example, at")
    rows = table("mechanism", *heads, folded=heads)
    for result in results:
        if EXAMPLE in result.derived:
            example = _explained(result.derived[EXAMPLE], generators.get(result.mechanism, ""))
            rows.add_row(result.mechanism, result.derived[TIGHT], example)
    return rows


def _drawn(results: Sequence[Verification]) -> Part:
    """The drawn points, and how to get the same ones again."""
    found = [(r.mechanism, r.drawn) for r in results if r.drawn]
    head = Text("Points that were also checked; --points-seed repeats them")
    items = [Padding(Text(f"{name}: {text}"), (0, 0, 0, 2)) for name, text in found]
    return Group(head, *items)


def _summary(results: Sequence[Verification]) -> Text:
    counts = Counter(v.status for r in results for v in r.verdicts)
    total = sum(counts.values())
    parts = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    mechanisms = _plural(len(results), "mechanism")
    took = f"{sum(result.seconds for result in results):.1f} s"
    if len(results) > 1:  # several at a time
        took += ", added up"
    return Text(f"{mechanisms}, {_plural(total, 'obligation')}: {parts or 'none'} ({took})")


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


def _assumed(mechanism: str, texts: Sequence[str], found: Sequence[Verdict]) -> Part:
    """Return the assumptions of proofs; a set of assumptions only once."""
    names = dict.fromkeys(verdict.obligation for verdict in found)
    return Padding(Text(f"{mechanism}, {', '.join(names)}: {'; '.join(texts)}"), (0, 0, 0, 2))


def _by_one(mechanism: str, why: str, found: Sequence[Verdict]) -> Part:
    """Say why the other group is not among the checkers of things proved; a reason only once."""
    names = dict.fromkeys(verdict.obligation for verdict in found)
    head = Text(f"{mechanism}, {', '.join(names)}")
    if len(found) == 1:
        head.append(f": {found[0].statement}")
    body = Padding(Text(why), (0, 0, 0, 2), expand=False)
    return Padding(Group(head, body), (0, 0, 0, 2), expand=False)


def _named(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _explained(text: str, generator: str) -> str:
    """Return the text, followed by the meaning of the symbol in it."""
    symbol = generator.partition(" = ")[0]
    return f"{text} ({generator})" if symbol and re.search(rf"\b{symbol} = ", text) else text


def document(results: Sequence[Verification], accepted: Accepted | None = None) -> dict[str, Json]:
    """{"mechanisms": [...], "stale": [...]}, each with its verdicts in the order of the claims."""
    return {
        "mechanisms": [_mechanism(result, accepted) for result in results],
        "stale": [str(one) for one in (() if accepted is None else accepted.stale)],
    }


def _mechanism(result: Verification, accepted: Accepted | None) -> Json:
    return {
        "needs": [str(status) for status in Status if status in result.needs],
        "accepted": [str(one) for one in (() if accepted is None else _of(result, accepted))],
        "name": result.mechanism,
        "title": result.title,
        "spec_hash": result.spec_hash,
        "status": str(result.status),
        "holds": result.holds,
        "seconds": round(result.seconds, 3),
        "verdicts": [_verdict(verdict) for verdict in result.verdicts],
        "derived": dict(result.derived),
        "drawn_points": result.drawn,
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
        "given": "; ".join(verdict.assumptions),
        "assumptions": list(verdict.assumptions),
        "groups": list(verdict.groups),
        "refusals": dict(verdict.refusals),
        "alone": str(verdict.alone or verdict.status),
        "capped_by": list(verdict.capped_by),
        "proviso": verdict.proviso,
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
