"""The exponential mechanism over finitely many outputs, as an explicit table.

P(o|x) is proportional to e^(eps s(x, o)/(2 D)), D being the sensitivity of the score: the most that
s(x, o) differs between inputs, over all outputs. Frank McSherry, Kunal Talwar (2007), Mechanism
Design via Differential Privacy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.claims import Holds
from ldp_verified.language.expressions import expression
from ldp_verified.language.forms import Matrix


def exponential_mechanism(
    scores: Sequence[Sequence[Any]],
    eps: Any,
    *,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
) -> Matrix:
    """The table of the exponential mechanism.

    Args:
        scores: s(x, o), one row per input, one column per output, rational numbers.
        eps: the epsilon parameter of the mechanism.
        inputs: labels as in `Matrix`.
        outputs: labels as in `Matrix`.

    Raises:
        SpecError: a score that is no rational number, ragged rows, or scores that no input changes.
    """
    table = _scores(scores)
    spread = sensitivity(table)
    rows = []
    for row in table:
        weights = [sympy.exp(eps * (score - max(row)) / (2 * spread)) for score in row]
        total = sympy.Add(*weights)
        rows.append([weight / total for weight in weights])
    return Matrix(rows, inputs=inputs, outputs=outputs)


def sensitivity(scores: Sequence[Sequence[Any]]) -> Any:
    """The most that the score of an output differs between two inputs.

    Raises:
        SpecError: as in `exponential_mechanism`.
    """
    table = _scores(scores)
    spread = max(max(column) - min(column) for column in zip(*table, strict=True))
    if spread == 0:
        raise SpecError("scores", "must differ between inputs for some output", scores)
    return spread


def utility_claims(scores: Sequence[Sequence[Any]], eps: Any) -> tuple[Holds, ...]:
    """P(s(out) <= s* - c | x) <= (|O|/|O*|) e^(-eps c/(2 D)), for every input and level c.

    s* is the best score of the input and O* the outputs that have it. This is the usual bound
    P(s(out) <= s* - (2 D/eps)(ln(|O|/|O*|) + t)) <= e^-t. Each c > 0 that a score takes is the
    level of a t. Between two levels the left side does not change while the right one falls, so
    these levels are all that has to be shown.

    Args:
        scores: of each input, the score of each output, as rational numbers.
        eps: the epsilon of the exponential mechanism.

    Returns:
        One claim for each input and level.

    Raises:
        SpecError: as in `exponential_mechanism`.
    """
    table = _scores(scores)
    spread = sensitivity(table)
    cells = exponential_mechanism(table, eps).rows
    claims = []
    for row, chances in zip(table, cells, strict=True):
        best = max(row)
        ties = row.count(best)
        for level in sorted({best - score for score in row} - {0}):
            low = sympy.Add(
                *(p for p, score in zip(chances, row, strict=True) if score <= best - level)
            )
            bound = sympy.Rational(len(row), ties) * sympy.exp(-eps * level / (2 * spread))
            claims.append(Holds(sympy.Le(low, bound, evaluate=False)))
    return tuple(claims)


def _scores(scores: Sequence[Sequence[Any]]) -> list[list[Any]]:
    table = [[expression("scores", score) for score in row] for row in scores]
    if len(table) < 2 or len({len(row) for row in table}) != 1 or not table[0]:
        raise SpecError("scores", "must be two or more rows of the same length", scores)
    for row in table:
        for score in row:
            if not score.is_Rational:
                raise SpecError("scores", "must be rational numbers", score)
    return table
