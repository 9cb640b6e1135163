"""PCKV-UE: the whole table at small sizes, its classes and the spec's, and the sampler."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.conformance.stateful_clients import scene_tasks
from ldp_verified.check.conformance.symbols import (
    key_value_symbols_subject,
    report_masses,
    symbol_laws,
)
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.language import Matrix, load
from ldp_verified.protocols import KeyValueSymbols
from ldp_verified.run.aggregate.symbols import SymbolLayout, packed, unpacked
from tests.broken.symbols import WRONG
from tests.registry import SAMPLER, covers

SPECS = {mechanism.name: mechanism for mechanism in load("key_value_symbols")}
PLACES: dict[str, tuple[tuple[int, ...], tuple[tuple[int, int], tuple[int, int]]]] = {
    "signs_of_a_key": ((0,), ((0, 1), (0, -1))),
    "keys_alike": ((0, 1), ((0, 1), (1, 1))),
    "keys_apart": ((0, 1), ((0, 1), (1, -1))),
    "key_or_dummy": ((0, 2), ((0, 1), (2, 0))),
    "two_dummies": ((2, 3), ((2, 0), (3, 0))),
}
"""Of each spec: the symbols that it has, and the place and sign sampled in its two rows."""


def places(made: KeyValueSymbols) -> list[tuple[int, int]]:
    """All that can be sampled: a key with a sign, or a dummy."""
    keys = [(j, sign) for j in range(made.k) for sign in (1, -1)]
    return keys + [(made.k + i, 0) for i in range(made.length)]


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_the_whole_table_has_the_stated_epsilon_and_attains_it(epsilon: float) -> None:
    made = KeyValueSymbols(epsilon, 2, 2)
    rows = []
    for place, sign in places(made):
        laws = symbol_laws(made, place, sign)
        rows.append(
            [
                math.prod(law[s] for law, s in zip(laws, y, strict=True))
                for y in product("+-0", "+-0", "10", "10")
            ]
        )
    assert all(sum(row) == 1 for row in rows)
    worst = max(p / q for one in rows for two in rows for p, q in zip(one, two, strict=True))
    assert worst == made.worst_ratio
    assert epsilon * (1 - 1e-12) < made.realized_epsilon <= epsilon


@pytest.mark.parametrize("name", PLACES)
def test_two_symbols_are_the_spec(name: str) -> None:
    """At the exact numbers: the realized cells are those of the spec up to 2^-60."""
    made = KeyValueSymbols(math.log(3), 2, 2)
    shown, inputs = PLACES[name]
    table = SPECS[name].algebraic_table
    assert isinstance(table, Matrix)
    (u,) = SPECS[name].variables
    for row, (place, sign) in zip(table.rows, inputs, strict=True):
        laws = [symbol_laws(made, place, sign)[j] for j in shown]
        for cell, output in zip(row, table.outputs, strict=True):
            wanted = math.prod(law[s] for law, s in zip(laws, output, strict=True))
            assert float(cell.subs(u, 3)) == pytest.approx(float(wanted), rel=1e-14)


@covers(SAMPLER, "KeyValueSymbols")
@pytest.mark.parametrize("made", [KeyValueSymbols(1.0, 2, 1), KeyValueSymbols(0.5, 3, 2)])
def test_reports_have_the_law_and_estimates_follow_it(made: Any, seed: int) -> None:
    """Null: whole reports are as `report_masses` says; each look at level 1e-9, n = 20,000 each."""
    (task,) = scene_tasks(key_value_symbols_subject(made), 400_000)
    for found in task.run(np.random.default_rng(seed), 1e-9, 1e-3):
        assert found.p_value > 1e-9, found.worst


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_seen(what: str, seed: int) -> None:
    make, shown = WRONG[what]
    (task,) = scene_tasks(key_value_symbols_subject(make()), 400_000)
    found = task.run(np.random.default_rng(seed), 1e-9, 1e-3)
    assert any(each.p_value <= 1e-9 for each in found if each.name.startswith(shown))


def test_masses_are_laws_and_estimates_are_unbiased_by_them() -> None:
    made = KeyValueSymbols(1.0, 2, 2)
    counts, sums = (made.length / (made.inner.p_star - made.inner.q_star)), Fraction(made.length)
    sums /= made.inner.p_star * (2 * made.p - 1)
    for pairs in ({}, {0: 1}, {1: -1}, {0: -1, 1: 1}):
        masses = report_masses(made, pairs)
        assert sum(masses.values()) == 1
        for key in (0, 1):
            marks = sum(chance for text, chance in masses.items() if text[key] != "0")
            signs = sum(c * ((t[key] == "+") - (t[key] == "-")) for t, c in masses.items())
            assert (marks - made.inner.q_star) * counts == (key in pairs)
            assert signs * sums == pairs.get(key, 0)


def test_bits_are_packed_and_signs_without_symbols_refused() -> None:
    layout = SymbolLayout(70, 66)
    bits = np.random.default_rng(1).random((50, 136)) < 0.5
    bits[:, 70:] &= bits[:, :66]
    data = packed(bits)
    assert data.shape == (50, 3)
    assert np.array_equal(unpacked(data, 136), bits)
    counters = layout.tally(data)
    assert counters.tolist() == bits.sum(axis=0).tolist()
    assert layout.supports(counters).tolist() == bits[:, :70].sum(axis=0).tolist()
    assert np.array_equal(layout.holds(data, 69), bits[:, 69])
    assert layout.impossible(50, counters) is None
    counters[70] = 51
    assert layout.impossible(50, counters)
    bits[3, [0, 70]] = False, True
    with pytest.raises(ReportError, match="no sign"):
        layout.check(packed(bits))
    with pytest.raises(ParameterError, match="length"):
        KeyValueSymbols(1.0, 2, 0)
