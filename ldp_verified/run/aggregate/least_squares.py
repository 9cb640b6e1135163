"""The nearest counts that are not negative and have known sums, by the covariances of their table.

Judice and Pires 1994 (block principal pivoting) gives the way to find which of them are zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from ldp_verified.errors import InternalError
from ldp_verified.extras import needs
from ldp_verified.run.aggregate.combined import Covariances, covariance, covariances, pairs
from ldp_verified.run.aggregate.consistent import norm_sub
from ldp_verified.run.aggregate.linear import LinearOracle
from ldp_verified.run.aggregate.oracle import FrequencyOracle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.estimate import Estimate

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]
    Group = tuple[Places, float]

MOST_VALUES: Final = 1 << 12
"""The most values for which a matrix of covariances is computed: it takes 128 MiB."""

STEPS: Final = 1000
"""The largest number of exchanges of the active-set method; about 10 are usual."""


def lacks_covariances(oracle: object) -> str | None:
    """Say why least squares is not for the estimates of an oracle; None where it is.

    It is for unary encodings, subsets, k-ary response, signs of `HRR`, and tables of up to 4096
    values, but neither for hashes nor for `HadamardResponse`.
    """
    if isinstance(oracle, LinearOracle):
        few = oracle.k <= MOST_VALUES
        return None if few else f"this one is for tables of at most {MOST_VALUES} values"
    if isinstance(oracle, FrequencyOracle) and pairs(oracle) is not None:
        return None
    return "covariances of these reports depend on which values they are"


def least_squares(estimate: Estimate, groups: Sequence[Group]) -> Floats:
    """The nearest counts that are not negative and have the known sums, by the true covariances.

    That is generalised least squares, or the most likely counts if the noise is normal; the
    covariances are those of the table, at the shares that norm-sub estimates.
    It is for reports that `lacks_covariances` finds nothing lacking in.

    Args:
        estimate: of all values. groups: of values with a known sum, which together are all.

    Returns:
        float64 (k,).
    """
    start = norm_sub(estimate.shares, 1.0, estimate.std_error)
    few = covariances(estimate.oracle, start)
    found = covariance(estimate.oracle, start) if few is None else few
    assert found is not None  # see `lacks_covariances`
    return nearest(estimate.counts, found, groups)


def nearest(counts: Floats, matrix: Floats | Covariances, groups: Sequence[Group]) -> Floats:
    """Minimise (x - counts)' matrix^-1 (x - counts), x >= 0, with the sum of each group known.

    With the set Z of zeros known, x is the mean of a normal vector given x on Z and the sums, which
    needs no inverse of the matrix. Z is found by exchange: what comes out negative joins, what is
    held at 0 against its will leaves. They go one at a time where all at once would go in circles.

    Args:
        counts: float64 (k,). matrix: covariances, float64 (k, k), up to a factor. Where the sum of
            all counts has no variance, it is that of the groups already.
        groups: (places, sum), which together are all places, once.
    """
    k = len(counts)
    law: _Law = _Few(matrix, groups) if isinstance(matrix, Covariances) else _Dense(matrix, groups)
    totals = np.array([total for _, total in groups])
    sums = np.array([counts[places].sum() for places, _ in groups])
    zero = np.zeros(k, dtype=bool)
    for places, total in groups:  # nearly the right ones, so that few exchanges are left
        zero[places] = norm_sub(counts[places], total, counts[places]) == 0.0
    tolerance = 1e-9 * max(1.0, float(np.abs(counts).max()))
    least, patience = k + 1, 10
    for _step in range(STEPS):
        for places, _ in groups:
            if zero[places].all():  # somebody holds the sum, or else the equations are not solvable
                zero[places[counts[places].argmax()]] = False
        held = np.flatnonzero(zero)
        forces, moved = law.conditioned(held, sums - totals, counts[held])
        found = counts - moved
        found[held] = 0.0
        wrong = found < -tolerance
        wrong[held] = forces > tolerance
        wrongs = int(np.count_nonzero(wrong))
        if wrongs == 0:
            return np.asarray(np.maximum(found, 0.0))
        if wrongs < least:
            least, patience = wrongs, 10
        else:
            patience -= 1
        if patience < 0:
            last = int(np.flatnonzero(wrong)[-1])
            wrong[:last] = False
        zero ^= wrong
    raise InternalError("least squares", f"did not end after {STEPS} exchanges", k)


# --- a normal vector, given the sums of groups and some of its entries ---------------------------


class _Law(Protocol):
    def conditioned(self, held: Places, sums: Floats, entries: Floats) -> tuple[Floats, Floats]:
        """Hold entries at zero, and say how far all entries move.

        Args:
            held: places of entries that become zero. sums: what the sums of the groups lose.
            entries: what the held ones lose.

        Returns:
            (multipliers of the held entries, what each entry loses).
        """
        ...


class _Dense:
    """The law of any matrix of covariances."""

    def __init__(self, matrix: Floats, groups: Sequence[Group]) -> None:
        k = len(matrix)
        matrix = matrix / (float(np.trace(matrix)) / k)
        if abs(float(matrix.sum())) < 1e-9 * k:
            # A sum without variance: one more term in common changes nothing given the sum.
            matrix += 1.0 / k
        self.matrix = matrix
        self.sums = np.zeros((len(groups), k))
        for row, (places, _) in zip(self.sums, groups, strict=True):
            row[places] = 1.0
        self.of_sums = self.sums @ matrix

    def conditioned(self, held: Places, sums: Floats, entries: Floats) -> tuple[Floats, Floats]:
        rows = np.concatenate([self.of_sums, self.matrix[held]])
        system = np.concatenate([rows @ self.sums.T, rows[:, held]], axis=1)
        forces = _solved(system, np.concatenate([sums, entries]))
        return forces[len(sums) :], rows.T @ forces


class _Few:
    """The law of a matrix that is diagonal but for a few terms: no matrix is made.

    The matrix is D + V C V' with V = (1, s). Of D alone the equations have a closed form, as each
    entry is in one group; V C V' is added by the identity of Sherman, Morrison and Woodbury.
    """

    def __init__(self, law: Covariances, groups: Sequence[Group]) -> None:
        k = len(law.shares)
        scale = float(law.variances.sum()) / k
        common, mixed = law.common / scale, law.mixed / scale
        self.diagonal = law.variances / scale - common - 2 * mixed * law.shares
        ones = np.ones(k)
        self.terms = np.stack([ones, law.shares], axis=1)
        inside, square = float(law.shares.sum()), k * k
        if abs(float(self.diagonal.sum()) + common * square + 2 * mixed * k * inside) < 1e-9 * k:
            common += 1.0 / k  # as of a dense matrix
        self.core = np.array([[common, mixed], [mixed, 0.0]])
        self.groups, self.group = len(groups), np.empty(k, dtype=np.int64)
        for number, (places, _) in enumerate(groups):
            self.group[places] = number

    def conditioned(self, held: Places, sums: Floats, entries: Floats) -> tuple[Floats, Floats]:
        of, free = self.group[held], self.diagonal.copy()
        free[held] = 0.0
        left = self._by_group(free, self.group)
        inverse = 1.0 / self.diagonal[held]

        def solved(sums: Floats, entries: Floats) -> tuple[Floats, Floats]:
            common = (sums - self._by_group(entries, of)) / left
            return common, entries * inverse - common[of]

        own = solved(sums, entries)
        terms = [solved(self._by_group(term, self.group), term[held]) for term in self.terms.T]

        # W' x for each solution x, with W = the terms as the sums and the held entries have them.
        def weighed(solution: tuple[Floats, Floats]) -> Floats:
            spread = self._spread(solution, held)
            return np.asarray(self.terms.T @ spread)

        between = np.stack([weighed(term) for term in terms], axis=1)
        amount = np.linalg.solve(np.eye(2) + self.core @ between, self.core @ weighed(own))
        common, forces = (
            whole - sum(each * term[part] for each, term in zip(amount, terms, strict=True))
            for part, whole in enumerate(own)
        )
        spread = self._spread((common, forces), held)
        moved = self.diagonal * spread + self.terms @ (self.core @ (self.terms.T @ spread))
        return forces, moved

    def _by_group(self, entries: Floats, group: Places) -> Floats:
        return np.asarray(
            np.bincount(group, weights=entries, minlength=self.groups), dtype=np.float64
        )

    def _spread(self, solution: tuple[Floats, Floats], held: Places) -> Floats:
        """The multipliers of the sums and of the held entries, added up by entry."""
        common, forces = solution
        spread = common[self.group]
        spread[held] += forces
        return np.asarray(spread)


def _solved(system: Floats, right: Floats) -> Floats:
    """The solution of equations whose matrix is one of covariances: at half the work, by Cholesky.

    Where rounding leaves it not positive definite, it is solved as any other.
    """
    needs("the method least-squares", "scipy")
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # not needed by clients

    try:
        factor = cho_factor(system, check_finite=False)
    except LinAlgError:
        return np.asarray(np.linalg.solve(system, right))
    return np.asarray(cho_solve(factor, right, check_finite=False))
