"""The classifier from queries: its gradients, and that private answers come near exact ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import queries


def test_rows_are_split_and_within_the_bounds() -> None:
    users, tested = queries.tumours()
    assert (len(users.labels), len(tested.labels)) == (269, 200)
    for rows in (users, tested):
        assert np.abs(rows.features).max() <= 1
        assert set(rows.labels) == {-1.0, 1.0}
        assert (rows.features[:, -1] == 1).all()


def test_gradients_are_those_of_the_logistic_loss() -> None:
    """Against differences of the loss itself, at random weights."""
    rng = np.random.default_rng(0)
    records = np.column_stack([rng.uniform(-1, 1, (50, 4)), rng.choice([-1.0, 1.0], 50)])
    weights = rng.normal(size=4)

    def loss(at: queries.Floats) -> queries.Floats:
        return np.asarray(np.log1p(np.exp(-records[:, -1] * (records[:, :-1] @ at))))

    found = queries.gradients(weights)(records)
    for j in range(4):
        step = np.zeros(4)
        step[j] = 1e-6
        slope = (loss(weights + step) - loss(weights - step)) / 2e-6
        np.testing.assert_allclose(found[:, j], slope, atol=1e-7)
        np.testing.assert_allclose(queries.one_coordinate(weights, j)(records), found[:, j])
    assert np.abs(found).max() <= 1
    np.testing.assert_allclose(queries.gradients(weights)(records[0]), found[0])


def test_exact_means_learn_as_well_as_the_library() -> None:
    users, tested = queries.tumours()
    exact, best = queries.without_privacy(users, tested)
    assert exact > 0.95
    assert abs(exact - best) < 0.03


@pytest.mark.parametrize("way", queries.WAYS)
def test_private_answers_learn(way: str) -> None:
    """Fixed seeds, as on the page: better than to say the same of all, which is right in 0.615.

    A learner whose gradients have the wrong sign is right where this one is wrong.
    """
    users, tested = queries.tumours()
    row = queries.measure(users, tested, 60_000, 8.0, way, 1)
    assert row.error < 0.1
    assert row.accuracies[0] > 0.75
    assert row.spent <= 8.0


def test_a_page_and_a_plot_have_all_ways(tmp_path: Path) -> None:
    users, tested = queries.tumours()
    rows = [queries.measure(users, tested, 4000, 4.0, way, 1) for way in queries.WAYS]
    text = queries.page(rows, (0.9, 0.95), users, tested)
    assert "| 4,000 | 4 | vectors |" in text
    assert "| 4,000 | 4 | numbers |" in text
    assert "269 rows" in text
    queries.draw(rows, 0.9, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000
