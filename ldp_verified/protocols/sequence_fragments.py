"""The sequence fragment puzzle: pieces of a value that a hash of the whole value marks.

Declared in `spec/protocols/sequence_fragments.py`. Every user sends two reports of local hashing at
half of epsilon: on the fragment at a public place together with the mark of the whole value, and on
the whole value. Fragments with one mark belong together; the second reports count what they make.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.found_and_counted import FoundAndCounted
from ldp_verified.protocols.grouped_state import GroupState
from ldp_verified.protocols.planned import share_of
from ldp_verified.protocols.predicted import EVEN, FALSE_ALARM, evenly_found
from ldp_verified.protocols.sign_rows import LARGEST_SEED
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.kernels.wide import MOST_EXTENSION, extension_supports, hashes
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Words = NDArray[np.uint64]

MOST_PIECE, MOST_MARKS = 16, 256
"""Bits of a fragment, and marks, at most: all pairs of both are looked at."""

KEPT = 64
"""Fragments that are kept at a place for each mark, and values that are put together for it."""


@dataclass(frozen=True)
class SequenceFragments(FoundAndCounted):
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0; each report has half of it.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        piece: bits of a fragment, a power of 2 up to 16; zeros fill up the last one.
        marks: the number T of marks, a power of 2 up to 256.
        seed: from which h is made, public and fixed before anybody reports.
        g: buckets of a hash, a power of 2 up to 256; None for the best up to 16, which the work of
            the server is proportional to.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    piece: int = 16
    marks: int = 256
    seed: int = 0
    g: int | None = None

    law_sha256: ClassVar[str] = "5ae775d3ae257b5d2b7fe984af1950e745f6ec7951b103ca7e4ed7238e53fca3"

    def __post_init__(self) -> None:
        """Check the parameters and settle the number of buckets."""
        self._check_values()
        for name, least, most in (("piece", 1, MOST_PIECE), ("marks", 2, MOST_MARKS)):
            number = check_integer(name, getattr(self, name), least, most)
            if number & (number - 1):
                raise ParameterError(name, "must be a power of 2", number)
            object.__setattr__(self, name, number)
        object.__setattr__(self, "seed", check_integer("seed", self.seed, 0, LARGEST_SEED))
        self._settle_buckets()

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        return {"g": self.buckets, "marks": self.marks, "piece": self.piece, "seed": self.seed}

    @property
    def levels(self) -> int:
        """The number of levels: one group for each place of a fragment."""
        return -(-self.width // self.piece)

    @property
    def mark_bits(self) -> int:
        """The logarithm of T."""
        return self.marks.bit_length() - 1

    @property
    def pair_bits(self) -> int:
        """Bits of a fragment with a mark."""
        return self.piece + self.mark_bits

    @cached_property
    def _function(self) -> Words:
        text = b"ldp_verified sequence fragments %d" % self.seed
        return np.frombuffer(hashlib.shake_128(text).digest(24), dtype="<u8").astype(np.uint64)

    def marks_of(self, encoded: Words) -> NDArray[np.int64]:
        """The mark h(x) of each value; two values share one with probability 1/T over h."""
        functions = np.broadcast_to(self._function, (len(encoded), 3))
        return hashes(functions, encoded, self.mark_bits)

    def fragments(self, encoded: Words, place: int) -> Words:
        """The fragment of each value at a place, as a number, uint64 (n,)."""
        begin = place * self.piece  # A fragment never goes over the middle.
        shift = np.uint64(64 - begin % 64 - self.piece)
        return encoded[:, begin // 64] >> shift & np.uint64((1 << self.piece) - 1)

    def inputs(self, encoded: Words, group: int) -> Words:
        """Fragment and mark as the first bits of a number; whole values where they are counted."""
        if group == self.levels:
            return encoded
        pair = self.fragments(encoded, group) << np.uint64(self.mark_bits)
        pair |= self.marks_of(encoded).astype(np.uint64)
        found = np.zeros_like(encoded)
        found[:, 0] = pair << np.uint64(64 - self.pair_bits)
        return found

    def detectable_share(self, n: int, miss: float = 1e-3) -> float:
        """A share of the users that a value needs to be found; `inf` where none is enough.

        Bernstein's inequality bounds sizes of groups and, given who is in them, what reports say. A
        value that stands out is left out only where more fragments of its mark stand out at a place
        than are kept.

        Args:
            n: number of users.
            miss: chance, at most, that such a value is missed, in (0, 1).

        Raises:
            ParameterError: n is no positive integer, or miss is not between 0 and 1.
        """
        m = self.level_users(self.check_plan(n, miss), miss / 2)
        miss /= 2
        if m == 0:
            return math.inf
        chance = miss / (2 * self.levels)
        worst = max(self.variance_absent, self.variance_held) + 0.25
        alarm = self.false_alarm(m, 1 << self.pair_bits, chance)
        return share_of((alarm + self._deviation(m, worst, chance)) / m)

    def predicted_share(self, n: int) -> float:
        """A share of the users that is found about every second time: no bound; `inf` if none is.

        At every place its pair of a fragment and a mark has to stand out, see `predicted`.

        Args:
            n: number of users.

        Raises:
            ParameterError: n is no positive integer.
        """
        users = self.check_plan(n, EVEN)
        m, chance = self._expected(users), FALSE_ALARM / self.levels
        place = self._outstanding(users, m, 1 << self.pair_bits, chance)
        return evenly_found([place._replace(times=self.levels)])


class FragmentState(GroupState):
    """Reports that were seen: 26 bytes each, two of a user.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: SequenceFragments, simulated: bool = False) -> None:
        check_kind("protocol", protocol, SequenceFragments)
        super().__init__(protocol, simulated)
        self.protocol = protocol

    def heavy_hitters(
        self, top: int = 16, *, keep: int = KEPT, false_alarm: float = 1e-3
    ) -> Estimate:
        """Values that many users hold, most frequent first.

        At each place the pairs of a fragment and a mark stand out whose support exceeds
        `false_alarm` of the protocol for all pairs at all places. For each mark, fragments of all
        places are put together, and a value is published if its own mark is that one and it is
        among the first `top`, ranked by its rarest fragment. The reports that count values have no
        say in what is published, so that counts are not biased by selection.

        Args:
            top: values, at most. keep: fragments that are kept at a place for each mark, and
                beginnings of values that are put together for it.
            false_alarm: the chance that a pair stands out that nobody holds. Fragments of several
                frequent values with one mark also make values that nobody holds, of which one in
                `marks` has that mark itself; their counts show it.

        Raises:
            ParameterError: an argument is out of range.
            ReportError: no report, a group without any, or nothing stands out; the message says how
                many users would do.
        """
        mine = self.protocol
        most = self._check_search(top, false_alarm)
        check_integer("keep", keep, 1, 1 << 12)
        begun: dict[int, list[tuple[float, int]]] = {}
        for place in range(mine.levels):
            pairs, shares = self.outstanding(place, false_alarm / mine.levels)
            here: dict[int, list[tuple[float, int]]] = {}
            for pair, share in zip(pairs.tolist(), shares.tolist(), strict=True):
                of_mark = here.setdefault(pair % mine.marks, [])
                if len(of_mark) < keep:  # The largest shares come first.
                    of_mark.append((share, pair >> mine.mark_bits))
            if place == 0:
                begun = here
                continue
            begun = {
                mark: sorted(
                    (
                        (min(rarest, share), value << mine.piece | fragment)
                        for rarest, value in begun[mark]
                        for share, fragment in fragments
                    ),
                    reverse=True,
                )[:keep]
                for mark, fragments in here.items()
                if mark in begun
            }
        made = sorted(((own, v, mark) for mark, all_ in begun.items() for own, v in all_))[::-1]
        return self._chosen(self._at_home([(value, mark) for _, value, mark in made])[:most])

    def _at_home(self, made: list[tuple[int, int]]) -> Words:
        """Return the values whose mark is that of their fragments, uint64 (m, 2)."""
        mine = self.protocol
        filled = 128 - mine.levels * mine.piece
        moved = [(value << filled, mark) for value, mark in made]
        found = np.array(
            [(value >> 64, value & (1 << 64) - 1) for value, _ in moved], dtype=np.uint64
        ).reshape(-1, 2)
        beyond = [value & (1 << 128 - mine.width) - 1 != 0 for value, _ in moved]
        marks = np.array([mark for _, mark in moved], dtype=np.int64)
        good = (mine.marks_of(found) == marks) & ~np.array(beyond, dtype=np.bool_)
        named = [place for place in np.flatnonzero(good) if mine.decode(found[place]) is not None]
        return found[named]

    def outstanding(self, place: int, chance: float) -> tuple[NDArray[np.int64], Floats]:
        """Pairs of a fragment and a mark that stand out at a place, the largest shares first.

        Args:
            place: of the fragment. chance: that one does which nobody holds.

        Returns:
            fragment * marks + mark, int64 (m,), and estimated shares of the users, float64 (m,).

        Raises:
            ReportError: the place has no report.
        """
        mine = self.protocol
        seeds, buckets = self.group(place)
        total, m = mine.pair_bits, len(seeds)
        begin = max(0, total - MOST_EXTENSION)
        least = mine.false_alarm(m, 1 << total, chance)
        parents = np.zeros((1 << begin, 2), dtype=np.uint64)
        if begin:
            parents[:, 0] = np.arange(1 << begin, dtype=np.uint64) << np.uint64(64 - begin)
        flat = extension_supports(seeds, buckets, parents, begin, total, mine.hash_bits).reshape(-1)
        found = np.flatnonzero(flat > least * mine.gain + m / mine.buckets)
        found = found[np.argsort(-flat[found], kind="stable")]
        return found, (flat[found] / m - 1 / mine.buckets) / mine.gain
