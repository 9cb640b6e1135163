"""The program of the sign-matrix oracle sends what its Python client sends from the same words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ReportError
from ldp_verified.protocols import SignMatrix, SignState
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program.aes import encrypted
from ldp_verified.run.program.form import Program
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.sign_columns import sign_of_column
from ldp_verified.run.program.vectors import boundary_words
from tests.program.test_hashed_groups import values_of

MADE = [SignMatrix(1.0), SignMatrix(0.1, 20, 7), SignMatrix(3.0, 65), SignMatrix(1.0, 128, 2)]
REJECTED = (1 << 64) - 2
"""The first word of which no number is made."""


def differs(made: SignMatrix, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some value and words make another report than the Python client's."""
    tapes = [rng.integers(0, 1 << 64, 4, dtype=np.uint64) for _ in range(12)]
    for word in boundary_words(made.program()):
        for place in (0, 1):
            tapes.append(rng.integers(0, 1 << 64, 4, dtype=np.uint64))
            tapes[-1][place] = word
    values = values_of(made, rng)
    for turn, tape in enumerate(tapes):
        value, number = values[turn % len(values)]
        rest = tape[1:] if int(tape[0]) < REJECTED else tape[2:]
        first = int(tape[len(tape) - len(rest) - 1]) >> 1
        sent = made.client(first, rng=ReplayWords(rest)).report(value)
        right = (first, int(sent.signs[0]))
        if interpret(program, number, tape.tolist()).report != right:
            return True
    return False


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_the_program_sends_what_the_python_client_sends(
    made: SignMatrix, rng: np.random.Generator
) -> None:
    """At full width, for the client that has the number which the first word gives."""
    assert not differs(made, made.program(), rng)


@pytest.mark.parametrize("what", ["threshold", "key", "bits"])
def test_other_numbers_are_seen(what: str, rng: np.random.Generator) -> None:
    """Planted: a lie one too large, columns of another seed, a value moved by a bit."""
    made = MADE[1]
    key = SignMatrix(1.0, 20, 8)._key if what == "key" else made._key
    bits, lie = made.width + (what == "bits"), made.thresholds[0] + (what == "threshold")
    wrong = sign_of_column("wrong", bits, lie, lambda number: encrypted(key, number))
    assert any(differs(made, wrong, rng) for _ in range(8))


def test_the_collector_reads_the_numbers(rng: np.random.Generator) -> None:
    made = MADE[1]
    program = made.program()
    tapes = rng.integers(0, 1 << 63, (300, 2), dtype=np.uint64).tolist()
    rows = np.array([interpret(program, 5, tape).report for tape in tapes], dtype=np.uint64)
    state = SignState(made).update(made.reports_of(rows))
    assert state.n == 300
    wrongs: list[Any] = [rows[:, :1], rows.astype(np.float64), rows + np.uint64(2)]
    for wrong in wrongs:
        with pytest.raises(ReportError):
            made.reports_of(wrong)
