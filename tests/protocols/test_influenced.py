"""The influence of one report of a protocol is the extreme over every report, each counted."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import (
    LGRR,
    LOLOHA,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
    DBitFlip,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampledReports,
    SampleOne,
    Split,
)
from ldp_verified.run.aggregate.influence import Influence, influence_on_counts
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.mechanisms import GRR, OUE, SubsetSelection
from tests.mechanisms.against_table import every_report

if TYPE_CHECKING:
    from collections.abc import Callable

KEPT: list[Any] = [made(2.0, 1.0, 4) for made in (LGRR, LSUE, LOUE, LOSUE, LSOUE)]
KEPT.append(LOLOHA(2.0, 1.0, 3, 2))
LABELLED = LGRR(2.0, 1.0, 3, categories=("a", "b", "c"))
TUPLES: list[Any] = [
    Split(2.0, (3, 4)),
    Split(2.0, (4, 3), SubsetSelection),
    SampleOne(1.0, (3, 2), OUE),
    SampleOne(1.0, (3, 4, 2), GRR),
    SampleAmongFakes(1.0, (3, 4)),
    SampleAmongFakeBits(1.0, (3, 4)),
]


def reports_of(oracle: Any) -> list[Reports]:
    """Every report that the server takes, alone."""
    rows = every_report(SimpleNamespace(layout=oracle.layout))  # type: ignore[arg-type]  # its layout is all that is read
    return [Reports(np.asarray(row)[np.newaxis], oracle.identity, False) for row in rows]


def kept_added(made: Any) -> np.ndarray[Any, Any]:
    """What every report adds to each count, by the state that has seen this report alone."""
    alone = [made.empty().update(each).estimate().counts for each in reports_of(made.oracle)]
    return np.array(alone)


def tuple_added(made: Any, attribute: int) -> np.ndarray[Any, Any]:
    """The same of one attribute; where a user reports on one, every other one is tried too."""
    if not isinstance(made, SampleOne):
        oracle = made.oracle_of(attribute)
        states = (made.empty()[attribute].update(each) for each in reports_of(oracle))
        return np.array([state.estimate().counts for state in states])
    found = []
    for j, part in enumerate(made.parts):
        nothing = [other.privatize([]) for other in made.parts]
        for each in reports_of(part.oracle):
            sent = SampledReports(1, (*nothing[:j], each, *nothing[j + 1 :]))
            found.append(counted(made, sent, attribute))
    return np.array(found)


def counted(made: SampleOne, sent: SampledReports, attribute: int) -> np.ndarray[Any, Any]:
    """The sum over reports by the estimator that `variance` is of: each adds d times its weight."""
    state = made.empty().update(sent).states[attribute]
    return np.asarray(state.estimate().counts * len(made.sizes))


def disagreements(
    single: np.ndarray[Any, Any], of: Callable[[tuple[int, ...] | None], Influence]
) -> list[tuple[int, ...] | None]:
    """The groups of values for which an influence is not the extreme of what reports add."""
    k = single.shape[1]
    found: list[tuple[int, ...] | None] = []
    for places in [c for size in range(1, k + 1) for c in combinations(range(k), size)]:
        totals, claimed = single[:, list(places)].sum(axis=1), of(places)
        ends = [float(claimed.least), float(claimed.most)]
        if not np.allclose(ends, [totals.min(), totals.max()], rtol=1e-9, atol=1e-9):
            found.append(places)
    one = of(None)
    if not np.allclose([float(one.least), float(one.most)], [single.min(), single.max()]):
        found.append(None)
    return found


@pytest.mark.parametrize("made", KEPT, ids=lambda made: type(made).__name__)
def test_a_report_from_kept_answers(made: Any) -> None:
    assert disagreements(kept_added(made), made.influence) == []


@pytest.mark.parametrize("made", TUPLES, ids=lambda made: type(made).__name__)
def test_a_tuple(made: Any) -> None:
    for attribute in range(len(made.sizes)):
        single = tuple_added(made, attribute)

        def of(places: Any, attribute: int = attribute) -> Influence:
            return Influence(*vars(made.influence(attribute, places)).values())

        assert disagreements(single, of) == []


@pytest.mark.parametrize("wrong", ["as if asked", "of honest users", "without nothing"])
def test_a_wrong_influence_is_seen(wrong: str) -> None:
    """It forgets that one user in three is asked, or who lies; or that a user may be elsewhere."""
    made = SampleOne(1.0, (3, 4, 2), GRR)
    right = made.influence

    def of(places: tuple[int, ...] | None) -> Influence:
        alone = influence_on_counts(made.parts[0].oracle, places)
        if wrong == "as if asked":
            return Influence(min(alone.least, Fraction(0)), max(alone.most, Fraction(0)))
        if wrong == "of honest users":
            return Influence(Fraction(0), Fraction(1))
        return Influence(3 * alone.least, 3 * alone.most)

    single = tuple_added(made, 0)
    assert disagreements(single, of)
    assert not disagreements(single, lambda places: right(0, places))


def test_labels_and_what_is_refused() -> None:
    assert LABELLED.influence(["a", "c"]) == LABELLED.influence(["b", "a"])
    assert LABELLED.influence().most > 1
    with pytest.raises(ParameterError, match="among the labels"):
        LABELLED.influence(["d"])
    split = TUPLES[0]
    for attribute, values in [(2, None), (-1, None), (0, [3]), (0, []), (0, [1, 1]), (True, None)]:
        with pytest.raises(ParameterError, match=r"attribute|values"):
            split.influence(attribute, values)
    single: Any = np.array(1)  # has `__iter__`, and raises when it is called
    with pytest.raises(ParameterError, match=r"values: must be integers in 0\.\."):
        split.influence(0, single)


@pytest.mark.parametrize("b,d", [(4, 1), (4, 2), (3, 3)])
def test_bits_of_few_buckets(b: int, d: int) -> None:
    made = DBitFlip(1.0, 5, b, d)
    rows = [
        [2 * bucket + bit for bucket, bit in zip(chosen, bits, strict=True)]
        for chosen in combinations(range(b), d)
        for bits in product((0, 1), repeat=d)
    ]
    sent = (Reports(np.array([row]), made.identity, False) for row in rows)
    single = np.array([made.empty().update(each).estimate().counts for each in sent])
    assert disagreements(single, made.influence) == []
