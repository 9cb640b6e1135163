"""Expressions in JavaScript: every integer is some limbs, each a Number of at most 32 bits.

How many limbs an expression has follows from its largest value. Operations on bits, comparisons and
choices go limb by limb; arithmetic whose result has one limb is done on Numbers, which are exact
there, and all other arithmetic on BigInt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.checking import joined
from ldp_verified.run.program.form import (
    LARGEST,
    Assign,
    Choice,
    Constant,
    Expression,
    Keep,
    Kept,
    Operation,
    Operator,
    Private,
    PrivateNumber,
    ProgramEntry,
    ProgramRelation,
    Slot,
    Store,
    Variable,
)
from ldp_verified.run.program.state import FIRST_CELL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.program.form import Comparator, Program

_ATOM = re.compile(r"\w+")
_BITWISE = (Operator.AND, Operator.OR, Operator.XOR)


class Limbs:
    """Lines of a function, the tables that it reads, and its variables.

    Args:
        program: what is printed.
        limb: bits of a limb, 1..32.
    """

    def __init__(self, program: Program, limb: int) -> None:
        self.program = program
        self.limb = limb
        self.lines: list[str] = []
        self._tables: dict[tuple[int, ...], str] = {}
        self._variables: dict[str, None] = {}
        self._fresh = 0

    def tables(self) -> list[str]:
        """Declarations of the tables, each once, and one for each limb."""
        lines = []
        for table, name in self._tables.items():
            for j in range(self.parts(max(table))):
                entries = ", ".join(str(self._limb_of(entry, j)) for entry in table)
                lines.append(f"const {name}_{j} = [{entries}];")
        return [*lines, ""] if lines else []

    def variables(self) -> list[str]:
        """Declarations of the variables and of the report's numbers."""
        numbers = range(self.parts(self.program.below - 1))
        return [
            *(f"  let {name} = 0;" for name in self._variables),
            *(f"  const out_{j} = new Array(numbers).fill(0);" for j in numbers),
        ]

    def joined_report(self) -> str:
        """The report: its only number, or an array of them; Numbers, or BigInts of many limbs."""
        count = self.parts(self.program.below - 1)
        if count == 1:
            return "out_0[0]" if self.program.numbers == 1 else "out_0"
        if self.program.numbers == 1:
            return self.as_big([f"out_{j}[0]" for j in range(count)])
        number = self.as_big([f"out_{j}[i]" for j in range(count)])
        return f"out_0.map((_, i) => {number})"

    def as_big(self, parts: Sequence[str]) -> str:
        """Limbs as one BigInt."""
        shifted = [f"BigInt({part})" for part in parts]
        return " | ".join(
            each if j == 0 else f"{each} << {self.limb * j}n" for j, each in enumerate(shifted)
        )

    def put(self, depth: int, line: str) -> None:
        """Add a line of code."""
        self.lines.append("  " * depth + line)

    def fresh(self, letter: str) -> str:
        """A name that nothing has."""
        self._fresh += 1
        return f"{letter}{self._fresh}"

    def name(self, variable: Variable) -> str:
        """The name of a variable, without the number of a limb."""
        for j in range(self.parts(variable.below - 1)):
            self._variables.setdefault(f"v_{variable.name}_{j}")
        return f"v_{variable.name}"

    def parts(self, largest: int) -> int:
        """Return the number of limbs that hold the integers up to the largest one."""
        return max(1, -(-largest.bit_length() // self.limb))

    def write(self, statement: Assign | Store | Keep, depth: int) -> None:
        """Give a variable, a number of the report or a cell its value."""
        if isinstance(statement, Assign):
            value = self.integer(statement.value, depth)
            self.keep(self.name(statement.target), value, statement.target.below - 1, depth)
            return
        value = self.integer(statement.value, depth)
        index = self.index(statement.index, depth)
        if isinstance(statement, Keep):
            parts = self._fitted(value, self.program.kept_below - 1)
            shifted = (f"{part} << {self.limb * j}" if j else part for j, part in enumerate(parts))
            self.put(depth, f"put(state, {FIRST_CELL} + {index}, ({' | '.join(shifted)}) >>> 0);")
            return
        for j, part in enumerate(self._fitted(value, self.program.below - 1)):
            self.put(depth, f"out_{j}[{index}] = {part};")

    def keep(self, name: str, value: Sequence[str], largest: int, depth: int) -> None:
        """Assign limb by limb. Checked programs have no more in a value than its place holds."""
        parts = self._fitted(value, largest)
        if len(parts) > 1:  # a limb may be read for a later one
            parts = [self._atom(part, depth) for part in parts]
        for j, part in enumerate(parts):
            self.put(depth, f"{name}_{j} = {part};")

    def comparison(self, condition: Comparator, depth: int) -> str:
        """A condition, from the uppermost limb down."""
        left = [self._atom(part, depth) for part in self.integer(condition.left, depth)]
        right = [self._atom(part, depth) for part in self.integer(condition.right, depth)]
        count = max(len(left), len(right))
        left, right = (each + ["0"] * (count - len(each)) for each in (left, right))
        pairs = list(zip(left, right, strict=True))
        if condition.relation is ProgramRelation.UNEQUAL:
            return " || ".join(f"{a} !== {b}" for a, b in pairs)
        found = f"{left[0]} {condition.relation.value} {right[0]}"
        for a, b in pairs[1:]:
            found = f"{a} < {b} || ({a} === {b} && ({found}))"
        return found

    def integer(self, expression: Expression, depth: int) -> list[str]:
        """The limbs of an expression, the lowest first; lines that they need are printed."""
        match expression:
            case Constant(value):
                return [str(self._limb_of(value, j)) for j in range(self.parts(value))]
            case Variable():
                name = self.name(expression)
                return [f"{name}_{j}" for j in range(self.parts(expression.below - 1))]
            case Private(upper):
                begin = self.program.half // self.limb if upper else 0
                count = self.parts(self.program.largest_private(upper))
                return [f"x_{begin + j}" for j in range(count)]
            case PrivateNumber(index):
                place = self.index(index, depth)
                return [f"x_{j}[{place}]" for j in range(self.parts(self.program.inputs - 1))]
            case ProgramEntry(table, index):
                place = self.index(index, depth)
                name = self._tables.setdefault(table, f"table{len(self._tables)}")
                return [f"{name}_{j}[{place}]" for j in range(self.parts(max(table)))]
            case Slot(index):
                place = self.index(index, depth)
                return [f"out_{j}[{place}]" for j in range(self.parts(self.program.below - 1))]
            case Kept(index):
                place = self.index(index, depth)
                cell = self._atom(f"get(state, {FIRST_CELL} + {place})", depth)
                count, mask = self.parts(self.program.kept_below - 1), (1 << self.limb) - 1
                if count == 1:
                    return [cell]
                return [f"(({cell} >>> {self.limb * j} & {mask}) >>> 0)" for j in range(count)]
            case Choice(condition, yes, no):
                held = self._atom(f"({self.comparison(condition, depth)})", depth)
                chosen = self.integer(yes, depth), self.integer(no, depth)
                first, second = (self._fitted(each, self.largest(expression)) for each in chosen)
                return [f"({held} ? {a} : {b})" for a, b in zip(first, second, strict=True)]
            case Operation(operator, left, right):
                sides = self.integer(left, depth), self.integer(right, depth)
                largest = self.largest(expression)
                if operator in _BITWISE:
                    first, second = (self._fitted(each, largest) for each in sides)
                    sign = operator.value
                    pairs = zip(first, second, strict=True)
                    return [f"(({a} {sign} {b}) >>> 0)" for a, b in pairs]
                most = self.largest(right)
                if len(sides[0]) == len(sides[1]) == self.parts(largest) == 1:
                    quick = _quick(operator, sides[0][0], sides[1][0], most)
                    if quick is not None:
                        return [quick]
                sign = operator.value
                name = self.fresh("t")
                first_big, second_big = (self._big(each) for each in sides)
                self.put(depth, f"const {name} = {first_big} {sign} {second_big};")
                return self._split(name, largest)
        raise ParameterError("expression", "must be one of the form's", type(expression))

    def largest(self, expression: Expression) -> int:
        """A largest value of an expression, wherever it stands in the program."""
        match expression:
            case Constant(value):
                return value
            case Variable(_, below):
                return below - 1
            case Private(upper):
                return self.program.largest_private(upper)
            case PrivateNumber():
                return self.program.inputs - 1
            case ProgramEntry(table):
                return max(table)
            case Slot():
                return self.program.below - 1
            case Kept():
                return self.program.kept_below - 1
            case Choice(_, yes, no):
                return max(self.largest(yes), self.largest(no))
            case Operation(operator, left, right):
                # What is known where it stands may be less, and is checked to be at most this.
                found = joined(operator, self.largest(left), right, self.largest(right))
                return min(found, LARGEST)
        raise ParameterError("expression", "must be one of the form's", type(expression))

    def _limb_of(self, value: int, j: int) -> int:
        return value >> (self.limb * j) & ((1 << self.limb) - 1)

    def _fitted(self, value: Sequence[str], largest: int) -> list[str]:
        """The limbs of a value, as many as the largest value has; those above are 0."""
        count = self.parts(largest)
        return [*value[:count], *["0"] * (count - len(value))]

    def _atom(self, text: str, depth: int) -> str:
        """The name of what may be read more than once."""
        if _ATOM.fullmatch(text):
            return text
        name = self.fresh("t")
        self.put(depth, f"const {name} = {text};")
        return name

    def index(self, index: Expression, depth: int) -> str:
        """An index as one Number: no table has 2^32 entries."""
        parts = self.integer(index, depth)
        if len(parts) == 1:
            return parts[0]
        return f"Number({self._big(parts)})"

    def _big(self, parts: Sequence[str]) -> str:
        """Limbs as one BigInt that may be a part of something."""
        if all(part.isdigit() for part in parts):
            return f"{sum(int(part) << (self.limb * j) for j, part in enumerate(parts))}n"
        return f"({self.as_big(parts)})" if len(parts) > 1 else self.as_big(parts)

    def _split(self, value: str, largest: int) -> list[str]:
        """The limbs of a BigInt."""
        mask = (1 << self.limb) - 1
        count = self.parts(largest)
        if count == 1:
            return [f"Number({value} & {mask}n)"]
        return [f"Number({value} >> {self.limb * j}n & {mask}n)" for j in range(count)]


def _quick(operator: Operator, left: str, right: str, most: int) -> str | None:
    """Arithmetic on Numbers below 2^32 whose result is one too; None where there is none.

    Args:
        operator: what is done.
        left: one side. right: the other.
        most: the largest value of the right side: JavaScript shifts by it modulo 32.
    """
    match operator:
        case Operator.ADD | Operator.MULTIPLY | Operator.REMAINDER:
            return f"({left} {operator.value} {right})"
        case Operator.DIVIDE:
            # A quotient that is rounded to 53 bits has the right integer part below 2^53.
            return f"(({left} / {right}) >>> 0)"
        case Operator.LEFT if most < 32:
            return f"(({left} << {right}) >>> 0)"
        case Operator.RIGHT if most < 32:
            return f"({left} >>> {right})"
    return None
