"""Clients over all 64-bit words: honest ones, and planted ones that are refuted."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.check.conformance.every_word import SentWord, check_every_word
from ldp_verified.check.conformance.transcripts import Alphabet, check_transcripts
from ldp_verified.errors import LdpError, ParameterError
from ldp_verified.protocols.uniform import uniform_below
from ldp_verified.prove.verdicts import Status
from ldp_verified.run.mechanisms import GRR
from tests.broken.transcripts import (
    LEAKS,
    NOT_ALONE,
    ONE_OF_ALL,
    RATIO,
    VALUES,
    as_sent,
    bit,
    forget,
    knows_that_it_is_watched,
    one_report,
    two_rounds,
)

if TYPE_CHECKING:
    from ldp_verified.check.conformance.transcripts import Program
    from tests.broken.transcripts import Messages


def test_honest_programs_are_enumerated() -> None:
    found = check_every_word(one_report, VALUES, [], RATIO, 2)
    assert (found.status, found.largest) == (Status.ENUMERATED, RATIO)
    assert not found.unresolved
    found = check_every_word(two_rounds, VALUES, [range(5)], RATIO**2, 2)
    assert (found.status, found.largest, found.histories) == (Status.ENUMERATED, RATIO**2, 5)


@pytest.mark.parametrize("name", LEAKS)
def test_planted_programs_are_refuted_with_the_history(name: str) -> None:
    program, published = LEAKS[name]
    found = check_every_word(program, VALUES, published, RATIO, 3)
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None
    assert len(found.leak.history) == len(published)
    assert str(found.leak.history) in str(found)


@pytest.mark.parametrize("name", ONE_OF_ALL)
def test_a_leak_on_one_word_of_all_is_refuted(name: str) -> None:
    found = check_every_word(ONE_OF_ALL[name], VALUES, [], RATIO, 3)
    assert found.status is Status.REFUTED, str(found)


def test_classes_that_are_given_pass_what_the_ones_that_follow_refute() -> None:
    """Ends of intervals stand for all words: status `assumed`, as the leak is on another word."""
    program = ONE_OF_ALL["one word of all gives the value away"]
    ends = [word << 61 for word in range(8)] + [(word + 1 << 61) - 1 for word in range(8)]
    both = Alphabet(tuple((word, Fraction(1, 16)) for word in ends))
    found = check_transcripts(program, VALUES, [], RATIO, lambda _: both, 2)
    assert found.status is Status.ASSUMED
    leak = check_every_word(program, VALUES, [], RATIO, 2).leak
    assert leak is not None
    assert leak.probability == Fraction(1, 1 << 64)


@pytest.mark.parametrize("program", NOT_ALONE)
def test_programs_with_another_source_or_a_memory_are_no_law(program: Program) -> None:
    forget()
    with pytest.raises(LdpError, match="program"):
        check_every_word(program, VALUES, [], RATIO, 2)


def test_a_program_that_tells_traced_words_from_plain_ones_is_caught() -> None:
    with pytest.raises(LdpError, match="the same on plain words"):
        check_every_word(knows_that_it_is_watched, VALUES, [], RATIO, 2)


def test_the_law_of_a_class_at_its_own_width_is_its_table() -> None:
    grr = GRR(1.0, 3)

    def program(value: int, source: Any) -> Messages:
        yield int(grr.privatize([value], rng=source).data[0])

    def declared(value: int, _: object, sent: Any) -> Fraction:
        return Fraction(grr.p if sent == (value,) else grr.q)

    found = check_every_word(program, range(3), [], Fraction(grr.p / grr.q), 1, declared)
    assert (found.status, found.largest) == (Status.ENUMERATED, grr.p / grr.q)

    def other(_: int, history: object, sent: Any) -> Fraction:
        return declared(0, history, sent)

    found = check_every_word(program, range(3), [], Fraction(grr.p / grr.q), 1, other)
    assert found.status is Status.REFUTED
    assert found.differs is not None


def test_words_that_are_left_out_are_bounded_and_the_rest_is_exact() -> None:
    def program(value: int, source: Any) -> Messages:
        yield uniform_below(3, source)
        yield bit(value & 1, source)

    def declared(value: int, _: object, sent: Any) -> Fraction:
        return Fraction(5 if sent[1] == value & 1 else 3, 24)

    found = check_every_word(program, VALUES, [], RATIO, 4, declared)
    assert (found.status, found.largest) == (Status.ENUMERATED, RATIO)
    assert found.unresolved == Fraction(1, 1 << 64) ** 3
    assert found.transcripts == 6
    # One word less than a report takes: nothing is known.
    assert check_every_word(program, VALUES, [], RATIO, 1).status is Status.OPEN


def test_what_is_left_out_by_the_value_stays_open_or_is_refuted() -> None:
    def program(value: int, source: Any) -> Messages:
        word = source.words(1)[0]
        while word < value << 62:  # more words for larger values
            word = source.words(1)[0]
        yield bit(value & 1, source)
        yield int(word >> np.uint64(63))

    found = check_every_word(program, VALUES, [], RATIO, 4)
    assert found.status in (Status.OPEN, Status.REFUTED)


def test_runs_that_are_only_longer_are_not_taken_for_ended_ones() -> None:
    """Planted: half of all runs take six words more and tell the value; the rest draw again."""

    def program(value: int, source: Any) -> Messages:
        if source.words(1)[0] >= 1 << 63:
            source.words(6)
            yield value
        else:
            while source.words(1)[0] == 0:
                pass
            yield bit(0, source)

    for horizon in range(2, 7):
        found = check_every_word(program, VALUES, [], RATIO, horizon)
        assert found.status is Status.OPEN, (horizon, str(found))
    assert check_every_word(program, VALUES, [], RATIO, 7).status is Status.REFUTED


def test_words_that_are_drawn_again_in_pairs_are_bounded_too() -> None:
    def program(value: int, source: Any) -> Messages:
        while source.words(2)[0] == 0:
            pass
        yield bit(value & 1, source)

    for horizon in (3, 4):
        assert check_every_word(program, VALUES, [], RATIO, horizon).status is Status.OPEN
    for horizon in (5, 6):
        found = check_every_word(program, VALUES, [], RATIO, horizon)
        assert (found.status, found.largest) == (Status.ENUMERATED, RATIO)
        assert found.unresolved == Fraction(1, 1 << 64) ** 2


def test_pairs_that_stop_being_drawn_again_are_not_shared_out() -> None:
    """Planted: the third pair is followed by two more words, and then the value is told."""

    def program(value: int, source: Any) -> Messages:
        for _ in range(2):
            if source.words(2)[0]:
                yield bit(value & 1, source)
                return
        source.words(4)
        yield bit(value & 1, source)
        yield value

    for horizon in (7, 8):  # none ends at seven words, as those do that draw a pair again
        assert check_every_word(program, VALUES, [], RATIO, horizon).status is Status.OPEN
    assert check_every_word(program, VALUES, [], RATIO, 9).status is Status.REFUTED


def test_words_that_are_sent_stand_as_classes_that_are_alike_to_all() -> None:
    def declared(value: int, _: object, sent: Any) -> Fraction:
        ((word, answer),) = sent
        assert isinstance(word, SentWord)
        truth = word.words.word() >> 62 & value != 0
        return word.share * Fraction(5 if answer == truth else 3, 8)

    def clear(value: int, source: Any) -> Messages:
        word = source.words(1)[0]
        yield as_sent(word), bit(int((word >> np.uint64(62)) & np.uint64(value)) > 0, source)

    found = check_every_word(clear, (1, 2), [], RATIO, 2, declared)
    assert found.status is Status.ENUMERATED, str(found)
    assert found.transcripts == 4 * 2


TOP = np.uint64(1 << 63)


def sets_a_bit(value: int, source: Any) -> Messages:
    """The word of the function is sent with its top bit set; the answer is a bit of both."""
    word = source.words(1)[0] | TOP
    yield as_sent(word), bit(int((word >> np.uint64(62)) & np.uint64(1)) & value, source)


def sets_a_bit_for_one(value: int, source: Any) -> Messages:
    """Planted: the other value sends the word as it is drawn."""
    word = source.words(1)[0]
    yield (as_sent(word | TOP) if value else as_sent(word)), bit(0, source)


def sets_a_bit_by_the_value(value: int, source: Any) -> Messages:
    """Planted: which bit is set is the value."""
    yield (as_sent(source.words(1)[0] | np.uint64(1 << 62 + (value & 1))),)


def test_a_bit_that_is_set_in_a_word_that_is_sent_is_followed() -> None:
    def declared(value: int, _: object, sent: Any) -> Fraction:
        ((word, answer),) = sent
        assert word.words.bits & word.words.mask & 1 << 63
        truth = word.words.bits >> 62 & 1 & value
        return Fraction(2 * word.share) * Fraction(5 if answer == truth else 3, 8)

    found = check_every_word(sets_a_bit, VALUES, [], RATIO, 2, declared)
    assert (found.status, found.transcripts) == (Status.ENUMERATED, 4), str(found)
    assert found.largest == RATIO


@pytest.mark.parametrize("program", [sets_a_bit_for_one, sets_a_bit_by_the_value])
def test_a_bit_that_is_set_by_the_value_is_refuted(program: Program) -> None:
    assert check_every_word(program, VALUES, [], RATIO, 2).status is Status.REFUTED


def test_bits_set_in_words_that_are_compared_are_an_error() -> None:
    def compares(_: int, source: Any) -> Messages:
        word = source.words(1)[0]
        small = word < 1 << 40
        yield as_sent(word | TOP), int(small)

    with pytest.raises(LdpError, match="for bits alone"):
        check_every_word(compares, VALUES, [], RATIO, 1)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ParameterError, match="values"):
        check_every_word(one_report, (0,), [], RATIO, 2)
    with pytest.raises(ParameterError, match="published"):
        check_every_word(one_report, VALUES, [[]], RATIO, 2)
    with pytest.raises(ParameterError, match="bound"):
        check_every_word(one_report, VALUES, [], Fraction(1, 2), 2)

    def listed(value: int, source: Any) -> Messages:
        yield [bit(value & 1, source)]  # type: ignore[misc]  # which is what is refused

    with pytest.raises(LdpError, match="in a list"):
        check_every_word(listed, VALUES, [], RATIO, 2)
