"""Whole protocols: all messages of one session are one output.

Clean twins are audited at level 1e-9. The planted ones have 4 eps, or a level or an exception that
tells the value: n = 8000 misses them with probability below 1e-9 (`bounds.power`; the smallest is
the event that `always` gives for 0 against 8 to 15: plus 0.29, minus 0.006 of a fourth of 4000).
"""

from __future__ import annotations

import pytest

from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.called import Called
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.sessions import (
    MOST_QUESTIONS,
    NoClientError,
    SessionError,
    asker,
    talk,
)
from ldp_verified.check.audit.targets.targets import Target, read_target
from ldp_verified.check.audit.whole_audit import audit_target
from ldp_verified.errors import ParameterError
from tests.broken.audit import sessions

HOME = "tests.broken.audit.sessions:"
INPUTS = (0, 5, 8, 15)


def audited(name: str, questions: str, n: int = 8000, repeat: int = 1) -> AuditResult:
    target = Target("callable", HOME + name, INPUTS, questions=HOME + questions, repeat=repeat)
    return audit_target(target, Claim(1.0, n=n, level=1e-9), checks=False)


def verdict(name: str, questions: str) -> AuditVerdict:
    return audited(name, questions).verdict


@pytest.mark.parametrize(
    ("name", "questions"), [("always", "ALL"), ("own_level", "down"), ("broken", "ALL")]
)
def test_what_a_session_tells_is_found(name: str, questions: str) -> None:
    assert verdict(name, questions) is AuditVerdict.VIOLATED


@pytest.mark.parametrize("questions", ["ALL", "down"])
def test_one_answer_in_a_session_is_no_violation(questions: str) -> None:
    assert verdict("once", questions) is not AuditVerdict.VIOLATED


def test_a_session_is_the_messages_in_order() -> None:
    asked: list[object] = []

    def client(question: object) -> object:
        asked.append(question)
        if question == (3, 0):
            raise ValueError("no")
        return question

    found = talk(client, lambda session: None if len(session) == 4 else (len(session) + 1, 0))
    raised = found[2]
    assert isinstance(raised, Raised)
    assert found == ((1, 0), (2, 0), Raised("ValueError", "no", raised.place), (4, 0))
    assert raised.place.endswith("client")


def test_a_session_has_so_many_questions_at_most() -> None:
    most = range(MOST_QUESTIONS)
    assert talk(lambda question: question, asker(most, "a:b")) == tuple(most)
    with pytest.raises(ParameterError, match="must be at most 1,000 questions"):
        asker(range(MOST_QUESTIONS + 1), "a:b")
    some = asker(lambda session: len(session) if len(session) < MOST_QUESTIONS else None, "a:b")
    assert talk(lambda question: question, some) == tuple(most)
    with pytest.raises(SessionError, match="must end the session with None within 1,000"):
        talk(lambda question: question, asker(sessions.endless, "a:b"))
    with pytest.raises(NoClientError):
        talk(1, some)


@pytest.mark.parametrize("repeat", [1, 2])
@pytest.mark.parametrize("questions", ["ALL", "down"])
def test_a_client_that_always_fails_is_refused(questions: str, repeat: int) -> None:
    """It was consistent: its exceptions stand in a tuple."""
    with pytest.raises(ParameterError, match="every call raised ValueError: no level 1"):
        audited("wrong", questions, 2000, repeat)


@pytest.mark.parametrize("questions", ["ALL", "down"])
def test_a_report_in_place_of_a_client_is_refused(questions: str) -> None:
    """It was consistent: each answer was a TypeError."""
    with pytest.raises(ParameterError, match=r"^TARGET: must give a client, a function from a que"):
        audited("report", questions, 200)


def test_questions_that_never_end_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^--questions: must end the session with None wit"):
        audited("once", "endless", 200)


def test_a_client_that_fails_in_most_rounds_is_inconclusive() -> None:
    """Null: coins, eps = 0; level 1e-9, n = 8000. It was consistent."""
    found = audited("mostly_wrong", "ALL")
    assert found.verdict is AuditVerdict.INCONCLUSIVE
    assert [(each.words, each.counts) for each in found.outcomes] == [
        ("raised ValueError", found.outcomes[0].totals)
    ]


def test_a_client_that_fails_seldom_is_audited() -> None:
    """Null: coins and exceptions, eps = 0; level 1e-9, n = 8000."""
    found = audited("seldom_wrong", "ALL")
    assert found.verdict is not AuditVerdict.VIOLATED
    assert not any("most outputs are exceptions" in note for note in found.notes)


def test_sessions_are_repeated_with_a_new_client_each() -> None:
    function = Called(f"{HOME}always", repeat=3, questions=f"{HOME}ALL").function()
    found = function(0)
    assert [len(session) for session in found] == [4, 4, 4]


@pytest.mark.parametrize("questions", ["fails", "none", "BITS", "'text'", "[]"])
def test_questions_that_cannot_be_asked_are_refused(questions: str) -> None:
    with pytest.raises(ParameterError, match="--questions"):
        Called(f"{HOME}always", questions=HOME + questions).function()


def test_questions_are_for_callables_and_are_written_down() -> None:
    with pytest.raises(ParameterError, match="--questions"):
        Target("program", "cat", INPUTS, questions="a:b")
    target = Target("callable", "a:b", INPUTS, questions="a:c")
    assert read_target(target.document()) == target


@pytest.mark.parametrize("questions", ["report", HOME + "nothing_there"])
def test_questions_that_are_not_there_are_named(questions: str) -> None:
    """Also where the target is loaded in a process of its own."""
    target = Target("callable", HOME + "always", INPUTS, questions=questions)
    with pytest.raises(ParameterError, match=r"^--questions: must be") as said:
        audit_target(target, Claim(1.0, n=200), checks=False)
    assert repr(questions) in str(said.value)
