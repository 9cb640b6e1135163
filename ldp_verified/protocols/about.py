"""What numbered values stand for: part of what tells protocols apart whose numbers are the same.

A scheme on numbered cells draws the same reports whatever its cells stand for. Reports of other
attributes, labels or borders would be counted together, and every estimate be wrong in silence.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import Field, fields
from typing import TYPE_CHECKING, Any, Final

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST: Final = 100

IF_GIVEN: Final[Mapping[str, bool]] = {"only where given": True}
"""The metadata of an argument that descriptors leave out at its default: it came later."""


def about_of(kind: str, *said: object) -> str:
    """A hash that stands for what the numbers of a protocol mean.

    Args:
        kind: of the protocol. said: names, labels, sizes, numbers, and lists of them.

    Returns:
        SHA-256 in hex of their JSON: no label, such as one with a comma, looks like two.
    """
    return hashlib.sha256(json.dumps([kind, *said]).encode()).hexdigest()


def check_about(about: object) -> str:
    """Refuse what is no short text.

    Raises:
        ParameterError: it is none.
    """
    if not isinstance(about, str) or len(about) > LONGEST or not about.isprintable():
        rule = f"must be a text of at most {LONGEST} printable characters"
        raise ParameterError("about", rule, len(about) if isinstance(about, str) else type(about))
    return str(about)


def described_fields(made: Any) -> tuple[Field[Any], ...]:
    """The arguments that tell a protocol in full, in their order."""
    return tuple(each for each in fields(made) if each.init and not left_out(made, each))


def needed_fields(cls: Any) -> frozenset[str]:
    """The names of the arguments that every descriptor of a class has."""
    return frozenset(each.name for each in fields(cls) if each.init and each.metadata != IF_GIVEN)


def left_out(made: Any, argument: Field[Any]) -> bool:
    """Return whether an argument of a protocol came later, and was not given."""
    return argument.metadata == IF_GIVEN and bool(getattr(made, argument.name) == argument.default)
