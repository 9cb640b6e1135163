"""The transcript tree, on programs whose law is plain to see, and on planted-wrong ones."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.check.conformance import transcripts
from ldp_verified.check.conformance.transcripts import (
    REFUSED,
    Alphabet,
    between_cuts,
    check_transcripts,
    every_word,
    transcript_law,
)
from ldp_verified.errors import DomainError, LdpError, ParameterError
from ldp_verified.prove.verdicts import Status
from ldp_verified.run.kernels.hashing import local_hash
from ldp_verified.run.mechanisms import GRR
from tests.broken.transcripts import (
    LEAKS,
    NOT_ALONE,
    RATIO,
    VALUES,
    WIDTH,
    bit,
    coin,
    forget,
    one_report,
    refuses,
    two_rounds,
)

if TYPE_CHECKING:
    from ldp_verified.check.conformance.transcripts import Program
    from tests.broken.transcripts import Messages


def words(_: int) -> Alphabet:
    return every_word(WIDTH)


def test_a_public_group_and_one_report_cost_one_report() -> None:
    def declared(value: int, _: object) -> dict[Any, Fraction]:
        truth, lie = Fraction(5, 16), Fraction(3, 16)
        return {(g, y): truth if value >> g & 1 == y else lie for g in (0, 1) for y in (0, 1)}

    found = check_transcripts(one_report, VALUES, [], RATIO, words, 2, declared)
    assert (found.status, found.largest, found.leak) == (Status.ENUMERATED, RATIO, None)
    assert (found.histories, found.transcripts, found.refusals) == (1, 4, 0)


def test_another_law_than_declared_is_refuted_within_the_bound() -> None:
    def declared(_: int, __: object) -> dict[Any, Fraction]:
        return {(g, y): Fraction(1, 4) for g in (0, 1) for y in (0, 1)}

    found = check_transcripts(one_report, VALUES, [], RATIO, words, 2, declared)
    assert found.status is Status.REFUTED
    assert found.leak is None
    assert found.differs is not None
    assert "Another law" in str(found)


def test_two_adaptive_rounds_cost_their_product_whatever_is_published() -> None:
    found = check_transcripts(two_rounds, VALUES, [range(5)], RATIO**2, words, 2)
    assert (found.status, found.largest) == (Status.ENUMERATED, RATIO**2)
    assert found.histories == 5


def test_only_the_histories_that_were_given_are_tried() -> None:
    # After a threshold of 0 all values answer alike: the second round costs nothing there.
    found = check_transcripts(two_rounds, VALUES, [[0]], RATIO, words, 2)
    assert (found.status, found.largest) == (Status.ENUMERATED, RATIO)


@pytest.mark.parametrize("name", LEAKS)
def test_planted_programs_are_refuted_with_the_history(name: str) -> None:
    program, published = LEAKS[name]
    found = check_transcripts(program, VALUES, published, RATIO, words, 3)
    assert found.status is Status.REFUTED, str(found)
    leak = found.leak
    assert leak is not None
    assert len(leak.history) == len(published)
    for value, p in ((leak.value, leak.probability), (leak.other, leak.other_probability)):
        again = transcript_law(program, value, leak.history, words, 3)
        assert again.probabilities.get(leak.transcript, 0) == p
    assert leak.probability > RATIO * leak.other_probability
    assert str(leak.transcript) in str(found)


@pytest.mark.parametrize("program", NOT_ALONE)
def test_programs_with_another_source_or_a_memory_are_no_law(program: Program) -> None:
    forget()
    with pytest.raises(LdpError, match="draw from its source alone"):
        transcript_law(program, 0, (), words, 2)


def test_prefix_groups_of_a_hashing_kernel_cost_one_report() -> None:
    """The shape of prefix extending: group i sends the hash of the first i + 1 of two bits."""

    def program(value: int, source: Any) -> Messages:
        group = coin(source)
        yield group
        prefix = value >> 1 - group
        yield tuple(local_hash(np.array([prefix]), 4, 2, 3, source, WIDTH)[0].tolist())

    found = check_transcripts(program, VALUES, [], RATIO, words, 4)
    assert (found.status, found.largest) == (Status.ENUMERATED, RATIO)
    assert found.unresolved == 0


def test_a_client_at_full_width_is_assumed_between_its_cuts() -> None:
    grr = GRR(1.0, 2)
    lie = int(grr.q * (1 << 64))

    def program(value: int, source: Any) -> Messages:
        yield int(grr.privatize([value], rng=source).data[0])

    def cuts(_: int) -> Alphabet:
        return between_cuts([lie, 2 * lie])

    found = check_transcripts(program, (0, 1), [], Fraction(grr.p / grr.q), cuts, 1)
    assert (found.status, found.largest) == (Status.ASSUMED, grr.p / grr.q)


def test_words_that_do_not_suffice_leave_it_open_unless_there_is_a_leak() -> None:
    def retries(value: int, source: Any) -> Messages:
        while int(source.words(1)[0] >> np.uint64(61)) == 7:
            pass
        yield bit(value, source)

    found = check_transcripts(retries, (0, 1), [], RATIO, words, 3)
    assert (found.status, found.largest) == (Status.OPEN, RATIO)
    assert found.unresolved == Fraction(1, 64)
    assert "did not suffice" in str(found)

    def retries_and_tells(value: int, source: Any) -> Messages:
        yield from retries(value, source)
        yield value

    found = check_transcripts(retries_and_tells, (0, 1), [], RATIO, words, 3)
    assert found.status is Status.REFUTED


def test_a_refusal_is_a_message_and_other_errors_are_passed_on() -> None:
    law = transcript_law(refuses, 3, (), words, 1)
    assert dict(law.probabilities) == {(g, REFUSED): Fraction(1, 2) for g in (0, 1)}

    def sends_twice(value: int, source: Any) -> Messages:
        yield bit(value & 1, source)
        raise DomainError("report", "must be called once")

    found = check_transcripts(sends_twice, VALUES, [], RATIO, words, 1)
    assert (found.status, found.refusals, found.transcripts) == (Status.ENUMERATED, 2, 2)

    def refuses_all(value: int, source: Any) -> Messages:
        raise DomainError("value", "is never right")
        yield bit(value & 1, source)

    found = check_transcripts(refuses_all, VALUES, [], RATIO, words, 1)
    assert (found.status, found.refusals, found.transcripts) == (Status.OPEN, 1, 1)

    def fails(_: int, source: Any) -> Messages:
        yield coin(source) / 0

    with pytest.raises(ZeroDivisionError):
        transcript_law(fails, 0, (), words, 1)


def test_what_cannot_be_enumerated_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(_: int, __: Any) -> Messages:
        while True:
            yield 0

    with pytest.raises(LdpError, match="no more than 64 messages"):
        transcript_law(endless, 0, (), words, 1)
    monkeypatch.setattr(transcripts, "MOST_RUNS", 4)
    with pytest.raises(LdpError, match="no more than 4 runs"):
        transcript_law(one_report, 0, (), words, 2)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ParameterError, match="values"):
        check_transcripts(one_report, (0,), [], RATIO, words, 2)
    with pytest.raises(ParameterError, match="published"):
        check_transcripts(one_report, VALUES, [[]], RATIO, words, 2)
    bound: Any
    for bound in (Fraction(1, 2), 1.5, True):
        with pytest.raises(ParameterError, match="bound"):
            check_transcripts(one_report, VALUES, [], bound, words, 2)
    width: Any
    for width in (0, 17, 2.0, True):
        with pytest.raises(ParameterError, match="width"):
            every_word(width)
    for cuts in ([0], [2, 2], [1 << 64]):
        with pytest.raises(ParameterError, match="cuts"):
            between_cuts(cuts)
    with pytest.raises(ParameterError, match="sum to 1"):
        Alphabet(((0, Fraction(1, 2)),))
    with pytest.raises(ParameterError, match="64-bit"):
        Alphabet(((1 << 64, Fraction(1)),))
