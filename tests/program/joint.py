"""The joint law of report and number of words, enumerated, and how much more it says."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ldp_verified.run.program.interpret import OutOfWordsError, interpret

if TYPE_CHECKING:
    from ldp_verified.run.program import Program

    Joint = dict[tuple[tuple[int, ...], int], Fraction]


def joint_law(program: Program, value: int, length: int) -> tuple[Joint, Fraction]:
    """The law of (report, words read) of a new client, and the mass that is not resolved.

    A value is given by its number.
    """
    law: Joint = {}
    left = Fraction(0)
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        words = waiting.pop()
        mass = Fraction(1, 1 << (program.width * len(words)))
        try:
            drawn = interpret(program, program.value_of(value), words, [0] * program.cells)
        except OutOfWordsError:
            if len(words) == length:
                left += mass
            else:
                waiting += [(*words, word) for word in range(1 << program.width)]
            continue
        seen = drawn.report, drawn.words
        law[seen] = law.get(seen, Fraction(0)) + mass
    return law, left


def says_more(laws: list[Joint]) -> bool:
    """Return whether the number of words, given the report, depends on the value.

    Shares of what is resolved are compared: for one value P(words | report) / P(more | report).
    """
    reports = {report for law in laws for report, _ in law}
    counts = {words for law in laws for _, words in law}
    for report in reports:
        totals = [sum(law.get((report, words), Fraction(0)) for words in counts) for law in laws]
        for words in counts:
            pairs = zip(laws, totals, strict=True)
            shares = {
                law.get((report, words), Fraction(0)) / total for law, total in pairs if total
            }
            if len(shares) > 1:
                return True
    return False


def worst_ratio(laws: list[dict[Any, Fraction]]) -> Fraction | None:
    """The largest ratio of the masses of what is seen; None where one is 0 alone."""
    every = {seen for law in laws for seen in law if law[seen]}
    masses = [[law.get(seen, Fraction(0)) for law in laws] for seen in every]
    if any(min(each) == 0 for each in masses):
        return None
    return max(max(each) / min(each) for each in masses)


def worst_delta(laws: list[Joint], ratio: Fraction) -> Fraction:
    """The largest delta at the epsilon log(ratio), over all pairs of values."""
    return max(
        sum(
            (max(Fraction(0), mass - ratio * two.get(seen, 0)) for seen, mass in one.items()),
            Fraction(0),
        )
        for one in laws
        for two in laws
    )
