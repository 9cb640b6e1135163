"""Combine answers about users who trust a curator with answers about users who do not.

Two questions are told apart. Where both groups are asked about *one number* (they are alike, or
drawn from one population), every weighted mean of the two answers is unbiased. Weights in inverse
proportion to the variances have the least variance. Claim B18 of the register proves it for two,
and more are pooled one after the other. Where the groups differ, as users do who choose whom
they trust, the mean of *all users* weights each group by its size, whatever its noise.

Weights must not depend on the noise of the answers, or the result is biased: give the errors that
are known before anything is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_verified.analysis.account.rounding import number
from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.run.realize.parameters import NARROWEST, WIDEST, check_integer


@dataclass(frozen=True)
class PooledPart:
    """The answer about one group of users.

    Attributes:
        value: a mean or a share (a number or float64 (d,)); unbiased.
        std_error: of its noise, in the same unit; in 1e-140..1e140, so that squares are doubles.
        n: users of the group, at least 1.

    Raises:
        ParameterError: an attribute outside its range.
    """

    value: Any
    std_error: float
    n: int

    def __post_init__(self) -> None:
        """Check what weights are made of."""
        error = number("std_error", self.std_error, low=NARROWEST, high=WIDEST)
        object.__setattr__(self, "std_error", float(error))
        check_integer("n", self.n, 1, 1 << 62)
        try:
            finite = bool(np.isfinite(np.asarray(self.value, dtype=np.float64)).all())
        except (TypeError, ValueError):
            finite = False
        if not finite:
            raise ParameterError("value", "must be finite numbers")


@dataclass(frozen=True)
class Pooled:
    """One answer from several groups.

    Attributes:
        value: in the unit of the parts. std_error: of its noise, and of drawing users where that
            was counted. weights: of the parts; they add up to 1.
        disagreement: the sum of squared distances of the parts from `value`, in units of their
            variances. Of parts about one number it is about chi-square with one degree of freedom
            less than there are parts; for several numbers the largest of these.
    """

    value: Any
    std_error: float
    weights: tuple[float, ...]
    disagreement: float


def pooled(parts: Sequence[PooledPart], spread: float = 0.0) -> Pooled:
    """The unbiased combination of least variance, of parts that are about one number.

    Args:
        parts: one or more, with independent noise.
        spread: the standard deviation of one user's value, where users are drawn from one
            population and that is asked about; 0 where the parts are about the same fixed number.
            At most 1e140.

    Raises:
        ParameterError: no parts, values of different shapes, or a spread out of range.
    """
    apart = float(number("spread", spread, low=0, high=WIDEST))
    variances = [each.std_error**2 + apart**2 / each.n for each in _checked(parts)]
    precision = math.fsum(1 / v for v in variances)
    return _weighted(parts, [1 / v / precision for v in variances], variances)


def of_all(parts: Sequence[PooledPart]) -> Pooled:
    """The mean of all users of all groups, whatever the groups are like.

    Args:
        parts: means or shares, one for each group, with independent noise.

    Raises:
        ParameterError: no parts, or values of different shapes.
    """
    n = sum(each.n for each in _checked(parts))
    return _weighted(parts, [each.n / n for each in parts], [each.std_error**2 for each in parts])


def _checked(parts: Sequence[PooledPart]) -> Sequence[PooledPart]:
    if not isinstance(parts, Sequence):
        raise ParameterError("parts", "must be a list of parts", type(parts).__name__)
    if not parts:
        raise ParameterError("parts", "must be one or more", 0)
    for each in parts:
        check_kind("parts", each, PooledPart)
    shapes = {np.shape(each.value) for each in parts}
    if len(shapes) > 1:
        raise ParameterError("parts", "must have values of one shape", sorted(shapes))
    return parts


def _weighted(
    parts: Sequence[PooledPart], weights: Sequence[float], variances: Sequence[float]
) -> Pooled:
    values = [np.asarray(each.value, dtype=np.float64) for each in parts]
    total = sum(
        (w * x for w, x in zip(weights, values, strict=True)), start=np.zeros_like(values[0])
    )
    with np.errstate(over="ignore"):  # values that are so far apart disagree without bounds
        squares = sum(
            (((x - total) / math.sqrt(v)) ** 2 for x, v in zip(values, variances, strict=True)),
            start=np.zeros_like(total),
        )
    error = math.sqrt(math.fsum(w * w * v for w, v in zip(weights, variances, strict=True)))
    answer = float(total) if total.ndim == 0 else total
    return Pooled(answer, error, tuple(weights), float(np.max(squares, initial=0.0)))
