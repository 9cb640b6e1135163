"""The ranking of frequency oracles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ldp_verified.app.report.output import Json, Part, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.deploy.collect.choose import MechanismCandidate


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
    distinct, same = _grouped(ranked, users)
    for place, candidate in enumerate(distinct, 1):
        rows.add_row(
            str(place),
            candidate.name,
            f"{candidate.rare:,.4g}",
            f"{candidate.worst:,.4g}",
            f"{candidate.fakes:,.3g}",
            f"{candidate.bits:,}",
            f"{candidate.server_steps(users):,}",
        )
    yield rows
    yield Text(f"Standard errors of an estimated count for {users:,} users.")
    yield Text("Share by 1 % fakes: what these add to the share of a value that nobody holds.")
    for name, first in same.items():
        yield Text(f"{name}: every figure is that of {first}")
    for note, names in _notes(distinct).items():
        yield Text(f"{', '.join(names)}: {note}.")
    for candidate in left_out:
        yield Text(f"{candidate.name} left out: {_why(candidate)}")


def document(
    ranked: Sequence[MechanismCandidate], left_out: Sequence[MechanismCandidate], users: int
) -> dict[str, Json]:
    """{"n": ..., "ranking": [...], "same_figures": {...}, "notes": {...}, "left_out": [...]}.

    A mechanism with every figure of one before it is not ranked again, but named with it.
    """
    distinct, same = _grouped(ranked, users)
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
        "same_figures": dict(same),
        "notes": {name: note for note, names in _notes(distinct).items() for name in names},
        "left_out": [{"mechanism": c.name, "why": _why(c)} for c in left_out],
    }


def _grouped(
    ranked: Sequence[MechanismCandidate], users: int
) -> tuple[list[MechanismCandidate], dict[str, str]]:
    """Candidates of different figures, and other name -> name of the first with its figures."""
    first: dict[tuple[float, ...], MechanismCandidate] = {}
    same = {}
    for candidate in ranked:
        one = first.setdefault(candidate.figures(users), candidate)
        if one is not candidate:
            same[candidate.name] = one.name
    return list(first.values()), same


def _notes(ranked: Sequence[MechanismCandidate]) -> dict[str, list[str]]:
    """Return the remarks on candidates -> the names that each concerns."""
    found: dict[str, list[str]] = {}
    for candidate in ranked:
        if candidate.note:
            found.setdefault(candidate.note, []).append(candidate.name)
    return found


def _why(candidate: MechanismCandidate) -> str:
    return candidate.refused or f"a report has {candidate.bits:,} bits"
