"""The sign-matrix oracle against its box: one sign of a user, and sums of them.

Columns are the package's (a block cipher); the sign of a value under one is worked out here.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.estimate_laws import USERS, estimates_law
from ldp_verified.check.conformance.grouped import (
    POPULATION_SHARE,
    truth,
    whole,
)
from ldp_verified.check.conformance.stateful_clients import (
    BULK_LIMIT,
    BULK_SHARE,
    CLIENT_LIMIT,
    ProtocolSubject,
    Scene,
    differing,
    estimates_look,
    law,
    tallied,
)
from ldp_verified.protocols import SignMatrix, SignReports, SignState

if TYPE_CHECKING:
    from ldp_verified.check.conformance.decode import Codes


def signs_subject(made: SignMatrix) -> ProtocolSubject:
    """Signs of users who hold one of two values, estimates, and the law of these."""
    return ProtocolSubject(repr(made), (_signs(made), _populations(made)))


def _held(made: SignMatrix) -> list[Any]:
    return ["", "caffè"] if made.bits is None else [0, (1 << made.bits) - 1]


def _agree(made: SignMatrix, reports: SignReports, value: int) -> Codes:
    """1 for each report of the sign of this value, 0 for the other one, -1 for none."""
    columns = [whole(column) for column in made.columns(reports.numbers)]
    own = np.array([(column & value).bit_count() & 1 for column in columns], dtype=np.int64)
    said = reports.signs.astype(np.int64)
    return np.where((said == 0) | (said == 1), (said == own).astype(np.int64), -1)


def _signs(made: SignMatrix) -> Scene:
    held = _held(made)
    encoded = [whole(words) for words in made.encode(held)]
    p = truth(made)
    looks = [law(f"signs of {value!r}", {"another": 1 - p, "the own": p}) for value in held]
    names = ["estimate of what is held", "its error", "estimate of what nobody holds", "its error"]
    estimates = estimates_look(names)

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        found: list[Codes] = []
        batches = [made.privatize([value] * users, rng) for value in held]
        for look, batch, number in zip(looks, batches, encoded, strict=True):
            found.append(tallied(_agree(made, batch, number), look))
        reports = batches[-1]
        stated = SignState(made, simulated=True).update(reports).estimate(held[::-1])
        right: list[float] = []
        for number in encoded[::-1]:
            c = int((_agree(made, reports, number) == 1).sum())
            gain = float(p) - 0.5
            count = (c - users / 2) / gain
            f = min(1.0, max(0.0, count / users))
            spread = ((1 - f) / 4 + f * float(p * (1 - p))) / gain**2
            right += [count, (users * spread) ** 0.5]
        pairs = zip(stated.counts, stated.std_error, strict=True)
        return [*found, differing([float(x) for pair in pairs for x in pair], right, users)]

    return Scene("signs", (*looks, estimates), run, BULK_SHARE, BULK_LIMIT)


def _populations(made: SignMatrix) -> Scene:
    value = _held(made)[1]
    reporting = {USERS: Fraction(1)}
    p = truth(made)
    look, edges = estimates_law(reporting, p, Fraction(1, 2), f"{value!r}, held by all")

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        reports = made.privatize([value] * users, rng)
        tally = np.zeros(len(look.labels), dtype=np.int64)
        for first in range(0, users // USERS * USERS, USERS):
            part = slice(first, first + USERS)
            some = SignReports(
                reports.identity, reports.numbers[part], reports.signs[part], reports.simulated
            )
            count = SignState(made, simulated=True).update(some).estimate([value]).counts[0]
            tally[int(np.searchsorted(edges, count))] += 1
        return [tally]

    return Scene("populations", (look,), run, POPULATION_SHARE, CLIENT_LIMIT)
