"""The running client of padding and sampling over all its words, at tiny sizes: its exact law.

All are run over all words of 64 bits; what `SamplingRappor` makes of what it samples is looked at
by itself. For planted clients classes of words are given: residues by 6 for uniform places (which
divide it), and each interval between the thresholds of a response, at both ends. That the code
looks at nothing else of a word is read by eye there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import (
    Alphabet,
    TranscriptCheck,
    between_cuts,
    check_transcripts,
    transcript_law,
)
from ldp_verified.protocols import SamplingRappor, SamplingSuccinctHistogram
from ldp_verified.protocols.padding import PaddedHashing, PaddedResponse, PaddedSampling
from ldp_verified.prove.verdicts import Status
from ldp_verified.run.kernels.family import evaluate
from ldp_verified.run.mechanisms import SUE
from tests.broken.padding import (
    BIASED,
    LEAKY,
    Client,
    Items,
    first_more_often,
    honest,
    shared_dummy,
)
from tests.registry import SAMPLER, covers

RESPONSE = PaddedResponse(math.log(4), k=3, length=2)
HASHING = PaddedHashing(math.log(4), k=3, length=2, g=3)
SETS: list[Items] = [items for size in range(4) for items in itertools.combinations(range(3), size)]


def residues(count: int) -> Alphabet:
    """The words 0, ..., count - 1: numbers that are uniform below every divisor of it."""
    return Alphabet(tuple((word, Fraction(1, count)) for word in range(count)))


def lies(protocol: PaddedSampling, outcomes: int) -> Alphabet:
    """The words of a response with so many outcomes."""
    lie = protocol.inner.thresholds[0]
    return between_cuts([number * lie for number in range(1, outcomes + 1)])


def response_words(places: int, protocol: PaddedSampling = RESPONSE) -> Callable[[int], Alphabet]:
    """Words of places, then the last one."""
    last = lies(protocol, protocol.k + protocol.length)
    return lambda index: residues(6) if index < places else last


def program(client: Client, protocol: PaddedSampling) -> Any:
    """The client as a program of one message."""

    def messages(items: Items, source: Any) -> Any:
        yield client(protocol, items, source)

    return messages


def chances(items: Items, protocol: PaddedSampling) -> dict[int, Fraction]:
    """What a set is declared to sample."""
    missing = max(protocol.length - len(items), 0)
    padded = [*items, *range(protocol.k, protocol.k + missing)]
    return dict.fromkeys(padded, Fraction(1, len(padded)))


def check(client: Client, places: int = 1) -> TranscriptCheck:
    """What the package says of a client over k-ary response, held to the realized epsilon."""
    inner = RESPONSE.inner
    bound = 1 + (inner.p / inner.q - 1) / RESPONSE.length
    words = response_words(places)
    return check_transcripts(program(client, RESPONSE), SETS, [], bound, words, places + 1)


@covers(SAMPLER, "PaddedResponse")
def test_the_client_over_response_has_exactly_the_law_that_is_declared() -> None:
    """All pairs of the eight sets: shorter, as long and longer than the length.

    Enumerated: of a place among three one word in 2^64 is drawn again.
    """
    inner = RESPONSE.inner

    def declared(items: Items, _: object, sent: Any) -> Fraction:
        ((y,),) = sent
        own = chances(items, RESPONSE).get(y, Fraction(0))
        return Fraction(inner.q + own * (inner.p - inner.q))

    bound = 1 + (inner.p / inner.q - 1) / 2
    found = check_every_word(program(honest, RESPONSE), SETS, [], bound, 3, declared)
    assert (found.status, found.largest, found.leak) == (Status.ENUMERATED, bound, None), str(found)
    assert found.unresolved == Fraction(1, 1 << 64) ** 2
    assert found.transcripts == 5
    assert math.log(bound) <= RESPONSE.realized_epsilon <= RESPONSE.epsilon


def hashed_chance(inner: Any, sampled: dict[int, Fraction], report: Any) -> Fraction:
    """The declared chance of a function's two coefficients with a bucket."""
    a, b, bucket = report
    functions = np.array([[a, b]], dtype=np.uint8)
    total = Fraction(0)
    for chosen, share in sampled.items():
        own = int(np.ravel(evaluate(functions, np.array([chosen]), inner.g))[0])
        total += share * (inner.p if own == bucket else inner.q)
    return total / int(inner.g) ** 2


@covers(SAMPLER, "PaddedHashing")
def test_the_client_over_hashing_has_exactly_the_law_that_is_declared() -> None:
    """Every function into three buckets; sampling gains nothing, as items may collide.

    Enumerated: of a function's words one in 2^63 or so is drawn again, with the one after it.
    """
    inner = HASHING.inner
    bound = inner.p / inner.q

    def declared(items: Items, _: object, sent: Any) -> Fraction:
        return hashed_chance(inner, chances(items, HASHING), *sent)

    found = check_every_word(program(honest, HASHING), SETS, [], bound, 5, declared)
    assert (found.status, found.largest, found.leak) == (Status.ENUMERATED, bound, None), str(found)
    assert 0 < found.unresolved < Fraction(1, 1 << 120)
    assert found.transcripts == 27
    assert math.log(bound) <= HASHING.realized_epsilon <= HASHING.epsilon
    # With a word less nothing shows how runs go on that draw again.
    assert check_every_word(program(honest, HASHING), SETS[:2], [], bound, 4).status is Status.OPEN


class Told:
    """In the place of a sampler: it reads no word, and tells its input."""

    def draw(self, values: Any, source: Any) -> Any:
        del source
        return np.asarray(values, dtype=np.uint8)


@covers(SAMPLER, "SamplingSuccinctHistogram")
def test_the_client_over_one_bit_has_exactly_the_law_that_is_declared() -> None:
    """Sets of two items, which are cut to one; a client that always keeps the first has not."""
    made = SamplingSuccinctHistogram(math.log(4), k=2, length=1)
    bound = made.inner.p / made.inner.q

    def declared(items: Items, _: object, sent: Any) -> Fraction:
        return hashed_chance(made.inner, chances(items, made), *sent)

    sets: list[Items] = [(), (0,), (1,), (0, 1)]
    found = check_every_word(program(honest, made), sets, [], bound, 3, declared)
    assert (found.status, found.largest) == (Status.ENUMERATED, bound), str(found)
    assert found.unresolved == 0
    assert found.transcripts == 8
    assert math.log(bound) <= made.realized_epsilon <= made.epsilon
    biased = program(BIASED["the first items are kept"], made)
    found = check_every_word(biased, [sets[-1]] * 2, [], bound, 3, declared)
    assert found.status is Status.REFUTED
    assert found.differs is not None


@covers(SAMPLER, "SamplingRappor")
def test_unary_encoding_is_handed_what_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unary encoding itself is compared with its table by its own exhaustive check."""
    made = SamplingRappor(math.log(4), k=3, length=2)
    monkeypatch.setattr(SUE, "sampler", lambda *_: Told())

    def sampled(items: Items, _: object, sent: Any) -> Fraction:
        return chances(items, made)[sent[0][0]]

    def handed(client: Client, items: Items) -> dict[Any, Fraction]:
        found = transcript_law(program(client, made), items, (), lambda _: residues(6), 1)
        assert found.unresolved == 0
        return dict(found.probabilities)

    for items in SETS:
        # The set beside itself: what is handed over is not private, and has no bound.
        found = check_every_word(program(honest, made), [items] * 2, [], Fraction(1), 3, sampled)
        assert found.status is Status.ENUMERATED, str(found)
    assert handed(shared_dummy, ()) != handed(honest, ())
    assert handed(first_more_often, (0, 1)) != handed(honest, (0, 1))
    assert made.inner.realized_epsilon == made.realized_epsilon <= made.epsilon


@pytest.mark.parametrize("name", LEAKY)
def test_clients_that_sample_a_place_too_often_are_refuted(name: str) -> None:
    found = check(LEAKY[name])
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None


@pytest.mark.parametrize("client, real", [(honest, 1.0), (shared_dummy, 2.26)])
def test_one_shared_dummy_costs_2_26_where_1_is_claimed(client: Client, real: float) -> None:
    """The empty set samples it for sure: eps' = ln(5 (e - 1) + 1). A full set never does."""
    claimed = PaddedResponse(1.0, k=5, length=5)

    def words(index: int) -> Alphabet:
        return residues(5) if index == 0 else lies(claimed, 10)

    empty, full = (
        transcript_law(program(client, claimed), items, (), words, 2).probabilities
        for items in ((), tuple(range(5)))
    )
    assert empty.keys() == full.keys()
    assert round(math.log(max(empty[y] / full[y] for y in empty)), 2) == real


def expected(client: Client, items: Items, places: int) -> list[Fraction]:
    """What a user adds to each estimated count on average, by the exact law."""
    law = transcript_law(program(client, RESPONSE), items, (), response_words(places), places + 1)
    assert law.unresolved == 0
    oracle = RESPONSE.oracle
    return [
        (law.probabilities[((v,),)] - oracle.q_star) / (oracle.p_star - oracle.q_star)
        for v in range(RESPONSE.k)
    ]


def test_a_set_counts_for_its_items_and_a_long_one_for_a_share_of_each() -> None:
    for items in SETS:
        share = min(Fraction(1), Fraction(2, max(len(items), 1)))
        assert expected(honest, items, 1) == [share if v in items else 0 for v in range(3)]
        assert RESPONSE.centre([items]).tolist() == [
            float(share) if v in items else 0.0 for v in range(3)
        ]


@pytest.mark.parametrize("name, places", [("the first items are kept", 1), ("item 0 is kept", 2)])
def test_cutting_that_prefers_an_item_is_biased_and_costs_no_more(name: str, places: int) -> None:
    client = BIASED[name]
    found = expected(client, (0, 1, 2), places)
    assert found != [Fraction(2, 3)] * 3
    assert found[0] == 1
    for items in SETS[:-1]:
        assert expected(client, items, 1) == expected(honest, items, 1)
    inner = RESPONSE.inner
    bound = 1 + (inner.p / inner.q - 1) / 2
    words = response_words(places)
    long = transcript_law(program(client, RESPONSE), (0, 1, 2), (), words, places + 1)
    for items in SETS[:-1]:
        short = transcript_law(program(client, RESPONSE), items, (), response_words(1), 2)
        for y, chance in long.probabilities.items():
            assert chance <= bound * short.probabilities[y]
            assert short.probabilities[y] <= bound * chance
