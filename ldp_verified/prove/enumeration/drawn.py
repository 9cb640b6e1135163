"""The expanded table at points that nobody could know beforehand.

The points of `points.py` are fixed, so a false claim can be made that holds at all of them. These
come from the operating system's randomness; the seed is kept, and gives the same points again.
Nothing is proved by them: they refute or stay silent.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import ParameterError
from ldp_verified.kinds import Kind
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.points import (
    LARGEST,
    Values,
    admitted,
    candidates,
    describe,
    inside,
    structure_symbols,
)
from ldp_verified.prove.enumeration.witnesses import Places

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.language.parameters import Domain
    from ldp_verified.prove.enumeration.witnesses import PointFinding

MOST = 12
"""Points with sizes up to those that are enumerated anyway."""

STEPS = (1, 2, 4, 8, 16, 32)
"""By how much the sizes beyond those grow, from one point to the next."""

SECONDS = 1.0
"""Time for the points of one mechanism; one is looked at whatever it takes."""

SHARES = 2**24
"""A real is drawn among so many: where a claim fails but at the zeros of a polynomial of degree d,
a point misses that with a chance of about d in so many."""

_TRIES = 40
_SEED = re.compile(r"[0-9a-f]{1,64}")


@dataclass(frozen=True)
class PointDrawing:
    """The seed and the time limit of drawn points.

    Attributes:
        seed: hexadecimal digits.
        seconds: after which no further point is taken; None takes all of them, for a replay.
    """

    seed: str = field(default_factory=lambda: os.urandom(16).hex())
    seconds: float | None = SECONDS


@dataclass(frozen=True)
class DrawnPoints:
    """The findings at drawn points.

    Attributes:
        seed: gives the same points again. points: those at which the table was written out.
        against: (claim, obligation) -> the first finding with a witness.
    """

    seed: str
    points: tuple[Values, ...] = ()
    against: Mapping[tuple[int | None, str], PointFinding] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The points and the seed in words."""
        return f"{describe(list(self.points))}, drawn with the seed {self.seed}"


def drawing(seed: str | None = None, name: str = "points_seed") -> PointDrawing:
    """Fresh points, or those of a seed.

    Args:
        seed: as an earlier run named it; None takes one from the operating system.
        name: of the argument, for the error.

    Raises:
        ParameterError: the seed is no hexadecimal number of 1 to 64 digits.
    """
    if seed is None:
        return PointDrawing()
    if _SEED.fullmatch(seed) is None:
        raise ParameterError(name, "must be 1 to 64 digits of 0-9 and a-f", seed)
    return PointDrawing(seed, None)


def look(
    mechanism: Mechanism,
    source: PointDrawing,
    largest: int = LARGEST,
    places: Places | None = None,
) -> DrawnPoints:
    """Recompute the claims from the expanded table at drawn points.

    Args:
        mechanism: the declaration. source: of the points.
        largest: up to which sizes are enumerated anyway; some points lie beyond.
        places: keeps what is written out.
    """
    places = places or Places(mechanism)
    end = None if source.seconds is None else time.monotonic() + source.seconds
    too_slow = False
    found: dict[tuple[int | None, str], PointFinding] = {}
    seen: list[Values] = []
    for point, beyond in drawn_points(mechanism, source.seed, largest):
        start = time.monotonic()
        if end is not None and seen and start >= end:
            break
        if beyond and too_slow:
            continue
        findings = enumerate_obligations(mechanism, at=[point], optima=False, places=places)
        written = any(each.obligation != Kind.HOLDS for each in findings)
        if findings:
            seen.append(point)
        for each in findings:
            if each.witness is not None:
                sizes = f"{each.sizes}; drawn with the seed {source.seed}"
                found.setdefault((each.claim, each.obligation), replace(each, sizes=sizes))
        # The next one beyond may take many times as long: a table of bits doubles with each.
        slow = end is not None and 4 * (time.monotonic() - start) > (source.seconds or 0)
        too_slow |= beyond and (slow or not written)
    return DrawnPoints(source.seed, tuple(seen), found)


def drawn_points(
    mechanism: Mechanism, seed: str, largest: int = LARGEST
) -> Iterator[tuple[Values, bool]]:
    """The points of a seed, and which lie beyond `largest`: by turns, those in growing sizes.

    They are always the same ones for a mechanism of that name and domain.
    """
    digest = sha256(f"{seed}:{mechanism.name}".encode()).digest()
    source = random.Random(int.from_bytes(digest))
    _, determined = structure_symbols(mechanism.algebraic_table)
    domains = {s: d for s, d in mechanism.variables.items() if s not in determined}
    if not domains:
        return
    steps = STEPS if any(domain.integer for domain in domains.values()) else ()
    low = largest
    for turn in range(MOST):
        point = _point(mechanism, domains, source, 0, largest)
        if point is not None:
            yield point, False
        if turn < len(steps):
            high = low + steps[turn]
            point = _point(mechanism, domains, source, low, high)
            if point is not None:
                yield point, True
            low = high


def _point(
    mechanism: Mechanism, domains: Mapping[Any, Domain], source: random.Random, low: int, high: int
) -> Values | None:
    """A point whose largest integer lies above `low`, and none above `high` that need not.

    None where none is found.
    """
    for _ in range(_TRIES):
        point: Values = {}
        for symbol, domain in domains.items():
            options = sorted(candidates(domain, point, high))
            if not options:
                break
            point[symbol] = (
                source.choice(options) if domain.integer else _real(domain, options, source)
            )
        else:
            large = max((point[s] for s, d in domains.items() if d.integer), default=Fraction(0))
            if (
                (not low or large > low)
                and admitted(mechanism.algebraic_table, point)
                and inside(mechanism, point)
            ):
                return point
    return None


def _real(domain: Domain, options: list[Fraction], source: random.Random) -> Fraction:
    """A real between two candidates next to each other, or beyond the last one."""
    share = Fraction(source.randrange(1, SHARES), SHARES)
    place = source.randrange(len(options))
    first = options[place]
    if place + 1 < len(options):
        return first + share * (options[place + 1] - first)
    return first if domain.upper is not None else first + share * (1 + abs(first))
