"""The answer to a plan of heavy hitters: what each protocol finds, or the users that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from ldp_verified.app.report.output import Json, Part, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.deploy.collect.hitters import SearchPlan


class Found(NamedTuple):
    """Plans, best first, and what was asked.

    Attributes:
        plans: of every protocol. miss: the chance that a value of that share is missed.
        share: whose users were asked for; None where the share was asked for.
    """

    plans: Sequence[SearchPlan]
    miss: float
    share: float | None

    @property
    def able(self) -> list[SearchPlan]:
        """The plans that find anything, best first."""
        return [plan for plan in self.plans if plan.finds]

    @property
    def first(self) -> str:
        """The answer in a sentence."""
        if not self.able:
            asked = "anything" if self.share is None else f"a value that a share {self.share:g} has"
            return f"No protocol finds {asked}."
        best = self.able[0]
        if self.share is None:
            return f"{best.settings} {_predicted(best)}, and {_promised(best)}."
        return f"{best.settings} needs {best.users:,} users for a value of a share {self.share:g}."


def terminal(found: Found) -> Iterator[Part]:
    """The answer, the ranking, what its columns mean, and what finds nothing."""
    numbers = ("predicted share", "promised share", "users", "bits per report", "rounds")
    rows = table("", "protocol", *numbers, right=numbers)
    for place, plan in enumerate(found.able, 1):
        bits = "by round" if plan.bits_per_report is None else f"{plan.bits_per_report:,}"
        rows.add_row(
            str(place),
            plan.settings,
            "no prediction" if plan.predicted is None else _share(plan.predicted),
            _share(plan.share),
            f"{plan.users:,}",
            bits,
            str(plan.rounds),
        )
    yield Text(found.first)
    if found.able:
        yield rows
    yield Text(
        "Predicted share: found with probability 1/2 by a search without further arguments, so at "
        "most 16 values and only what stands out, in a population of many values, by stated "
        "variances and the normal law, without collisions; no bound. "
        "Promised share: a value that so many hold is missed with a chance of at most "
        f"{found.miss:g}, whatever the others hold; argued, and of some protocols for a value "
        "alone in its cell: docs/protocols.md. Measured: benchmarks/HEAVY_HITTERS.md."
    )
    reasons: dict[str, list[str]] = {}
    for plan in found.plans:
        if not plan.finds:
            reasons.setdefault(_why(plan), []).append(plan.name)
    for reason, names in reasons.items():
        yield Text(f"{', '.join(names)}: {reason}.")


def document(found: Found) -> dict[str, Json]:
    """{"answer": ..., "miss": ..., "plans": [...]}; null where nothing is found or predicted."""
    return {
        "answer": found.first,
        "miss": found.miss,
        "plans": [
            {
                "protocol": plan.name,
                "settings": plan.settings or None,
                "predicted_share": _finite(plan.predicted) if plan.finds else None,
                "share": _finite(plan.share) if plan.finds else None,
                "users": plan.users,
                "bits_per_report": plan.bits_per_report,
                "rounds": None if plan.protocol is None else plan.rounds,
                "why_not": None if plan.finds else _why(plan),
            }
            for plan in found.plans
        ],
    }


def _finite(share: float | None) -> float | None:
    return share if share is not None and share <= 1 else None


def _share(share: float) -> str:
    return f"{share:.3g}" if share <= 1 else "-"


def _predicted(plan: SearchPlan) -> str:
    if plan.predicted is None:
        return "has no prediction"
    if plan.predicted > 1:
        return "is predicted to find none"
    share = f"{plan.predicted:.3g} of the users"
    return f"is predicted to find every second value of a share {share}"


def _promised(plan: SearchPlan) -> str:
    if plan.share > 1:
        return "promises to find none"
    return f"promises to find one of {plan.share:.3g}"


def _why(plan: SearchPlan) -> str:
    if plan.refused:
        return plan.refused
    if plan.users is None:
        return "2^40 users are too few"
    return "not even a value that all users hold is found"
