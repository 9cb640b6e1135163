"""Sampling kernels that a programmer could have got wrong, each with the table it really has.

The exact check (tests/conformance/test_decision_tree_planted.py) must reject all of them; a
statistical check must reject those whose `deviation` is above what it says it can detect. Each
takes the same parameters as the right kernel of its form, at any width.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ldp_verified.run.kernels.bits import one_hot_sampler
from ldp_verified.run.kernels.grr import grr_sampler
from ldp_verified.run.kernels.hashing import local_hash_sampler
from tests.broken import construction as make
from tests.broken import kernels, laws
from tests.conformance import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.kernels.randomness import WordSource


@dataclass(frozen=True)
class PlantedSampler:
    """A wrong sampler.

    Attributes:
        name: the form and the flaw.
        form: which right kernel it stands in for, a key of `tables.FORMS`.
        flaw: what is wrong.
        sampler: (**parameters, width=...) to the wrong `Sampler`.
        table: (x, **parameters, width=...) to the distribution it really has.
        example: width to parameters that show the flaw: e^eps = 2.718, five values.
    """

    name: str
    form: str
    flaw: str
    sampler: Callable[..., Sampler]
    table: Callable[..., tables.Table]
    example: Callable[[int], dict[str, Any]]

    def draw(
        self, values: NDArray[np.integer[Any]], source: WordSource, width: int, **parameters: Any
    ) -> NDArray[Any]:
        """Wrong reports of values."""
        return self.sampler(**parameters, width=width).draw(values, source)

    def deviation(self, width: int, **parameters: Any) -> Fraction:
        """The largest error of a probability that a test on pair classes can see, exactly.

        It is the maximum, over pairs x, x' of values, of the error given x of the probability that
        the report supports x or not, and x' or not (for `onehot`, `hashed`), or is x or x' or
        neither (else). Reports that the right table cannot give count as one more class.
        """
        right, wrong = tables.FORMS[self.form], self.table
        values = tables.inputs(self.form, **_shape(parameters))
        largest = Fraction(0)
        for x in values:
            rows = [table(x, **parameters, width=width) for table in (right, wrong)]
            for other in values:
                if other != x:
                    masses = [self._classes(row, rows[0], x, other, parameters) for row in rows]
                    errors = [abs(masses[0][key] - masses[1][key]) for key in masses[0]]
                    largest = max(largest, *errors)
        return largest

    def _classes(
        self, table: tables.Table, right: tables.Table, x: int, other: int, parameters: Any
    ) -> dict[tuple[bool, ...], Fraction]:
        options = {name: parameters[name] for name in ("g", "lanes") if name in parameters}
        foreign: tuple[bool, ...] = ()
        masses: dict[tuple[bool, ...], Fraction] = {foreign: Fraction(0)}
        masses |= dict.fromkeys(itertools.product((False, True), repeat=2), Fraction(0))
        for report, mass in table.items():
            pair = (x, other)
            key = tuple(tables.supports(self.form, report, v, **options) for v in pair)
            masses[key if report in right else foreign] += mass
        return masses


def _shape(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: parameters[name] for name in ("k", "thresholds") if name in parameters}


def _planted() -> Iterator[PlantedSampler]:
    matrix, singletons, wide = "matrix", "singletons", "singletons_wide"
    bits, hashed = "onehot", "hashed"
    yield PlantedSampler(
        "matrix_off_by_one",
        matrix,
        "<= where < is meant: output 0 has one word too many",
        **make.matrix(make.one_word_more),
    )
    yield PlantedSampler(
        "matrix_floor",
        matrix,
        "lies rounded down: realized eps exceeds the claim",
        **make.matrix(make.lies_rounded_down),
    )
    yield PlantedSampler(
        "matrix_one_way", matrix, "0 never flips", **make.matrix(make.zero_never_flips)
    )
    for name, flaw, text, law in (
        (
            "off_by_one",
            kernels.ONE_LIE_TOO_MANY,
            "<= where < is meant: one lie too many",
            laws.grr_with_one_lie_too_many,
        ),
        ("first_slot", kernels.FIRST_SLOT, "the truth is always value 0", laws.grr_in_first_slot),
        (
            "moves_on",
            kernels.MOVES_ON,
            "a lie that is the truth goes to the next value",
            laws.grr_that_moves_on,
        ),
        ("one_way", kernels.ONE_WAY, "no lie is below the truth", laws.grr_one_way),
    ):
        yield PlantedSampler(
            f"grr_{name}", singletons, text, make.careless_grr(flaw), law, make.singletons_example
        )
    yield PlantedSampler(
        "grr_floor",
        singletons,
        "lies rounded down: realized eps exceeds the claim",
        **make.moved(singletons, grr_sampler, "lie", -1),
        example=make.singletons_example,
    )
    yield PlantedSampler(
        "grr_modulo_bias",
        wide,
        "a uniform value as a word mod k, nothing rejected",
        make.careless_wide(kernels.REMAINDER),
        laws.wide_grr_by_remainder,
        make.wide_example,
    )
    yield PlantedSampler(
        "grr_one_word",
        wide,
        "one word says whether to lie, and the lie",
        make.careless_wide(kernels.ONE_WORD),
        laws.wide_grr_with_one_word,
        make.wide_example,
    )
    yield PlantedSampler(
        "bits_off_by_one",
        bits,
        "<= where < is meant: undecided lanes are 1",
        **make.moved(bits, one_hot_sampler, "zero", 1),
        example=make.bits_example,
    )
    yield PlantedSampler(
        "bits_floor",
        bits,
        "the 0's threshold rounded down: realized eps exceeds the claim",
        **make.moved(bits, one_hot_sampler, "zero", -1),
        example=make.bits_example,
    )
    for name, flaw, text, bit_law in (
        ("or", kernels.OR, "the own bit is OR-ed with its lane's noise", laws.bits_with_or),
        ("first_slot", kernels.FIRST_SLOT, "the own bit is always bit 0", laws.bits_in_first_slot),
        ("one_way", kernels.ONE_WAY, "a 0 never flips", laws.bits_one_way),
        ("one_word", kernels.ONE_WORD, "one word decides all bits", laws.bits_of_one_word),
    ):
        yield PlantedSampler(
            f"bits_{name}", bits, text, make.careless_bits(flaw), bit_law, make.bits_example
        )
    yield PlantedSampler(
        "bits_padding",
        bits,
        "the unused lanes of the last block hold noise",
        make.padded_bits,
        laws.bits_with_padding,
        make.bits_example,
    )
    yield PlantedSampler(
        "bits_low_end_first",
        bits,
        "the threshold is read from its lowest bit up",
        make.reversed_bits,
        laws.bits_from_the_low_end,
        make.bits_example,
    )
    for name, flaw, text, hash_law, example in (
        (
            "off_by_one",
            kernels.ONE_LIE_TOO_MANY,
            "<= where < is meant: one lie too many",
            laws.hash_with_one_lie_too_many,
            make.hash_example,
        ),
        (
            "first_slot",
            kernels.FIRST_SLOT,
            "the true bucket is always 0",
            laws.hash_in_first_slot,
            make.hash_example,
        ),
        (
            "wrong_base",
            kernels.WRONG_BASE,
            "digits in base g instead of its smallest prime factor",
            laws.hash_in_base_g,
            make.composite_hash_example,
        ),
        (
            "modulo_bias",
            kernels.REMAINDER,
            "coefficients as words mod g, nothing rejected",
            laws.hash_by_remainder,
            make.hash_example,
        ),
        (
            "one_word",
            kernels.ONE_WORD,
            "the last coefficient's word says whether to lie",
            laws.hash_with_one_word,
            make.hash_example,
        ),
    ):
        yield PlantedSampler(
            f"hash_{name}", hashed, text, make.careless_hash(flaw), hash_law, example
        )
    yield PlantedSampler(
        "hash_floor",
        hashed,
        "lies rounded down: realized eps exceeds the claim",
        **make.moved(hashed, local_hash_sampler, "lie", -1),
        example=make.hash_example,
    )


PLANTED: dict[str, PlantedSampler] = {planted.name: planted for planted in _planted()}
"""All planted samplers by name."""
