"""Wrong programs of noise on points, and of a region's places: slips of their makers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ldp_verified.run.program.form import (
    Assign,
    Choice,
    Comparator,
    Constant,
    Loop,
    Private,
    Program,
    Store,
)
from ldp_verified.run.program.groups import InnerProgram, all_of, digits_of
from ldp_verified.run.program.noisy_points import _moved_along

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.run.program.form import Expression


def wrong_sums(program: Program) -> Iterator[tuple[str, Program]]:
    """(what is wrong, a program of SHE with it)."""
    (loop,) = program.body
    assert isinstance(loop, Loop)
    own, *noise, folded = loop.body
    match own:
        case Assign(position, Choice(Comparator(relation, number, value), low, high)):
            pass
        case _:
            raise AssertionError(own)

    def placed(condition: Comparator, yes: Expression = low, no: Expression = high) -> Program:
        choice = Choice(condition, yes, no)
        body = (Assign(position, choice), *noise, folded)
        return replace(program, body=(replace(loop, body=body),))

    right = Comparator(relation, number, value)
    yield "the next value's bit is 1", placed(Comparator(relation, number, value + 1))
    yield "all other bits are 1", placed(right, high, low)
    yield "no bit is 1", placed(right, low, low)
    yield (
        "noise is drawn once, for all numbers",
        replace(program, body=(*noise, replace(loop, body=(own, folded)))),
    )
    fewer = replace(loop, count=loop.count - 1, index=replace(loop.index, below=loop.count - 1))
    yield "the last number has no noise", replace(program, body=(fewer,))
    bare = replace(loop, body=(own, Store(number, position)))
    yield "no number has noise", replace(program, body=(bare,))


def wrong_planes(
    name: str, axes: Sequence[tuple[int, int]], width: int
) -> Iterator[tuple[str, Program]]:
    """(what is wrong, a program of noise on a plane with it)."""
    cells = [m + 1 for m, _ in axes]
    column, row = digits_of(cells)
    inputs = cells[0] * cells[1]
    one, two = (_moved_along(name, m, share, width) for m, share in axes)

    def both(first: InnerProgram, second: InnerProgram) -> Program:
        return all_of(name, inputs, [first, second])

    right = InnerProgram(one, column), InnerProgram(two, row)
    yield "the column is read for the row", both(right[0], InnerProgram(two, column % cells[1]))
    yield "the row is read for the column", both(InnerProgram(one, row % cells[0]), right[1])
    yield "the next column", both(InnerProgram(one, (column + 1) % cells[0]), right[1])
    bare = replace(two, body=(Store(Constant(0), Private()),))
    yield "the row has no noise", both(right[0], InnerProgram(bare, row))
    fixed = [_moved_along(name, m, share // 2 + 1, width) for m, share in axes]
    if fixed[1] != two:
        yield "the row has less noise", both(right[0], InnerProgram(fixed[1], row))
    turned = [_turned(each) for each in (one, two)]
    yield "sides are turned", both(InnerProgram(turned[0], column), InnerProgram(turned[1], row))


def _turned(program: Program) -> Program:
    """The program with both sides changed for each other."""
    *first, last = program.body
    match last:
        case Store(index, Choice(condition, yes, no)):
            return replace(program, body=(*first, Store(index, Choice(condition, no, yes))))
    raise AssertionError(last)


def wrong_regions(inner: Program, first: int, places: int) -> Iterator[tuple[str, Program]]:
    """(what is wrong, a program of a region's places with it)."""

    def of(part: InnerProgram) -> Program:
        return all_of("safe_regions", places, [part])

    yield "places are counted from the whole domain's first", of(InnerProgram(inner, Private()))
    yield "the region begins one later", of(InnerProgram(inner, Private() + (first + 1)))
    yield "the last place stands for all", of(InnerProgram(inner, Constant(first + places - 1)))
