"""Privacy losses of declared mechanisms and of mechanism objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ldp_verified.analysis.account.loss import PrivacyLoss
from ldp_verified.analysis.expectation import narrow_expectation
from ldp_verified.errors import ParameterError
from ldp_verified.protocols.gaussian import Gaussian
from ldp_verified.prove.enumeration.expand import evaluate, named_point
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer
from ldp_verified.run.realize.tables.explicit import TableRandomizer
from ldp_verified.run.realize.tables.table import RoundedTable

if TYPE_CHECKING:
    from ldp_verified.language import Form, Mechanism
    from ldp_verified.run.realize.randomizer import Randomizer
    from ldp_verified.run.realize.real_numbers.bounded import BoundedRandomizer


def losses(mechanism: Mechanism, point: Mapping[Any, Any]) -> tuple[PrivacyLoss, ...]:
    """The loss of every type of ordered pair of inputs, at exact values of the variables.

    Args:
        mechanism: a declaration of any form.
        point: a value for each of `mechanism.variables`, by symbol or name (u for e^epsilon), an
            int or Fraction.

    Returns:
        One loss for each type of pair; types with equal losses are one.

    Raises:
        ParameterError: the cells are no probabilities there.
        NotExpandableError: a value is missing or not exact.
    """
    return _of_form(mechanism.algebraic_table, named_point(mechanism, point))


def _of_form(form: Form, point: Mapping[Any, Fraction]) -> tuple[PrivacyLoss, ...]:
    found = {}
    for table in form.pair_tables():
        masses = []
        for row in table.rows:
            count = evaluate(row.count, point)
            masses.append((count * evaluate(row.px, point), count * evaluate(row.px2, point)))
        loss = PrivacyLoss(masses)
        found[loss.atoms] = loss
    return tuple(found.values())


def realized_losses(mechanism: Randomizer | BoundedRandomizer) -> tuple[PrivacyLoss, ...]:
    """The loss of every type of ordered pair, of the table that the running code has.

    Of mechanisms of numbers, those of the pairs of inputs that are told apart best.

    Args:
        mechanism: an object of a generated class.

    Returns:
        One loss for each type of pair; types with equal losses are one.

    Raises:
        ParameterError: the mechanism has neither two realized cells nor an explicit table nor is
            it one of numbers; or its grid is too fine for exact losses.
    """
    if isinstance(mechanism, RoundedTable):
        found = narrow_expectation(mechanism, mechanism._realization)
        return _of_form(found.form, found.point)
    if isinstance(mechanism, TableRandomizer):
        rows = mechanism.rows
        pairs = {}
        for i, row in enumerate(rows):
            for j, row2 in enumerate(rows):
                if i != j:
                    loss = PrivacyLoss(zip(row, row2, strict=True))
                    pairs[loss.atoms] = loss
        return tuple(pairs.values())
    if isinstance(mechanism, NumericRandomizer):
        merged = (PrivacyLoss(masses) for masses in mechanism.losses())
        return tuple({loss.atoms: loss for loss in merged}.values())
    if isinstance(mechanism, Gaussian):
        return (PrivacyLoss(mechanism.losses),)
    raise ParameterError("mechanism", "must be a mechanism object with a realized table", mechanism)


def worst_delta(found: Sequence[PrivacyLoss], level: Fraction | int, times: int = 1) -> Fraction:
    """The smallest delta of `times` reports on the same value, over all pairs of inputs; exact.

    Args:
        found: the losses of the pairs of inputs, as `realized_losses` gives them.
        level: e^epsilon, at least 1; a float counts as the fraction that it is.
        times: the number of reports, at least 1.

    Returns:
        Delta as an exact fraction.

    Raises:
        ParameterError: no losses, a level that is no number >= 1, or too many ratios for exact
            composition.
    """
    if not found:
        raise ParameterError("losses", "must hold at least one", 0)
    return max(loss.repeated(times).delta(level) for loss in found)
