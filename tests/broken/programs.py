"""Wrong programs: a right one with one slip in it, of kinds that programmers make."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ldp_verified.run.program.form import (
    Comparator,
    Constant,
    Draw,
    Private,
    Program,
    ProgramEntry,
    ProgramRelation,
    Retry,
    Variable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Slip = Callable[[Any], Any]


def wrong_programs(program: Program) -> Iterator[tuple[str, Program]]:
    """(what is wrong, the program with it), one for each place where the slip can be made."""
    for name, slip in SLIPS.items():
        for place in range(_count(program.body, slip)):
            yield f"{name}, place {place}", replace(program, body=_at(program.body, slip, place))


def _other_relation(node: Any) -> Any:
    match node:
        case Comparator(ProgramRelation.LESS, left, right):
            return Comparator(ProgramRelation.AT_MOST, left, right)
        case Comparator(ProgramRelation.AT_MOST, left, right):
            return Comparator(ProgramRelation.LESS, left, right)
    return None


def _other_limit(change: int) -> Slip:
    def slip(node: Any) -> Any:
        match node:
            case Comparator(relation, left, Constant(limit)) if (
                relation is not ProgramRelation.UNEQUAL
            ):
                return Comparator(relation, left, Constant(limit + change))
        return None

    return slip


def _no_retry(node: Any) -> Any:
    return replace(node, until=Constant(0).at_most(0)) if isinstance(node, Retry) else None


def _first_value(node: Any) -> Any:
    return Constant(0) if isinstance(node, Private) else None


def _other_entry(node: Any) -> Any:
    if isinstance(node, ProgramEntry) and len(node.table) > 1:
        return replace(node, table=(*node.table[1:], node.table[0]))
    return None


SLIPS: dict[str, Slip] = {
    "< for <=, or <= for <": _other_relation,
    "a threshold one too high": _other_limit(1),
    "a threshold one too low": _other_limit(-1),
    "nothing is rejected": _no_retry,
    "the private value is 0": _first_value,
    "a table is off by one": _other_entry,
}


def with_reused_word(program: Program) -> Program:
    """The last word that is drawn is one that was drawn before."""
    *first, last = (i for i, s in enumerate(program.body) if isinstance(s, Draw))
    assert not first or last > first[0]
    return replace(program, body=program.body[:last] + program.body[last + 1 :])


def _count(node: Any, slip: Slip) -> int:
    """How many places of a tree the slip can be made in."""
    if isinstance(node, tuple):
        return sum(_count(each, slip) for each in node)
    if not is_dataclass(node) or isinstance(node, Variable):
        return 0
    inside = sum(_count(getattr(node, field.name), slip) for field in fields(node))
    return inside + (slip(node) is not None)


def _at(node: Any, slip: Slip, place: int) -> Any:
    """The tree with the slip made in one place."""
    if isinstance(node, tuple):
        parts = list(node)
        for i, each in enumerate(parts):
            here = _count(each, slip)
            if place < here:
                parts[i] = _at(each, slip, place)
                return tuple(parts)
            place -= here
        raise IndexError(place)
    changed = slip(node)
    if changed is not None:
        if place == 0:
            return changed
        place -= 1
    for field in fields(node):
        each = getattr(node, field.name)
        here = _count(each, slip)
        if place < here:
            return replace(node, **{field.name: _at(each, slip, place)})
        place -= here
    raise IndexError(place)
