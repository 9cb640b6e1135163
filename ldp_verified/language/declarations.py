"""Note what a spec file makes while it runs, so that nothing it makes goes unverified in silence.

A mechanism in a list, or one whose variable was given to another, stands under no name at the top
level. The loader would not find it, and whoever reads "proved" would take it for proved too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from ldp_verified.errors import SpecError
from ldp_verified.language.requirements import kind_of_code

_DECLARING = tuple(
    f"language/{module}.py" for module in ("mechanism", "protocol", "composites", "declarations")
)

_readings: list[tuple[str, list[Any]]] = []
"""(file that is being run, what was made there), the innermost last."""


@contextmanager
def declaring(path: str) -> Iterator[list[Any]]:
    """Note the mechanisms, protocols and composites that a file makes while it runs.

    Args:
        path: of the file, as it is run.

    Returns:
        The list of them, which grows.
    """
    made: list[Any] = []
    _readings.append((path, made))
    try:
        yield made
    finally:
        _readings.pop()


def note(made: Any) -> None:
    """Note that a mechanism, protocol or composite was made, if a spec file made it.

    What the modules make that it imports is theirs, and what this package derives is no
    declaration.

    Args:
        made: the mechanism, protocol or composite.
    """
    if not _readings:
        return
    path, found = _readings[-1]
    frame: FrameType | None = sys._getframe(1)
    # A dataclass's own __init__ has no file.
    while frame is not None and frame.f_code.co_filename.endswith((*_DECLARING, "<string>")):
        frame = frame.f_back
    if frame is not None and kind_of_code(frame) == "package":
        return
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    if frame is not None and frame.f_code.co_filename == path:
        found.append(made)


def refuse_nameless(path: str, made: Iterable[Any], named: Iterable[Any]) -> None:
    """Refuse what was made and would not be looked at.

    A mechanism is looked at where a name at the top level stands for it, where such a protocol
    sends it, and where such a mechanism is compared with it.

    Args:
        path: of the file. made: in it. named: the values of its names at the top level.

    Raises:
        SpecError: it names the first.
    """
    seen: set[object] = set()
    left = [*named]
    while left:
        each = left.pop()
        key = getattr(each, "made", None)
        if type(key) is not object or key in seen:
            continue
        seen.add(key)
        left += [getattr(claim, "other", None) for claim in getattr(each, "claims", ())]
        left += sent_by(each)
    for each in made:
        if each.made not in seen:
            rule = (
                f"makes a {type(each).__name__} under no name of its top level, so that nothing "
                "would verify it: give each one a name of its own, as in `m = ...`"
            )
            raise SpecError(path, rule, each.name)


def sent_by(protocol: Any) -> list[Any]:
    """Return the randomizers of a protocol; none of anything else.

    Args:
        protocol: what may be one.
    """
    rounds = getattr(protocol, "rounds", ())
    return [sent.randomizer for each in rounds for sent in each.sends]
