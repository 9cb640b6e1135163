"""Rule LDP015 tests whether a server's estimator can have the variance that it claims.

The estimator of a count from n reports, of which c support the value, is (c - n q*)/(p* - q*). If a
share f of the users holds the value, c is the sum of two independent binomials and the estimate's
variance is

    n (f p*(1 - p*) + (1 - f) q*(1 - q*)) / (p* - q*)^2.

It is linear in f, so that its ends are at f = 0 and f = 1. A frequency is a count divided by n. A
claim that lies in neither range is wrong whatever the data; nothing is sampled. A claim inside one
of them can still be wrong for the share at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.rules.rules import Finding, told
from ldp_verified.check.audit.targets.called import resolve
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

SLACK = 0.01
"""A claim may leave its range by this part of it: printed tables are rounded."""

USERS = 10_000


@dataclass(frozen=True)
class VarianceRange:
    """The variances that an estimated count can have.

    Attributes:
        users: number of reports.
        nobody, everybody: the variance where nobody, and where everybody, holds the value.
    """

    users: int
    nobody: float
    everybody: float

    @classmethod
    def of(cls, p_star: float, q_star: float, users: int) -> VarianceRange:
        """Derive the range.

        Args:
            p_star, q_star: chances that a report supports the own value, and another one.
            users: number of reports.

        Raises:
            ParameterError: the chances do not tell values apart, or there are no users.
        """
        if not 0 <= q_star < p_star <= 1:
            raise ParameterError("p_star, q_star", "must be 0 <= q* < p* <= 1", (p_star, q_star))
        if users < 1:
            raise ParameterError("users", "must be at least 1", users)
        scale = users / (p_star - q_star) ** 2
        return cls(users, scale * q_star * (1 - q_star), scale * p_star * (1 - p_star))

    def unit(self, claimed: float) -> str:
        """Return "count" or "frequency", of which the claim can be the variance; "" for neither."""
        low, high = sorted((self.nobody, self.everybody))
        for name, scale in (("count", 1.0), ("frequency", 1.0 / self.users**2)):
            if low * scale * (1 - SLACK) <= claimed <= high * scale * (1 + SLACK):
                return name
        return ""


def check_variance(claimed: float, table: tuple[float, float], users: int = USERS) -> list[Finding]:
    """LDP015: compare a claimed variance with the range that the table allows.

    Args:
        claimed: variance of an estimated count or frequency of `users` reports.
        table: p* and q*.
        users: number of reports.

    Returns:
        One finding where no share of holders has this variance, or none.
    """
    there = VarianceRange.of(*table, users)
    if isfinite(claimed) and there.unit(claimed):
        return []
    one, two = there.nobody, there.everybody
    words = (
        f"claimed variance {claimed:.6g} of {users:,} reports; derived: {one:.6g} where nobody "
        f"holds the value, {two:.6g} where everybody does, of a count ({one / users**2:.6g} and "
        f"{two / users**2:.6g} of a frequency)"
    )
    replay = {"claimed": repr(claimed), "nobody": one, "everybody": two}
    return [Finding("LDP015", words, replay)]


def beside(
    randomize: Callable[[Any], Any], reference: str, table: tuple[float, float], users: int
) -> list[Any]:
    """Check a server's claim in the target's process, where its code belongs.

    Args:
        randomize: the client, which is not called.
        reference: `package.module:expression`: a number, or a function of the number of reports.
        table, users: as in `check_variance`.
    """
    del randomize
    found = resolve(reference, "--variance")
    found = found(users) if callable(found) else found
    return told(check_variance(float(found), table, users))
