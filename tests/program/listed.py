"""Every mechanism and protocol that clients in other languages are printed for, at usual sizes."""

from __future__ import annotations

from typing import Any

from ldp_verified import (
    BLH,
    CMS,
    GRR,
    HCMS,
    HRR,
    OLH,
    OUE,
    PGR,
    SUE,
    BinaryRR,
    Duchi,
    Geometric,
    Grades,
    HadamardResponse,
    HashCohorts,
    Hybrid,
    Piecewise,
    SquareWave,
    Staircase,
    SubsetSelection,
    TruncatedGeometric,
    TwoCoins,
    Warner,
)
from ldp_verified.protocols import (
    LGRR,
    LOLOHA,
    LOUE,
    LSUE,
    BoxWavelet,
    CandidateSizes,
    DBitFlip,
    PaddedResponse,
    ParityTables,
    PrefixExtending,
    RangeTree,
    RangeWavelet,
    Rappor,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    Split,
)

STRINGS = ("red", "green", "blue")

LISTED: dict[str, Any] = {
    "warner": Warner(0.25),
    "binary_rr": BinaryRR(1.0),
    "grr": GRR(1.0, 16),
    "grr_wide": GRR(1.0, 3_000_000),
    "sue": SUE(1.0, 70),
    "oue": OUE(1.0, 130),
    "subset_selection": SubsetSelection(1.0, 40),
    "olh": OLH(1.0, 1000),
    "olh_shares": OLH(1.0, 1000, g=3),
    "blh": BLH(1.0, 1000),
    "hash_cohorts": HashCohorts(1.0, 100),
    "hadamard_response": HadamardResponse(1.0, 100),
    "hrr": HRR(1.0, 100),
    "pgr": PGR(1.0, 100),
    "cms": CMS(2.0, 64, 16, 32, 1),
    "hcms": HCMS(2.0, 64, 16, 32, 1),
    "duchi": Duchi(1.0),
    "piecewise": Piecewise(1.0),
    "square_wave": SquareWave(1.0),
    "hybrid": Hybrid(1.0),
    "staircase": Staircase(1.0),
    "two_coins": TwoCoins(0.5, 0.25),
    "grades": Grades(1.0),
    "geometric": Geometric(1.0),
    "truncated_geometric": TruncatedGeometric(1.0),
    "prefix_extending": PrefixExtending(2.0),
    "prefix_extending_short": PrefixExtending(1.0, 20, 10),
    "range_tree": RangeTree(1.0, 100),
    "range_wavelet": RangeWavelet(1.0, 100),
    "box_wavelet": BoxWavelet(1.0, (10, 20)),
    "parity_tables": ParityTables(1.0, ("a", "b", "c", "d"), 3),
    "sample_one": SampleOne(1.0, (3, 400, 5)),
    "split": Split(1.0, (3, 400)),
    "sample_among_fakes": SampleAmongFakes(1.0, (2, 30)),
    "sample_among_fake_bits": SampleAmongFakeBits(1.0, (2, 9)),
    "padded_response": PaddedResponse(1.0, 20, 3),
    "candidate_sizes": CandidateSizes(1.0, 9, ((1,), (2, 5))),
    "rappor": Rappor(0.5, 0.25, 0.75, 32, 2, 2),
    "loloha": LOLOHA(2.0, 1.0, 100),
    "lgrr": LGRR(2.0, 1.0, 9),
    "lsue": LSUE(2.0, 1.0, 9),
    "loue": LOUE(2.0, 1.0, 9),
    "dbitflip": DBitFlip(2.0, 50, 8, 3),
}
"""By the name of a case."""


def strings_of(made: Any) -> tuple[str, ...]:
    """What users of a deployment can hold; () where values are numbers."""
    return STRINGS if isinstance(made, Rappor) else ()
