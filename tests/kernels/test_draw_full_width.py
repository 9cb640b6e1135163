"""Kernels at 64 bits draw at every limit what programs draw, and thresholds of 40 bits are seen.

The law of a kernel is enumerated at a few bits, where a cap on its thresholds changes nothing; at
64 bits a random word meets a limit with a chance of 2^-60.
"""

from __future__ import annotations

import importlib
import inspect
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ldp_verified.protocols
from ldp_verified import OUE
from ldp_verified.protocols import SHE, Gaussian
from ldp_verified.run.kernels.alias import alias_fill
from ldp_verified.run.kernels.bits import one_hot_sampler
from ldp_verified.run.kernels.grr import grr_sampler
from ldp_verified.run.kernels.noise import power_digits
from ldp_verified.run.kernels.permanent_bits import permanent_sampler
from ldp_verified.run.kernels.prefix_bits import bits_fill
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.realize.real_numbers.discrete_gaussian import TOTAL
from tests.kernels import full_width
from tests.kernels.alias_reference import masses_of, table_of
from tests.kernels.full_width import FORMS, LARGEST, MADE, own_sampler, program_of, reading
from tests.kernels.test_alias import law_of
from tests.kernels.test_prefix_bits import independent, law
from tests.mechanisms.parameters import CLASSES
from tests.program.test_schemes import as_devices_read

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler

BITS = {name: made for name, made in MADE.items() if own_sampler(made).fill is bits_fill}
"""Unary encoding and CMS look bits up: their limits are products of thresholds, not thresholds."""

TABLES = {name: made for name, made in MADE.items() if own_sampler(made).fill is alias_fill}
"""Noise by a table, whose columns have the masses of the law."""

NO_REPLAY = {*BITS, "Gaussian", "TruncatedGeometric"}
"""Bulk kernels whose words no other kernel of the package reads as the program does.

Of bits, thresholds are recovered from the constants, and `tests.program.planes` reads the program's
words. The program of `Gaussian` is held against its weights in tests/program/test_lattice.py, that
of `TruncatedGeometric` against its table in tests/program/test_noise_counted.py; their kernels by
the masses of columns here.
"""

REPLAYED = [name for name in MADE if name not in NO_REPLAY]


def replaying(name: str) -> Sampler:
    """The kernel that the class is replayed with."""
    return reading(MADE[name]).sampler(MADE[name])


@pytest.mark.parametrize("name", REPLAYED)
def test_kernels_draw_at_every_limit_what_programs_draw(
    name: str, rng: np.random.Generator
) -> None:
    """In every place that the program reads, in plain Python and in machine code."""
    assert not full_width.wrong_reports(MADE[name], replaying(name), rng)


def wrong_bits(made: Any, sampler: Sampler, rng: np.random.Generator) -> bool:
    """Return whether bits have other thresholds than the table, or the own word is read otherwise.

    Machine code and plain Python are given the word below the own bit's threshold and the next one.
    """
    one, zero = made.thresholds
    if sampler.cuts[0] != one or law(sampler) != independent(zero):
        return True
    rows = sampler.columns - -(-getattr(made, "buckets", made.k) // 64)  # a word names a row
    for form in FORMS:
        tape = rng.integers(0, LARGEST, 400, dtype=np.uint64, endpoint=True).tolist()
        drawn = []
        for word in (one - 1, one):
            tape[rows] = word
            report = form(sampler, [made.k - 1], tape)
            assert report is not None
            drawn.append(report[0])
        (yes, no), *others = [pair for pair in zip(*drawn, strict=True) if pair[0] != pair[1]]
        if others or (yes ^ no).bit_count() != 1 or not yes & (yes ^ no):
            return True
    return False


@pytest.mark.parametrize("name", BITS)
def test_bits_have_the_thresholds_of_the_table(name: str, rng: np.random.Generator) -> None:
    assert not wrong_bits(MADE[name], own_sampler(MADE[name]), rng)


@pytest.mark.parametrize("name", ["CMS", "HistogramRR", "OUE", "UE"])
def test_programs_of_bits_read_planes_at_every_limit(name: str, rng: np.random.Generator) -> None:
    """By the thresholds of the table, not by the package's kernels; of every scheme one class."""
    made = MADE[name]
    program, sampler = program_of(made), as_devices_read(made)
    for value in full_width.values_of(program):
        for tape in full_width.tapes(program, value, rng):
            drawn = interpret(program, value, tape)
            read = full_width.in_python(sampler, [value], tape[: drawn.words])
            assert read == (drawn.report, drawn.words)


def wrong_table(made: Any, sampler: Sampler) -> bool:
    """Return whether columns have other masses than the law by the realized integers."""
    if isinstance(made, Gaussian):
        return wrong_weights(made, sampler)
    masses = law_of(getattr(made, "number", made)).masses
    return masses_of(table_of(sampler, len(masses)), len(masses)) != [*masses, 1 - sum(masses)]


def wrong_weights(made: Gaussian, sampler: Sampler) -> bool:
    """Return whether a table without tails, whose outcomes begin at 0, has other masses."""
    weights, (guide, spans, last, field_at, edge_at, own) = made._noise.weights, sampler.cuts[:6]
    found = [Fraction(0)] * len(weights)
    for at in range(last + 1):
        entry = sampler.cuts[guide + at]
        limit, unit = Fraction(entry >> edge_at), Fraction(1)
        for digit in sampler.cuts[sampler.cuts[spans + at] : sampler.cuts[spans + at + 1]]:
            unit /= 1 << sampler.word_bits
            limit += digit * unit
        limit /= 1 << (sampler.word_bits - field_at)
        found[(entry >> own) % (1 << own)] += limit / (last + 1)
        found[entry % (1 << own)] += (1 - limit) / (last + 1)
    return found != [Fraction(weight, TOTAL) for weight in weights]


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_the_masses_of_the_law(name: str) -> None:
    assert not wrong_table(MADE[name], own_sampler(MADE[name]))


def wrong_staircase(made: Any) -> bool:
    """Return whether the integers of the kernel that devices follow are not the law's."""
    _, w, _, share = made.thresholds
    sampler = made.plain_sampler()
    inner, weight, kept, *digits = sampler.cuts[5:]
    right = [w * weight, share * weight, *power_digits(share, sampler.sizes[0], 63)[0]]
    return [inner, kept, *digits] != right


def test_staircase_programs_are_given_the_integers_of_the_law() -> None:
    """The program takes them from the kernel that it is replayed with."""
    assert not wrong_staircase(MADE["Staircase"])


def limits_of_powers(sampler: Sampler, count: int) -> list[Fraction]:
    """The limits of the field `kept` in the constants of `prefix_noise_fill`."""
    head, spans, kept = sampler.cuts[0], sampler.cuts[2], sampler.cuts[9].bit_length()
    found = []
    for at in range(count):
        whole, bits = sampler.cuts[head + at], kept
        for digit in sampler.cuts[sampler.cuts[spans + at] : sampler.cuts[spans + at + 1]]:
            whole, bits = whole << sampler.word_bits | digit, bits + sampler.word_bits
        found.append(Fraction(whole, 1 << bits))
    return found


FINE: list[Any] = [SHE(1.0, 5), CLASSES["Laplace"](1.0)]
"""Noise on a grid so fine that it is drawn by prefixes."""


@pytest.mark.parametrize("made", FINE, ids=repr)
def test_prefixes_of_noise_have_powers_of_the_decay(
    made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not so from a decay of 40 bits."""
    decay = Fraction(getattr(made, "number", made).thresholds[2], 1 << 63)
    powers = [decay, decay, decay**2, decay**2, decay**3]
    assert limits_of_powers(made.sampler(), 6)[1:] == powers
    full_width.plant_cap(monkeypatch)
    assert limits_of_powers(made.sampler(), 6)[1:] != powers


ALIKE = {"FairCoins", "Piecewise", "Hybrid", "Hybrid of one cell", "Gaussian"}
"""Those whose thresholds above 2^50 are powers of two, or that have counts of cells or weights."""


@pytest.mark.parametrize("name", MADE)
def test_thresholds_of_40_bits_are_seen(
    name: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted in every function that makes a sampler."""
    made = MADE[name]
    right = own_sampler(made)
    full_width.plant_cap(monkeypatch)
    wrong = own_sampler(made)
    assert (wrong == right) == (name in ALIKE)
    if name in BITS:
        assert wrong_bits(made, wrong, rng)
    if name in TABLES:
        assert wrong_table(made, wrong) == (wrong != right)
    if name == "Staircase":
        assert wrong_staircase(made)
    elif name in REPLAYED:
        replayed = reading(made).sampler(made)
        assert bool(full_width.wrong_reports(made, replayed, rng)) == (name not in ALIKE)


@pytest.mark.parametrize("step", [-1, 1])
def test_a_threshold_beside_the_tables_is_seen(step: int, rng: np.random.Generator) -> None:
    made = CLASSES["GRR"](1.0, 16)
    assert full_width.wrong_reports(made, grr_sampler(16, made.thresholds[0] + step), rng)
    one, zero = OUE(1.0, 5).thresholds
    for wrong in ((one + step, zero), (one, zero + step)):
        assert wrong_bits(OUE(1.0, 5), one_hot_sampler(5, *wrong), rng)


def permanent(one: int, zero: int) -> tuple[int, int]:
    """The two thresholds, from the constants of the kernel of permanent answers."""
    own, lanes, _, _, *masks = permanent_sampler(70, one, zero).cuts
    assert {*masks} <= {0, lanes}
    return own, sum(1 << (63 - plane) for plane, mask in enumerate(masks) if mask)


def test_permanent_answers_have_the_thresholds_of_the_table() -> None:
    """They are drawn by planes; those of 40 bits are seen."""
    for made in BITS.values():
        assert permanent(*made.thresholds) == made.thresholds
    one, zero = OUE(1.0, 5).thresholds
    assert permanent(one, full_width.capped(zero)) != (one, zero)


# --- nothing is left out -----------------------------------------------------------------------


PUBLIC: dict[str, Any] = CLASSES | {
    name: made
    for name in ldp_verified.protocols.__all__
    if inspect.isclass(made := getattr(ldp_verified.protocols, name))
}
BY_OTHERS: dict[str, str] = {
    "program.test_days": "ChangeTree VotedMean",
    "program.test_groups": "BoxWavelet JointTables ParityTables RangeGrid RangeHierarchy RangeTree "
    "RangeWavelet SampleAmongFakeBits SampleAmongFakes SampleOne Split",
    "program.test_hashed_groups": "BitGroups BitReduction Bitstogram Hashtogram PrefixCohorts "
    "PrefixExtending PrivateExpanderSketch SequenceFragments SuccinctHistogram TreeHist",
    "program.test_memory": "DBitFlip LGRR LOLOHA LOUE LSUE Rappor",
    "program.test_noisy_points": "PlaneNoise",
    "program.test_pairs": "KeyValueBits KeyValueResponse KeyValueSymbols",
    "program.test_rounds": "PrefixRound",
    "program.test_sets": "CandidateCounts CandidateSizes PaddedHashing PaddedResponse "
    "SamplingRappor SamplingSuccinctHistogram",
    "program.test_sign_columns": "SignMatrix",
    "protocols.test_region_choice": "RegionChoice",
}
"""Protocols that draw with the kernels above, by the test module that replays them.

Those that keep answers (test_memory.py) read words of a key, of which no tape makes a limit: their
thresholds are looked for in what is printed.
"""

BY_ONES_LIKE_THEM = {"LOSUE": "LOUE", "LSOUE": "LSUE"}
"""The same class with other thresholds."""


def test_no_class_is_left_out() -> None:
    """Each has a sampler that is looked at here, or a program that another module looks at."""
    drawing = {name for name, made in PUBLIC.items() if hasattr(made, "sampler")}
    assert drawing == {type(made).__name__ for made in MADE.values()}
    assert {*REPLAYED, *NO_REPLAY} == {*MADE}
    assert {*TABLES} & NO_REPLAY == NO_REPLAY - {*BITS}
    others = {name: module for module, names in BY_OTHERS.items() for name in names.split()}
    whole = {name for name, made in PUBLIC.items() if hasattr(made, "program")}
    concrete = {name for name in whole if not inspect.isabstract(PUBLIC[name])}
    assert concrete - drawing == {*others, *BY_ONES_LIKE_THEM}
    assert {*BY_ONES_LIKE_THEM.values()} <= {*others}
    for name, module in others.items():
        text = inspect.getsource(importlib.import_module(f"tests.{module}"))
        assert name in text, (name, module)
        assert "boundary_words" in text or module == "program.test_memory"


ELSEWHERE = {
    "bernoulli_sampler": "tests.kernels.test_draw_thresholds",
    "permanent_sampler": "tests.kernels.test_draw_full_width",
    "noisy_one_hot_sampler": "tests.kernels.test_noisy_one_hot",
}
"""Functions that no class above asks for a sampler, by the module that recovers thresholds."""


def test_no_function_that_makes_a_sampler_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[str] = set()
    known = {*full_width.factories()}
    full_width.watch(monkeypatch, asked)
    for made in [*MADE.values(), *FINE]:
        made.sampler()
    for name in REPLAYED:
        replaying(name)
    assert known == asked | {*ELSEWHERE}
    for name, module in ELSEWHERE.items():
        assert name in inspect.getsource(importlib.import_module(module))
