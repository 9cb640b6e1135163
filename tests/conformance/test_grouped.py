"""Protocols of groups are held to their boxes: what a report is about, and the law of estimates.

Level: `conform` over a wrong twin may also reject what is right in it with chance 1e-7; that is no
failure here. Power: each twin moves a class by more than the run says it detects, so it is missed
in at most one of 10^8 runs.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.check.conformance import conform
from ldp_verified.check.conformance.grouped import (
    about,
    bucket,
    counting_law,
    lists,
    shares,
    whole,
)
from ldp_verified.protocols import (
    BitGroups,
    BitReduction,
    Bitstogram,
    PrefixExtending,
    PrivateExpanderSketch,
    SequenceFragments,
    SuccinctHistogram,
    TreeHist,
)
from ldp_verified.run.kernels.wide import hashes
from tests.broken.grouped import GROUPED

if TYPE_CHECKING:
    from ldp_verified.protocols.grouped_hashing import GroupedHashing

N = 400_000

ELSEWHERE = (
    "one column for all users",
    "all rounds ask as many users",
    "an answer of those whose prefix is not listed",
)
"""Looked at in the tests of their modules."""


@pytest.mark.parametrize("what", [what for what in GROUPED if what not in ELSEWHERE])
def test_a_wrong_protocol_is_rejected(what: str) -> None:
    make, shows = GROUPED[what]
    report = conform(make(), n=N)
    found = [c for c in report.rejected if c.name.startswith(shows)]
    assert found, f"seed {report.seed}: {[c.name for c in report.rejected]}"


MADE: tuple[GroupedHashing, ...] = (
    PrefixExtending(2.0),
    PrefixExtending(2.0, 24),
    BitGroups(1.0, 6, 16),
    BitReduction(3.0, 4, 8),
    Bitstogram(1.0, 8, 8, 1, 2, 8),
    PrivateExpanderSketch(1.0, 8, 2, 2, 1, 2, 8),
    SequenceFragments(2.0, 32, marks=16),
    SuccinctHistogram(2.0, 8, 8, 1),
    TreeHist(1.0, 4, 2, 4),
)


@pytest.mark.parametrize("made", MADE, ids=lambda made: type(made).__name__)
def test_two_readings_of_a_report_agree(made: GroupedHashing, rng: np.random.Generator) -> None:
    values = ["", "é", "abc"] if made.bits is None else [0, 1, (1 << made.width) - 1]
    encoded = made.encode(values)
    seeds = rng.integers(0, 1 << 63, size=(len(values), 3), dtype=np.uint64)
    seeds[:, 2] = 0
    for group in range(made.groups):
        taken = made.inputs(encoded, group)
        assert [whole(words) for words in taken] == [
            about(made, whole(words), group) for words in encoded
        ]
        one = hashes(seeds, taken, 1).tolist()
        own = [
            bucket(int(s[1]) << 64 | int(s[0]), whole(v), 1)
            for s, v in zip(seeds, taken, strict=True)
        ]
        assert one == own


@pytest.mark.parametrize("made", MADE, ids=lambda made: type(made).__name__)
def test_shares_are_those_of_one_user(made: GroupedHashing) -> None:
    assert sum(shares(made)) == made.reports_per_user
    assert len(lists(made)) == len(shares(made)) == made.groups
    assert sum(counting_law(made).values()) == 1


def test_a_protocol_without_a_reading_is_refused() -> None:
    other: Any = SimpleNamespace(levels=1)
    with pytest.raises(TypeError, match="no reading of the reports of SimpleNamespace"):
        about(other, 0, 0)
