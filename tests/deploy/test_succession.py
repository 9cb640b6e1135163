"""A deployment changes while it runs: old reports until a date, one estimate, one ledger."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.deploy import Collector, CombinedShares, Deployment, Succession
from ldp_verified.errors import DomainError, ParameterError, ReplayError, ReportError
from ldp_verified.protocols import (
    SHE,
    BoxWavelet,
    CandidateCounts,
    CandidateSizes,
    DBitFlip,
    Gaussian,
    KeyValueBits,
    KeyValueResponse,
    KeyValueSymbols,
    PaddedResponse,
    ParityTables,
    PlaneNoise,
    RangeTree,
    RangeWavelet,
)
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.mechanisms import GRR, OUE, Duchi, Laplace, Piecewise, TwoCoins
from tests.deploy.deployed import DEPLOYMENTS, has_memory, name_of, public_of, value_of

OLD = Deployment(GRR(2.0, 3, categories=("a", "b", "c")))
NEW = Deployment(OUE(1.0, 4, categories=("d", "c", "b", "a")))
END = datetime(2026, 3, 1, tzinfo=UTC)
BEFORE, AFTER = END - timedelta(seconds=1), END


OTHER_ESTIMATES = {BoxWavelet, KeyValueBits, KeyValueResponse, KeyValueSymbols, ParityTables}
OTHER_ESTIMATES |= {RangeTree, RangeWavelet}
"""Protocols whose states are counted as shares are, and whose estimates are others."""


def running(simulated: bool = False) -> Succession:
    old, new = (each.collector(simulated=simulated) for each in (OLD, NEW))
    return Succession(new, [(old, END)])


def test_old_reports_are_counted_until_the_date() -> None:
    both, old, new = running(), OLD.client(), NEW.client()
    batch = old.batch(["a", "b"])
    text = OLD.to_text(OLD.mechanism.privatize(["a"]))[0]
    assert both.add(old.report("a"), now=BEFORE) == 1
    assert both.add(batch, now=BEFORE) == 2
    assert both.add(text, now=BEFORE) == 1
    assert both.add(new.report("d"), now=AFTER) == 1
    for late in (old.report("a"), old.batch(["a"]), text):
        with pytest.raises(ReportError, match=f"{OLD.tag} were accepted until 2026-03-01"):
            both.add(late, now=AFTER)
    with pytest.raises(ReplayError):
        both.add(batch, now=BEFORE)
    assert both.add(batch, "ignore", now=BEFORE) == 0
    assert both.n == 5
    assert [each.n for each in both.collectors] == [1, 4]


@pytest.mark.parametrize("data", [b"", b"\x01", b"LDPBATCH", bytes(40), "{}", None, 3], ids=str)
def test_what_is_no_report_is_refused(data: Any) -> None:
    both = running()
    foreign = Deployment(GRR(3.0, 3)).client()
    for each in (data, foreign.report(0), foreign.batch([0])):
        with pytest.raises(ReportError):
            both.add(each, now=BEFORE)
    assert both.n == 0


def test_damage_is_seen_on_both_sides() -> None:
    for client in (OLD.client(), NEW.client()):
        whole = client.report("b")
        for place in range(len(whole)):
            changed = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
            with pytest.raises(ReportError):
                running().add(changed, now=BEFORE)


def test_moments_have_time_zones_and_deployments_are_different() -> None:
    naive = datetime(2026, 3, 1)  # noqa: DTZ001  (what is wrong)
    with pytest.raises(ParameterError, match="until"):
        Succession(NEW.collector(), [(OLD.collector(), naive)])
    with pytest.raises(ParameterError, match="until"):
        Succession(NEW.collector(), [(OLD.collector(), END.date())])  # type: ignore[list-item]  # what is wrong
    with pytest.raises(ParameterError, match="now"):
        running().add(NEW.client().report("a"), now=naive)
    with pytest.raises(ParameterError, match="another deployment"):
        Succession(NEW.collector(), [(NEW.collector(), END)])
    with pytest.raises(ReportError, match="simulated"):
        Succession(NEW.collector(simulated=True), [(OLD.collector(), END)])
    for none in (3, [3], [(OLD.collector(),)], [(OLD, END)]):
        ended: Any = none
        with pytest.raises(ParameterError, match="ended: must"):
            Succession(NEW.collector(), ended)
    with pytest.raises(ParameterError, match="newest"):
        Succession(OLD, [])  # type: ignore[arg-type]  # what is wrong


def counted(deployment: Deployment, values: list[Any], seed: int) -> Collector:
    collector = deployment.collector(simulated=True)
    collector.add(deployment.client().batch(values, rng=seed))
    return collector


def test_shares_are_combined_by_inverse_variance(seed: int) -> None:
    # n1/v1 and n2/v2 by hand, with v the larger of the variances at shares 0 and 1.
    old = counted(OLD, ["a"] * 300 + ["b"] * 700, seed)
    new = counted(NEW, ["a"] * 30 + ["d"] * 70, seed)
    found = Succession(new, [(old, END)]).estimate()
    assert isinstance(found, CombinedShares)
    assert (found.labels, found.n, found.simulated) == (("d", "c", "b", "a"), 1100, True)
    assert found.reports.tolist() == [100, 1100, 1100, 1100]
    one, two = old.state.estimate(), new.state.estimate()

    def worst(made: Any) -> float:
        p, q = float(made.p_star), float(made.q_star)
        return max(q * (1 - q), p * (1 - p)) / (p - q) ** 2

    w1, w2 = 1000 / worst(OLD.mechanism), 100 / worst(NEW.mechanism)
    for place, there in ((1, 2), (2, 1), (3, 0)):
        share = (w1 * one.shares[there] + w2 * two.shares[place]) / (w1 + w2)
        assert math.isclose(found.shares[place], share)
        parts = (w1 * one.std_error[there] / 1000, w2 * two.std_error[place] / 100)
        assert math.isclose(found.std_error[place], math.hypot(*parts) / (w1 + w2))
    assert math.isclose(found.shares[0], two.shares[0])  # only the new one has it
    assert math.isclose(found.std_error[0], two.std_error[0] / 100)


def test_a_part_without_reports_changes_nothing(seed: int) -> None:
    new = counted(NEW, ["a"] * 30, seed)
    alone = Succession(new, [(OLD.collector(simulated=True), END)]).estimate()
    assert isinstance(alone, CombinedShares)
    assert np.allclose(alone.shares, new.state.estimate().shares)
    old = counted(OLD, ["a"] * 30, seed)
    rest = Succession(NEW.collector(simulated=True), [(old, END)]).estimate()
    assert isinstance(rest, CombinedShares)
    assert math.isnan(rest.shares[0])
    assert rest.reports.tolist() == [0, 30, 30, 30]
    with pytest.raises(ParameterError, match="above 0"):
        running().estimate()


def test_tables_without_support_combine_too(seed: int) -> None:
    one, two = Deployment(TwoCoins(0.5, 0.25)), Deployment(TwoCoins(0.75, 0.25))
    both = Succession(counted(one, [0, 1] * 50, seed), [(counted(two, [1] * 50, seed), END)])
    found = both.estimate()
    assert isinstance(found, CombinedShares)
    assert math.isclose(float(found.shares.sum()), 1.0)


def test_means_are_combined_by_inverse_variance(seed: int) -> None:
    one, two = Deployment(Duchi(1.0, (0, 10))), Deployment(Piecewise(2.0, (0, 10)))
    first, second = counted(one, [3.0] * 400, seed), counted(two, [3.0] * 100, seed)
    found: Any = Succession(second, [(first, END)]).estimate()
    a, b = first.estimate(), second.estimate()
    w = a.worst_std_error**-2 / (a.worst_std_error**-2 + b.worst_std_error**-2)
    assert found.n == 500
    assert math.isclose(found.mean, w * a.mean + (1 - w) * b.mean)
    assert math.isclose(found.std_error, math.hypot(w * a.std_error, (1 - w) * b.std_error))
    assert found.worst_std_error < min(a.worst_std_error, b.worst_std_error)
    other = counted(Deployment(Laplace(1.0, (0, 11))), [3.0], seed)
    with pytest.raises(ParameterError, match="bounds"):
        Succession(second, [(other, END)]).estimate()
    shares = counted(OLD, ["a"], seed)
    with pytest.raises(ParameterError, match="combine"):
        Succession(second, [(shares, END)]).estimate()
    sums = counted(Deployment(SHE(1.0, 3)), [0], seed)
    with pytest.raises(ParameterError, match="SumState"):
        Succession(sums, []).estimate()


def batch_of(mechanism: Any, held: Any, seed: int) -> Collector:
    deployment = Deployment(mechanism)
    collector = deployment.collector(simulated=True)
    if held:
        reports = mechanism.privatize(held, rng=seed)
        collector.add(deployment.to_batch(reports))
    return collector


def both_of(one: Collector, two: Collector) -> Any:
    return Succession(two, [(one, END)]).estimate()


def test_rows_are_matched_by_what_they_stand_for(seed: int) -> None:
    """The same candidates in another order: a position is of another candidate.

    Null: as with 3,000 users of 3 (all their sets), none of 4; epsilon 20 errs with 1e-8 a report.
    """
    made = [CandidateCounts(e, 5, c) for e, c in ((20.0, ((3,), (4,))), (21.0, ((4,), (3,))))]
    one, two = (batch_of(each, [[3]] * 3000, seed + i) for i, each in enumerate(made))
    found = both_of(one, two)
    assert found.labels == (4, 3)
    assert found.shares == pytest.approx([0.0, 1.0], abs=0.01)
    sets = [CandidateCounts(e, 5, c) for e, c in ((20.0, ((1, 2), (4,))), (21.0, ((4,), (1, 2))))]
    one, two = (batch_of(each, [[1, 2]] * 3000, seed + i) for i, each in enumerate(sets))
    assert both_of(one, two).labels == (4, "1+2")
    assert both_of(one, two).shares == pytest.approx([0.0, 1.0], abs=0.01)
    empty = batch_of(sets[1], None, seed)
    assert both_of(one, empty).shares == pytest.approx([0.0, 1.0], abs=0.01)


def test_of_sets_it_is_the_protocols_own_estimate(seed: int) -> None:
    """Reports of sets have dummies and a factor, which the state alone does not know."""
    made = [PaddedResponse(20.0, 4, 2), PaddedResponse(21.0, 4, 2)]
    one, two = (batch_of(each, [[0, 1]] * 3000, seed + i) for i, each in enumerate(made))
    assert both_of(one, two).labels == (0, 1, 2, 3)
    # A sampled item of two has a standard deviation of 1/sqrt(6,000) = 0.013 in its share of 1.
    assert both_of(one, two).shares == pytest.approx([1.0, 1.0, 0.0, 0.0], abs=0.12)


def test_what_has_no_row_for_each_value_is_refused(seed: int) -> None:
    pairs = [{0: 1.0}, {1: -1.0}] * 50
    for kind in (KeyValueResponse, KeyValueBits, KeyValueSymbols):
        one, two = (batch_of(kind(e, 4, 2), pairs, seed) for e in (3.0, 4.0))
        with pytest.raises(ParameterError, match=r"shares of values to combine.*KeyValueEstimate"):
            both_of(one, two)
        with pytest.raises(ParameterError, match="shares of values to combine"):
            both_of(batch_of(GRR(1.0, 4), [0] * 9, seed), batch_of(kind(3.0, 4, 2), None, seed))
    boxes = [batch_of(BoxWavelet(e, (4, 4)), [(0, 0), (3, 2)] * 500, seed) for e in (3.0, 4.0)]
    with pytest.raises(ParameterError, match=r"shares of values to combine.*WaveletBoxes"):
        both_of(*boxes)
    trees = [batch_of(RangeTree(e, 8), [0, 5] * 500, seed) for e in (3.0, 4.0)]
    with pytest.raises(ParameterError, match=r"shares of values to combine.*RangeEstimate"):
        both_of(*trees)
    mean = counted(Deployment(Duchi(1.0, (0, 10))), [3.0], seed)
    with pytest.raises(ParameterError, match="combine"):
        both_of(mean, NEW.collector(simulated=True))


def test_buckets_and_sizes_are_combined_where_they_are_the_same(seed: int) -> None:
    def bits(epsilon: float, k: int) -> Collector:
        deployment = Deployment(DBitFlip(epsilon, k, 4, 4))
        collector, device = (
            deployment.collector(simulated=True),
            deployment.device(new_user=True, rng=seed),
        )
        collector.add(device.report(0))
        return collector

    found = both_of(bits(20.0, 100), bits(21.0, 100))
    assert found.labels == (0, 1, 2, 3)
    assert found.shares == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=0.01)
    with pytest.raises(ParameterError, match=r"stand for the same.*buckets"):
        both_of(bits(20.0, 100), bits(21.0, 200))
    sizes = [CandidateSizes(e, 5, c) for e, c in ((20.0, ((3,), (4,))), (21.0, ((1,), (2,))))]
    one, two = (batch_of(each, [[3]] * 10, seed) for each in sizes)
    with pytest.raises(ParameterError, match=r"stand for the same.*sizes of sets"):
        both_of(one, two)
    values = batch_of(GRR(1.0, 3), [0] * 9, seed)
    with pytest.raises(ParameterError, match=r"stand for the same.*sizes of sets.*values"):
        both_of(one, values)


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_whatever_estimates_shares_says_what_its_rows_stand_for(deployment: Deployment) -> None:
    made = deployment.mechanism
    if not isinstance(deployment.collector().state, State) or type(made) in OTHER_ESTIMATES:
        return  # they are refused before rows are compared
    kind, which = made.estimated_rows
    others: dict[type, str] = {DBitFlip: "buckets", CandidateSizes: "sizes of sets"}
    assert kind == others.get(type(made), "values")
    assert (which is None) == (kind == "values")


def test_the_ledger_charges_both(tmp_path: Path) -> None:
    book = SpendingBook(tmp_path / "book", 4, new=True)
    OLD.client(book).report("a")
    NEW.client(book).report("d")
    assert [(each.epsilon, each.purpose) for each in book.entries()] == [
        (Fraction(2), f"deployment {OLD.tag}, round 0"),
        (Fraction(1), f"deployment {NEW.tag}, round 0"),
    ]
    again = SpendingBook(tmp_path / "book", 4)
    with pytest.raises(ParameterError, match="left of the budget, 1"):
        OLD.client(again).report("a")
    assert book.left == 1
    with pytest.raises(DomainError):  # what is entered does not depend on the value
        NEW.client(book).report("no such value")
    assert book.left == 0


def test_books_are_of_one_user_and_of_epsilons(tmp_path: Path) -> None:
    book = SpendingBook(tmp_path / "book", 4, new=True)
    with pytest.raises(ParameterError, match="many users"):
        NEW.client(book).batch(["a", "b"])
    with pytest.raises(ParameterError, match="delta"):
        Deployment(Gaussian(1.0, 1e-5)).client(book)
    with pytest.raises(ParameterError, match="for each step"):
        Deployment(PlaneNoise(1.0, 4, 3)).client(book)
    with pytest.raises(ParameterError, match="book"):
        NEW.client(tmp_path / "book")  # type: ignore[arg-type]  # what is wrong
    assert book.left == 4


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_the_price_is_at_least_what_a_report_tells(deployment: Deployment, tmp_path: Path) -> None:
    made = deployment.mechanism
    if has_memory(made) or hasattr(made, "delta") or isinstance(made, PlaneNoise):
        return  # no client of these takes a book
    book = SpendingBook(tmp_path / "book", 100, new=True)
    deployment.client(book, **public_of(made)).report(value_of(made))
    assert 100 - book.left >= Fraction(made.realized_epsilon)
