"""Rows of sketches: the whole family in order, or drawn; pairs and triples are exactly balanced."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.family import evaluate
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.sketch_reports import (
    all_rows,
    coefficients,
    row_buckets,
    sketch_bits_sampler,
    sketch_sign_fill,
    sketch_sign_sampler,
)
from tests.broken.sketches import WIDE_SIGN_FLAWS
from tests.broken.spoil import spoiled

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Fill


@pytest.mark.parametrize(("k", "g"), [(2, 2), (5, 2), (7, 3), (8, 4), (3, 6), (9, 5)])
def test_the_whole_family_is_listed_once(k: int, g: int) -> None:
    functions = coefficients(k, g, None, 0)
    assert len({tuple(row) for row in functions.tolist()}) == len(functions) == all_rows(k, g)
    table = np.stack([row_buckets(k, g, row) for row in functions])
    assert (table == evaluate(functions[:, None, :], np.arange(k), g)).all()
    for x, y in itertools.combinations(range(k), 2):
        assert int((table[:, x] == table[:, y]).sum()) * g == len(functions)


@pytest.mark.parametrize(("k", "g"), [(4, 2), (8, 2), (5, 4), (8, 4), (6, 8), (3, 16)])
def test_three_values_are_balanced_for_powers_of_two(k: int, g: int) -> None:
    """Collisions with v are uncorrelated, as the variance of drawn rows requires."""
    functions = coefficients(k, g, None, 0)
    table = np.stack([row_buckets(k, g, row) for row in functions])
    for v, x, y in itertools.permutations(range(k), 3):
        pairs = Counter(
            zip(
                ((table[:, x] - table[:, v]) % g).tolist(),
                ((table[:, y] - table[:, v]) % g).tolist(),
                strict=True,
            )
        )
        assert pairs == dict.fromkeys(itertools.product(range(g), repeat=2), len(table) // g**2)


def test_three_values_on_a_line_are_not_balanced_for_odd_primes() -> None:
    """So rows are drawn for powers of two only: 0, 1 and 2 collide in pairs or all at once."""
    table = np.stack([row_buckets(3, 3, row) for row in coefficients(3, 3, None, 0)])
    together = (table[:, 0] == table[:, 1]) & (table[:, 0] == table[:, 2])
    assert int(together.sum()) * 3 == len(table)


def test_drawn_rows_are_uniform_coefficients_of_the_seed() -> None:
    drawn = coefficients(1000, 256, 400, 7)
    assert drawn.shape == (400, 10)
    assert drawn.min() >= 0
    assert drawn.max() < 256
    assert (drawn == coefficients(1000, 256, 400, 7)).all()
    assert (drawn != coefficients(1000, 256, 400, 8)).any()
    # The same seed gives a longer list the same beginning.
    assert (coefficients(1000, 256, 500, 7)[:400] == drawn).all()


@pytest.mark.parametrize(
    ("k", "g", "rows", "argument"),
    [
        (1000, 64, None, "rows"),
        (10, 4, 0, "rows"),
        (10, 4, 2**16 + 1, "rows"),
        (10, 6, 3, "buckets"),
        (10, 1, 3, "g"),
    ],
)
def test_other_rows_are_refused(k: int, g: int, rows: int | None, argument: str) -> None:
    with pytest.raises(ParameterError) as error:
        coefficients(k, g, rows, 0)
    assert error.value.argument == argument


def test_samplers_refuse_what_they_cannot_draw() -> None:
    functions = coefficients(4, 4, None, 0)
    with pytest.raises(ParameterError, match="deny"):
        sketch_sign_sampler(4, 4, functions, 0)
    with pytest.raises(ParameterError, match="power of two"):
        sketch_sign_sampler(3, 3, coefficients(3, 3, None, 0), 5)
    with pytest.raises(ParameterError, match="rows"):
        sketch_sign_sampler(4, 4, functions, 1, width=3)
    with pytest.raises(ParameterError, match="width"):
        sketch_sign_sampler(4, 4, functions, 1, width=5)
    with pytest.raises(ParameterError, match="one"):
        sketch_bits_sampler(4, 4, functions, 2**64, 1)


LARGE = [(1000, 2**bits, rows) for bits in (1, 4, 5, 8, 9, 12, 16) for rows in (1, 3, 256)]


def signs_are_coefficients(fill: Fill, k: int, g: int, rows: int, seed: int) -> bool:
    """Return whether signs are those of Sylvester's matrix, where a denial has chance 2^-64.

    Against numpy's count of the common ones, for uniform values and the words of a seed; a row, a
    coefficient and a value that matter are all there: g is small, or there are 4,000 of them.
    """
    functions = coefficients(k, g, rows, 1)
    sampler = replace(sketch_sign_sampler(k, g, functions, 1), fill=fill)
    values = np.random.default_rng(seed).integers(0, k, 4000)
    reports = sampler.draw(values, word_source(seed, "test")).astype(np.int64)
    row, column = reports // 2 // g, reports // 2 % g
    buckets = evaluate(functions[row], values, g)
    odd = np.bitwise_count((column & buckets).astype(np.uint64)) & 1
    return np.array_equal(reports & 1, odd)


@pytest.mark.parametrize("machine_code", [False, True])
@pytest.mark.parametrize(("k", "g", "rows"), LARGE)
def test_signs_are_those_of_many_bits(
    k: int, g: int, rows: int, machine_code: bool, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ldp_verified.run.kernels.draw.PURE_WORDS", 0 if machine_code else 1 << 40)
    assert signs_are_coefficients(sketch_sign_fill, k, g, rows, seed)


@pytest.mark.parametrize("wrong", WIDE_SIGN_FLAWS)
def test_signs_with_a_bit_left_out_are_found(
    wrong: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bit of sixteen that is not counted changes half of the signs."""
    monkeypatch.setattr("ldp_verified.run.kernels.draw.PURE_WORDS", 1 << 40)
    fill = spoiled(sketch_sign_fill, *WIDE_SIGN_FLAWS[wrong])
    assert not all(signs_are_coefficients(fill, *size, seed) for size in LARGE)
