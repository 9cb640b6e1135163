"""The mutation matrix as a Markdown page that is kept."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ldp_verified.app.report.mutation import conclusion, counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ldp_verified.prove.mutation.mutate import Judged, MutationReport


def markdown(report: MutationReport, commit: str) -> str:
    """The page: counts by mechanism and checker, equivalents with reasons, what was not judged.

    Args:
        report: the matrix. commit: what it was made from.
    """
    return "\n".join([*_head(report, commit), *_tables(report), *_lists(report)]) + "\n"


def _head(report: MutationReport, commit: str) -> Iterator[str]:
    asked = ", ".join(report.checkers)
    yield "# Mutation matrix"
    yield ""
    yield (
        f"Written by `make mutation` on {datetime.now(UTC).date().isoformat()} at commit {commit}, "
        f"in {report.seconds:.0f} s. Asked: {asked}."
    )
    names = dict.fromkeys(one.mutant.control.name for one in report.results)
    left = [name for name in report.left if name not in names]
    part = [name for name in report.left if name in names]
    whole = [name for name in names if name not in report.left]
    yield ""
    yield f"Of these results {report.recorded} are from earlier runs over the same sources."
    most = f"At most {report.each} variants of each kind"
    which = "All variants" if report.each is None else most
    yield f"{which} were run of: {', '.join(whole) or 'no mechanism'}."
    if part:
        yield f"Some variants were run, and the others not, of: {', '.join(part)}."
    if left:
        yield f"Not run: {', '.join(left)}. `make mutation` goes on there."
    yield ""
    yield (
        "Every declaration is changed in one respect at a time. A checker's "
        "rejection counts\nonly where it accepts the declaration before the change. Certificate "
        "and smt read the same obligations,\nso they are one route; enumeration, identities and "
        "coq are one each. A\nchange of kind `text` is one of what is printed for one route: the "
        "others read their own text, and one has to reject it."
    )
    yield ""
    yield f"**{counts(report)}. {conclusion(report).capitalize()}.**"


def _tables(report: MutationReport) -> Iterator[str]:
    for title in ("Mechanism", "Kind"):
        groups: dict[str, list[Judged]] = {}
        for one in report.results:
            name = one.mutant.kind if title == "Kind" else one.mutant.control.name
            groups.setdefault(name, []).append(one)
        head = ("variants", "wrong", "equivalent", "refused", *report.checkers, "fewest routes")
        yield ""
        yield f"## {title}s, and how many wrong variants each checker rejects"
        yield ""
        yield from _rows(
            (title.lower(), *head),
            [(name, *_numbers(report, found)) for name, found in groups.items()]
            + [("all", *_numbers(report, report.results))],
        )
    yield ""
    yield "## How many independent routes reject a wrong variant"
    yield ""
    found = Counter(len(one.routes) for one in report.wrong)
    yield from _rows(("routes", "variants"), [(str(n), str(found[n])) for n in sorted(found)])


def _numbers(report: MutationReport, found: Sequence[Judged]) -> list[str]:
    wrong = [one for one in found if one.wrong]
    sorts = (
        len(found),
        len(wrong),
        sum(bool(one.equivalent) for one in found),
        sum(one.mutant.mechanism is None for one in found),
    )
    rejected = [_of_those(wrong, name) for name in report.checkers]
    fewest = min((len(one.routes) for one in wrong), default=None)
    return [*map(str, sorts), *rejected, "-" if fewest is None else str(fewest)]


def _of_those(wrong: Sequence[Judged], name: str) -> str:
    """Return how many a checker rejects; with how many it cannot judge, if any."""
    rejects = sum(name in one.rejected_by for one in wrong)
    silent = sum(one.opinions[name].accepts is None for one in wrong)
    return f"{rejects}" + (f" ({silent} not judged)" if silent else "")


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| --- |{' ---: |' * (len(head) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _lists(report: MutationReport) -> Iterator[str]:
    unjudged = Counter(
        f"{one.mutant.control.name}: {one.mutant.kind}: {name}: {opinion.why}"
        for one in report.wrong
        for name, opinion in one.opinions.items()
        if opinion.accepts is None
    )
    for title, found in (
        (
            "Rejected by fewer than two independent routes",
            [f"{one.mutant.name} ({', '.join(one.rejected_by)})" for one in report.insufficient],
        ),
        (
            "Judged by fewer than two routes",
            [f"{one.mutant.name}: {one.limited}" for one in report.limited],
        ),
        (
            "Accepted by certificate and smt: only the structure gives them away",
            [
                f"{one.mutant.name} ({', '.join(one.rejected_by)})"
                for one in report.unseen_by_algebra
            ],
        ),
        (
            "Equivalent: still true, with the reason",
            [f"{one.mutant.name}: {one.equivalent}" for one in report.equivalents],
        ),
        (
            "Equivalent, but not accepted",
            [
                f"{one.mutant.name}: {name}: {one.opinions[name].why}"
                for one, name in report.too_strict
            ],
        ),
        (
            "Refused by the vocabulary",
            [f"{one.mutant.name}: {one.mutant.refused}" for one in report.refused],
        ),
        (
            "Not accepted before any change, so that its rejections do not count",
            [f"{m.name}: {name}: {opinion.why}" for m, name, opinion in report.unaccepted],
        ),
        (
            "Not judged, by checker",
            [f"{what} ({times} variants)" for what, times in unjudged.items()],
        ),
    ):
        yield ""
        yield f"## {title}"
        yield ""
        yield from (f"- {_plain(line)}" for line in found) if found else ("None.",)


def _plain(line: str) -> str:
    """One line; what Markdown would take for markup is escaped."""
    flat = " ".join(line.split())
    return flat.replace("|", "\\|").replace("*", "\\*").replace("<", "\\<").replace("_", "\\_")
