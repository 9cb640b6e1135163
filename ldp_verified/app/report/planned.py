"""The answer to a plan: the users, or the epsilon, that each frequency oracle needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from ldp_verified.app.report.choice import by_figures, named
from ldp_verified.app.report.output import Json, Part, table
from ldp_verified.deploy.collect.plan import LARGEST_EPSILON, MOST_USERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.deploy.collect.ranking import RankedPlan, Wish


class PlannedAnswer(NamedTuple):
    """Plans, best first, and what was asked.

    Attributes:
        plans: of every mechanism. wish: what was asked.
        for_epsilon: whether the epsilon was asked for, not the users.
    """

    plans: Sequence[RankedPlan]
    wish: Wish
    for_epsilon: bool

    @property
    def question(self) -> str:
        """The question in a sentence."""
        error, detect, level, share, quantile = self.wish
        if detect is not None:
            return (
                f"A value that a share {detect:g} holds is above what values nobody holds "
                f"reach, each with probability {level:g}."
            )
        if quantile is not None:
            return (
                f"Below a border between ordered values, under which a share {quantile:g} of the "
                f"users lies, the estimated share is within {error:g} of that with probability "
                f"{level:g}, wherever the border is."
            )
        held = (
            "whatever share of the users holds it"
            if share is None
            else f"where a share {share:g} of the users holds it"
        )
        return (
            f"The estimated share of one value is within {error:g} of its share among the "
            f"users with probability {level:g}, {held}."
        )

    @property
    def able(self) -> list[RankedPlan]:
        """The plans that do what was asked, best first."""
        return [p for p in self.plans if p.need is not None and p.need.users is not None]

    @property
    def limit(self) -> str:
        """Say what was tried, where nothing is enough."""
        if self.for_epsilon:
            return f"no epsilon up to {LARGEST_EPSILON:g}"
        return f"no number of users up to {MOST_USERS:,}"

    @property
    def first(self) -> str:
        """The answer in a sentence."""
        if not self.able:
            return f"Nothing does this: {self.limit} is enough for any mechanism."
        best = self.able[0]
        assert best.need is not None
        if self.for_epsilon:
            return f"The least epsilon is {best.epsilon:.4g}, with {best.name}."
        return f"The fewest users are {best.need.users:,}, with {best.name}."


def terminal(answer: PlannedAnswer) -> Iterator[Part]:
    """The answer, the ranking, what the columns mean, and what no number is enough for."""
    numbers = ("bits per report", "epsilon", "users", "users, guaranteed")
    rows = table("", "mechanism", *numbers, right=numbers)
    able = answer.able
    yield Text(answer.question)
    yield Text(answer.first)
    same = by_figures(able, lambda plan: (plan.bits, plan.epsilon, plan.need))
    for place, (plan, *others) in enumerate(same, 1):
        assert plan.need is not None
        guaranteed = plan.need.guaranteed
        rows.add_row(
            str(place),
            named(plan.name, [other.name for other in others]),
            f"{plan.bits:,}",
            f"{plan.epsilon:.4g}",
            f"{plan.need.users:,}",
            f"over {MOST_USERS:,}" if guaranteed is None else f"{guaranteed:,}",
        )
    if able:
        yield rows
    yield Text(
        "What the columns mean:\n"
        "  users: how many are needed, by normal approximation.\n"
        "  users, guaranteed: how many are enough without it, by Bernstein's inequality; of "
        "sketches, whose rows are drawn once, by Chebyshev's."
    )
    if answer.wish.quantile is not None:
        yield Text(
            "Of hash functions and sketches the errors of a sum are only bounded, by the sum of "
            "the errors of its values."
        )
    reasons: dict[str, list[str]] = {}
    for plan in answer.plans:
        if plan not in able:
            reasons.setdefault(plan.refused or f"{answer.limit} is enough", []).append(plan.name)
    for reason, names in reasons.items():
        yield Text(f"{', '.join(names)}: {reason}.")


def document(answer: PlannedAnswer) -> dict[str, Json]:
    """{"question": ..., "answer": ..., "plans": [...]}; null where nothing is enough."""
    return {
        "question": answer.question,
        "answer": answer.first,
        "plans": [
            {
                "mechanism": p.name,
                "bits_per_report": p.bits,
                "epsilon": p.epsilon,
                "users": None if p.need is None else p.need.users,
                "users_guaranteed": None if p.need is None else p.need.guaranteed,
                "theorem": None if p.need is None else p.need.theorem,
                "refused": p.refused or None,
            }
            for p in answer.plans
        ],
    }
