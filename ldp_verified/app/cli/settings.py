"""`--set NAME=VALUE`: how every command reads the settings that it is given."""

import os
from collections.abc import Iterable

from ldp_verified.errors import ParameterError


def read_settings(settings: Iterable[str] | None) -> dict[str, str]:
    """Read settings as a mapping from each name to the text of its value.

    The bytes of the command line are UTF-8 in every locale: the same ones are the same settings.

    Args:
        settings: as they were typed; None for none.

    Raises:
        ParameterError: a setting is no NAME=VALUE, is no UTF-8, or names what another one names.
    """
    found: dict[str, str] = {}
    for setting in settings or ():
        try:
            text = os.fsencode(setting).decode()
        except UnicodeError:
            raise ParameterError("--set", "must be text in UTF-8", ascii(setting)) from None
        typed, equals, value = text.partition("=")
        name = typed.strip()
        if not equals or not name.isidentifier() or name in found:
            raise ParameterError("--set", "must be NAME=VALUE, each name once", text)
        found[name] = value
    return found
