"""Parts that many programs have: a word, one without the unfair end, and an answer of k-RR."""

from __future__ import annotations

from ldp_verified.run.program.form import Block, Draw, Expression, Retry, Store, Variable, When


def word_of(width: int) -> Variable:
    """The variable that words go to."""
    return Variable("word", 1 << width)


def fair(word: Variable, last: int, width: int) -> Block:
    """A word up to the last one that equal shares have; no other where they have all."""
    draw = Draw(word)
    return (draw,) if last == (1 << width) - 1 else (Retry((draw,), word.at_most(last)),)


def k_rr_answer(
    word: Variable, outputs: int, lie: int, place: Expression, truth: Expression
) -> When:
    """The first intervals of `lie` words report 0..outputs-1, all further words the truth."""
    lied = (Store(place, word // lie),)
    return When(word.at_most(outputs * lie - 1), lied, (Store(place, truth),))
