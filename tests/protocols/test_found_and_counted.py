"""Two reports of each user, one that finds and one that counts: their law, and its price."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from ldp_verified.check.conformance.transcripts import Alphabet, check_transcripts
from ldp_verified.errors import ParameterError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import group, x
from ldp_verified.protocols import SequenceFragments, SuccinctHistogram
from ldp_verified.prove import Status, verify_protocol
from ldp_verified.prove.transcripts import enumerate_transcripts
from tests.broken.transcripts import PAIR_CLIENTS
from tests.protocols.whole_messages import over_all_words
from tests.registry import SAMPLER, covers

QUICK: dict[str, Any] = {"smt": False, "coq": False, "derived": False, "draw_points": False}
TINY: dict[str, Any] = {
    "succinct_histogram": SuccinctHistogram(2 * math.log(4), bits=2, cells=2, corrects=0, seed=1),
    "sequence_fragments": SequenceFragments(2 * math.log(4), bits=2, piece=1, marks=2, g=2, seed=1),
}
"""Each report at ln 4, on values of two bits; the hash looks at some of them."""


@pytest.mark.parametrize("name, randomizer", [*zip(TINY, ("grr", "olh"), strict=True)])
def test_they_run_the_declarations_that_they_name_at_their_price(
    name: str, randomizer: str
) -> None:
    declared = load_protocol(name)
    assert declared.law_hash == type(TINY[name]).law_sha256
    found = verify_protocol(declared, 3, **QUICK)
    assert found.status is Status.ONE_GROUP
    assert {part for part, _ in found.parts} == {randomizer}
    assert [str(sent.price) for sent in declared.rounds[0].sends] == ["eps/2", "eps/2"]


SUCCINCT = {"length": 1, "T": 2, "functions": 1, "masks": 1, "bits": 2, "h": 0}
FRAGMENTS = {"X": 4, "A": 2, "spots": 2, "T": 2, "buckets": 2, "functions": 1, "h": 0b0110}


@pytest.mark.parametrize(
    "name, given, transcripts, ratio",
    [
        ("succinct_histogram", {**SUCCINCT, "code": 0, "z": 0, "w": 0}, 4, 1),
        ("succinct_histogram", {**SUCCINCT, "code": 6, "z": 0, "w": 0}, 4, 4),
        ("succinct_histogram", {**SUCCINCT, "code": 6, "z": 0, "w": 6}, 4, 16),
    ],
)
def test_a_transcript_costs_what_is_declared_whatever_the_functions_are(
    name: str, given: dict[str, int], transcripts: int, ratio: int
) -> None:
    """Enumerated at two bits, each report at ln 4. Where all values look alike nothing is told."""
    found = enumerate_transcripts(load_protocol(name), {"eps": 2 * sympy.log(4), **given})
    assert found.status is Status.ENUMERATED
    assert found.transcripts == transcripts
    assert found.ratio == ratio
    assert found.allowed == 16


def declared_inputs(name: str, place: int, channel: int, value: int) -> tuple[int, int]:
    """What the two reports of a user are about, as declared.

    Of a succinct histogram the first is a sign already, with the function of channels that numbers
    `channel`; the second is the value, as the family of signs is what differs.
    """
    made, declared = TINY[name], load_protocol(name)
    domain = made.encode(range(4))
    first, second = declared.rounds[0].sends
    if name == "sequence_fragments":
        marks = made.marks_of(domain).tolist()
        own = {**FRAGMENTS, "h": sum(mark << v for v, mark in enumerate(marks))}
        at = {p: own.get(p.name, p) for p in declared.parameters}
        found = (sent.of.subs(at).subs({group: place, x: value}) for sent in (first, second))
        return tuple(map(int, found))  # type: ignore[return-value]  # there are two
    cells = made.cells_of(domain).tolist()
    code = sum((v >> (1 - bit) & 1) << (4 * bit + v) for bit in range(2) for v in range(4))
    own = {
        "bits": 2, "length": 2, "T": 2, "functions": 2, "masks": 1, "w": 0, "code": code,
        "h": sum(cell << v for v, cell in enumerate(cells)), "z": 0b1000,
    }  # fmt: skip
    at = {p: own.get(p.name, p) for p in declared.parameters}
    return int(first.of.subs(at).subs({group: 2 * place + channel, x: value})), value


def declared_law(name: str, value: int) -> Mapping[Any, Fraction]:
    """The law of a transcript as declared, at the realized probability of the truth."""
    p = Fraction(TINY[name]._randomizer.p)
    found: dict[Any, Fraction] = {}
    for place, one, other in itertools.product(range(2), range(4), range(4)):
        if name == "succinct_histogram":
            if not one & 1:
                continue
            sign, whole = declared_inputs(name, place, one >> 1, value)
            share = Fraction(1, 16)
        else:
            pair, whole = declared_inputs(name, place, 0, value)
            sign, share = (one & pair).bit_count() & 1, Fraction(1, 32)
        truths = sign, (other & whole).bit_count() & 1
        for sent in itertools.product(range(2), repeat=2):
            chance = share
            for bit, truth in zip(sent, truths, strict=True):
                chance *= p if bit == truth else 1 - p
            found[((place, (one, other), sent),)] = chance
    return found


def told(reports: Any) -> Any:
    """A message: the group, the bits of both functions that two bits see, and both buckets."""
    middle = (reports.seeds[:, 1] >> np.uint64(62)).tolist()
    return int(reports.groups[0]), tuple(middle), tuple(reports.buckets.tolist())


def few_words_of(made: Any) -> Any:
    """One group, one function that finds, and one word of each interval of a bucket."""
    lie = made._randomizer.thresholds[0]
    shares = ((0, lie), (lie, lie), (2 * lie, (1 << 64) - 2 * lie))
    bucket = Alphabet(tuple((word, Fraction(size, 1 << 64)) for word, size in shares))
    none, one = Alphabet(((0, Fraction(1)),)), Alphabet(((3 << 62, Fraction(1)),))
    seed = Alphabet(tuple((bits << 62, Fraction(1, 4)) for bits in range(4)))
    places = [none, none, one, none, none, seed, none, bucket, bucket]
    return lambda place: places[place]


@covers(SAMPLER, "SuccinctHistogram", "SequenceFragments")
@pytest.mark.parametrize("name", TINY)
def test_the_running_client_has_exactly_the_law_that_is_declared(name: str) -> None:
    """Enumerated over all 64-bit words."""
    made = TINY[name]
    p = Fraction(made._randomizer.p)
    laws = [declared_law(name, value) for value in range(4)]
    assert {sum(law.values()) for law in laws} == {1}
    found = over_all_words(made, laws, told, (p / (1 - p)) ** 2, 9)
    assert found.status is Status.ENUMERATED, str(found)
    assert found.largest == (p / (1 - p)) ** 2
    assert math.log(found.largest) <= made.realized_epsilon <= made.epsilon


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("planted", PAIR_CLIENTS)
def test_planted_clients_are_refuted(name: str, planted: str) -> None:
    made = TINY[name]

    def client(value: int, source: Any) -> Generator[Any, Any, None]:
        for reports in PAIR_CLIENTS[planted](made, value, source):
            yield told(reports)

    p = Fraction(made._randomizer.p)
    found = check_transcripts(client, range(4), [], (p / (1 - p)) ** 2, few_words_of(made), 9)
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None


@pytest.mark.parametrize("name", TINY)
def test_a_device_reports_once_in_one_of_the_groups_that_find(name: str) -> None:
    made = TINY[name]
    client = made.client(group=1, rng=3)
    assert client.report(2).groups.tolist() == [1, 2]
    with pytest.raises(ParameterError, match="must be called once"):
        client.report(2)
    with pytest.raises(ParameterError, match=r"group: must be an integer in 0\.\.1"):
        made.client(group=2)


@pytest.mark.parametrize("name", TINY)
def test_groups_are_uniform_whatever_the_value(name: str, seed: int) -> None:
    """Null: half of n = 40,000 users are in either group; 6 standard deviations, 2e-9 each.

    A share that is off by 0.02 is missed with less than 1e-2.
    """
    for value in (0, 3):
        drawn = TINY[name].privatize(np.full(40_000, value), rng=seed + value).groups[::2]
        assert abs(np.count_nonzero(drawn) - 20_000) <= 6 * 100
