"""Parts that many programs have: a word, and a word without the unfair end."""

from __future__ import annotations

from ldp_verified.program.form import Block, Draw, Retry, Variable


def word_of(width: int) -> Variable:
    """The variable that words go to."""
    return Variable("word", 1 << width)


def fair(word: Variable, last: int, width: int) -> Block:
    """A word up to the last one that equal shares have; no other where they have all."""
    draw = Draw(word)
    return (draw,) if last == (1 << width) - 1 else (Retry((draw,), word.at_most(last)),)
