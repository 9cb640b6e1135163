"""Wrong programs of values that are arrays: slips in how their numbers are read."""

from __future__ import annotations

from dataclasses import replace
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
from tests.broken.group_programs import _once as once

if TYPE_CHECKING:
    from collections.abc import Iterator


def wrong_arrays(program: Program) -> Iterator[tuple[str, Program]]:
    """(what is wrong, the program with it), for each slip that can be made."""
    slips = {
        "a number of another index": lambda node: _other_index(node, program.length),
        "a number one more than it is": lambda node: _one_more(node, program.inputs),
        "the first number for all": _first,
        "one word for all numbers": _one_word,
        "a report one off": lambda node: _next_report(node, program.below),
        "a word more for a first number that is 0": None,
    }
    for what, slip in slips.items():
        if slip is None:
            more = When(PrivateNumber(Constant(0)).at_most(0), (_draw(program),))
            yield what, replace(program, body=(*program.body, more))
            continue
        made = [False]
        body = once(program.body, slip, made)
        if made[0]:
            yield what, replace(program, body=body)


def _draw(program: Program) -> Draw:
    """A word that the program draws."""
    found: list[Draw] = []

    def seen(node: Any) -> None:
        if isinstance(node, Draw):
            found.append(node)

    once(program.body, seen, [False])
    return found[0]


def _other_index(node: Any, length: int) -> Any:
    match node:
        case PrivateNumber(index):
            return PrivateNumber((index + 1) % length)
    return None


def _one_more(node: Any, inputs: int) -> Any:
    match node:
        case PrivateNumber():
            return Choice(node.less(inputs - 1), (node + 1) % inputs, node)
    return None


def _first(node: Any) -> Any:
    match node:
        case PrivateNumber(index) if index != Constant(0):
            return PrivateNumber(Constant(0))
    return None


def _one_word(node: Any) -> Any:
    """The word of the first number is used for all, in a loop that draws one for each."""
    match node:
        case Loop(index, _, body) if any(isinstance(each, Draw) for each in body):
            if "PrivateNumber" not in repr(body):
                return None
            block = []
            for each in body:
                first = When(index.at_most(0), (each,), ()) if isinstance(each, Draw) else each
                block.append(first)
            return replace(node, body=tuple(block))
    return None


def _next_report(node: Any, below: int) -> Any:
    match node:
        case Store(index, value):
            return Store(index, (value + 1) % below)
    return None


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
