"""A session of one client: questions in, messages out, and all of them are one output.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ldp_verified.check.audit.targets.outputs import call
from ldp_verified.errors import ParameterError

Questions = Callable[[Sequence[tuple[Any, Any]]], Any]
"""From all (question, message) so far to the next question; None ends the session."""

MOST_QUESTIONS = 1_000
"""Questions of one session; the audit is refused where there would be more."""


class SessionError(Exception):
    """No session can be had.

    Attributes:
        argument: the one at fault.
        rule: what it must be.
    """

    argument = "--questions"
    rule = f"must end the session with None within {MOST_QUESTIONS:,} questions"

    def __init__(self) -> None:
        super().__init__(self.rule)


class NoClientError(SessionError):
    """The target gives something else than a client."""

    argument = "TARGET"
    rule = "must give a client, a function from a question to a message"


def asker(found: Any, reference: str) -> Questions:
    """Return what a client is asked: a function of the session so far, or a sequence of questions.

    Args:
        found: what the reference names.
        reference: `package.module:expression`.

    Raises:
        ParameterError: it is neither, there are too many questions, or the first cannot be had.
    """
    if callable(found):
        try:
            first = found(())
        except Exception as error:
            rule = f"must give a first question ({type(error).__name__}: {error})"
            raise ParameterError("--questions", rule, reference) from error
        if first is None:
            raise ParameterError("--questions", "must give a first question", reference)
        return lambda session: found(tuple(session))
    if isinstance(found, str | bytes) or not hasattr(found, "__len__") or not len(found):
        rule = "must be questions in order, or a function of the session that gives the next"
        raise ParameterError("--questions", rule, reference)
    if len(found) > MOST_QUESTIONS:
        rule = f"must be at most {MOST_QUESTIONS:,} questions"
        raise ParameterError("--questions", rule, reference)
    several = tuple(found)
    return lambda session: several[len(session)] if len(session) < len(several) else None


def talk(client: Any, asking: Questions) -> tuple[Any, ...]:
    """All messages of one client in one session; an exception is a message, and ends nothing.

    Args:
        client: of one user: a question in, a message out.
        asking: see `Questions`.

    Raises:
        NoClientError: the client cannot be called.
        SessionError: the session does not end.
    """
    if not callable(client):
        raise NoClientError
    session: list[tuple[Any, Any]] = []
    while (question := asking(session)) is not None:
        if len(session) == MOST_QUESTIONS:
            raise SessionError
        session.append((question, call(client, question)))
    return tuple(message for _, message in session)
