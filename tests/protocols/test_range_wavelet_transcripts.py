"""The running client of a wavelet over its words, at four values: its exact law.

All 64-bit words are run, in classes that follow from what the client asks of them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import (
    TranscriptCheck,
)
from ldp_verified.protocols import RangeWavelet
from ldp_verified.prove.verdicts import Status
from tests.broken.ranges import column_of_the_node, honest_sign, truthful_sign, without_the_half
from tests.registry import SAMPLER, covers

if TYPE_CHECKING:
    from tests.broken.ranges import WaveClient

WAVELET = RangeWavelet(math.log(3), 4)
RIGHT = WAVELET.response.p_star
BOUND = RIGHT / (1 - RIGHT)


def declared(value: int, _: object) -> dict[Any, Fraction]:
    """Level by level: a uniform column, and the half of the node with the entry there, or not."""
    law: dict[Any, Fraction] = {}
    for level in (0, 1):
        node = value >> (2 - level)
        half = value >> (1 - level) & 1
        for column in range(1 << level):
            for minus in (0, 1):
                true = ((node & column).bit_count() + half) % 2 == minus
                chance = (RIGHT if true else 1 - RIGHT) / 2 / (1 << level)
                law[((2 * ((1 << level) - 1 + column) + minus,),)] = chance
    return law


def chance_by(law: Any) -> Any:
    """The chance of one transcript by a law of all of them."""
    return law and (lambda value, history, sent: law(value, history).get(sent, 0))


def check(client: WaveClient, law: Any = None) -> TranscriptCheck:
    """What the package says of a client, held to the realized epsilon."""

    def messages(value: int, source: Any) -> Any:
        yield (client(WAVELET, value, source),)

    return check_every_word(messages, range(4), [], BOUND, 3, chance_by(law))


@covers(SAMPLER, "RangeWavelet")
def test_the_client_has_exactly_the_law_that_is_declared() -> None:
    found = check(honest_sign, declared)
    assert (found.status, found.largest, found.leak) == (Status.ENUMERATED, BOUND, None)
    assert found.transcripts == 6
    assert math.log(BOUND) <= WAVELET.realized_epsilon <= WAVELET.epsilon


@pytest.mark.parametrize("client", [column_of_the_node, truthful_sign])
def test_clients_that_tell_too_much_are_refuted(client: WaveClient) -> None:
    found = check(client)
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None
    assert found.largest is None


def test_a_client_of_another_law_is_seen_though_it_is_private() -> None:
    assert check(without_the_half).status is Status.ENUMERATED
    found = check(without_the_half, declared)
    assert found.status is Status.REFUTED
    assert found.differs is not None
