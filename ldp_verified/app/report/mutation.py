"""The mutation matrix: wrong variants x checkers, then what is equivalent, and what falls short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from ldp_verified.app.report.output import Json, Part, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.prove.mutation.mutate import Judged, MutationReport

REJECTED, ACCEPTED, NONE = "rejects", "accepts", "-"
PARTLY, UNCREDITED = "(accepts)", "(rejects)"

LEGEND = (
    "Independent routes: certificate and smt (one route, they read the same obligations), "
    "enumeration, identities, coq.  -: cannot judge it.  (rejects): rejects the declaration "
    "before the change as well, so it does not count.  (accepts): accepts the part that it can "
    "judge."
)


def terminal(report: MutationReport) -> Iterator[Part]:
    """The matrix, how much each checker rejects, the equivalents with reasons, what is missing."""
    rows = table("mechanism", "kind", "change", *report.checkers, "routes", folded=("change",))
    for one in report.wrong:
        style = "" if one.enough else "yellow" if one.limited else "bold red"
        rows.add_row(
            one.mutant.control.name,
            one.mutant.kind,
            one.mutant.change,
            *(said(one, name) for name in report.checkers),
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
            "Judged by fewer than two routes",
            "yellow",
            [(one.mutant.name, f"{one.limited}; {_why(one)}") for one in report.limited],
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


def said(one: Judged, name: str) -> str:
    """Return a checker's opinion of a variant in one word."""
    opinion = one.opinions[name]
    if opinion.accepts is None:
        return NONE
    if opinion.accepts:
        return PARTLY if opinion.partly else ACCEPTED
    return REJECTED if name in one.rejected_by else UNCREDITED


def _why(one: Judged) -> str:
    words = [f"{name}: {said(one, name)} {o.why}".strip() for name, o in one.opinions.items()]
    return "; ".join(words)


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
    return Text(
        f"{counts(report)} ({report.seconds:.1f} s)\nWrong ones rejected: {rejected}\n"
        f"{conclusion(report)}",
        style="" if report.holds else "yellow" if not report.insufficient else "bold red",
    )


def counts(report: MutationReport) -> str:
    """Return how many variants there are of each sort."""
    return (
        f"{len(report.results)} variants: {len(report.wrong)} wrong, "
        f"{len(report.equivalents)} equivalent, {len(report.refused)} refused by the vocabulary"
        + ("" if report.each is None else f"; at most {report.each} of each kind for a mechanism")
    )


def conclusion(report: MutationReport) -> str:
    """The outcome in words."""
    if not report.wrong:
        return "nothing wrong was tried"
    found = []
    if report.insufficient:
        found.append(f"{len(report.insufficient)} rejected by fewer than two independent routes")
    if report.limited:
        reasons = sorted({one.limited for one in report.limited})
        found.append(
            f"{len(report.limited)} that fewer than two routes can judge ({'; '.join(reasons)}), "
            "so that two cannot be shown"
        )
    if report.left:
        found.append(f"{len(report.left)} mechanisms for which time did not suffice")
    if not found:
        texts = any(one.mutant.kind == "text" for one in report.wrong)
        reader = ", a changed text by one that reads it" if texts else ""
        return f"every wrong one is rejected by at least two independent routes{reader}"
    rest = len(report.wrong) - len(report.insufficient) - len(report.limited)
    others = f"; the other {rest} by at least two independent routes" if rest else ""
    return "; ".join(found) + others


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
    opinions: dict[str, Json] = {
        name: {
            "accepts": one.opinions[name].accepts,
            "why": one.opinions[name].why,
            "partly": one.opinions[name].partly,
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
        "limited": one.limited,
        "checkers": opinions,
    }
