"""The files of `vectors/`: which mechanisms they are of. `python -m` writes them again.

Run `python -m tests.program.vector_groups` after a program or a printed number has changed.
"""

from __future__ import annotations

from pathlib import Path
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
from ldp_verified.app.report.vector_files import file_text, vector_file
from ldp_verified.protocols import (
    HPGR,
    LGRR,
    LOLOHA,
    LOUE,
    LSUE,
    SHE,
    BitGroups,
    BitReduction,
    Bitstogram,
    BoxWavelet,
    CandidateSizes,
    ChangeTree,
    DBitFlip,
    DuchiVector,
    Gaussian,
    Hashtogram,
    KeyValueBits,
    KeyValueResponse,
    KeyValueSymbols,
    PaddedResponse,
    ParityTables,
    PlaneNoise,
    PrefixCohorts,
    PrefixExtending,
    PrivateExpanderSketch,
    RangeTree,
    RangeWavelet,
    Rappor,
    RegionChoice,
    SafeRegions,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    SequenceFragments,
    SignMatrix,
    Split,
    SuccinctHistogram,
    TreeHist,
    VotedMean,
)

FOLDER = Path(__file__).parents[2] / "vectors"

REGIONS = SafeRegions(
    {"world": ["east", "west"], "east": ["a", "b"], "west": ["c", "d", "e"]}, (0.5, 2)
)

KEPT: list[Any] = [
    *(LGRR(2.0, 1.0, 9), LOLOHA(2.0, 1.0, 100), LOLOHA(3.0, 2.0, 30, 5)),
    *(DBitFlip(2.0, 50, 8, 3), DBitFlip(1.0, 9, 9, 1), LSUE(2.0, 1.0, 35), LOUE(2.0, 1.0, 3)),
]

GROUPS: dict[str, tuple[int, list[Any]]] = {
    "grr": (800, [GRR(1.0, 16), GRR(0.1, 1 << 20), GRR(2.0, 1 << 21), GRR(9.0, 2), GRR(1e-3, 3)]),
    "olh": (600, [OLH(1.0, 1000), OLH(1.0, 1000, g=3), OLH(2.0, 10**6, g=6), OLH(3.0, 99, g=257)]),
    "blh": (500, [BLH(1.0, 9), BLH(0.2, 10**9)]),
    "oue": (150, [OUE(1.0, 64), OUE(0.5, 130), OUE(4.0, 3)]),
    "sue": (260, [SUE(1.0, 70), SUE(7.0, 2)]),
    "binary": (100, [BinaryRR(0.1), BinaryRR(8.0), Warner(0.25)]),
    "hadamard": (150, [HadamardResponse(1.0, 100), HadamardResponse(0.3, (1 << 31) - 1)]),
    "hrr": (150, [HRR(1.0, 3), HRR(2.0, 1 << 30)]),
    "subsets": (120, [SubsetSelection(1.0, 70), SubsetSelection(1.0, 16, 15)]),
    "hash_cohorts": (100, [HashCohorts(1.0, 100), HashCohorts(2.0, 3, 5)]),
    "pgr": (100, [PGR(1.0, 100), PGR(3.0, 1000), HPGR(2.0, 100), HPGR(5.0, 22_000)]),
    "sketches": (60, [CMS(2.0, 64, 16, 32, 1), CMS(1.0, 9, 3), HCMS(2.0, 64, 16, 33, 1)]),
    "geometric": (100, [Geometric(1.0), Geometric(4.0, (0, 10), 4), TruncatedGeometric(1.0)]),
    "memory": (90, [*KEPT, (Rappor(0.5, 0.25, 0.75, 33, 2, 2), ("red", "green", 'b"ue'))]),
    "days": (
        180,
        [
            *(ChangeTree(1.0, 30, 2), ChangeTree(2.0, 9), VotedMean(1.0, 2)),
            VotedMean(4.0, 12, 30, updates=3, votes=2, margin=0.25),
        ],
    ),
    "prefixes": (
        90,
        [PrefixExtending(2.0), PrefixExtending(1.0, 64, 20), PrefixExtending(0.5, 100, 7, 256)],
    ),
    "groups": (
        90,
        [
            *(RangeTree(1.0, 100), RangeWavelet(1.0, 100), BoxWavelet(1.0, (10, 20))),
            *(ParityTables(1.0, ("a", "b", "c", "d"), 3), PaddedResponse(1.0, 20, 3)),
            *(PaddedResponse(1.0, 64, 1), CandidateSizes(1.0, 9, ((1,), (2, 5)))),
        ],
    ),
    "arrays": (
        40,
        [
            *(DuchiVector(1.0, 2), DuchiVector(2.0, 7, (0, 10)), DuchiVector(1.0, 62)),
            *(KeyValueResponse(1.0, 20, 3), KeyValueResponse(1.0, 64, 1)),
            *(KeyValueBits(2.0, 9, 2), KeyValueSymbols(1.0, 9, 2)),
        ],
    ),
    "tuples": (
        90,
        [
            *(SampleOne(1.0, (3, 400, 5)), SampleOne(1.0, (9, 70), OUE), Split(1.0, (3, 400, 2))),
            *(SampleAmongFakes(1.0, (2, 30)), SampleAmongFakeBits(1.0, (2, 9))),
        ],
    ),
    "hitters": (
        60,
        [
            *(PrefixCohorts(1.0, 40, 8, 16, 100), Hashtogram(1.0), Hashtogram(0.5, 20, 3, 8, 9)),
            *(SuccinctHistogram(2.0, 20, 16), BitReduction(4.0, 5), BitGroups(1.0, 66, 64, g=256)),
            *(Bitstogram(1.0, 32, rows=3), PrivateExpanderSketch(2.0, 16)),
            *(TreeHist(1.0, 20, 4, 64), SequenceFragments(1.0)),
            *(SignMatrix(1.0), SignMatrix(0.1, 20, 7)),
        ],
    ),
    "points": (
        60,
        [
            *(PlaneNoise(1.0, 5, 3), PlaneNoise(0.25, 2, 9), SHE(1.0, 5, 4)),
            *(RegionChoice(REGIONS, "west", 2.0), RegionChoice(REGIONS, "world", 0.5)),
        ],
    ),
    "tables": (100, [TwoCoins(0.5, 0.25), TwoCoins(0.9, 0.5), Grades(1.0)]),
    "mixtures": (100, [Hybrid(1.0), Hybrid(0.25), Staircase(1.0), Staircase(6.0, (0, 10))]),
    "numbers": (
        200,
        [
            Duchi(1.0),
            Piecewise(1.0, (0, 100)),
            Piecewise(4.0),
            SquareWave(1.0),
            Gaussian(1.0, 1e-6),
        ],
    ),
}
"""Name of a file: (tests of a group, the groups)."""


def text_of(name: str) -> str:
    """The file as it is written now."""
    count, made = GROUPS[name]
    return file_text(vector_file(made, count))


if __name__ == "__main__":
    for each in GROUPS:
        (FOLDER / f"{each}.json").write_text(text_of(each), encoding="utf-8", newline="\n")
