"""Every class of protocols makes an object that keeps its claim, or raises a reasoned error."""

from __future__ import annotations

import inspect
from typing import Any

from ldp_verified.errors import ParameterError

ODD = [True, "1", float("nan"), float("inf"), -1, 1j, None, [1]]
"""Values that no number of a protocol takes."""


def made_or_refused(make: Any, arguments: dict[str, Any]) -> Any:
    """The object; None if it is refused by an error that names an argument, the rule and a value.

    Raises:
        AssertionError: another error, or one that does not say so.
    """
    refusal: ParameterError | None = None
    try:
        return make(**arguments)
    except ParameterError as error:
        refusal = error
    named = {part.strip() for part in refusal.argument.split(",")}
    assert named & {*inspect.signature(make).parameters, "epsilon"}, refusal
    assert "must" in refusal.rule, refusal
    assert ", got " in str(refusal), refusal
    return None
