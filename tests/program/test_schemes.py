"""Programs have the law of the realized table, and read the words of the kernels alike."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ldp_verified import (
    BLH,
    GRR,
    HRR,
    OLH,
    OUE,
    SUE,
    BinaryRR,
    HadamardResponse,
    SubsetSelection,
    Warner,
)
from ldp_verified.errors import LdpError
from ldp_verified.protocols import HPGR
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.program import schemes
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.interpret import OutOfWordsError, interpret
from ldp_verified.run.program.schemes import one_hot
from ldp_verified.run.realize.designs.onehot import OneHotRandomizer
from ldp_verified.run.realize.designs.sketch import BitSketchRandomizer
from ldp_verified.run.realize.programmed import ProgrammedTable
from tests.broken.programs import with_reused_word, wrong_programs
from tests.mechanisms.parameters import CLASSES, usual
from tests.program.enumerated import CASES, at_small_width, law_of, table_of
from tests.program.planes import planes_sampler, sketch_planes_sampler

LARGE = 2**64 - 1

WIDE: list[Any] = [
    *(GRR(1.0, 16), GRR(0.1, 1 << 20), GRR(2.0, 1 << 21), GRR(9.0, 2)),
    *(OLH(1.0, 1000), OLH(1.0, 1000, g=3), OLH(2.0, 10**6, g=6), BLH(1.0, 9)),
    *(OLH(3.0, 10**5, g=257), OLH(1.0, 2**31, g=2)),
    *(HadamardResponse(1.0, 100), HadamardResponse(0.3, (1 << 31) - 1), HRR(1.0, 3)),
    *(BinaryRR(0.1), Warner(0.25), SubsetSelection(1.0, 70), SubsetSelection(1.0, 16, 15)),
    *(HPGR(1.0, 100), HPGR(5.0, 22_000)),
    *(SUE(1.0, 70), OUE(1.0, 64), OUE(0.5, 130), OUE(4.0, 3)),
]


@pytest.mark.parametrize("name", CASES)
def test_the_law_is_the_realized_table(name: str) -> None:
    program, _ = at_small_width(name)
    for value in range(program.values):
        law, unresolved = law_of(program, value, name)
        assert law == table_of(name, value)
        assert unresolved == 0


SAME_LAW = (
    *("pgr", "pgr_ternary", "hpgr", "truncated_geometric", "geometric"),
    *("prefixes", "entries", "counting_rows", "finding_rows", "sign_matrix"),
    *("later_round", "last_round", "plane_noise", "safe_regions", "she"),
    *("candidates_listed", "pairs_listed"),
)
"""Where a limit of rejection, one beyond both ends, or one at which both blocks give the same can
move and nothing else is drawn at so small a size: most of the slips must be seen, by the law or by
the words that are read."""


@pytest.mark.parametrize("name", CASES)
def test_wrong_programs_are_rejected(name: str) -> None:
    """By the ranges, because a law is not the table's, or because words are read otherwise.

    The last is all that can be said of other places for coefficients, which are uniform anyway.
    """
    program, sampler = at_small_width(name)
    found = same = 0
    for what, wrong in wrong_programs(program):
        found += 1
        try:
            check(wrong)
        except LdpError:
            continue
        values = range(program.values)
        other_law = any(law_of(wrong, v, name)[0] != table_of(name, v) for v in values)
        otherwise = what.startswith("a table is off by one") or name in SAME_LAW
        moved = otherwise and differs(wrong, sampler)
        if name in SAME_LAW:
            same += not (other_law or moved)
        else:
            assert other_law or moved, what
    assert found >= 3
    assert 2 * same < found


@pytest.mark.parametrize("name", ["olh_lanes", "blh"])
def test_a_reused_word_is_rejected(name: str) -> None:
    """The word of the last coefficients says whether to lie, too."""
    wrong = check(with_reused_word(at_small_width(name)[0]))
    law, _ = law_of(wrong, 0, name)
    assert law != table_of(name, 0)


@pytest.mark.parametrize("name", CASES)
def test_every_word_at_small_width_is_read_as_the_kernel_reads_it(name: str) -> None:
    assert not differs(*at_small_width(name))


def differs(program: Any, sampler: Any) -> bool:
    """Return whether some sequence of words makes another report, or is read to another end."""
    count = min(sampler.words_per_value + 1, 12 // program.width)
    return any(
        run(program, value, words) != kernel(sampler, value, words)
        for words in itertools.product(range(1 << program.width), repeat=count)
        for value in range(program.values)
    )


@pytest.mark.parametrize("lanes", [2, 3])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_several_blocks_of_lanes(k: int, lanes: int, rng: np.random.Generator) -> None:
    sizes = (k, 5, 3, 3, lanes)
    program, sampler = one_hot("bits", *sizes), planes_sampler(*sizes)
    for words in rng.integers(0, 8, size=(500, 1 + 3 * -(-k // lanes))).tolist():
        for value in range(k):
            assert run(program, value, words) == kernel(sampler, value, words)


def boundary_words(made: Any) -> list[int]:
    """Words at and beside each threshold, each cell's end, and each end of equal shares."""
    found = {0, 1, LARGE - 1, LARGE, 1 << 63, (1 << 63) - 1}
    outputs = getattr(made, "g", made.k)
    for threshold in made.thresholds:
        for times in (1, 2, outputs - 1, outputs):
            found |= {threshold * times + step for step in (-1, 0, 1)}
    per_word = 1
    while outputs**per_word <= 2**64:
        share = 2**64 // outputs**per_word
        for times in (1, outputs**per_word - 1, outputs**per_word):
            found |= {share * times + step for step in (-1, 0)}
        per_word += 1
    return sorted(word for word in found if 0 <= word <= LARGE)


@pytest.mark.parametrize("made", WIDE, ids=repr)
def test_boundary_words_at_full_width(made: Any, rng: np.random.Generator) -> None:
    """Each in the first, in the second and in the last place that a report reads."""
    program, sampler = made.program(), as_devices_read(made)
    least = sampler.least_words
    for word in boundary_words(made):
        for place in {0, min(1, least - 1), least - 1}:
            tape = rng.integers(0, LARGE, size=least + 99, dtype=np.uint64, endpoint=True).tolist()
            tape[place] = word
            for value in (0, made.k // 2, made.k - 1):
                drawn = run(program, value, tape)
                assert drawn is not None
                assert drawn == kernel(sampler, value, tape)


@pytest.mark.parametrize("made", [OUE(1.0, 64), OUE(0.5, 70), SUE(1.0, 3)], ids=repr)
def test_lanes_that_are_undecided_to_the_last_plane(made: Any) -> None:
    """Every plane's word agrees with the threshold in all lanes, but for one plane and lane."""
    program, sampler = made.program(), as_devices_read(made)
    zero = made.thresholds[1]
    agreeing = [LARGE * (zero >> (63 - plane) & 1) for plane in range(64)]
    for plane in range(64):
        for lane in (0, 2, 63):
            tape = [0, *agreeing, *agreeing]
            tape[1 + plane] ^= LARGE ^ (1 << lane)
            for value in (0, made.k - 1):
                drawn = run(program, value, tape)
                assert drawn is not None
                assert drawn == kernel(sampler, value, tape)


def test_a_program_of_other_thresholds_differs_at_their_words() -> None:
    """The replay sees a threshold at width 64 that is off by one."""
    made = GRR(1.0, 16)
    (lie,) = made.thresholds
    sampler = made.sampler()
    for other in (lie - 1, lie + 1):
        wrong = schemes.k_rr("grr", 16, other)
        words = boundary_words(made)
        assert any(run(wrong, 3, [word]) != kernel(sampler, 3, [word]) for word in words)


def test_a_cap_on_the_planes_is_seen_at_full_width() -> None:
    """Lanes that only the planes beyond the 40th decide are read as the kernel does, or not."""
    made = OUE(1.0, 3)
    one, zero = made.thresholds
    capped = one_hot("oue", 3, one, (zero >> 24) << 24)
    agreeing = [LARGE * (zero >> (63 - plane) & 1) for plane in range(64)]
    tape = [0, *agreeing[:41], *[0] * 23]
    sampler = as_devices_read(made)
    assert run(made.program(), 0, tape) == kernel(sampler, 0, tape)
    assert run(capped, 0, tape) != kernel(sampler, 0, tape)


def test_every_class_with_a_program_reads_words_as_its_kernel(rng: np.random.Generator) -> None:
    found = [name for name, made in CLASSES.items() if issubclass(made, ProgrammedTable)]
    assert {"GRR", "KeepOrUniform", "OLH", "BLH", "OUE", "SUE", "UE", "THE"} <= set(found)
    assert {"Warner", "BinaryRR", "HadamardResponse", "HRR", "SubsetSelection"} <= set(found)
    for name in found:
        made: Any = CLASSES[name](**usual(CLASSES[name]))
        program, sampler = made.program(), as_devices_read(made)
        for tape in rng.integers(0, LARGE, size=(20, 999), dtype="u8", endpoint=True).tolist():
            drawn = run(program, made.k - 1, tape)
            assert drawn is not None
            assert drawn == kernel(sampler, made.k - 1, tape)


def test_thresholds_that_do_not_fit_are_refused() -> None:
    with pytest.raises(LdpError, match="must be in 0"):
        check(replace(schemes.k_rr("grr", 4, 2**60), below=3))
    with pytest.raises(LdpError, match="at most"):
        schemes.k_rr("grr", 4, 2**63)


def as_devices_read(made: Any) -> Sampler:
    """The kernel that reads words as a device does: by planes, where bits are looked up in bulk."""
    if isinstance(made, OneHotRandomizer):
        return planes_sampler(made.k, *made.thresholds)
    if isinstance(made, BitSketchRandomizer):
        functions = made.layout.functions
        return sketch_planes_sampler(made.k, made.buckets, functions, *made.thresholds)
    found: Sampler = made.sampler()
    return found


def run(program: Any, value: int, words: Any) -> tuple[tuple[int, ...], int] | None:
    """(report, words read) of the interpreter; None if the words do not suffice."""
    try:
        drawn = interpret(program, program.value_of(value), words)
    except OutOfWordsError:
        return None
    return drawn.report, drawn.words


def kernel(sampler: Any, value: int, words: Any) -> tuple[tuple[int, ...], int] | None:
    """(report, words read) of the plain-Python form of the kernel."""
    out = [0] * sampler.columns
    done, used = sampler.fill([value], out, list(words), sampler.cuts, sampler.sizes)
    return (tuple(out), used) if done else None
