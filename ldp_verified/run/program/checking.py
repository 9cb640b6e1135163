"""Check a program for all words: no overflow, no index outside, nothing read unset.

The largest value of each expression is computed from its parts. A comparison of a variable with a
constant bounds the variable where it is known to hold: in the first block of `When` and after
`Retry`, until the variable is written again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.form import (
    LARGEST,
    Assign,
    Choice,
    Comparator,
    Constant,
    Draw,
    Expression,
    Keep,
    Kept,
    Loop,
    Operation,
    Operator,
    Private,
    PrivateNumber,
    ProgramEntry,
    ProgramRelation,
    Recall,
    Retry,
    Slot,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.keyed import KEY_CELLS, NUMBERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.program.form import Block, Key, Program

Bounds = dict[str, int]
"""The largest value of each variable that is set."""

MOST_CELLS = 1 << 16
"""Cells that a client keeps: 256 KiB."""

MOST_NUMBERS = 1 << 16
"""Numbers of one private value: 512 KiB."""

_BITS = 64
_NAME = re.compile(r"[a-z][a-z_]*")


def check(program: Program) -> Program:
    """Return the program if no words can make it leave its ranges.

    Raises:
        ParameterError: an integer could leave 0..2^64 - 1, a variable or a number of the report
            its range, or an index its table; a divisor is no positive constant; a variable is
            read before it is set, or has two ranges.
    """
    _require(1 <= program.width <= _BITS, "width", f"must be in 1..{_BITS}", program.width)
    _require(1 <= program.below <= LARGEST + 1, "below", "must be in 1..2^64", program.below)
    _require(program.numbers >= 1, "numbers", "must be at least 1", program.numbers)
    _require(
        0 <= program.cells <= MOST_CELLS, "cells", f"must be in 0..{MOST_CELLS}", program.cells
    )
    _require(1 <= program.kept_below <= 1 << 32, "kept_below", "must be in 1..2^32")
    half = program.half
    _require(1 <= half <= _BITS, "half", f"must be in 1..{_BITS}", half)
    _require(2 <= program.inputs <= 1 << 2 * half, "inputs", f"must be in 2..2^{2 * half}")
    _require(
        not program.wide or program.inputs % (1 << half) == 0,
        *("inputs", f"must be a multiple of 2^{half} above it"),
    )
    _require(not program.wide or not program.cells, "cells", "must be 0 where values are wide")
    length = program.length
    _require(0 <= length <= MOST_NUMBERS, "length", f"must be in 0..{MOST_NUMBERS}", length)
    if length:
        _require(not program.wide, "inputs", "must be at most 2^64 where values are arrays")
        _require(not program.cells, "cells", "must be 0 where values are arrays")
    if program.key is not None:
        _check_key(program, program.key)
    _Checker(program).block(program.body, {})
    return program


def _check_key(program: Program, key: Key) -> None:
    """Refuse a key that lies outside the cells, or that gives other words than the program's."""
    _require(0 <= key.first <= program.cells - key.cells, "key", "must lie in the cells", key)
    if key.listed:
        _require(program.kept_below >= 1 << program.width, "kept_below", "must hold any word")
        return
    _require((program.width, key.cells) == (_BITS, KEY_CELLS), "key", "must have 8 cells", key)
    _require(program.kept_below == 1 << 32, "kept_below", "must be 2^32 where there is a key")


class _Checker:
    """One walk over a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._ranges: dict[str, int] = {}

    def block(self, block: Block, bounds: Bounds) -> None:
        """Check the statements in order; `bounds` becomes what holds after them."""
        for statement in block:
            match statement:
                case Draw(target):
                    self._set(target, (1 << self._program.width) - 1, bounds)
                case Recall(target, index):
                    key = self._program.key
                    _require(key is not None, "key", "must be there where words are recalled")
                    size = key.cells if key is not None and key.listed else NUMBERS
                    self._index(index, size, bounds)
                    self._set(target, (1 << self._program.width) - 1, bounds)
                case Assign(target, value):
                    self._set(target, self.largest(value, bounds), bounds)
                case Store(index, value):
                    self._index(index, self._program.numbers, bounds)
                    most = self.largest(value, bounds)
                    rule = f"must be in 0..{self._program.below - 1}"
                    _require(most < self._program.below, "number of the report", rule, most)
                case Keep(index, value):
                    self._index(index, self._program.cells, bounds)
                    most = self.largest(value, bounds)
                    rule = f"must be in 0..{self._program.kept_below - 1}"
                    _require(most < self._program.kept_below, "cell", rule, most)
                case When(condition, yes, no):
                    self._compare(condition, bounds)
                    first, second = _bounded(condition, bounds), dict(bounds)
                    self.block(yes, first)
                    self.block(no, second)
                    bounds.clear()
                    bounds.update({n: max(first[n], second[n]) for n in first if n in second})
                case Retry(body, until):
                    _forget(body, bounds)
                    self.block(body, bounds)
                    self._compare(until, bounds)
                    bounds.update(_bounded(until, bounds))
                case Loop():
                    self._loop(statement, bounds)

    def _loop(self, loop: Loop, bounds: Bounds) -> None:
        _require(loop.count >= 1, "count", "must be at least 1", loop.count)
        _forget(loop.body, bounds)
        _require(
            all(target != loop.index for target in _written(loop.body)),
            *(loop.index.name, "must not be written in its loop"),
        )
        if loop.condition is not None:
            self._compare(loop.condition, bounds)
        inside = dict(bounds)
        self._set(loop.index, loop.count - 1, inside)
        self.block(loop.body, inside)

    def largest(self, expression: Expression, bounds: Bounds) -> int:
        """The largest value of an expression."""
        most = self._largest(expression, bounds)
        _require(most <= LARGEST, "expression", f"must be at most {LARGEST}", most)
        return most

    def _largest(self, expression: Expression, bounds: Bounds) -> int:
        match expression:
            case Constant(value):
                _require(value >= 0, "constant", "must be at least 0", value)
                return value
            case Variable(name):
                _require(name in bounds, name, "must be set before it is read")
                return bounds[name]
            case PrivateNumber(index):
                rule = "must be an array, to have numbers"
                _require(self._program.length > 0, "value", rule)
                self._index(index, self._program.length, bounds)
                return self._program.inputs - 1
            case Private(upper):
                _require(not self._program.length, "value", "must be read number by number")
                _require(self._program.wide or not upper, "value", "must be wide to have halves")
                return self._program.largest_private(upper)
            case ProgramEntry(table, index):
                _require(min(table) >= 0, "table", "must hold no negative number", min(table))
                self._index(index, len(table), bounds)
                return max(table)
            case Slot(index):
                self._index(index, self._program.numbers, bounds)
                return self._program.below - 1
            case Kept(index):
                self._index(index, self._program.cells, bounds)
                return self._program.kept_below - 1
            case Choice(condition, yes, no):
                self._compare(condition, bounds)
                return max(self.largest(yes, bounds), self.largest(no, bounds))
            case Operation(operator, left, right):
                most = self.largest(left, bounds)
                return joined(operator, most, right, self.largest(right, bounds))
        raise ParameterError("expression", "must be one of the form's", type(expression))

    def _compare(self, condition: Comparator, bounds: Bounds) -> None:
        self.largest(condition.left, bounds)
        self.largest(condition.right, bounds)

    def _index(self, index: Expression, size: int, bounds: Bounds) -> None:
        most = self.largest(index, bounds)
        _require(most < size, "index", f"must be in 0..{size - 1}", most)

    def _set(self, target: Variable, most: int, bounds: Bounds) -> None:
        _require(_NAME.fullmatch(target.name) is not None, "name", "must be a-z_", target.name)
        below = self._ranges.setdefault(target.name, target.below)
        _require(below == target.below, target.name, "must have one range", target.below)
        _require(most < below, target.name, f"must be in 0..{below - 1}", most)
        bounds[target.name] = most


def joined(operator: Operator, left: int, right: Expression, most: int) -> int:
    """The largest value of an operation from those of its parts.

    Args:
        operator: what joins them.
        left: the largest value of the left part.
        right: the right part itself: a constant tells more than its largest value.
        most: the largest value of the right part.

    Raises:
        ParameterError: a shift can be 64 or more, or a divisor is no positive constant.
    """
    if operator is Operator.ADD:
        return left + most
    if operator is Operator.MULTIPLY:
        return left * most
    if operator is Operator.AND:
        return min(left, most)
    if operator in (Operator.OR, Operator.XOR):
        return (1 << (left | most).bit_length()) - 1
    if operator in (Operator.LEFT, Operator.RIGHT):
        _require(most < _BITS, "shift", f"must be in 0..{_BITS - 1}", most)
        if operator is Operator.LEFT:
            return left << most
        return left >> most if isinstance(right, Constant) else left
    divides = isinstance(right, Constant) and right.value > 0
    _require(divides, "divisor", "must be a positive constant", right)
    return left // most if operator is Operator.DIVIDE else min(left, most - 1)


def _bounded(condition: Comparator, bounds: Bounds) -> Bounds:
    """The bounds where the condition holds."""
    found = dict(bounds)
    match condition:
        case Comparator(ProgramRelation.LESS, Variable(name), Constant(limit)) if limit:
            found[name] = min(found[name], limit - 1)
        case Comparator(ProgramRelation.AT_MOST, Variable(name), Constant(limit)):
            found[name] = min(found[name], limit)
    return found


def _forget(body: Block, bounds: Bounds) -> None:
    """Widen what a loop writes to its whole range, if it is set at all."""
    for target in _written(body):
        if target.name in bounds:
            bounds[target.name] = target.below - 1


def _written(body: Block) -> Iterator[Variable]:
    for statement in body:
        match statement:
            case Draw(target) | Recall(target) | Assign(target):
                yield target
            case When(_, yes, no):
                yield from _written(yes + no)
            case Retry(inner):
                yield from _written(inner)
            case Loop(index, _, inner):
                yield index
                yield from _written(inner)


def _require(holds: bool, argument: str, rule: str, got: object = None) -> None:
    if not holds:
        raise ParameterError(argument, rule, *(() if got is None else (got,)))
