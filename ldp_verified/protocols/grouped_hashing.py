"""Protocols in which each public group reports on another function of the value: the user's side.

Most groups find values, and the last one confirms: it reports on whole values, and has no say in
which are published. So published counts are not biased by selection.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols.hashed_values import HashedValues, check_buckets
from ldp_verified.protocols.influenced import OfGroups
from ldp_verified.protocols.linear_entries import linear_masks
from ldp_verified.protocols.one_report import OnceClient
from ldp_verified.protocols.planned import Planned
from ldp_verified.protocols.predicted import FALSE_ALARM, stage_of
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.reports import SentReports
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.wide import draw_seeds, hashes
from ldp_verified.run.program.hashed_groups import HashedGroups, hashed_groups
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.report_rows import checked_rows

if TYPE_CHECKING:
    from typing import SupportsIndex

    from numpy.typing import NDArray

    from ldp_verified.protocols.predicted import Stage
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program import Program
    from ldp_verified.run.realize.value_types import UserValues

    Rng = SupportsIndex | np.random.Generator | WordSource | None

LEVEL_COINS, COINS = 17, 20
"""Of 20 users 17 are split evenly over the groups that find; the other 3 confirm."""


@dataclass(frozen=True, eq=False, repr=False)
class GroupReports(SentReports):
    """Reports of a protocol, each of a user in one group.

    Attributes:
        identity: the protocol, its parameters and thresholds. groups: uint8 (n,).
        seeds: of the functions, uint64 (n, 3). buckets: uint8 or uint16 (n,).
        simulated: whether the words were those of a seed: then they protect nobody.
    """

    identity: Identity
    groups: NDArray[np.uint8]
    seeds: NDArray[np.uint64]
    buckets: NDArray[np.unsignedinteger]
    simulated: bool

    def __len__(self) -> int:
        return len(self.groups)


class GroupedHashing(Planned, HashedValues, OfGroups):
    """The shared part of such protocols: groups, clients, populations, and plans.

    Attributes:
        g: buckets of a hash, a power of 2 up to 256; None for the best up to 16, which the work of
            the server is proportional to.
    """

    g: int | None

    @property
    @abstractmethod
    def levels(self) -> int:
        """The number of groups that find values; the group of this number counts them."""

    @abstractmethod
    def inputs(self, encoded: NDArray[np.uint64], group: int) -> NDArray[np.uint64]:
        """Map encoded values to the inputs that a group reports on; uint64 (n, 2) both."""

    @property
    def buckets(self) -> int:
        """The number g of buckets."""
        assert self.g is not None
        return int(self.g)

    @property
    def groups(self) -> int:
        """The number of groups that reports are in."""
        return self.levels + self.in_group

    @property
    def in_group(self) -> bool:
        """True where a user is in one public group; else they report in all of them."""
        return self.reports_per_user == 1

    @property
    def user_groups(self) -> int:
        """The number of groups that users are in, where they are in one."""
        return self.groups

    @property
    def counting(self) -> Fraction:
        """The chance that a user's reports count values: that of the confirming group, or 1."""
        drawn = self.in_group and self.user_groups > self.levels
        return 1 - Fraction(LEVEL_COINS, COINS) if drawn else Fraction(1)

    def of_reports(self, groups: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The groups of reports from those of their users, or from what their users share.

        Args:
            groups: uint8 (n,), one for each user; looked at only where users are in groups.
        """
        if self.reports_per_user > 1:
            return np.tile(np.arange(self.reports_per_user, dtype=np.uint8), len(groups))
        return groups

    @property
    def bits_per_report(self) -> int:
        """Bits that a user sends: the group unless it is all, and functions with their buckets."""
        each = (127 + self.hash_bits) + self.hash_bits
        group = (self.user_groups - 1).bit_length() if self.in_group else 0
        return group + each * self.reports_per_user

    def drawn_afresh(self, groups: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which reports of these groups have functions of the whole family: all of them.

        Args:
            groups: the public group of each user, shape (n,).
        """
        return np.ones(len(groups), dtype=np.bool_)

    def _settle_buckets(self, most: int = 4) -> None:
        """Choose g up to 2^most if it is None, and refuse here what cannot be realized."""
        if self.g is None:
            own: Any = self
            best = min(range(1, most + 1), key=lambda r: replace(own, g=1 << r).variance_absent)
            object.__setattr__(self, "g", 1 << best)
        object.__setattr__(self, "g", check_buckets(self.g))
        self._randomizer  # noqa: B018  (what cannot be realized is refused here)

    def client(
        self, group: int | None = None, rng: Rng = None, book: SpendingBook | None = None
    ) -> GroupClient:
        """One user's side, in a group drawn now, or in the one that the public plan says.

        Args:
            group: the public group; None to draw it.
            rng: None for the secure source; a seed or generator is for simulation.
            book: what the user has spent on all protocols; None where nobody keeps count.
        """
        return GroupClient(self, group, rng, book)

    def privatize(self, values: UserValues, rng: Rng = None) -> GroupReports:
        """The reports of several users, in groups drawn now.

        Args:
            values: strings, or integers where `bits` was given. rng: None for the secure source; a
                seed or generator is for simulation, and marks the reports.

        Raises:
            DomainError: no value, or one outside the domain; nothing is drawn then.
            ParameterError: `rng` is something else.
        """
        source = word_source(rng, "privatize", *self.identity.named)
        return self._reports(self.encode(values), None, source)

    def simulate(self, values: object, counts: object, rng: Rng = None) -> GroupReports:
        """The reports of a population, without a loop over users.

        Args:
            values: the distinct values, as in `privatize`. counts: how many users hold each.
            rng: as in `privatize`.

        Raises:
            DomainError: as in `privatize`.
            ParameterError: counts that do not fit, no user, or so few that nothing can be found.
        """
        encoded = self.population(values, counts)
        self.refuse_hopeless(len(encoded))
        source = word_source(rng, "simulate", *self.identity.named)
        return self._reports(encoded, None, source)

    def draw_groups(self, n: int, source: WordSource) -> NDArray[np.uint8]:
        """The group of each of n users, uint8 (n,), drawn without looking at any value.

        Args:
            n: number of users. source: of random words.
        """
        if not self.in_group:
            return np.zeros(n, dtype=np.uint8)
        coins = uniform_numbers(n, COINS * self.levels, source)
        return np.minimum(coins // LEVEL_COINS, self.levels).astype(np.uint8)

    def draw_functions(self, groups: NDArray[np.uint8], source: WordSource) -> NDArray[np.uint64]:
        """The seed of each report's function, uint64 (n, 3), uniform without a look at any value.

        Where reports of a group have functions of a public list, subclasses draw from it.

        Args:
            groups: the public group of each user, shape (n,). source: of random words.
        """
        return draw_seeds(len(groups), self.hash_bits, source)

    def check_functions(self, groups: NDArray[np.uint8], seeds: NDArray[np.uint64]) -> None:
        """Refuse functions that no report of the protocol has.

        Args:
            groups: of the reports, checked already. seeds: of their functions, uint64 (n, 3).

        Raises:
            ReportError: one is none.
        """
        del groups  # the functions of subclasses depend on them
        if len(seeds) and int(seeds[:, 2].max()) >> (self.hash_bits - 1):
            raise ReportError("seeds", f"must have {127 + self.hash_bits} bits")

    def _reports(
        self, encoded: NDArray[np.uint64], group: int | None, source: WordSource
    ) -> GroupReports:
        if len(encoded) == 0:
            raise DomainError("values", "must be one value or more")
        if group is None:
            groups = self.draw_groups(len(encoded), source)
        else:
            groups = np.full(len(encoded), group, dtype=np.uint8)
        groups = self.of_reports(groups)
        encoded = np.repeat(encoded, self.reports_per_user, axis=0)
        n = len(encoded)
        seeds = self.draw_functions(groups, source)
        own = np.empty(n, dtype=np.int64)
        for number in range(self.groups):
            members = np.flatnonzero(groups == number)
            taken = self.inputs(encoded[members], number)
            own[members] = hashes(seeds[members], taken, self.hash_bits)
        drawn = self._randomizer.sampler().draw(own, source)
        return GroupReports(self.identity, groups, seeds, drawn.reshape(n), source.simulated)

    # --- clients in other languages ----------------------------------------------------------

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The integers that words are compared with."""
        return self._randomizer.thresholds

    def program(self) -> Program:
        """The program of a client in another language: its user sends once.

        A value is an integer below 2^bits; a string is one of 128 bits, `wide_values.encode_texts`
        says which.
        """
        name = re.sub("(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()
        sizes = (self.width, self.buckets, self.thresholds[0])
        return hashed_groups(name, *sizes, self._asked)

    def reports_of(self, numbers: object, simulated: bool = False) -> GroupReports:
        """The reports that programs gave as numbers, for a state to check and count.

        Args:
            numbers: integers, a row for each user: the group unless it is all, then the three words
                of a function and the bucket of each report. simulated: whether a seed drew them.

        Raises:
            ReportError: there are not as many numbers, or some do not fit. ParameterError:
                `simulated` is no bool.
        """
        rows = checked_rows(numbers, self.in_group + 4 * self.reports_per_user, simulated)
        groups = np.zeros(len(rows), dtype=np.uint8)
        if self.in_group:
            if len(rows) and int(rows[:, 0].max()) >= self.user_groups:
                raise ReportError("groups", f"must be in 0..{self.user_groups - 1}")
            groups = rows[:, 0].astype(np.uint8)
        each = rows[:, int(self.in_group) :].reshape(-1, 4)
        if len(each) and int(each[:, 3].max()) >= self.buckets:
            raise ReportError("buckets", f"must be in 0..{self.buckets - 1}")
        buckets = each[:, 3].astype(smallest_dtype(self.buckets))
        groups = self.of_reports(groups)
        return GroupReports(self.identity, groups, each[:, :3].copy(), buckets, simulated)

    @property
    def _asked(self) -> HashedGroups:
        """Return what groups are asked, for a program."""
        upper, lower = linear_masks(self.inputs, self.levels, self.width)
        coins = (LEVEL_COINS, COINS) if self.in_group and self.levels else None
        reports = self.reports_per_user
        return HashedGroups(self.levels, coins, reports, upper=upper, lower=lower)

    # --- plans -------------------------------------------------------------------------------

    def _expected(self, n: int) -> float:
        """The expected number of reports of a group that finds."""
        if not self.in_group:
            return float(n)
        finding = 1 - self.counting if self.user_groups > self.levels else 1
        return float(finding) * n / self.levels

    @property
    def _variances(self) -> tuple[float, float]:
        """Variances of what a report adds: where its user does not hold the value, and does."""
        return self.variance_absent, self.variance_held

    def _outstanding(self, n: int, reports: float, candidates: int, chance: float) -> Stage:
        """The stage in which reports of n users have to exceed `false_alarm` of all candidates."""
        least = self.false_alarm(round(reports), candidates, chance) / reports
        return stage_of(n, reports, self._variances, least=least)

    def _all_levels(self, n: int) -> Stage:
        """The support over all groups that find has to exceed `false_alarm` of all values."""
        total = self._expected(n) * self.levels
        return self._outstanding(n, total, 1 << self.width, FALSE_ALARM)

    def level_users(self, n: int, chance: float) -> int:
        """A number of reports that no group that finds falls below, but for this chance.

        Args:
            n: number of users.
            chance: in (0, 1), of all these groups together.
        """
        if self.reports_per_user > 1:
            return n
        share = LEVEL_COINS / (COINS * self.levels)
        return self.fewest_drawn(n, share, chance / self.levels)


class GroupClient(OnceClient[GroupedHashing, GroupReports]):
    """One user's side of the protocol: it reports once. See `OnceClient`.

    Args:
        protocol: the parameters. group: public; None draws it without looking at any value. Where
            a user reports in all groups there is none to be given.
        rng: None for the secure source; a seed or generator is for simulation.
        book: what the user has spent on all protocols; None where nobody keeps count.

    Raises:
        ParameterError: no such group, or a bad `rng` or `book`.
    """

    of = GroupedHashing

    def __init__(
        self,
        protocol: GroupedHashing,
        group: int | None = None,
        rng: Rng = None,
        book: SpendingBook | None = None,
    ) -> None:
        super().__init__(protocol, rng, book)
        self.group: int | None = None
        if protocol.in_group:
            if group is None:
                group = int(protocol.draw_groups(1, self._source)[0])
            self.group = check_integer("group", group, 0, protocol.user_groups - 1)
        elif group is not None:
            raise ParameterError("group", "must be None, as a user reports in all groups", group)

    @property
    def _price(self) -> tuple[float, str]:
        where = "all groups" if self.group is None else f"group {self.group}"
        return self.protocol.epsilon, f"{type(self.protocol).__name__}, {where}"

    def _checked(self, value: Any) -> NDArray[np.uint64]:
        return self.protocol.encode([value], "value")

    def _drawn(self, checked: NDArray[np.uint64]) -> GroupReports:
        return self.protocol._reports(checked, self.group, self._source)
