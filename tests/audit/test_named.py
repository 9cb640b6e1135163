"""`--as`: sides from the spec's pair tables, against the tables written out."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb, exp

import numpy as np
import pytest

from ldp_verified.check.audit.bounds.bounds import Stake, power
from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.named.named import SETS, named, usual_reading
from ldp_verified.check.audit.named.parameters import point_of
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from ldp_verified.prove.enumeration.expand import ExpandedTable, expand
from ldp_verified.run.mechanisms.hadamard_response import HadamardResponse
from ldp_verified.run.mechanisms.hash_cohorts import HashCohorts
from ldp_verified.run.mechanisms.hrr import HRR
from ldp_verified.run.mechanisms.pgr import PGR
from ldp_verified.run.realize.designs.indexed import IndexRandomizer


def sides(table: ExpandedTable, x: int, x2: int) -> tuple[float, float]:
    plus = minus = Fraction(0)
    for column in table.columns:
        assert column.supports is not None
        mass = column.multiplicity * table.probability(column, x)
        plus += mass * (x in column.supports and x2 not in column.supports)
        minus += mass * (x2 in column.supports and x not in column.supports)
    return float(plus), float(minus)


@pytest.mark.parametrize("name,reading", [("oue", None), ("sue", None), ("olh", "same:1")])
def test_the_sides_are_those_of_the_expanded_table(name: str, reading: str | None) -> None:
    del reading
    (spec, *_) = load(name)
    epsilon, k = 1.0, 4
    variables = [str(symbol) for symbol in spec.variables]
    u = Fraction(exp(epsilon / spec.generator.root))
    point = {variables[0]: u, "k": Fraction(k)}
    if name == "olh":
        point["g"] = Fraction(4)
    table = expand(spec, point)
    found = named(name, epsilon, k, reading="says:operator:contains")
    assert (found.plus, found.minus) == pytest.approx(sides(table, 0, 1))
    assert found.stake == Stake()
    assert found.plus / found.minus == pytest.approx(exp(epsilon))


def test_single_values_count_all_other_inputs_at_once() -> None:
    found = named("grr", 1.0, 10)
    assert found.reading == "same"
    assert found.stake == Stake(9.0)
    assert found.plus == pytest.approx(exp(1) / (exp(1) + 9))
    assert found.plus + found.minus == pytest.approx(1.0)


def test_what_cannot_be_named_is_refused() -> None:
    with pytest.raises(ParameterError, match="reading"):
        named("olh", 1.0, 10)
    for name, given, match in (
        ("grr", {"w": "3"}, "--set"),
        ("subset_selection", {"omega": "10"}, "omega"),
        ("hash_cohorts", {"g": "4"}, "exists"),
        ("grr", {"k": "many"}, "fraction"),
        ("two_coins", {}, "heads"),
    ):
        with pytest.raises(ParameterError, match=match):
            named(name, 1.0, 2 if name == "two_coins" else 10, given)
    with pytest.raises(ParameterError, match="--inputs"):
        named("two_coins", 1.0, 3, {"heads": "1/2", "yes": "1/4"})


@pytest.mark.parametrize(
    "mechanism",
    [HadamardResponse(1.0, 5), HRR(1.0, 5), PGR(1.0, 9, 3), HashCohorts(1.0, 7, 3)],
    ids=repr,
)
def test_numbers_of_blocks_are_read_as_the_server_reads_them(mechanism: IndexRandomizer) -> None:
    (spec, *_) = load(mechanism.name)
    point = point_of(spec, 1.0, mechanism.k, {}, mechanism)
    reading = usual_reading(spec.algebraic_table, point, own=mechanism)
    assert reading is not None
    found = OutputReading(reading, tuple(range(mechanism.k)))
    for report in range(mechanism.layout.counters):
        one = mechanism.layout.check(np.array([report]))
        held = [bool(mechanism.layout.holds(one, value)[0]) for value in range(mechanism.k)]
        for outputs in ([report] * mechanism.k, np.full(mechanism.k, report, dtype=np.uint8)):
            batch = Batch(np.arange(mechanism.k), outputs)
            assert found.supports(batch, batch.inputs).tolist() == held


def test_a_matrix_is_tested_on_its_best_pair_and_sets() -> None:
    """Two coins: ratios 5 and 5/3 at heads = 1/2, yes = 1/4 are not averaged."""
    found = named("two_coins", 1.0, 2, {"heads": "1/2", "yes": "1/4"})
    assert found.reading == SETS
    assert found.pair is not None
    assert found.plus / found.minus == pytest.approx(5.0)
    assert (found.pair.yes, found.pair.no) in (
        (frozenset({"1"}), frozenset()),
        (frozenset(), frozenset({"1"})),
    )


@pytest.mark.parametrize("reading", ["set", "bits"])
def test_the_false_alarm_of_subset_selection_is_the_level_and_not_more(reading: str) -> None:
    """Exact: the event is run on every (input, other input, report), each with its probability.

    From there the law of the counts is trinomial, and the chance that a true and tight claim is
    called violated at n = 1e6 is a sum: at most the level, and near it.
    """
    k, omega, epsilon, level = 6, 2, 1.0, 0.01
    subsets = [frozenset(c) for c in combinations(range(k), omega)]
    u = Fraction(exp(epsilon))
    cell = 1 / (u * comb(k - 1, omega - 1) + comb(k - 1, omega))
    plus = minus = Fraction(0)
    rows = [(x, x2, y) for x in range(k) for x2 in range(k) for y in subsets if x != x2]
    own, other = (np.array([row[i] for row in rows]) for i in (0, 1))
    outputs: list[object] = [row[2] for row in rows]
    if reading == "bits":
        outputs = [[int(v in row[2]) for v in range(k)] for row in rows]
    sides = OutputReading(reading, tuple(range(k))).against(Batch(own, outputs), own, other)
    for (x, _, y), side in zip(rows, sides.tolist(), strict=True):
        mass = cell * (u if x in y else 1) / (k * (k - 1))
        plus += mass * (side > 0)
        minus += mass * (side < 0)
    assert plus / minus == u
    found = named("subset_selection", epsilon, k, {"omega": omega})
    assert (found.plus, found.minus) == pytest.approx((float(plus), float(minus)))
    alarm = power(float(plus), float(minus), 10**6, Stake(), level, target=epsilon)
    assert 0.95 * level < alarm <= level
