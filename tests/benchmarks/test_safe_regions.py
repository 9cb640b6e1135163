"""The cities, the regions that users name, and the page, at small sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import safe_regions as sr


@pytest.fixture(scope="module")
def data() -> sr.World:
    return sr.world(20_000, seed=1, smallest=3_000_000)


def test_every_city_has_regions_that_hold_it(data: sr.World) -> None:
    tree = sr.made(data, 1.0).taxonomy
    assert tree.places == data.cities
    assert int(data.users.sum()) == 20_000
    assert data.where.shape == (len(data.cities), 2)
    for number, regions in enumerate(data.regions):
        spans = [tree.span(region) for region in regions]
        assert all(number in span and len(span) > 1 for span in spans)
        assert [len(span) for span in spans] == sorted(len(span) for span in spans)
    assert data.spans["world"] == len(data.cities)
    again = sr.world(20_000, seed=1, smallest=3_000_000)
    assert (again.users == data.users).all()
    assert again.cities == data.cities


def test_all_users_report_once(data: sr.World) -> None:
    split = sr.mixed(data, np.random.default_rng(3))
    assert (split.sum(axis=0) == data.users).all()
    state = sr.collected(data, 1.0, split, 4)
    assert (state.n, state.simulated) == (20_000, True)
    named = np.bincount(state.columns[1], minlength=len(data.tree))
    assert named[0] >= split[2].sum()


def test_a_page_and_a_map_have_all_methods(data: sr.World, tmp_path: Path) -> None:
    """At epsilon = 8 the errors of all methods are near their predictions, within a factor 2."""
    found = {8.0: [sr.one_run(data, 8.0, seed) for seed in range(2)]}
    sizes = sr.by_region(data, 8.0, 2)
    assert {name for name, *_ in sizes} == {*sr.SIZES}
    every = np.arange(len(data.cities))
    error = {m: sr.root_mean_square(data, found[8.0], m, every) for m in found[8.0][0].counts}
    assert 70 < error[sr.SIGNS] < 280  # sqrt(20,000) = 141
    assert error[sr.OWN] < error[sr.SIGNS]
    fitted = sr.consistent(data, 8.0, 1)
    assert [row[:2] for row in fitted] == [(sr.OWN, 8.0), (sr.CLUSTERS, 8.0)]
    assert fitted[0][2] == pytest.approx(
        sr.root_mean_square(data, found[8.0][:1], sr.OWN, every), rel=1e-12
    )
    assert all(0 < after < raw for _, _, raw, after in fitted)
    text = sr.page(data, found, fitted, sizes, 8.0)
    assert text.count("| 8 |") == 6
    sr.draw(data, found[8.0][0], sizes, 8.0, tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes()[:4] == b"\x89PNG"
