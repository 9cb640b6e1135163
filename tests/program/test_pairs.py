"""Programs of key-value pairs: their laws, what their words tell, and what the protocols send."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.check.conformance.c_equality import c_equals_program
from ldp_verified.errors import LdpError
from ldp_verified.protocols import KeyValueBits, KeyValueResponse, KeyValueSymbols
from ldp_verified.protocols.item_sets import ItemSets
from ldp_verified.protocols.pair_sets import PlacedPairs
from ldp_verified.prove.smt import solver
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.rounding import UNIT
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.javascript import javascript_module
from ldp_verified.run.program.pairs import sampled_sign, sampled_symbol
from ldp_verified.run.program.schemes import one_hot
from ldp_verified.run.program.vectors import boundary_words, vectors_of
from tests.broken.array_programs import a_word_for_each_sign, next_key, wrong_arrays
from tests.broken.group_programs import wrong_groups
from tests.broken.programs import wrong_programs
from tests.program.array_cases import (
    ARRAY_CASES,
    BITS,
    item_of,
    sampled_law,
)
from tests.program.group_cases import ONE, ZERO
from tests.program.joint import says_more
from tests.program.node import node, replayed
from tests.program.test_c import self_test
from tests.program.test_corners import joint_of, resolved
from tests.program.test_groups import rest
from tests.program.test_javascript import rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program
    from tests.program.cases import Law

TURNED = 1
"""Threshold of the other sign, in units of 1/4."""

K, LENGTH = 2, 1
BITS_PROGRAM = sampled_sign(
    "key_value_bits", K, LENGTH, one_hot("oue", 2 * K + LENGTH, ONE, ZERO, 2, 2), BITS
)
SYMBOLS = sampled_symbol(
    *("key_value_symbols", K, LENGTH, one_hot("ue", K + LENGTH, ONE, ZERO, 2, 2), TURNED, 2, BITS)
)
VALUES = [0, 1, 3, 5, 6, 12, 30, 35, 33, 27]
"""Some of the 36: none of the pairs, either one, and both; signs that are sure, and others."""


def packed(bits: list[int]) -> tuple[int, ...]:
    """Bits in numbers of two."""
    return tuple(sum(b << j for j, b in enumerate(bits[i : i + 2])) for i in range(0, len(bits), 2))


def bits_law(value: int) -> Law:
    """A bit for each signed key and dummy."""
    law: Law = {}
    for sampled, share in sampled_law(value, K, LENGTH).items():
        own = item_of(sampled, K)
        for bits in itertools.product(range(2), repeat=2 * K + LENGTH):
            ones = [Fraction(ONE if j == own else ZERO, 4) for j in range(len(bits))]
            mass = math.prod(
                (p if bit else 1 - p for p, bit in zip(ones, bits, strict=True)), start=share
            )
            law[packed([*bits])] = law.get(packed([*bits]), Fraction(0)) + mass
    return {report: mass for report, mass in law.items() if mass}


def symbols_law(value: int) -> Law:
    """A symbol for each key and dummy, and the signs of the keys that have one."""
    law: Law = {}
    for (key, sign), share in sampled_law(value, K, LENGTH).items():
        own = K + sign if key < 0 else key
        for marks in itertools.product(range(2), repeat=K + LENGTH):
            for signs in itertools.product(range(2), repeat=K):
                mass = share
                for j, mark in enumerate(marks):
                    one = Fraction(ONE if j == own else ZERO, 4)
                    mass *= one if mark else 1 - one
                for j, drawn in enumerate(signs):
                    plus = Fraction(1, 2)
                    if j == key:
                        plus = Fraction(4 - TURNED if sign else TURNED, 4)
                    mass *= plus if drawn else 1 - plus
                bits = [*marks, *(s & m for s, m in zip(signs, marks[:K], strict=True))]
                law[packed(bits)] = law.get(packed(bits), Fraction(0)) + mass
    return {report: mass for report, mass in law.items() if mass}


RESPONSE = ARRAY_CASES["key_value_response"]
CASES: dict[str, Any] = {
    "response": (RESPONSE.program, RESPONSE.words, RESPONSE.table),
    "bits": (BITS_PROGRAM, 6, bits_law),
    "symbols": (SYMBOLS, 7, symbols_law),
}


@pytest.mark.parametrize("name", CASES)
def test_reports_have_the_law_and_read_one_number_of_words(name: str) -> None:
    program, length, table = CASES[name]
    for value in VALUES:
        law, left = joint_of(program, value, length)
        assert left == 0
        assert {words for _, words in law} == {length}
        assert resolved(law, left) == table(value)


@pytest.mark.parametrize("name", CASES)
def test_a_word_for_each_sign_tells_how_many_pairs_there_are(name: str) -> None:
    """Its reports have the right law."""
    program, length, table = CASES[name]
    wrong, laws = a_word_for_each_sign(program), []
    for value in (0, 1, 35):
        held = sum(number > 0 for number in program.value_of(value))
        law, left = joint_of(wrong, value, length + held)
        assert resolved(law, left) == table(value)
        laws.append(law)
    assert says_more(laws)


@pytest.mark.parametrize("name", CASES)
def test_wrong_programs_have_another_law(name: str) -> None:
    program, length, table = CASES[name]
    values = [0, 3, 12, 33]
    wrong = [*wrong_arrays(program), *wrong_groups(program), ("the next key", next_key(program))]
    wrong += [(what, each) for what, each in wrong_programs(program) if "<" in what]
    found = 0
    for what, each in wrong:
        try:
            check(each)
        except LdpError:
            continue
        laws = [joint_of(each, value, length) for value in values]
        right = all(
            left < 1 and resolved(law, left) == table(value)
            for value, (law, left) in zip(values, laws, strict=True)
        )
        counts = {words for law, _ in laws for _, words in law}
        assert not right or counts != {length}, what
        found += 1
    assert found >= 6


MADE: list[Any] = [
    *(KeyValueResponse(1.0, 20, 3), KeyValueResponse(2.0, 5, 9, (0, 100))),
    *(KeyValueBits(1.0, 20, 3), KeyValueBits(2.0, 42, 1)),
    *(KeyValueSymbols(1.0, 20, 3), KeyValueSymbols(1.5, 30, 9)),
]
WIDE: list[Any] = [KeyValueResponse(1.0, 64, 1), KeyValueSymbols(1.0, 64, 5)]


def sent(made: Any, value: tuple[int, ...], tape: Any) -> tuple[int, ...]:
    """The numbers that the protocol's own client draws from words; bits as devices read them."""
    keys = [key for key, number in enumerate(value) if number]
    positions = np.array([value[key] - 1 for key in keys], dtype=np.int64)
    pairs = PlacedPairs(ItemSets.of([keys], "pairs"), positions)
    source = ReplayWords(tape)
    if isinstance(made, KeyValueResponse):
        return tuple(made.drawn(pairs, source).data.tolist())
    (chosen,) = made._sampled(pairs, source).tolist()
    if isinstance(made, KeyValueBits):
        return interpret(made.inner.program(), chosen, rest(source)).report
    k, own = made.k, chosen < 2 * made.k
    drawn = interpret(made.inner.program(), chosen // 2 if own else chosen - k, rest(source))
    words = rest(source)[drawn.words :]
    marks, signs = drawn.report[0], words[1]
    if own:
        sign = chosen % 2 ^ (words[0] < made._turned)
        signs = signs & ~(1 << chosen // 2) | sign << chosen // 2
    whole = sum(number << (64 * i) for i, number in enumerate(drawn.report))
    whole |= (signs & marks & ((1 << k) - 1)) << made.layout.k
    return tuple(whole >> (64 * i) & (1 << 64) - 1 for i in range(made.program().numbers))


def values_of(made: Any, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """No pairs, all of them, one, and some; numbers at the ends of the bounds among them."""
    found = []
    for share in (0.0, 1.0, 0.1, 0.5):
        numbers = 1 + rng.integers(0, UNIT, made.k, endpoint=True)
        numbers[rng.random(made.k) < 0.2] = 1 + UNIT * int(rng.integers(2))
        numbers[rng.random(made.k) >= share] = 0
        found.append(tuple(numbers.tolist()))
    return found


def differs(made: Any, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some pairs and words make another report than the protocol's own client."""
    right = made.program()
    tapes = [rng.integers(0, 1 << 63, 400, dtype=np.uint64) for _ in range(10)]
    for word in boundary_words(right)[:: 1 if right.numbers == 1 else 3]:
        for place in range(1, 4):
            tapes.append(rng.integers(0, 1 << 63, 400, dtype=np.uint64))
            tapes[-1][place] = word
    for i, tape in enumerate(tapes):
        for value in values_of(made, rng)[i % 2 :: 2]:
            held = [number for number in value if number]
            if held and rng.random() < 0.5:  # the word of a sign at and beside its limit
                own = held[int(tape[0]) % max(len(held), made.length) % len(held)]
                tape[1] = np.uint64(min(max(own - 2 + int(rng.integers(2)), 0), UNIT - 1) << 12)
            if interpret(program, value, tape.tolist()).report != sent(made, value, tape):
                return True
    return False


@pytest.mark.parametrize("made", MADE, ids=lambda made: repr(made)[:40])
def test_the_program_sends_what_the_protocol_sends(made: Any, rng: np.random.Generator) -> None:
    """At width 64, from the same words."""
    assert not differs(made, made.program(), rng)


@pytest.mark.parametrize("made", MADE[::2], ids=lambda made: repr(made)[:40])
def test_wrong_programs_are_seen_at_full_width(made: Any, rng: np.random.Generator) -> None:
    right = made.program()
    wrong = [*wrong_arrays(right), *wrong_groups(right), ("the next key", next_key(right))]
    found = 0
    for what, each in wrong:
        if "modulo" in what or "a word more" in what:
            continue
        try:
            check(each)
        except LdpError:
            continue
        found += 1
        assert any(differs(made, each, rng) for _ in range(40)), what
    assert found >= 4


@pytest.mark.parametrize("made", [*MADE, *WIDE], ids=lambda made: repr(made)[:40])
def test_numbers_are_reports_of_the_protocol(made: Any) -> None:
    """What clients give is what the protocol counts."""
    vectors = vectors_of(made.program(), 40)
    shape = made.oracle.layout.shape
    data = np.array([vector.report for vector in vectors], dtype=np.uint64).astype(shape.dtype)
    reports = made.reports(data[:, 0] if shape.flat else data, simulated=False)
    assert made.empty().update(reports).n == len(vectors)


@pytest.mark.parametrize("made", [MADE[0], MADE[2], MADE[5], *WIDE], ids=lambda m: repr(m)[:40])
def test_c_and_javascript_replay_vectors_at_full_width(made: Any, tmp_path: Path) -> None:
    program = made.program()
    assert self_test(program, vectors_of(program), tmp_path / "c") == 0
    if node() is not None:
        rows, answers = rows_of(program)
        assert replayed(javascript_module(program, ["A test."]), rows, tmp_path) == answers


@pytest.mark.parametrize("made", [MADE[0], MADE[3], *WIDE], ids=lambda made: repr(made)[:40])
def test_the_c_is_the_program(made: Any) -> None:
    program, path = made.program(), solver()
    assert path is not None
    found = c_equals_program(program, c_header(program, ["A test."]), (path, "-in"))
    assert (found.status, found.undecided) == ("proved", ())


def test_the_words_of_vectors_try_dummies_and_pairs() -> None:
    """Among the values are some without a pair, some with few, some with all."""
    vectors = vectors_of(MADE[0].program())
    held = {sum(number > 0 for number in v.value) for v in vectors if isinstance(v.value, tuple)}
    assert {0, 20} <= held
    assert any(0 < each < 10 for each in held)
