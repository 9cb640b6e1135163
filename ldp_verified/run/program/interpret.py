"""The reference: a program carried out statement by statement, as its form says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ldp_verified.errors import DomainError, LdpError
from ldp_verified.run.program.form import (
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
from ldp_verified.run.program.keyed import keyed_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ldp_verified.run.program.form import Block, PrivateValue, Program


class DrawnReport(NamedTuple):
    """The report that a program drew, and what it took.

    Attributes:
        report: its numbers.
        words: how many words were read.
    """

    report: tuple[int, ...]
    words: int


class OutOfWordsError(LdpError):
    """The words that were given do not suffice for a report."""

    code = "LDPE-WORDS"


def interpret(
    program: Program,
    value: PrivateValue,
    words: Iterable[int],
    cells: list[int] | None = None,
) -> DrawnReport:
    """The report of a value that the given words make.

    Args:
        program: one that `checking.check` lets pass.
        value: 0..inputs-1; of arrays a tuple of such integers.
        words: integers in 0..2^width - 1, as many as it reads or more.
        cells: what is kept between reports, which changes; None for a client that is new.

    Raises:
        DomainError: the value is outside the domain; the message does not say which it is.
        OutOfWordsError: there are too few words.
    """
    if not is_value(program, value):
        raise DomainError("value", rule_of_values(program))
    run = _Run(program, value, iter(words), [0] * program.cells if cells is None else cells)
    run.block(program.body)
    return DrawnReport(tuple(run.report), run.read)


def is_value(program: Program, value: PrivateValue) -> bool:
    """Return whether a program can read a value.

    Args:
        program: what reads it.
        value: an integer, or a tuple of integers.
    """
    if isinstance(value, tuple):
        inside = all(0 <= number < program.inputs for number in value)
        return program.length == len(value) > 0 and inside
    return not program.length and 0 <= value < program.inputs


def rule_of_values(program: Program) -> str:
    """The rule that a private value must keep, as a phrase.

    Args:
        program: what reads it.
    """
    if program.length:
        return f"must be an array of {program.length} integers in 0..{program.inputs - 1}"
    return f"must be an integer in 0..{program.inputs - 1}"


class _Run:
    """The state of one run: variables, the report so far, words that are left."""

    def __init__(
        self, program: Program, value: PrivateValue, words: Iterator[int], cells: list[int]
    ) -> None:
        self._cells, self._key = cells, program.key
        self._value = value if isinstance(value, int) else 0
        self._numbers = value if isinstance(value, tuple) else ()
        self._half = program.half
        self._words = words
        self._variables: dict[str, int] = {}
        self.report = [0] * program.numbers
        self.read = 0

    def block(self, block: Block) -> None:
        """Carry out the statements in order."""
        for statement in block:
            match statement:
                case Draw(target):
                    word = next(self._words, None)
                    if word is None:
                        raise OutOfWordsError("words", f"must be more than {self.read}")
                    self.read += 1
                    self._variables[target.name] = word
                case Recall(target, index) if self._key is not None:
                    number = self.integer(index)
                    self._variables[target.name] = keyed_word(self._key, self._cells, number)
                case Assign(target, value):
                    self._variables[target.name] = self.integer(value)
                case Store(index, value):
                    self.report[self.integer(index)] = self.integer(value)
                case Keep(index, value):
                    self._cells[self.integer(index)] = self.integer(value)
                case When(condition, yes, no):
                    self.block(yes if self.holds(condition) else no)
                case Retry(body, until):
                    self.block(body)
                    while not self.holds(until):
                        self.block(body)
                case Loop(index, count, body, condition):
                    for turn in range(count):
                        if condition is not None and not self.holds(condition):
                            break
                        self._variables[index.name] = turn
                        self.block(body)

    def integer(self, expression: Expression) -> int:
        """The value of an expression."""
        match expression:
            case Constant(value):
                return value
            case Variable(name):
                return self._variables[name]
            case Private(upper):
                lower = (1 << self._half) - 1
                return self._value >> self._half if upper else self._value & lower
            case PrivateNumber(index):
                return self._numbers[self.integer(index)]
            case ProgramEntry(table, index):
                return table[self.integer(index)]
            case Slot(index):
                return self.report[self.integer(index)]
            case Kept(index):
                return self._cells[self.integer(index)]
            case Choice(condition, yes, no):
                return self.integer(yes if self.holds(condition) else no)
            case Operation(operator, left, right):
                return join(operator, self.integer(left), self.integer(right))
        raise AssertionError(f"checked programs hold no {type(expression)}")

    def holds(self, condition: Comparator) -> bool:
        """Return whether a comparison is true."""
        left, right = self.integer(condition.left), self.integer(condition.right)
        if condition.relation is ProgramRelation.LESS:
            return left < right
        return left <= right if condition.relation is ProgramRelation.AT_MOST else left != right


def join(operator: Operator, left: int, right: int) -> int:
    """The value of an operation on two integers."""
    match operator:
        case Operator.ADD:
            return left + right
        case Operator.MULTIPLY:
            return left * right
        case Operator.DIVIDE:
            return left // right
        case Operator.REMAINDER:
            return left % right
        case Operator.AND:
            return left & right
        case Operator.OR:
            return left | right
        case Operator.XOR:
            return left ^ right
        case Operator.LEFT:
            return left << right
        case Operator.RIGHT:
            return left >> right
