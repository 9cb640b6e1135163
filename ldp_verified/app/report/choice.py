"""The ranking of frequency oracles."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from rich.text import Text

from ldp_verified.app.report.output import Json, Part, table

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from ldp_verified.deploy.collect.choose import MechanismCandidate

T = TypeVar("T")


def terminal(
    ranked: Sequence[MechanismCandidate], left_out: Sequence[MechanismCandidate], users: int
) -> Iterator[Part]:
    """The ranking, then what was left out and why."""
    rows = table(
        "",
        "mechanism",
        "std error, rare value",
        "std error, worst share",
        "share by 1 % fakes",
        "bits per report",
        "server steps",
        right=(
            "std error, rare value",
            "std error, worst share",
            "share by 1 % fakes",
            "bits per report",
            "server steps",
        ),
    )
    grouped = _grouped(ranked, users)
    for place, (candidate, *others) in enumerate(grouped, 1):
        rows.add_row(
            str(place),
            named(candidate.name, [other.name for other in others]),
            f"{candidate.rare:,.4g}",
            f"{candidate.worst:,.4g}",
            f"{candidate.fakes:,.3g}",
            f"{candidate.bits:,}",
            f"{candidate.server_steps(users):,}",
        )
    yield rows
    yield Text(
        f"What the columns mean, for {users:,} users:\n"
        "  std error: the standard error of an estimated count, in users.\n"
        "  share by 1 % fakes: what 1 % of the users, if they lie, can add to the share of a value "
        "that nobody holds.\n"
        "  server steps: the work of the server for all reports."
    )
    for note, names in _notes([first for first, *_ in grouped]).items():
        yield Text(f"{', '.join(names)}: {note}.")
    for candidate in left_out:
        yield Text(f"{candidate.name} left out: {_why(candidate)}")


def document(
    ranked: Sequence[MechanismCandidate], left_out: Sequence[MechanismCandidate], users: int
) -> dict[str, Json]:
    """{"n": ..., "ranking": [...], "same_figures": {...}, "notes": {...}, "left_out": [...]}.

    A mechanism with every figure of one before it is not ranked again, but named with it.
    """
    grouped = _grouped(ranked, users)
    distinct = [first for first, *_ in grouped]
    return {
        "n": users,
        "ranking": [
            {
                "mechanism": c.name,
                "std_error_rare": c.rare,
                "std_error_worst": c.worst,
                "share_by_one_percent_fakes": c.fakes,
                "bits_per_report": c.bits,
                "server_steps": c.server_steps(users),
            }
            for c in distinct
        ],
        "same_figures": {other.name: first.name for first, *others in grouped for other in others},
        "notes": {name: note for note, names in _notes(distinct).items() for name in names},
        "left_out": [{"mechanism": c.name, "why": _why(c)} for c in left_out],
    }


def _grouped(ranked: Sequence[MechanismCandidate], users: int) -> list[list[MechanismCandidate]]:
    return by_figures(ranked, lambda candidate: candidate.figures(users))


def by_figures(ranked: Iterable[T], figures: Callable[[T], Hashable]) -> list[list[T]]:
    """Lists of those that have the same figures, in the order of the first of each."""
    found: dict[Hashable, list[T]] = {}
    for each in ranked:
        found.setdefault(figures(each), []).append(each)
    return list(found.values())


def named(name: str, others: Sequence[str]) -> str:
    """Name a row, and the others that have its figures."""
    return f"{name} (also {', '.join(others)})" if others else name


def _notes(ranked: Sequence[MechanismCandidate]) -> dict[str, list[str]]:
    """Return the remarks on candidates -> the names that each concerns."""
    found: dict[str, list[str]] = {}
    for candidate in ranked:
        if candidate.note:
            found.setdefault(candidate.note, []).append(candidate.name)
    return found


def _why(candidate: MechanismCandidate) -> str:
    return candidate.refused or f"a report has {candidate.bits:,} bits"
