"""The server's side of prefix extending: reports that merge, counts, heavy hitters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ldp_verified.aggregate.shared import Shared
from ldp_verified.errors import DomainError, ParameterError, ReportError, check_kind
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.kernels.draw import smallest_dtype
from ldp_verified.kernels.wide import extended, extension_supports, value_supports
from ldp_verified.protocols.prefix_extending import PrefixExtending, PrefixReports
from ldp_verified.realize.parameters import check_integer

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

MAGIC = b"LDPPREFIX1"
_CHECKSUM = hashlib.sha256().digest_size


@dataclass(frozen=True, eq=False)
class CandidateCounts:
    """Estimated counts of some values, from the confirming group alone.

    Unbiased for values fixed before that group's reports are looked at, also for those that the
    other groups' reports found.

    Attributes:
        labels: the values. counts: float64, among all n users. standard_errors: float64, estimated.
        n: reports in all. confirming: those of the confirming group. simulated: whether any was.
    """

    labels: tuple[str | int, ...]
    counts: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    n: int
    confirming: int
    simulated: bool

    def __iter__(self) -> Iterator[tuple[str | int, float, float]]:
        """(value, estimated count, standard error), in order."""
        rows = zip(self.labels, self.counts.tolist(), self.standard_errors.tolist(), strict=True)
        return iter(rows)

    def __len__(self) -> int:
        return len(self.labels)


class _Seen(NamedTuple):
    """All reports so far; nobody writes to the arrays."""

    groups: NDArray[np.uint8]
    seeds: NDArray[np.uint64]
    buckets: NDArray[np.unsignedinteger]
    simulated: bool


class PrefixState:
    """Reports that were seen: hashed reports have no smaller summary. About 26 bytes each.

    Args:
        protocol: whose reports are counted.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: PrefixExtending) -> None:
        check_kind("protocol", protocol, PrefixExtending)
        self.protocol = protocol
        kind = smallest_dtype(protocol.buckets)
        none = _Seen(np.zeros(0, np.uint8), np.zeros((0, 3), np.uint64), np.zeros(0, kind), False)
        self._seen = Shared(none)

    @property
    def n(self) -> int:
        """The number of reports seen."""
        return len(self._seen.now.groups)

    @property
    def simulated(self) -> bool:
        """Return whether any report was simulated."""
        return self._seen.now.simulated

    def update(self, reports: PrefixReports) -> PrefixState:
        """Add reports; all of them, or none where one is refused. Returns the state itself.

        Raises:
            ReportError: they belong to another protocol or parameters, or are malformed.
        """
        check_kind("reports", reports, PrefixReports, ReportError)
        self._refuse_foreign("reports", reports)
        batch = self._checked(reports)
        self._seen.change(lambda seen: _joined(seen, batch))
        return self

    def merge(self, other: PrefixState) -> PrefixState:
        """A new state that has seen what both have.

        Raises:
            ReportError: the other is no such state, or of another protocol.
        """
        check_kind("other", other, PrefixState, ReportError)
        difference = self.protocol.identity.difference(other.protocol.identity)
        if difference is not None:
            raise ReportError("other", f"is foreign: {difference}")
        found = PrefixState(self.protocol)
        mine, theirs = self._seen.now, other._seen.now
        found._seen.change(lambda _: _joined(mine, theirs))
        return found

    def _refuse_foreign(self, argument: str, reports: PrefixReports) -> None:
        difference = self.protocol.identity.difference(reports.identity)
        if difference is not None:
            raise ReportError(argument, f"are foreign: {difference}")

    def _checked(self, reports: PrefixReports) -> _Seen:
        mine, count = self.protocol, len(reports)
        kinds = (np.dtype(np.uint8), np.dtype(np.uint64), np.dtype(smallest_dtype(mine.buckets)))
        arrays = (reports.groups, reports.seeds, reports.buckets)
        shapes = ((count,), (count, 3), (count,))
        for name, array, kind, shape in zip(
            ("groups", "seeds", "buckets"), arrays, kinds, shapes, strict=True
        ):
            plain = isinstance(array, np.ndarray) and array.dtype == kind and array.shape == shape
            if not plain:
                raise ReportError(name, f"must be {kind} of shape {shape}")
        if count and int(reports.groups.max()) > mine.levels:
            raise ReportError("groups", f"must be in 0..{mine.levels}", int(reports.groups.max()))
        if count and int(reports.buckets.max()) >= mine.buckets:
            raise ReportError("buckets", f"must be in 0..{mine.buckets - 1}")
        if count and int(reports.seeds[:, 2].max()) >> (mine.hash_bits - 1):
            raise ReportError("seeds", f"must have {127 + mine.hash_bits} bits")
        groups, seeds, buckets = reports.groups.copy(), reports.seeds.copy(), reports.buckets.copy()
        return _Seen(groups, seeds, buckets, bool(reports.simulated))

    def _group(self, number: int) -> tuple[NDArray[np.uint64], NDArray[np.unsignedinteger]]:
        seen = self._seen.now
        members = seen.groups == number
        return seen.seeds[members], seen.buckets[members]

    def estimate(self, values: object) -> CandidateCounts:
        """Estimated counts of any values, at a cost that is proportional to how many they are.

        Args:
            values: several values of the domain, public ones.

        Raises:
            DomainError: one is none of the domain.
            ReportError: no report of the confirming group has been seen.
        """
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise DomainError("values", "must be several values")
        listed = tuple(values)
        return self._counted(self.protocol.encode(listed), listed)

    def _counted(
        self, encoded: NDArray[np.uint64], labels: tuple[str | int, ...]
    ) -> CandidateCounts:
        mine, n = self.protocol, self.n
        seeds, buckets = self._group(mine.levels)
        m = len(seeds)
        if m == 0:
            raise ReportError("state", "must hold reports of the confirming group, got none", n)
        support = value_supports(seeds, buckets, encoded, mine.hash_bits)
        inside = (support - m / mine.buckets) / mine.gain
        share = np.clip(inside / m, 0.0, 1.0)
        variance = mine.variance_absent + (mine.variance_held - mine.variance_absent) * share
        variance += share * (1 - share) * ((n - m) / max(n - 1, 1))
        scale = n / m
        errors: NDArray[np.float64] = scale * np.sqrt(m * variance)
        return CandidateCounts(
            labels, np.asarray(inside * scale, np.float64), errors, n, m, self.simulated
        )

    def heavy_hitters(
        self, top: int = 16, *, keep: int = 64, false_alarm: float = 1e-3
    ) -> CandidateCounts:
        """Values that many users hold, most frequent first, with counts of the confirming group.

        At each level the prefixes kept are extended by all strings of `step` bits, and of those the
        `keep` with the largest support among the reports of that level's group are kept. A whole
        value is published if it is among the first `top` of the last level and its support there
        exceeds `PrefixExtending.false_alarm` for all candidates of that level. The confirming group
        has no say in what is published, so that its counts are not biased by selection.

        Args:
            top: values, at most. keep: prefixes that are kept at a level, top or more.
            false_alarm: the chance of publishing a value that nobody holds, at the last level.

        Raises:
            ParameterError: an argument is out of range.
            ReportError: no report, a group without any, or nothing stands out; the message says how
                many users would do.
        """
        mine = self.protocol
        check_integer("top", top, 1, 1 << 16)
        check_integer("keep", keep, top, 1 << 16)
        if not 0 < false_alarm < 1:
            raise ParameterError("false_alarm", "must lie between 0 and 1", false_alarm)
        if self.n == 0:
            raise ReportError("state", "must hold reports", 0)
        kept = np.zeros((1, 2), dtype=np.uint64)
        begin = 0
        for level, end in enumerate(mine.lengths[:-1]):
            seeds, buckets = self._group(level)
            m = len(seeds)
            if m == 0:
                raise ReportError("state", f"must hold reports of group {level}", self.n)
            supports = extension_supports(seeds, buckets, kept, begin, end, mine.hash_bits)
            flat = supports.reshape(-1)
            last = end == mine.width
            count = min(top if last else keep, len(flat))
            best = np.argpartition(-flat, count - 1)[:count]
            best = best[np.argsort(-flat[best], kind="stable")]
            places = np.stack(np.unravel_index(best, supports.shape), axis=1).astype(np.int64)
            kept, begin = extended(kept, end, places), end
            if last:
                inside = (flat[best] - m / mine.buckets) / mine.gain
                kept = kept[inside > mine.false_alarm(m, len(flat), false_alarm)]
        named = [(value, mine.decode(value)) for value in kept]
        found = [(value, label) for value, label in named if label is not None]
        if not found:
            need = mine.users_needed(0.1)
            rule = f"holds no value that stands out; one in ten users stands out of {need}"
            raise ReportError("state", rule, self.n)
        encoded = np.array([value for value, _ in found])
        return self._counted(encoded, tuple(label for _, label in found))

    # --- saving ------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The state as bytes: a header in JSON, three arrays, a SHA-256 against damage."""
        seen, identity = self._seen.now, self.protocol.identity
        header = json.dumps(
            {
                "parameters": identity.parameters,
                "law_hash": identity.law_hash,
                "thresholds": identity.thresholds,
                "n": self.n,
                "simulated": seen.simulated,
            },
            sort_keys=True,
        ).encode()
        parts = [MAGIC, len(header).to_bytes(4, "little"), header]
        parts += [a.astype(a.dtype.newbyteorder("<")).tobytes() for a in seen[:3]]
        body = b"".join(parts)
        return body + hashlib.sha256(body).digest()

    @classmethod
    def from_bytes(cls, data: bytes, protocol: PrefixExtending) -> PrefixState:
        """The state that `to_bytes` was called on.

        Raises:
            ReportError: the bytes are damaged, or the state belongs to another protocol.
        """
        state = cls(protocol)
        check_kind("data", data, bytes, ReportError)
        body, checksum = data[:-_CHECKSUM], data[-_CHECKSUM:]
        start = len(MAGIC) + 4
        if not body.startswith(MAGIC) or hashlib.sha256(body).digest() != checksum:
            raise ReportError("data", "must be a whole state of this protocol, undamaged")
        length = int.from_bytes(body[len(MAGIC) : start], "little")
        try:
            header = read_json(body[start : start + length].decode())
            n, simulated = header["n"], header["simulated"]
            of = (header["parameters"], header["law_hash"], tuple(header["thresholds"]))
        except (NotJsonError, UnicodeDecodeError, KeyError, TypeError) as error:
            raise ReportError("data", "must have a header") from error
        mine = protocol.identity
        if of != (mine.parameters, mine.law_hash, mine.thresholds):
            raise ReportError("data", "is foreign: of other parameters or another declaration")
        rest, kind = body[start + length :], np.dtype(smallest_dtype(protocol.buckets))
        if type(n) is not int or type(simulated) is not bool:
            raise ReportError("data", "must have a header")
        if n < 0 or len(rest) != n * (25 + kind.itemsize):
            raise ReportError("data", "must have as many reports as it says")
        reports = PrefixReports(
            mine,
            np.frombuffer(rest[:n], dtype=np.uint8),
            np.frombuffer(rest[n : 25 * n], dtype="<u8").astype(np.uint64).reshape(n, 3),
            np.frombuffer(rest[25 * n :], dtype=kind.newbyteorder("<")).astype(kind),
            simulated,
        )
        return state.update(reports)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_bytes` to a file, which holds what it held until all is written.

        Raises:
            OSError: the file cannot be written.
        """
        from ldp_verified.aggregate.files import replacing

        with replacing(path) as part:
            part.write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str], protocol: PrefixExtending) -> PrefixState:
        """The state in a file that `save` wrote.

        Raises:
            OSError: the file cannot be read. ReportError: as `from_bytes`.
        """
        from ldp_verified.aggregate.files import checked_path

        return cls.from_bytes(checked_path(path).read_bytes(), protocol)


def _joined(first: _Seen, second: _Seen) -> _Seen:
    return _Seen(
        np.concatenate([first.groups, second.groups]),
        np.concatenate([first.seeds, second.seeds]),
        np.concatenate([first.buckets, second.buckets]),
        first.simulated or second.simulated,
    )
