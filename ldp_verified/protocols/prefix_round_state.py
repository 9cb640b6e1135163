"""The server's side of one prefix round: reports that merge, and what they say of prefixes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ldp_verified.errors import DomainError, ReportError, check_kind
from ldp_verified.protocols.collisions import bernstein
from ldp_verified.protocols.hashed_values import SampledOracle, several
from ldp_verified.protocols.prefix_round import PrefixRound, RoundReports, numbers
from ldp_verified.protocols.prefix_search import KeptPrefixes, PrefixLevel
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.kept import KeptReports
from ldp_verified.run.aggregate.listed import check_each_once
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.kernels.transform import walsh_hadamard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Unsigned = NDArray[np.unsignedinteger[Any]]
    Floats = NDArray[np.float64]


class RoundState(KeptReports):
    """Reports of one round that were seen, three or four bytes each.

    Args:
        asked: the round. simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, asked: PrefixRound, simulated: bool = False) -> None:
        check_kind("asked", asked, PrefixRound)
        super().__init__(asked, simulated)
        self.asked = asked

    @property
    def identity(self) -> Identity:
        """Return the identity that reports must have to be added."""
        return self.asked.identity

    @property
    def n(self) -> int:
        """The number of users whose reports were seen."""
        return self.rows

    def _none(self) -> tuple[Unsigned, ...]:
        return np.zeros(0, np.uint16), np.zeros(0, smallest_dtype(self.asked.answers))

    def _checked(self, columns: Sequence[Unsigned]) -> tuple[Unsigned, ...]:
        self._require_shapes(("functions", "answers"), columns)
        functions, answers = columns
        if len(functions):
            for name, column, size in (
                ("functions", functions, self.asked.protocol.cohorts),
                ("answers", answers, self.asked.answers),
            ):
                if int(column.max()) >= size:
                    raise ReportError(name, f"must be in 0..{size - 1}", int(column.max()))
        return functions.copy(), answers.copy()

    def update(
        self, reports: RoundReports, batch: str | None = None, repeated: str = "refuse"
    ) -> Self:
        """Add reports; all of them, or none where one is refused. Returns the state itself.

        Args:
            reports: of this round. batch, repeated: as in `State.update`.

        Raises:
            ParameterError: `batch` is no id, or `repeated` something else.
            ReplayError: the batch was counted already.
            ReportError: they belong to another round, protocol or published list, are malformed, or
                are simulated while others are real.
        """
        origin = self._require_own(reports, RoundReports)
        self._add((reports.functions, reports.answers), origin, batch, repeated)
        return self

    def _seen_some(self) -> int:
        """The number of reports.

        Raises:
            ReportError: there are none.
        """
        if self.rows == 0:
            raise ReportError("state", f"must hold reports of round {self.asked.number}", 0)
        return self.rows

    def searched(self, kept: KeptPrefixes) -> KeptPrefixes:
        """The best extensions of the prefixes that this round published.

        Args:
            kept: these prefixes and what is known of them.

        Raises:
            ReportError: no report was seen.
        """
        return self._level().extended(kept, self.asked.protocol.kept)

    def _level(self) -> PrefixLevel:
        """Return the result of the reports of a finding round."""
        asked, m = self.asked, self._seen_some()
        functions, answers = self.columns
        cells = functions.astype(np.int64) * asked.answers + answers
        count = asked.protocol.cohorts * asked.answers
        counts = np.bincount(cells, minlength=count).reshape(-1, asked.answers).astype(np.int64)
        none, inside = 0, 1.0
        if asked.number:
            none = int(counts[:, 0].sum())
            p, q = asked._chances
            inside = min(max((p - none / m) / (p - q), 0.0), 1.0)
        return PrefixLevel(
            asked.functions,
            walsh_hadamard(np.ascontiguousarray(counts[:, asked.number > 0 :])),
            asked.begin,
            asked.end,
            1 / (m * asked.gain),
            -(m - none) / (m * asked.gain * asked.buckets),
            asked.spread(inside) / m,
        )

    def confirmed(self) -> tuple[Floats, float]:
        """(estimated shares of the published values, the variance of one that nobody holds).

        Raises:
            ReportError: no report was seen, or it is not the last round.
        """
        m = self._seen_some()
        shares = (self._named() / m - self.asked.chance) / self.asked.gain
        return shares, self.asked.variance_absent / m

    def surely_held(self, false_alarm: float = 1e-3) -> tuple[str | int, ...]:
        """The published values of the last round that somebody holds, as its reports say.

        Whatever users hold, the chance that it names any value that nobody holds is at most
        `false_alarm`: by Bernstein's inequality, and a union over all that was published. It does
        not say that others are not held. Counts of those alone that it names are too high.

        Args:
            false_alarm: in (0, 1).

        Raises:
            ParameterError: it is none.
            ReportError: no report was seen, or it is not the last round.
        """
        check_level(false_alarm, "false_alarm")
        asked = self.asked
        shares, variance = self.confirmed()
        m, part = self.rows, false_alarm / len(shares)
        above = shares > bernstein(m, m * variance, 1 / asked.gain, part) / m
        return self._labels(np.flatnonzero(above).tolist())

    def _named(self) -> NDArray[np.int64]:
        """Count how often each published value was named."""
        if not self.asked.confirms:
            rule = f"must be of the last round, {self.asked.protocol.levels}"
            raise ReportError("state", rule, self.asked.number)
        counts = np.bincount(self.columns[1], minlength=self.asked.answers)
        return np.asarray(counts[1:], dtype=np.int64)

    def estimate(self, values: object) -> Estimate:
        """Estimated counts among the users of this round alone, of some values that it published.

        Args:
            values: several values of those that the last round asks about, each once.

        Raises:
            DomainError: one is not among them.
            ParameterError: one stands there twice.
            ReportError: it is not the last round, or it has seen no report.
        """
        named, listed = self._named(), several(values)
        places = self.asked.places(self.asked.protocol.encode(listed)) - 1
        check_each_once(listed)
        if int(places.min()) < 0:
            raise DomainError("values", "must be values that the last round published")
        m = self._seen_some()
        oracle = SampledOracle(self.asked, m, m, len(listed))
        return Estimate(oracle, m, named[places], bool(self.simulated), listed)

    def estimates(self, n: int, places: list[int]) -> Estimate:
        """Estimated counts among n users in all, of the published values at these places."""
        m, named = self._seen_some(), self._named()
        labels = self._labels(places)
        oracle = SampledOracle(self.asked, n, m, len(labels))
        return Estimate(oracle, n, named[places], bool(self.simulated), labels)

    def _labels(self, places: list[int]) -> tuple[str | int, ...]:
        """The published values at these places."""
        labels: list[str | int] = []
        for value in numbers(self.asked.published[place] for place in places):
            label = self.asked.protocol.decode(value)
            assert label is not None
            labels.append(label)
        return tuple(labels)
