"""Programs of reports over days at small widths, and their laws by the protocols' own words."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ldp_verified.protocols import ChangeTree
from ldp_verified.run.program.days import change_signs, vote_values, votes_and_answers
from tests.protocols.test_change_tree import declared

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ldp_verified.run.program import Program

    Law = dict[tuple[int, ...], Fraction]
    Sized = tuple[Program, int, Callable[..., Law], Callable[[int], int]]


def tree_case(days: int, changes: int, lie: int, width: int, words: int) -> Sized:
    """(program, words of a tape, law of reports on bits in a row, public part of a value: none)."""
    tree = ChangeTree(1.0, days, changes)
    share = Fraction(lie, 1 << width)
    small = SimpleNamespace(
        **{name: getattr(tree, name) for name in ("days", "changes", "levels", "firsts")},
        sign=SimpleNamespace(q=share, p=1 - share),
    )
    signs = 2 * tree.firsts[-1]
    of_all_days: Any = declared(small)  # type: ignore[arg-type]  # all of it that is read

    def table(*bits: int) -> Law:
        """What is sent on later days is left out: it is no matter what the bit is then."""
        found: Law = {}
        later = (0,) * (days - len(bits))
        for messages, chance in of_all_days((*bits[:days], *later), None).items():
            numbers = [0] * 2 * len(bits)
            for day, sent in enumerate(messages[: len(bits)]):
                for code in sent:
                    numbers[2 * day + (code < signs)] = code + 1
            found[tuple(numbers)] = found.get(tuple(numbers), Fraction(0)) + chance
        return found

    return change_signs("change_tree", days, changes, lie, width), words, table, lambda _: 0


def voted_case(
    epochs: int, days: int, limits: tuple[int, int], lies: tuple[int, int], width: int, words: int
) -> Sized:
    """The same; first, end and whether it is the question are public."""
    *_, question = vote_values(days)

    def table(*values: int) -> Law:
        found: Law = {(): Fraction(1)}
        for told in steps_of(epochs, days, limits, values):
            if told is None:
                found = {(*seen, 0): mass for seen, mass in found.items()}
                continue
            code, one, kind = told
            lie = Fraction(lies[kind], 1 << width)
            chances = {1: one * (1 - lie) + (1 - one) * lie, 0: one * lie + (1 - one) * (1 - lie)}
            found = {
                (*seen, 2 * code + bit + 1): mass * chance
                for seen, mass in found.items()
                for bit, chance in chances.items()
                if chance
            }
        return found

    made = votes_and_answers("voted_mean", epochs, days, limits, lies, width)
    return made, words, table, lambda value: min(value, question) // (days + 1)


def steps_of(
    epochs: int, days: int, limits: tuple[int, int], values: Sequence[int]
) -> list[tuple[int, Fraction, int] | None]:
    """What a user does: (epoch, the chance of a 1 before its response, 0 for a vote or 1)."""
    *_, question = vote_values(days)
    yes = answers = 0
    epoch, waiting, own = -1, False, 0
    found: list[tuple[int, Fraction, int] | None] = []
    for value in values:
        if value < question and epoch + 1 < epochs:
            (rest, own), waiting = divmod(value, days + 1), True
            first, end = divmod(rest, days + 2)
            wants = yes < limits[0] and not first <= own < end
            yes, epoch = yes + wants, epoch + 1
            found.append((epoch, Fraction(wants), 0))
        elif value == question and waiting and answers < limits[1]:
            answers, waiting = answers + 1, False
            found.append((epochs + epoch, Fraction(own, days), 1))
        else:
            found.append(None)
    return found
