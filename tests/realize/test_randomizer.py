"""Tests of every mechanism between private values and estimates."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified import BLH, GRR, OLH, OUE, SUE, BinaryRR, Warner
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.seeds import word_source
from tests.mechanisms.strategies import all_mechanisms, small_mechanisms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.realize import Randomizer

CITIES = ("ATL", "BOS", "ORD", "SFO")
SIX: list[Randomizer] = [
    Warner(0.2), BinaryRR(1.0), GRR(1.0, 70), SUE(1.0, 70), OUE(1.0, 70), OLH(1.0, 70), BLH(1.0, 70)
]  # fmt: skip
LABELLED: list[Randomizer] = [
    Warner(0.2, categories=("no", "yes")),
    BinaryRR(1.0, categories=(-1, 1)),
    GRR(1.0, 4, categories=CITIES),
    SUE(1.0, 4, categories=list(CITIES)),
    OUE(1.0, 4, categories={city: i for i, city in enumerate(CITIES)}),
    OLH(1.0, 4, categories=CITIES),
    BLH(1.0, 4, categories=CITIES),
]


def name_of(mechanism: Randomizer) -> str:
    return type(mechanism).__name__


every = pytest.mark.parametrize("mechanism", SIX, ids=name_of)
labelled = pytest.mark.parametrize("mechanism", LABELLED, ids=name_of)


def changed(mechanism: Randomizer, **arguments: Any) -> Randomizer:
    """The mechanism with other arguments."""
    made: Randomizer = cast("Any", type(mechanism))(**(mechanism.arguments | arguments))
    return made


class NoWords:
    """A source that must not be asked."""

    simulated = True

    def fill(self, out: NDArray[np.uint64]) -> None:
        """Fail."""
        raise AssertionError(f"{len(out)} words drawn")

    def words(self, count: int) -> NDArray[np.uint64]:
        """Fail."""
        raise AssertionError(f"{count} words drawn")


# --- parameters --------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0, -1.0, float("nan"), float("inf"), True, "1", None])
@pytest.mark.parametrize("mechanism", [BinaryRR, GRR, SUE, OUE, OLH, BLH])
def test_what_is_no_epsilon_makes_no_object(mechanism: Any, epsilon: Any) -> None:
    sizes = () if mechanism is BinaryRR else (5,)
    with pytest.raises(ParameterError, match="epsilon"):
        mechanism(epsilon, *sizes)


@pytest.mark.parametrize("k", [1, 0, -3, 2.0, True, "5", None, float("nan"), (1 << 32) + 1])
@pytest.mark.parametrize("mechanism", [GRR, SUE, OUE, OLH, BLH])
def test_what_is_no_domain_size_makes_no_object(mechanism: Any, k: Any) -> None:
    with pytest.raises(ParameterError, match="k: must be an integer in 2"):
        mechanism(1.0, k)


@pytest.mark.parametrize("g", [1, 0, 65537, 2.0, True, "5"])
def test_what_is_no_number_of_buckets_makes_no_object(g: Any) -> None:
    with pytest.raises(ParameterError, match="g: must be an integer in 2"):
        OLH(1.0, 5, g)


@pytest.mark.parametrize("g", [2, 3, 256, 257, 65521, 65536])
def test_numbers_of_buckets(g: int) -> None:
    mechanism = OLH(3.0, 1000, g)
    reports = mechanism.privatize([0, 999], 1)
    assert mechanism.buckets == mechanism.g == g
    assert reports.data.dtype == (np.uint8 if g <= 256 else np.uint16)
    assert mechanism.aggregate(reports, simulated=True).n == 2


@pytest.mark.parametrize("gamma", [0, 0.5, -0.1, 1, float("nan"), True, "0.1", None])
def test_what_is_no_gamma_makes_no_object(gamma: Any) -> None:
    with pytest.raises(ParameterError, match="gamma"):
        Warner(gamma)


@every
def test_categories_have_to_fit(mechanism: Randomizer) -> None:
    for categories in (["a"], ["a"] * mechanism.k, "ab", [1.0] * mechanism.k):
        with pytest.raises(ParameterError, match="categories"):
            changed(mechanism, categories=categories)


# --- the object --------------------------------------------------------------------------------


@given(all_mechanisms())
def test_equal_parameters_make_equal_objects(mechanism: Randomizer) -> None:
    for other in (
        pickle.loads(pickle.dumps(mechanism)),
        copy.copy(mechanism),
        copy.deepcopy(mechanism),
    ):
        assert other == mechanism
        assert hash(other) == hash(mechanism)
        assert repr(other) == repr(mechanism)
        assert other.thresholds == mechanism.thresholds
        assert other.identity == mechanism.identity


def test_different_parameters_or_classes_make_different_objects() -> None:
    assert GRR(1.0, 5) == GRR(1, 5)
    different: set[Randomizer] = {
        GRR(1.0, 5),
        GRR(1.0, 6),
        GRR(2.0, 5),
        GRR(1.0, 4, categories=CITIES),
        SUE(1.0, 5),
    }
    different |= {OUE(1.0, 5), OLH(1.0, 5), BLH(1.0, 5), OLH(1.0, 5, 2), BinaryRR(1.0)}
    assert len(different) == 10
    assert OLH(1.0, 5) == OLH(1.0, 5, 4)


@every
def test_an_object_cannot_be_changed(mechanism: Randomizer) -> None:
    for name in ("epsilon", "k", "categories", "p", "thresholds"):
        with pytest.raises((AttributeError, dataclasses.FrozenInstanceError)):
            setattr(mechanism, name, 1)


def test_a_pickle_holds_arguments_and_no_thresholds() -> None:
    _, (_, arguments) = GRR(1.0, 5).__reduce__()
    assert arguments == {"epsilon": 1.0, "k": 5, "categories": None}


@labelled
def test_labels_are_a_tuple_and_not_shown(mechanism: Randomizer) -> None:
    assert len(mechanism.labels) == mechanism.k
    assert mechanism.categories == mechanism.labels
    assert f"categories=<{mechanism.k} labels>" in repr(mechanism)
    hash(mechanism)


@given(all_mechanisms())
def test_the_identity_is_made_of_json_scalars(mechanism: Randomizer) -> None:
    parameters = mechanism.identity.parameters
    assert json.loads(json.dumps(parameters)) == parameters
    assert mechanism.identity.mechanism == type(mechanism).__name__


def test_gamma_is_identified_by_its_exact_value() -> None:
    assert Warner(0.25).identity == Warner(Fraction(1, 4)).identity
    assert Warner(0.1).identity != Warner(Fraction(1, 10)).identity


# --- client ------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(small_mechanisms(), st.data())
def test_reports_carry_where_they_come_from(mechanism: Randomizer, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.integers(0, mechanism.k - 1), max_size=5))
    secure = mechanism.privatize(values)
    seeded = mechanism.privatize(values, data.draw(st.integers(0, 2**32)))
    assert len(secure) == len(seeded) == len(values)
    assert not secure.simulated
    assert seeded.simulated
    assert secure.identity == mechanism.identity
    assert secure.mechanism == type(mechanism).__name__
    assert secure.thresholds == mechanism.thresholds
    assert secure.law_hash == mechanism.law_sha256
    assert mechanism.reports(np.array(secure.data), simulated=False) == secure
    assert not secure.data.flags.writeable
    assert mechanism.aggregate(secure).n == len(values)


@every
def test_a_seed_gives_the_same_reports_and_none_gives_others(mechanism: Randomizer) -> None:
    values = np.arange(400) % mechanism.k
    assert mechanism.privatize(values, 7) == mechanism.privatize(values, 7)
    one, other = np.random.default_rng(7), np.random.default_rng(7)
    assert mechanism.privatize(values, one) == mechanism.privatize(values, other)
    assert mechanism.privatize(values, one) != mechanism.privatize(values, one)
    assert mechanism.privatize(values, 7) != mechanism.privatize(values, np.random.default_rng(7))
    assert mechanism.privatize(values, 7) != mechanism.privatize(values, 8)
    assert mechanism.privatize(values) != mechanism.privatize(values)


@every
def test_one_value_is_a_batch_of_one(mechanism: Randomizer) -> None:
    assert mechanism.privatize(1, 7) == mechanism.privatize([1], 7)


@every
def test_a_stream_draws_on_from_one_source(mechanism: Randomizer) -> None:
    values = np.arange(300) % mechanism.k
    first, empty, second = mechanism.privatize_stream([values, [], values], 7)
    assert first == mechanism.privatize(values, 7)
    assert len(empty) == 0
    assert second != first
    assert mechanism.aggregate([first, empty, second], simulated=True).n == 600


def test_a_stream_refuses_its_source_at_once_and_values_in_their_turn() -> None:
    with pytest.raises(ParameterError, match="rng"):
        GRR(1.0, 5).privatize_stream([[1]], 1.5)  # type: ignore[arg-type]  # what is tested
    stream = GRR(1.0, 5).privatize_stream([[1], [5]], 1)
    assert len(next(stream)) == 1
    with pytest.raises(DomainError):
        next(stream)


@labelled
def test_labels_stand_for_indices(mechanism: Randomizer) -> None:
    plain = changed(mechanism, categories=None)
    indices = np.arange(50) % mechanism.k
    values = [mechanism.labels[i] for i in indices]
    named, unnamed = (word_source(7, "test") for _ in range(2))
    found = mechanism.privatize(values, named).data
    assert np.array_equal(found, plain.privatize(indices, unnamed).data)
    for x, label in enumerate(mechanism.labels):
        y = mechanism.privatize(label, 7).data[0]
        assert mechanism.pmf(y, label) == plain.pmf(y, x)


@every
@pytest.mark.parametrize("values", [-2, 70, [0, 70], 0.0, [0.5], float("nan"), True, "0", [[0]]])
def test_nothing_is_drawn_for_bad_values(mechanism: Randomizer, values: Any) -> None:
    with pytest.raises(DomainError):
        mechanism.privatize(values, NoWords())
    with pytest.raises(DomainError):
        mechanism.pmf(mechanism.privatize(0, 1).data[0], values)


@every
@pytest.mark.parametrize("rng", [1.0, True, -1, "1", [1], np.random.RandomState])
def test_what_is_no_source_of_words(mechanism: Randomizer, rng: Any) -> None:
    with pytest.raises(ParameterError, match="rng"):
        mechanism.privatize([0, 1], rng)


@every
@pytest.mark.parametrize("values", [[], np.array([]), np.array([], dtype=np.int64)])
def test_an_empty_batch_is_a_valid_empty_result(mechanism: Randomizer, values: Any) -> None:
    reports = mechanism.privatize(values, NoWords())
    assert len(reports) == 0
    estimate = mechanism.aggregate(reports).estimate()
    assert estimate.n == 0
    assert estimate.counts.shape == (mechanism.k,)


# --- server ------------------------------------------------------------------------------------


@every
def test_reports_of_everything_else_are_foreign(mechanism: Randomizer) -> None:
    others: list[Randomizer] = [
        *SIX, *LABELLED, Warner(0.21), BinaryRR(1.5), GRR(1.5, 70), GRR(1.0, 71), SUE(1.5, 70),
        OUE(1.0, 71), OLH(1.0, 70, 3), OLH(1.5, 70), BLH(1.0, 71),
    ]  # fmt: skip
    state = mechanism.aggregate(mechanism.privatize([0, 1], 1), simulated=True)
    before = mechanism.empty(simulated=True).merge(state)
    for other in others:
        if other != mechanism:
            with pytest.raises(ReportError, match="foreign"):
                state.update(other.privatize(other.labels[0], 1))
            with pytest.raises(ReportError, match="foreign"):
                state.merge(other.empty(simulated=True))
    assert state == before


@every
def test_raw_arrays_are_copied_and_marked(mechanism: Randomizer) -> None:
    raw = np.array(mechanism.privatize([0, 1, 1], 1).data)
    reports = mechanism.reports(raw, simulated=True)
    kept = np.array(reports.data)
    raw[...] = 0
    assert np.array_equal(reports.data, kept)
    assert reports.simulated
    assert not mechanism.reports(raw, simulated=False).simulated
    with pytest.raises(ReportError, match="simulated"):
        mechanism.reports(raw, simulated=1)  # type: ignore[arg-type]  # what is tested


@every
def test_malformed_arrays_are_refused(mechanism: Randomizer) -> None:
    good = np.array(mechanism.privatize([0, 1, 1], 1).data)
    bad: list[Any] = [
        good.astype(np.float64), good.astype(bool), good.astype(object), good.astype(str),
        good.tolist(), good[0], good[np.newaxis], None, "reports",
    ]  # fmt: skip
    if mechanism.bits_per_report % 64:
        bad.append(np.full_like(good, np.iinfo(good.dtype).max))
    if good.ndim == 2:
        bad += [good[:, :-1], np.hstack([good, good])]
    for array in bad:
        with pytest.raises(ReportError):
            mechanism.reports(array, simulated=False)
    assert mechanism.reports(good, simulated=False).identity == mechanism.identity


@every
def test_aggregate_takes_reports_and_nothing_else(mechanism: Randomizer) -> None:
    one = mechanism.privatize([0, 1], 1)
    assert mechanism.aggregate(one, simulated=True).n == 2
    assert mechanism.aggregate([]) == mechanism.empty()
    assert mechanism.aggregate(iter([one, one]), simulated=True).n == 4
    with pytest.raises(ReportError, match="must be Reports"):
        mechanism.aggregate([one.data])  # type: ignore[list-item]  # what is tested


@every
def test_pmf_refuses_what_is_no_report(mechanism: Randomizer) -> None:
    y = mechanism.privatize(0, 1).data[0]
    assert 0 < mechanism.pmf(y, 0) < 1
    for bad in (1.5, "y", None, [[0]], -1, True):
        with pytest.raises(ReportError):
            mechanism.pmf(bad, 0)


# --- sampler -----------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [4, 8])
@every
def test_samplers_of_narrow_words_draw_in_the_same_layout(
    mechanism: Randomizer, width: int
) -> None:
    small = mechanism if mechanism.k == 2 else changed(mechanism, k=5)
    for realization in small.realizations(width):
        sampler = small.sampler(realization)
        assert sampler.word_bits >= width
        source = ReplayWords(np.arange(2000) * 7 % 2**width, width)
        drawn = sampler.draw(np.arange(20) % small.k, source)
        assert small.layout.check(drawn).dtype == drawn.dtype


def test_bits_per_report() -> None:
    assert [m.bits_per_report for m in SIX] == [1, 1, 7, 70, 70, 16, 8]
