"""Programs of protocols on wide values read the words of their Python clients, to the same end."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import (
    BitGroups,
    BitReduction,
    Bitstogram,
    Hashtogram,
    PrefixCohorts,
    PrefixExtending,
    PrivateExpanderSketch,
    SequenceFragments,
    SignMatrix,
    SuccinctHistogram,
    TreeHist,
)
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.form import Assign, Private
from ldp_verified.run.program.hashed_groups import HashedGroups, hashed_groups
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.vectors import boundary_words
from tests.program.enumerated import law_of, table_of
from tests.program.gcc import every_row
from tests.program.hashed_cases import HASHED, Asking
from tests.program.joint import worst_ratio
from tests.program.node import node, ran

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.protocols.grouped_hashing import GroupedHashing
    from ldp_verified.run.program import Program

MADE: list[Any] = [
    *(PrefixExtending(2.0), PrefixExtending(1.0, 64), PrefixExtending(1.0, 16, 4)),
    *(PrefixExtending(0.5, 100, 20, 2), PrefixExtending(3.0, 128, 7, 256)),
    *(PrefixExtending(1.0, 2, 1), PrefixExtending(1.0, 65, 13)),
    *(PrefixCohorts(1.0, cohorts=30), PrefixCohorts(2.0, 40, 5, 9, 100, 7, 2)),
    *(Hashtogram(1.0), Hashtogram(0.5, 70, 3, 8, 9), Hashtogram(1.0, 2, 1, 2)),
    *(SuccinctHistogram(1.0), SuccinctHistogram(2.0, 20, 16, 2, 5)),
    *(BitReduction(4.0, 16), BitReduction(2.0, 2, 4, 1, 8)),
    *(BitGroups(1.0), BitGroups(2.0, 66, 64, 3, 256), BitGroups(1.0, 12)),
    *(Bitstogram(1.0, 64), Bitstogram(1.0, 100, 8, 0, 3, 16, 2)),
    *(PrivateExpanderSketch(2.0, 16), PrivateExpanderSketch(1.0, 70, 1, 4, 0, 3, 8, 6)),
    *(TreeHist(1.0, rows=3, columns=16), TreeHist(2.0, 9, 4, 64, 1)),
    *(SequenceFragments(1.0), SequenceFragments(3.0, 70, 8, 4, 2, 32)),
]
LETTERS = ("", "a", "é", "word", "\0", "zwölf Zeichen!", "€uro", "fifteen bytes..")
TAPE = 70
"""Words of a tape: four for each of sixteen reports, and some that are rejected."""


def values_of(made: GroupedHashing | SignMatrix, rng: np.random.Generator) -> list[tuple[Any, int]]:
    """Values as the Python client takes them, and as a program does."""
    if made.bits is None:
        encoded = made.encode(list(LETTERS)).tolist()
        return [
            (text, upper << 64 | lower)
            for text, (upper, lower) in zip(LETTERS, encoded, strict=True)
        ]
    numbers = {int.from_bytes(rng.bytes(16), "little") % (1 << made.bits) for _ in range(6)}
    return [(number, number) for number in sorted(numbers | {0, (1 << made.bits) - 1})]


def differs(made: GroupedHashing, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some value and words make other reports than the Python client's."""
    tapes = [rng.integers(0, 1 << 64, TAPE, dtype=np.uint64) for _ in range(12)]
    for word in boundary_words(made.program()):
        for place in (0, 1, made.reports_per_user * 3 + made.in_group):
            tapes.append(rng.integers(0, 1 << 64, TAPE, dtype=np.uint64))
            tapes[-1][place] = word
    values = values_of(made, rng)
    for turn, tape in enumerate(tapes):
        for value, number in (values[turn % len(values)], values[-1]):
            sent = made.client(rng=ReplayWords(tape)).report(value)
            drawn = interpret(program, number, tape.tolist()).report
            if len(drawn) != made.in_group + 4 * made.reports_per_user:
                return True
            read = made.reports_of(np.array([drawn], dtype=np.uint64))
            for name in ("groups", "seeds", "buckets"):
                if not np.array_equal(getattr(read, name), getattr(sent, name)):
                    return True
    return False


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_the_program_sends_what_the_python_client_sends(
    made: GroupedHashing, rng: np.random.Generator
) -> None:
    """At full width: random words, and those at and beside every limit."""
    assert not differs(made, made.program(), rng)


def other_mask(masks: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """The uppermost bit of each group's last mask is left out."""
    return tuple((*each[:-1], each[-1] ^ (1 << each[-1].bit_length() >> 1)) for each in masks)


def other_rows(asked: HashedGroups) -> HashedGroups:
    """One bit of each vector of public functions is another."""
    assert asked.listed is not None
    low, high, more = asked.listed.parts
    return replace(
        asked, listed=replace(asked.listed, parts=(low, tuple(each ^ 4 for each in high), more))
    )


Slip = tuple[Any, "Callable[[HashedGroups], HashedGroups]", int, int]
"""A protocol, what else is asked, and what is added to the lie and to the bits of a value."""

SLIPS: dict[str, Slip] = {
    "coins": (MADE[2], lambda asked: replace(asked, coins=(16, 20)), 0, 0),
    "threshold": (MADE[2], lambda asked: asked, -1, 0),
    "larger threshold": (MADE[2], lambda asked: asked, 1, 0),
    "length": (
        MADE[2],
        lambda asked: replace(asked, lengths=(*asked.lengths[:-1], asked.lengths[0])),
        *(0, 0),
    ),
    "bits": (MADE[2], lambda asked: asked, 0, 1),
    "hash of bit groups": (
        BitGroups(1.0, 12),
        lambda asked: replace(asked, upper=other_mask(asked.upper)),
        *(0, 0),
    ),
    "threshold of Hashtogram": (Hashtogram(1.0, 70, 3, 8, 9), lambda asked: asked, 1, 0),
    "rows of Hashtogram": (Hashtogram(1.0, 70, 3, 8, 9), other_rows, 0, 0),
    "rows of TreeHist": (TreeHist(2.0, 9, 4, 64, 1), other_rows, 0, 0),
    "code of Bitstogram": (
        Bitstogram(1.0, 20),
        lambda asked: replace(asked, upper=other_mask(asked.upper)),
        *(0, 0),
    ),
    "bit that is always looked at": (
        SuccinctHistogram(2.0, 20, 16, 2, 5),
        lambda asked: replace(asked, fixed=0),
        *(0, 0),
    ),
    "second report about the same": (
        SequenceFragments(1.0, 20),
        lambda asked: replace(asked, upper=other_mask(asked.upper)),
        *(0, 0),
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_other_numbers_are_seen(slip: str, rng: np.random.Generator) -> None:
    """Planted: other chances of groups, thresholds one off, and single bits of what is hashed."""
    made, change, lie, bits = SLIPS[slip]
    sizes = (made.width + bits, made.buckets, made.thresholds[0] + lie)
    program = hashed_groups("wrong", *sizes, change(made._asked))
    assert any(differs(made, program, rng) for _ in range(12))


def with_group_of_value(program: Program) -> Program:
    """The group is what the last bits of the value say."""

    def changed(statement: Any) -> Any:
        if isinstance(statement, Assign) and statement.target.name == "coin":
            return replace(statement, value=Private() & 3)
        return statement

    return replace(program, body=tuple(changed(each) for each in program.body))


@pytest.mark.parametrize("name", ["prefixes", "entries", "counting_rows", "finding_rows"])
def test_a_group_of_the_value_is_rejected(name: str) -> None:
    """Its law is another one, and tells values apart for certain."""
    wrong = with_group_of_value(HASHED[name].program)
    laws = [law_of(wrong, value, name)[0] for value in range(wrong.inputs)]
    assert any(law != table_of(name, value) for value, law in enumerate(laws))
    assert worst_ratio(laws) is None


@pytest.mark.parametrize("name", HASHED)
def test_the_law_costs_what_the_answer_does(name: str) -> None:
    """Of two buckets with a lie of 1/4: exp(epsilon) is 3, whatever group and function are."""
    tables = [table_of(name, value) for value in range(HASHED[name].program.inputs)]
    assert worst_ratio(tables) == 3


ALL = HashedGroups(2, reports=2, upper=((2, 3), (1, 2)), lower=((0, 0), (0, 0)))
PAIR = replace(ALL, coins=(1, 1))
FIXED = replace(PAIR, fixed=2)


@pytest.mark.parametrize(("asked", "words"), [(ALL, 8), (PAIR, 9), (FIXED, 9)])
def test_two_reports_of_a_user(asked: HashedGroups, words: int, tmp_path: Path) -> None:
    """Printed in C, on every sequence of words of 2 bits: the law, and a sample interpreted."""
    own = Asking(2, 2, 1, asked, 2)
    program = hashed_groups("both", 2, 2, 1, asked, 2)
    rows = every_row(c_header(program, ["A test."]), program, words, tmp_path)
    rows = rows.reshape(-1, program.inputs, 1 + program.numbers)
    assert np.all(rows[:, :, 0] == words)
    tables = []
    for value in range(program.inputs):
        counts = Counter(map(tuple, rows[:, value, 1:].tolist()))
        law = {report: Fraction(times, len(rows)) for report, times in counts.items()}
        tables.append(own.table(value))
        assert law == tables[-1]
    assert worst_ratio(tables) == 9  # twice as much as one of them
    tapes = list(itertools.islice(itertools.product(range(4), repeat=words), 0, len(rows), 4091))
    for place, tape in enumerate(tapes):
        for value in range(program.inputs):
            drawn = interpret(program, value, tape)
            assert drawn.report == (*rows[place * 4091, value, 1:].tolist(),)


def test_numbers_that_are_no_reports_are_refused() -> None:
    made = BitGroups(1.0, 12)
    right = np.array([[3, 1, 1, 0, 1]], dtype=np.uint64)
    assert len(made.reports_of(right)) == 1
    wrongs: list[Any] = [
        right[0],
        right[:, 1:],
        right.astype(np.float64),
        right + np.array([10, 0, 0, 0, 0], dtype=np.uint64),
        right + np.array([0, 0, 0, 0, 256], dtype=np.uint64),
    ]
    for wrong in wrongs:
        with pytest.raises(ReportError):
            made.reports_of(wrong)


@pytest.mark.parametrize(
    ("bits", "g", "lie"), [(200, 4, 1), (16, 4, 1 << 63), (16, 3, 0), (0, 4, 1)]
)
def test_sizes_that_do_not_fit_are_refused(bits: int, g: int, lie: int) -> None:
    with pytest.raises(ParameterError):
        hashed_groups("none", bits, g, lie, HashedGroups(1, (17, 20), lengths=(8, bits)))


def test_the_page_makes_a_text_the_value_that_python_makes(tmp_path: Path) -> None:
    """The page's lines for texts in JavaScript, run by node."""
    if node() is None:
        return
    page = (Path(__file__).parents[2] / "docs" / "devices.md").read_text(encoding="utf-8")
    lines = page.split("as a BigInt:\n\n")[1].split("\n\n")[0]
    script = f"const found = {json.dumps(LETTERS)}.map((text) => {{\n{lines}\nreturn value; }});"
    said = ran(tmp_path, script + "\nconsole.log(JSON.stringify(found.map(String)));")
    encoded = PrefixExtending(2.0).encode(list(LETTERS)).tolist()
    assert [*map(int, json.loads(said))] == [upper << 64 | lower for upper, lower in encoded]
