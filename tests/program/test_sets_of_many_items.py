"""Programs of sets and pairs that are arrays: of more items or keys than an integer has bits."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import factorial, lcm
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import (
    CandidateCounts,
    CandidateSizes,
    KeyValueBits,
    KeyValueResponse,
    KeyValueSymbols,
    PaddedHashing,
    PaddedResponse,
    SamplingRappor,
)
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.mechanisms import SUE
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.javascript import javascript_module
from ldp_verified.run.program.sets import MOST_ITEMS, MOST_PACKED
from ldp_verified.run.program.vectors import vectors_of
from tests.broken.programs import wrong_programs
from tests.program.group_cases import Tape
from tests.program.node import node, replayed
from tests.program.set_cases import reservoir
from tests.program.test_c import self_test
from tests.program.test_javascript import rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program

PAIRS = tuple((i, i + step) for step in (1, 2) for i in range(33))
SETS: list[Any] = [
    *(PaddedResponse(1.0, 65, 1), PaddedResponse(3.0, 90, 7), PaddedHashing(1.0, 70, 100)),
    SamplingRappor(2.0, 65, 2),
    *(CandidateCounts(9.0, 64, PAIRS, 2), CandidateCounts(3.0, 99, ((1,), (2, 98, 5), (3, 4)), 2)),
    *(CandidateSizes(2.0, 80), CandidateSizes(3.0, 36, PAIRS)),
]
KEYED = KeyValueResponse(3.0, 66, 3, (0.0, 1.0))
WORDS = 600


def sets_of(made: Any, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """The empty set, the whole one, one of the last item, and three others."""
    items = int(getattr(made, "items", made.k))
    shares = (0, 1, 0.03, 0.3, 0.8)
    drawn = [tuple((rng.random(items) < share).astype(int).tolist()) for share in shares]
    return [*drawn, (*[0] * (items - 1), 1)]


def tape_of(rng: np.random.Generator, lowest: int) -> list[int]:
    """Words at random, of which the lowest bits are 0 in one of so many: the reservoir changes."""
    words = rng.integers(0, 1 << 64, WORDS, dtype=np.uint64)
    words[rng.integers(0, lowest, WORDS) == 0] &= np.uint64((1 << 64) - 256)
    found: list[int] = words.tolist()
    return found


def expected(made: Any, value: tuple[int, ...], words: list[int]) -> tuple[int, ...]:
    """The place that the words give, the thing in it, and its report by the mechanism itself."""
    held = made.held([np.flatnonzero(value).tolist()]).items.tolist()
    tape = Tape(words, 64)
    if isinstance(made, CandidateSizes):
        tape.word()
        (chosen,) = held  # the number of candidates is the only item
    else:
        # Python's client has candidates in the order of items; programs in that of candidates.
        own = sorted(held)
        most, places = max(made.k, made.length), max(len(own), made.length)
        place = (
            reservoir(tape, most, places)
            if made.k > MOST_PACKED
            else tape.uniform(lcm(*range(made.length, most + 1))) % places
        )
        chosen = own[place] if place < len(own) else made.k + place - len(own)
    rest = words[tape.read :]
    if isinstance(made.inner, SUE):
        return interpret(made.inner.program(), chosen, rest).report
    drawn = made.inner._sampler.draw(np.array([chosen]), ReplayWords(rest))
    return tuple(drawn.reshape(-1).tolist())


def differs(made: Any, program: Program, rng: np.random.Generator, tries: int = 20) -> bool:
    """Return whether some set and words make another report than the one that is expected."""
    tapes = [tape_of(rng, lowest) for lowest in (2, 20, 1000) for _ in range(tries)]
    return any(
        interpret(program, value, tape).report != expected(made, value, tape)
        for tape in tapes
        for value in sets_of(made, rng)
    )


@pytest.mark.parametrize("made", SETS, ids=lambda made: repr(made)[:60])
def test_a_large_set_is_an_array(made: Any, rng: np.random.Generator) -> None:
    program = made.program()
    assert (program.inputs, program.length) == (2, getattr(made, "items", made.k))
    assert f"an array of {program.length} integers" in made.program_value
    assert not differs(made, program, rng, tries=3)


@pytest.mark.parametrize("made", [SETS[1], SETS[4]], ids=lambda made: repr(made)[:60])
def test_wrong_programs_are_seen_at_full_width(made: Any, rng: np.random.Generator) -> None:
    """Numbers that are too large are taken; items of candidates, one off.

    Comparisons and thresholds one off are seen at small widths (`test_schemes.py`).
    """
    wrong = [
        (what, each)
        for what, each in wrong_programs(made.program())
        if "nothing is rejected" in what or "a table is off" in what
    ]
    assert len(wrong) == (3 if made is SETS[4] else 1)
    for what, each in wrong:
        assert differs(made, check(each), rng), what


@pytest.mark.parametrize("made", [*SETS, KEYED], ids=lambda made: repr(made)[:60])
def test_the_number_of_words_is_that_of_every_set(made: Any, rng: np.random.Generator) -> None:
    """From one tape. Only what the mechanism reads beyond its first word may follow its words."""
    program = made.program()
    for lowest in (2, 1000):
        tape = tape_of(rng, lowest)
        values: list[Any] = sets_of(made, rng)
        assert len({interpret(program, value, tape).words for value in values}) == 1


@pytest.mark.parametrize("most", [2, 3, 4, 5, 6])
def test_places_are_uniform_whatever_their_number_is(most: int) -> None:
    """Every tuple of numbers below 2, 3, ..., so every place comes as often as any other."""
    words = [[*draws] for draws in product(*(range(r) for r in range(2, most + 1)))]
    for places in range(1, most + 1):
        found = Counter(reservoir(Tape(each, 64), most, places) for each in words)
        assert found == dict.fromkeys(range(places), factorial(most) // places)


def test_pairs_of_many_keys_are_sampled_in_the_same_way(rng: np.random.Generator) -> None:
    """The key's place, then the word of its sign, and the report of the mechanism."""
    program, k, top = KEYED.program(), KEYED.k, KEYED.program().inputs - 1
    assert (program.length, top) == (k, (1 << 52) + 1)
    for share in (0.0, 0.05, 0.5, 1.0):
        for lowest in (2, 30):
            held = rng.random(k) < share
            numbers = np.where(held, rng.integers(1, top + 1, k), 0)
            value: tuple[int, ...] = tuple(numbers.tolist())
            words = tape_of(rng, lowest)
            tape, keys = Tape(words, 64), np.flatnonzero(held).tolist()
            place = reservoir(tape, k, max(len(keys), KEYED.length))
            sign = tape.word() >> 12
            chosen = 2 * k + place - len(keys)
            if place < len(keys):
                chosen = 2 * keys[place] + (sign < value[keys[place]] - 1)
            rest = ReplayWords(words[tape.read :])
            drawn = KEYED.inner.sampler().draw(np.array([chosen]), rest)
            assert interpret(program, value, words).report == tuple(drawn.reshape(-1).tolist())


MANY: list[Any] = [
    *(SETS[1], SETS[3], SETS[4], SETS[7], KEYED),
    *(KeyValueBits(1.0, 65, 2), KeyValueSymbols(1.0, 65, 2)),
]


@pytest.mark.parametrize("made", MANY, ids=lambda made: repr(made)[:60])
def test_c_and_javascript_replay_vectors_at_full_width(made: Any, tmp_path: Path) -> None:
    program = made.program()
    vectors = vectors_of(program)
    reports = made.reports_of([vector.report for vector in vectors])
    assert made.empty().update(reports).n == len(vectors)
    assert self_test(program, vectors, tmp_path / "c") == 0
    if node() is not None:
        rows, answers = rows_of(program)
        assert replayed(javascript_module(program, ["A test."]), rows, tmp_path) == answers


def test_the_largest_sets_have_programs_and_larger_ones_none() -> None:
    assert PaddedResponse(1.0, MOST_ITEMS, 5).program().length == MOST_ITEMS
    for made, named in (
        (PaddedResponse(1.0, MOST_ITEMS + 1, 1), "items: must be at most 65536"),
        (CandidateSizes(1.0, MOST_ITEMS + 1), "items: must be at most 65536"),
        (KeyValueResponse(1.0, MOST_ITEMS + 1, 1, (0.0, 1.0)), r"k: must be in 2\.\.65536"),
    ):
        with pytest.raises(ParameterError, match=named):
            made.program()
