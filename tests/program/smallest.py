"""Every protocol that clients are printed for, at its smallest sizes: one group, level or view."""

from __future__ import annotations

from typing import Any

from ldp_verified import protocols as p
from ldp_verified.run import mechanisms as m

TWO_VALUES = (
    m.GRR,
    m.SUE,
    m.OUE,
    m.SubsetSelection,
    m.OLH,
    m.BLH,
    m.HashCohorts,
    m.HadamardResponse,
    m.HRR,
    m.PGR,
)

SMALLEST: list[Any] = [
    *(mechanism(1.0, 2) for mechanism in TWO_VALUES),
    *(m.CMS(1.0, 2, 2, 1), m.HCMS(1.0, 2, 2, 1)),
    *(p.RangeTree(1.0, 2), p.RangeTree(1.0, 4, 2), p.RangeTree(1.0, 8, 3), p.RangeTree(1.0, 3, 2)),
    *(p.RangeWavelet(1.0, 2), p.BoxWavelet(1.0, (2, 2)), p.RangeHierarchy(1.0, 2)),
    *(
        p.RangeGrid(1.0, {"a": 2}),
        p.RangeGrid(1.0, {"a": 2}, 1),
        p.JointTables(1.0, {"a": 2, "b": 2}),
    ),
    *(p.ParityTables(1.0, ("a", "b"), 1), p.SampleOne(1.0, (2,)), p.Split(1.0, (2,))),
    *(p.SampleAmongFakes(1.0, (2,)), p.SampleAmongFakeBits(1.0, (2,))),
    *(p.PaddedResponse(1.0, 2, 1), p.PaddedHashing(1.0, 2, 1)),
    *(p.SamplingSuccinctHistogram(1.0, 2, 1), p.SamplingRappor(1.0, 2, 1)),
    *(p.CandidateSizes(1.0, 2, ((0,), (1,))), p.CandidateCounts(1.0, 2, ((0,), (1,)), 1)),
    *(p.PlaneNoise(1.0, 2, 2), p.SHE(1.0, 2, 1), p.DuchiVector(1.0, 1), p.HPGR(1.0, 2)),
    *(p.KeyValueResponse(1.0, 2, 1), p.KeyValueBits(1.0, 2, 1), p.KeyValueSymbols(1.0, 2, 1)),
    *(p.Hashtogram(1.0, 2, 1, 2), p.Bitstogram(1.0, 2, 2, 0, 1, 2), p.TreeHist(1.0, 2, 1, 2)),
    *(p.PrefixCohorts(1.0, 2, first=2, cohorts=1), p.SequenceFragments(1.0, 8, marks=2)),
    *(p.SignMatrix(1.0, 2), p.SuccinctHistogram(1.0, 2, 2, 0), p.BitReduction(1.0, 2)),
    *(p.PrivateExpanderSketch(1.0, 2, 1, 2, 1, 1, 2), p.PrefixExtending(1.0, 10, 10)),
    *(p.Rappor(0.5, 0.25, 0.75, 2, 1, 1), p.LOLOHA(2.0, 1.0, 2), p.LGRR(2.0, 1.0, 2)),
    *(p.LSUE(2.0, 1.0, 2), p.LOUE(2.0, 1.0, 2), p.DBitFlip(2.0, 2, 2, 1)),
    *(p.ChangeTree(1.0, 1, 1), p.VotedMean(4.0, 1, 1, 1, 1)),
]
