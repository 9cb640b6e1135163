"""Commands from outside, given as one text: the words in them."""

from __future__ import annotations

import shlex

from ldp_verified.errors import ParameterError


def command_words(text: str, option: str) -> tuple[str, ...]:
    """The words of a command, as a shell splits it.

    Args:
        text: the command.
        option: that it was given by, for the error.

    Raises:
        ParameterError: a quote in it has no end, or nothing follows its last backslash.
    """
    try:
        return tuple(shlex.split(text))
    except ValueError:
        raise ParameterError(option, "must be a command with balanced quotes", text) from None
