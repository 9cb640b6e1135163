"""EM over a known channel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate import reconstruct as reconstructing
from ldp_verified.run.aggregate.reconstruct import none_above, reconstruct, window_channel


def test_exact_counts_give_back_the_distribution() -> None:
    channel = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    truth = np.array([0.5, 0.3, 0.2])
    counts = np.rint(channel @ truth * 10**9).astype(np.int64)
    found = reconstruct(counts, channel, smooth=False, tolerance=1e-6)
    assert found.converged
    assert np.abs(found.shares - truth).max() < 1e-5


def test_a_step_never_lowers_the_likelihood() -> None:
    channel = window_channel(8, 3, 0.6, 22, 8)
    counts = np.random.default_rng(4).integers(0, 100, 22)
    likelihoods = [
        reconstruct(counts, channel, smooth=False, tolerance=-1, most_steps=steps).log_likelihood
        for steps in range(1, 12)
    ]
    assert likelihoods == sorted(likelihoods)


def test_smoothing_keeps_the_total_and_flattens() -> None:
    channel = np.eye(5)
    spike = np.array([0, 0, 100, 0, 0])
    smooth = reconstruct(spike, channel, smooth=True, most_steps=1).shares
    assert smooth.tolist() == [0, 0.25, 0.5, 0.25, 0]


@pytest.mark.parametrize(("n", "smoothed"), [(20, True), (10**6, False)])
def test_what_the_reports_contradict_is_not_smoothed(n: int, smoothed: bool) -> None:
    """The counts that users of one bin are expected to give: smoothing is wrong for every n."""
    channel = window_channel(8, 3, 0.6, 22, 8)
    counts = np.rint(n * channel[:, 3]).astype(np.int64)
    found = reconstruct(counts, channel)
    assert found.smoothed is smoothed
    same = reconstruct(counts, channel, smooth=smoothed)
    assert np.array_equal(found.shares, same.shares)
    wrong = np.abs(reconstruct(counts, channel, smooth=True).shares - np.eye(8)[3]).sum()
    assert wrong > 0.5
    assert smoothed or np.abs(found.shares - np.eye(8)[3]).sum() < 0.01


def test_what_is_even_stays_smoothed() -> None:
    channel = window_channel(8, 3, 0.6, 22, 8)
    found = reconstruct(np.rint(1e9 * channel.mean(axis=1)).astype(np.int64), channel)
    assert found.smoothed
    assert np.abs(found.shares - 1 / 8).max() < 1e-6


@pytest.mark.parametrize("bins", [2, 7, 16])
@pytest.mark.parametrize("n", [30, 10**4, 10**6])
def test_em_is_spared_only_where_it_would_not_be_kept(
    n: int, bins: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is spared changes no estimate, and the bound is the largest likelihood, nearly."""
    channel = window_channel(1 << 20, 1 << 19, 0.6, 64, bins)
    for sharpness in (0.05, 1.0, 50.0):
        truth = rng.dirichlet(np.full(bins, sharpness))
        counts = rng.multinomial(n, channel @ truth)
        found = reconstruct(counts, channel)
        with monkeypatch.context() as patched:
            patched.setattr(reconstructing, "none_above", lambda *_: False)
            slow = reconstruct(counts, channel)
        assert found.smoothed == slow.smoothed
        assert np.array_equal(found.shares, slow.shares)
        assert found.log_likelihood == slow.log_likelihood
        best = reconstruct(counts, channel, smooth=False, tolerance=1e-9, most_steps=100_000)
        start = reconstruct(counts, channel, smooth=True).shares
        assert not none_above(counts, channel, start, best.log_likelihood - 1e-6)
        assert none_above(counts, channel, start, best.log_likelihood + 0.01 * bins)


def test_bins_that_no_report_tells_apart_are_left_to_em() -> None:
    channel = np.array([[0.75, 0.75], [0.25, 0.25]])
    counts = np.array([700, 300])
    best = float(counts @ np.log(channel[:, 0]))
    even = np.array([0.5, 0.5])
    assert none_above(counts, channel, even, best + 1e-6)
    assert not none_above(np.array([7, 3]), channel, even, -100.0)
    assert reconstruct(counts, channel).smoothed


def test_the_channel_is_the_area_of_the_window() -> None:
    """Against the window cell by cell, at a fine division of every bin."""
    m, w, inside = 8, 3, 0.6
    fine = (np.arange(80_000) + 0.5) / 10_000
    wanted = np.zeros((11, 8))
    for v in range(8):
        starts = fine[(fine >= v) & (fine < v + 1)]
        for y in range(11):
            held = np.clip(np.minimum(y + 1, starts + w) - np.maximum(y, starts), 0, None).mean()
            wanted[y, v] = inside * held / w + (1 - inside) * (1 - held) / m
    assert np.abs(window_channel(m, w, inside, 11, 8) - wanted).max() < 1e-7


def test_no_reports_no_distribution() -> None:
    found = reconstruct(np.zeros(2, dtype=np.int64), np.eye(2))
    assert np.isnan(found.shares).all()
    assert not found.converged


@pytest.mark.parametrize(
    ("counts", "channel"),
    [
        ([1, 2], np.eye(3)),
        ([-1, 2], np.eye(2)),
        ([1, 2], np.ones((2, 2))),
        ([1, 2], [[2.0, 0], [-1.0, 1]]),
        ([1, 2], [1.0, 0.0]),
    ],
)
def test_what_is_no_channel_is_refused(counts: list[int], channel: Any) -> None:
    with pytest.raises(ParameterError):
        reconstruct(np.array(counts), np.array(channel))
