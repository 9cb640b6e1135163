"""Tuples among fake bits: epsilon from the written-out table, estimates, what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified import GRR, OUE, SUE
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import load
from ldp_verified.protocols import SampleAmongFakeBits, SampleOne
from ldp_verified.protocols.attribute_bits import one_hot
from ldp_verified.prove.enumeration.expand import evaluate
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.seeds import word_source
from tests.registry import RANGE, covers
from tests.strategies import EPSILONS

SPECS = {m.name: m for m in load("attribute_bits")}
KINDS = list(product((OUE, SUE), ("zeros", "values")))
Table = dict[tuple[Any, Any], Fraction]


def written_out(made: SampleAmongFakeBits) -> Table:
    """(x, y) -> P(y|x), bit by bit: the attribute that is asked, and fakes elsewhere."""
    tuples = list(product(*map(range, made.ks)))
    vectors = [list(product((0, 1), repeat=k)) for k in made.ks]
    one, zero = made.parts[0].p, made.parts[0].q

    @cache
    def bits(held: int | None, y: tuple[int, ...]) -> Fraction:
        chances = [one if v == held else zero for v in range(len(y))]
        return math.prod((c if b else 1 - c for c, b in zip(chances, y, strict=True)), start=one**0)

    @cache
    def fake(y: tuple[int, ...]) -> Fraction:
        if made.fakes == "zeros":
            return bits(None, y)
        return sum((bits(v, y) for v in range(len(y))), Fraction(0)) / len(y)

    found = {}
    for x, y in product(tuples, product(*vectors)):
        total = Fraction(0)
        for j, own in enumerate(x):
            others = (fake(part) for i, part in enumerate(y) if i != j)
            total += bits(own, y[j]) * math.prod(others, start=one**0)
        found[x, y] = total / len(x)
    return found


def worst(table: Table, apart: int) -> Fraction:
    """The largest ratio of tuples that differ in at most so many attributes."""
    rows: dict[Any, list[Fraction]] = {}
    for (x, _), chance in table.items():
        rows.setdefault(x, []).append(chance)
    return max(
        a / b
        for x, x2 in product(rows, rows)
        if sum(u != v for u, v in zip(x, x2, strict=True)) <= apart
        for a, b in zip(rows[x], rows[x2], strict=True)
    )


@pytest.mark.parametrize("sizes", [(2,), (3, 2), (2, 2, 2), (4, 2)])
@pytest.mark.parametrize(("make", "fakes"), KINDS)
def test_the_epsilons_are_those_of_the_table(make: Any, fakes: str, sizes: Any) -> None:
    made = SampleAmongFakeBits(1.5, sizes, make, fakes)
    table = written_out(made)
    inputs = {x for x, _ in table}
    assert all(sum(c for (x2, _), c in table.items() if x2 == x) == 1 for x in inputs)
    whole, one = worst(table, len(sizes)), worst(table, 1)
    assert made.realized_epsilon == pytest.approx(math.log(whole), rel=1e-12)
    assert made.realized_in_one == pytest.approx(math.log(one), rel=1e-12)
    for j, oracle in enumerate(made.oracles):
        for x in inputs:
            for v in range(sizes[j]):
                mass = sum(c for (x2, y), c in table.items() if x2 == x and y[j][v])
                assert mass == (oracle.p_star if x[j] == v else oracle.q_star)


@pytest.mark.parametrize(("fakes", "name"), [("zeros", "fake_zeros"), ("values", "fake_values")])
def test_the_table_is_that_of_the_spec(fakes: str, name: str) -> None:
    made = SampleAmongFakeBits(0.75, (2, 2), SUE, fakes)
    spec = SPECS[name]
    values = {"zero": made.parts[0].q, "one": made.parts[0].p}
    at = {symbol: values[symbol.name] for symbol in spec.variables}
    form: Any = spec.algebraic_table
    table = written_out(made)
    for x, row in zip(form.inputs, form.rows, strict=True):
        for y, cell in zip(form.outputs, row, strict=True):
            assert evaluate(cell, at) == table[tuple(x), tuple(map(tuple, y))]
    marginal = SPECS["fake_bit_marginal"]
    one, zero = made.parts[0].p, made.parts[0].q
    bits: Any = marginal.algebraic_table
    fake = zero if fakes == "zeros" else (one + zero) / 2
    values = {"zero": zero, "one": one, "fake": fake, "k": Fraction(2), "d": Fraction(2)}
    at = {symbol: values[symbol.name] for symbol in marginal.variables}
    for oracle in made.oracles:
        assert (evaluate(bits.one, at), evaluate(bits.zero, at)) == (oracle.p_star, oracle.q_star)


def test_what_is_published_is_refuted() -> None:
    """Bits at ln(d (e^1 - 1) + 1) are said to give tuples of d attributes epsilon 1."""
    d = 10
    inner = math.log(d * (math.e - 1) + 1)
    zeros, values = (
        SampleAmongFakeBits(inner, (4,) * d, OUE, fakes) for fakes in ("zeros", "values")
    )
    assert zeros.realized_epsilon == values.realized_epsilon == pytest.approx(inner)
    assert zeros.realized_epsilon > 2.9
    assert zeros.realized_in_one == pytest.approx(1.0)
    assert values.realized_in_one > 1.58


@covers(RANGE, "SampleAmongFakeBits")
@given(EPSILONS, st.lists(st.integers(2, 300), min_size=1, max_size=4), st.sampled_from(KINDS))
@settings(max_examples=30)
def test_no_tuple_costs_more_than_is_wanted(epsilon: float, sizes: Any, kind: Any) -> None:
    made = SampleAmongFakeBits(epsilon, tuple(sizes), *kind)
    assert 0 < made.realized_in_one <= made.realized_epsilon * (1 + 1e-12) <= epsilon * (1 + 1e-12)
    assert made.realized_epsilon <= epsilon
    reports = made.privatize([[0] * len(sizes), [k - 1 for k in sizes]], rng=1)
    states = [s.update(r) for s, r in zip(made.empty(simulated=True), reports, strict=True)]
    assert all(np.isfinite(s.estimate().counts).all() for s in states)


@pytest.mark.parametrize(("make", "fakes"), KINDS)
def test_estimates_are_unbiased(make: Any, fakes: str, seed: int) -> None:
    """Null: the stated variances; 7 sd per count, 4 x 5 counts: level below 1e-10.

    Fakes drawn from the other kind would move the counts by hundreds of sd (power above 1 - 1e-9).
    """
    n, sizes = 20_000, (2, 65)
    rng = np.random.default_rng(seed)
    values = np.stack([rng.integers(0, k, n) for k in sizes], axis=1)
    made = SampleAmongFakeBits(2.0, sizes, make, fakes)
    for j, (state, reports) in enumerate(
        zip(made.empty(simulated=True), made.privatize(values, seed), strict=True)
    ):
        counts, oracle = state.update(reports).estimate().counts, made.oracles[j]
        assert reports.simulated
        for v in (0, 1, sizes[j] - 1):
            f = Fraction(int(np.sum(values[:, j] == v)), n)
            a, b = oracle.variance_absent, oracle.variance_held
            sd = math.sqrt(n * (a + f * (b - a)))
            assert abs(counts[v] - float(n * f)) < 7 * sd


def test_another_kind_of_fakes_is_seen(seed: int) -> None:
    """The test above, with the server told the other kind."""
    n = 20_000
    zeros, values = (SampleAmongFakeBits(2.0, (2, 65), OUE, fakes) for fakes in ("zeros", "values"))
    reports = zeros.privatize(np.zeros((n, 2), dtype=int), seed)[0]
    state = values.empty()[0]
    with pytest.raises(ReportError, match="fakes"):
        state.update(reports)
    counted = state.oracle.layout.count(np.asarray(reports.data))
    oracle: Any = values.oracles[0]
    counts = (counted - n * float(oracle.q_star)) / float(oracle.p_star - oracle.q_star)
    sd = math.sqrt(n * max(oracle.variance_absent, oracle.variance_held))
    assert max(abs(counts - np.array([n, 0]))) > 7 * sd


@pytest.mark.parametrize("fakes", ["zeros", "values"])
def test_the_draws_are_those_of_the_parts(fakes: str) -> None:
    """Every attribute's bits are `randomize_bits` of the own value, or of the fake.

    A sampled attribute, the fakes and both answers of every bit come from words of their own; the
    first two are uniform by rejection, `randomize_bits` is enumerated in its own tests.
    """
    from ldp_verified.protocols.uniform import uniform_numbers
    from ldp_verified.run.kernels.bernoulli import randomize_bits

    made, n = SampleAmongFakeBits(1.0, (3, 70), OUE, fakes), 50
    values = np.stack([np.arange(n) % 3, np.arange(n) % 70], axis=1)
    words = word_source(3, "test").words(200_000)
    drawn = made.privatize(values, ReplayWords(words.tolist()))
    source = ReplayWords(words.tolist())
    chosen = uniform_numbers(n, 2, source)
    for j, k in enumerate((3, 70)):
        held = [int(v) if c == j else None for v, c in zip(values[:, j], chosen, strict=True)]
        if fakes == "values":
            false = uniform_numbers(n, k, source)
            held = [int(w) if v is None else v for v, w in zip(held, false, strict=True)]
        encoded = np.zeros((n, -(-k // 64)), dtype=np.uint64)
        for row, v in enumerate(held):
            if v is not None:
                encoded[row, v // 64] = np.uint64(1 << v % 64)
        one, zero = made.parts[j].thresholds
        expected = randomize_bits(encoded, k, one, zero, source)
        assert np.array_equal(drawn[j].data, expected)


def test_a_sampled_attribute_is_better_than_one_among_fakes() -> None:
    for epsilon, sizes in product((0.5, 1.0, 3.0), ((2, 2), (5, 5, 5), (2, 50))):
        one = SampleOne(epsilon, sizes, OUE)
        for fakes in ("zeros", "values"):
            made = SampleAmongFakeBits(epsilon, sizes, OUE, fakes)
            for j, oracle in enumerate(made.oracles):
                assert one.variance(j, 1) <= float(oracle.variance_absent) * (1 + 1e-12)


def test_one_hot_bits_are_packed() -> None:
    packed = one_hot(np.array([0, 63, 64, 69]), 70)
    assert packed.tolist() == [[1, 0], [1 << 63, 0], [0, 1], [0, 32]]


def test_bad_arguments_are_refused() -> None:
    for sizes in ((), (1,), (2, 2.5), (2, True)):
        with pytest.raises(ParameterError, match="sizes"):
            SampleAmongFakeBits(1.0, sizes)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ParameterError, match="epsilon"):
        SampleAmongFakeBits(0, (2, 2))
    with pytest.raises(ParameterError, match="make: must be OUE or SUE"):
        SampleAmongFakeBits(1.0, (2, 2), GRR)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ParameterError, match="fakes: must be one of zeros, values, got 'ones'"):
        SampleAmongFakeBits(1.0, (2, 2), OUE, "ones")
    made = SampleAmongFakeBits(1.0, (2, 3))
    values: Any  # no type would let all of these pass
    for values in ([0, 1], [[0]], [[0, 3]], [[-1, 0]], [[0.5, 1]], [[True, False]]):
        with pytest.raises(DomainError):
            made.privatize(values)
