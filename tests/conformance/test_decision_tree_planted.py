"""The exact check of link 6 rejects every planted sampler, and accepts the right ones."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.run.kernels import draw
from ldp_verified.run.kernels.bits import one_hot_sampler
from ldp_verified.run.kernels.categorical import categorical_sampler
from ldp_verified.run.kernels.grr import grr_sampler, grr_wide_sampler
from ldp_verified.run.kernels.hashing import local_hash_sampler
from ldp_verified.run.kernels.prefix_bits import bits_fill
from ldp_verified.run.kernels.seeds import word_source
from tests.broken.construction import U
from tests.broken.samplers import PLANTED, PlantedSampler
from tests.conformance import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ldp_verified.run.kernels.draw import Sampler

RIGHT: dict[str, Callable[..., Sampler]] = {
    "matrix": categorical_sampler,
    "singletons": grr_sampler,
    "singletons_wide": grr_wide_sampler,
    "onehot": one_hot_sampler,
    "hashed": local_hash_sampler,
}
WIDTHS = {"matrix": 8, "singletons": 8, "singletons_wide": 8, "onehot": 4, "hashed": 5}


def small(planted: PlantedSampler) -> tuple[dict[str, Any], int]:
    """Parameters and a width at which all words can be tried."""
    width = WIDTHS[planted.form]
    parameters = planted.example(width)
    if planted.form == "onehot":
        parameters |= {"k": 3, "lanes": 2}
    if planted.form == "hashed":
        parameters |= {"k": parameters["g"]}
    return parameters, width


def values(parameters: dict[str, Any]) -> range:
    return range(len(parameters["thresholds"]) if "thresholds" in parameters else parameters["k"])


def exact_tables(
    sampler: Sampler, parameters: dict[str, Any]
) -> Iterator[tuple[int, tables.Table]]:
    """The kernel's exact distribution for each value; all of it must be resolved."""
    for x in values(parameters):
        if sampler.fill is bits_fill:
            horizon = 1 + parameters["lanes"] * sampler.columns
            law = exact_distribution(sampler, x, horizon, machine_code=True)
        else:
            # Enough for each of these forms: its words and a rejected one.
            horizon = max(3, sampler.columns + 1, sampler.least_words)
            many = (sampler.word_bits * sampler.least_words) > 8
            law = exact_distribution(sampler, x, horizon, machine_code=many)
        assert law.unresolved == 0
        yield x, dict(law.probabilities)


@pytest.mark.parametrize("name", PLANTED)
def test_the_decision_tree_rejects(name: str) -> None:
    planted = PLANTED[name]
    parameters, width = small(planted)
    sampler = planted.sampler(**parameters, width=width)
    right = tables.FORMS[planted.form]
    caught = False
    for x, found in exact_tables(sampler, parameters):
        # What is wrong is what is said to be wrong; `deviation` is computed from that.
        assert found == planted.table(x, **parameters, width=width)
        caught |= found != right(x, **parameters, width=width)
    assert caught


# One planted sampler for each form, and for each example of a form.
CONTROLS = ["matrix_floor", "grr_floor", "grr_one_word", "bits_or", "hash_floor", "hash_wrong_base"]


@pytest.mark.parametrize("name", CONTROLS)
def test_the_decision_tree_accepts_the_right_sampler(name: str) -> None:
    planted = PLANTED[name]
    parameters, width = small(planted)
    sampler = RIGHT[planted.form](**parameters, width=width)
    for x, found in exact_tables(sampler, parameters):
        assert found == tables.FORMS[planted.form](x, **parameters, width=width)


def worst_ratio(table: Callable[..., tables.Table], parameters: dict[str, Any], width: int) -> Any:
    rows = [table(x, **parameters, width=width) for x in values(parameters)]
    pairs = itertools.permutations(rows, 2)
    return max(mass / other[report] for row, other in pairs for report, mass in row.items())


@pytest.mark.parametrize("width", [8, 64])
@pytest.mark.parametrize("name", [name for name in PLANTED if name.endswith("floor")])
def test_lies_rounded_down_exceed_the_claim(name: str, width: int) -> None:
    planted = PLANTED[name]
    parameters = planted.example(width)
    assert worst_ratio(tables.FORMS[planted.form], parameters, width) <= U
    assert worst_ratio(planted.table, parameters, width) > U


@pytest.mark.parametrize("name", PLANTED)
def test_deviation_at_8_and_64_bits(name: str) -> None:
    planted = PLANTED[name]
    small, large = (planted.deviation(width, **planted.example(width)) for width in (8, 64))
    assert small >= Fraction(1, 2**11)
    rounding = name.endswith(("off_by_one", "floor", "modulo_bias"))
    assert 0 < large < Fraction(8, 2**64) if rounding else large > Fraction(1, 20)


@pytest.mark.parametrize("name", PLANTED)
def test_planted_samplers_run_in_bulk(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At full width, in machine code, they do what their Python form does."""
    planted = PLANTED[name]
    parameters = planted.example(64)
    count = 500
    truths = np.arange(count) % len(values(parameters))
    drawn = []
    for limit in (0, 1 << 40):
        monkeypatch.setattr(draw, "PURE_WORDS", limit)
        drawn.append(planted.draw(truths, word_source(seed, "test"), 64, **parameters))
    np.testing.assert_array_equal(drawn[0], drawn[1])
