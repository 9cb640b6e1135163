"""The intermediate form of the code that draws one report: expressions, statements, programs.

Every integer is in 0..2^64 - 1 and there is no subtraction, so an expression has a largest value
that follows from those of its parts. `checking.check` computes it, and refuses what could leave
that range: a printing in any language then needs no more than unsigned 64-bit integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

LARGEST = (1 << 64) - 1
"""The largest integer of a program."""

PrivateValue = int | tuple[int, ...]
"""What a program reads: one integer, or as many as its values have."""


class Operator(Enum):
    """Operators on two integers; each value is the sign that Python and C write for it."""

    ADD = "+"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"
    AND = "&"
    OR = "|"
    XOR = "^"
    LEFT = "<<"
    RIGHT = ">>"


class ProgramRelation(Enum):
    """How two integers are compared; each value is the sign that Python and C write for it."""

    LESS = "<"
    AT_MOST = "<="
    UNEQUAL = "!="


class Expression:
    """An integer of a program; the operators of Python build larger ones."""

    def __add__(self, other: Expression | int) -> Operation:
        return Operation(Operator.ADD, self, as_expression(other))

    def __mul__(self, other: Expression | int) -> Operation:
        return Operation(Operator.MULTIPLY, self, as_expression(other))

    def __floordiv__(self, other: Expression | int) -> Operation:
        return Operation(Operator.DIVIDE, self, as_expression(other))

    def __mod__(self, other: Expression | int) -> Operation:
        return Operation(Operator.REMAINDER, self, as_expression(other))

    def __and__(self, other: Expression | int) -> Operation:
        return Operation(Operator.AND, self, as_expression(other))

    def __or__(self, other: Expression | int) -> Operation:
        return Operation(Operator.OR, self, as_expression(other))

    def __xor__(self, other: Expression | int) -> Operation:
        return Operation(Operator.XOR, self, as_expression(other))

    def __lshift__(self, other: Expression | int) -> Operation:
        return Operation(Operator.LEFT, self, as_expression(other))

    def __rshift__(self, other: Expression | int) -> Operation:
        return Operation(Operator.RIGHT, self, as_expression(other))

    def less(self, other: Expression | int) -> Comparator:
        """The comparison self < other."""
        return Comparator(ProgramRelation.LESS, self, as_expression(other))

    def at_most(self, other: Expression | int) -> Comparator:
        """The comparison self <= other."""
        return Comparator(ProgramRelation.AT_MOST, self, as_expression(other))

    def unequal(self, other: Expression | int) -> Comparator:
        """The comparison self != other."""
        return Comparator(ProgramRelation.UNEQUAL, self, as_expression(other))


@dataclass(frozen=True)
class Constant(Expression):
    """One integer."""

    value: int


@dataclass(frozen=True)
class Variable(Expression):
    """A named place for an integer in 0..below-1."""

    name: str
    below: int


@dataclass(frozen=True)
class Private(Expression):
    """The private value, in 0..inputs-1; of one that is wide, its lower half or its upper one."""

    upper: bool = False


@dataclass(frozen=True)
class PrivateNumber(Expression):
    """One number of a private value that has several, in 0..inputs-1."""

    index: Expression


@dataclass(frozen=True)
class Operation(Expression):
    """Two integers joined to one. Divisors are constants."""

    operator: Operator
    left: Expression
    right: Expression


@dataclass(frozen=True)
class ProgramEntry(Expression):
    """An entry of a table of constants."""

    table: tuple[int, ...]
    index: Expression


@dataclass(frozen=True)
class Slot(Expression):
    """A number of the report, as it was stored last; 0 before that."""

    index: Expression


@dataclass(frozen=True)
class Kept(Expression):
    """A cell that is kept between reports; 0 until something was kept in it."""

    index: Expression


@dataclass(frozen=True)
class Choice(Expression):
    """One of two integers."""

    condition: Comparator
    yes: Expression
    no: Expression


@dataclass(frozen=True)
class Comparator:
    """A comparison of two integers."""

    relation: ProgramRelation
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Draw:
    """The next word of the program's width goes to a variable."""

    target: Variable


@dataclass(frozen=True)
class Recall:
    """The word that the key of the device gives for a number goes to a variable."""

    target: Variable
    index: Expression


@dataclass(frozen=True)
class Assign:
    """An integer goes to a variable."""

    target: Variable
    value: Expression


@dataclass(frozen=True)
class Store:
    """An integer becomes a number of the report."""

    index: Expression
    value: Expression


@dataclass(frozen=True)
class Keep:
    """An integer goes to a cell that is kept between reports."""

    index: Expression
    value: Expression


@dataclass(frozen=True)
class When:
    """One of two blocks."""

    condition: Comparator
    yes: Block
    no: Block = ()


@dataclass(frozen=True)
class Loop:
    """A block `count` times, with the index 0, 1, ..., until the condition fails.

    Attributes:
        condition: looked at before each round; None to go through all of them.
    """

    index: Variable
    count: int
    body: Block
    condition: Comparator | None = None


@dataclass(frozen=True)
class Retry:
    """A block again and again until the condition holds after it: rejection."""

    body: Block
    until: Comparator


Statement = Draw | Recall | Assign | Store | Keep | When | Loop | Retry
Block = tuple[Statement, ...]


@dataclass(frozen=True)
class Key:
    """A secret that a client drew once and keeps, and a function from numbers to words.

    Attributes:
        first: the first cell of it.
        cells: how many it has.
        listed: whether the cells are the function's words themselves, so that a key of uniform
            words is a uniform function: for trials with every key. Else `keyed` has the function.
    """

    first: int
    cells: int
    listed: bool = False


@dataclass(frozen=True)
class Program:
    """How one report of a private value is drawn from uniform words.

    Attributes:
        name: what it draws; part of names in printings.
        inputs: private values are 0..inputs-1, or the numbers of a value are.
        width: bits of a word, 1..64.
        numbers: how many integers a report is.
        below: each of these is in 0..below-1.
        body: what is done.
        cells: how many integers are kept between reports.
        kept_below: each of these is in 0..kept_below-1, which is at most 2^32.
        half: bits of one half of a value, where there are more than 2^half of them: a value is
            then wide, and inputs are a multiple of 2^half.
        key: what words are recalled by; None where none are.
        length: how many numbers a value is; 0 where it is one integer and no array.
        changing: whether cells that hold something are written again. Else what was kept stays.
    """

    name: str
    inputs: int
    width: int
    numbers: int
    below: int
    body: Block
    cells: int = 0
    kept_below: int = 1
    half: int = 64
    key: Key | None = None
    length: int = 0
    changing: bool = False

    @property
    def values(self) -> int:
        """Return how many private values there are."""
        return int(self.inputs ** max(1, self.length))

    def value_of(self, number: int) -> PrivateValue:
        """One of all private values: of arrays the one with these digits, the last one lowest.

        Args:
            number: 0..values-1.
        """
        if not self.length:
            return number
        digits = []
        for _ in range(self.length):
            number, digit = divmod(number, self.inputs)
            digits.append(digit)
        return tuple(reversed(digits))

    @property
    def wide(self) -> bool:
        """Return whether a value has two halves."""
        return self.inputs > 1 << self.half

    def largest_private(self, upper: bool) -> int:
        """The largest integer of a value, or of one of its halves."""
        if not self.wide:
            return 0 if upper else self.inputs - 1
        return (self.inputs >> self.half) - 1 if upper else (1 << self.half) - 1


def as_expression(value: Expression | int) -> Expression:
    """An integer as a constant; an expression as it is."""
    return Constant(value) if isinstance(value, int) else value
