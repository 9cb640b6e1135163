"""The Haar transform against dense matrices, and its mean over all ranges against their sum."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.wavelet import WaveletFit, WaveletLayout, WaveletOracle
from tests.broken.ranges import UnscaledWavelet

FITS = [
    (Fraction(3),),
    (Fraction(1), Fraction(2)),
    (Fraction(2), Fraction(1, 3), Fraction(5)),
    (Fraction(7), Fraction(1), Fraction(1, 9), Fraction(2)),
]


def halves(bits: int) -> list[np.ndarray]:
    """Of each level: nodes by leaves, 1 in the left half and -1 in the right one."""
    found = []
    for level in range(bits):
        half = 1 << bits - level - 1
        found.append(np.kron(np.eye(1 << level), np.repeat([1.0, -1.0], half)))
    return found


def agrees(fit: WaveletFit, seed: int) -> bool:
    """Whether leaves come back from their coefficients, and variances are those of the matrix."""
    bits = len(fit.variances)
    shares = np.random.default_rng(seed).dirichlet(np.ones(1 << bits))
    nodes = [each @ shares for each in halves(bits)]
    if not np.allclose(fit.fitted(nodes, 1.0), shares):
        return False
    back = [each.T / (each != 0).sum(axis=1) for each in halves(bits)]
    covariance = sum(float(v) * m @ m.T for v, m in zip(fit.variances, back, strict=True))
    pairs = np.array(list(itertools.combinations(range(fit.leaves + 1), 2)))
    sums = [np.asarray(covariance)[a:b, a:b].sum() for a, b in pairs]
    found = fit.variance_of(pairs[:, 0], pairs[:, 1])
    return np.allclose(found, sums) and np.isclose(float(fit.mean_variance), np.mean(sums))


@pytest.mark.parametrize("variances", FITS)
def test_the_fit_is_the_inverse_of_the_transform(
    variances: tuple[Fraction, ...], seed: int
) -> None:
    assert agrees(WaveletFit(variances), seed)


def test_a_transform_without_its_scale_is_seen(seed: int) -> None:
    assert not agrees(UnscaledWavelet(FITS[2]), seed)


def test_no_leaf_and_all_of_them_are_known() -> None:
    fit = WaveletFit(FITS[3])
    ends = np.array([0, 3, 16, 0]), np.array([0, 3, 16, 16])
    assert fit.variance_of(*ends).tolist() == [0, 0, 0, 0]
    assert list(fit.reach(0, 16)) == [0, 0, 0, 0]
    assert [float(each) for each in fit.reach(1, 7)] == [0.375, 0, 0.5, 1]


def test_sums_of_nodes_are_those_of_each_report(seed: int) -> None:
    layout = WaveletLayout(3)
    assert (layout.k, layout.counters) == (8, 14)
    data = np.random.default_rng(seed).integers(0, 14, 500, dtype=np.uint8)
    counters = layout.count(data)
    assert layout.users(counters).tolist() == [
        (data < 2).sum(),
        ((data >= 2) & (data < 6)).sum(),
        (data >= 6).sum(),
    ]
    for level, found in enumerate(layout.differences(counters)):
        first = 2 * ((1 << level) - 1)
        own = data[(data >= first) & (data < first + (2 << level))].astype(np.int64) - first
        for node in range(1 << level):
            turned = (np.bitwise_count(own >> 1 & node) + own) & 1
            assert found[node] == (turned == 0).sum() - (turned == 1).sum()
    with pytest.raises(ReportError, match=r"must hold integers in 0\.\.13"):
        layout.check(np.array([14]))


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_counts_are_unbiased_with_the_stated_variance_for_every_value(bits: int) -> None:
    """All reports of one user are enumerated, with their chances."""
    right = Fraction(3, 4)
    layout = WaveletLayout(bits)
    oracle = WaveletOracle(Identity("Wavelet", (), "", ()), layout, right)
    added = np.array([oracle.estimated(1, row) for row in np.eye(layout.counters, dtype=np.int64)])
    a, b = (float(each) for each in oracle.variance_line(1))
    for value in range(layout.k):
        chances = np.zeros(layout.counters)
        for level in range(bits):
            node = value >> bits - 1 - level
            for column in range(1 << level):
                own = ((node >> 1 & column).bit_count() + node) & 1
                at = 2 * ((1 << level) - 1 + column)
                for sign in (0, 1):
                    chance = right if sign == own else 1 - right
                    chances[at + sign] = float(chance / bits / (1 << level))
        assert chances.sum() == pytest.approx(1)
        mean = chances @ added
        assert mean == pytest.approx(np.eye(layout.k)[value], abs=1e-12)
        variance = chances @ (added - mean) ** 2
        assert variance == pytest.approx(a + b * np.eye(layout.k)[value])
    spread = added.max(axis=0) - added.min(axis=0)
    assert spread == pytest.approx(2 * float(oracle.half_step))
    assert oracle.plug_in(np.array([-1.0, 2.0]), 1) == pytest.approx([a, a + b])
