"""The server's side of grouped hashing: reports that merge, and counts of any candidates."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ldp_verified.errors import ReportError
from ldp_verified.protocols.grouped_hashing import GroupedHashing, GroupReports
from ldp_verified.protocols.hashed_values import SampledOracle, several
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.honest import HonestyCheck, of_coins
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.kept import KeptReports
from ldp_verified.run.aggregate.listed import check_each_once
from ldp_verified.run.aggregate.saved import check_mean, identity_made
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.kernels.wide import value_supports
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Unsigned = NDArray[np.unsignedinteger[Any]]
    Words = NDArray[np.uint64]


class GroupState(KeptReports):
    """Reports that were seen: hashed reports have no smaller summary. About 26 bytes each.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.
    """

    def __init__(self, protocol: GroupedHashing, simulated: bool = False) -> None:
        super().__init__(protocol, simulated)
        self._protocol = protocol

    @property
    def identity(self) -> Identity:
        """Return the identity that reports must have to be added."""
        return identity_made(self._protocol)

    @property
    def n(self) -> int:
        """The number of users whose reports were seen."""
        return self.rows // self.rows_of_user

    @property
    def rows_of_user(self) -> int:
        """The number of rows of a user: one, or one for each group."""
        return self._protocol.reports_per_user

    def _none(self) -> tuple[Unsigned, ...]:
        kind = smallest_dtype(self._protocol.buckets)
        return np.zeros(0, np.uint8), np.zeros((0, 3), np.uint64), np.zeros(0, kind)

    def _checked(self, columns: Sequence[Unsigned]) -> tuple[Unsigned, ...]:
        mine = self._protocol
        self._require_shapes(("groups", "seeds", "buckets"), columns)
        groups, seeds, buckets = columns
        if len(groups):
            if int(groups.max()) >= mine.groups:
                raise ReportError("groups", f"must be in 0..{mine.groups - 1}", int(groups.max()))
            if int(buckets.max()) >= mine.buckets:
                raise ReportError("buckets", f"must be in 0..{mine.buckets - 1}")
        if mine.reports_per_user > 1:
            users, left = divmod(len(groups), mine.reports_per_user)
            firsts = groups[:: mine.reports_per_user]
            known = not mine.in_group or not users or int(firsts.max()) < mine.user_groups
            if left or not known or np.any(groups != mine.of_reports(firsts)):
                raise ReportError("groups", "must be all groups of each user, in order")
        if len(groups):
            mine.check_functions(groups, seeds)
        return groups.copy(), seeds.copy(), buckets.copy()

    def _refuse_implausible(self) -> None:
        coins, ones = self._function_bits()
        none, one, half = Fraction(0), Fraction(1), Fraction(1, 2)
        check_mean("a bit of a function", coins, Fraction(ones), (none, one), (half, half))

    def _function_bits(self) -> tuple[int, int]:
        """(bits of functions that were drawn of the whole family, how many of them are 1)."""
        groups, seeds, _ = self.columns
        seeds = seeds[self._protocol.drawn_afresh(groups)]
        ones = int(np.unpackbits(np.ascontiguousarray(seeds).view(np.uint8)).sum())
        return len(seeds) * (127 + self._protocol.hash_bits), ones

    def function_checks(self) -> tuple[Callable[[], HonestyCheck], ...]:
        """The test whether functions were drawn as honest clients draw them, to be made later."""
        coins, ones = self._function_bits()
        if not coins:
            return ()
        half = np.array(0.5)
        return (partial(of_coins, "bits of functions", coins, np.array([ones]), half, half),)

    def update(
        self, reports: GroupReports, batch: str | None = None, repeated: str = "refuse"
    ) -> Self:
        """Add reports; all of them, or none where one is refused. Returns the state itself.

        Args:
            reports: of this protocol. batch, repeated: as in `State.update`.

        Raises:
            ParameterError: `batch` is no id, or `repeated` something else.
            ReplayError: the batch was counted already.
            ReportError: they belong to another protocol or parameters, are malformed, or are
                simulated while others are real.
        """
        origin = self._require_own(reports, GroupReports)
        self._add((reports.groups, reports.seeds, reports.buckets), origin, batch, repeated)
        return self

    def group(self, number: int) -> tuple[Words, NDArray[np.unsignedinteger[Any]]]:
        """(seeds, buckets) of the reports of a group.

        Raises:
            ReportError: there are none.
        """
        groups, seeds, buckets = self.columns
        members = groups == number
        if not members.any():
            rule = "must hold reports of " + (
                "the confirming group" if number == self._protocol.levels else f"group {number}"
            )
            raise ReportError("state", f"{rule}; of its {len(groups)} reports none is")
        return seeds[members], buckets[members]

    def estimate(self, values: object) -> Estimate:
        """Estimated counts of any values, at a cost that is proportional to how many they are.

        They come from the confirming group alone, so they are unbiased for values that are fixed
        before its reports are looked at, also for those that other groups' reports found. Where no
        group confirms, all reports count: values that are chosen by these are counted too high.

        Args:
            values: several values of the domain, each once, public ones.

        Raises:
            DomainError: one is none of the domain, or there are none.
            ParameterError: one stands there twice.
            ReportError: no report of the confirming group has been seen.
        """
        listed = several(values)
        encoded = self._protocol.encode(listed)
        check_each_once(listed)
        return self._counted(encoded, listed)

    def surely_held(self, values: object, false_alarm: float = 1e-3) -> tuple[str | int, ...]:
        """Name the given values that the confirming group's reports show to be held by somebody.

        Whatever users hold, the chance that it names any value that nobody holds is at most
        `false_alarm`: by Bernstein's inequality, and a union over all the values given. The values
        must be fixed before these reports are looked at; those that `heavy_hitters` names by
        the other groups are. A value that is not named may be held all the same. Counts of only the
        named values are too high: publish the counts of all.

        Args:
            values: several values of the domain, each once, public ones.
            false_alarm: in (0, 1).

        Raises:
            DomainError: one is none of the domain, or there are none.
            ParameterError: one stands there twice, or `false_alarm` is none.
            ReportError: no group confirms, or no report of it has been seen.
        """
        listed, mine = several(values), self._protocol
        encoded = mine.encode(listed)
        check_level(false_alarm, "false_alarm")
        check_each_once(listed)
        if mine.groups == mine.levels:
            raise ReportError("state", "must have a confirming group", mine.groups)
        m = len(self.group(mine.levels)[0])
        counts = self._counted(encoded, listed).counts * (m / self.n)
        above = counts > self._none_held(m, len(listed), false_alarm)
        return tuple(label for label, held in zip(listed, above.tolist(), strict=True) if held)

    def _none_held(self, m: int, candidates: int, chance: float) -> float:
        """A count among m confirming reports that no value reaches which nobody holds."""
        return self._protocol.false_alarm(m, candidates, chance)

    def _counted(self, encoded: Words, labels: tuple[str | int, ...]) -> Estimate:
        """Estimates from the confirming group; where there is none, from all reports."""
        mine = self._protocol
        counting = [mine.levels] if mine.groups > mine.levels else range(mine.groups)
        support, m = np.zeros(len(encoded), dtype=np.int64), 0
        for number in counting:
            seeds, buckets = self.group(number)
            m += len(seeds)
            support += value_supports(seeds, buckets, mine.inputs(encoded, number), mine.hash_bits)
        fixed, more = mine.groups > mine.levels, self.function_checks()
        oracle = SampledOracle(mine, self.n, m, len(labels), fixed, more)
        return Estimate(oracle, self.n, support, bool(self.simulated), labels)

    def _chosen(self, values: Words) -> Estimate:
        """Counts of values that were found.

        Raises:
            ReportError: there are none; the message says how many users would do.
        """
        named = [(value, self._protocol.decode(value)) for value in values]
        found = [(value, label) for value, label in named if label is not None]
        if not found:
            said = self._protocol.one_in_ten()
            rule = f"holds no value that stands out; one in ten users {said}"
            raise ReportError("state", rule, self.n)
        encoded = np.array([value for value, _ in found])
        return self._counted(encoded, tuple(label for _, label in found))

    def _check_search(self, top: object, false_alarm: float | None) -> int:
        """The largest number of values that are sought.

        Raises:
            ParameterError: an argument is out of range. ReportError: nothing has been seen.
        """
        found = check_integer("top", top, 1, 1 << 16)
        if false_alarm is not None:
            check_level(false_alarm, "false_alarm")
        if self.rows == 0:
            raise ReportError("state", "must hold reports", 0)
        return found
