"""The running client of padding and sampling over all its words, at tiny sizes: its exact law.

Places and k-ary response are run over all words of 64 bits. Where hash functions are drawn, and for
planted clients, classes of words are given: residues by 6 for uniform places (which divide it),
each coefficient of a function, and each interval between the thresholds of a response, at both
ends. That the code looks at nothing else of a word is read by eye there.
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


def hashing_words(index: int) -> Alphabet:
    """A place; two base-3 coefficients in one word; a bucket."""
    if index == 0:
        return residues(6)
    if index == 1:
        share = (1 << 64) // 9
        return Alphabet(tuple((number * share, Fraction(1, 9)) for number in range(9)))
    return lies(HASHING, 3)


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


def buckets_of(a: int, b: int) -> list[int]:
    """The buckets of the five values under the function with these coefficients."""
    functions = np.array([[a, b]], dtype=np.uint8)
    return [int(np.ravel(evaluate(functions, np.array([v]), 3))[0]) for v in range(5)]


@covers(SAMPLER, "PaddedHashing")
def test_the_client_over_hashing_has_exactly_the_law_that_is_declared() -> None:
    """Every function into three buckets; sampling gains nothing, as items may collide."""
    inner = HASHING.inner

    def declared(items: Items, _: object) -> dict[Any, Fraction]:
        law: dict[Any, Fraction] = {}
        for a, b, bucket in itertools.product(range(3), repeat=3):
            row = buckets_of(a, b)
            total = sum(
                (
                    share * (inner.p if row[chosen] == bucket else inner.q)
                    for chosen, share in chances(items, HASHING).items()
                ),
                Fraction(0),
            )
            law[((a, b, bucket),)] = total / 9
        return law

    bound = inner.p / inner.q
    found = check_transcripts(program(honest, HASHING), SETS, [], bound, hashing_words, 3, declared)
    assert (found.status, found.largest, found.leak) == (Status.ASSUMED, bound, None)
    assert math.log(bound) <= HASHING.realized_epsilon <= HASHING.epsilon


class Told:
    """In the place of a sampler: it reads no word, and tells its input."""

    def draw(self, values: Any, source: Any) -> Any:
        del source
        return np.asarray(values, dtype=np.uint8)


def bit_law(client: Client, items: Items) -> tuple[dict[Any, Fraction], dict[Any, Fraction]]:
    """The law of a client over one bit of two items and a dummy, and the declared one."""
    made = SamplingSuccinctHistogram(math.log(4), k=2, length=1)
    pairs = itertools.product((0, 1), repeat=2)
    functions = Alphabet(tuple((a + (b << 8), Fraction(1, 4)) for a, b in pairs))
    order = [residues(2), functions, lies(made, 2)]
    found = transcript_law(program(client, made), items, (), order.__getitem__, 3)
    assert found.unresolved == 0
    inner = made.inner
    assert math.log(inner.p / inner.q) <= made.realized_epsilon <= made.epsilon
    declared: dict[Any, Fraction] = {}
    for a, b, bucket in itertools.product(range(2), repeat=3):
        row = np.array([[a, b]], dtype=np.uint8)
        for place, share in chances(items, made).items():
            own = int(np.ravel(evaluate(row, np.array([place]), 2))[0])
            key = ((a, b, bucket),)
            chance = share * (inner.p if own == bucket else inner.q) / 4
            declared[key] = declared.get(key, Fraction(0)) + chance
    return dict(found.probabilities), declared


@covers(SAMPLER, "SamplingSuccinctHistogram")
def test_the_client_over_one_bit_has_exactly_the_law_that_is_declared() -> None:
    """Sets of two items, which are cut to one; a client that always keeps the first has not."""
    for items in [(), (0,), (1,), (0, 1)]:
        found, declared = bit_law(honest, items)
        assert found == declared
    found, declared = bit_law(BIASED["the first items are kept"], (0, 1))
    assert found != declared


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
