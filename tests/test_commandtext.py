"""Commands as texts: their words, or an error that names the option."""

from __future__ import annotations

import pytest

from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.commandtext import command_words
from ldp_verified.errors import ParameterError


def test_words_are_those_of_a_shell() -> None:
    assert command_words("node 'my client.js' -x", "--client") == ("node", "my client.js", "-x")
    assert command_words("", "--client") == ()


@pytest.mark.parametrize("text", ["'", 'node "x', "node x\\"])
def test_a_quote_without_an_end_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="--client: must be a command with balanced quotes"):
        command_words(text, "--client")
    with pytest.raises(ParameterError, match="--command: must be a command with balanced quotes"):
        Target("program", text, inputs=(0, 1)).open()
