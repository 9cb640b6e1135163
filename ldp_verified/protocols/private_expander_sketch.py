"""PrivateExpanderSketch: heavy hitters by a code that names each place's neighbours in an expander.

Declared in `spec/protocols/private_expander_sketch.py`. A user of a place reports one sign of their
value's entry there: its part, its cell, the cells at the three partners of the place, and a symbol
of its codeword. Entries that name each other hang together, and what hangs together is one value,
also where some places came out wrong: the graph is an expander, and the code mends the symbols.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.coded_bits import MOST_CORRECTED
from ldp_verified.protocols.collisions import bernstein
from ldp_verified.protocols.planned import share_of
from ldp_verified.protocols.predicted import EVEN, evenly_found, noise_reaches, stage_of
from ldp_verified.protocols.sign_rows import LARGEST_SEED, SignRows, check_rows
from ldp_verified.protocols.sketch_counts import SketchCounts, Sketched
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.kernels.bch import BCH, LONGEST
from ldp_verified.run.kernels.expander import DEGREE, FEWEST, clusters, cubic_expander
from ldp_verified.run.kernels.wide import MOST_SHARED, extension_supports, hashes, value_supports
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Words = NDArray[np.uint64]

SYMBOL_BITS: Final = 4
"""Bits of the codeword at each place."""


@dataclass(frozen=True)
class PrivateExpanderSketch(Sketched):
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        parts: the number B of parts that values are spread over first, a power of 2.
        cells: the number Y of cells at each place, a power of 2 from 2 on: parts times cells^4 is
            at most 2^20, for the server looks at 16 symbols for each of them.
        corrects: wrong bits of a codeword that are corrected, 0..18; None for as many as parity
            bits do that are no more than twice the bits of a value.
        rows, columns: of Hashtogram; columns are a power of 2, and both together at most 2^20 bits
            that a user who counts may be asked.
        seed: from which the graph and all functions are made, public and fixed before anybody
            reports.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    parts: int = 16
    cells: int = 16
    corrects: int | None = None
    rows: int = 16
    columns: int = 1 << 15
    seed: int = 0

    fewest_cells: ClassVar[int] = 2
    """The least number of cells: with one there is nothing to list."""
    law_sha256: ClassVar[str] = "9e797cc8423a538fce55cdde2111828bc514d89a0e443bfa549c8f4be8b8fea1"

    def __post_init__(self) -> None:
        """Check the parameters, and choose the code."""
        self._check_values()
        most = 1 << (MOST_SHARED - SYMBOL_BITS)
        sizes = ("parts", self.parts, 1, 1), ("cells", self.cells, self.fewest_cells, DEGREE + 1)
        for name, given, least, times in sizes:
            number = check_integer(name, given, least, most)
            if number & (number - 1):
                raise ParameterError(name, "must be a power of 2", number)
            if number**times > most:
                raise ParameterError(name, f"must have a power of {times} up to 2^20", number)
            object.__setattr__(self, name, number)
        if self.entry_bits > MOST_SHARED:
            rule = f"must be at most 2^20 with the cells to the fourth, which are {self.cells}"
            raise ParameterError("parts", rule, self.parts)
        rows, columns = check_rows(self.rows, self.columns)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "seed", check_integer("seed", self.seed, 0, LARGEST_SEED))
        if self.corrects is None:
            fits = (t for t in range(MOST_CORRECTED, -1, -1) if self._fits(t))
            object.__setattr__(self, "corrects", next(fits))
        most = check_integer("corrects", self.corrects, 0, MOST_CORRECTED)
        object.__setattr__(self, "corrects", most)
        if self.code.length > LONGEST:
            rule = f"must leave a codeword of at most {LONGEST} bits"
            raise ParameterError("corrects", rule, most)
        self._randomizer  # noqa: B018  (what cannot be realized is refused here)

    def _fits(self, corrects: int) -> bool:
        parity = BCH(self.width, corrects).parity_bits
        return parity <= min(2 * self.width, LONGEST - self.width)

    @cached_property
    def code(self) -> BCH:
        """The code of values."""
        assert self.corrects is not None
        return BCH(self.width, self.corrects)

    @property
    def buckets(self) -> int:
        """A report is one sign."""
        return 2

    @property
    def levels(self) -> int:
        """One group for each place: an even number of them, 4 or more, with all of a codeword."""
        places = -(-self.code.length // SYMBOL_BITS)
        return max(FEWEST, places + places % 2)

    @property
    def part_bits(self) -> int:
        """The logarithm of B."""
        return self.parts.bit_length() - 1

    @property
    def cell_bits(self) -> int:
        """The logarithm of Y."""
        return self.cells.bit_length() - 1

    @property
    def rest_bits(self) -> int:
        """Bits of what an entry says beyond its part and cell: three cells and a symbol."""
        return DEGREE * self.cell_bits + SYMBOL_BITS

    @property
    def entry_bits(self) -> int:
        """Bits of an entry: part, cell, the partners' cells, symbol."""
        return self.part_bits + self.cell_bits + self.rest_bits

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        assert self.corrects is not None
        return {
            "cells": self.cells,
            "columns": self.columns,
            "corrects": self.corrects,
            "parts": self.parts,
            "rows": self.rows,
            "seed": self.seed,
        }

    @cached_property
    def hashtogram(self) -> SignRows:
        """The public rows of those who count."""
        return SignRows(self.rows, self.columns, b"private expander sketch %d" % self.seed)

    @cached_property
    def partners(self) -> Ints:
        """The public graph: the partner of each place in three matchings, int64 (3, places)."""
        return cubic_expander(self.levels, b"%d" % self.seed, self.mended)

    @cached_property
    def _functions(self) -> Words:
        """The function of each place to cells, and the one to parts, uint64 (places + 1, 3)."""
        text = b"ldp_verified private expander sketch %d" % self.seed
        drawn = hashlib.shake_128(text).digest(24 * (self.levels + 1))
        found = np.frombuffer(drawn, dtype="<u8").astype(np.uint64).reshape(-1, 3)
        found.setflags(write=False)
        return found

    def _hashed(self, encoded: Words, which: int, bits: int) -> Words:
        function = np.broadcast_to(self._functions[which], (len(encoded), 3))
        return hashes(function, encoded, bits).astype(np.uint64)

    def cells_at(self, encoded: Words, place: int) -> Words:
        """The cell of each value at a place, uint64 (n,)."""
        return self._hashed(encoded, place, self.cell_bits)

    def symbols_at(self, encoded: Words, place: int) -> Words:
        """The bits of each value's codeword at a place, uint64 (n,); 0 beyond its end."""
        found = np.zeros(len(encoded), dtype=np.uint64)
        for bit in range(SYMBOL_BITS * place, SYMBOL_BITS * (place + 1)):
            found <<= np.uint64(1)
            if bit < self.code.length:
                found |= self.code.bits(encoded, bit).astype(np.uint64)
        return found

    def entries_at(self, encoded: Words, place: int) -> Words:
        """The entry of each value at a place, a number of `entry_bits` bits, uint64 (n,)."""
        found = self._hashed(encoded, self.levels, self.part_bits)
        for at in (place, *self.partners[:, place].tolist()):
            found = found << np.uint64(self.cell_bits) | self.cells_at(encoded, at)
        return found << np.uint64(SYMBOL_BITS) | self.symbols_at(encoded, place)

    def inputs(self, encoded: Words, group: int) -> Words:
        """The entry as the first bits of a number; whole values in the group that counts."""
        if group == self.levels:
            return encoded
        found = np.zeros_like(encoded)
        found[:, 0] = self.entries_at(encoded, group) << np.uint64(64 - self.entry_bits)
        return found

    @property
    def mended(self) -> int:
        """Places that may be wrong: without them the graph cuts off no more others.

        Places that do not hang together with the others are missing, which costs the code half of
        what a wrong one does. A wrong entry that names its neighbours back by chance may take the
        place of a right one. With three values of 32 bits, 4 parts of 8 cells and so many wrong
        places, 7 of 10,000 trials lost a value; with one less, none of 3,000 did.
        """
        assert self.corrects is not None
        return self.corrects // SYMBOL_BITS

    def detectable_share(self, n: int, miss: float = 1e-3) -> float:
        """A share of the users that a value needs to be found; `inf` where none is enough.

        It bounds the chance of a miss for a value that is alone in its cells, whatever values of
        other cells users hold. By a union over all places and all that an entry may say, no place
        is wrong but for that chance. Then each entry names the others of the value and no more.
        These hang together, as the graph does. No other entry hangs with them, as they do not name
        it back. So the codeword is read without a wrong symbol, and what the code mends is left
        for values that share cells. That others are in a cell, with a chance of 1/(parts cells)
        each over the functions, is left out.

        Args:
            n: number of users.
            miss: chance, at most, that such a value is missed, in (0, 1), at a `false_alarm` that
                is no smaller. A half is of the sizes of groups, an eighth of the holders in them.

        Raises:
            ParameterError: n is no positive integer, or miss is not between 0 and 1.
        """
        m = self.level_users(self.check_plan(n, miss), miss / 2)
        if m == 0:
            return math.inf
        total, spread, most = m * self.levels, 0.25 / self.gain**2, 1 / self.gain
        part = miss / (8 * self.levels)
        drawn = bernstein(m, 0.25, 1.0, part) / m
        own = bernstein(m, spread, most, part)
        others = bernstein(m, spread, most, part / (1 << self.rest_bits))
        every = self.false_alarm(total, 1 << self.width, miss)
        every += bernstein(total, spread, most, miss / 8)
        return share_of(drawn + max((own + others) / m, every / total))

    def predicted_share(self, n: int) -> float:
        """A share of the users that is found about every second time: no bound; `inf` if none is.

        At each place the entry has to outrank all others of its cell, `mended` places aside, and
        the sum over all places has to stand out as published, see `predicted`. Wrong places are
        missing for the most part, and the code mends more of these: a value of that share was found
        in about three of four runs.

        Args:
            n: number of users.

        Raises:
            ParameterError: n is no positive integer.
        """
        users = self.check_plan(n, EVEN)
        reach = noise_reaches(1, 1 << self.rest_bits)
        m = self._expected(users)
        place = stage_of(users, m, self._variances, reach=reach, times=self.levels)
        return evenly_found([place, self._all_levels(users)], self.mended)


class PrivateExpanderSketchState(SketchCounts):
    """Reports that were seen: 26 bytes each.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: PrivateExpanderSketch, simulated: bool = False) -> None:
        check_kind("protocol", protocol, PrivateExpanderSketch)
        super().__init__(protocol, simulated)
        self.protocol: PrivateExpanderSketch = protocol

    def heavy_hitters(self, top: int = 16, *, false_alarm: float = 1e-3) -> Estimate:
        """Values that many users hold, most frequent first.

        The value of a cluster is published if half of the places agree with its entries and it is
        among the first `top`. The support of its entries, over all places, must exceed
        `false_alarm` of the protocol for all values of the domain. The reports that count values
        have no say in what is published, so that counts are not biased by selection.

        Args:
            top: values, at most.
            false_alarm: the chance of publishing a value of whose entries nobody holds any.

        Raises:
            ParameterError: an argument is out of range.
            ReportError: no report, a group without any, or nothing stands out; the message says how
                many users would do.
        """
        mine = self.protocol
        most = self._check_search(top, false_alarm)
        candidates = self.decoded(self.lists())
        inside, m = np.zeros(len(candidates), dtype=np.int64), 0
        for place in range(mine.levels):
            seeds, buckets = self.group(place)
            inside += value_supports(seeds, buckets, mine.inputs(candidates, place), 1)
            m += len(seeds)
        counts = (inside - m / 2) / mine.gain
        found = np.flatnonzero(counts > mine.false_alarm(m, 1 << mine.width, false_alarm))
        best = found[np.argsort(-counts[found], kind="stable")][:most]
        return self._chosen(candidates[best])

    def lists(self) -> Ints:
        """The likeliest rest of an entry at each place, for each part and cell.

        Returns:
            int64 (places, parts cells): three cells and a symbol, as a number of `rest_bits` bits.

        Raises:
            ReportError: a place has no report.
        """
        mine = self.protocol
        root = np.zeros((1, 2), dtype=np.uint64)
        found = np.empty((mine.levels, mine.parts * mine.cells), dtype=np.int64)
        for place in range(mine.levels):
            seeds, buckets = self.group(place)
            supports = extension_supports(seeds, buckets, root, 0, mine.entry_bits, 1)
            found[place] = supports.reshape(found.shape[1], -1).argmax(axis=1)
        return found

    def decoded(self, lists: Ints) -> Words:
        """The values that lists of entries hold, each once, uint64 (m, 2).

        Args:
            lists: as of `lists`, from reports or from anywhere.
        """
        mine = self.protocol
        words = []
        for own in self.clusters_of(lists):
            places, entries = np.divmod(own, lists.shape[1])
            symbols = lists[places, entries] & ((1 << SYMBOL_BITS) - 1)
            bits = symbols[:, None] >> np.arange(SYMBOL_BITS - 1, -1, -1) & 1
            # A place that does not hang is missing: of two fills one has half of its bits right.
            # One that hangs by a single edge may be a wrong one, and so is missing in two words.
            inside = mine.partners[:, places]
            firm = np.isin(inside, places).sum(axis=0) > 1
            for kept in (firm | True, firm):
                for fill in (0, 1):
                    word = np.full((mine.levels, SYMBOL_BITS), fill, dtype=np.uint8)
                    word[places[kept]] = bits[kept]
                    words.append(word.reshape(-1)[: mine.code.length])
        if not words:
            return np.zeros((0, 2), dtype=np.uint64)
        values, good = mine.code.decoded(np.array(words))
        values = np.unique(values[good], axis=0)
        agree = np.zeros(len(values), dtype=np.int64)
        for place in range(mine.levels):
            entries = mine.entries_at(values, place).astype(np.int64)
            cell, rest = np.divmod(entries, 1 << mine.rest_bits)
            agree += lists[place, cell] == rest
        return values[2 * agree >= mine.levels]

    def clusters_of(self, lists: Ints) -> list[Ints]:
        """Entries that name each other, taken apart into one for each place.

        Args:
            lists: as of `lists`.

        Returns:
            The entries of each cluster, int64, as numbers: place parts cells + part cells + cell.
        """
        mine = self.protocol
        each = lists.shape[1]
        entry = np.arange(each)
        part, cell = np.divmod(entry, mine.cells)
        edges = []
        for edge in range(DEGREE):
            shift = SYMBOL_BITS + mine.cell_bits * (DEGREE - 1 - edge)
            named = lists >> shift & (mine.cells - 1)
            partner = mine.partners[edge]
            there = part * mine.cells + named
            back = named[partner[:, None], there]
            at, number = np.nonzero(back == cell)
            pairs = np.stack([at * each + number, partner[at] * each + there[at, number]], axis=1)
            edges.append(pairs[pairs[:, 0] < pairs[:, 1]])
        linked = np.concatenate(edges)
        places = np.repeat(np.arange(mine.levels), each)
        return list(clusters(np.unique(linked), linked, places, mine.levels // 2))
