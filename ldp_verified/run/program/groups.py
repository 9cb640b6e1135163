"""Programs put together from others: a group is drawn, and its program reports on the value.

A group is drawn without a look at the value, by rejection, as `protocols.uniform` does it. Then one
of several programs reports on a function of the value. The group says which; so the number of words
tells no more than the report, if that holds for each of the programs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, Final

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    LARGEST,
    Assign,
    Block,
    Constant,
    Expression,
    Private,
    PrivateNumber,
    Program,
    ProgramEntry,
    Slot,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.parts import fair

if TYPE_CHECKING:
    from collections.abc import Sequence

_LETTERS: Final = 26


_NOTHING: Final = Constant(0)


@dataclass(frozen=True)
class InnerProgram:
    """A program that reports on a function of the value, within a larger one.

    Attributes:
        program: what draws the report.
        held: what it reads in the place of a value, of the larger program's value.
        place: the number of the report at which its own begin.
        code: what is added to each of its numbers.
        most: the largest integer that this is.
    """

    program: Program
    held: Expression
    place: int = 0
    code: Expression = _NOTHING
    most: int = 0


class Names:
    """Names for the variables of programs that are put together: one name has one range.

    Args:
        taken: the variables of the larger program, which no part may write.
    """

    def __init__(self, *taken: Variable) -> None:
        self._taken = {variable.name for variable in taken}
        self._known: dict[tuple[str, int], str] = {}

    def renamed(self, variable: Variable) -> Variable:
        """A variable of a part, under a name that only those of its name and range have."""
        key = variable.name, variable.below
        if key not in self._known:
            name, number = variable.name, 0
            while name in self._taken:
                number += 1
                name = f"{variable.name}_{_letters(number)}"
            self._taken.add(name)
            self._known[key] = name
        return Variable(self._known[key], variable.below)

    def placed(self, part: InnerProgram, chosen: Block | None = None) -> Block:
        """The statements of a part.

        Args:
            part: of the larger program.
            chosen: the statements that set what it reads; None for those of the part itself.
        """
        own: Block = (self.reads(part),) if chosen is None else chosen
        moved: Block = _moved(part.program.body, part, self._held(part), self)
        return (*own, *moved)

    def reads(self, part: InnerProgram) -> Assign:
        """The statement that sets what a part reads in the place of the value."""
        return Assign(self._held(part), part.held)

    def _held(self, part: InnerProgram) -> Variable:
        return self.renamed(Variable("held", part.program.inputs))


def _letters(number: int) -> str:
    """1, 2, ... as b, c, ..., z, ba, ..."""
    more, last = divmod(number, _LETTERS)
    return (_letters(more) if more else "") + chr(ord("a") + last)


def _moved(node: Any, part: InnerProgram, held: Variable, names: Names) -> Any:
    """A tree of a part's program, as it stands in the larger one."""
    match node:
        case Private():
            return held
        case PrivateNumber():
            rule = "must read one integer, to be a part: its value is an array"
            raise ParameterError("program", rule, part.program.name)
        case Variable():
            return names.renamed(node)
        case Constant():
            return node
        case ProgramEntry(table, index):
            return ProgramEntry(table, _moved(index, part, held, names))
        case Slot() if part.code != _NOTHING:
            raise ParameterError("program", "must not read its report, if numbers are added to it")
        case Slot(index):
            return Slot(_after(part.place, _moved(index, part, held, names)))
        case Store(index, value):
            place, number = (_moved(each, part, held, names) for each in (index, value))
            coded = number if part.code == _NOTHING else part.code + number
            return Store(_after(part.place, place), coded)
        case tuple():
            return tuple(_moved(each, part, held, names) for each in node)
    if not is_dataclass(node):
        return node
    changed = {f.name: _moved(getattr(node, f.name), part, held, names) for f in fields(node)}
    return replace(node, **changed)  # type: ignore[type-var]  # an instance, not a class


def _after(first: int, place: Expression) -> Expression:
    """A place, counted from another one than 0."""
    if first and isinstance(place, Constant):
        return Constant(first + place.value)
    return place + first if first else place


def digits_of(sizes: Sequence[int]) -> list[Expression]:
    """The numbers of a tuple that is one value: the last one is the lowest digit.

    Args:
        sizes: each number is below its own.
    """
    found, below = list[Expression](), 1
    for size in reversed(sizes):
        found.append(over(Private(), below) % size)
        below *= size
    return [over(Private(), below // sizes[0]), *found[-2::-1]]


def over(number: Expression, width: int) -> Expression:
    """A number divided by another one, which may be 1."""
    return number if width == 1 else number // width


def number_of(digits: Sequence[Expression], sizes: Sequence[int]) -> Expression:
    """The number whose digits these are, the last one lowest.

    Args:
        digits: one or more. sizes: each is below its own.
    """
    pairs = [pair for pair in zip(digits, sizes, strict=True) if pair[1] > 1]
    if not pairs:
        return Constant(0)
    found = pairs[0][0]
    for digit, size in pairs[1:]:
        found = found * size + digit
    return found


def told_value(sizes: Sequence[int]) -> str:
    """What `digits_of` takes, in words: for the head of a client.

    Args:
        sizes: numbers of values.
    """
    text = "x0"
    for place, size in enumerate(sizes[1:], 1):
        text = f"({text}) * {size} + x{place}" if place > 1 else f"{text} * {size} + x{place}"
    below = ", ".join(map(str, sizes))
    return f"A value is one integer: of numbers x0, x1, ... below {below} it is {text}."


def uniform(target: Variable, coin: Variable, width: int) -> Block:
    """A uniform number in 0..below-1: the word modulo `below`; words of no equal shares go.

    Args:
        target: where it goes. coin: where words go. width: of them, in bits.
    """
    words = 1 << width
    return (
        *fair(coin, words - words % target.below - 1, width),
        Assign(target, coin % target.below),
    )


def coin_of(width: int) -> Variable:
    """The variable that words go to which are drawn without a look at the value."""
    return Variable("coin", 1 << width)


def by_group(group: Variable, blocks: Sequence[tuple[int, Block]]) -> Block:
    """One of several blocks: the one of the group, which comparisons find.

    Args:
        group: a number.
        blocks: each with the first number that it is for, in order.
    """
    if all(block == blocks[0][1] for _, block in blocks):
        return blocks[0][1]
    half = len(blocks) // 2
    yes, no = by_group(group, blocks[:half]), by_group(group, blocks[half:])
    return (When(group.less(blocks[half][0]), yes, no),)


def one_of(name: str, inputs: int, parts: Sequence[InnerProgram], *, told: bool = False) -> Program:
    """A uniform group, and the report of its part.

    Groups beside each other that have one program have its statements once.

    Args:
        name: of the protocol.
        inputs: values are 0..inputs-1.
        parts: of the groups, in order.
        told: whether the first number of a report is the group; else `code` has to say it.

    Raises:
        ParameterError: the integers do not fit each other, or there are too many values.
    """
    width = parts[0].program.width
    group, coin = Variable("group", len(parts)), coin_of(width)
    body: Block = uniform(group, coin, width)
    if told:
        body += (Store(Constant(0), group),)
        parts = [replace(part, place=part.place + 1) for part in parts]
    names, blocks = Names(group, coin), list[tuple[int, Block]]()
    for _, run in groupby(enumerate(parts), lambda each: replace(each[1], held=Constant(0))):
        alike = list(run)
        reads = [(number, (names.reads(part),)) for number, part in alike]
        first, part = alike[0]
        blocks.append((first, names.placed(part, by_group(group, reads))))
    return together(name, inputs, (*body, *by_group(group, blocks)), parts, told * len(parts))


def all_of(name: str, inputs: int, parts: Sequence[InnerProgram]) -> Program:
    """The reports of all parts, one after the other.

    Args:
        name: of the protocol.
        inputs: values are 0..inputs-1.
        parts: in order; they are given their places here.

    Raises:
        ParameterError: the integers do not fit each other, or there are too many values.
    """
    names, body, placed = Names(), list[Block](), list[InnerProgram]()
    for part in parts:
        start = placed[-1].place + placed[-1].program.numbers if placed else 0
        placed.append(replace(part, place=start))
        body.append(names.placed(placed[-1]))
    return together(name, inputs, tuple(chain.from_iterable(body)), placed)


def together(
    name: str,
    inputs: int,
    body: Block,
    parts: Sequence[InnerProgram],
    below: int = 1,
    length: int = 0,
    numbers: int = 0,
) -> Program:
    """The program of statements that have parts in them, with a report as large as theirs need.

    Args:
        name: of the protocol.
        inputs: values are 0..inputs-1.
        body: the statements.
        parts: their programs.
        below: the end of the numbers that the statements store themselves.
        length: how many numbers a value is; 0 where it is one integer.
        numbers: how many a report has at the least.

    Raises:
        ParameterError: the integers do not fit each other, or there are too many values.
    """
    if inputs > LARGEST + 1:
        rule = "must have at most 2^64 values together, to be the input of one program"
        raise ParameterError("sizes", rule, inputs)
    numbers = max(numbers, *(part.place + part.program.numbers for part in parts))
    ends = [below, *(part.most + part.program.below for part in parts)]
    width = parts[0].program.width
    return check(Program(name, inputs, width, numbers, max(ends), body, length=length))
