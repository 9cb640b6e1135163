"""Several reports of one value read as one.

The planted target sends fresh reports where it should send the same again (eps = 1 each time); its
twin repeats one. Level 1e-9 of the twin; the bound of votes on two reports of 8 bits at n = 6000
misses the violation with probability below 1e-9.
"""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.check.audit.events.plausible import plausible
from ldp_verified.check.audit.events.readings import OutputReading, check
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.sources import DrawnSamples
from ldp_verified.errors import ParameterError

K = 8


def source(repeats: int, kept: bool, rng: np.random.Generator) -> DrawnSamples:
    """Reports of symmetric unary encoding, fresh each time or kept."""
    p = np.exp(0.5) / (1 + np.exp(0.5))

    def ask(indices: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[object]:
        own = np.arange(K) == indices[:, None, None]
        size = (len(indices), 1 if kept else repeats, K)
        told = np.broadcast_to(
            rng.random(size) < np.where(own, p, 1 - p), (len(indices), repeats, K)
        )
        return [tuple(map(list, rows)) for rows in told.astype(int).tolist()]

    return DrawnSamples("sue", tuple(range(K)), ask)


@pytest.mark.parametrize("kept", [False, True])
def test_fresh_reports_of_one_value_add_up(kept: bool, rng: np.random.Generator) -> None:
    found = audit(source(2, kept, rng), Claim(1.0, n=6000, level=1e-9))
    assert (found.verdict is AuditVerdict.VIOLATED) is not kept
    if not kept:
        assert "votes:" in found.tested[0].words


def test_votes_are_counted_and_compared() -> None:
    outputs = [([1, 0], [1, 1], [1, 0]), ([0, 0], [0, 1], [1, 1]), ([0, 0],), 7]
    batch = Batch(np.zeros(4, dtype=np.int64), outputs)
    zero, one = np.zeros(4, dtype=np.int64), np.ones(4, dtype=np.int64)
    assert OutputReading("votes:2;bits", (0, 1)).supports(batch, zero).tolist() == [1, 0, 0, 0]
    assert OutputReading("votes:1;bits", (0, 1)).against(batch, zero, one).tolist() == [1, -1, 0, 0]
    assert OutputReading("votes:2;bits", (0, 1)).against(batch, zero, one).tolist() == [1, 0, 0, 0]
    assert OutputReading("votes:1;bits", (0, 1)).against(batch, one, zero).tolist() == [-1, 1, 0, 0]
    tuples = Batch(zero[:2], [(0, 0, 1), (1, 1, 1)])
    assert OutputReading("votes:2;same", (0, 1)).supports(tuples, zero[:2]).tolist() == [1, 0]


def test_outputs_that_look_like_several_reports_are_read_so() -> None:
    def names(outputs: list[object], inputs: int = 2) -> set[str]:
        batch = Batch(np.zeros(len(outputs), dtype=np.int64), outputs)
        return {each for each in plausible(batch, range(inputs)) if each.startswith("votes")}

    assert "votes:4;bits" in names([([1, 0],) * 4] * 50)
    assert {"votes:1;same", "votes:2;same"} <= names([(0, 1)] * 50)
    assert names([3, "text", None]) == set()
    assert names([(0, 1)] * 50, inputs=8) == set()
    assert names([[0]] * 50) == set()
    assert names([]) == set()


@pytest.mark.parametrize("name", ["votes", "votes:0;bits", "votes:1", "votes:x;bits"])
def test_a_margin_and_a_reading_are_needed(name: str) -> None:
    with pytest.raises(ParameterError):
        check(name)
    for inner in ("votes:1;votes:1;bits", "votes:1;nonsense"):
        with pytest.raises(ParameterError):
            check(inner)
