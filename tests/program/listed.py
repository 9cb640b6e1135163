"""Every mechanism and protocol that clients in other languages are printed for, at usual sizes."""

from __future__ import annotations

from typing import Any

from ldp_verified import protocols as p
from ldp_verified.run import mechanisms as m

STRINGS = ("red", "green", "blue")

LISTED: dict[str, Any] = {
    "warner": m.Warner(0.25),
    "binary_rr": m.BinaryRR(1.0),
    "grr": m.GRR(1.0, 16),
    "grr_wide": m.GRR(1.0, 3_000_000),
    "sue": m.SUE(1.0, 70),
    "oue": m.OUE(1.0, 130),
    "subset_selection": m.SubsetSelection(1.0, 40),
    "olh": m.OLH(1.0, 1000),
    "olh_shares": m.OLH(1.0, 1000, g=3),
    "blh": m.BLH(1.0, 1000),
    "hash_cohorts": m.HashCohorts(1.0, 100),
    "hadamard_response": m.HadamardResponse(1.0, 100),
    "hrr": m.HRR(1.0, 100),
    "pgr": m.PGR(1.0, 100),
    "cms": m.CMS(2.0, 64, 16, 32, 1),
    "hcms": m.HCMS(2.0, 64, 16, 32, 1),
    "duchi": m.Duchi(1.0),
    "piecewise": m.Piecewise(1.0),
    "square_wave": m.SquareWave(1.0),
    "hybrid": m.Hybrid(1.0),
    "staircase": m.Staircase(1.0),
    "two_coins": m.TwoCoins(0.5, 0.25),
    "grades": m.Grades(1.0),
    "geometric": m.Geometric(1.0),
    "truncated_geometric": m.TruncatedGeometric(1.0),
    "prefix_extending": p.PrefixExtending(2.0),
    "prefix_extending_short": p.PrefixExtending(1.0, 20, 10),
    "range_tree": p.RangeTree(1.0, 100),
    "range_wavelet": p.RangeWavelet(1.0, 100),
    "box_wavelet": p.BoxWavelet(1.0, (10, 20)),
    "parity_tables": p.ParityTables(1.0, ("a", "b", "c", "d"), 3),
    "sample_one": p.SampleOne(1.0, (3, 400, 5)),
    "split": p.Split(1.0, (3, 400)),
    "sample_among_fakes": p.SampleAmongFakes(1.0, (2, 30)),
    "sample_among_fake_bits": p.SampleAmongFakeBits(1.0, (2, 9)),
    "padded_response": p.PaddedResponse(1.0, 20, 3),
    "candidate_sizes": p.CandidateSizes(1.0, 9, ((1,), (2, 5))),
    "plane_noise": p.PlaneNoise(1.0, 9, 5),
    "she": p.SHE(1.0, 5, 4),
    "duchi_vector": p.DuchiVector(1.0, 6),
    "duchi_vector_odd": p.DuchiVector(1.0, 5),
    "key_value_response": p.KeyValueResponse(1.0, 9, 2),
    "key_value_bits": p.KeyValueBits(1.0, 9, 2),
    "key_value_symbols": p.KeyValueSymbols(1.0, 9, 2),
    "padded_hashing": p.PaddedHashing(1.0, 20, 2),
    "sampling_succinct_histogram": p.SamplingSuccinctHistogram(1.0, 20, 2),
    "sampling_rappor": p.SamplingRappor(1.0, 20, 2),
    "candidate_counts": p.CandidateCounts(1.0, 30, ((1,), (2, 5), (3,)), 2),
    "range_hierarchy": p.RangeHierarchy(1.0, 100),
    "range_grid": p.RangeGrid(1.0, {"a": 12, "b": 9}, 3),
    "joint_tables": p.JointTables(1.0, {"a": 4, "b": ("no", "yes"), "c": 30}),
    "hpgr": p.HPGR(1.0, 100),
    "hashtogram": p.Hashtogram(1.0, 20, 4, 16),
    "bitstogram": p.Bitstogram(2.0, 8, 8, 1, 2, 8),
    "tree_hist": p.TreeHist(2.0, 8, 2, 16),
    "prefix_cohorts": p.PrefixCohorts(2.0, 32, first=8, cohorts=4),
    "sequence_fragments": p.SequenceFragments(2.0, 32, marks=16),
    "sign_matrix": p.SignMatrix(1.0, 16),
    "succinct_histogram": p.SuccinctHistogram(2.0, 8, 8, 1),
    "bit_reduction": p.BitReduction(3.0, 8),
    "private_expander_sketch": p.PrivateExpanderSketch(1.0, 8, 2, 2, 1, 2, 8),
    "rappor": p.Rappor(0.5, 0.25, 0.75, 32, 2, 2),
    "loloha": p.LOLOHA(2.0, 1.0, 100),
    "lgrr": p.LGRR(2.0, 1.0, 9),
    "lsue": p.LSUE(2.0, 1.0, 9),
    "loue": p.LOUE(2.0, 1.0, 9),
    "dbitflip": p.DBitFlip(2.0, 50, 8, 3),
    "change_tree": p.ChangeTree(1.0, 30, 2),
    "voted_mean": p.VotedMean(4.0, 12, 2, 3, 2),
}
"""By the name of a case."""


def strings_of(made: Any) -> tuple[str, ...]:
    """What users of a deployment can hold; () where values are numbers."""
    return STRINGS if isinstance(made, p.Rappor) else ()
