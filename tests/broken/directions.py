"""Clients and servers of vectors in a ball that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldp_verified.check.conformance.stateful_clients import ProtocolSubject
from ldp_verified.check.conformance.vectors import sphere_vector_subject
from ldp_verified.protocols import SphereVector


@dataclass(frozen=True, repr=False)
class ShortGain(SphereVector):
    """The server divides by the gain of another epsilon."""

    @property
    def gain(self) -> float:
        return SphereVector(self.epsilon * 2, self.d, self.radius, self.lines).gain


@dataclass(frozen=True, repr=False)
class NeverTurned(SphereVector):
    """Vectors are made as long as the radius, and never turned round."""

    def privatize(self, values: Any, rng: Any = None) -> Any:
        longer = np.array(values, dtype=np.float64)
        lengths = np.linalg.norm(longer, axis=1, keepdims=True)
        np.divide(longer, lengths / self.radius, out=longer, where=lengths > 0)
        return super().privatize(longer, rng)


@dataclass(frozen=True, repr=False)
class TooFavoured(SphereVector):
    """The client draws at one and a half times epsilon."""

    def privatize(self, values: Any, rng: Any = None) -> Any:
        more = SphereVector(self.epsilon * 1.5, self.d, self.radius, self.lines)
        return replace(more.privatize(values, rng), identity=self.identity)


@dataclass(frozen=True, repr=False)
class OneSeed(SphereVector):
    """Everybody has the same lines, so that estimates are no estimates of the mean."""

    def privatize(self, values: Any, rng: Any = None) -> Any:
        reports = super().privatize(values, rng)
        return replace(reports, data=reports.data & np.uint64(255))


DIRECTIONS: dict[str, tuple[Callable[[], ProtocolSubject], str]] = {
    "the gain of another epsilon": (
        lambda: sphere_vector_subject(ShortGain(1.0, 3, lines=3)),
        "estimates",
    ),
    "vectors that are never turned round": (
        lambda: sphere_vector_subject(NeverTurned(1.0, 3, lines=3)),
        "directions, length 1/4",
    ),
    "favoured directions at a larger epsilon": (
        lambda: sphere_vector_subject(TooFavoured(1.0, 3, lines=3)),
        "directions, length 1",
    ),
    "one seed for all lines": (
        lambda: sphere_vector_subject(OneSeed(1.0, 3, lines=3)),
        "directions, length 1",
    ),
}
"""What is wrong -> how the subject is made, and the start of the name of a look that shows it."""
