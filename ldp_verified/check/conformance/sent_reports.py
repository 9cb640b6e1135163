"""Classes of reports that say a group: of a mechanism in it, or of a column and a sign.

Probabilities are those of the tables of what reports, and nothing here looks at a program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.expectation import expectation, spec_of
from ldp_verified.check.conformance.frequencies import (
    MOST_OUTPUTS,
    FrequencyTally,
    partition,
    tallies,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.analysis.expectation import Expectation
    from ldp_verified.check.conformance.decode import Codes, Reports
    from ldp_verified.run.aggregate.layouts import Layout
    from ldp_verified.run.realize.tables.table import RoundedTable

Read = Callable[["NDArray[np.uint64]"], "Reports"]
"""From rows to the reports of a part, in the layout of its mechanism."""


def reports_at(layout: Layout, start: int) -> Read:
    """Read the reports of a mechanism from the numbers of a row that begin at a place.

    Args:
        layout: of the mechanism. start: the place.
    """
    shape = layout.shape
    width = sum(field.columns for field in shape.fields)

    def read(rows: NDArray[np.uint64]) -> Reports:
        found: NDArray[Any] = rows[:, start : start + width].astype(shape.dtype)
        return found[:, 0] if shape.flat else found

    return read


# --- a group that is said ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SaidGroup:
    """One of several groups, all drawn alike, and the report of its users.

    Attributes:
        name: of the group. made: what reports. held: what the user reports on.
        read: from the rows of the group to reports.
    """

    name: str
    made: RoundedTable
    held: int
    read: Read


def said_tallies(
    groups: Sequence[SaidGroup],
    group_of: Callable[[NDArray[np.uint64]], Codes],
    rng: np.random.Generator,
) -> list[FrequencyTally]:
    """The groups, and in each the classes that `frequencies.tallies` has of its mechanism.

    Args:
        groups: in order. group_of: the group of each row. rng: of values that are looked at.
    """
    chance, names = Fraction(1, len(groups)), [each.name for each in groups]
    kinds: dict[str, list[tuple[int, FrequencyTally]]] = {}
    known: dict[int, Expectation] = {}
    for number, group in enumerate(groups):
        made = group.made
        if id(made) not in known:
            known[id(made)] = expectation(made, spec_of(made))
        for tally in tallies(known[id(made)], group.held, rng):
            kinds.setdefault(tally.kind, []).append((number, tally))
    found = [partition("groups", names, [chance] * len(groups), group_of)]
    for kind, parts in kinds.items():
        labels = [f"{names[n]}, {label}" for n, tally in parts for label in tally.labels]
        masses = tuple(chance * mass for _, tally in parts for mass in tally.probabilities)
        found.append(FrequencyTally(kind, labels, masses, _within(groups, group_of, parts)))
    return found


def _within(
    groups: Sequence[SaidGroup],
    group_of: Callable[[NDArray[np.uint64]], Codes],
    parts: Sequence[tuple[int, FrequencyTally]],
) -> Callable[[NDArray[np.uint64]], Codes]:
    """Count the classes of several groups, each among its own reports."""

    def count(rows: NDArray[np.uint64]) -> Codes:
        said = group_of(rows)
        return np.concatenate([tally.count(groups[n].read(rows[said == n])) for n, tally in parts])

    return count


# --- a group and a column that are said, and one sign ------------------------------------------


@dataclass(frozen=True, eq=False)
class SignGroup:
    """One of several groups, all drawn alike, a column of it, and a bit that depends on both.

    Attributes:
        name: of the group. columns: how many it has, all drawn alike.
        bit: the bit that the user holds at some columns, 0 or 1 each.
    """

    name: str
    columns: int
    bit: Callable[[Codes], Codes]


def sign_tallies(groups: Sequence[SignGroup], truth: Fraction) -> list[FrequencyTally]:
    """Groups with the truth of what is said there, and whole reports or the bits of columns.

    A report is 2 c + y: c counts the columns of all groups, one after the other, y is the answer.

    Args:
        groups: in order. truth: the chance that an answer is the bit.
    """
    starts = np.cumsum([0, *(group.columns for group in groups)])
    chance, ends = Fraction(1, len(groups)), ("true", "false")

    def parts(rows: NDArray[np.uint64]) -> tuple[Codes, Codes, Codes]:
        place, answer = np.divmod(rows[:, 0].astype(np.int64), 2)
        group = np.searchsorted(starts, place, side="right") - 1
        column = place - starts[group]
        lies = np.zeros(len(rows), dtype=np.int64)
        for number, each in enumerate(groups):
            own = group == number
            lies[own] = each.bit(column[own]) != answer[own]
        return group, column, lies

    def group_and_truth(rows: NDArray[np.uint64]) -> Codes:
        group, _, lies = parts(rows)
        return 2 * group + lies

    labels = [f"{group.name}, {end}" for group in groups for end in ends]
    masses = [chance * share for _ in groups for share in (truth, 1 - truth)]
    found = [partition("groups and signs", labels, masses, group_and_truth)]
    if 2 * int(starts[-1]) > MOST_OUTPUTS:
        return [*found, _bits_of_columns(groups, parts)]
    masses = []
    for group in groups:
        for bit in group.bit(np.arange(group.columns)).tolist():
            one = chance / group.columns
            masses += [one * (truth if bit == y else 1 - truth) for y in range(2)]
    names = [f"report {code}" for code in range(len(masses))]
    own = partition("single outputs", names, masses, lambda rows: rows[:, 0].astype(np.int64))
    return [*found, own]


def _bits_of_columns(
    groups: Sequence[SignGroup],
    parts: Callable[[NDArray[np.uint64]], tuple[Codes, Codes, Codes]],
) -> FrequencyTally:
    """How often each bit of a column's number is 1, in each group."""
    bits = [(n, b) for n, each in enumerate(groups) for b in range(each.columns.bit_length() - 1)]
    half = Fraction(1, 2 * len(groups))

    def count(rows: NDArray[np.uint64]) -> Codes:
        group, column, _ = parts(rows)
        found = [np.count_nonzero(column[group == n] >> b & 1) for n, b in bits]
        return np.array(found, dtype=np.int64)

    labels = [f"{groups[n].name}, bit {b} of the column" for n, b in bits]
    return FrequencyTally("columns", labels, (half,) * len(bits), count)
