"""Programs of sets: the law of what is sampled, and the words of the protocols' own clients."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import LdpError
from ldp_verified.protocols import (
    CandidateCounts,
    CandidateSizes,
    PaddedHashing,
    PaddedResponse,
    SamplingRappor,
    SamplingSuccinctHistogram,
)
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.javascript import javascript_module
from ldp_verified.run.program.schemes import k_rr
from ldp_verified.run.program.sets import packed_factors, sampled_item
from ldp_verified.run.program.vectors import boundary_words, vectors_of
from tests.broken.group_programs import wrong_groups
from tests.broken.programs import wrong_programs
from tests.program.joint import joint_law, worst_ratio
from tests.program.node import node, replayed
from tests.program.set_cases import RESIDUES, bits_of
from tests.program.test_c import self_test
from tests.program.test_javascript import rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program

MADE: list[Any] = [
    *(PaddedResponse(1.0, 20, 3), PaddedResponse(2.0, 10, 15), PaddedResponse(1.0, 42, 1)),
    *(PaddedHashing(1.0, 20, 2), SamplingSuccinctHistogram(1.0, 20, 2)),
    *(CandidateCounts(1.0, 30, None, 2), CandidateCounts(1.0, 30, ((1,), (2, 5), (3,)), 2)),
    *(CandidateSizes(1.0, 30), CandidateSizes(1.0, 64, ((1,), (2, 5), (63,)))),
]
WIDE: list[Any] = [PaddedResponse(1.0, 64, 1), PaddedHashing(1.0, 64, 5), SamplingRappor(1.0, 9, 2)]


def items_of(made: Any) -> int:
    """How many items there are."""
    return int(getattr(made, "items", made.k))


def values_of(made: Any, rng: np.random.Generator) -> list[int]:
    """The empty set, the whole one, and a few others."""
    items = items_of(made)
    some = [sum(1 << int(i) for i in rng.choice(items, n, replace=False)) for n in (1, 3, 7)]
    return [0, (1 << items) - 1, *some]


def differs(made: Any, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some set and words make another report than the protocol's own client.

    Words beyond the last common share are left out in the first place: it takes those of them that
    are within the shares of its own set, and reads on after others.
    """
    tapes = [rng.integers(0, 1 << 64, 40, dtype=np.uint64) for _ in range(20)]
    for tape in tapes:
        tape[0] >>= np.uint64(1)
    for word in boundary_words(made.program()):
        for place in range(4):
            if place or word < (1 << 64) - (1 << 60):
                tapes.append(rng.integers(0, 1 << 63, 40, dtype=np.uint64))
                tapes[-1][place] = word
    return any(
        interpret(program, value, tape.tolist()).report
        != tuple(made.privatize([bits_of(value)], ReplayWords(tape)).data.reshape(-1).tolist())
        for tape in tapes
        for value in values_of(made, rng)
    )


@pytest.mark.parametrize("made", MADE, ids=lambda made: repr(made)[:60])
def test_the_program_sends_what_the_protocol_sends(made: Any, rng: np.random.Generator) -> None:
    """At width 64, from the same words."""
    assert not differs(made, made.program(), rng)


@pytest.mark.parametrize("made", MADE[::2], ids=lambda made: repr(made)[:60])
def test_wrong_programs_are_seen_at_full_width(made: Any, rng: np.random.Generator) -> None:
    """A lie's threshold one too high, another digit, the set read as the empty one."""
    wrong = [*wrong_groups(made.program())]
    wrong += [(w, each) for w, each in wrong_programs(made.program()) if "value is 0" in w]
    seen = 0
    for what, each in wrong:
        if what == "modulo in place of rejection":
            continue
        try:
            check(each)
        except LdpError:
            continue
        assert any(differs(made, each, rng) for _ in range(40)), what
        seen += 1
    assert seen


@pytest.mark.parametrize("made", [*MADE, *WIDE], ids=lambda made: repr(made)[:60])
def test_numbers_are_reports_of_the_protocol(made: Any) -> None:
    vectors = vectors_of(made.program(), 40)
    reports = made.reports_of([vector.report for vector in vectors])
    assert made.empty().update(reports).n == len(vectors)


@pytest.mark.parametrize("made", [MADE[0], MADE[6], MADE[8], *WIDE], ids=lambda m: repr(m)[:60])
def test_c_and_javascript_replay_vectors_at_full_width(made: Any, tmp_path: Path) -> None:
    program = made.program()
    assert self_test(program, vectors_of(program), tmp_path / "c") == 0
    if node() is not None:
        rows, answers = rows_of(program)
        assert replayed(javascript_module(program, ["A test."]), rows, tmp_path) == answers


def law_of_residues(program: Program) -> list[Any]:
    """The joint law of each value's reports and words, of tapes of three words."""
    return [joint_law(program, value, 3) for value in range(program.values)]


def is_the_table(laws: list[Any]) -> bool:
    """Return whether what is resolved is the table's share of it, for all values alike."""
    return all(
        {report: mass / (1 - left) for (report, _), mass in law.items()} == RESIDUES.table(value)
        and left == Fraction(1, 4)
        for value, (law, left) in enumerate(laws)
    )


def test_two_words_give_a_place_of_any_number_of_places() -> None:
    """Every word at width 3: 2 of 8 words are rejected, for every set; the rest has the law."""
    laws = law_of_residues(RESIDUES.program)
    assert is_the_table(laws)
    whole = worst_ratio([law for law, _ in laws])
    assert whole is not None
    assert whole == worst_ratio([RESIDUES.table(value) for value in range(8)])


def test_wrong_residues_are_rejected() -> None:
    found = 0
    for what, each in [*wrong_programs(RESIDUES.program), *wrong_groups(RESIDUES.program)]:
        try:
            check(each)
            laws = law_of_residues(each)
        except (LdpError, IndexError):
            continue
        found += 1
        assert not is_the_table(laws), what
    assert found >= 8


def test_words_of_python_tell_the_size_and_those_of_the_program_do_not() -> None:
    """Of 8 words two are rejected for three places and none for two: so shares are common."""
    assert [(1 << 3) % places for places in (2, 3)] == [0, 2]
    counts = [
        {words: sum(m for (_, n), m in law.items() if n == words) for words in (3,)}
        for law, _ in law_of_residues(RESIDUES.program)
    ]
    assert all(each == counts[0] for each in counts)


@pytest.mark.parametrize("most", [1, 2, 12, 42, 50, 64])
def test_factors_have_no_common_divisor_and_fit_a_word(most: int) -> None:
    numbers = range(1, most + 1)
    factors = packed_factors(numbers, 64)
    assert all(each <= 1 << 60 for each in factors)
    assert len(factors) == (1 if most < 45 else 2)
    whole = int(np.prod([int(each) for each in factors], dtype=object))
    assert whole == int(np.lcm.reduce([*map(int, numbers)], dtype=object))


def test_places_of_64_items_are_remainders(rng: np.random.Generator) -> None:
    """Two words at width 64: the place is what the Chinese remainder theorem says."""
    one, other = packed_factors(range(1, 65), 64)
    program = sampled_item("sets", 64, 1, k_rr("grr", 65, 1))
    for size in range(1, 65):
        chosen = sorted(int(i) for i in rng.choice(64, size, replace=False))
        first, second = (int(word) for word in rng.integers(0, 1 << 60, 2))
        a, b = first % one, second % other
        whole = a + one * ((b - a) * pow(one, -1, other) % other)
        value = sum(1 << item for item in chosen)
        report = interpret(program, value, [first, second, (1 << 64) - 1]).report
        assert report == (chosen[whole % size],)
