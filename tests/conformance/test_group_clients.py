"""Clients of protocols of groups, tuples and sets: right ones pass, wrong ones are rejected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified import HRR, OUE, SUE
from ldp_verified.check.conformance.foreign import client_subject
from ldp_verified.check.conformance.group_clients import asked_values
from ldp_verified.check.conformance.run import conform
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import (
    BoxWavelet,
    CandidateCounts,
    CandidateSizes,
    JointTables,
    PaddedHashing,
    PaddedResponse,
    ParityTables,
    RangeGrid,
    RangeHierarchy,
    RangeTree,
    RangeWavelet,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    SamplingRappor,
    SamplingSuccinctHistogram,
    Split,
)
from tests.broken.group_clients import ask_program, wrong_clients

RARE_LIES = BoxWavelet(3.0, (20, 9))
MADE: list[Any] = [
    *(RangeTree(2.0, 10, 2), RangeTree(3.0, 1000), RangeWavelet(2.0, 10), RangeWavelet(3.0, 600)),
    *(BoxWavelet(3.0, (3, 4)), RARE_LIES, ParityTables(2.0, ("a", "b", "c"), 2)),
    *(RangeHierarchy(2.0, 7, (4, 2)), RangeHierarchy(3.0, 30, (3, 10))),
    *(RangeGrid(3.0, {"a": 3, "b": 4}, 2), RangeGrid(3.0, {"a": 3, "b": 4}, 3, HRR)),
    *(JointTables(2.0, {"a": 2, "b": ("x", "y"), "c": 3}), SampleOne(2.0, (2, 3))),
    *(SampleOne(2.0, (2, 6), OUE), Split(4.0, (2, 3)), Split(4.0, (3, 10), OUE)),
    *(SampleAmongFakes(3.0, (2, 3)), SampleAmongFakes(3.0, (3, 40, 5))),
    *(SampleAmongFakeBits(3.0, (2, 3)), SampleAmongFakeBits(3.0, (2, 12), SUE, "values")),
    *(PaddedResponse(2.0, 6, 2), PaddedHashing(3.0, 6, 2), SamplingRappor(2.0, 4, 2)),
    *(SamplingRappor(2.0, 12, 2), SamplingSuccinctHistogram(3.0, 6, 2)),
    *(CandidateCounts(2.0, 9, ((1,), (2, 5), (3,)), 2), CandidateSizes(2.0, 9, ((1,), (2, 5)))),
]


@pytest.mark.parametrize("made", MADE, ids=lambda made: repr(made)[:60])
def test_right_clients_are_not_rejected(made: Any, seed: int) -> None:
    """Null: groups and reports in them have the law of the protocol; level 1e-9; n = 40,000.

    That is 10,000 users or more with each value. A class that is off by 0.08 is missed with
    probability at most 1e-8.
    """
    subject = client_subject(made, ask_program(made.program()), "a client")
    found = conform(subject, n=40_000, level=1e-9, seed=seed)
    assert not found.rejected
    assert max(each.detectable for each in found.comparisons) < 0.08


@pytest.mark.parametrize("made", MADE, ids=lambda made: repr(made)[:60])
def test_wrong_clients_are_rejected(made: Any, seed: int) -> None:
    """Null and level as above; n = 40,000, and 160,000 for `BoxWavelet(3.0, (20, 9))`.

    Lies of its 59 groups are rare: of 10,000 reports 16 are expected in each class, and if none
    comes, p = 4e-5 over the 236 classes. At 160,000 it is below 1e-20. A client whose numbers are
    no reports of its group is refused instead.
    """
    seen, n = 0, 160_000 if made == RARE_LIES else 40_000
    for what, ask in wrong_clients(made):
        assert _refused_or_rejected(made, ask, n, seed), what
        seen += 1
    assert seen >= 3


def _refused_or_rejected(made: Any, ask: Any, n: int, seed: int) -> bool:
    try:
        found = conform(client_subject(made, ask, "a client"), n=n, level=1e-9, seed=seed)
    except ParameterError as error:
        if "--client: must answer with reports" not in str(error):
            raise
        return True
    return bool(found.rejected)


class Unasked:
    """A client that must not be asked: what cannot be looked at is refused before."""

    def __call__(self, _: Any) -> Any:
        raise AssertionError


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (PaddedResponse(1.0, 65, 2), "k: must be at most 64"),
        (CandidateSizes(1.0, 65), "items: must be at most 64"),
        (Split(1.0, (1 << 30, 1 << 30, 1 << 30)), "sizes: must have at most 2\\^64 tuples"),
        (JointTables(1.0, {str(i): 16 for i in range(17)}), "attributes: must have at most"),
    ],
    ids=lambda each: repr(each)[:40],
)
def test_values_that_no_client_reads_are_refused(made: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        client_subject(made, Unasked(), "a client")


@pytest.mark.parametrize("answer", [[0, 2], [2, 0], [0], [0, 1, 0], [0, "x"], 3])
def test_what_is_no_report_is_refused(answer: Any) -> None:
    subject = client_subject(
        SampleOne(1.0, (2, 3)), lambda lines: [answer] * len(lines), "a client"
    )
    with pytest.raises(ParameterError, match="--client: must answer"):
        conform(subject, n=1000)


@pytest.mark.parametrize("made", MADE, ids=lambda made: repr(made)[:60])
def test_different_values_are_asked_for(made: Any) -> None:
    values = asked_values(made, np.random.default_rng(0))
    inputs = made.program().inputs
    assert 3 <= len(set(values)) == len(values)
    assert min(values) == 0
    assert max(values) == inputs - 1
