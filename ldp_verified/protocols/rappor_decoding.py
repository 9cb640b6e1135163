"""Decode RAPPOR reports: unbiased counts of a known domain, or candidates found.

For a known domain the expected bit counts are a known linear map of the counts of the strings,
collisions within and between encodings included. Its left inverse (least squares) is unbiased
whatever the hash functions are, if no string's encoding is a combination of the others'.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.bloom import check_strings
from ldp_verified.protocols.rappor import Rappor
from ldp_verified.protocols.rappor_state import RapporState
from ldp_verified.run.aggregate.computed import ComputedCounts, computed
from ldp_verified.run.aggregate.influence import Influence, labels_to_places
from ldp_verified.run.aggregate.population import of_counts
from ldp_verified.run.aggregate.tabulated import check_level

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.estimate import Estimate

Floats = NDArray[np.float64]


def design(
    deployment: Rappor, strings: Sequence[str], cohorts: Sequence[int]
) -> NDArray[np.float64]:
    """1 where a string sets a bit, float64 (len(cohorts) * bits, len(strings))."""
    table = np.zeros((len(cohorts), deployment.bits, len(strings)))
    for column, string in enumerate(strings):
        for row, cohort in enumerate(cohorts):
            table[row, list(deployment.encoder.positions(string, cohort)), column] = 1.0
    return table.reshape(-1, len(strings))


@dataclass(frozen=True)
class KnownDomain:
    """A finite domain that every user's string comes from.

    Attributes:
        deployment: the parameters. strings: the domain, all different.

    Raises:
        ParameterError: repeated strings, or a domain whose encodings do not determine its counts.
    """

    deployment: Rappor
    strings: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the domain, and that the left inverse exists."""
        check_kind("deployment", self.deployment, Rappor)
        object.__setattr__(self, "strings", check_strings(self.strings))
        rank = int(np.linalg.matrix_rank(self._design))
        if rank < len(self.strings):
            rule = f"must have encodings that tell their counts apart: rank {rank}"
            raise ParameterError("strings", rule, len(self.strings))

    @cached_property
    def _design(self) -> Floats:
        return design(self.deployment, self.strings, range(self.deployment.cohorts))

    @cached_property
    def inverse(self) -> Floats:
        """cohorts times the left inverse of the design, float64 (k, cohorts * bits)."""
        return np.asarray(np.linalg.pinv(self._design) * self.deployment.cohorts, np.float64)

    def decode(self, state: RapporState) -> Estimate:
        """Unbiased counts over the draw of reports and of cohorts, with their errors.

        Errors are exact for a population with the estimated counts, made to add up to n: of the
        bits, and of the cohorts, which shift the expected counts where encodings overlap.
        Intervals are by normal approximation.

        Returns:
            The estimate of all strings, which are its labels.

        Raises:
            ParameterError: the state is of another deployment, or its reports say nothing.
        """
        self.check_state("state", state)
        counts = self.inverse @ state.set_bits().reshape(-1)
        oracle = ComputedCounts(
            state.identity,
            counts,
            self.variances(counts / max(state.n, 1))[0],
            self.variances_of_each,
            honesty=state.honesty(),
        )
        return computed(oracle, state.n, simulated=bool(state.simulated), labels=self.strings)

    def influence(self, strings: Sequence[str] | None = None) -> Influence:
        """Return what one report can add to an estimated number of users: attained.

        Up to the rounding of doubles, by which the left inverse is found. A client that lies
        chooses its cohort and all bits.

        Args:
            strings: of the domain, each once: the count is of users who hold one of them. None for
                the count of one string, the one of largest extremes.

        Raises:
            ParameterError: no such strings, or reports say nothing.
        """
        one, zero = (float(cell) for cell in self.deployment.cells)
        if not zero < one:
            rule = "must be below 1 where something is to be estimated"
            raise ParameterError("noise", rule, self.deployment.noise)
        weights = self.inverse
        if strings is not None:
            wanted = labels_to_places(strings, self.strings)
            weights = weights[list(wanted)].sum(axis=0, keepdims=True)
        unset, set_ = -zero / (one - zero) * weights, (1 - zero) / (one - zero) * weights
        shape = (len(weights), self.deployment.cohorts, -1)
        least = np.minimum(unset, set_).reshape(shape).sum(axis=2).min()
        most = np.maximum(unset, set_).reshape(shape).sum(axis=2).max()
        return Influence(Fraction(float(least)), Fraction(float(most)))

    def check_state(self, name: str, state: object) -> None:
        """Refuse what is no state of this deployment.

        Raises:
            ParameterError: that is so; the error calls it `name`.
        """
        check_kind(name, state, RapporState)
        mine, theirs = self.deployment, cast("RapporState", state).deployment
        if theirs.thresholds != mine.thresholds or theirs.encoder != mine.encoder:
            raise ParameterError(name, "must be of the same deployment")

    def variances(self, shares: Floats) -> tuple[Floats, Floats]:
        """Return the variance that a user adds to each count, and the part that all reports share.

        All reports of a user on one string share the cohort and the permanent bits; a permanent bit
        lies with the same chance whatever it is.

        Args:
            shares: of the users who hold each string, float64 (k,), also as estimated.

        Returns:
            float64 (k,) each, exact where the shares are and add up to 1.
        """
        absent, slope, kept = _bit_moments(self.deployment)
        size, held, shifts = self._squares
        fresh = of_counts(shares, (absent - kept) * size + slope * held.T)
        shared = of_counts(shares, kept * size + shifts.T)
        return fresh + shared, shared

    def variances_of_each(self, weights: Floats) -> Floats:
        """The variance of what a user with each string adds to the sum of weights[v] counts[v].

        Args:
            weights: float64 (k,).
        """
        absent, slope, _ = _bit_moments(self.deployment)
        mine = self.deployment
        row = weights @ self.inverse
        noise = row**2 @ (absent + slope * self._design) / mine.cohorts
        encodings = self._design.reshape(mine.cohorts, mine.bits, -1)
        adds = np.einsum("cb,cbv->cv", row.reshape(mine.cohorts, mine.bits), encodings)
        return np.asarray(noise + adds.var(axis=0))

    @cached_property
    def _squares(self) -> tuple[Floats, Floats, Floats]:
        """(k,) squared weights, (k, k) those on bits of a string, (k, k) variances over cohorts."""
        cohorts, k = self.deployment.cohorts, len(self.strings)
        shaped = self.inverse.reshape(k, cohorts, -1)
        encodings = self._design.reshape(cohorts, -1, k)
        squares = self.inverse**2
        # What a user of string v in cohort c adds to the count of w is on average 1 for w = v.
        shifts = -np.eye(k)
        for cohort in range(cohorts):
            shifts += (shaped[:, cohort] @ encodings[cohort]) ** 2 / cohorts
        return squares.sum(axis=1) / cohorts, squares @ self._design / cohorts, shifts


def _bit_moments(deployment: Rappor) -> tuple[float, float, float]:
    """Variances of what a reported bit adds to the bits set: of an encoded 0, of a 1 less that.

    The third is the variance of its mean given the permanent bit, which is the same for both.

    Raises:
        ParameterError: reports say nothing of the values.
    """
    one, zero = deployment.cells
    if not zero < one:
        rule = "must be below 1 where something is to be estimated"
        raise ParameterError("noise", rule, deployment.noise)
    lie = deployment.realized[0] / 2
    step = (one - zero) ** 2
    absent = zero * (1 - zero) / step
    kept = lie * (1 - lie) / (1 - 2 * lie) ** 2
    return float(absent), float(one * (1 - one) / step - absent), float(kept)


def _bit_variances(state: RapporState, bits: Floats) -> Floats:
    """Variances of `set_bits` given values and cohorts, with estimates in place of the truth."""
    one, zero = (float(cell) for cell in state.deployment.cells)
    n = state.reports[:, np.newaxis]
    held = np.clip(bits, 0, n)
    total = held * one * (1 - one) + (n - held) * zero * (1 - zero)
    variances: Floats = total / (one - zero) ** 2
    return variances


@dataclass(frozen=True)
class DecodedCandidate:
    """A string that significantly many users hold.

    Attributes:
        string: the candidate. count: estimated number of users. std_error: of the count.
        p_value: one-sided, of the hypothesis that nobody holds it, not corrected.
    """

    string: str
    count: float
    std_error: float
    p_value: float


def find_candidates(
    state: RapporState, strings: Sequence[str], level: float = 0.05
) -> tuple[DecodedCandidate, ...]:
    """The strings among `strings` that users hold, the most frequent first.

    Half of the cohorts choose: a nonnegative lasso (scikit-learn) picks strings that explain their
    bits. The other half test: weighted least squares on the chosen strings, with the variances that
    the mechanism is known to have, and a one-sided z-test of each at `level` divided by their
    number (Bonferroni). The halves share no report, so choosing does not spoil the test. The level
    holds as far as the bits are normal and nobody holds a string that was not chosen and overlaps
    with those that were.

    Args:
        state: of at least two cohorts with reports.
        strings: candidates, any number; also more than there are bits.
        level: probability, at most, of any false find.

    Raises:
        ParameterError: repeated strings, a level outside (0, 1), fewer than two cohorts with
            reports, or scikit-learn is not installed (`pip install 'ldp-verified[decode]'`).
    """
    check_kind("state", state, RapporState)
    strings = check_strings(strings)
    check_level(level)
    known = np.flatnonzero(state.reports).tolist()
    if len(known) < 2:
        raise ParameterError("state", "must hold reports of at least two cohorts", len(known))
    chosen = _chosen(state, strings, known[::2])
    if not chosen:
        return ()
    picked = [strings[i] for i in chosen]
    cohorts = known[1::2]
    matrix, target, sd = _weighted(state, picked, cohorts)
    rank = int(np.linalg.matrix_rank(matrix))
    if rank < len(picked):
        raise ParameterError("strings", f"too many fit: rank {rank}; use more cohorts", len(picked))
    covariance = np.linalg.inv((matrix / sd[:, None]).T @ (matrix / sd[:, None]))
    shares = covariance @ (matrix.T @ (target / sd**2))
    errors = np.sqrt(np.diag(covariance))
    total = int(state.reports.sum())
    found = []
    for string, share, error in zip(picked, shares, errors, strict=True):
        p_value = NormalDist().cdf(-share / error)
        if p_value <= level / len(picked):
            found.append(DecodedCandidate(string, share * total, error * total, p_value))
    return tuple(sorted(found, key=lambda each: -each.count))


def _weighted(
    state: RapporState, strings: Sequence[str], cohorts: list[int]
) -> tuple[Floats, Floats, Floats]:
    """Design, shares of reports per bit, and their standard deviations, of some cohorts."""
    bits = state.set_bits()[cohorts]
    n = state.reports[cohorts][:, np.newaxis]
    spread = np.sqrt(_bit_variances(state, state.set_bits())[cohorts])
    # Cohorts are samples: a share of users differs from that of all by its binomial deviation.
    share = np.clip(bits / n, 0, 1)
    sd = np.sqrt((spread / n) ** 2 + share * (1 - share) / n)
    matrix = design(state.deployment, strings, cohorts)
    return matrix, (bits / n).reshape(-1), sd.reshape(-1)


def _chosen(state: RapporState, strings: Sequence[str], cohorts: list[int]) -> list[int]:
    """Positions of strings with a positive lasso coefficient, at most half as many as bits."""
    try:
        linear: Any = importlib.import_module("sklearn.linear_model")
    except ImportError:
        rule = "needs scikit-learn: pip install 'ldp-verified[decode]'"
        raise ParameterError("find_candidates", rule) from None
    matrix, target, sd = _weighted(state, strings, cohorts)
    scaled, goal = matrix / sd[:, None], target / sd
    # The least penalty that pure noise in so many columns would hardly pass.
    size = float(np.sqrt(2 * np.log(2 * len(strings))) * np.sqrt((scaled**2).sum(axis=0)).max())
    model = linear.Lasso(
        alpha=size / len(goal) / 2, positive=True, fit_intercept=False, max_iter=20_000
    )
    weights = model.fit(scaled, goal).coef_
    order = np.argsort(-weights)[: len(cohorts) * state.deployment.bits // 2]
    return sorted(int(i) for i in order if weights[i] > 0)
