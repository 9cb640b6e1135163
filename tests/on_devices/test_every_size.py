"""Every client at k = 2, 3 and 5, in every language: its exact law, over every sequence of words.

The law is counted from what the compiled clients answer, and compared with a table that is found
without any program. What is left when the longest tapes end is in `LAWS.txt`, which `make
test-clients` prints; no report has more than the table gives it, so the law of all that is resolved
is the table's. Write the file again with `python -m tests.on_devices.test_every_size`.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.javascript import javascript_module
from ldp_verified.run.program.rust import rust_crate
from tests.broken.programs import wrong_programs
from tests.program import gcc, node, rustc, wasm
from tests.program.enumerated import CASES, SIZES, at_small_width, table_of, words_of
from tests.program.joint import joint_law
from tests.program.kept import KEPT, KEPT_SIZES, pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ldp_verified.run.program import Program

    Law = dict[tuple[int, ...], Fraction]

ABOUT = ["A test."]
LAWS = Path(__file__).with_name("LAWS.txt")
EVERY = [*CASES, *SIZES, *KEPT, *KEPT_SIZES]
MOST_ROWS = 1 << 21


class Sized(NamedTuple):
    """A program, words of a tape, and the table of each value, or of each two in a row."""

    program: Program
    words: int
    tables: list[Law]


def sized(name: str) -> Sized:
    """The case of a name."""
    if name in CASES or name in SIZES:
        program, _ = at_small_width(name)
        tables = [table_of(name, value) for value in range(program.values)]
        return Sized(program, words_of(name), tables)
    case = (KEPT | KEPT_SIZES)[name]
    return Sized(case.program, case.words, [case.table(*both) for both in pairs(case)])


def laws_of(rows: NDArray[np.uint64], inputs: int) -> Iterator[tuple[Law, Fraction]]:
    """The law of each value, from the rows of all tapes, and the mass that is not resolved."""
    tapes = len(rows) // inputs
    for value in range(inputs):
        own, times = np.unique(rows[value::inputs], axis=0, return_counts=True)
        counts: Counter[tuple[int, ...]] = Counter()
        left = 0
        for (words, *report), count in zip(own.tolist(), times.tolist(), strict=True):
            if words == 0:
                left += count
            else:
                counts[tuple(report)] += count
        yield {report: Fraction(n, tapes) for report, n in counts.items()}, Fraction(left, tapes)


def unresolved(rows: NDArray[np.uint64], tables: list[Law]) -> Fraction | None:
    """The most mass that is left for a value; None if a law is not the table's."""
    lefts = set()
    for (law, left), table in zip(laws_of(rows, len(tables)), tables, strict=True):
        right = all(mass <= table.get(report, 0) for report, mass in law.items())
        if not right or sum(table.values()) != 1 or sum(law.values()) + left != 1:
            return None
        lefts.add(left)
    return max(lefts)


def line_of(name: str, case: Sized, left: Fraction) -> str:
    """What `LAWS.txt` says of a case."""
    program = case.program
    kept = ", two reports of each user" if program.cells else ""
    return (
        f"{name}: {program.values} values, {case.words} words of {program.width} bits{kept};"
        f" not resolved: {left}"
    )


def in_c(case: Sized, folder: Path) -> NDArray[np.uint64]:
    """What the C answers."""
    return gcc.every_row(c_header(case.program, ABOUT), case.program, case.words, folder)


@pytest.mark.parametrize("name", EVERY)
def test_the_law_is_the_table_in_every_language(name: str, tmp_path: Path) -> None:
    case = sized(name)
    rows = in_c(case, tmp_path / "c")
    assert len(rows) <= MOST_ROWS
    left = unresolved(rows, case.tables)
    assert left is not None
    assert line_of(name, case, left) in LAWS.read_text(encoding="utf-8").splitlines()
    sizes = (case.program, case.words)
    limb = (case.program.width + 1) // 2
    for text, where in (
        (javascript_module(case.program, ABOUT, limb), "javascript"),
        (wasm.module(case.program), "wasm"),
    ):
        assert np.array_equal(node.every_row(text, *sizes, tmp_path / where), rows), where
    found = rustc.every_row(rust_crate(case.program, ABOUT), *sizes, tmp_path / "rust")
    assert np.array_equal(found, rows)


@pytest.mark.parametrize("name", [name for name in SIZES if name != "subset_five"])
def test_the_joint_law_of_report_and_words_is_the_programs(name: str, tmp_path: Path) -> None:
    """As the interpreter has it, word by word; of subsets at k = 2 and 3, as it takes a minute."""
    case = sized(name)
    rows = in_c(case, tmp_path)
    tapes = len(rows) // case.program.values
    for value in range(case.program.values):
        own, times = np.unique(rows[value :: case.program.values], axis=0, return_counts=True)
        found = {
            (tuple(report), words): Fraction(count, tapes)
            for (words, *report), count in zip(own.tolist(), times.tolist(), strict=True)
            if words
        }
        assert found == joint_law(case.program, value, case.words)[0]


def test_the_file_names_every_case_and_no_other() -> None:
    names = [line.split(":")[0] for line in LAWS.read_text(encoding="utf-8").splitlines()]
    assert names == EVERY


@pytest.mark.parametrize("name", ["grr_five", "pgr_five", "hash_cohorts_five", "lgrr_five"])
def test_wrong_programs_have_another_law(name: str, tmp_path: Path) -> None:
    case = sized(name)
    wrong = [(what, each) for what, each in wrong_programs(case.program) if "one too" in what]
    assert wrong
    right = unresolved(in_c(case, tmp_path / "right"), case.tables)
    for i, (what, each) in enumerate(wrong):
        rows = in_c(case._replace(program=each), tmp_path / str(i))
        assert unresolved(rows, case.tables) != right, what


def main() -> None:
    """Write the file, from the C alone."""
    import tempfile

    lines = []
    for name in EVERY:
        case = sized(name)
        with tempfile.TemporaryDirectory() as folder:
            left = unresolved(in_c(case, Path(folder)), case.tables)
        assert left is not None, name
        lines.append(line_of(name, case, left))
    LAWS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
