"""The exact law of a program at a small width, and the realized table that it should be."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified import (
    BLH,
    GRR,
    HRR,
    OLH,
    OUE,
    SUE,
    BinaryRR,
    HadamardResponse,
    Warner,
)
from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.program.interpret import OutOfWordsError, interpret
from ldp_verified.run.program.schemes import one_hot
from tests.program.array_cases import ARRAY_CASES, ARRAY_SIZES
from tests.program.cases import MORE, MORE_SIZES, one_report
from tests.program.cells import law_of_cells
from tests.program.further_cases import FURTHER, FURTHER_SIZES
from tests.program.group_cases import GROUP_CASES
from tests.program.hashed_cases import HASHED, HASHED_SIZES
from tests.program.noise_cases import NOISE_CASES, NOISE_SIZES
from tests.program.planes import planes_sampler
from tests.program.set_cases import SET_CASES

if TYPE_CHECKING:
    from ldp_verified.run.program import Program
    from ldp_verified.run.realize import CellRealization

    Law = dict[tuple[int, ...], Fraction]

_BUILT = MORE | MORE_SIZES | GROUP_CASES | SET_CASES | HASHED | HASHED_SIZES
_BUILT |= FURTHER | FURTHER_SIZES | NOISE_CASES | NOISE_SIZES | ARRAY_CASES | ARRAY_SIZES
# name: (mechanism, word width, which of the ways to draw)
CASES: dict[str, tuple[Any, int, int]] = {
    "grr": (GRR(1.0, 3), 5, 0),
    "grr_two": (GRR(1.0, 2), 6, 0),
    "grr_five": (GRR(1.0, 5), 6, 0),
    "grr_wide": (GRR(1.0, 3), 4, 1),
    "olh_lanes": (OLH(1.0, 5, g=2), 4, 0),
    "olh_shares": (OLH(1.0, 4, g=3), 4, 0),
    "olh_composite": (OLH(1.2, 2, g=6), 5, 0),
    "blh": (BLH(1.0, 3), 4, 0),
    "sue": (SUE(2.3, 3), 2, 0),
    "oue": (OUE(1.5, 3), 2, 0),
    "binary_rr": (BinaryRR(1.0), 4, 0),
    "warner": (Warner(0.25), 3, 0),
    "hadamard_response": (HadamardResponse(1.0, 5), 4, 0),
    "hrr": (HRR(1.0, 5), 4, 0),
    "hadamard_two": (HadamardResponse(1.0, 2), 4, 0),
    "hadamard_three": (HadamardResponse(1.0, 3), 4, 0),
    "hrr_two": (HRR(1.0, 2), 4, 0),
    "hrr_three": (HRR(1.0, 3), 4, 0),
    "blh_two": (BLH(1.0, 2), 4, 0),
    **dict.fromkeys(MORE | GROUP_CASES | SET_CASES | HASHED | FURTHER, (None, 0, 0)),
    **dict.fromkeys(NOISE_CASES | ARRAY_CASES, (None, 0, 0)),
}


SIZES: dict[str, tuple[Any, int, int]] = {
    "grr_wide_two": (GRR(1.0, 2), 4, 1),
    "grr_wide_five": (GRR(1.0, 5), 5, 1),
    "olh_two": (OLH(1.0, 2, g=2), 4, 0),
    "olh_three": (OLH(1.0, 3, g=2), 4, 0),
    "olh_shares_two": (OLH(1.0, 2, g=3), 4, 0),
    "olh_shares_three": (OLH(1.0, 3, g=3), 4, 0),
    "olh_shares_five": (OLH(1.0, 5, g=3), 3, 0),
    "blh_five": (BLH(1.0, 5), 4, 0),
    "sue_two": (SUE(2.3, 2), 2, 0),
    "sue_five": (SUE(2.3, 5), 2, 0),
    "oue_two": (OUE(1.5, 2), 2, 0),
    "oue_five": (OUE(1.5, 5), 2, 0),
    **dict.fromkeys(
        MORE_SIZES | ARRAY_SIZES | HASHED_SIZES | FURTHER_SIZES | NOISE_SIZES, (None, 0, 0)
    ),
}
"""Those at k = 2, 3 and 5 that `CASES` lacks; `make test-clients` runs them."""


def case(name: str) -> tuple[Any, CellRealization]:
    """The mechanism of a case and its rounding to narrow words."""
    made, width, way = (CASES | SIZES)[name]
    return made, list(made.realizations(width))[way]


def at_small_width(name: str) -> tuple[Program, Sampler]:
    """The program of a case and the kernel beside it, for narrow words.

    Those of unary encodings have as many lanes as a word has bits, so that every word can be tried,
    and two blocks of them.
    """
    if name in _BUILT:
        return _BUILT[name].program, _BUILT[name].sampler
    made, realization = case(name)
    if isinstance(made, OUE | SUE):
        one, zero = realization.thresholds
        sizes = (made.k, one, zero, realization.width, realization.width)
        return one_hot(made.name, *sizes), planes_sampler(*sizes)
    return made.program(realization), made.sampler(realization)


def words_of(name: str) -> int:
    """Words of a tape that a case is followed to: one more than without rejection."""
    if name in _BUILT:
        return _BUILT[name].words
    made, realization = case(name)
    if isinstance(made, OUE | SUE):
        return -(-made.k // realization.width) * realization.width + 1
    return at_small_width(name)[1].words_per_value + 1


def law_of(program: Program, value: int, name: str) -> tuple[Law, Fraction]:
    """The exact law of the interpreted program of a case, and the mass that is not resolved."""
    law = exact_distribution(as_sampler(program), value, words_of(name))
    return dict(law.probabilities), law.unresolved


def law_of_answers(
    program: Program, answers: list[Any], value: int, name: str
) -> tuple[Law, Fraction]:
    """The exact law of what a client answered, and the mass that is not resolved.

    Args:
        program: for its sizes alone.
        answers: (report, words read) or None, for all tapes of `words_of(name)` words and values.
        value: of which the law is.
        name: of the case.
    """
    length, width = words_of(name), program.width

    def draw(words: list[int]) -> tuple[tuple[int, ...], int] | None:
        number = 0
        for word in words:
            number = number << width | word
        number <<= width * (length - len(words))
        answer = answers[number * program.values + value]
        return None if answer is None or answer[1] > len(words) else answer

    law = exact_distribution(_as_sampler(program, lambda _, words: draw(words)), value, length)
    return dict(law.probabilities), law.unresolved


def as_sampler(program: Program) -> Sampler:
    """A kernel that interprets the program."""

    def draw(value: int, words: list[int]) -> tuple[tuple[int, ...], int] | None:
        try:
            drawn = interpret(program, program.value_of(value), words)
        except OutOfWordsError:
            return None
        return drawn.report, drawn.words

    return _as_sampler(program, draw)


def _as_sampler(program: Program, draw: Any) -> Sampler:
    """A kernel that gives what `draw` gives for a value and words; None where they are too few."""
    return Sampler(
        *(one_report(draw), program.values, (), (), (program.numbers,), np.dtype(np.uint64)),
        program.width,
    )


@functools.cache
def table_of(name: str, value: int) -> Law:
    """The realized table of a case, report by report, from its cells."""
    if name in _BUILT:
        return _BUILT[name].table(value)
    made, realization = case(name)
    return law_of_cells(made, realization, value)
