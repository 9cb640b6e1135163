"""The running client of prefix rounds over all its words, at values of two bits: exact laws.

Over all words of 64 bits, in classes that follow from what the client asks of them: once from the
coin of its group on, and in each group for all that its round can publish, as a report is handed no
other round. Planted clients that are off by far are run on classes that are given: one coin for
each group, residues for functions, and both ends of each interval between thresholds.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import (
    Alphabet,
    TranscriptCheck,
    between_cuts,
    check_transcripts,
)
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import coin, group, x
from ldp_verified.protocols import PrefixRound, PrefixRoundClient, PrefixRounds, SpendingBook
from ldp_verified.prove import Status
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.wide import hashes, prefixes
from tests.broken.prefix_rounds import PLANTED, Program, Rounds, honest, none_on_one_word
from tests.protocols.test_padding_transcripts import residues
from tests.registry import SAMPLER, covers

TINY = PrefixRounds(math.log(4), bits=2, top=1, first=1, step=1, cohorts=2, seed=3)
ONE, TWO = 1 << 127, 1 << 126
"""The first bit of a value, and the second."""


def history(first: tuple[int, ...], last: tuple[int, ...]) -> Rounds:
    """Three rounds that publish these."""
    return PrefixRound(TINY, 0), PrefixRound(TINY, 1, first), PrefixRound(TINY, 2, last)


HISTORIES = [
    history((0,), (0, TWO)),
    history((ONE,), (ONE | TWO, 0)),
    history((0, ONE), (TWO,)),
    history((), (ONE, TWO)),
]
"""Published: one prefix, both, none; several lists of values, also such as do not extend them."""


def words_of(place: int) -> Alphabet:
    """A coin, a function, a word of the response."""
    if place == 0:
        sizes = {0: 45, 45: 36, 81: 9}
        return Alphabet(tuple((word, Fraction(size, 90)) for word, size in sizes.items()))
    if place % 2:
        return residues(2)
    cuts = set()
    for asked in {each for rounds in HISTORIES for each in rounds}:
        lie = asked.randomizer.thresholds[0]
        cuts |= {number * lie for number in range(1, asked.answers + 1)}
    return between_cuts(sorted(cuts))


def declared(value: int, published: tuple[Any, ...]) -> dict[Any, Fraction]:
    """The law of a transcript, from the file of the declaration: groups, inputs and answers."""
    made = load_protocol("prefix_rounds")
    (sent,) = made.rounds[0].sends
    assert made.groups is not None
    sizes = {"bits": 2, "first": 1, "step": 1, "levels": 2, "cohorts": 2, "buckets": TINY.buckets}
    last: PrefixRound = published[0][-1]
    sizes |= {"hashed": TINY.hashed, "listed": last.buckets}
    at = {p: sizes[p.name] for p in made.parameters if p.name in sizes}
    of = sympy.lambdify(coin, made.groups.of.subs(at), "math")
    drawn = Counter(int(of(number)) for number in range(int(made.groups.coins.subs(at))))
    found: dict[Any, Fraction] = {}
    for number, times in drawn.items():
        level, function = divmod(number, TINY.cohorts)
        asked: PrefixRound = published[0][level]
        (_, k) = sent.at.values()
        answers = int(sympy.sympify(k).subs(at).subs(group, number))
        assert answers == asked.answers
        own = answer_of(asked, function, value, made, at, number)
        p, q = Fraction(asked.randomizer.p), Fraction(asked.randomizer.q)
        for answer in range(answers):
            share = Fraction(times, sum(drawn.values())) * (p if answer == own else q)
            found[level, (function, answer)] = share
    return found


def answer_of(
    asked: PrefixRound, function: int, value: int, made: Any, at: Any, number: int
) -> int:
    """What is reported on: h is the number whose digits are this function's and this list's."""
    (sent,) = made.rounds[0].sends
    length = TINY.lengths[min(asked.number, 1)]
    h = sum(
        plain(asked, function, prefix << (2 - length)) * asked.answers ** (number * 4 + prefix)
        for prefix in range(1 << length)
    )
    whole = {each: h for each in made.parameters if each.name == "h"}
    return int(sent.of.subs(at).subs(whole).subs({group: number, x: value}))


def plain(asked: PrefixRound, function: int, value: int) -> int:
    """The answer to a round, written once more."""
    number = value << 126
    if asked.confirms:
        return asked.published.index(number) + 1 if number in asked.published else 0
    seed = asked.functions[function][None]
    own = prefixes(TINY.encode([value]), asked.end)
    bucket = int(hashes(seed, own, asked.buckets.bit_length() - 1)[0])
    if not asked.number:
        return bucket
    begins = any(number >> 127 == each >> 127 for each in asked.published)
    return bucket + 1 if begins else 0


def check(client: Program, rounds: list[Rounds], reports: int = 1, law: Any = None) -> Any:
    def program(value: int, source: Any) -> Any:
        return client(TINY, value, source)

    found: TranscriptCheck = check_transcripts(
        program, range(4), [rounds], Fraction(4), words_of, 1 + 2 * reports, law
    )
    return found


@covers(SAMPLER, "PrefixRounds")
def test_the_client_has_exactly_the_law_that_is_declared() -> None:
    found = check(honest, HISTORIES, law=declared)
    assert found.status is Status.ASSUMED, str(found)
    assert found.leak is None
    assert 3.99 < found.largest <= 4


def test_over_all_words_the_client_has_exactly_the_law_that_is_declared() -> None:
    """Enumerated: group, function and answer; of the coin 16 words in 2^64 are drawn again."""
    laws = {value: declared(value, (HISTORIES[0],)) for value in range(4)}
    found = check_every_word(
        partial(honest, TINY), range(4), [HISTORIES[:1]], Fraction(4), 4,
        lambda value, _, sent: laws[value][sent],
    )  # fmt: skip
    assert found.status is Status.ENUMERATED, str(found)
    assert found.largest is not None
    assert 3.99 < found.largest <= 4
    assert found.unresolved == Fraction(16, 1 << 64) ** 2


ELEMENTS: list[list[tuple[int, ...]]] = [
    [()],
    [each for size in range(3) for each in permutations((0, ONE), size)],
    [each for size in range(1, 5) for each in permutations((0, TWO, ONE, ONE | TWO), size)],
]
"""All that the rounds can publish: nothing; prefixes of one bit; one to four values, in order."""


def in_group(number: int, value: int, source: Any) -> Any:
    """The client of the package in a group that is given."""
    asked = yield "ready"
    found = TINY.client(number, rng=source).report(value, asked)
    yield int(found.functions[0]), int(found.answers[0])


@pytest.mark.parametrize("number", range(3))
def test_over_all_words_and_all_that_is_published_a_report_has_its_law(number: int) -> None:
    """Enumerated: the declared answer of each of four values for 1, 5 and 64 published lists."""

    def chance(value: int, published: tuple[Any, ...], sent: Any) -> Fraction:
        (asked,), (_, (function, answer)) = published, sent
        right = answer == plain(asked, function, value)
        return Fraction(asked.randomizer.p if right else asked.randomizer.q) / TINY.cohorts

    asked = [PrefixRound(TINY, number, each) for each in ELEMENTS[number]]
    assert len(asked) == (1, 5, 64)[number]
    found = check_every_word(partial(in_group, number), range(4), [asked], Fraction(4), 2, chance)
    assert (found.status, found.unresolved) == (Status.ENUMERATED, Fraction(0)), str(found)
    assert found.largest is not None
    assert 3.99 < found.largest <= 4


def test_a_client_that_tells_on_one_word_of_all_is_refuted() -> None:
    asked = [PrefixRound(TINY, 1, (0,))]
    found = check_every_word(partial(none_on_one_word, TINY), range(4), [asked], Fraction(4), 3)
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None
    assert found.leak.history == (asked[0],)


@pytest.mark.parametrize("name", PLANTED)
def test_planted_clients_are_refuted(name: str) -> None:
    reports = 2 if name == "reports in two rounds" else 1
    found = check(PLANTED[name], HISTORIES[:1], reports)
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None
    assert found.leak.history == (HISTORIES[0],)


def test_every_coin_gives_the_group_that_is_declared() -> None:
    split = load_protocol("prefix_rounds").groups
    assert split is not None
    for levels in (1, 2, 3):
        made = PrefixRounds(1.0, bits=levels + 1, first=2, step=1)
        assert made.levels == levels
        at = {each: {"levels": levels, "cohorts": 1}.get(each.name, each)
              for each in load_protocol("prefix_rounds").parameters}  # fmt: skip
        total = 10 * (4 * levels + 1)
        assert split.coins.subs(at) == total
        counts = Counter[int]()
        for number in range(total):
            source = ReplayWords(np.array([number, number], dtype=np.uint64))
            (drawn,) = made.draw_groups(1, source).tolist()
            assert int(split.of.subs(at).subs(coin, number)) == drawn
            counts[drawn] += 1
        shares = [made.share(number) for number in range(made.rounds)]
        assert [counts[number] / total for number in range(made.rounds)] == pytest.approx(shares)


def test_a_device_reports_once_in_its_own_round(tmp_path: Path) -> None:
    book = SpendingBook(tmp_path / "book", 2.0, new=True)
    client = TINY.client(group=1, book=book)
    asked = HISTORIES[0]
    with pytest.raises(DomainError, match="value: must be integers in 0"):
        client.report(4, asked[1])
    with pytest.raises(ParameterError, match="asked: must ask group 1, got 0"):
        client.report(3, asked[0])
    other = PrefixRounds(1.0, bits=2, top=1, first=1, step=1, cohorts=2, seed=3)
    with pytest.raises(ParameterError, match="asked: must be of this protocol"):
        client.report(3, PrefixRound(other, 1))
    nothing: Any = None
    with pytest.raises(ParameterError, match="asked"):
        client.report(3, nothing)
    assert book.left == 2
    assert len(client.report(3, asked[1])) == 1
    with pytest.raises(ParameterError, match="must be called once"):
        client.report(3, asked[1])
    with pytest.raises(ParameterError, match=r"(?i)budget"):
        TINY.client(group=1, book=book).report(3, asked[1])
    for wrong in (-1, 3, 1.5):
        with pytest.raises(ParameterError, match="group"):
            PrefixRoundClient(TINY, wrong)  # type: ignore[arg-type]  # also a float
    with pytest.raises(ParameterError, match="protocol"):
        PrefixRoundClient(nothing)
