"""The server's state: reports and reported ones, cohort by cohort."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.protocols.rappor import Rappor
from ldp_verified.protocols.rappor_report import RapporReport
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty, of_coins, of_ones
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.layouts import check_report_array
from ldp_verified.run.aggregate.origin import HasOrigin, ReportOrigin, one_kind
from ldp_verified.run.aggregate.saved import Saved, check_identity
from ldp_verified.run.aggregate.serial import identity_record, integers_of, unwrap, wrap
from ldp_verified.run.aggregate.shared import Shared
from ldp_verified.run.kernels.counts import bit_counts

Integers = NDArray[np.int64]


class _Seen(NamedTuple):
    """The contents of a state; nobody writes to the arrays."""

    reports: Integers
    ones: Integers
    origin: ReportOrigin


class RapporState(HasOrigin[_Seen], Saved):
    """Counts that merge: how many reports each cohort sent, and how often each bit was 1.

    Threads may update one state together: every batch is counted, once.

    Args:
        deployment: what the reports are made with.
        reports: int64 (cohorts,); None for zeros. Copied.
        ones: int64 (cohorts, bits), at most the cohort's reports each; None for zeros. Copied.
        simulated: whether they are simulated ones, those so far and those to come.
        batches: the ids of the batches seen so far.

    Raises:
        ParameterError: an argument is something else.
    """

    def __init__(
        self,
        deployment: Rappor,
        reports: Integers | None = None,
        ones: Integers | None = None,
        simulated: bool = False,
        batches: frozenset[str] = frozenset(),
    ) -> None:
        check_kind("deployment", deployment, Rappor)
        seen = _counters("reports", reports, (deployment.cohorts,))
        bits = _counters("ones", ones, (deployment.cohorts, deployment.bits))
        if np.any(bits > seen[:, np.newaxis]):
            raise ParameterError("ones", "must not be more in a cohort than its reports")
        self._deployment = deployment
        origin = ReportOrigin.checked(simulated, batches)
        self._seen = Shared(_frozen(seen, bits, origin))

    @property
    def deployment(self) -> Rappor:
        """Return the deployment that made the reports."""
        return self._deployment

    @property
    def reports(self) -> Integers:
        """int64 (cohorts,), as they are at this moment; read-only."""
        return self._seen.now.reports

    @property
    def ones(self) -> Integers:
        """int64 (cohorts, bits), as they are at this moment; read-only."""
        return self._seen.now.ones

    @property
    def n(self) -> int:
        """The number of reports in all."""
        return int(self._seen.now.reports.sum())

    def update(
        self, reports: Iterable[RapporReport], batch: str | None = None, repeated: str = "refuse"
    ) -> RapporState:
        """Count reports; all of them, or none where one is refused. Returns self.

        Args:
            reports: what is added.
            batch: an id of the batch, a text of up to 64 characters; None for a batch without one.
            repeated: what happens if that id was counted before: "refuse" raises, "ignore" counts
                nothing.

        Raises:
            ReportError: a report of another deployment, or a malformed one; or some of these and of
                the state's are simulated, and some are not.
            ReplayError: the batch was counted already. ParameterError: no such id or `repeated`.
        """
        mine = self._deployment
        if isinstance(reports, np.ndarray) or not isinstance(reports, Iterable):
            raise ReportError("reports", "must be several RapporReports", type(reports))
        listed: list[RapporReport] = []
        for report in reports:
            if not isinstance(report, RapporReport):
                raise ReportError("reports", "must be RapporReports", type(report))
            _refuse_foreign("reports", mine, report.deployment)
            shape = (mine.encoder.blocks,)
            if not isinstance(report.bits, np.ndarray) or report.bits.shape != shape:
                raise ReportError("bits", f"must be packed, of shape {shape}", type(report.bits))
            check_report_array("bits", report.bits, 1)
            if type(report.cohort) is not int or not 0 <= report.cohort < mine.cohorts:
                raise ReportError("cohort", f"must be in 0..{mine.cohorts - 1}", report.cohort)
            listed.append(report)
        cohorts = np.array([report.cohort for report in listed], dtype=np.int64)
        packed = np.array([report.bits for report in listed], dtype=np.uint64)
        simulated = bool(one_kind(report.simulated for report in listed))
        rows = packed.reshape(len(listed), mine.encoder.blocks)
        self._count(cohorts, rows, simulated, batch, repeated)
        return self

    def update_packed(
        self,
        cohorts: Integers,
        packed: NDArray[np.uint64],
        simulated: bool,
        batch: str | None = None,
        repeated: str = "refuse",
    ) -> None:
        """Count reports that are given as arrays of cohorts and packed bits.

        Args:
            cohorts: int64 (n,). packed: uint64 (n, blocks), 0 beyond the last bit.
            simulated: whether they are. batch, repeated: as in `update`.

        Raises:
            ReportError: another shape or dtype, a cohort out of range, or padding that is not 0; or
                they are simulated and those of the state are not, or the other way round.
            ReplayError, ParameterError: as in `update`.
        """
        if not isinstance(simulated, bool):
            raise ReportError("simulated", "must be a bool", simulated)
        self._count(
            check_report_array("cohorts", cohorts, 1).astype(np.int64, copy=False),
            check_report_array("packed", packed, 2),
            simulated,
            batch,
            repeated,
        )

    def _count(
        self,
        cohorts: Integers,
        packed: NDArray[Any],
        simulated: bool,
        batch: str | None,
        repeated: str,
    ) -> None:
        mine = self._deployment
        if packed.dtype != np.uint64 or packed.shape != (len(cohorts), mine.encoder.blocks):
            shown = f"{packed.dtype} of shape {packed.shape}"
            raise ReportError("packed", "must be uint64, one row of blocks per report", shown)
        if np.any((cohorts < 0) | (cohorts >= mine.cohorts)):
            raise ReportError("cohorts", f"must be in 0..{mine.cohorts - 1}")
        tail = mine.bits - 64 * (mine.encoder.blocks - 1)
        if tail < 64 and np.any(packed[:, -1] >> np.uint64(tail)):
            raise ReportError("packed", f"must be 0 beyond bit {mine.bits - 1}")
        counts = [
            (cohort, bit_counts(np.ascontiguousarray(packed[cohorts == cohort]), mine.bits))
            for cohort in np.unique(cohorts).tolist()
        ]
        more = np.bincount(cohorts, minlength=mine.cohorts)

        def with_batch(seen: _Seen) -> _Seen:
            origin = seen.origin.joined(simulated, len(cohorts), batch, repeated)
            if origin is None:
                return seen
            ones = seen.ones.copy()
            for cohort, counted in counts:
                ones[cohort] += counted
            return _frozen(seen.reports + more, ones, origin)

        self._seen.change(with_batch)

    def merge(
        self, other: RapporState, batch: str | None = None, repeated: str = "refuse"
    ) -> RapporState:
        """A new state that has seen what both have.

        Args:
            other: the other state. batch, repeated: as in `update`, of all that the other holds.

        Raises:
            ReportError: the other state is none, or of another deployment; or one of them holds
                simulated and one real reports.
            ReplayError: both have counted a batch, or `batch` was counted already.
            ParameterError: no such id or `repeated`.
        """
        if not isinstance(other, RapporState):
            raise ReportError("other", "must be a RapporState", type(other))
        _refuse_foreign("other", self._deployment, other.deployment)
        mine, theirs = self._seen.now, other._seen.now
        origin = mine.origin.merged(theirs.origin, batch, repeated)
        if origin is None:
            return RapporState(self._deployment, mine.reports, mine.ones, *mine.origin)
        reports, ones = mine.reports + theirs.reports, mine.ones + theirs.ones
        return RapporState(self._deployment, reports, ones, *origin)

    @property
    def identity(self) -> Identity:
        """Return what has to agree before states merge: the thresholds and the filter."""
        return _identity(self._deployment)

    def to_bytes(self) -> bytes:
        """The state as bytes: kind "RAPPOR"; the body is `reports`, then `ones`, row by row."""
        seen = self._seen.now
        header = identity_record(self.identity) | seen.origin.record()
        header["n"] = int(seen.reports.sum())
        body = seen.reports.astype("<i8").tobytes() + seen.ones.astype("<i8").tobytes()
        return wrap("RAPPOR", header, body)

    @classmethod
    def from_bytes(cls, data: bytes, made: Rappor, *, implausible: bool = False) -> RapporState:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the deployment.
            implausible: has no effect: users report again from one permanent response, so no count
                between 0 and that of the reports can be told to be made up.

        Raises:
            ReportError: as `Saved.from_bytes`. ParameterError: `made` is no deployment.
        """
        del implausible
        check_kind("made", made, Rappor)
        header, body = unwrap("RAPPOR", data)
        check_identity(_identity(made), header)
        (n,) = integers_of(header, "n")
        if len(body) != 8 * made.cohorts * (1 + made.bits):
            raise ReportError("data", "must hold a count for each cohort and bit")
        counts = np.frombuffer(body, "<i8").astype(np.int64)
        reports, ones = counts[: made.cohorts], counts[made.cohorts :]
        try:
            origin, rows = ReportOrigin.of_record(header, n), ones.reshape(made.cohorts, made.bits)
            state = cls(made, reports, rows, *origin)
        except ParameterError as error:
            raise ReportError("data", f"holds no state: {error}") from None
        if sum(reports.tolist()) != n:
            raise ReportError("data", f"must be {n} reports in all", sum(reports.tolist()))
        return state

    def __reduce__(self) -> tuple[type[RapporState], tuple[object, ...]]:
        # A copy, and what is read from a pickle, is checked as any state is.
        seen = self._seen.now
        return RapporState, (self._deployment, seen.reports, seen.ones, *seen.origin)

    def honesty(self) -> Honesty:
        """Test whether honest clients have such bits, each with one report in this state.

        Cohorts are drawn uniformly. Given them, bits are independent, and each is 1 with the chance
        of a bit that the value sets or of another one. A value sets 1 to h bits.
        """
        seen, mine = self._seen.now, self._deployment
        n, (one, zero) = int(seen.reports.sum()), (float(cell) for cell in mine.cells)
        if n == 0:
            return UNTESTED
        checks = []
        if mine.cohorts > 1:
            chance = np.array(1 / mine.cohorts)
            checks.append(of_coins("cohort balance", n, seen.reports, chance, chance))
        some = np.flatnonzero(seen.reports)
        coins = np.repeat(seen.reports[some], mine.bits)
        ends, looks = (np.array(zero), np.array(one)), mine.cohorts * mine.bits
        ones = seen.ones[some].ravel()
        checks.append(of_coins("ones of each bit", coins, ones, *ends, looks=looks))
        most = min(mine.encoder.hashes, mine.bits)
        checks.append(of_ones(n, mine.bits, one, zero, int(ones.sum()), most))
        return Honesty(tuple(checks))

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
        seen = self._seen.now
        return np.asarray((seen.ones - seen.reports[:, np.newaxis] * zero) / (one - zero))


def _identity(deployment: Rappor) -> Identity:
    encoder = deployment.encoder
    sizes = (("bits", encoder.bits), ("cohorts", encoder.cohorts), ("hashes", encoder.hashes))
    return Identity("Rappor", sizes, "", deployment.thresholds)


def _refuse_foreign(argument: str, mine: Rappor, theirs: object) -> None:
    same = isinstance(theirs, Rappor) and mine.thresholds == theirs.thresholds
    if not (same and isinstance(theirs, Rappor) and mine.encoder == theirs.encoder):
        raise ReportError(argument, "must be of the deployment that is counted", theirs)


def _counters(argument: str, given: object, shape: tuple[int, ...]) -> Integers:
    if given is None:
        return np.zeros(shape, dtype=np.int64)
    whole = type(given) is np.ndarray and given.dtype.kind in "iu" and given.shape == shape
    if not whole or not isinstance(given, np.ndarray) or int(given.min()) < 0:
        rule = f"must be integers >= 0 of shape {shape}"
        raise ParameterError(argument, rule, getattr(given, "shape", type(given)))
    return given.astype(np.int64)


def _frozen(reports: Integers, ones: Integers, origin: ReportOrigin) -> _Seen:
    reports.flags.writeable = ones.flags.writeable = False
    return _Seen(reports, ones, origin)
