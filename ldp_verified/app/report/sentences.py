"""Words and formulas in order: what pages are made of, before it is set as LaTeX or MathML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.language import Domain, Mechanism


@dataclass(frozen=True)
class Formula:
    """An expression or a relation, to be set as mathematics."""

    value: Any


@dataclass(frozen=True)
class Link:
    """A file of the repository.

    Attributes:
        words: what is shown. path: from the root of the repository.
    """

    words: str
    path: str


Part = str | Formula | Link
"""In words, `name` in backticks is code."""

Sentence = tuple[Part, ...]


def listed(sentences: Sequence[Sequence[Part]], between: str = "; ") -> list[Part]:
    """Join several sentences to one, with a text between each two of them."""
    found: list[Part] = []
    for position, sentence in enumerate(sentences):
        found += [between] * bool(position)
        found += sentence
    return found


def short(*values: Any) -> Formula:
    """The one with the fewest operations; the first of several."""
    return Formula(min(values, key=lambda value: int(sympy.count_ops(value))))


def with_input(mechanism: Mechanism) -> dict[Any, Domain]:
    """The variables of a mechanism, and the input where that is a number."""
    value = getattr(mechanism.algebraic_table, "value", None)
    return {**mechanism.variables, **({} if value is None else {value: value.domain})}


def spelled(sentence: Sentence) -> str:
    """A sentence as plain text, formulas as sympy prints them."""
    return "".join(
        str(part.value) if isinstance(part, Formula) else getattr(part, "words", str(part))
        for part in sentence
    )
