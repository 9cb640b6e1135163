"""Sketches of strings that are wrong: a function of first letters, collisions left in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.oracle import Counters, Estimator, Floats


def first_letters(text: str) -> int:
    """The first four bytes: many strings have the same."""
    return int.from_bytes(text.encode()[:4].ljust(4, b"\0"))


@dataclass(frozen=True)
class WithCollisions:
    """An estimator that leaves in what other strings of a bucket add, as count-min sketches do."""

    oracle: Estimator
    buckets: int

    def __getattr__(self, name: str) -> Any:
        return getattr(self.oracle, name)

    def estimated(self, n: int, counters: Counters) -> Floats:
        """As the package, and n users spread over the buckets more."""
        return self.oracle.estimated(n, counters) + n / self.buckets


def with_collisions(found: Estimate, buckets: int) -> Estimate:
    """The same estimate, uncorrected."""
    made: Any = WithCollisions(found.oracle, buckets)
    return type(found)(made, found.n, found.support_counts, found.simulated, found.labels)
