"""Which mechanism: the smallest worst-case variance of a count, by the realized tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ldp_verified.realize import RoundedTable

AUTO = "auto"
NAMES = ("grr", "sue", "oue", "olh", "blh")
"""The frequency oracles that `collect` knows, by the names of their specs."""


def makers() -> Mapping[str, Callable[[float, int], RoundedTable]]:
    """Name -> constructor from epsilon and k."""
    from ldp_verified.mechanisms import BLH, GRR, OLH, OUE, SUE

    return {"grr": GRR, "sue": SUE, "oue": OUE, "olh": OLH, "blh": BLH}


@dataclass(frozen=True)
class Candidate:
    """One mechanism at this epsilon and k.

    Attributes:
        name: the spec's name.
        mechanism: None where these parameters cannot be realized.
        worst: largest standard error of an estimated count over the shares f in [0, 1]. The
            variance is linear in f: it lies at an end.
        rare: standard error of the count of a value that nobody holds.
        refused: why there is no mechanism.
    """

    name: str
    mechanism: RoundedTable | None
    worst: float = math.inf
    rare: float = math.inf
    refused: str = ""

    @property
    def bits(self) -> int | None:
        """Bits per report."""
        return None if self.mechanism is None else self.mechanism.bits_per_report

    def server_steps(self, n: int) -> int:
        """Steps of the server for n reports: counters raised, words added or hashes evaluated."""
        from ldp_verified.aggregate.layouts import BitLayout, HashLayout

        assert self.mechanism is not None
        layout = self.mechanism.layout
        if isinstance(layout, HashLayout):
            return n * layout.k
        if isinstance(layout, BitLayout):
            return n * -(-layout.k // 64)
        return n + layout.counters


def candidates(epsilon: float, k: int, rows: int) -> tuple[Candidate, ...]:
    """Every mechanism for n = `rows` users, the smallest worst case first, then the fewest bits.

    Raises:
        ParameterError: no mechanism takes these parameters.
    """
    found: list[Candidate] = []
    refusals: list[ParameterError] = []
    for name, make in makers().items():
        try:
            mechanism = make(epsilon, k)
        except ParameterError as error:
            found.append(Candidate(name, None, refused=str(error)))
            refusals.append(error)
            continue
        rare, held = (math.sqrt(mechanism.variance(rows, f)) for f in (0.0, 1.0))
        found.append(Candidate(name, mechanism, max(rare, held), rare))
    if len(refusals) == len(found):
        raise refusals[0]
    return tuple(sorted(found, key=lambda c: (c.worst, c.bits or math.inf)))


def choose(
    name: str, epsilon: float, k: int, rows: int
) -> tuple[RoundedTable, tuple[Candidate, ...]]:
    """The mechanism called `name`, or the best one for "auto", and what it was chosen from.

    Raises:
        ParameterError: no such mechanism, or it does not take these parameters.
    """
    if name != AUTO:
        if name not in NAMES:
            raise ParameterError("--mechanism", f"must be auto or one of {', '.join(NAMES)}", name)
        return makers()[name](epsilon, k), ()
    ranking = candidates(epsilon, k, rows)
    best = ranking[0].mechanism
    assert best is not None
    return best, ranking
