"""The running client of a wavelet of boxes over its words, at pairs of four and two: its exact law.

Over all words of 64 bits, in classes that follow from what the client asks of them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import TranscriptCheck
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


def declared(value: int) -> dict[Any, Fraction]:
    """Two functions and a uniform column, and the sign of their product, or not."""
    law: dict[Any, Fraction] = {}
    every = list(product((0, 1, 2), (0, 1)))[1:]
    for place, (i, j) in enumerate(every):
        for column, minus in product((0, 1), (0, 1)):
            sign = function(i, value >> 1, column) * (1 - 2 * (value & 1) if j else 1)
            chance = (RIGHT if (sign < 0) == bool(minus) else 1 - RIGHT) / 10
            law[((2 * (2 * place + column) + minus,),)] = chance
    return law


LAWS = {value: declared(value) for value in range(8)}


def chance(value: int, _: object, sent: Any) -> Fraction:
    """Of one transcript as declared."""
    return LAWS[value].get(sent, Fraction(0))


def check(client: Client, law: Any = None) -> TranscriptCheck:
    """What the package says of a client, held to the realized epsilon."""

    def messages(value: int, source: Any) -> Any:
        yield (client(MADE, (value >> 1, value & 1), source),)

    # With one word more, as of the levels one word in 2^64 is drawn again.
    return check_every_word(messages, range(8), [], BOUND, 4, law)


@covers(SAMPLER, "BoxWavelet")
def test_the_client_has_exactly_the_law_that_is_declared() -> None:
    found = check(honest, chance)
    assert (found.status, found.largest, found.leak) == (Status.ENUMERATED, BOUND, None), str(found)
    assert found.unresolved == Fraction(1, 1 << 64) ** 2
    assert found.transcripts == 20
    assert math.log(BOUND) <= MADE.realized_epsilon <= MADE.epsilon


@pytest.mark.parametrize("client", [levels_of_the_pair, truthful])
def test_clients_that_tell_too_much_are_refuted(client: Client) -> None:
    found = check(client)
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None


def test_a_client_of_another_law_is_seen_though_it_is_private() -> None:
    assert check(of_the_first_alone).status is Status.ENUMERATED
    found = check(of_the_first_alone, chance)
    assert found.status is Status.REFUTED
    assert found.differs is not None
