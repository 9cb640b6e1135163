"""A session of one client: questions in, messages out, and all of them are one output.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ldp_verified.check.audit.targets.outputs import call
from ldp_verified.errors import ParameterError

Questions = Callable[[tuple[tuple[Any, Any], ...]], Any]
"""From all (question, message) so far to the next question; None ends the session."""

MOST_QUESTIONS = 10_000


def asker(found: Any, reference: str) -> Questions:
    """Return what a client is asked: a function of the session so far, or a sequence of questions.

    Args:
        found: what the reference names.
        reference: `package.module:expression`.

    Raises:
        ParameterError: it is neither, or its first question cannot be had.
    """
    if callable(found):
        try:
            found(())
        except Exception as error:
            rule = f"must give a first question ({type(error).__name__}: {error})"
            raise ParameterError("--questions", rule, reference) from error
        return found  # type: ignore[no-any-return]  # what was tried above
    if isinstance(found, str | bytes) or not hasattr(found, "__len__") or not len(found):
        rule = "must be questions in order, or a function of the session that gives the next"
        raise ParameterError("--questions", rule, reference)
    several = tuple(found)
    return lambda session: several[len(session)] if len(session) < len(several) else None


def talk(client: Any, asking: Questions) -> tuple[Any, ...]:
    """All messages of one client in one session; an exception is a message, and ends nothing.

    Args:
        client: of one user: a question in, a message out.
        asking: see `Questions`.
    """
    session: list[tuple[Any, Any]] = []
    while len(session) < MOST_QUESTIONS:
        question = asking(tuple(session))
        if question is None:
            break
        session.append((question, call(client, question)))
    return tuple(message for _, message in session)
