"""Cases at small widths beside those of mechanisms on values: points in blocks, signs."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.kernels import hyperplanes as planes
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.program.form import ProgramEntry
from ldp_verified.run.program.hashed_groups import ListedFunctions
from ldp_verified.run.program.hyperplanes import hyperplane
from ldp_verified.run.program.lattice import rounded_lattice
from ldp_verified.run.program.rounds import round_answer
from ldp_verified.run.program.sign_columns import sign_of_column
from tests.program.cases import Case, is_point, number_case, one_report

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Block, Expression
    from tests.program.cases import Drawn

    Law = dict[tuple[int, ...], Fraction]


def block_case(k: int, q: int, t: int, blocks: int, deny: int, width: int) -> Case:
    """A point of some block; those on the value's hyperplane in its own are likelier."""
    # The index of a point: fewer digits after the 1 first, then by what they write.
    vectors = sorted(v for v in itertools.product(range(q), repeat=t) if is_point(v))
    size, denied = -(-k // blocks), Fraction(deny, 1 << width)

    def table(value: int) -> Law:
        own, vector = divmod(value, size)[0], vectors[value % size]
        on = {
            (b, i): b == own and sum(x * y for x, y in zip(v, vector, strict=True)) % q == 0
            for b in range(blocks)
            for i, v in enumerate(vectors)
        }
        held = sum(on.values())
        shares = {True: (1 - denied) / held, False: denied / (len(on) - held)}
        return {(b * len(vectors) + i,): shares[each] for (b, i), each in on.items()}

    made = hyperplane("hpgr", k, q, t, deny, width, blocks)
    return Case(made, planes.block_sampler(k, q, t, blocks, deny, width), 4, table)


COLUMNS = ((3, 6, 5, 0), (1, 4, 2, 0))
"""Both halves of the columns of numbers; none has the last one."""


def sign_case(bits: int, lie: int, words: int) -> Case:
    """A number of three, and the sign of the value under its column."""
    size, share = 8, Fraction(lie, 8)

    def truth(value: int, number: int) -> int:
        whole = value << (6 - bits)
        return ((COLUMNS[0][number] << 3 | COLUMNS[1][number]) & whole).bit_count() & 1

    def table(value: int) -> Law:
        pairs = itertools.product(range(3), range(2))
        return {(i, y): (1 - share if y == truth(value, i) else share) / 3 for i, y in pairs}

    def draw(value: int, read: list[int]) -> Drawn:
        place = next((i for i, word in enumerate(read) if word < size - 2), len(read))
        if place + 2 > len(read):
            return None
        number, word = read[place] >> 1, read[place + 1]
        return (number, word // lie if word < 2 * lie else truth(value, number)), place + 2

    def columns(number: Expression) -> tuple[Block, tuple[Expression, Expression]]:
        return (), (ProgramEntry(COLUMNS[0], number), ProgramEntry(COLUMNS[1], number))

    made = sign_of_column("signs", bits, lie, columns, 3)
    shape = (1 << bits, (), (), (2,), np.dtype(np.uint64), 3, 3, 2)
    return Case(made, Sampler(one_report(draw), *shape), words, table)


def round_case(published: tuple[int, ...], answers: int, hashed: bool) -> Case:
    """A function of two, and whether a value was published, or which."""
    words, share = ((9, 6), (13, 7)), Fraction(1, 8)

    def truth(value: int, function: int) -> int:
        whole = value << 3
        place = {each: i + 1 for i, each in enumerate(published)}.get(whole, 0)
        if not hashed:
            return place
        seed = words[0][function] | words[1][function] << 4
        bucket = (seed & whole).bit_count() & 1
        return (bucket + 1 if place else 0) if published else bucket

    def table(value: int) -> Law:
        pairs = itertools.product(range(2), range(answers))
        rest = 1 - (answers - 1) * share
        return {(i, y): (rest if y == truth(value, i) else share) / 2 for i, y in pairs}

    def draw(value: int, read: list[int]) -> Drawn:
        if len(read) < 2:
            return None
        function, word = read[0] % 2, read[1]
        return (function, word // 2 if word < 2 * answers else truth(value, function)), 2

    functions = ListedFunctions(False, 2, 1, (*words, ())) if hashed else 2
    made = round_answer("round", 5, (5, 5), functions, published, (answers, 2), 4)
    shape = (32, (), (), (2,), np.dtype(np.uint64), 4, 1, 2)
    return Case(made, Sampler(one_report(draw), *shape), 2, table)


WEIGHTS = (3, 4, 9)
"""Of noise, in sixteenths: a second word of two bits decides at both cuts."""


def lattice_case(m: int) -> Case:
    """Both words of the noise are read, whether the first decides or not."""

    def draw(value: int, read: list[int]) -> Drawn:
        if len(read) < 2:
            return None
        number = 4 * read[0] + read[1]
        return (value + sum(cut <= number for cut in itertools.accumulate(WEIGHTS[:-1])),), 2

    def pmf(y: int, point: int) -> Fraction:
        return Fraction(WEIGHTS[y - point], 16) if 0 <= y - point < len(WEIGHTS) else Fraction(0)

    inner = Sampler(one_report(draw), m + 1, (), (), (1,), np.dtype(np.uint64), 2, 2, 2)
    made = number_case(rounded_lattice("gaussian", m, WEIGHTS, 2, 2), inner, m, 2, 3, pmf)
    # Noise of a bounded range reaches some reports from some places alone.
    return made._replace(table=lambda x: {y: mass for y, mass in made.table(x).items() if mass})


FURTHER: dict[str, Case] = {
    "hpgr": block_case(3, 2, 2, 2, 3, 3),
    "sign_matrix": sign_case(3, 1, 3),
    "first_round": round_case((), 2, True),
    "later_round": round_case((200, 80, 88), 3, True),
    "gaussian": lattice_case(2),
    "last_round": round_case((200, 80, 88), 4, False),
}
FURTHER_SIZES: dict[str, Case] = {
    "hpgr_two": block_case(2, 2, 2, 2, 3, 3),
    "sign_matrix_two": sign_case(1, 1, 3),
    "hpgr_five": block_case(5, 2, 2, 2, 3, 3),
}
"""The same at other numbers of values; `make test-clients` runs them."""
