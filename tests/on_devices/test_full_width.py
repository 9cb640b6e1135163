"""Compiled clients at full width: `conform --client` and `audit --command`, as a user runs them."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import (
    GRR,
    HRR,
    OLH,
    OUE,
    PGR,
    Duchi,
    Geometric,
    HadamardResponse,
    HashCohorts,
    Piecewise,
    SquareWave,
    SubsetSelection,
)
from ldp_verified.protocols import (
    LGRR,
    LOLOHA,
    LOUE,
    LSUE,
    BoxWavelet,
    CandidateCounts,
    CandidateSizes,
    DBitFlip,
    JointTables,
    PaddedHashing,
    PaddedResponse,
    ParityTables,
    PrefixExtending,
    RangeGrid,
    RangeHierarchy,
    RangeTree,
    RangeWavelet,
    Rappor,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    SamplingRappor,
    SamplingSuccinctHistogram,
    Split,
)
from tests.cli.running import run
from tests.on_devices.commands import LANGUAGES, command_of

if TYPE_CHECKING:
    from pathlib import Path

REPORTS = 500_000
MADE: dict[str, tuple[Any, str, tuple[str, ...]]] = {
    "grr": (GRR(1.0, 4), "grr", ("--k", "4", "--epsilon", "1")),
    "oue": (OUE(1.0, 4), "oue", ("--k", "4", "--epsilon", "1")),
    "subset_selection": (
        SubsetSelection(1.0, 6),
        "subset_selection",
        ("--k", "6", "--epsilon", "1"),
    ),
    "olh": (OLH(1.0, 4, g=3), "olh", ("--k", "4", "--epsilon", "1", "--set", "g=3")),
    "hash_cohorts": (HashCohorts(1.0, 4), "hash_cohorts", ("--k", "4", "--epsilon", "1")),
    "hadamard": (
        HadamardResponse(1.0, 4),
        "hadamard_response",
        ("--k", "4", "--epsilon", "1"),
    ),
    "hrr": (HRR(1.0, 4), "hrr", ("--k", "4", "--epsilon", "1")),
    "pgr": (PGR(1.0, 4), "pgr", ("--k", "4", "--epsilon", "1")),
    "duchi": (Duchi(1.0), "duchi", ("--epsilon", "1")),
    "piecewise": (Piecewise(1.0), "piecewise", ("--epsilon", "1")),
    "square_wave": (SquareWave(1.0), "square_wave", ("--epsilon", "1")),
    "geometric": (Geometric(1.0), "geometric", ("--epsilon", "1")),
    "prefix_extending": (PrefixExtending(2.0), "prefix_extending", ("--epsilon", "2")),
    "prefix_extending_short": (
        PrefixExtending(1.0, 24, 8),
        "prefix_extending",
        ("--epsilon", "1", "--set", "bits=24", "--set", "step=8"),
    ),
}
"""One of each way to draw, with its name and arguments on the command line."""

GROUPS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "range_tree": (RangeTree(1.0, 10), ("k=10",)),
    "range_wavelet": (RangeWavelet(1.0, 10), ("k=10",)),
    "box_wavelet": (BoxWavelet(1.0, (3, 4)), ("sizes=[3,4]",)),
    "parity_tables": (
        ParityTables(1.0, ("a", "b", "c"), 2),
        ('attributes=["a","b","c"]', "order=2"),
    ),
    "range_hierarchy": (RangeHierarchy(1.0, 7, (4, 2)), ("k=7", "fanouts=[4,2]")),
    "range_grid": (RangeGrid(1.0, {"a": 3, "b": 4}, 2), ('attributes={"a":3,"b":4}', "fanout=2")),
    "joint_tables": (
        JointTables(1.0, {"a": 2, "b": ("x", "y"), "c": 3}),
        ('attributes={"a":2,"b":["x","y"],"c":3}',),
    ),
    "sample_one": (SampleOne(1.0, (2, 3)), ("sizes=[2,3]",)),
    "split": (Split(1.0, (2, 3)), ("sizes=[2,3]",)),
    "sample_among_fakes": (SampleAmongFakes(1.0, (2, 3)), ("sizes=[2,3]",)),
    "sample_among_fake_bits": (SampleAmongFakeBits(1.0, (2, 3)), ("sizes=[2,3]",)),
    "padded_response": (PaddedResponse(1.0, 6, 2), ("k=6", "length=2")),
    "padded_hashing": (PaddedHashing(1.0, 6, 2), ("k=6", "length=2")),
    "sampling_succinct_histogram": (
        SamplingSuccinctHistogram(1.0, 6, 2),
        ("k=6", "length=2"),
    ),
    "sampling_rappor": (SamplingRappor(1.0, 6, 2), ("k=6", "length=2")),
    "candidate_counts": (
        CandidateCounts(1.0, 9, ((1,), (2, 5), (3,)), 2),
        ("items=9", "candidates=[[1],[2,5],[3]]", "length=2"),
    ),
    "candidate_sizes": (
        CandidateSizes(1.0, 9, ((1,), (2, 5))),
        ("items=9", "candidates=[[1],[2,5]]"),
    ),
}
"""One of each protocol of groups, tuples or sets, with the arguments of `--set` beside epsilon."""

PAIRS = [*((case, "c") for case in MADE), *(("grr", each) for each in LANGUAGES[1:])]
PAIRS += [
    (case, each) for case in ("oue", "geometric", "prefix_extending") for each in LANGUAGES[1:]
]


@pytest.mark.parametrize(("case", "language"), PAIRS)
def test_conform_passes_the_compiled_client(case: str, language: str, tmp_path: Path) -> None:
    """Null: the client's law is the table's; level 1e-9; n = 500,000.

    Deviations of a class by 0.02 are missed with probability at most 1e-8: `conform` says so.
    """
    made, name, arguments = MADE[case]
    command = shlex.join(command_of(made, language, tmp_path))
    options = ("--client", command, "--n", REPORTS, "--level", "1e-9")
    done = run("conform", name, *options, *arguments)
    assert done.exit_code == 0, done.stdout + done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_conform_rejects_the_client_of_another_epsilon(language: str, tmp_path: Path) -> None:
    """Null as above, level 1e-9, n = 40,000: the probability of the truth is off by 0.3."""
    command = shlex.join(command_of(GRR(2.5, 4), language, tmp_path))
    options = ("--client", command, "--n", 40_000, "--level", "1e-9", *MADE["grr"][2])
    assert run("conform", "grr", *options).exit_code == 1


def conform_groups(case: str, command: list[str], n: int) -> Any:
    """What `conform` finds of a client of a protocol of groups, tuples or sets; level 1e-9."""
    sets = [word for each in GROUPS[case][1] for word in ("--set", each)]
    options = ("--client", shlex.join(command), "--n", n, "--level", "1e-9", "--epsilon", "1")
    return run("conform", case, *options, *sets)


GROUPS_IN = [*((case, "c") for case in GROUPS)]
GROUPS_IN += [(case, "javascript") for case in ("range_wavelet", "sample_one", "candidate_counts")]
GROUPS_IN += [(case, each) for case in ("range_grid", "padded_response") for each in LANGUAGES[2:]]


@pytest.mark.parametrize(("case", "language"), GROUPS_IN)
def test_conform_passes_clients_of_groups_tuples_and_sets(
    case: str, language: str, tmp_path: Path
) -> None:
    """Null: groups and reports in them have the law of the protocol; level 1e-9; n = 500,000.

    Deviations of a class by 0.03 are missed with probability at most 1e-8: `conform` says so.
    """
    done = conform_groups(case, command_of(GROUPS[case][0], language, tmp_path), REPORTS)
    assert done.exit_code == 0, done.stdout + done.stderr


OTHERS = ("range_tree", "box_wavelet", "joint_tables", "sample_among_fakes", "padded_hashing")
"""One of each way to count; `tests/conformance/test_group_clients.py` rejects wrong ones of all."""


@pytest.mark.parametrize("case", OTHERS)
def test_conform_rejects_such_clients_of_another_epsilon(case: str, tmp_path: Path) -> None:
    """Null and level as above: at epsilon 4, with sizes of reports that do not change."""
    made = GROUPS[case][0]
    names = ("step", "fanouts", "fanout", "g", "oracle_name")
    kept = {name: getattr(made, name) for name in names if hasattr(made, name)}
    command = command_of(replace(made, epsilon=4.0, **kept), "c", tmp_path)
    assert conform_groups(case, command, REPORTS).exit_code == 1


KEEPING: dict[str, tuple[Any, tuple[str, ...], tuple[str, ...]]] = {
    "lgrr": (LGRR(3.0, 1.0, 4), (), ("k=4", "epsilon_permanent=3", "epsilon_report=1")),
    "loloha": (
        LOLOHA(3.0, 1.0, 3, 3),
        (),
        ("k=3", "g=3", "epsilon_permanent=3", "epsilon_report=1"),
    ),
    "lsue": (LSUE(3.0, 1.0, 3), (), ("k=3", "epsilon_permanent=3", "epsilon_report=1")),
    "loue": (LOUE(3.0, 1.0, 3), (), ("k=3", "epsilon_permanent=3", "epsilon_report=1")),
    "dbitflip": (DBitFlip(1.0, 8, 4, 2), (), ("epsilon_permanent=1", "k=8", "b=4", "d=2")),
    "rappor": (
        Rappor(0.5, 0.0625, 0.9375, 16, 2, 2),
        ("red", "green", "blue"),
        (
            *("noise=0.5", "low=0.0625", "high=0.9375", "bits=16", "hashes=2", "cohorts=2"),
            'strings=["red","green","blue"]',
        ),
    ),
}
"""Protocols that keep answers, the strings that clients know, and the arguments of `--set`."""

KEPT_IN = [*((case, "c") for case in KEEPING), *(("lgrr", each) for each in LANGUAGES[1:])]


def conform_kept(case: str, command: list[str], n: int) -> Any:
    """What `conform` finds of a client that keeps answers; level 1e-9."""
    sets = [word for each in KEEPING[case][2] for word in ("--set", each)]
    options = ("--client", shlex.join(command), "--n", n, "--level", "1e-9")
    return run("conform", case, *options, *sets)


@pytest.mark.parametrize(("case", "language"), KEPT_IN)
def test_conform_passes_clients_that_keep_answers(case: str, language: str, tmp_path: Path) -> None:
    """Null: three reports of a user have the law of the protocol; level 1e-9; 100,000 users.

    Deviations of a class by 0.04 are missed with probability at most 1e-8.
    """
    made, strings, _ = KEEPING[case]
    done = conform_kept(case, command_of(made, language, tmp_path, strings), REPORTS)
    assert done.exit_code == 0, done.stdout + done.stderr


@pytest.mark.parametrize("case", KEEPING)
def test_conform_rejects_clients_that_draw_answers_anew(case: str, tmp_path: Path) -> None:
    """Null and level as above: the joint law of two reports on one value is that of independent."""
    made, strings, _ = KEEPING[case]
    command = command_of(made, "c", tmp_path, strings, forgets=True)
    assert conform_kept(case, command, REPORTS).exit_code == 1


NUMBERS = (Duchi(1.0), f"0,{1 << 52}")
"""A mechanism of numbers at the ends of its bounds."""


OF_GROUPS = [
    *((RangeTree(1.0, 10), "0,9"), (ParityTables(1.0, ("a", "b"), 2), "0..3")),
    *((SampleOne(1.0, (2, 2)), "0..3"), (PaddedResponse(1.0, 2, 1), "0..3")),
]
"""Protocols of groups, tuples and sets, and inputs that tell how much they reveal."""


@pytest.mark.parametrize(
    ("made", "inputs", "language"),
    [
        *((GRR(1.0, 4), "0..3", each) for each in LANGUAGES),
        *((*NUMBERS, "c"), (*NUMBERS, "rust")),
        *((made, inputs, "c") for made, inputs in OF_GROUPS),
    ],
    ids=lambda each: repr(each)[:50],
)
def test_audit_holds_the_client_to_its_claim(
    made: Any, inputs: str, language: str, tmp_path: Path
) -> None:
    """Null: epsilon is at most what is claimed; level 1e-9; n = 60,000.

    At half of its epsilon (0.5 for a client of 1) the claim is called violated. At its epsilon it
    may be inconclusive: that depends on which outputs were learned from, and has no level.
    """
    command = shlex.join(command_of(made, language, tmp_path))
    options = ("--inputs", inputs, "-n", 60_000, "--level", "1e-9", "--no-checks")
    for claim, codes in ((1.0001, (0, 3)), (0.5, (1,))):
        done = run("audit", "--command", command, "--epsilon", claim, *options)
        assert done.exit_code in codes, done.stdout + done.stderr
