"""A program printed as straight Python: one function that draws one report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ldp_verified.errors import ParameterError
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
    Recall,
    Retry,
    Slot,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.interpret import join
from ldp_verified.run.program.keyed import keyed_word
from ldp_verified.run.program.printed import FunctionLines

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.program.form import Block, PrivateValue, Program
    from ldp_verified.run.program.words import WordBuffer

    Payload = int | tuple[int, ...]

MOST_UNROLLED: Final = 64
"""Rounds of loops that are written out one by one."""

Fixed = dict[str, int]
"""Variables whose values are known when the text is written: indices of loops written out."""


def python_text(program: Program, plain: bool = True) -> str:
    """The text of `make(words, more, renew, owner, getpid, check, kept)`, and its `report(value)`.

    Args:
        program: what draws a report.
        plain: whether an int in 0..inputs-1, or a tuple of them, needs no further check; `check`
            gives what the program reads of everything else, or refuses it.
    """
    return _Printer(program, plain).text()


def python_function(
    program: Program,
    buffer: WordBuffer,
    getpid: Callable[[], int],
    check: Callable[[object], PrivateValue],
    plain: bool = True,
    kept: list[int] | None = None,
) -> Callable[[object], Payload]:
    """The printed function, at work on a buffer of words.

    Args:
        program: what draws a report.
        buffer: words of the program's width.
        getpid: the number of this process.
        check: what the program reads of a value, or an error.
        plain: as in `python_text`.
        kept: the cells that are kept between reports, which change; None where there are none.
    """
    cells = [0] * program.cells if kept is None else kept
    names: dict[str, Callable[..., Any]] = {}
    key = program.key
    if key is not None:
        names["recall"] = lambda number: keyed_word(key, cells, number)
    exec(compile(python_text(program, plain), f"<program of {program.name}>", "exec"), names)
    made: Callable[[object], Payload] = names["make"](
        buffer.words, buffer.more, buffer.renew, buffer.owner, getpid, check, cells
    )
    return made


class _Printer(FunctionLines):
    """One text, line by line."""

    def __init__(self, program: Program, plain: bool) -> None:
        super().__init__(program)
        self._plain = plain
        # Numbers of a report that are stored at places known now, and never read, need no list.
        self._listed = not _places_known(program.body, frozenset())

    def text(self) -> str:
        """The whole text."""
        program = self._program
        self._lines = [
            "def make(words, more, renew, owner, getpid, check, kept):",
            "    take = words.pop",
            "    def report(value):",
            "        if getpid() != owner[0]:",
            "            renew()",
        ]
        if self._plain:
            self._lines.append(f"        if {self._refused()}:")
        self._lines.append(f"        {'    ' if self._plain else ''}value = check(value)")
        if self._listed:
            self._lines.append(f"        out = [0] * {program.numbers}")
        else:
            stored = _always_stored(program.body, {})
            missing = (place for place in range(program.numbers) if place not in stored)
            self._lines += [f"        out_{place} = 0" for place in missing]
        self._block(program.body, 2, {})
        if self._listed:
            payload = "tuple(out)"
        elif program.numbers == 1:
            payload = "out_0"
        else:
            payload = "(" + ", ".join(f"out_{i}" for i in range(program.numbers)) + ")"
        self._lines += [f"        return {payload}", "    return report"]
        return "\n".join(self._lines) + "\n"

    def _refused(self) -> str:
        """Return the condition of what is no plain value."""
        inputs, length = self._program.inputs, self._program.length
        if not length:
            return f"type(value) is not int or not 0 <= value < {inputs}"
        inside = f"all(type(each) is int and 0 <= each < {inputs} for each in value)"
        return f"type(value) is not tuple or len(value) != {length} or not {inside}"

    def _block(self, block: Block, depth: int, fixed: Fixed) -> None:
        for statement in block:
            match statement:
                case Draw(target):
                    name = f"v_{target.name}"
                    # A word is taken, not looked for first: another thread may take the last.
                    self._put(depth, "try:")
                    self._put(depth + 1, f"{name} = take()")
                    self._put(depth, "except IndexError:")
                    self._put(depth + 1, f"{name} = more()")
                case Recall(target, index):
                    word = f"recall({self._integer(index, fixed)})"
                    self._put(depth, f"v_{target.name} = {word}")
                case Assign(target, value):
                    self._put(depth, f"v_{target.name} = {self._integer(value, fixed)}")
                case Store(index, value):
                    place = self._integer(index, fixed)
                    slot = f"out[{place}]" if self._listed else f"out_{place}"
                    self._put(depth, f"{slot} = {self._integer(value, fixed)}")
                case Keep(index, value):
                    cell = f"kept[{self._integer(index, fixed)}]"
                    self._put(depth, f"{cell} = {self._integer(value, fixed)}")
                case When(condition, yes, no):
                    self._put(depth, f"if {self._comparison(condition, fixed)}:")
                    self._block(yes, depth + 1, fixed)
                    if not yes:
                        self._put(depth + 1, "pass")
                    if no:
                        self._put(depth, "else:")
                        self._block(no, depth + 1, fixed)
                case Retry(body, until):
                    self._put(depth, "while True:")
                    self._block(body, depth + 1, fixed)
                    self._put(depth + 1, f"if {self._comparison(until, fixed)}:")
                    self._put(depth + 2, "break")
                case Loop():
                    self._loop(statement, depth, fixed)

    def _loop(self, loop: Loop, depth: int, fixed: Fixed) -> None:
        if loop.condition is None and loop.count <= MOST_UNROLLED:
            for turn in range(loop.count):
                self._block(loop.body, depth, {**fixed, loop.index.name: turn})
            return
        self._put(depth, f"for v_{loop.index.name} in range({loop.count}):")
        if loop.condition is not None:
            self._put(depth + 1, f"if not {self._comparison(loop.condition, fixed)}:")
            self._put(depth + 2, "break")
        self._block(loop.body, depth + 1, fixed)

    def _comparison(self, condition: Comparator, fixed: Fixed) -> str:
        left, right = (self._integer(each, fixed) for each in (condition.left, condition.right))
        return f"({left} {condition.relation.value} {right})"

    def _integer(self, expression: Expression, fixed: Fixed) -> str:
        known = folded(expression, fixed)
        if known is not None:
            return str(known)
        match expression:
            case Variable(name):
                return f"v_{name}"
            case Private(upper):
                if not self._program.wide:
                    return "value"
                half = self._program.half
                return f"(value >> {half})" if upper else f"(value & {(1 << half) - 1})"
            case PrivateNumber(index):
                return f"value[{self._integer(index, fixed)}]"
            case ProgramEntry(table, index):
                return f"{table}[{self._integer(index, fixed)}]"
            case Slot(index):
                return f"out[{self._integer(index, fixed)}]"
            case Kept(index):
                return f"kept[{self._integer(index, fixed)}]"
            case Choice(condition, yes, no):
                first, second = self._integer(yes, fixed), self._integer(no, fixed)
                return f"({first} if {self._comparison(condition, fixed)} else {second})"
            case Operation(operator, left, right):
                sign = "//" if operator is Operator.DIVIDE else operator.value
                if folded(right, fixed) == 0 and operator in (Operator.LEFT, Operator.RIGHT):
                    return self._integer(left, fixed)
                return f"({self._integer(left, fixed)} {sign} {self._integer(right, fixed)})"
        raise ParameterError("expression", "must be one of the form's", type(expression))


def folded(expression: Expression, fixed: Fixed) -> int | None:
    """The value of an expression where the indices in it are known; None where it has others."""
    match expression:
        case Constant(value):
            return value
        case Variable(name):
            return fixed.get(name)
        case ProgramEntry(table, index):
            place = folded(index, fixed)
            return None if place is None else table[place]
        case Operation(operator, left, right):
            first, second = folded(left, fixed), folded(right, fixed)
            return None if first is None or second is None else join(operator, first, second)
    return None


def _places_known(block: Block, known: frozenset[str] | None) -> bool:
    """Return whether each number of a report has its place when the text is written.

    Args:
        block: statements.
        known: the indices of the loops around it; None if one of these is not written out.
    """
    for statement in block:
        match statement:
            case Assign(_, value) | Keep(_, value) | Recall(_, value):
                if _reads_slots(value):
                    return False
            case Store(index, value):
                if known is None or not _of_indices(index, known) or _reads_slots(value):
                    return False
            case Loop(index, count, body, condition):
                inner = None
                if known is not None and condition is None and count <= MOST_UNROLLED:
                    inner = known | {index.name}
                if not _places_known(body, inner):
                    return False
            case When(_, yes, no):
                if not _places_known(yes + no, known):
                    return False
            case Retry(body):
                if not _places_known(body, known):
                    return False
    return True


def _always_stored(block: Block, fixed: Fixed) -> set[int]:
    """The numbers of a report that a block stores whatever it reads, at places known now."""
    found: set[int] = set()
    for statement in block:
        match statement:
            case Store(index, _):
                place = folded(index, fixed)
                found |= set() if place is None else {place}
            case When(_, yes, no):
                found |= _always_stored(yes, fixed) & _always_stored(no, fixed)
            case Retry(body):
                found |= _always_stored(body, fixed)
            case Loop(index, count, body) if count <= MOST_UNROLLED:  # longer ones store nothing
                for turn in range(count):
                    found |= _always_stored(body, {**fixed, index.name: turn})
    return found


def _of_indices(expression: Expression, known: frozenset[str]) -> bool:
    """Return whether an expression has nothing in it but constants and indices of loops."""
    match expression:
        case Constant():
            return True
        case Variable(name):
            return name in known
        case Operation(_, left, right):
            return _of_indices(left, known) and _of_indices(right, known)
    return False


def _reads_slots(expression: Expression) -> bool:
    match expression:
        case Slot():
            return True
        case ProgramEntry(_, index) | Kept(index) | PrivateNumber(index):
            return _reads_slots(index)
        case Choice(condition, yes, no):
            return any(map(_reads_slots, (condition.left, condition.right, yes, no)))
        case Operation(_, left, right):
            return _reads_slots(left) or _reads_slots(right)
    return False
