"""Programs of protocols that draw a group first send what these send from the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR, HRR, OLH, OUE, SUE
from ldp_verified.errors import LdpError, ParameterError, ReportError
from ldp_verified.protocols import (
    BoxWavelet,
    JointTables,
    ParityTables,
    RangeGrid,
    RangeHierarchy,
    RangeTree,
    RangeWavelet,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampledReports,
    SampleOne,
    Split,
)
from ldp_verified.protocols.attribute_scheme import Attributes
from ldp_verified.protocols.uniform import uniform_below
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import Constant, Private
from ldp_verified.run.program.groups import InnerProgram, Names, one_of
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.schemes import k_rr, one_hot
from ldp_verified.run.program.vectors import boundary_words, vectors_of
from tests.broken.group_programs import wrong_groups
from tests.program.enumerated import at_small_width, law_of, table_of
from tests.program.group_cases import GROUP_CASES
from tests.program.node import node, replayed
from tests.program.set_cases import SET_CASES
from tests.program.test_c import self_test
from tests.program.test_javascript import rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.program import Program

MADE: list[Any] = [
    *(RangeTree(1.0, 100), RangeTree(0.5, 2), RangeTree(1.0, 1 << 24, 4)),
    *(RangeWavelet(1.0, 100), RangeWavelet(2.0, 2), RangeWavelet(1.0, 1 << 24)),
    *(ParityTables(1.0, tuple("abcde"), 3), BoxWavelet(1.0, (10, 20)), BoxWavelet(1.0, (2, 2))),
    ParityTables(0.5, tuple(f"attribute {i}" for i in range(62)), 2),
    *(SampleOne(1.0, (3, 400, ("red", "green"))), SampleOne(1.0, (9, 400, 50), OLH)),
    *(Split(1.0, (3, 400, 2)), Split(2.0, (30, 40), HRR), SampleAmongFakes(1.0, (2, 300, 4))),
    *(RangeHierarchy(4.0, 100), RangeGrid(3.0, {"a": 4, "b": 3}, 2, GRR)),
    JointTables(3.0, {"a": 4, "b": ("no", "yes"), "c": 3}, make=GRR),
]
BITS: list[Any] = [
    *(SampleOne(1.0, (3, 70), OUE), RangeHierarchy(1.0, 1000), RangeGrid(1.0, {"a": 20, "b": 9})),
    JointTables(0.5, {"a": 4, "b": ("no", "yes"), "c": 30}),
    *(SampleAmongFakeBits(1.0, (2, 70)), SampleAmongFakeBits(1.0, (3, 5), SUE, "values")),
]
"""Those that report bits: in Python a batch stops where all bits are decided, so they read less."""


def digits(value: int, sizes: Any) -> list[int]:
    """The digits of a value, the last one lowest."""
    found = []
    for size in reversed(sizes):
        value, digit = divmod(value, size)
        found.append(digit)
    return found[::-1]


def given(made: Any, value: int) -> Any:
    """One user's value as the protocol takes it."""
    if isinstance(made, RangeGrid):
        own = digits(value, [*made.attributes.values()])
        return {name: [x] for name, x in zip(made.attributes, own, strict=True)}
    if isinstance(made, JointTables):
        own = digits(value, [len(labels) for labels in made.labels.values()])
        return {n: [each[x]] for (n, each), x in zip(made.labels.items(), own, strict=True)}
    if isinstance(made, Attributes):
        own = digits(value, made.ks)
        pairs = zip(own, made.sizes, strict=True)
        return [tuple(size[x] if isinstance(size, tuple) else x for x, size in pairs)]
    return [digits(value, made.sizes)] if isinstance(made, BoxWavelet) else [value]


def held(made: Any, value: int) -> list[int]:
    """What each of the mechanisms reports on, as the protocol has it."""
    if isinstance(made, Attributes):
        return digits(value, made.ks)
    encoded = made.encode(given(made, value))
    rows = made.cells(encoded) if isinstance(made, RangeGrid) else encoded
    found: list[int] = rows[0].tolist()
    return found


def numbers(reports: Reports) -> list[int]:
    """The numbers of the reports of one user, or none."""
    found: list[int] = reports.data.reshape(-1).tolist()
    return found


def sent(made: Any, value: int, tape: Any) -> tuple[int, ...]:
    """The numbers that the protocol's own client draws from words."""
    if made in BITS:
        return sent_bits(made, value, tape.tolist())
    found = made.privatize(given(made, value), ReplayWords(tape))
    if isinstance(found, SampledReports):
        chosen = [len(each) for each in found.reports].index(1)
        report = [chosen, *numbers(found.reports[chosen])]
        return (*report, *[0] * (made.program().numbers - len(report)))
    parts = found if isinstance(found, tuple) else (found,)
    return tuple(number for part in parts for number in numbers(part))


def sent_bits(made: Any, value: int, tape: list[int]) -> tuple[int, ...]:
    """The same, as devices read: every plane of bits, by the program of each mechanism."""
    parts, own = getattr(made, "scheme", made).parts, held(made, value)
    source = ReplayWords(np.array(tape, dtype=np.uint64))
    chosen = uniform_below(len(parts), source)
    if not isinstance(made, SampleAmongFakeBits):
        report = [chosen, *interpret(parts[chosen].program(), own[chosen], rest(source)).report]
        return (*report, *[0] * (made.program().numbers - len(report)))
    report = []
    for j, part in enumerate(parts):
        one, zero = part.thresholds
        fake = uniform_below(part.k, source) if made.fakes == "values" else None
        x = own[j] if j == chosen else fake or 0
        first = zero if j != chosen and fake is None else one
        drawn = interpret(one_hot("bits", part.k, first, zero), x, rest(source))
        source.words(drawn.words)
        report += drawn.report
    return tuple(report)


def rest(source: ReplayWords) -> list[int]:
    """The words that are left."""
    return source._words[source._next :].tolist()  # type: ignore[no-any-return]  # of integers


def differs(made: Any, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some value and words make another report than the protocol's own client."""
    length = 2200 if made in BITS else 40
    tapes = [rng.integers(0, 1 << 64, length, dtype=np.uint64) for _ in range(20)]
    for word in boundary_words(made.program())[:: 9 if made in BITS else 1]:
        for place in range(4):
            tapes.append(rng.integers(0, 1 << 64, length, dtype=np.uint64))
            tapes[-1][0] = rng.choice([tapes[-1][0], rng.integers(8)])  # often one of few groups
            tapes[-1][place] = word
    for tape in tapes:
        for value in {0, program.inputs - 1, int(rng.integers(program.inputs))}:
            right = sent(made, value, tape)
            if interpret(program, value, tape.tolist()).report != right:
                return True
    return False


@pytest.mark.parametrize("made", [*MADE, *BITS], ids=lambda made: repr(made)[:60])
def test_the_program_sends_what_the_protocol_sends(made: Any, rng: np.random.Generator) -> None:
    """At width 64: random words, and those at and beside every limit in each of four places."""
    assert not differs(made, made.program(), rng)


SEEN = [made for made in MADE if made.program().inputs > 4]
"""Those that have more than one group, whatever they report."""


@pytest.mark.parametrize("made", SEEN, ids=lambda made: repr(made)[:60])
def test_wrong_programs_are_seen_at_full_width(made: Any, rng: np.random.Generator) -> None:
    """The group of some values, a threshold one off, another digit; rejection is too rare here."""
    wrong = [(w, each) for w, each in wrong_groups(made.program()) if "modulo" not in w]
    assert wrong
    for what, each in wrong:
        try:
            check(each)
        except LdpError:
            continue
        assert any(differs(made, each, rng) for _ in range(40)), what


@pytest.mark.parametrize("name", [*GROUP_CASES, *SET_CASES])
def test_wrong_programs_are_rejected_at_small_width(name: str) -> None:
    """By their ranges, or because a law is not the table's."""
    program, _ = at_small_width(name)
    wrong = [*wrong_groups(program)]
    assert wrong
    for what, each in wrong:
        try:
            check(each)
        except LdpError:
            continue
        values = range(program.values)
        assert any(law_of(each, v, name)[0] != table_of(name, v) for v in values), what


@pytest.mark.parametrize("made", [*MADE, *BITS], ids=lambda made: repr(made)[:60])
def test_numbers_are_reports_of_the_protocol(made: Any) -> None:
    """What clients give, as an array, is what the protocol counts."""
    vectors = vectors_of(made.program(), 40)[:300]
    state, reports = made.empty(), made.reports_of([vector.report for vector in vectors])
    if isinstance(reports, tuple):
        assert [new.update(each).n for new, each in zip(state, reports, strict=True)] == [
            len(vectors)
        ] * len(made.ks)
    else:
        assert state.update(reports).n == len(vectors)


WRONG_ROWS: list[Any] = [
    *([[0, 3]], [[3, 0]], [[1, 400]], [[2, 1 << 40]], [[0, -1]], [[0]], [[0, 1, 0]], [0, 1]),
    *([[0.0, 1.0]], [["0", "1"]], None, [[0, 1 << 64]], [[0, True]], np.array([[0.0, 1.0]])),
    *(np.ma.masked_array([[0, 1]], mask=[[True, False]]), np.array([[0, -1]])),
]


@pytest.mark.parametrize("rows", WRONG_ROWS)
def test_numbers_that_are_no_reports_are_refused(rows: Any) -> None:
    with pytest.raises(ReportError):
        SampleOne(1.0, (3, 400, 2)).reports_of(rows)
    with pytest.raises(ReportError):
        Split(1.0, (3, 4)).reports_of(WRONG_ROWS[2] if rows is WRONG_ROWS[0] else rows)


def test_a_shorter_report_has_zeros_after_it() -> None:
    made = SampleOne(1.0, (3, 70), OUE)
    assert len(made.reports_of([[1, 5, 1], [0, 5, 0]])) == 2
    with pytest.raises(ReportError, match="zero beyond"):
        made.reports_of([[0, 5, 1]])
    with pytest.raises(ParameterError):
        made.reports_of([[0, 5, 0]], simulated=1)  # type: ignore[arg-type]  # it must be a bool


@pytest.mark.parametrize("made", [*MADE[::3], *BITS[::2]], ids=lambda made: repr(made)[:60])
def test_c_and_javascript_replay_vectors_at_full_width(made: Any, tmp_path: Path) -> None:
    from ldp_verified.run.program.javascript import javascript_module

    program = made.program()
    assert self_test(program, vectors_of(program), tmp_path / "c") == 0
    if node() is not None:
        rows, answers = rows_of(program)
        assert replayed(javascript_module(program, ["A test."]), rows, tmp_path) == answers


def test_names_of_parts_do_not_meet() -> None:
    """Parts with one variable of two ranges get two names; words are shared."""
    small, large = k_rr("a", 3, 2, 4), k_rr("b", 5, 1, 4)
    parts = [
        InnerProgram(small, Private() % 3),
        InnerProgram(large, Private() // 3),
        InnerProgram(small, Private() % 3),
    ]
    program = one_of("pair", 15, parts, told=True)
    assert program.numbers == 2
    assert "held_b" in repr(program)
    assert Names().renamed(program.body[0].body[0].target).name == "coin"  # type: ignore[union-attr]  # a Retry


def test_what_cannot_be_put_together_is_refused() -> None:
    bits = one_hot("bits", 2, 2, 1, 2, 2)
    with pytest.raises(ParameterError, match="must not read its report"):
        one_of("bits", 2, [InnerProgram(bits, Private(), code=Constant(1), most=1)])
    with pytest.raises(ParameterError, match="2\\^64 values"):
        one_of("many", 1 << 65, [InnerProgram(k_rr("a", 3, 2, 4), Private() % 3)])
    with pytest.raises(LdpError, match="must be in 0"):
        one_of("large", 4, [InnerProgram(k_rr("a", 3, 2, 4), Private())])
