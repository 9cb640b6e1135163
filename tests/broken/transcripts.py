"""Client programs that tell more than their ledger allows, and honest ones beside them.

All answer by randomized response on two values, on words of three bits: a lie has probability 3/8,
so one report allows a ratio of 5/3.
"""

from __future__ import annotations

import os
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import DomainError
from ldp_verified.run.kernels.grr import grr
from ldp_verified.run.kernels.wide import hashes

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable

    from ldp_verified.check.conformance.transcripts import Program
    from ldp_verified.run.kernels.randomness import WordSource

    Messages = Generator[Hashable, Any, None]

WIDTH = 3
RATIO = Fraction(5, 3)
VALUES = (0, 1, 2, 3)


def bit(answer: bool | int, source: WordSource) -> int:
    """Randomized response: another answer than this one with probability 3/8."""
    return int(grr(np.array([int(answer)]), 2, 3, source, WIDTH)[0])


def coin(source: WordSource) -> int:
    """A fair bit."""
    return int(source.words(1)[0] >> np.uint64(63))


def one_report(value: int, source: WordSource) -> Messages:
    """Honest: one bit of the value, which one is drawn in public."""
    group = coin(source)
    yield group
    yield bit(value >> group & 1, source)


def two_rounds(value: int, source: WordSource) -> Messages:
    """Honest at the price of two: is the value at least 2, at least what was then published?"""
    threshold = yield bit(value >= 2, source)
    yield bit(value >= threshold, source)


def group_by_value(value: int, source: WordSource) -> Messages:
    """The group is a bit of the value."""
    yield value & 1
    yield bit(value >> 1, source)


def nearly_public_group(value: int, source: WordSource) -> Messages:
    """The group depends on the value for one coin in eight, and the answer looks at it."""
    word = int(source.words(1)[0] >> np.uint64(61))
    yield int(word + (value == 3) > 3)
    yield bit(value >> 1, source)


def two_at_the_price_of_one(value: int, source: WordSource) -> Messages:
    """The same bit is answered twice."""
    yield bit(value & 1, source)
    yield bit(value & 1, source)


def looks_again(value: int, source: WordSource) -> Messages:
    """The second round answers without noise where the threshold is the value."""
    threshold = yield bit(value >= 2, source)
    if threshold == value:
        yield 1


def length_tells(value: int, source: WordSource) -> Messages:
    """A message is as long as its value."""
    yield (bit(value & 1, source), "x" * (value > 0))


def abstains(value: int, source: WordSource) -> Messages:
    """Those who hold 0 say nothing."""
    if value:
        yield bit(value & 1, source)
    else:
        yield None


def refuses(value: int, source: WordSource) -> Messages:
    """A value is refused after its group is drawn."""
    yield coin(source)
    if value == 3:
        raise DomainError("value", "must be below 3")
    yield 0


def one_word_gives_away(value: int, source: WordSource) -> Messages:
    """On one word of eight the value is sent as it is."""
    word = int(source.words(1)[0] >> np.uint64(61))
    yield value if word == 7 else bit(value & 1, source)


def last_alone(value: int, source: WordSource) -> Messages:
    """A message that only the last value can give; the others are at most 4/3 as likely for it."""
    word = int(source.words(1)[0] >> np.uint64(61))
    yield "rare" if (value, word) == (3, 7) else word & 1


def catches_everything(value: int, source: WordSource) -> Messages:
    """What goes wrong is caught, and the value sent instead."""
    try:
        yield bit(value & 1, source)
        raise ValueError("lost")
    except Exception:
        yield value


def catches_what_is_no_error(value: int, source: WordSource) -> Messages:
    """Where the words do not suffice, a constant is sent: to be left out, not counted."""
    try:
        answer = bit(value & 1, source)
    except BaseException:
        answer = 0
    yield answer, value


def other_source(value: int, source: WordSource) -> Messages:
    """Draws from the operating system beside its source."""
    yield bit(value & 1, source), os.urandom(8)


def keeps_count(value: int, source: WordSource, counts: list[int] | None = None) -> Messages:
    """Numbers its reports, over all runs."""
    kept = _COUNTS if counts is None else counts
    kept.append(len(kept))
    yield bit(value & 1, source), kept[-1]


def memoised_for_all(value: int, source: WordSource) -> Messages:
    """The first answer to each value is kept for all users."""
    if value not in _ANSWERS:
        _ANSWERS[value] = bit(value & 1, source)
    yield _ANSWERS[value]


def one_in_all(value: int, source: WordSource) -> Messages:
    """On one word of 2^64, which is no end of anything, the value is sent as it is."""
    word = source.words(1)[0]
    yield value if word == 0x123456789ABCDEF else bit(value & 1, source)


def one_seed_in_all(value: int, source: WordSource) -> Messages:
    """A word is sent, and beside it a bit without noise if it is one of 2^64."""
    word = source.words(1)[0]
    yield as_sent(word)
    yield value & 1 if word == 0x123456789ABCDEF else bit(value & 1, source)


def sent_word_by_value(value: int, source: WordSource) -> Messages:
    """A word is sent that was drawn until it fits the value, in its last bit."""
    word = source.words(1)[0]
    while word & 1 != value & 1:
        word = source.words(1)[0]
    yield as_sent(word)


def knows_that_it_is_watched(value: int, source: WordSource) -> Messages:
    """Tells only where its words are plain numbers."""
    word = source.words(1)[0]
    answer = bit(value & 1, source)
    yield value if isinstance(word, np.uint64) else answer


def as_sent(word: Any) -> Any:
    """The word, as it goes into a message: a plain number is an int."""
    return int(word) if isinstance(word, np.uint64) else word


ONE_OF_ALL: dict[str, Program] = {
    "one word of all gives the value away": one_in_all,
    "one sent word of all gives a bit away": one_seed_in_all,
    "the word that is sent is chosen by the value": sent_word_by_value,
}
"""What is wrong -> a program that only looks at all 64-bit words, or a class of its own, refute."""

_COUNTS: list[int] = []
_ANSWERS: dict[int, int] = {}

LEAKS: dict[str, tuple[Program, list[list[int]]]] = {
    "the group is chosen by the value": (group_by_value, []),
    "the group is moved by the value": (nearly_public_group, []),
    "two reports at the price of one": (two_at_the_price_of_one, []),
    "two rounds at the price of one": (two_rounds, [[0, 1, 2, 3, 4]]),
    "a second round looks at the value again": (looks_again, [[0, 1, 2, 3]]),
    "a length that tells": (length_tells, []),
    "an abstention that tells": (abstains, []),
    "a refusal that tells": (refuses, []),
    "one word gives the value away": (one_word_gives_away, []),
    "a message of the last value alone": (last_alone, []),
    "an error that is caught": (catches_everything, []),
    "all that is raised is caught": (catches_what_is_no_error, []),
}
"""What is wrong -> (program, types of what is published): each is refuted at the price of one."""


def forget() -> None:
    """Empty the memories: a program whose memory is full by now is one with another law."""
    _ANSWERS.clear()
    _COUNTS.clear()


NOT_ALONE: tuple[Program, ...] = (other_source, keeps_count, memoised_for_all)
"""Programs whose law is not that of their words."""


def _group_by_value(protocol: Any, value: int, words: Any) -> Any:
    """Draws its coin, and goes to a group of its own choice."""
    protocol.client(rng=words)  # reads the coin
    yield protocol.client(group=value % 3, rng=words).report(value)


def _twice(protocol: Any, value: int, words: Any) -> Any:
    """A second report, of a group that the first one was not in."""
    first = protocol.client(rng=words).report(value)
    yield first
    other = (int(first.groups[0]) + 1) % 3
    yield protocol.client(group=other, rng=words).report(value)


def _silent_for_zero(protocol: Any, value: int, words: Any) -> Any:
    """Sends nothing where there is nothing to be proud of."""
    if value:
        yield protocol.client(rng=words).report(value)


def _bucket_as_it_is(protocol: Any, value: int, words: Any) -> Any:
    """Reports the bucket without noise."""
    found = protocol.client(rng=words).report(value)
    taken = protocol.inputs(protocol.encode([value]), int(found.groups[0]))
    found.buckets[:] = hashes(found.seeds, taken, protocol.hash_bits)
    yield found


BIT_CLIENTS: dict[str, Any] = {
    "the group is chosen by the value": _group_by_value,
    "two reports at the price of one": _twice,
    "an abstention that tells": _silent_for_zero,
    "a report without noise": _bucket_as_it_is,
}
"""What is wrong -> a client (protocol, value, words) of grouped hashing that tells too much."""


def _function_by_value(protocol: Any, value: int, words: Any) -> Any:
    """In a finding group the function is not drawn: it is the one that the last bit numbers."""
    found = protocol.client(rng=words).report(value)
    group = int(found.groups[0])
    if group < protocol.levels:
        taken = protocol.inputs(protocol.encode([value]), group)
        drawn = hashes(found.seeds, taken, protocol.hash_bits)
        found.seeds[:] = protocol.functions[group][value & 1]
        # The noise stays as it is: the bucket alone would pass.
        found.buckets[:] ^= (drawn ^ hashes(found.seeds, taken, protocol.hash_bits)).astype("u1")
    yield found


COHORT_CLIENTS: dict[str, Any] = {
    **BIT_CLIENTS,
    "the function is chosen by the value": _function_by_value,
}
"""The same of prefix cohorts."""


def _column_by_value(protocol: Any, value: int, words: Any) -> Any:
    """In a group of a level the column is not drawn: it is the last bit of the value."""
    found = protocol.client(rng=words).report(value)
    group = int(found.groups[0])
    if group < protocol.levels:
        taken = protocol.inputs(protocol.encode([value]), group)
        drawn = hashes(found.seeds, taken, protocol.hash_bits)
        found.seeds[:] = protocol.sketches[group].seeds(np.array([value & 1]))
        # The noise stays as it is: the bit alone would pass.
        found.buckets[:] ^= (drawn ^ hashes(found.seeds, taken, protocol.hash_bits)).astype("u1")
    yield found


TREE_CLIENTS: dict[str, Any] = {
    **BIT_CLIENTS,
    "the column is chosen by the value": _column_by_value,
}
"""The same of TreeHist."""


def _counted_by_value(protocol: Any, value: int, words: Any) -> Any:
    """In the group that counts the function is not drawn: it is that of the last bit."""
    found = protocol.client(rng=words).report(value)
    if int(found.groups[0]) == protocol.levels:
        taken = protocol.encode([value])
        drawn = hashes(found.seeds, taken, protocol.hash_bits)
        found.seeds[:] = protocol.hashtogram.seeds(np.array([value & 1]))
        found.buckets[:] ^= (drawn ^ hashes(found.seeds, taken, protocol.hash_bits)).astype("u1")
    yield found


BITSTOGRAM_CLIENTS: dict[str, Any] = {
    **BIT_CLIENTS,
    "the function that counts is chosen by the value": _counted_by_value,
}
"""The same of Bitstogram."""


def _whole_by_value(protocol: Any, value: int, words: Any) -> Any:
    """The second report is about the same part of the value, without noise in its choice."""
    found = protocol.client(rng=words).report(value)
    found.seeds[1] = (0, (value & 3) << 62, 0)
    yield found


def _counted_as_it_is(protocol: Any, value: int, words: Any) -> Any:
    """Has noise in the report that finds, and none in the one that counts."""
    found = protocol.client(rng=words).report(value)
    taken = protocol.encode([value])
    found.buckets[1:] = hashes(found.seeds[1:], taken, protocol.hash_bits)
    yield found


PAIR_CLIENTS: dict[str, Any] = {
    "the group is chosen by the value": lambda protocol, value, words: (
        protocol.client(group=value % 2, rng=_after(words)).report(value) for _ in range(1)
    ),
    "an abstention that tells": _silent_for_zero,
    "the function that counts is chosen by the value": _whole_by_value,
    "a count without noise": _counted_as_it_is,
}
"""The same of protocols in which a user sends one report that finds and one that counts."""


def _after(words: Any) -> Any:
    """The words without the one that a group is drawn from."""
    words.words(1)
    return words
