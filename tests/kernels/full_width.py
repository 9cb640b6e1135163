"""What samplers do at 64 bits with the words at and beside a program's limits, and capped twins.

A program's limits are written from the realized thresholds, and its kernel's constants are found
from them otherwise: where both read the same words they must make the same reports.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import fields, is_dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ldp_verified.protocols as p
from ldp_verified.run.kernels.compiled import compiled
from ldp_verified.run.kernels.noise import geometric_sampler
from ldp_verified.run.kernels.rounding import BITS, UNIT
from ldp_verified.run.program.form import Comparator, Constant, Operation, Operator
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.vectors import boundary_words
from tests.mechanisms.parameters import CLASSES, is_numeric, usual

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program import Program
    from ldp_verified.run.program.interpret import DrawnReport

LARGEST = (1 << 64) - 1
MOST_PAIRS = 2_000
"""Beyond so many pairs of limits in neighbouring places, they are tried in one place at a time."""

Report = tuple[tuple[int, ...], int] | None
"""Numbers and words read; None where the words were too few."""

MADE: dict[str, Any] = {
    **{name: made(**usual(made)) for name, made in CLASSES.items()},
    "GRR of many": CLASSES["GRR"](1.0, 3_000_000),
    "OLH of shares": CLASSES["OLH"](1.0, 1000, g=3),
    "THE": CLASSES["THE"](kept=Fraction(3), raised=Fraction(5, 3), k=5),
    "Laplace": CLASSES["Laplace"](1.0, grid=32),
    "HCMS of three rows": CLASSES["HCMS"](2.0, 64, 16, 3, 1),
    "Hybrid of a sign": CLASSES["Hybrid"](0.1),
    "Hybrid of one cell": CLASSES["Hybrid"](43.0),
    "SquareWave of one cell": CLASSES["SquareWave"](25.0),
    "HPGR": p.HPGR(1.0, 100),
    "DuchiVector": p.DuchiVector(1.0, 6),
    "DuchiVector of odd": p.DuchiVector(1.0, 3),
    "SphereVector": p.SphereVector(1.0, 16, lines=4),
    "SHE": p.SHE(1.0, 3, 4),
    "Gaussian": p.Gaussian(1.0, 1e-6),
}
"""Every public class that has a sampler, and further sizes where another kernel is chosen."""


class Given(NamedTuple):
    """What a kernel is given so that it draws the program's report: inputs, words and the report.

    Attributes:
        points: inputs of the kernel. words: as many as it reads. report: that it must give.
    """

    points: list[int]
    words: list[int]
    report: tuple[int, ...]


def same_words(_: Any, value: Any, tape: list[int], drawn: DrawnReport) -> Given:
    """The kernel reads what the program reads."""
    return Given([value], tape[: drawn.words], drawn.report)


def after_rounding(made: Any, value: int, tape: list[int], drawn: DrawnReport) -> Given:
    """The first word rounds the position to the grid, by a comparison with fractions."""
    whole, rest = divmod(value * made.steps, UNIT)
    point = whole + (tape[0] >> (64 - BITS) < rest)
    return Given([point], tape[1 : drawn.words], drawn.report)


def bit_by_bit(made: Any, value: int, tape: list[int], drawn: DrawnReport) -> Given:
    """One number after the other, each with noise of its own."""
    steps = made.number.steps
    points = [steps * (each == value) for each in range(made.k)]
    return Given(points, tape[: drawn.words], drawn.report)


def corner(made: Any, value: tuple[int, ...], tape: list[int], drawn: DrawnReport) -> Given:
    """The kernel chooses by the program's last word, and takes its corner if it is of that kind."""
    rounded = enumerate(zip(tape, value, strict=False))
    signs = sum((word >> (64 - BITS) < number) << j for j, (word, number) in rounded)
    assert len(value) == made.d
    return Given([signs], [tape[drawn.words - 1], *drawn.report], drawn.report)


def rank(made: Any, _: int, tape: list[int], drawn: DrawnReport) -> Given:
    """The kernel chooses by the program's last word, and takes its rank within the kind."""
    found = drawn.report[-1]
    own = found - made.favoured if found >= made.favoured else found
    return Given([0], [tape[drawn.words - 1], own], (found,))


class Reading(NamedTuple):
    """How a class is replayed.

    Attributes:
        sampler: the kernel that reads the program's words. given: what it is given for a report.
    """

    sampler: Callable[[Any], Sampler]
    given: Callable[..., Given]


def own_sampler(made: Any) -> Sampler:
    """The kernel that reports are drawn with."""
    found: Sampler = made.sampler()
    return found


def geometric_words(made: Any) -> Sampler:
    """The kernel of noise that reads words as devices do, where the table is too large or not."""
    return geometric_sampler(*getattr(made, "number", made).thresholds)


READINGS: dict[str, Reading] = {
    "Geometric": Reading(geometric_words, after_rounding),
    "Laplace": Reading(geometric_words, after_rounding),
    "SHE": Reading(geometric_words, bit_by_bit),
    "Staircase": Reading(lambda made: made.plain_sampler(), after_rounding),
    "DuchiVector": Reading(own_sampler, corner),
    "SphereVector": Reading(own_sampler, rank),
}
"""By the class, where it is not as `reading` finds it."""


def reading(made: Any) -> Reading:
    """How a class is replayed: numbers after a word that rounds, others word by word."""
    usually = after_rounding if is_numeric(type(made)) else same_words
    return READINGS.get(type(made).__name__, Reading(own_sampler, usually))


def program_of(made: Any) -> Program:
    """The program of a report, or of what it is drawn from."""
    found: Program = made.draws() if isinstance(made, p.SphereVector) else made.program()
    return found


def in_python(sampler: Sampler, points: list[int], words: list[int]) -> Report:
    """What the kernel makes of words as it is written."""
    out = [0] * (sampler.columns * len(points))
    done, used = sampler.fill(points, out, words, *sampler.constants)
    return (tuple(out), used) if done == len(points) else None


def in_machine_code(sampler: Sampler, points: list[int], words: list[int]) -> Report:
    """What the compiled kernel makes of words."""
    given = np.array(points, dtype=np.uint64 if sampler.unsigned else np.int64)
    out = np.zeros(sampler.columns * len(points), dtype=sampler.dtype)
    tape = np.array(words, dtype=np.uint64)
    done, used = compiled(sampler.fill)(given, out, tape, *sampler.arrays)
    return (tuple(out.tolist()), used) if done == len(points) else None


FORMS = (in_python, in_machine_code)


def limits(program: Program) -> list[int]:
    """Boundary words, and those at and beside limits of words that are shifted right."""
    found = set(boundary_words(program))
    for limit in _shifted(program.body):
        found |= {limit + step for step in (-1, 0, 1)}
    return sorted(word for word in found if 0 <= word <= LARGEST)


def _shifted(node: Any) -> Iterator[int]:
    """Words that are a limit once they are shifted."""
    match node:
        case tuple():
            for each in node:
                yield from _shifted(each)
        case Comparator(_, Operation(Operator.RIGHT, _, Constant(shift)), Constant(limit)):
            yield limit << shift
    if is_dataclass(node):
        for field in fields(node):
            yield from _shifted(getattr(node, field.name))


def values_of(program: Program) -> list[Any]:
    """The first, a middle and the last value; of numbers, those at which rounding has a choice."""
    numbers = sorted({0, program.inputs // 3, program.inputs - 1})
    return [(number,) * program.length for number in numbers] if program.length else numbers


def tapes(program: Program, value: Any, rng: np.random.Generator) -> Iterator[list[int]]:
    """Words at and beside limits in every place that is read, and in pairs of places if few."""

    def random_tape() -> list[int]:
        drawn = rng.integers(0, LARGEST, 400, dtype=np.uint64, endpoint=True)
        return [int(word) for word in drawn]

    found = limits(program)
    tape = random_tape()
    read = interpret(program, value, tape).words
    for place, word in product(range(read), found):
        if place == 0:
            tape = random_tape()
        yield [*tape[:place], word, *tape[place + 1 :]]
    # What a program draws last may follow words that it rejected: then it is elsewhere.
    yield from _last(program, value, random_tape, found)
    if len(found) ** 2 * (read - 1) <= MOST_PAIRS:
        for place, one, other in product(range(read - 1), found, found):
            yield [*tape[:place], one, other, *tape[place + 2 :]]


def _last(
    program: Program, value: Any, random_tape: Callable[[], list[int]], found: list[int]
) -> Iterator[list[int]]:
    for word in found:
        tape = random_tape()
        tape[interpret(program, value, tape).words - 1] = word
        yield tape


def wrong_reports(made: Any, sampler: Sampler, rng: np.random.Generator) -> int:
    """How many reports a kernel draws otherwise than the program, in either form."""
    program, given = program_of(made), reading(made).given
    wrong = 0
    for value in values_of(program):
        for tape in tapes(program, value, rng):
            points, words, report = given(made, value, tape, interpret(program, value, tape))
            wanted = (report, len(words))
            wrong += any(form(sampler, points, words) != wanted for form in FORMS)
    return wrong


def factories() -> dict[str, Any]:
    """Each function of the kernels that makes a sampler, by its name."""
    return {
        name: made
        for module in [*sys.modules.values()]
        if module.__name__.startswith("ldp_verified.run.kernels.")
        for name, made in vars(module).items()
        if name.endswith("_sampler") and getattr(made, "__module__", "") == module.__name__
    }


THRESHOLDS = {"deny", "inside", "lie", "mix", "one", "share", "threshold", "thresholds", "zero"}
"""Arguments of `factories` that are compared with words."""


def capped(number: Any) -> Any:
    """A threshold above 2^50 without its last 24 of 64 bits; of a table each."""
    if isinstance(number, (tuple, list)):
        return [capped(each) for each in number]
    return number >> 24 << 24 if isinstance(number, int) and number > 1 << 50 else number


def plant_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every function that makes a sampler keep 40 bits of its thresholds."""

    def with_cap(_: str, make: Any, given: dict[str, Any]) -> Any:
        return make(**{name: capped(v) if name in THRESHOLDS else v for name, v in given.items()})

    _replace(monkeypatch, with_cap)


def watch(monkeypatch: pytest.MonkeyPatch, asked: set[str]) -> None:
    """Have every function that makes a sampler note its name."""

    def noted(name: str, make: Any, given: dict[str, Any]) -> Any:
        asked.add(name)
        return make(**given)

    _replace(monkeypatch, noted)


def _replace(monkeypatch: pytest.MonkeyPatch, by: Callable[..., Any]) -> None:
    """Put something in the place of every function that makes a sampler, wherever it is held."""

    def stand_in(name: str, make: Any) -> Any:
        signature = inspect.signature(make)
        return lambda *args, **named: by(name, make, signature.bind(*args, **named).arguments)

    found = {id(make): stand_in(name, make) for name, make in factories().items()}
    for module in [*sys.modules.values()]:
        if module.__name__.startswith(("ldp_verified.", "tests.kernels.full_width")):
            for name, held in [*vars(module).items()]:
                if id(held) in found:
                    monkeypatch.setattr(module, name, found[id(held)])
