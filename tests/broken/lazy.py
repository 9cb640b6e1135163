"""Programs with the right law that read no more words than a report needs: the number tells."""

from __future__ import annotations

from dataclasses import replace

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Block,
    Constant,
    Draw,
    Loop,
    Private,
    Program,
    Statement,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.memory import k_rr_twice
from ldp_verified.run.program.parts import fair, word_of
from ldp_verified.run.program.schemes import one_hot


def lazy_k_rr_wide(k: int, mix: int, width: int) -> Program:
    """A uniform value is drawn only where it is told, so the truth takes fewer words."""
    word = word_of(width)
    share = (1 << width) // k
    lied = (*fair(word, k * share - 1, width), Store(Constant(0), word // share))
    told = When(word.less(mix), lied, (Store(Constant(0), Private()),))
    return check(Program("grr", k, width, 1, k, (Draw(word), told)))


def lazy_k_rr_twice(k: int, lies: tuple[int, int], width: int) -> Program:
    """The word of a permanent answer is read where none is kept: the client of version 2."""
    right = k_rr_twice("lgrr", k, lies, width)
    first, kept, *rest = right.body
    if not (isinstance(first, Draw) and isinstance(kept, When)):
        raise AssertionError(right.body)
    return check(replace(right, body=(replace(kept, yes=(first, *kept.yes)), *rest)))


def lazy_one_hot(k: int, cells: tuple[int, ...], width: int) -> Program:
    """Planes of a block are read until all of its lanes are decided."""
    one, zero = cells
    right = one_hot("bits", k, one, zero, width, width)
    return check(replace(right, body=_stopping(right.body, width)))


def _stopping(body: Block, width: int) -> Block:
    """Loops that draw words stop where no lane is undecided."""
    undecided = Variable("undecided", 1 << width)

    def of(statement: Statement) -> Statement:
        if not isinstance(statement, Loop):
            return statement
        draws = any(isinstance(each, Draw) for each in statement.body)
        until = undecided.unequal(0) if draws else None
        return replace(statement, body=_stopping(statement.body, width), condition=until)

    return tuple(map(of, body))
