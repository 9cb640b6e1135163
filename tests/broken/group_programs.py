"""Wrong programs of protocols that draw a group: slips in what is put around a right program."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ldp_verified.run.program.form import (
    Assign,
    Choice,
    Comparator,
    Constant,
    Operation,
    Operator,
    Private,
    ProgramRelation,
    Retry,
    Store,
    Variable,
    When,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ldp_verified.run.program import Program

    Slip = Callable[[Any], Any]


def wrong_groups(program: Program) -> Iterator[tuple[str, Program]]:
    """(what is wrong, the program with it), for the first place where the slip can be made."""
    for name, slip in SLIPS.items():
        made = [False]
        body = _once(program.body, slip, made)
        if made[0]:
            yield name, replace(program, body=body)


def _group_of_the_value(node: Any) -> Any:
    """All values but 0 are in the first group always."""
    match node:
        case Assign(target, Operation(Operator.REMAINDER, Variable("coin"), _) as drawn):
            return Assign(target, Choice(Constant(1).at_most(Private()), Constant(0), drawn))
    return None


def _unfair_group(node: Any) -> Any:
    """Modulo in the place of rejection."""
    match node:
        case Retry(body, Comparator(ProgramRelation.AT_MOST, Variable("coin"), _)):
            return Retry(body, Constant(0).at_most(0))
    return None


def _next_threshold(node: Any) -> Any:
    """A lie has one word more, in the comparison and in the shares alike."""
    match node:
        case When(Comparator(relation, word, Constant(last)), yes, no) if "word" in str(word):
            (store,) = yes
            match store:
                case Store(_, value):
                    lie = _divisor(value)
                    wider = Constant(last + (last + 1) // lie)
                    wrong = _once(store, lambda each: _shared(each, lie), [False])
                    return When(Comparator(relation, word, wider), (wrong,), no)
    return None


def _divisor(value: Any) -> int:
    match value:
        case Operation(Operator.DIVIDE, _, Constant(lie)):
            return lie
        case Operation(_, _, right):
            return _divisor(right)
    raise AssertionError(value)


def _shared(node: Any, lie: int) -> Any:
    match node:
        case Operation(Operator.DIVIDE, word, Constant(divisor)) if divisor == lie:
            return Operation(Operator.DIVIDE, word, Constant(lie + 1))
    return None


def _next_digit(node: Any) -> Any:
    """What is reported on is the next value's, and 0 for the last one."""
    match node:
        case Assign(Variable(), Constant()):  # of a fake, which is about no value
            return None
        case Assign(Variable(name, below) as target, held) if name.startswith("held"):
            return Assign(target, (held + 1) % below)
    return None


def _other_group(node: Any) -> Any:
    """The boundary between two groups is one off."""
    match node:
        case When(Comparator(relation, Variable("group") as group, Constant(limit)), yes, no):
            return When(Comparator(relation, group, Constant(limit + 1)), yes, no)
    return None


SLIPS: dict[str, Slip] = {
    "the group depends on the value": _group_of_the_value,
    "modulo in place of rejection": _unfair_group,
    "a lie's threshold is one too high": _next_threshold,
    "a digit is off by one": _next_digit,
    "a group is another one": _other_group,
}


def _once(node: Any, slip: Slip, made: list[bool]) -> Any:
    """The tree with the slip made where it first can be."""
    if made[0]:
        return node
    if isinstance(node, tuple):
        return tuple(_once(each, slip, made) for each in node)
    if not is_dataclass(node):
        return node
    changed = slip(node)
    if changed is not None:
        made[0] = True
        return changed
    parts = {f.name: _once(getattr(node, f.name), slip, made) for f in fields(node)}
    return replace(node, **parts)  # type: ignore[type-var]  # an instance, not a class
