"""Planted-wrong programs of reports over days, and what each of them gets wrong."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.days import (
    ANSWERED,
    BIT,
    DAY,
    LEVEL,
    PENDING,
    RANK,
    SEEN,
    VOTED,
    change_signs,
    votes_and_answers,
)
from ldp_verified.run.program.form import (
    Assign,
    Choice,
    Comparator,
    Constant,
    Draw,
    Keep,
    Kept,
    Operation,
    Operator,
    Private,
    ProgramEntry,
    ProgramRelation,
    Variable,
    When,
)
from ldp_verified.run.program.parts import word_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.program import Program

    Changed = Callable[[Any], Any]


def changed(program: Program, change: Changed) -> Program:
    """A program in which each node is what `change` gives for it; () leaves a statement out.

    Args:
        program: a right one.
        change: gives None for a node that stays, and whose parts are looked at then.
    """

    def of(node: Any) -> Any:
        if isinstance(node, tuple) and not all(isinstance(each, int) for each in node):
            found = (of(each) for each in node)
            return tuple(each for each in found if each != ())
        if not is_dataclass(node):
            return node
        other = change(node)
        if other is not None:
            return other
        parts = {f.name: of(getattr(node, f.name)) for f in fields(node)}
        return replace(node, **parts)  # type: ignore[type-var]  # an instance, not a class

    wrong = check(replace(program, body=of(program.body)))
    assert wrong != program
    return wrong


def _without(*cells: Constant) -> Changed:
    """Nothing is kept in these cells."""
    return lambda node: () if isinstance(node, Keep) and node.index in cells else None


def _level_of_the_bit(node: Any) -> Any:
    match node:
        case Assign(Variable("level") as level, Operation(Operator.REMAINDER, Variable())):
            return Assign(level, node.value * ((Private() ^ 1) & 1))
    return None


def _level_of_today(node: Any) -> Any:
    """The level is right when joining, and is another one later, when the bit is 1."""
    match node:
        case Keep(index, Variable("level", levels)) if index == LEVEL:
            return Keep(index, (node.value + Private()) % levels)
    return None


def _not_cleared(node: Any) -> Any:
    match node:
        case Assign(Variable("pending"), Constant(0)):
            return ()
    return None


def _every_change(node: Any) -> Any:
    match node:
        case Assign(Variable("hit") as hit, Choice(_, _, own)):
            return Assign(hit, own)
    return None


def _changes_wrap(node: Any) -> Any:
    """The change after the last that counts is the first one again."""
    match node:
        case Keep(index, Choice(_, yes, Constant(most))) if index == SEEN:
            return Keep(index, yes % most)
    return None


def _sign_turned(node: Any) -> Any:
    match node:
        case Operation(Operator.XOR, Variable("rank"), Constant(1)):
            return node.left
    return None


def _always_told(node: Any) -> Any:
    """Blocks without a change say - by randomized response, where a fair coin is due."""
    match node:
        case ProgramEntry((_, minus, plus), Variable("pending") as pending):
            return ProgramEntry((minus, minus, plus), pending)
    return None


def word_where_pending(program: Program) -> Program:
    """One more word is read where a change is pending: its response has a word of its own."""
    word, pending = word_of(program.width), Variable("pending", 3)
    more = When(pending.unequal(0), (Draw(word),))

    def change(node: Any) -> Any:
        match node:
            case When(condition, (Draw(Variable("word")), *rest)):
                return When(condition, (Draw(word), more, *rest))
        return None

    return changed(program, change)


def _votes_beyond(node: Any) -> Any:
    match node:
        case Assign(Variable("yes") as yes, Choice(_, own, _)):
            return Assign(yes, own)
        case Keep(index, Operation(Operator.REMAINDER, _, Constant(more))) if index == VOTED:
            return Keep(index, Constant(more - 1))
    return None


def _answers_beyond(node: Any) -> Any:
    match node:
        case When(Comparator(_, Kept(index)), yes) if index == ANSWERED:
            return When(Constant(0).less(1), yes)
    return None


def _end_included(node: Any) -> Any:
    match node:
        case Choice(Comparator(ProgramRelation.LESS, left, right), Constant(0), Constant(1)):
            return replace(node, condition=left.at_most(right))
    return None


def _place_at_most(node: Any) -> Any:
    match node:
        case Comparator(ProgramRelation.LESS, Variable("place") as place, Kept() as own):
            return place.at_most(own)
    return None


def _epoch_again(node: Any) -> Any:
    """An answer does not count as a step: it can be given twice."""
    match node:
        case Keep(index, Operation(Operator.ADD, _, Constant(2))):
            return Keep(index, Kept(index))
    return None


def word_where_yes(program: Program) -> Program:
    """One more word is read for a vote that would be yes."""
    word, yes = word_of(program.width), Variable("yes", 2)

    def change(node: Any) -> Any:
        match node:
            case Draw() if not more:
                more.append(node)
                return When(yes.unequal(0), (Draw(word), Draw(word)), (Draw(word),))
        return None

    more: list[Draw] = []
    return changed(program, change)


TREES: dict[str, Changed] = {
    "the level depends on a bit": _level_of_the_bit,
    "the level of the next day depends on a bit": _level_of_today,
    "the sign of a block is sent twice": _without(DAY),
    "a pending sign is not cleared": _not_cleared,
    "every change counts": _every_change,
    "changes beyond the bound count": _changes_wrap,
    "changes are not counted": _without(SEEN),
    "the last bit is forgotten": _without(BIT),
    "a pending sign is forgotten": _without(PENDING),
    "which change counts is forgotten": _without(RANK),
    "the level is forgotten": _without(LEVEL),
    "signs are turned": _sign_turned,
    "blocks without a change say -": _always_told,
}
"""Changes of `change_signs`, each of which gives reports another law."""

VOTES: dict[str, Changed] = {
    "votes beyond the limit": _votes_beyond,
    "votes are not counted": _without(VOTED),
    "answers beyond the limit": _answers_beyond,
    "answers are not counted": _without(ANSWERED),
    "the end does not differ": _end_included,
    "a bit more is 1": _place_at_most,
    "an answer is given twice": _epoch_again,
}
"""Changes of `votes_and_answers`, each of which gives reports another law."""


def wrong_tree(what: str, days: int, changes: int, lie: int, width: int) -> Program:
    """The program with one change."""
    return changed(change_signs("change_tree", days, changes, lie, width), TREES[what])


def wrong_votes(
    what: str, epochs: int, days: int, limits: tuple[int, int], lies: tuple[int, int], width: int
) -> Program:
    """The program with one change."""
    right = votes_and_answers("voted_mean", epochs, days, limits, lies, width)
    return changed(right, VOTES[what])
