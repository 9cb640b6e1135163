"""Wrong programs of values that are arrays: slips in how their numbers are read."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Choice,
    Constant,
    Draw,
    Loop,
    PrivateNumber,
    Program,
    Retry,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.grid import rounded
from ldp_verified.run.program.parts import word_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ldp_verified.run.program.form import Block, Expression

    Slip = Callable[[PrivateNumber], Expression]


def wrong_arrays(program: Program) -> Iterator[tuple[str, Program]]:
    """(what is wrong, the program with it), for each slip that can be made."""
    length, last = program.length, program.inputs - 1
    reads: dict[str, Slip] = {
        "a number of another index": lambda own: PrivateNumber((own.index + 1) % length),
        "a number one more than it is": lambda own: Choice(
            own.less(last), (own + 1) % program.inputs, own
        ),
        "the first number for all": lambda _: PrivateNumber(Constant(0)),
    }
    for what, slip in reads.items():
        body = _each_read(program.body, slip)
        if body != program.body:
            yield what, replace(program, body=body)
    body = _one_word(program.body)
    if body != program.body:
        yield "one word for all numbers", replace(program, body=body)
    yield "a report one off", replace(program, body=_next_report(program.body, program.below))
    more = When(PrivateNumber(Constant(0)).at_most(0), (_draw(program.body),))
    yield "a word more for a first number that is 0", replace(program, body=(*program.body, more))


def _each_read(node: Any, slip: Slip) -> Any:
    """A tree with a slip in each place that reads a number of the value."""
    if isinstance(node, PrivateNumber):
        return slip(node)
    return _within(node, lambda each: _each_read(each, slip))


def _next_report(node: Any, below: int) -> Any:
    """Every number of the report is the next one."""
    if isinstance(node, Store):
        return Store(node.index, (node.value + 1) % below)
    return _within(node, lambda each: _next_report(each, below))


def _within(node: Any, change: Callable[[Any], Any]) -> Any:
    """A tree whose parts are changed."""
    if isinstance(node, tuple):
        return tuple(map(change, node))
    if not is_dataclass(node):
        return node
    parts = {field.name: change(getattr(node, field.name)) for field in fields(node)}
    return replace(node, **parts)  # type: ignore[type-var]  # an instance, not a class


def _one_word(body: Block) -> Block:
    """Loops that draw a word for each number draw one before them."""
    found: list[Any] = []
    for each in body:
        draws = [s for s in each.body if isinstance(s, Draw)] if isinstance(each, Loop) else []
        if isinstance(each, Loop) and draws and "PrivateNumber" in repr(each.body):
            rest = tuple(s for s in each.body if not isinstance(s, Draw))
            found += [*draws, replace(each, body=rest)]
        else:
            found.append(each)
    return tuple(found)


def _draw(node: Any) -> Draw:
    """A word that the program draws."""
    found: list[Draw] = []

    def seen(each: Any) -> Any:
        if isinstance(each, Draw):
            found.append(each)
            return each
        return _within(each, seen)

    seen(node)
    return found[0]


def a_word_for_each_sign(program: Program) -> Program:
    """A sign is drawn for each pair that there is: the right law, and the words tell how many."""
    each, sign = Variable("each_sign", program.length), Variable("sign_word", 1 << program.width)
    place = program.body.index(Draw(sign))
    more = Loop(each, each.below, (When(PrivateNumber(each).unequal(0), (Draw(sign),)),))
    return check(replace(program, body=(*program.body[:place], more, *program.body[place:])))


def next_key(program: Program) -> Program:
    """The sampled key is taken for the next one."""

    def change(node: Any) -> Any:
        match node:
            case Assign(Variable("key", below) as key, Choice(condition, found, same)):
                return Assign(key, Choice(condition, (found + 1) % below, same))
        return _within(node, change)

    return check(replace(program, body=change(program.body)))


def lazy_corner(d: int, inside: int, width: int, bits: int) -> Program:
    """Corners are drawn until one is of the kind that a word chose: the right law, and it tells."""
    corners, word = 1 << d, word_of(width)
    point, turn, signs = Variable("point", 2), Variable("turn", d), Variable("signs", corners)
    mask, count, kind = Variable("mask", corners), Variable("count", d + 1), Variable("kind", 2)
    signed = (
        *rounded(word, point, 1, width, bits, PrivateNumber(turn)),
        Assign(signs, signs | (point << turn)),
    )
    apart = (
        *(Draw(word), Assign(mask, word & (corners - 1)), Assign(count, Constant(0))),
        Loop(turn, d, (Assign(count, (count + ((mask >> turn) & 1)) % (d + 1)),)),
    )
    near = Choice((count * 2).less(d), Constant(1), Constant(0))
    body = (
        *(Assign(signs, Constant(0)), Loop(turn, d, signed), Draw(word)),
        Assign(kind, Choice(word.less(inside), Constant(1), Constant(0))),
        *(Retry(apart, (near ^ kind).at_most(0)), Store(Constant(0), signs ^ mask)),
    )
    return check(Program("lazy", (1 << bits) + 1, width, 1, corners, body, length=d))
