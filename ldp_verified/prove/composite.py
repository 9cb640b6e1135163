"""Combine the verdicts on a composite's parts, with the theorem about its epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ldp_verified.kinds import Kind
from ldp_verified.language.composites import Composite
from ldp_verified.language.mechanism import Mechanism
from ldp_verified.prove.verdict_algebra import weakest
from ldp_verified.prove.verdicts import Status, Verdict, Verification
from ldp_verified.prove.verify import verify

_NEEDED = (Kind.RATIO, Kind.NONNEGATIVE, Kind.SUMS_TO_ONE)


@dataclass(frozen=True)
class CompositeVerdict:
    """The verdict on a composite's epsilon.

    Attributes:
        epsilon: of the whole. theorem: from which it follows; proved in Coq for all randomizers.
        status: the weakest status of what it rests on; never stronger than any part's.
        parts: (name of the part, verdict) for the claims of epsilon and the laws that it rests on.
    """

    epsilon: Any
    theorem: str
    status: Status
    parts: tuple[tuple[str, Verdict], ...]


def verify_composite(composite: Composite, largest: int = 8, **options: Any) -> CompositeVerdict:
    """Verify the parts of a composite, and say what follows.

    Args:
        composite: the declaration. largest: as in `verify`. options: of `verify`, such as smt.

    Returns:
        The weakest of the verdicts on the parts' epsilons and distributions.
    """
    found: list[tuple[str, Verdict]] = []
    # By identity: another claim may stand under the same name, from the same file.
    verified: dict[Mechanism, Verification] = {}
    for part, claim in composite.claims:
        if part not in verified:
            verified[part] = verify(part, largest, **options)
        found.extend(
            (part.name, each)
            for each in verified[part].verdicts
            if each.obligation in _NEEDED and each.claim in (None, claim)
        )
    status = weakest([each.status for _, each in found])
    return CompositeVerdict(composite.epsilon, composite.theorem, status, tuple(found))
