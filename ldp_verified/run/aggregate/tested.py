"""Tests of hypotheses about the users: "they follow this distribution", "nothing changed".

A fresh report supports a value with a chance that depends on its user's value alone. So where the
users are drawn from a population, independently, the support count of a value is binomial, and
given the sum of those of two dates each is hypergeometric. Both tests are exact, whatever n is: a
null hypothesis that holds is rejected with a chance of at most the significance asked for. The
smallest p-value of all values is multiplied by their number (Bonferroni), because the supports of
one set of reports are not independent of each other.

The two-sided p-value is twice the smaller tail. R. A. Fisher (1935), "The Logic of Inductive
Inference", has the test given the sum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.extras import needs
from ldp_verified.run.aggregate.in_order import numbers_in_order, own_index
from ldp_verified.run.aggregate.labels import is_label
from ldp_verified.run.aggregate.linear import LinearOracle
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.scalars import is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.estimate import Estimate

    Floats = NDArray[np.float64]

ROUNDING = 1e-9
"""By which shares that are given may miss the sum 1."""


@dataclass(frozen=True, eq=False)
class Compared:
    """The result of a test of estimated counts.

    Attributes:
        null: the hypothesis that was tested, in words.
        p_value: of all values together, in [0, 1]: under the hypothesis it is at most s with a
            chance of at most s, for any s.
        each: float64 (k,), the p-value of each value alone; where outputs support no value, of each
            output.
        labels: of the values; of the outputs 0, 1, ...
    """

    null: str
    p_value: float
    each: Floats
    labels: tuple[str | int, ...]

    def rejected(self, significance: float = 0.01) -> bool:
        """Return whether the hypothesis is rejected.

        That it is not does not show that it holds.

        Args:
            significance: the chance of a false alarm, at most; in (0, 1).

        Raises:
            ParameterError: `significance` is not a number in (0, 1).
        """
        return self.p_value <= checked_significance(significance)

    def differing(self, significance: float = 0.01) -> tuple[str | int, ...]:
        """The values that differ, or outputs: with this chance none that does not is among them.

        Args and Raises: as `rejected`.
        """
        limit = checked_significance(significance) / len(self.each)
        return tuple(self.labels[place] for place in np.flatnonzero(self.each <= limit).tolist())


def checked_significance(significance: object) -> float:
    """The significance as a float, after a look at its range.

    Raises:
        ParameterError: it is not a number in (0, 1).
    """
    if not is_number(significance) or not 0 < significance < 1:
        rule = "must be a number between 0 and 1, both excluded"
        raise ParameterError("significance", rule, significance)
    return float(significance)


def equal_to(estimate: Estimate, shares: object) -> Compared:
    """Test whether the users are drawn from a known distribution.

    Args:
        estimate: of all values. shares: see `Estimate.equal_to`.

    Raises:
        ParameterError: as `Estimate.equal_to`.
    """
    needs("equal_to", "scipy")
    from scipy.stats import binom  # not needed by clients

    expected, oracle = _checked_shares(estimate, shares), fresh_oracle("estimate", estimate)
    if isinstance(oracle, LinearOracle):
        chances = expected @ oracle.floats[0]
    else:
        p, q = float(oracle.p_star), float(oracle.q_star)
        chances = q + (p - q) * expected
    n, counts = estimate.reports, estimate.support_counts
    tails = binom.cdf(counts, n, chances), binom.sf(counts - 1, n, chances)
    null = f"the {n} users are drawn from the given distribution"
    return _tested(estimate, null, *tails)


def changed(before: Estimate, after: Estimate) -> Compared:
    """Test whether the users of two dates are drawn from the same distribution.

    Args:
        before, after: see `Estimate.changed_since`.

    Raises:
        ParameterError: as `Estimate.changed_since`.
    """
    needs("changed_since", "scipy")
    from scipy.stats import hypergeom  # not needed by clients

    oracle = fresh_oracle("estimate", after)
    fresh_oracle("before", before)
    difference = oracle.identity.difference(before.oracle.identity)
    if difference is not None or tuple(before.names) != tuple(after.names):
        found = difference or "it has other values"
        raise ParameterError("before", f"must be of the same mechanism: {found}")
    first, second = before.reports, after.reports
    both = before.support_counts + after.support_counts
    seen = after.support_counts
    # Of nobody scipy makes nan; none drawn of one are the same none.
    arguments = (max(first + second, 1), both, second)
    tails = hypergeom.cdf(seen, *arguments), hypergeom.sf(seen - 1, *arguments)
    null = f"the {first} and the {second} users are drawn from the same distribution"
    return _tested(after, null, *tails)


def _tested(estimate: Estimate, null: str, below: object, above: object) -> Compared:
    tail = np.minimum(np.asarray(below, np.float64), np.asarray(above, np.float64))
    each = np.minimum(2 * tail, 1.0)
    each.flags.writeable = False
    of_values = isinstance(fresh_oracle("estimate", estimate), FrequencyOracle)
    labels = tuple(estimate.names) if of_values else tuple(range(len(each)))
    return Compared(null, min(1.0, len(each) * float(each.min())), each, labels)


def fresh_oracle(argument: str, estimate: object) -> FrequencyOracle | LinearOracle:
    """The oracle of an estimate's reports, which are all new draws.

    Raises:
        ParameterError: it is no estimate, or its reports are not new draws.
    """
    oracle = getattr(estimate, "oracle", None)
    inner = getattr(oracle, "oracle", oracle)  # of candidates, or of some of the users
    if isinstance(inner, LinearOracle) or (isinstance(inner, FrequencyOracle) and inner.fresh):
        return inner
    raise ParameterError(argument, "must be of reports that are all new draws", type(estimate))


def _checked_shares(estimate: Estimate, shares: object) -> Floats:
    """The shares, float64 (k,).

    Raises:
        ParameterError: they are no distribution over the values of the estimate.
    """
    if not estimate.of_all_values:
        rule = "must be of all values to be compared with a distribution over them"
        raise ParameterError("estimate", rule, estimate.oracle.k)
    names = estimate.names
    index = own_index(shares)
    if index is not None:
        if len(set(index)) < len(index):
            raise ParameterError("shares", "must have each label once in their index")
        shares = dict(zip(index, np.asarray(shares).tolist(), strict=True))
    if isinstance(shares, Mapping):
        missing = [name for name in names if name not in shares]
        if missing:
            raise ParameterError("shares", f"must have every label, also {missing[0]!r}")
        known = set(names)
        other = [name for name in shares if not is_label(name) or name not in known]
        if other:
            raise ParameterError("shares", "must have no label that is none", other[0])
        shares = [shares[name] for name in names]
    array = numbers_in_order("shares", shares, len(names))
    if not (array >= 0).all():
        raise ParameterError("shares", "must not be negative", float(array.min()))
    if not (array <= 1 + ROUNDING).all():
        raise ParameterError("shares", "must not be above 1", float(array.max()))
    total = math.fsum(array.tolist())
    if not abs(total - 1) <= ROUNDING:
        raise ParameterError("shares", "must add up to 1", total)
    return np.asarray(array / total)
