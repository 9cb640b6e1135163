"""Clients of the reduction to bits: what they send is what is declared, at the declared price."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import Alphabet, between_cuts, check_transcripts
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import group, turn, x
from ldp_verified.protocols import BitGroups, BitReduction
from ldp_verified.protocols.bit_reduction import BitHashing
from ldp_verified.prove import Status, verify_protocol
from tests.broken.transcripts import BIT_CLIENTS
from tests.protocols.whole_messages import reports_of, whole
from tests.registry import SAMPLER, covers

QUICK: dict[str, Any] = {"smt": False, "coq": False, "derived": False, "draw_points": False}
AT = {"eps": sympy.log(4), "bits": 2, "T": 2, "h": 6, "buckets": 2}
ALL = BitReduction(2 * math.log(4), bits=2, cells=2, g=2)
ONE = BitGroups(math.log(4), bits=2, cells=2, g=2)
BOTH = [(ALL, "bit_reduction", turn), (ONE, "bit_groups", group)]


@pytest.mark.parametrize("protocol, name, _", BOTH)
def test_they_run_the_declarations_that_they_name(protocol: Any, name: str, _: Any) -> None:
    assert load_protocol(name).law_hash == protocol.law_sha256


@pytest.mark.parametrize("name, price", [("bit_reduction", 16), ("bit_groups", 4)])
def test_the_declared_price_is_derived_and_no_less_would_do(name: str, price: int) -> None:
    """All bits cost eps log2 |X|, and that is what a transcript gives away; one bit costs eps."""
    found = verify_protocol(load_protocol(name), 3, points=[AT], **QUICK)
    assert found.status is Status.ONE_GROUP
    (written,) = found.transcripts
    assert written.status is Status.ENUMERATED
    assert written.ratio == written.allowed == price


def declared_input(protocol: BitHashing, name: str, symbol: Any, number: int, value: int) -> int:
    """What the declaration says that group or turn `number` reports on."""
    declared = load_protocol(name)
    domain = protocol.encode(list(range(1 << protocol.width)))
    cells = protocol.cells_of(domain).tolist()
    function = sum(cell * protocol.cells**v for v, cell in enumerate(cells))
    sizes = {"bits": protocol.width, "T": protocol.cells, "h": function}
    at = {p: sizes[p.name] for p in declared.parameters if p.name in sizes}
    (sent,) = declared.rounds[0].sends
    return int(sympy.sympify(sent.of).subs({**at, symbol: number, x: value}))


@pytest.mark.parametrize("made", [BitReduction, BitGroups])
def test_inputs_are_those_declared(made: Any) -> None:
    protocol = made(4.0, bits=4, cells=4, seed=3)
    name, symbol = ("bit_reduction", turn) if made is BitReduction else ("bit_groups", group)
    for number, value in itertools.product(range(protocol.groups), (0, 1, 6, 11, 15)):
        (taken,) = protocol.inputs(protocol.encode([value]), number)
        shift = 60 if number == protocol.levels else 61
        found = int(taken[0]) >> shift
        assert found == declared_input(protocol, name, symbol, number, value)
        assert found << shift == int(taken[0])
        assert int(taken[1]) == 0


def test_groups_are_drawn_as_declared() -> None:
    declared = load_protocol("bit_groups").groups
    assert declared is not None
    assert str(declared.of) == "Min(bits, floor(coin/17))"
    assert str(declared.coins) == "20*bits"


def words_of(protocol: BitHashing, reports: int, buckets: Alphabet | None = None) -> Any:
    """The words that a device is given: a coin, seeds of which two bits count, then buckets."""
    lie = protocol._randomizer.thresholds[0]
    buckets = between_cuts([lie, 2 * lie]) if buckets is None else buckets
    one = Alphabet(((0, Fraction(1)),))
    coin = Alphabet(((0, Fraction(17, 40)), (17, Fraction(17, 40)), (34, Fraction(6, 40))))
    seeds = Alphabet(tuple((bits << 62, Fraction(1, 4)) for bits in range(4)))
    each = [one, seeds, one] * reports + [buckets] * reports
    places = ([coin] if reports == 1 else []) + each
    return lambda place: places[place]


def declared_law(
    protocol: BitHashing, name: str, symbol: Any, value: int
) -> Mapping[Any, Fraction]:
    """The law of a transcript as declared, at the realized probability of the truth."""
    p = Fraction(protocol._randomizer.p)
    shares = [Fraction(17, 40), Fraction(17, 40), Fraction(6, 40)]
    found: dict[Any, Fraction] = {}
    numbers = [(0, 1)] if protocol.reports_per_user > 1 else [(0,), (1,), (2,)]
    for sent in numbers:
        inputs = [declared_input(protocol, name, symbol, number, value) for number in sent]
        for seeds in itertools.product(range(4), repeat=len(sent)):
            for buckets in itertools.product(range(2), repeat=len(sent)):
                chance = Fraction(1, 4 ** len(sent)) * (shares[sent[0]] if len(sent) == 1 else 1)
                for seed, bucket, of in zip(seeds, buckets, inputs, strict=True):
                    chance *= p if (seed & of).bit_count() & 1 == bucket else 1 - p
                key = tuple(zip(sent, seeds, buckets, strict=True))
                found[(key,)] = chance
    return found


def told(reports: Any) -> Any:
    """A message: group, the two bits of the seed that two-bit inputs can see, and bucket."""
    middle = (reports.seeds[:, 1] >> np.uint64(62)).tolist()
    return tuple(zip(reports.groups.tolist(), middle, reports.buckets.tolist(), strict=True))


@covers(SAMPLER, "BitReduction", "BitGroups")
@pytest.mark.parametrize("protocol, name, symbol", BOTH)
def test_the_running_client_has_exactly_the_law_that_is_declared(
    protocol: BitHashing, name: str, symbol: Any
) -> None:
    """Enumerated over all 64-bit words: transcripts with all words of the functions."""

    def client(value: int, source: Any) -> Generator[Any, Any, None]:
        yield whole(protocol.client(rng=source).report(value))

    p, reports = Fraction(protocol._randomizer.p), protocol.reports_per_user
    laws = [declared_law(protocol, name, symbol, value) for value in range(4)]
    found = check_every_word(
        client, range(4), [], (p / (1 - p)) ** reports, 8,
        lambda value, _, sent: sum(
                (laws[value][(told(r),)] for r in reports_of(sent[0])), Fraction(0)
            ),
    )  # fmt: skip
    assert found.status is Status.ENUMERATED, str(found)
    assert found.transcripts == (16 if reports == 2 else 24)
    assert found.largest == (p / (1 - p)) ** reports
    assert math.log(found.largest) <= protocol.realized_epsilon <= protocol.epsilon


@pytest.mark.parametrize("name", BIT_CLIENTS)
def test_planted_clients_are_refuted(name: str) -> None:
    program = BIT_CLIENTS[name]

    def client(value: int, source: Any) -> Generator[Any, Any, None]:
        for reports in program(ONE, value, source):
            yield told(reports)

    p = Fraction(ONE._randomizer.p)
    lie = ONE._randomizer.thresholds[0]
    shares = ((0, lie), (lie, lie), (2 * lie, (1 << 64) - 2 * lie))
    first = Alphabet(tuple((word, Fraction(size, 1 << 64)) for word, size in shares))
    words = words_of(ONE, 1, first)
    found = check_transcripts(
        client, range(4), [], p / (1 - p), lambda place: words(place if place < 5 else place - 4), 9
    )
    assert found.status is Status.REFUTED
    assert found.leak is not None


def test_parameters_out_of_range_are_refused() -> None:
    every: list[dict[str, Any]] = [
        *({"bits": 17}, {"bits": 1}, {"cells": 3}, {"cells": 1 << 20}, {"seed": -1})
    ]
    for wrong in every:
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            BitReduction(**{"epsilon": 1.0, "bits": 8} | wrong)
    split: list[dict[str, Any]] = [{"epsilon": 0.0}, {"bits": 129}, {"cells": 1}, {"g": 3}]
    for other in split:
        with pytest.raises(ParameterError, match=next(iter(other))):
            BitGroups(**{"epsilon": 1.0} | other)
    with pytest.raises(ParameterError, match="group: must be None"):
        ALL.client(group=1)
    with pytest.raises(DomainError):
        ALL.client().report(4)


def test_a_plan_says_what_can_be_found() -> None:
    for protocol in (BitReduction(8.0, bits=12), BitGroups(4.0, bits=32)):
        need = protocol.users_needed(0.1)
        assert protocol.detectable_share(need) <= 0.1 < protocol.detectable_share(need - 1)
        with pytest.raises(ParameterError, match="n: must be users enough"):
            protocol.simulate([1], [10])
    assert BitGroups(4.0).detectable_share(1) == math.inf
