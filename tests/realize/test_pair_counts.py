"""Pairs of ones: honest reports pass at the level, whatever users hold; targeted fakes do not."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR, OUE, SUE
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.realize import CappedBits, PairCounts
from ldp_verified.run.realize.designs.pair_counts import at_most
from tests.broken.influences import PairsAsIfNobodyHeldThem
from tests.mechanisms.against_table import every_report

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALL = {"oue": OUE(1.0, 3), "sue": SUE(2.0, 2)}


def above_the_level(made: Any, kind: type[PairCounts]) -> list[float]:
    """The p-values that four honest users reach more often than a p-value may."""
    reports = list(every_report(made))
    alone = [kind.of(made, made.reports(y[np.newaxis], False)) for y in reports]
    found = []
    for users in ((0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 1, 1)):
        law: dict[tuple[int, ...], Fraction] = {tuple([0] * len(reports)): Fraction(1)}
        for x in users:
            after: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
            for counts, chance in law.items():
                for place, y in enumerate(reports):
                    key = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
                    after[key] += chance * made.pmf(y, x)
            law = after
        chances: dict[float, Fraction] = defaultdict(Fraction)
        for counts, chance in law.items():
            pairs = sum(n * each.pairs for n, each in zip(counts, alone, strict=True))
            sizes = sum(n * each.sizes for n, each in zip(counts, alone, strict=True))
            chances[kind(made, 4, np.array(pairs), np.array(sizes)).honesty().p_value] += chance
        total = Fraction(0)
        for p_value in sorted(chances):
            total += chances[p_value]
            if p_value < 1 and float(total) > p_value * (1 + 1e-9):
                found.append(p_value)
    return found


@pytest.mark.parametrize("name", SMALL)
def test_honest_reports_pass_at_the_level(name: str) -> None:
    assert above_the_level(SMALL[name], PairCounts) == []


def test_a_test_above_its_level_is_seen() -> None:
    assert above_the_level(SMALL["sue"], PairsAsIfNobodyHeldThem)


def test_the_centred_product_has_mean_zero() -> None:
    made = SMALL["oue"]
    for x, a, b in product(range(3), repeat=3):
        if a == b:
            continue
        mean = Fraction(0)
        for y in every_report(made):
            bits = int(y[0])
            mean += made.pmf(y, x) * ((bits >> a & 1) - made.q) * ((bits >> b & 1) - made.q)
        assert mean == 0


def test_chances_of_numbers_of_ones() -> None:
    for made in (OUE(0.5, 40), SUE(2.0, 7)):
        exact = [float(CappedBits(made, c).acceptance) for c in range(1, made.k)]
        assert at_most(made)[1:] == pytest.approx(exact, rel=1e-10)


def of_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    packed = np.zeros((len(bits), -(-bits.shape[1] // 64)), dtype=np.uint64)
    for v in range(bits.shape[1]):
        packed[:, v // 64] |= bits[:, v].astype(np.uint64) << np.uint64(v % 64)
    return packed


def test_fakes_with_several_targets_are_seen(seed: int) -> None:
    """4 % of reports have three targets, and as many ones as honest reports on average.

    Null: reports of the table. Level 1e-9, n = 50,000: pairs of targets are 10 standard errors up.
    The state of the counts, at the same level, sees nothing. Honest reports are not doubted.
    """
    made, draw = OUE(0.5, 40), np.random.default_rng(seed)
    honest = made.privatize(np.arange(48_000) % 37 + 3, rng=seed)
    q = float(made.q)
    bits = draw.random((2000, 40)) < (0.5 + 39 * q - 3) / 37
    bits[:, :3] = True
    fakes = made.reports(of_bits(bits), True)
    clean = PairCounts.of(made, honest)
    assert clean.honesty().doubted(1e-9) == ()
    both = PairCounts.of(made, [honest, fakes])
    assert "pairs of ones" in [check.name for check in both.honesty().doubted(1e-9)]
    state = made.aggregate([honest, fakes], simulated=True)
    assert state.honesty().doubted(1e-9) == ()


def test_counts_merge_and_agree_with_the_state(seed: int) -> None:
    made = OUE(1.0, 70)
    parts = [made.privatize(np.arange(9000) % 70, rng=seed + i) for i in range(2)]
    whole, first, second = (PairCounts.of(made, each) for each in (parts, parts[0], parts[1]))
    merged = first.merge(second)
    assert merged.n == whole.n == 18_000
    assert np.array_equal(merged.pairs, whole.pairs)
    assert np.array_equal(merged.sizes, whole.sizes)
    state = made.aggregate(parts, simulated=True)
    assert np.array_equal(np.diagonal(whole.pairs), state.estimate().support_counts)
    assert int(whole.sizes @ np.arange(71)) == int(np.trace(whole.pairs))
    assert PairCounts.of(made).honesty().checks == ()


def test_what_is_refused() -> None:
    made = OUE(1.0, 4)
    with pytest.raises(ParameterError, match="one-hot"):
        PairCounts.of(GRR(1.0, 4))  # type: ignore[arg-type]  # what is tested
    pairs, sizes = np.zeros((4, 4), np.int64), np.zeros(5, np.int64)
    for n, wrong in ((1, (pairs, sizes)), (0, (pairs + 1, sizes)), (0, (sizes, pairs)), (-1, None)):
        with pytest.raises(ParameterError, match=r"pairs|sizes|n: "):
            PairCounts(made, n, *(wrong or (pairs, sizes)))
    with pytest.raises(ParameterError, match="pairs"):
        PairCounts(made, 0, [[0]], sizes)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ReportError, match="OUE"):
        PairCounts.of(made, SUE(1.0, 4).privatize([0], rng=1))
    with pytest.raises(ReportError, match="same mechanism"):
        PairCounts.of(made).merge(PairCounts.of(OUE(2.0, 4)))
    with pytest.raises(ReportError, match="PairCounts"):
        PairCounts.of(made).merge(made.empty())  # type: ignore[arg-type]  # what is tested
