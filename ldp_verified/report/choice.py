"""The ranking of frequency oracles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ldp_verified.report.output import Json, Part, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.collect.choose import Candidate


def terminal(
    ranked: Sequence[Candidate], left_out: Sequence[Candidate], users: int
) -> Iterator[Part]:
    """The ranking, then what was left out and why."""
    rows = table(
        "",
        "mechanism",
        "std error, rare value",
        "std error, worst share",
        "bits per report",
        "server steps",
        right=(
            "std error, rare value",
            "std error, worst share",
            "bits per report",
            "server steps",
        ),
    )
    for place, candidate in enumerate(ranked, 1):
        rows.add_row(
            str(place),
            candidate.name,
            f"{candidate.rare:,.4g}",
            f"{candidate.worst:,.4g}",
            f"{candidate.bits:,}",
            f"{candidate.server_steps(users):,}",
        )
    yield rows
    yield Text(f"Standard errors of an estimated count for {users:,} users.")
    for candidate in left_out:
        yield Text(f"{candidate.name} left out: {_why(candidate)}")


def document(
    ranked: Sequence[Candidate], left_out: Sequence[Candidate], users: int
) -> dict[str, Json]:
    """{"n": ..., "ranking": [...], "left_out": [...]}."""
    return {
        "n": users,
        "ranking": [
            {
                "mechanism": c.name,
                "std_error_rare": c.rare,
                "std_error_worst": c.worst,
                "bits_per_report": c.bits,
                "server_steps": c.server_steps(users),
            }
            for c in ranked
        ],
        "left_out": [{"mechanism": c.name, "why": _why(c)} for c in left_out],
    }


def _why(candidate: Candidate) -> str:
    return candidate.refused or f"a report has {candidate.bits:,} bits"
