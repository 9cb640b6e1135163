"""The mutation matrix: wrong variants x checkers, then what is equivalent, and what falls short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from ldp_verified.report.output import Json, Part, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.prove.mutate import Judged, MutationReport

REJECTED, ACCEPTED, NONE, UNCREDITED = "rejects", "accepts", "-", "(rejects)"

LEGEND = (
    "Independent routes: certificate and smt (one route, they read the same obligations), "
    "enumeration, identities, coq.  -: cannot judge it.  (rejects): rejects the declaration "
    "before the change as well, so it does not count."
)


def terminal(report: MutationReport) -> Iterator[Part]:
    """The matrix, how much each checker rejects, the equivalents with reasons, what is missing."""
    rows = table("mechanism", "kind", "change", *report.checkers, "routes", folded=("change",))
    for one in report.wrong:
        style = "" if one.enough else "bold red"
        rows.add_row(
            one.mutant.control.name,
            one.mutant.kind,
            one.mutant.change,
            *(_said(one, name) for name in report.checkers),
            str(len(one.routes)),
            style=style,
        )
    yield rows
    yield Text(LEGEND)
    yield _summary(report)
    groups = (
        (
            "Rejected by fewer than two independent routes",
            "bold red",
            [(one.mutant.name, _why(one)) for one in report.insufficient],
        ),
        (
            "Wrong counts that certificate and smt accept: " + _without_algebra(report),
            "cyan",
            [(one.mutant.name, ", ".join(one.rejected_by)) for one in report.unseen_by_algebra],
        ),
        (
            "Equivalent: still true, with the reason",
            "cyan",
            [(one.mutant.name, one.equivalent) for one in report.equivalents],
        ),
        (
            "Refused by the vocabulary",
            "green",
            [(one.mutant.name, one.mutant.refused) for one in report.refused],
        ),
        (
            "Equivalent, but not accepted",
            "yellow",
            [
                (one.mutant.name, f"{name}: {one.opinions[name].why}")
                for one, name in report.too_strict
            ],
        ),
        (
            "Not accepted before any change, so that its rejections do not count",
            "yellow",
            [(f"{m.name}: {name}", opinion.why) for m, name, opinion in report.unaccepted],
        ),
    )
    for head, style, items in groups:
        if items:
            yield Group(Text(head, style=style), *map(_item, items))


def _said(one: Judged, name: str) -> str:
    opinion = one.opinions[name]
    if opinion.accepts is None:
        return NONE
    if opinion.accepts:
        return ACCEPTED
    return REJECTED if name in one.rejected_by else UNCREDITED


def _why(one: Judged) -> str:
    said = [f"{name}: {_said(one, name)} {o.why}".strip() for name, o in one.opinions.items()]
    return "; ".join(said)


def _without_algebra(report: MutationReport) -> str:
    if "coq" in report.checkers:
        return "enumeration, identities and Coq read the structure"
    return "enumeration and identities read the structure; Coq was not asked"


def _item(item: tuple[str, str]) -> Part:
    name, detail = item
    body = Padding(Text(detail), (0, 0, 0, 2), expand=False)
    return Padding(Group(Text(name), body), (0, 0, 0, 2), expand=False)


def _summary(report: MutationReport) -> Text:
    rejected = ", ".join(f"{name} {count}" for name, count in report.rejections.items())
    counts = (
        f"{len(report.results)} variants: {len(report.wrong)} wrong, "
        f"{len(report.equivalents)} equivalent, {len(report.refused)} refused by the vocabulary"
    )
    short = len(report.insufficient)
    verdict = (
        "every wrong one is rejected by at least two independent routes"
        if report.holds
        else f"{short} rejected by fewer than two independent routes"
        if short
        else "nothing wrong was tried"
    )
    return Text(
        f"{counts} ({report.seconds:.1f} s)\nWrong ones rejected: {rejected}\n{verdict}",
        style="" if report.holds else "bold red",
    )


def document(report: MutationReport) -> dict[str, Json]:
    """{"checkers", "rejections", "variants": [...]}: every variant with what each checker says."""
    return {
        "holds": report.holds,
        "checkers": list(report.checkers),
        "seconds": round(report.seconds, 3),
        "rejections": dict(report.rejections),
        "variants": [_variant(one, report.checkers) for one in report.results],
    }


def _variant(one: Judged, checkers: Sequence[str]) -> Json:
    m = one.mutant
    status = "refused" if m.mechanism is None else "equivalent" if one.equivalent else "wrong"
    said: dict[str, Json] = {
        name: {
            "accepts": one.opinions[name].accepts,
            "why": one.opinions[name].why,
            "accepts_before": one.control[name].accepts,
        }
        for name in checkers
        if name in one.opinions
    }
    return {
        "mechanism": m.control.name,
        "kind": m.kind,
        "change": m.change,
        "status": status,
        "reason": one.equivalent or m.refused,
        "rejected_by": [*one.rejected_by],
        "routes": [*sorted(one.routes)],
        "enough": one.enough,
        "checkers": said,
    }
