"""Test vectors: a value, the words that are read, and the report that they must make."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ldp_verified.run.program.form import (
    Comparator,
    Constant,
    Draw,
    Loop,
    Operation,
    Operator,
    ProgramEntry,
    Variable,
)
from ldp_verified.run.program.interpret import interpret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.program.form import PrivateValue, Program


class Vector(NamedTuple):
    """One report that given words make.

    Attributes:
        value: 0..inputs-1, or a tuple of such numbers.
        words: all that are read, of the program's width.
        report: its numbers.
        what: which boundary is tried; empty for words that look random.
        cells: what is kept before it; () for a client that is new.
        after: what is kept after it.
    """

    value: PrivateValue
    words: tuple[int, ...]
    report: tuple[int, ...]
    what: str = ""
    cells: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


IN_A_ROW: Final = 3
"""Reports of one client that keeps answers, among vectors."""


def vectors_of(
    program: Program, count: int = 64, planes: bool = False, in_a_row: int = IN_A_ROW
) -> list[Vector]:
    """The interpreter's answers to boundary words in every place, among words from a hash.

    Args:
        program: what draws a report.
        count: how many at the least; there are more where boundary words need them.
        planes: whether words of planes agree with their masks until one of them: long tapes.
        in_a_row: reports of one client, where it keeps something; more than the usual number is for
            clients whose next report depends on how many they gave.
    """
    values = _values(program, in_a_row)
    found: list[Vector] = []
    for place, word in itertools.product(_PLACES, _thinned(boundary_words(program), program)):
        value = values[len(found) % len(values)]
        number, at = len(found), place
        if place < 0:
            at = max(0, interpret(program, value, _hashed(program, number)).words - 1)
        hashed = enumerate(_hashed(program, number))
        tried = (word if i == at else other for i, other in hashed)
        cells = found[-1].after if number % in_a_row else ()
        found.append(_answered(program, value, tried, f"word {at} is {word}", cells))
    for tape, what in _late_planes(program) if planes else ():
        value = values[len(found) % len(values)]
        words = itertools.chain(tape, _hashed(program, len(found)))
        found.append(_answered(program, value, words, what))
    found = list({(*vector[:3], vector.cells): vector for vector in found}.values())
    for number in itertools.count(len(found)):
        if len(found) >= count:
            return found
        cells = found[-1].after if found and number % in_a_row else ()
        tail = _hashed(program, number)
        found.append(_answered(program, values[number % len(values)], tail, cells=cells))
    raise AssertionError  # the count has no end


def _values(program: Program, in_a_row: int) -> list[PrivateValue]:
    """Values that vectors take one after the other."""
    numbers = sorted({0, program.inputs // 2, program.inputs - 1})
    if program.length:
        same: list[PrivateValue] = [(number,) * program.length for number in numbers]
        return [*same, *(_any_numbers(program, turn) for turn in range(8))]
    if program.inputs > _FEW or in_a_row > IN_A_ROW:  # most have ones and zeros among their bits
        numbers += [_any_value(program, turn) for turn in range(4)]
    return [*numbers]


_FEW = 1 << 60
"""Values of a program whose vectors hold the first, the middle and the last one alone."""


def _any_value(program: Program, turn: int) -> int:
    """A value that looks random and is the same everywhere."""
    text = f"{program.name} value {turn}".encode()
    return int.from_bytes(hashlib.sha256(text).digest(), "little") % program.inputs


def _any_numbers(program: Program, turn: int) -> tuple[int, ...]:
    """Random-looking numbers: of four turns the first has hardly a 0, the last hardly another."""
    found = []
    for place in range(program.length):
        text = f"{program.name} value {turn} {place}".encode()
        number = int.from_bytes(hashlib.sha256(text).digest(), "little")
        found.append(0 if number % 4 < turn % 4 else (number >> 2) % program.inputs)
    return tuple(found)


_PLACES = (0, 1, -1)
"""Where boundary words are tried: first, second and last."""

_MOST = 1 << 12
"""Numbers of the reports that boundary words make, together, beyond which not all are tried."""


def _thinned(words: list[int], program: Program) -> list[int]:
    """Some of very many boundary words, and the last one: powers may have a thousand digits."""
    step = max(1, len(_PLACES) * len(words) * program.numbers // _MOST)
    return words[::step] if step == 1 else [*words[::step], words[-1]]


def boundary_words(program: Program) -> list[int]:
    """The first and last words, and words at and beside limits of comparisons and of shares.

    A share is what words are divided by: the first, second and last ones that fit are taken.
    """
    largest = (1 << program.width) - 1
    found = {0, largest}
    for limit in _limits(program.body, largest):
        found |= {limit + step for step in (-1, 0, 1)}
    return sorted(word for word in found if 0 <= word <= largest)


def _limits(node: Any, largest: int) -> Iterator[int]:
    match node:
        case tuple():
            for each in node:
                yield from _limits(each, largest)
            return
        case Comparator(_, _, Constant(limit)):
            yield limit
        case Comparator(_, _, ProgramEntry(table)):
            yield from table
        case Operation(Operator.DIVIDE, _, Constant(share)):
            yield from (share, 2 * share, (largest // share) * share)
    if is_dataclass(node):
        for field in fields(node):
            yield from _limits(getattr(node, field.name), largest)


def _late_planes(program: Program) -> Iterator[tuple[list[int], str]]:
    """Words that leave every lane undecided, but for one lane in one plane, and what is tried.

    Planes are loops that draw a word each and look up a mask by their index.
    """
    before = sum(isinstance(statement, Draw) for statement in program.body)
    masks = list(_masks(program.body))
    for plane in range(len(masks)):
        tape = [*itertools.islice(_hashed(program, plane), before), *masks]
        tape[before + plane] ^= 1 << (7 * plane % program.width)
        yield tape, f"one lane is decided by plane {plane} of {len(masks)}"


def _masks(block: Any) -> Iterator[int]:
    for statement in block:
        match statement:
            case Loop(index, _, body):
                drawn = any(isinstance(each, Draw) for each in body)
                tables = dict.fromkeys(_looked_up(body, index)) if drawn else ()
                for table in tables:
                    yield from table
                if not tables:
                    yield from _masks(body)


def _looked_up(node: Any, index: Variable) -> Iterator[tuple[int, ...]]:
    """Tables whose entries are looked up by a variable alone."""
    match node:
        case ProgramEntry(table, place) if place == index:
            yield table
        case tuple():
            for each in node:
                yield from _looked_up(each, index)
        case _ if is_dataclass(node):
            for field in fields(node):
                yield from _looked_up(getattr(node, field.name), index)


def _answered(
    program: Program, value: PrivateValue, tape: Any, what: str = "", cells: tuple[int, ...] = ()
) -> Vector:
    """The vector of a value and a tape that is long enough."""
    read: list[int] = []

    def words() -> Iterator[int]:
        for word in tape:
            read.append(word)
            yield word

    after = [*cells] or [0] * program.cells
    report = interpret(program, value, words(), after).report
    return Vector(value, tuple(read), report, what if read else "", cells, tuple(after))


def _hashed(program: Program, number: int) -> Iterator[int]:
    """Words that look random and are the same everywhere."""
    for place in itertools.count():
        text = f"{program.name} {number} {place}".encode()
        word = int.from_bytes(hashlib.sha256(text).digest()[:8], "little")
        yield word >> (64 - program.width)
