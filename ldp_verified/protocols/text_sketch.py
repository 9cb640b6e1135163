"""Strings of any length, one or a set of them for each user, over a sketch or another hashing.

A public function sends a string to one of k numbers, and a mechanism with a large domain reports on
the number. So epsilon is that of the mechanism, whatever the function is. The server keeps what the
mechanism's state keeps, and counts any strings that somebody names: there is no list of them.

Graham Cormode, S. Muthukrishnan (2005), An Improved Data Stream Summary: The Count-Min Sketch and
its Applications, have this interface; counts here are means and not minima, as reports are noisy.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols.hashed_values import several
from ldp_verified.protocols.item_sets import ItemSets
from ldp_verified.protocols.padding import PaddedHashing
from ldp_verified.protocols.set_sizes import MeanItems, mean_items
from ldp_verified.protocols.wide_values import listed
from ldp_verified.run.aggregate.kept import KeptState
from ldp_verified.run.aggregate.state import State, check_state
from ldp_verified.run.mechanisms import CMS, HCMS, OLH, HashCohorts
from ldp_verified.run.realize.values import wrong_type
from ldp_verified.scalars import utf8_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserTexts, UserTextSets

    Hashing = CMS | HCMS | HashCohorts | OLH | PaddedHashing

FEWEST = 1 << 16
"""Numbers that strings are sent to, at least: two strings share one with a chance of 1/k."""


@dataclass(frozen=True)
class TextSketch:
    """Counts of strings by a sketch, hash cohorts or local hashing.

    Two strings have the same number with a chance of 1/k, over functions; a count is that of all
    strings of the number. So other users add n/k to it on average: less than one at k = 2^31.

    Attributes:
        mechanism: `CMS`, `HCMS`, `HashCohorts` or `OLH` for one string of each user;
            `PaddedHashing` for a set of strings. Its k is 65,536 or more, and it has no labels.

    Raises:
        ParameterError: it is another mechanism.
    """

    mechanism: Hashing

    def __post_init__(self) -> None:
        """Check the mechanism."""
        made: Any = self.mechanism
        if not isinstance(made, CMS | HCMS | HashCohorts | OLH | PaddedHashing):
            rule = "must be a CMS, HCMS, HashCohorts, OLH or PaddedHashing"
            raise ParameterError("mechanism", rule, type(made))
        if made.k < FEWEST:
            raise ParameterError("mechanism", f"must have k = {FEWEST} or more", made.k)
        if made.oracle.labels is not None:
            raise ParameterError("mechanism", "must have no labels", made.oracle.labels[0])

    @property
    def epsilon(self) -> float:
        """The privacy loss of one report."""
        return self.mechanism.epsilon

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of one report, rounded up."""
        return self.mechanism.realized_epsilon

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write one report."""
        return self.mechanism.bits_per_report

    @property
    def of_sets(self) -> bool:
        """True where users have sets of strings, not one string each."""
        return isinstance(self.mechanism, PaddedHashing)

    def encode(self, texts: object, argument: str = "values") -> NDArray[np.int64]:
        """The numbers of strings, int64 (n,): SHAKE-128 of their UTF-8, as 128 bits, modulo k.

        Args:
            texts: several `str`. argument: what messages call them.

        Raises:
            DomainError: something else, or no text; it is not shown.
        """
        items = listed(argument, texts)
        if wrong_type(items, (str,)) is not None:
            raise DomainError(argument, "must be strings")
        if any(utf8_of(each) is None for each in items):
            raise DomainError(argument, "must be text that UTF-8 can hold")
        k = self.mechanism.k
        return np.array([_number(each) % k for each in items], dtype=np.int64)

    def encode_sets(self, sets: object) -> ItemSets:
        """The sets of numbers of sets of strings; strings of one number count once.

        Args:
            sets: a list, tuple, set or frozenset of `str` for each user.

        Raises:
            DomainError: something else; no string is shown.
        """
        if isinstance(sets, str) or not isinstance(sets, list | tuple):
            raise DomainError("values", "must be a list of sets of strings", type(sets))
        found = []
        for held in sets:
            if not isinstance(held, list | tuple | set | frozenset):
                raise DomainError("values", "must be sets of strings", type(held))
            found.append(np.unique(self.encode(list(held))))
        sizes = np.array([len(each) for each in found], dtype=np.int64)
        items = np.concatenate([*found, np.empty(0, dtype=np.int64)])
        return ItemSets(items, sizes)

    def privatize(self, values: UserTexts | UserTextSets, rng: Rng = None) -> Reports:
        """One report for each of several users.

        Args:
            values: several strings; or a list of sets of strings, where the mechanism is of sets.
            rng: None for the secure source; a seed or generator is for simulation, and marks the
                reports.

        Raises:
            DomainError: other values, which are not shown; nothing is drawn then. ParameterError: a
                bad `rng`.
        """
        if isinstance(self.mechanism, PaddedHashing):
            return self.mechanism.privatize(self.encode_sets(values), rng)
        return self.mechanism.privatize(self.encode(values), rng)

    def empty(self, simulated: bool = False) -> State | KeptState:
        """A state that has seen no report: it can be updated, merged and saved.

        It has the counters of a sketch or of cohorts; for local hashing it keeps the reports.
        """
        if isinstance(self.mechanism, OLH | PaddedHashing):
            return KeptState(self.mechanism.oracle, simulated=simulated)
        return State(self.mechanism.oracle, simulated=simulated)

    @property
    def identity(self) -> Identity:
        """The identity that reports and states must share: that of the mechanism."""
        return self.mechanism.oracle.identity

    def estimate(self, state: State | KeptState, values: object) -> Estimate:
        """Counts of strings, unbiased but for those of the same number; with errors and intervals.

        Args:
            state: that of `empty`. values: one or more strings, public ones and fixed before the
                reports are seen, no two of which have one number.

        Raises:
            ParameterError: the state is of another mechanism, or two strings have one number.
            DomainError: these are no strings, or none.
        """
        check_state(self.identity, state, KeptState)
        names = several(values)
        codes = self.encode(names)
        if len(set(codes.tolist())) < len(codes):
            rule = "must be different, and no two of one number: their counts are not told apart"
            raise ParameterError("values", rule, len(codes) - len(set(codes.tolist())))
        return state.estimate(codes.tolist()).labelled(names)

    def mean_strings(
        self, state: State | KeptState, level: float = 0.95, largest: int | None = None
    ) -> MeanItems:
        """Estimate how many strings users have in their sets, on average.

        Args:
            state: that of `empty`, with reports of sets. level, largest: as `mean_items` of
                `PaddedHashing`.

        Raises:
            ParameterError: an argument is out of range, the mechanism is not of sets, or the state
                is of another one or has no reports.
        """
        if not isinstance(self.mechanism, PaddedHashing):
            rule = "must be PaddedHashing: users of others have one string each"
            raise ParameterError("mechanism", rule, type(self.mechanism))
        check_state(self.identity, state, KeptState)
        return mean_items(self.mechanism, state, None, level, largest)


def _number(text: str) -> int:
    """128 bits that are the same everywhere; uniform modulo any k, but for a share 2^-97."""
    return int.from_bytes(hashlib.shake_128(b"ldp_verified text\0" + text.encode()).digest(16))
