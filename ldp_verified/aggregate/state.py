"""The server's state: a few integers that add up. A commutative monoid under `merge`, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.aggregate.estimate import Estimate
from ldp_verified.aggregate.reports import Identity, Reports
from ldp_verified.aggregate.serial import Contents, pack, unpack
from ldp_verified.errors import ParameterError, ReportError

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from ldp_verified.aggregate.oracle import Oracle

LARGEST_COUNTERS = 1 << 28
"""Counters of a state, at most: larger domains are for heavy hitters, not for a table of counts."""

_LARGEST = int(np.iinfo(np.int64).max)


class State:
    """How many reports were seen, and how many of them support each value (or are each output).

    Two states of the same identity merge into what one state would hold after all the reports of
    both, in any order.

    Args:
        oracle: the one whose reports are counted.
        n: reports seen so far.
        counts: the layout's counters so far, shape (counters,), integers in 0..n; None for zeros.
            Copied.
        simulated: whether any report seen so far was simulated.

    Raises:
        ParameterError: `n` or `counts` is not of that shape or range, or there would be more than
            2^28 counters.
    """

    def __init__(
        self,
        oracle: Oracle,
        n: int = 0,
        counts: NDArray[np.integer[Any]] | None = None,
        simulated: bool = False,
    ) -> None:
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n <= _LARGEST:
            raise ParameterError("n", "must be an integer in 0..2^63-1", n)
        if oracle.layout.counters > LARGEST_COUNTERS:
            rule = f"must leave at most 2^28 counters (2 GiB) to be aggregated here; k = {oracle.k}"
            raise ParameterError("k", rule, oracle.layout.counters)
        if counts is None:
            support = np.zeros(oracle.layout.counters, dtype=np.int64)
        else:
            if not isinstance(counts, np.ndarray) or counts.dtype.kind not in "iu":
                raise ParameterError("counts", "must be an integer array", type(counts))
            if counts.shape != (oracle.layout.counters,):
                rule = f"must have shape ({oracle.layout.counters},)"
                raise ParameterError("counts", rule, counts.shape)
            if int(counts.min()) < 0 or int(counts.max()) > n:
                raise ParameterError("counts", f"must lie in 0..n = 0..{n}")
            support = counts.astype(np.int64)
        self._oracle = oracle
        self._n = int(n)
        self._counts = support
        self._simulated = bool(simulated)

    @property
    def oracle(self) -> Oracle:
        """The oracle whose reports are counted."""
        return self._oracle

    @property
    def identity(self) -> Identity:
        """Which reports may be added."""
        return self._oracle.identity

    @property
    def n(self) -> int:
        """The number of reports seen."""
        return self._n

    @property
    def counts(self) -> NDArray[np.int64]:
        """The layout's counters, int64: support counts of the k values, or counts of outputs.

        A read-only view that follows later updates.
        """
        view = self._counts.view()
        view.flags.writeable = False
        return view

    @property
    def simulated(self) -> bool:
        """True as soon as one batch was simulated; it stays so."""
        return self._simulated

    def update(self, reports: Reports) -> State:
        """Add a batch, in place, and return the state itself; a refused batch changes nothing.

        Raises:
            ReportError: the reports belong to another mechanism, parameters, spec or thresholds, or
                do not fit the layout.
        """
        if not isinstance(reports, Reports):
            raise ReportError(
                "reports", "must be Reports (wrap arrays with .reports)", type(reports)
            )
        difference = self.identity.difference(reports.identity)
        if difference is not None:
            raise ReportError("reports", f"are foreign: {difference}")
        total = self._checked_total(len(reports))
        self._counts += self._oracle.layout.tally(reports.data)
        self._n = total
        self._simulated |= reports.simulated
        return self

    def merge(self, other: State) -> State:
        """A new state that has seen what both have.

        Raises:
            ReportError: the states count reports of different identities.
        """
        if not isinstance(other, State):
            raise ReportError("other", "must be a State", type(other))
        difference = self.identity.difference(other.identity)
        if difference is not None:
            raise ReportError("other", f"is foreign: {difference}")
        total = self._checked_total(other.n)
        return State(
            self._oracle, total, self._counts + other._counts, self._simulated or other.simulated
        )

    def estimate(self) -> Estimate:
        """Unbiased estimates of all k counts from what has been seen so far.

        Raises:
            ParameterError: there is no unbiased estimator; the message says why.
        """
        if self._oracle.no_estimator is not None:
            raise ParameterError("estimator", f"does not exist: {self._oracle.no_estimator}")
        supports = self._oracle.layout.supports(self._counts.copy())
        return Estimate(self._oracle, self._n, supports, self._simulated)

    def to_bytes(self) -> bytes:
        """The state as bytes, for another process or a disk; `aggregate.serial` has the format."""
        return pack(Contents(self.identity, self._n, self._counts, self._simulated))

    @classmethod
    def from_bytes(cls, data: bytes, oracle: Oracle) -> State:
        """The state that `to_bytes` was called on; a mechanism's `.oracle` says what it counts.

        Raises:
            ReportError: the bytes are damaged, or the state belongs to another mechanism,
                parameters, spec or thresholds.
        """
        held = unpack(data)
        difference = oracle.identity.difference(held.identity)
        if difference is not None:
            raise ReportError("data", f"is foreign: {difference}")
        try:
            return cls(oracle, held.n, held.counts, held.simulated)
        except ParameterError as error:
            raise ReportError("data", f"holds no state: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_bytes` to a file, which holds what it held until all is written.

        Raises:
            OSError: the file cannot be written.
        """
        from ldp_verified.aggregate.files import replacing  # no client of one value pays for it

        with replacing(path) as part:
            part.write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str], oracle: Oracle) -> State:
        """The state in a file that `save` wrote.

        Raises:
            OSError: the file cannot be read.
            ReportError: as `from_bytes`.
        """
        from pathlib import Path

        return cls.from_bytes(Path(path).read_bytes(), oracle)

    def _checked_total(self, more: int) -> int:
        total = self._n + more
        if total > _LARGEST:
            raise ReportError("reports", "are more than 2^63-1 in all", total)
        return total

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return (
            self.identity == other.identity
            and self._n == other._n
            and self._simulated == other._simulated
            and bool(np.array_equal(self._counts, other._counts))
        )

    __hash__ = None  # type: ignore[assignment]  # object declares a method there

    def __repr__(self) -> str:
        simulated = "simulated " if self._simulated else ""
        return (
            f"<State of {self._n} {simulated}{self.identity.mechanism} reports, k={self.oracle.k}>"
        )
