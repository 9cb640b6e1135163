"""The running client of a wavelet of boxes over its words, at pairs of four and two: its exact law.

Words are 64 bits wide, so classes of them are run: residues for the levels and for the column, and
both sides of the threshold. That the code looks at nothing else of a word is read by eye.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.conformance.transcripts import (
    Alphabet,
    TranscriptCheck,
    between_cuts,
    check_transcripts,
)
from ldp_verified.protocols import BoxWavelet
from ldp_verified.prove.verdicts import Status
from tests.broken.boxes import honest, levels_of_the_pair, of_the_first_alone, truthful
from tests.registry import SAMPLER, covers

if TYPE_CHECKING:
    from tests.broken.boxes import Client

MADE = BoxWavelet(math.log(3), (4, 2))
RIGHT = MADE.response.p_star
BOUND = RIGHT / (1 - RIGHT)


def function(level: int, value: int, column: int) -> int:
    """Of one of four values: 1, the sign at the root, or that at a node times the column's."""
    return (1, 1 - 2 * (value >> 1), (1 - 2 * (value & 1)) * (1 - 2 * (column & value >> 1)))[level]


def words(index: int) -> Alphabet:
    """Levels, a column, the sign."""
    if index < 2:
        count = (5, 2)[index]
        return Alphabet(tuple((word, Fraction(1, count)) for word in range(count)))
    lie = MADE.response.thresholds[0]
    return between_cuts([lie, 2 * lie])


def declared(value: int, _: object) -> dict[Any, Fraction]:
    """Two functions and a uniform column, and the sign of their product, or not."""
    law: dict[Any, Fraction] = {}
    every = list(product((0, 1, 2), (0, 1)))[1:]
    for place, (i, j) in enumerate(every):
        for column, minus in product((0, 1), (0, 1)):
            sign = function(i, value >> 1, column) * (1 - 2 * (value & 1) if j else 1)
            chance = (RIGHT if (sign < 0) == bool(minus) else 1 - RIGHT) / 10
            law[((2 * (2 * place + column) + minus,),)] = chance
    return law


def check(client: Client, law: Any = None) -> TranscriptCheck:
    """What the package says of a client, held to the realized epsilon."""

    def messages(value: int, source: Any) -> Any:
        yield (client(MADE, (value >> 1, value & 1), source),)

    return check_transcripts(messages, range(8), [], BOUND, words, 3, law)


@covers(SAMPLER, "BoxWavelet")
def test_the_client_has_exactly_the_law_that_is_declared() -> None:
    found = check(honest, declared)
    assert (found.status, found.largest, found.leak) == (Status.ASSUMED, BOUND, None)
    assert found.transcripts == 20
    assert math.log(BOUND) <= MADE.realized_epsilon <= MADE.epsilon


@pytest.mark.parametrize("client", [levels_of_the_pair, truthful])
def test_clients_that_tell_too_much_are_refuted(client: Client) -> None:
    found = check(client)
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None


def test_a_client_of_another_law_is_seen_though_it_is_private() -> None:
    assert check(of_the_first_alone).status is Status.ASSUMED
    found = check(of_the_first_alone, declared)
    assert found.status is Status.REFUTED
    assert found.differs is not None
