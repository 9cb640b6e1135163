"""Programs of numbers read the words of rounding and of the kernel at full width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified import Duchi, Hybrid, Piecewise, SquareWave, Staircase
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels.rounding import UNIT, positions_between, round_to_grid
from ldp_verified.run.program.grid import rounded_sign, rounded_window
from ldp_verified.run.program.interpret import interpret
from tests.program.cases import with_rounding

MADE: list[Any] = [
    *(Duchi(1.0), Duchi(9.0, (0, 1)), Piecewise(1.0), Piecewise(6.0), SquareWave(2.0)),
    *(
        Hybrid(0.5),
        Hybrid(2.0),
        Hybrid(9.0, (0, 1)),
        Staircase(0.2),
        Staircase(1.0),
        Staircase(9.0),
    ),
]
EDGES = [0, 1, 1 << 26, (1 << 26) - 1, UNIT // 2, UNIT - 1, UNIT]


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_words_are_read_as_by_rounding_and_the_kernel(made: Any, rng: np.random.Generator) -> None:
    """At the edges of both halves of a position, and at positions that nobody chose."""
    plain = made.plain_sampler() if isinstance(made, Staircase) else made.sampler()
    program, sampler = made.program(), with_rounding(plain, made.steps, 52)
    for position in [*EDGES, *rng.integers(0, UNIT, size=200).tolist()]:
        for tape in rng.integers(0, 2**64 - 1, size=(4, 80), dtype="u8", endpoint=True).tolist():
            out = [0]
            done, used = sampler.fill([position], out, tape, sampler.cuts, sampler.sizes)
            assert done
            assert interpret(program, position, tape) == ((out[0],), used)


@pytest.mark.parametrize("m", [1, 3, (1 << 31) + 5, (1 << 32) - 1])
def test_rounding_is_that_of_the_library(m: int, rng: np.random.Generator) -> None:
    """`round_to_grid` from the same word, read back from the window's place."""

    class Fixed:
        def fill(self, words: Any) -> None:
            words[:] = np.array(drawn, dtype=np.uint64)

    positions = np.array([*EDGES, *rng.integers(0, UNIT, size=500).tolist()])
    drawn = rng.integers(0, 2**64 - 1, size=len(positions), dtype="u8", endpoint=True)
    source: Any = Fixed()
    right = round_to_grid(positions, m, source).tolist()
    program = rounded_window("window", m, 1, (1 << 64) - 1, 1 << 64)
    for position, word, point in zip(positions.tolist(), drawn.tolist(), right, strict=True):
        assert interpret(program, position, [word, 0, 7, 7]).report == (point,)


def test_a_client_reads_numbers_and_refuses_others() -> None:
    made = Piecewise(1.0, (-2, 6))
    client = made.client()
    for value in (-2, 6, 0.5, np.float32(1.5), np.int64(3)):
        assert client.report(value) in range(made.outputs)
    payloads = np.array([client.report(1.25) for _ in range(50)], dtype=made.sampler().dtype)
    assert made.aggregate(made.reports(payloads, False)).n == 50
    foreign: list[Any] = [-2.0000001, 6.1, float("nan"), True, "1", None, [1], 10**400]
    for other in foreign:
        with pytest.raises(DomainError) as refused:
            client.report(other)
        assert str(other) not in str(refused.value).replace("-2..6", "")


def test_positions_are_those_of_many_numbers(rng: np.random.Generator) -> None:
    made = Duchi(1.0, (-3, 10))
    values = np.array([*rng.uniform(-3, 10, size=500), -3.0, 10.0, 0.0])
    found = positions_between(values, *made.bounds).tolist()
    assert [made._index_of(value) for value in values.tolist()] == found


@pytest.mark.parametrize("bits", [0, 3, 66])
def test_positions_between_other_bits_are_refused(bits: int) -> None:
    with pytest.raises(ParameterError, match="bits"):
        rounded_sign("sign", 5, 64, bits)
