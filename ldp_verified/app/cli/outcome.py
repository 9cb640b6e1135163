"""Exit codes, and errors as one line."""

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, ParamSpec

import typer

from ldp_verified.app.interrupts import interrupted
from ldp_verified.errors import ContradictionError, InternalError, LdpError, ParameterError

if TYPE_CHECKING:
    from ldp_verified.app.report.output import Json

P = ParamSpec("P")

AsJson = Annotated[
    bool, typer.Option("--json", help="One JSON document on stdout instead of tables.")
]


class Outcome(IntEnum):
    """The exit code of a command."""

    HOLDS = 0
    VIOLATED = 1
    BAD_INPUT = 2
    INCONCLUSIVE = 3
    INTERNAL_ERROR = 70
    INTERRUPTED = 130
    UNREAD = 141


MEANINGS = {
    Outcome.HOLDS: "what was asked holds; of an audit: consistent with the claim",
    Outcome.VIOLATED: "a claim is violated or refuted; of a plan: nothing is enough",
    Outcome.BAD_INPUT: "bad usage or bad input; nothing was decided",
    Outcome.INCONCLUSIVE: "inconclusive: too little was seen to decide",
    Outcome.INTERNAL_ERROR: "a fault of this package; no verdict is to be trusted",
    Outcome.INTERRUPTED: "interrupted",
    Outcome.UNREAD: "whoever read the output stopped reading",
}
"""Exit codes in words. They belong to the version of documents (`output.SCHEMA`)."""


@contextlib.contextmanager
def options_named(*same: str, **others: str) -> Iterator[None]:
    """Turn errors about arguments of the package into errors about options of the command.

    Args:
        same: arguments that have an option of their name. others: argument -> its option.

    Raises:
        ParameterError: as inside; about the option, where the argument has one.
    """
    options = {name: f"--{name}" for name in same} | others
    try:
        yield
    except ParameterError as error:
        if error.argument not in options:
            raise
        raise ParameterError(options[error.argument], error.rule, error.got) from None


def reported(function: Callable[P, Outcome | None]) -> Callable[P, None]:
    """A command that exits with its outcome, or goes on to another command where that is None.

    What the package refuses becomes a line on stderr, and with `as_json` a document on stdout too.
    """

    @functools.wraps(function)
    def command(*args: P.args, **kwargs: P.kwargs) -> None:
        outcome: Outcome | None
        try:
            outcome = function(*args, **kwargs)
        except InternalError as error:
            outcome = Outcome.INTERNAL_ERROR
            _show_error(error, function.__name__, bool(kwargs.get("as_json")), outcome)
            if isinstance(error, ContradictionError):
                _show_contradiction(error)
        except LdpError as error:
            if type(error) is LdpError:  # not about the input: a fault of this package's own
                raise
            outcome = Outcome.INTERRUPTED if interrupted(error) else Outcome.BAD_INPUT
            if outcome is Outcome.BAD_INPUT:
                _show_error(error, function.__name__, bool(kwargs.get("as_json")), outcome)
        except KeyboardInterrupt:
            outcome = Outcome.INTERRUPTED
        except BrokenPipeError:
            outcome = Outcome.UNREAD
            _discard_the_rest()
        if outcome is not None:
            raise typer.Exit(int(outcome))

    return command


def _discard_the_rest() -> None:
    """Whoever read stdout has seen enough: what is left in its buffer must not complain at exit."""
    from ldp_verified.app.report.streams import stdout

    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout().fileno())


def _show_contradiction(error: ContradictionError) -> None:
    from ldp_verified.app.report.output import say

    style = "bold red" if sys.stderr.isatty() else ""
    say("*** INTERNAL ERROR: one of two checkers is wrong, and no verdict is to be trusted.", style)
    say(f"*** Please report this, with the spec file and these lines:\n{error.details}", style)


def _show_error(error: LdpError, name: str, as_json: bool, outcome: Outcome) -> None:
    from ldp_verified.app.report.output import show_document

    if as_json:
        show_document(name.removesuffix("_"), outcome, error_fields(error))
    say_error(error)


def error_fields(error: LdpError) -> "dict[str, Json]":
    """Return what a document says of an error.

    Args:
        error: what the package refused, or could not do.
    """
    body = {"type": type(error).__name__, "argument": error.argument, "message": str(error)}
    return {"error": {**body, "code": error.code}}


def say_error(error: LdpError) -> None:
    """Say an error as one line on stderr.

    Args:
        error: what the package refused, or could not do.
    """
    from ldp_verified.app.report.output import say

    more = f"(more: ldp-verified explain {error.code})"
    say(f"ldp-verified: {error} {more}", style="red" if sys.stderr.isatty() else "")
