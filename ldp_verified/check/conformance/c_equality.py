"""Decide whether the C that a program is printed as is the program, at 64 bits, for every word.

Statement by statement the text has the program's draws, loops and branches. Of each expression in
it a solver shows, over bit-vectors, that it has the value of the program's, whatever the variables
are. So both do the same on every sequence of words, however long.

`run.program.checking.check` has seen that no operation of a program leaves 64 bits, so a program's
integers are bit-vectors. The function that reads a word from bytes, those that keep cells and those
that recall words are not looked at; nor is the compiler.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ldp_verified.check.conformance.c_text import CStatement, CTerm, read_body, read_tables
from ldp_verified.errors import SpecError
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
    Private,
    PrivateNumber,
    ProgramEntry,
    Recall,
    Retry,
    Slot,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.state import FIRST_CELL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ldp_verified.run.program.form import Block, Program

_SIGNS = {
    "+": "bvadd",
    "-": "bvsub",
    "*": "bvmul",
    "/": "bvudiv",
    "%": "bvurem",
    "&": "bvand",
    "|": "bvor",
    "^": "bvxor",
    "<<": "bvshl",
    ">>": "bvlshr",
}
_TESTS = {"<": "bvult", "<=": "bvule", ">": "bvugt", ">=": "bvuge"}
_SIGNED = {"<": "bvslt", "<=": "bvsle", ">": "bvsgt", ">=": "bvsge"}

_SECONDS = 20

_NUMBERS = "held"
"""The function of the solver that has the numbers of a private value that is an array."""


@dataclass(frozen=True)
class CEquality:
    """The result of comparing a C text with a program.

    Attributes:
        status: "proved", "refuted", or "sampled" where the solver did not decide.
        shown: how many pairs of expressions are equal.
        undecided: the pairs that the solver did not decide, or what is otherwise in the text.
        witness: of the first pair that differs, the variables' values; None if none does.
        where: that pair, as the solver read it.
    """

    status: str
    shown: int
    undecided: tuple[str, ...] = ()
    witness: Mapping[str, int] | None = None
    where: str = ""


def c_equals_program(
    program: Program, text: str, solver: Sequence[str] = ("z3", "-in"), seconds: int = _SECONDS
) -> CEquality:
    """Compare a program with the text of its header.

    Args:
        program: one that `checking.check` lets pass, with words of 64 bits.
        text: of the header.
        solver: the command of an SMT solver that reads SMT-LIB 2 from its input.
        seconds: for each pair of expressions.

    Raises:
        SpecError: the text is no C as it is printed, or words have other than 64 bits.
    """
    if program.width != 64:
        raise SpecError("width", "must be 64", program.width)
    pairs = _Pairs(program, read_tables(text))
    try:
        pairs.block(program.body, read_body(text, program.name, bool(program.cells)))
    except _OtherwiseError as error:
        return CEquality("refuted", 0, (str(error),), where=str(error))
    answers = _asked(pairs, solver, seconds)
    undecided = tuple(pair for pair, answer in answers if answer is None)
    for pair, answer in answers:
        if isinstance(answer, dict):
            return CEquality("refuted", len(answers) - 1, undecided, answer, pair)
    status = "sampled" if undecided else "proved"
    return CEquality(status, len(answers) - len(undecided), undecided)


class _OtherwiseError(Exception):
    """The text has another statement where the program has one."""


@dataclass
class _Pairs:
    """Pairs of terms that must be equal, and what they are made of."""

    program: Program
    tables: Mapping[str, tuple[int, ...]]
    below: dict[str, int] = field(default_factory=dict)
    found: list[tuple[str, str]] = field(default_factory=list)

    def block(self, block: Block, statements: Sequence[CStatement]) -> None:
        """Statement beside statement."""
        if len(block) != len(statements):
            raise _OtherwiseError(
                f"{len(statements)} statements where the program has {len(block)}"
            )
        for ours, theirs in zip(block, statements, strict=True):
            self._statement(ours, theirs)

    def _statement(self, ours: object, theirs: CStatement) -> None:
        name = self.program.name
        match ours, theirs:
            case Draw(target), CStatement("draw", (place,)):
                self._same_variable(target, place)
            case Recall(target, index), CStatement("assign", (place, CTerm(head, (_, number)))) if (
                head == f"call {name}_recall"
            ):
                self._same_variable(target, place)
                self._equal(index, number)
            case Assign(target, value), CStatement("assign", (place, term)):
                self._same_variable(target, place)
                self._equal(value, term)
            case Store(index, value), CStatement("store", (CTerm("[]", (array, at)), term)) if (
                array.head == "report"
            ):
                self._equal(index, at)
                self._equal(value, term)
            case Keep(index, value), CStatement("call", (CTerm(head, (_, cell, term)),)) if (
                head == f"call {name}_put"
            ):
                self._equal(index + FIRST_CELL, cell)
                self._equal(value, term)
            case When(condition, yes, no), CStatement("if", (test,), (theirs_yes, theirs_no)):
                self._same_test(condition, test)
                self.block(yes, theirs_yes)
                self.block(no, theirs_no)
            case Retry(body, until), CStatement("do", (test,), (block,)):
                self.block(body, block)
                self._same_test(until, test)
            case Loop(index, count, body, condition), CStatement("for", (place, test), (block,)):
                self._same_variable(index, place)
                if condition is not None:
                    if test.head != "&&":
                        raise _OtherwiseError(f"a loop over {index.name} without its condition")
                    test, more = test.parts
                    self._same_test(condition, more)
                if test.head != "<" or test.parts != (place, CTerm(count)):
                    raise _OtherwiseError(f"a loop over {index.name} of another length")
                self.block(body, block)
            case _:
                raise _OtherwiseError(
                    f"`{theirs.kind}` where the program has {type(ours).__name__}"
                )

    def _same_variable(self, ours: Variable, theirs: CTerm) -> None:
        self._known(ours)
        if theirs != CTerm(f"v_{ours.name}"):
            raise _OtherwiseError(f"another variable than {ours.name}")

    def _known(self, variable: Variable) -> str:
        """A variable's name; the largest of its ranges is what is taken for granted."""
        name = f"v_{variable.name}"
        self.below[name] = max(self.below.get(name, 0), variable.below)
        return name

    def _equal(self, ours: Expression, theirs: CTerm) -> None:
        self.found.append((self.ours(ours), self.theirs(theirs)))

    def _same_test(self, ours: Comparator, theirs: CTerm) -> None:
        self.found.append((self._our_test(ours), self._their_test(theirs)))

    def ours(self, expression: Expression) -> str:
        """A term for an expression of the program."""
        match expression:
            case Constant(value):
                return _number(value)
            case Variable():
                return self._known(expression)
            case Private(upper):
                name = "upper" if upper else "value"
                self.below[name] = 1 + self.program.largest_private(upper)
                return name
            case PrivateNumber(index):
                return f"({_NUMBERS} {self.ours(index)})"
            case ProgramEntry(table, index):
                return f"({self._table(table)} {self.ours(index)})"
            case Slot(index):
                return f"(report {self.ours(index)})"
            case Kept(index):
                return f"(cell {self.ours(index + FIRST_CELL)})"
            case Choice(condition, yes, no):
                return f"(ite {self._our_test(condition)} {self.ours(yes)} {self.ours(no)})"
            case Operation(operator, left, right):
                return f"({_SIGNS[operator.value]} {self.ours(left)} {self.ours(right)})"
        raise SpecError("program", "must have expressions of its form", type(expression).__name__)

    def _our_test(self, condition: Comparator) -> str:
        left, right = self.ours(condition.left), self.ours(condition.right)
        sign = condition.relation.value
        if sign == "!=":
            return f"(not (= {left} {right}))"
        return f"({_TESTS[sign]} {left} {right})"

    def _table(self, table: tuple[int, ...]) -> str:
        for name, entries in self.tables.items():
            if entries == table:
                return name
        raise _OtherwiseError("a table of other entries than the program's")

    def theirs(self, term: CTerm) -> str:
        """A term for an expression of the text: all of it is uint64_t."""
        match term:
            case CTerm(int(value)):
                return _number(value)
            case CTerm("?:", (test, yes, no)):
                return f"(ite {self._their_test(test)} {self.theirs(yes)} {self.theirs(no)})"
            case CTerm("[]", (array, index)) if array.head in {"report", *self.tables}:
                return f"({array.head} {self.theirs(index)})"
            case CTerm("[]", (array, index)) if self.program.length and array.head == "value":
                return f"({_NUMBERS} {self.theirs(index)})"
            case CTerm("cast uint32_t", (part,)):
                return f"(bvand {self.theirs(part)} {_number((1 << 32) - 1)})"
            case CTerm("cast uint64_t" | "cast int64_t", (part,)):
                return self.theirs(part)
            case CTerm("unary ~", (part,)):
                return f"(bvnot {self.theirs(part)})"
            case CTerm(str(head), (_, cell)) if head == f"call {self.program.name}_get":
                return f"(cell {self.theirs(cell)})"
            case CTerm(str(sign), (left, right)) if sign in _SIGNS:
                return f"({_SIGNS[sign]} {self.theirs(left)} {self.theirs(right)})"
            case CTerm(str(name), ()) if name in self.below:
                return name
        raise _OtherwiseError(f"`{term.head}`, which the program has nothing of")

    def _their_test(self, term: CTerm) -> str:
        match term:
            case CTerm("!=" | "==" as sign, (left, right)):
                same = f"(= {self.theirs(left)} {self.theirs(right)})"
                return f"(not {same})" if sign == "!=" else same
            case CTerm(str(sign), (left, right)) if sign in _TESTS:
                signed = left.head == right.head == "cast int64_t"
                names = _SIGNED if signed else _TESTS
                return f"({names[sign]} {self.theirs(left)} {self.theirs(right)})"
        raise _OtherwiseError(f"`{term.head}` where the program compares")


def _number(value: int) -> str:
    return f"(_ bv{value & (1 << 64) - 1} 64)"


def _asked(
    pairs: _Pairs, solver: Sequence[str], seconds: int
) -> list[tuple[str, dict[str, int] | bool | None]]:
    """Each pair with True if it is equal, a witness if not, None if that is not known."""
    asked = list(dict.fromkeys(pairs.found))
    lines = [f"(set-option :timeout {seconds * 1000})"]
    lines += [f"(declare-const {name} (_ BitVec 64))" for name in pairs.below]
    lines += [
        f"(declare-fun {name} ((_ BitVec 64)) (_ BitVec 64))"
        for name in ("report", "cell", _NUMBERS, *pairs.tables)
    ]
    lines += [
        f"(assert (bvult {name} {_number(below)}))"
        for name, below in pairs.below.items()
        if below < 1 << 64
    ]
    names = " ".join(pairs.below)
    for ours, theirs in asked:
        lines += ["(push)", f"(assert (not (= {ours} {theirs})))", "(check-sat)"]
        lines += [*([f"(get-value ({names}))"] if names else []), "(pop)", '(echo "next")']
    limit = 60 + seconds * len(asked)
    script = "\n".join(lines)
    run = subprocess.run(
        solver, input=script, capture_output=True, text=True, timeout=limit, check=False
    )
    answers = run.stdout.split("next\n")[:-1]
    if len(answers) != len(asked):
        raise SpecError(
            "solver", "must answer every question", run.stdout[-200:] + run.stderr[-200:]
        )
    return [
        (f"{ours} = {theirs}", _read(answer))
        for (ours, theirs), answer in zip(asked, answers, strict=True)
    ]


def _read(answer: str) -> dict[str, int] | bool | None:
    status, _, rest = answer.partition("\n")
    if status == "unsat":
        return True
    return dict(_values(rest)) if status == "sat" else None


def _values(text: str) -> Iterator[tuple[str, int]]:
    for match in re.finditer(r"\((\w+) #x([0-9a-f]+)\)", text):
        yield match[1], int(match[2], 16)
