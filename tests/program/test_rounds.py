"""The program of a round sends what its Python client sends from the same words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ldp_verified.protocols import PrefixRounds
from ldp_verified.protocols.prefix_round import PrefixRound
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program.form import Program
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.vectors import boundary_words

SHORT = PrefixRounds(2.0, 20, 4, 6, 5, 50)
TEXTS = PrefixRounds(1.0, None, 4, 24, 16, 30)


def published(made: PrefixRounds, number: int, rng: np.random.Generator) -> PrefixRound:
    """A round in view of a few prefixes; the first is of the value 0."""
    if number == 0:
        return PrefixRound(made, 0)
    begin = (0, *made.lengths)[number]
    drawn = {int.from_bytes(rng.bytes(16), "little") >> (128 - begin) for _ in range(9)} | {0}
    if number == made.levels:
        drawn = set(sorted(drawn)[: made.listed])
    rest = sorted(drawn - {0})
    order = rng.permutation(len(rest)).tolist()
    return PrefixRound(made, number, (*(rest[i] << (128 - begin) for i in order), 0))


def differs(asked: PrefixRound, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some value and words make another report than the Python client's."""
    made = asked.protocol
    tapes = [rng.integers(0, 1 << 64, 4, dtype=np.uint64) for _ in range(20)]
    for word in boundary_words(asked.program()):
        for place in (0, 1):
            tapes.append(rng.integers(0, 1 << 64, 4, dtype=np.uint64))
            tapes[-1][place] = word
    values = [each >> (128 - made.width) for each in asked.published]
    values += [0, (1 << made.width) - 1, (1 << made.width) - 2]
    values += [value ^ 1 for value in values]
    values += [int.from_bytes(rng.bytes(16), "little") >> (128 - made.width) for _ in range(4)]
    for tape in tapes:
        for value in values:
            shift = value << (128 - made.width)
            encoded = np.array([[shift >> 64, shift & (1 << 64) - 1]], dtype=np.uint64)
            sent = asked._reports(encoded, ReplayWords(tape))
            right = (int(sent.functions[0]), int(sent.answers[0]))
            if interpret(program, value, tape.tolist()).report != right:
                return True
    return False


@pytest.mark.parametrize("made", [SHORT, TEXTS], ids=repr)
@pytest.mark.parametrize("number", [0, 1, 2, -1])
def test_the_program_sends_what_the_python_client_sends(
    made: PrefixRounds, number: int, rng: np.random.Generator
) -> None:
    """At full width, in the first round, in later ones, and in the one that counts values."""
    asked = published(made, number if number >= 0 else made.levels, rng)
    assert not differs(asked, asked.program(), rng)


@pytest.mark.parametrize("number", [1, SHORT.levels])
def test_another_list_is_seen(number: int, rng: np.random.Generator) -> None:
    """Planted: the first two published prefixes have changed places, or the last one is missing."""
    asked = published(SHORT, number, rng)
    first, second, *rest = asked.published
    turned = replace(asked, published=(second, first, *rest))
    shorter = replace(asked, published=(first, second, *rest[:-1]))
    wrongs: list[Any] = [shorter] if number == 1 else [turned, shorter]
    for wrong in wrongs:
        assert differs(asked, wrong.program(), rng)
