"""The running client of parities over its words, at all records of two bits: its exact law.

All 64-bit words are run, in classes that follow from what the client asks of them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import TranscriptCheck
from ldp_verified.protocols import ParityTables
from ldp_verified.prove.verdicts import Status
from tests.broken.parities import any_of_them, honest, one_word_of_all, set_of_the_record, truthful
from tests.registry import SAMPLER, covers

if TYPE_CHECKING:
    from tests.broken.parities import Client

MADE = ParityTables(math.log(3), ("a", "b"))
RIGHT = MADE.response.p_star
BOUND = RIGHT / (1 - RIGHT)
WORDS = 4
"""Two for a report, and two for words of the set's that are drawn again: one of 2^64 is."""


def declared(record: int, _: object) -> dict[Any, Fraction]:
    """A uniform set, and its parity there or the other one."""
    law: dict[Any, Fraction] = {}
    for place, bits in enumerate((1, 2, 3)):
        for odd in (0, 1):
            true = (record & bits).bit_count() % 2 == odd
            law[((2 * place + odd,),)] = (RIGHT if true else 1 - RIGHT) / 3
    return law


def chance_by(law: Any) -> Any:
    """The chance of one transcript by a law of all of them."""
    return law and (lambda record, history, sent: law(record, history).get(sent, 0))


def check(client: Client, law: Any = None) -> TranscriptCheck:
    """What the package says of a client, held to the realized epsilon."""

    def messages(record: int, source: Any) -> Any:
        yield (client(MADE, record, source),)

    return check_every_word(messages, range(4), [], BOUND, WORDS, chance_by(law))


@covers(SAMPLER, "ParityTables")
def test_the_client_has_exactly_the_law_that_is_declared() -> None:
    found = check(honest, declared)
    assert (found.status, found.largest, found.leak) == (Status.ENUMERATED, BOUND, None)
    assert found.transcripts == 6
    assert found.unresolved == Fraction(1, 1 << 64) ** (WORDS - 1)
    assert math.log(BOUND) <= MADE.realized_epsilon <= MADE.epsilon


@pytest.mark.parametrize("client", [set_of_the_record, truthful, one_word_of_all])
def test_clients_that_tell_too_much_are_refuted(client: Client) -> None:
    found = check(client)
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None


def test_a_client_of_another_law_is_seen_though_it_is_private() -> None:
    assert check(any_of_them).status is Status.ENUMERATED
    found = check(any_of_them, declared)
    assert found.status is Status.REFUTED
    assert found.differs is not None
