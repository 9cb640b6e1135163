"""The server's state: reports and reported ones, cohort by cohort."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.kernels.counts import bit_counts
from ldp_verified.protocols.rappor import Rappor
from ldp_verified.protocols.rappor_client import RapporReport

if TYPE_CHECKING:
    from numpy.typing import NDArray


class RapporState:
    """Counts that merge: how many reports each cohort sent, and how often each bit was 1.

    Attributes:
        deployment: what the reports were made with.
        reports: int64 (cohorts,). ones: int64 (cohorts, bits).
        simulated: whether any report was.
    """

    def __init__(self, deployment: Rappor) -> None:
        self.deployment = deployment
        self.reports: NDArray[np.int64] = np.zeros(deployment.cohorts, dtype=np.int64)
        self.ones: NDArray[np.int64] = np.zeros(
            (deployment.cohorts, deployment.bits), dtype=np.int64
        )
        self.simulated = False

    def update(self, reports: Iterable[RapporReport]) -> RapporState:
        """Count reports; all of them, or none where one is refused. Returns self.

        Raises:
            ReportError: a report of another deployment, or a malformed one.
        """
        mine, batch = self.deployment, list(reports)
        for report in batch:
            theirs = report.deployment
            if theirs.thresholds != mine.thresholds or theirs.encoder != mine.encoder:
                raise ReportError("deployment", "is not the one that is counted", theirs)
        cohorts = np.array([report.cohort for report in batch], dtype=np.int64)
        packed = np.array([report.bits for report in batch], dtype=np.uint64)
        self.update_packed(cohorts, packed.reshape(len(batch), mine.encoder.blocks))
        self.simulated = self.simulated or any(report.simulated for report in batch)
        return self

    def update_packed(self, cohorts: NDArray[np.int64], packed: NDArray[np.uint64]) -> None:
        """Count raw reports.

        Args:
            cohorts: int64 (n,). packed: uint64 (n, blocks), 0 beyond the last bit.

        Raises:
            ReportError: another shape, a cohort out of range, or padding that is not 0.
        """
        mine = self.deployment
        if packed.ndim != 2 or packed.shape != (len(cohorts), mine.encoder.blocks):
            raise ReportError("packed", "must have one row of blocks per report", packed.shape)
        if np.any((cohorts < 0) | (cohorts >= mine.cohorts)):
            raise ReportError("cohorts", f"must be in 0..{mine.cohorts - 1}")
        tail = mine.bits - 64 * (mine.encoder.blocks - 1)
        if tail < 64 and np.any(packed[:, -1] >> np.uint64(tail)):
            raise ReportError("packed", f"must be 0 beyond bit {mine.bits - 1}")
        for cohort in np.unique(cohorts).tolist():
            chosen = packed[cohorts == cohort]
            self.reports[cohort] += len(chosen)
            self.ones[cohort] += bit_counts(np.ascontiguousarray(chosen), mine.bits)

    def merge(self, other: RapporState) -> RapporState:
        """A new state that has seen what both have.

        Raises:
            ReportError: the other state is of another deployment.
        """
        mine, theirs = self.deployment, other.deployment
        if mine.thresholds != theirs.thresholds or mine.encoder != theirs.encoder:
            raise ReportError("deployment", "is not the one that is counted", theirs)
        merged = RapporState(mine)
        merged.reports = self.reports + other.reports
        merged.ones = self.ones + other.ones
        merged.simulated = self.simulated or other.simulated
        return merged

    def set_bits(self) -> NDArray[np.float64]:
        """Unbiased estimates of how many encodings have each bit, float64 (cohorts, bits).

        (ones - n p*)/(q* - p*), of the realized table. Given the users' values and cohorts, they
        are independent of each other, for the bits of a report are.

        Raises:
            ParameterError: the deployment has noise = 1, or as good as: its reports say nothing.
        """
        one, zero = (float(cell) for cell in self.deployment.cells)
        if not zero < one:
            rule = "must be below 1 where something is to be estimated"
            raise ParameterError("noise", rule, self.deployment.noise)
        return (self.ones - self.reports[:, np.newaxis] * zero) / (one - zero)
