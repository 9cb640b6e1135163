"""Tests of the state of protocols: kept answers, fakes, sketches, views, regions, RAPPOR, days.

Levels are enumerated: every state that three users can give, with its exact probability. Attacks
are far above what a test of the significance 1e-9 misses; honest reports are doubted with a chance
of 1e-9 each.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import (
    LGRR,
    LOLOHA,
    LSOUE,
    DBitFlip,
    FixedRows,
    JointTables,
    KnownDomain,
    MemoPopulation,
    Rappor,
    RapporPopulation,
    RapporState,
    SafeRegions,
    SafeRegionState,
    SampleAmongFakeBits,
    SampledReports,
    SampleOne,
    over_days,
)
from ldp_verified.protocols.safe_regions import PlaceReports
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty, honesty
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.mechanisms import CMS, GRR, HCMS, OUE, SUE
from ldp_verified.run.realize import PairCounts
from tests.broken.influences import as_if_no_bucket_were_own, as_if_none_were_fakes

if TYPE_CHECKING:
    from collections.abc import Callable

Counters = tuple[int, ...]
Law = dict[Counters, Fraction]
USERS = 20_000


def of_bits(chances: tuple[Fraction, ...]) -> Law:
    """The law of independent bits."""
    return {
        bits: math.prod(
            (c if bit else 1 - c for c, bit in zip(chances, bits, strict=True)), start=Fraction(1)
        )
        for bits in product((0, 1), repeat=len(chances))
    }


def mixed(laws: list[tuple[Fraction, Law]]) -> Law:
    """A mixture of laws."""
    found: Law = defaultdict(Fraction)
    for share, law in laws:
        for counters, chance in law.items():
            found[counters] += share * chance
    return found


def among_fakes(made: SampleAmongFakeBits) -> dict[int, Law]:
    """Bits of the first attribute: of the value with the chance 1/d, else of none or of any."""
    part, d = made.parts[0], len(made.sizes)
    values = range(part.k)
    fake = of_bits((part.q,) * part.k)
    if made.fakes == "values":
        each = [of_bits(tuple(part.p if v == x else part.q for v in values)) for x in values]
        fake = mixed([(Fraction(1, part.k), law) for law in each])
    return {
        x: mixed(
            [
                (
                    Fraction(1, d),
                    of_bits(tuple(part.p if v == x else part.q for v in range(part.k))),
                ),
                (Fraction(d - 1, d), fake),
            ]
        )
        for x in range(part.k)
    }


def of_kept_buckets(made: DBitFlip) -> dict[int, Law]:
    """Zeros and ones of each bucket, where one of b is drawn."""
    one, zero = made.oracle.one, made.oracle.zero
    laws: dict[int, Law] = {}
    for x in range(made.b):
        laws[x] = {}
        for bucket, bit in product(range(made.b), (0, 1)):
            counters = [0] * (2 * made.b)
            counters[2 * bucket + bit] = 1
            cell = one if bucket == x else zero
            laws[x][tuple(counters)] = (cell if bit else 1 - cell) / made.b
    return laws


def of_kept_bits(made: LSOUE) -> dict[int, Law]:
    """Bits with the cells of one report."""
    one, zero = made.cells
    return {
        x: of_bits(tuple(one if v == x else zero for v in range(made.k))) for x in range(made.k)
    }


def of_sketch(made: CMS) -> dict[int, Law]:
    """A row, and a bit of each bucket."""
    laws: dict[int, Law] = {}
    for x in range(made.k):
        laws[x] = {}
        buckets = made.layout.buckets_of(x).tolist()
        for row, own in enumerate(buckets):
            chances = tuple(made.p if b == own else made.q for b in range(made.buckets))
            for bits, chance in of_bits(chances).items():
                ones = np.zeros((made.height, made.buckets), dtype=np.int64)
                rows = np.zeros(made.height, dtype=np.int64)
                ones[row], rows[row] = bits, 1
                counters = (*ones.ravel().tolist(), *rows.tolist())
                laws[x][counters] = chance / made.height
    return laws


FAKES = SampleAmongFakeBits(4.0, (3, 2, 2), SUE)
VALUES = SampleAmongFakeBits(4.0, (3, 2), SUE, "values")
BUCKETS = DBitFlip(1.0, 3, 3, 1)
KEPT = LSOUE(2.0, 1.0, 3)
ROWS = CMS(4.0, 3, 2, 3, 5)
LAWS: dict[str, tuple[Any, Any, dict[int, Law]]] = {
    "among fakes": (FAKES.oracles[0], FAKES.oracles[0].layout, among_fakes(FAKES)),
    "among fakes of values": (
        VALUES.oracles[0],
        VALUES.oracles[0].layout,
        among_fakes(VALUES),
    ),
    "kept buckets": (BUCKETS.oracle, BUCKETS.oracle.layout, of_kept_buckets(BUCKETS)),
    "kept bits": (KEPT.oracle, KEPT.oracle.layout, of_kept_bits(KEPT)),
    "rows drawn once": (ROWS.oracle, ROWS.layout, of_sketch(ROWS)),
}


def above_the_level(
    name: str, test: Callable[..., Honesty] = honesty, users: int = 3
) -> list[float]:
    """The p-values that honest reports of so many users reach more often than a p-value may."""
    oracle, layout, laws = LAWS[name]
    wrong = []
    for held in ((0,) * users, tuple(range(users))):
        law: Law = {(0,) * len(next(iter(laws[0]))): Fraction(1)}
        for x in held:
            after: Law = defaultdict(Fraction)
            for (seen, chance), (more, each) in product(law.items(), laws[x].items()):
                after[tuple(map(sum, zip(seen, more, strict=True)))] += chance * each
            law = after
        assert sum(law.values()) == 1
        chances: dict[float, Fraction] = defaultdict(Fraction)
        for counters, chance in law.items():
            array = np.array(counters, dtype=np.int64)
            found = test(oracle, users, layout.supports(array.copy()), array)
            assert found.checks
            chances[found.p_value] += chance
        total = Fraction(0)
        for p_value in sorted(chances):
            total += chances[p_value]
            if p_value < 1 and float(total) > p_value * (1 + 1e-9):
                wrong.append(p_value)
    return wrong


@pytest.mark.parametrize("name", LAWS)
def test_honest_reports_pass_at_the_level(name: str) -> None:
    assert above_the_level(name) == []


def test_tests_above_their_level_are_seen() -> None:
    """Forgotten: that a report may be a fake; that one bucket is the user's own."""
    assert above_the_level("among fakes", as_if_none_were_fakes)
    assert above_the_level("rows drawn once", as_if_no_bucket_were_own)


def seen(estimate: Any) -> set[str]:
    """The tests that reject at 1e-9; the heading says so too."""
    doubted = {check.name for check in estimate.honesty.doubted(1e-9)}
    assert ("hardly all honest" in estimate.heading) == bool(doubted)
    return doubted


def kept(made: Any, seed: int, fakes: Any = None) -> Any:
    """A period's state of honest users, and crude fakes."""
    values = np.arange(USERS) % made.k
    state = made.empty(True).update(MemoPopulation(made, USERS, seed).report(values))
    if fakes is not None:
        data = made.oracle.layout.check(np.repeat(fakes, USERS // 4, axis=0))
        state.update(Reports(data, made.oracle.identity, True))
    return state


KEEPERS: dict[str, tuple[Any, Any, str]] = {
    "lgrr": (LGRR(2.0, 1.0, 20), np.array([3], dtype=np.uint8), "support of each value"),
    "lsoue": (LSOUE(2.0, 1.0, 20), np.array([[(1 << 20) - 1]], np.uint64), "ones per report"),
    "loloha": (LOLOHA(2.0, 1.0, 9, 3), np.zeros((1, 3), np.uint8), "values that a report supports"),
    "dbitflip": (DBitFlip(1.0, 20, 20, 2), np.array([[1, 3]]), "buckets drawn"),
}


@pytest.mark.parametrize("name", KEEPERS)
def test_kept_answers_and_their_days(name: str, seed: int) -> None:
    made, fakes, wanted = KEEPERS[name]
    fine, wrong = kept(made, seed), kept(made, seed, fakes)
    assert not seen(fine.estimate())
    assert wanted in seen(wrong.estimate())
    days = over_days(made, [fine, wrong, fine])
    assert wanted in seen(days.average())
    assert not seen(over_days(made, [fine, fine]).trend())


def test_attributes_and_views(seed: int) -> None:
    """Fakes report on one attribute only, or say one value; tables of views show both."""
    records = np.stack([np.arange(USERS) % 3, np.arange(USERS) % 4], axis=1)
    one = SampleOne(1.0, (3, 4), GRR)
    state = one.empty(True).update(one.privatize(records, rng=seed))
    assert not seen(state.estimate(0))
    parts = tuple(each.privatize(np.zeros(0, dtype=np.int64), rng=1) for each in one.parts)
    many = one.parts[1].privatize(records[:4_000, 1], rng=seed + 1)
    state.update(SampledReports(4_000, (parts[0], many)))
    assert seen(state.estimate(0)) == seen(state.estimate(1)) == {"users asked"}
    fakes = SampleAmongFakeBits(1.0, (30, 30), OUE)
    users = np.stack([np.arange(USERS) % 30] * 2, axis=1)
    honest = fakes.privatize(users, rng=seed)[0]
    oracle = fakes.oracles[0]
    first = fakes.empty(True)[0].update(honest)
    assert not seen(first.estimate())
    full = np.full((USERS // 4, 1), (1 << 30) - 1, dtype=np.uint64)
    first.update(Reports(full, oracle.identity, True))
    assert "ones per report" in seen(first.estimate())
    tables = JointTables(1.0, {"a": 3, "b": 4, "c": 2})
    columns = {name: np.arange(USERS) % size for name, size in (("a", 3), ("b", 4), ("c", 2))}
    whole = tables.empty(True).update(tables.privatize(columns, rng=seed))
    found = tables.estimate(whole)
    assert not seen(found.table("a", "b")) | seen(found.conditional("a", "b"))
    scheme = tables.scheme
    none = [part.privatize(np.zeros(0, dtype=np.int64), rng=1) for part in scheme.parts]
    none[2] = scheme.parts[2].privatize(np.zeros(4_000, dtype=np.int64), rng=seed)
    late = SampledReports(4_000, tuple(none), scheme.about)
    found = tables.estimate(whole.update(late))
    assert "users of each view" in seen(found.table("a")) & seen(found.conditional("a", "b"))


def test_sketches_and_fixed_rows(seed: int) -> None:
    """All bits of a report are 1, or all signs are +; with uniform rows and columns.

    Eight fakes for each honest user: a column that is + for every value then has 0.987 of its
    signs +, where honest reports allow 0.881; that is missed with probability below 1e-9.
    """
    users, rng = np.arange(USERS) % 20, np.random.default_rng(seed)
    bits, signs = CMS(2.0, 20, 16, 8, 1), HCMS(2.0, 20, 16, 8, 1)
    rows = rng.integers(0, 8, USERS // 4).astype(np.uint64)
    full = np.stack([rows, np.full(len(rows), (1 << 16) - 1, dtype=np.uint64)], axis=1)
    columns = 2 * rng.integers(0, 8 * 16, 8 * USERS)
    kind = signs.privatize([0], rng=1).data.dtype
    for made, fakes, wanted in (
        (bits, full, "ones per report"),
        (signs, columns.astype(kind), "signs of each column"),
    ):
        honest = made.privatize(users, rng=seed)
        fine = made.aggregate(honest, simulated=True)
        wrong = made.aggregate([honest, made.reports(fakes, simulated=True)], simulated=True)
        for estimated in (
            lambda s: s.estimate(),
            lambda s: s.estimate([3]),
            FixedRows(made).estimate,
        ):
            assert not seen(estimated(fine))
            assert wanted in seen(estimated(wrong))


def test_regions(seed: int) -> None:
    """Fakes agree with one place always, at the smallest epsilon, which counts most."""
    made = SafeRegions({"all": ["x", "y"], "x": ["a", "b"], "y": ["c", "d"]}, (0.5, 1.0))
    places = np.resize(["a", "b"], USERS).tolist()
    honest = made.privatize(places, rng=seed, region="x", epsilon=1.0)
    state = SafeRegionState(made, True).update(honest)
    assert not seen(state.estimate()) | seen(state.estimate(["c"], state.clusters(0.05)))
    numbers = np.arange(USERS, 2 * USERS, dtype=np.uint64)
    columns = made.matrices[0].columns(numbers)[:, 0] >> np.uint64(64 - made.bits)
    signs = (np.bitwise_count(columns & np.uint64(3)) & 1).astype(np.uint8)
    regions, levels = np.zeros(USERS, np.uint32), np.zeros(USERS, np.uint8)
    state.update(PlaceReports(made.identity, numbers, regions, levels, signs, True))
    assert seen(state.estimate()) == {"signs of each place"}


def test_rappor(seed: int) -> None:
    """Every bit is 1, in one cohort."""
    made, names = Rappor(0.5, 0.25, 0.75, 32, 2, cohorts=4), ("a", "b", "c")
    domain, state = KnownDomain(made, names), RapporState(made, simulated=True)
    assert state.honesty() == UNTESTED
    sent = RapporPopulation(made, names).first_reports(np.arange(USERS) % 3, rng=seed)
    state.update_packed(sent.cohorts, sent.bits, True)
    assert not seen(domain.decode(state))
    assert not seen(over_days(domain, [state, state]).average())
    full = np.full((USERS // 4, 1), (1 << 32) - 1, dtype=np.uint64)
    state.update_packed(np.zeros(USERS // 4, dtype=np.int64), full, True)
    assert {"cohort balance", "ones per report"} <= seen(domain.decode(state))
    low = RapporState(made, simulated=True)
    low.update_packed(sent.cohorts, np.zeros_like(sent.bits), True)
    assert "ones per report" in seen(domain.decode(low))


def test_consistent_counts_keep_the_doubt(seed: int) -> None:
    made = GRR(0.5, 20)
    honest = made.privatize(np.arange(USERS) % 20, rng=seed)
    fakes = made.reports(np.zeros(USERS, dtype=np.uint8), simulated=True)
    fine = made.aggregate(honest, simulated=True).estimate()
    wrong = made.aggregate([honest, fakes], simulated=True).estimate()
    for method in ("norm-sub", "norm-mul"):
        assert not seen(fine.consistent(method))
        assert seen(wrong.consistent(method)) == {"support of each value"}


def test_pairs_stand_beside_an_estimate(seed: int) -> None:
    """Reports with as many ones as honest ones, but the same three always."""
    made, rng = OUE(0.5, 30), np.random.default_rng(seed)
    honest = made.privatize(np.arange(USERS) % 30, rng=seed)
    bits = rng.random((USERS // 8, 30)) < (0.5 + 29 * float(made.q) - 3) / 27
    bits[:, :3] = True
    packed = (bits.astype(np.uint64) << np.arange(30, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    fakes = made.reports(packed[:, np.newaxis], simulated=True)
    fine = PairCounts.of(made, honest), made.aggregate(honest, simulated=True).estimate()
    wrong = PairCounts.of(made, [honest, fakes])
    estimate = made.aggregate([honest, fakes], simulated=True).estimate()
    assert not seen(fine[0].beside(fine[1])) | seen(estimate)
    assert "pairs of ones" in seen(wrong.beside(estimate))
    for other in (fine[1], replace(estimate, n=estimate.n + 1), made.empty().estimate()):
        with pytest.raises(ParameterError, match="from the same reports"):
            wrong.beside(other)
    with pytest.raises(ParameterError, match="of the same mechanism"):
        wrong.beside(SUE(0.5, 30).empty().estimate())
    with pytest.raises(ParameterError, match="estimate: must be"):
        wrong.beside(None)  # type: ignore[arg-type]  # what is refused
