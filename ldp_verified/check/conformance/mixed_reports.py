"""Classes of reports about what is drawn and not said: an item of a set, or which part is no fake.

A mixture says with which chances the parts of a report come how. Probabilities are those of the
tables of the parts, and nothing here looks at a program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import lcm, prod
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.conformance.decode import BitDecoder, HashDecoder, ValueDecoder, decoder
from ldp_verified.check.conformance.frequencies import (
    MOST_OUTPUTS,
    MOST_VALUES,
    FrequencyTally,
    partition,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.analysis.expectation import Expectation
    from ldp_verified.check.conformance.decode import Codes, Decoder, Reports
    from ldp_verified.check.conformance.sent_reports import Read

Inputs = Mapping[int, Fraction]
"""The chance of each input of a mechanism, of those that it can have."""


@dataclass(frozen=True, eq=False)
class DrawnPart:
    """A mechanism whose input is drawn.

    Attributes:
        expected: its table. inputs: the chance of each input.
    """

    expected: Expectation
    inputs: Inputs

    def support(self, v: int) -> Fraction:
        """P(a report supports v)."""
        p_star, q_star = self.expected.support
        own = self.inputs.get(v, Fraction(0))
        return q_star + (p_star - q_star) * own

    def both(self, v: int, w: int) -> Fraction:
        """P(bits v and w are 1), of independent bits."""
        one, zero = self.expected.cells
        own = self.inputs.get(v, Fraction(0)) + self.inputs.get(w, Fraction(0))
        return zero * (one * own + zero * (1 - own))

    @cached_property
    def read(self) -> Decoder:
        """The decoder of the part's reports."""
        return decoder(self.expected)

    @cached_property
    def outputs(self) -> tuple[Fraction, ...] | None:
        """The chance of each report; None where there are too many."""
        every = self.read.every_report(MOST_OUTPUTS)
        if every is None:
            return None
        whole = lcm(*(share.denominator for share in self.inputs.values()))
        weights = np.zeros(len(every), dtype=np.int64)
        for x, share in self.inputs.items():
            weights += self.read.supports(every, x) * int(share * whole)
        supported = [Fraction(weight, whole) for weight in weights.tolist()]
        if not isinstance(self.read, BitDecoder):
            inside, outside = self.expected.cells
            return tuple(outside + (inside - outside) * share for share in supported)
        # All bits as if none were held, and then what the bit that is held makes of it.
        one, zero = self.expected.cells
        held, not_held = one / zero, (1 - one) / (1 - zero)
        ones = np.bitwise_count(every[:, 0]).tolist()
        base = [zero**n * (1 - zero) ** (self.expected.k - n) for n in range(self.expected.k + 1)]
        return tuple(
            base[n] * (held * share + not_held * (1 - share))
            for n, share in zip(ones, supported, strict=True)
        )


Mixture = Sequence[tuple[Fraction, Sequence[DrawnPart]]]
"""Chances, and the parts of a report where it comes so: of one number and layout in all."""


def mixed_tallies(
    mixture: Mixture, reads: Sequence[Read], looked_at: Sequence[Sequence[int]]
) -> list[FrequencyTally]:
    """Reports of each part, which values any two of them support, and whole reports if few.

    Args:
        mixture: of the reports. reads: from rows to the reports of each part.
        looked_at: values of each part, the one that is held first.
    """
    kinds: dict[str, list[tuple[int, FrequencyTally]]] = {}
    for j, values in enumerate(looked_at):
        for tally in _of_part([(chance, parts[j]) for chance, parts in mixture], values):
            kinds.setdefault(tally.kind, []).append((j, tally))
    found = []
    for kind, parts in kinds.items():
        labels = [f"part {j}, {label}" for j, tally in parts for label in tally.labels]
        masses = tuple(mass for _, tally in parts for mass in tally.probabilities)
        found.append(FrequencyTally(kind, labels, masses, _joined(reads, parts)))
    if len(reads) > 1:
        found.append(_pairs_of_parts(mixture, reads, [values[0] for values in looked_at]))
        found += _whole(mixture, reads)
    return found


def _joined(
    reads: Sequence[Read], parts: Sequence[tuple[int, FrequencyTally]]
) -> Callable[[NDArray[np.uint64]], Codes]:
    return lambda rows: np.concatenate([tally.count(reads[j](rows)) for j, tally in parts])


def _of_part(
    shares: Sequence[tuple[Fraction, DrawnPart]], values: Sequence[int]
) -> list[FrequencyTally]:
    """The reports of one part: single ones if few, and what the state counts."""
    first = shares[0][1]
    read, found = first.read, list[FrequencyTally]()
    outputs = [part.outputs for _, part in shares]
    if first.outputs is not None:
        chances = [chance for chance, _ in shares]
        rows = [each for each in outputs if each is not None]
        masses = [
            sum((c * m for c, m in zip(chances, each, strict=True)), Fraction(0))
            for each in zip(*rows, strict=True)
        ]
        names = [f"report {y}" for y in range(len(masses))]
        found.append(partition("single outputs", names, masses, read.codes))
        if isinstance(read, ValueDecoder):
            return found
    chosen = tuple(dict.fromkeys(values))[:MOST_VALUES]
    support = tuple(sum((c * part.support(v) for c, part in shares), Fraction(0)) for v in chosen)
    labels = [f"supports {v}" for v in chosen]
    counted = _valid_too(read, lambda reports: read.support_counts(reports, chosen))
    masses_and_none = (*support, Fraction(0))
    found.append(
        FrequencyTally("support of values", [*labels, "no valid report"], masses_and_none, counted)
    )
    if isinstance(read, BitDecoder):
        pairs = [*combinations(chosen[:_BITS], 2)]
        both = tuple(
            sum((c * part.both(v, w) for c, part in shares), Fraction(0)) for v, w in pairs
        )
        names = [f"bits {v} and {w}" for v, w in pairs]
        found.append(FrequencyTally("pairs of bits", names, both, _both_counted(read, pairs)))
    if isinstance(read, HashDecoder) and first.outputs is None:
        found.append(_coefficients(read))
    return found


_BITS = 8
"""Bits of which all pairs are looked at."""


def _valid_too(read: Decoder, count: Callable[[Reports], Codes]) -> Callable[[Reports], Codes]:
    """Count what is no report as the last class."""
    return lambda reports: np.append(count(reports), np.count_nonzero(~read.valid(reports)))


def _both_counted(read: BitDecoder, pairs: Sequence[tuple[int, int]]) -> Callable[[Reports], Codes]:
    def count(reports: Reports) -> Codes:
        ones = {v: read.supports(reports, v) for pair in pairs for v in pair}
        found = [np.count_nonzero(ones[v] & ones[w]) for v, w in pairs]
        return np.array(found, dtype=np.int64)

    return count


def _coefficients(read: HashDecoder) -> FrequencyTally:
    """Each coefficient of a hash function has each value as often as any other."""
    g, digits = read.g, read.digits
    labels = [f"coefficient {i} is {c}" for i in range(digits) for c in range(g)]

    def count(reports: Reports) -> Codes:
        each = [np.bincount(reports[:, i].astype(np.int64), minlength=g)[:g] for i in range(digits)]
        return np.concatenate(each)

    return FrequencyTally("coefficients", labels, (Fraction(1, g),) * len(labels), count)


def _pairs_of_parts(mixture: Mixture, reads: Sequence[Read], held: Sequence[int]) -> FrequencyTally:
    """Count how often each two parts both support what is held in them."""
    pairs = [*combinations(range(len(reads)), 2)]
    decoders = [part.read for part in mixture[0][1]]
    masses = tuple(
        sum(
            (c * parts[i].support(held[i]) * parts[j].support(held[j]) for c, parts in mixture),
            Fraction(0),
        )
        for i, j in pairs
    )

    def count(rows: NDArray[np.uint64]) -> Codes:
        flags = [decoders[j].supports(read(rows), held[j]) for j, read in enumerate(reads)]
        found = [np.count_nonzero(flags[i] & flags[j]) for i, j in pairs]
        return np.array(found, dtype=np.int64)

    labels = [f"parts {i} and {j} support what is held" for i, j in pairs]
    return FrequencyTally("support in two parts", labels, masses, count)


def _whole(mixture: Mixture, reads: Sequence[Read]) -> list[FrequencyTally]:
    """Whole reports one by one, if they are few."""
    every = [[part.outputs for part in parts] for _, parts in mixture]
    sizes = [len(each or ()) for each in every[0]]
    if not 0 < prod(sizes) <= MOST_OUTPUTS:
        return []
    decoders = [part.read for part in mixture[0][1]]
    masses = [
        sum(
            (
                chance
                * prod(
                    (own[y] for own, y in zip(parts, places, strict=True) if own), start=Fraction(1)
                )
                for (chance, _), parts in zip(mixture, every, strict=True)
            ),
            Fraction(0),
        )
        for places in product(*map(range, sizes))
    ]
    names = [f"report {places}" for places in product(*map(range, sizes))]

    def codes(rows: NDArray[np.uint64]) -> Codes:
        total = np.zeros(len(rows), dtype=np.int64)
        for size, read, reader in zip(sizes, reads, decoders, strict=True):
            own = reader.codes(read(rows))
            total = np.where((own < 0) | (own >= size) | (total < 0), -1, total * size + own)
        return total

    return [partition("whole reports", names, masses, codes)]
