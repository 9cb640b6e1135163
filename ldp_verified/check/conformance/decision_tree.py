"""The exact output distribution of a sampling kernel, by running it on every word it may read.

At a small word width there are few words, so a kernel is a finite decision tree. Each node is a
sequence of words read so far, each edge one more word, each leaf a report. The probability of a
report is the share of the leaves below the root that give it. Nothing is sampled.

A kernel that rejects words has no finite tree. Rejection is recognised by what it does: after a
rejected word the kernel goes on exactly as it did before it, over all that is seen up to the
horizon. Then the rejected words are left out and the others renormalised. That it goes on like
that beyond the horizon is presumed; `ExactDistribution.unfinished` bounds what this can change.

A report must take all the words that it was not drawn without. One that is given back would be
the first of the next report, and the two not independent: such a leaf is not resolved.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from ldp_verified.errors import LdpError
from ldp_verified.run.kernels import compiled as numba_kernels
from ldp_verified.run.kernels.compiled import Compiled, compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import Sampler

MOST_LEAVES: Final = 1 << 22
"""Leaves after which the enumeration is given up."""

_UNFINISHED: Final = -1
_GIVEN_BACK: Final = -2

_KEPT_NODES: Final = 1 << 16
"""Nodes whose answers are remembered: some tens of MiB."""


@dataclass(frozen=True)
class ExactDistribution:
    """The exact distribution of a kernel's reports for one input.

    Attributes:
        probabilities: report (a tuple of its numbers) to probability; zero where absent.
        unresolved: 1 - sum of the probabilities: paths that had not finished at the horizon and
            were not seen to repeat themselves, or that finished but gave a word back. A comparison
            with a table is conclusive if it is 0.
        unfinished: mass of all paths that had not finished at the horizon, before rejected words
            were left out. No probability is off by more than this, whatever the kernel does
            beyond the horizon.
        leaves: how many sequences of words were followed to a report or to the horizon.
    """

    probabilities: Mapping[tuple[int, ...], Fraction]
    unresolved: Fraction
    unfinished: Fraction
    leaves: int


def exact_distribution(
    sampler: Sampler,
    value: int,
    horizon: int,
    *,
    words_at: Callable[[int], Sequence[int]] | None = None,
    machine_code: bool = False,
) -> ExactDistribution:
    """The distribution of one report of `value` over uniform independent words.

    Args:
        sampler: the kernel and its constants, at a small width.
        value: the private value.
        horizon: the most words that are followed, at least 1; for a kernel that rejects, one more
            than a report takes without rejection.
        words_at: the words tried at each position (each equally likely), from its index; all
            words of the sampler's width by default. One word alone pins a position, so that one
            independent factor is looked at while the others are held still.
        machine_code: whether the compiled form is run instead of the Python one, where there is
            numba.

    Raises:
        LdpError: if there are more than `MOST_LEAVES` leaves.
    """
    if words_at is None:
        every_word = np.arange(1 << sampler.word_bits, dtype=np.uint64)
        alphabets = [every_word] * horizon
    else:
        alphabets = [np.array(words_at(i), dtype=np.uint64) for i in range(horizon)]
    make = _MachineRuns if machine_code and numba_kernels.machine_code() else _PythonRuns
    tree = _Tree(make(sampler, value, alphabets), horizon)
    law = tree.law((), tree.codes(()))
    probabilities = {
        tree.runs.report(code): Fraction(p) / tree.sequences[0] for code, p in law.mass.items()
    }
    return ExactDistribution(
        probabilities=probabilities,
        unresolved=1 - sum(probabilities.values(), Fraction(0)),
        unfinished=Fraction(law.unfinished, tree.sequences[0]),
        leaves=tree.leaves,
    )


class _Runs(Protocol):
    """Running the kernel on all words that may follow a prefix."""

    def codes(self, prefix: tuple[int, ...]) -> NDArray[np.int64]:
        """A code of the report for each next word, `_UNFINISHED` where it needs more words.

        `_GIVEN_BACK` where a report was made that did not take all of them.
        """

    def alphabet(self, depth: int) -> NDArray[np.uint64]:
        """The words tried at a depth."""

    def report(self, code: int) -> tuple[int, ...]:
        """The report that a code stands for."""


class _PythonRuns:
    """The plain-Python kernel, one call for each word."""

    def __init__(
        self, sampler: Sampler, value: int, alphabets: Sequence[NDArray[np.uint64]]
    ) -> None:
        self._sampler = sampler
        self._value = value
        self._alphabets = alphabets
        self._reports: list[tuple[int, ...]] = []
        self._codes: dict[tuple[int, ...], int] = {}

    def alphabet(self, depth: int) -> NDArray[np.uint64]:
        return self._alphabets[depth]

    def codes(self, prefix: tuple[int, ...]) -> NDArray[np.int64]:
        codes = []
        sampler = self._sampler
        for word in self._alphabets[len(prefix)].tolist():
            out = [0] * sampler.columns
            words = (*prefix, word)
            done, used = sampler.fill([self._value], out, words, *sampler.constants)
            if not done:
                codes.append(_UNFINISHED)
            elif used != len(words):
                codes.append(_GIVEN_BACK)
            else:
                codes.append(self._code(tuple(out)))
        return np.array(codes, dtype=np.int64)

    def _code(self, report: tuple[int, ...]) -> int:
        code = self._codes.setdefault(report, len(self._reports))
        if code == len(self._reports):
            self._reports.append(report)
        return code

    def report(self, code: int) -> tuple[int, ...]:
        return self._reports[code]


class _MachineRuns:
    """The compiled kernel, all words in one call."""

    def __init__(
        self, sampler: Sampler, value: int, alphabets: Sequence[NDArray[np.uint64]]
    ) -> None:
        self._alphabets = alphabets
        self._columns = sampler.columns
        # Numbers of a report, written in this base, make its code.
        self._radix = 1 << min(8 * sampler.dtype.itemsize, 62 // sampler.columns)
        self._values = np.array([value], dtype=np.uint64 if sampler.unsigned else np.int64)
        self._out = np.zeros(sampler.columns, dtype=sampler.dtype)
        self._words = np.zeros(len(alphabets), dtype=np.uint64)
        self._cuts, self._sizes = sampler.arrays
        fill: Any = sampler.fill
        self._run = _runner(fill)

    def alphabet(self, depth: int) -> NDArray[np.uint64]:
        return self._alphabets[depth]

    def codes(self, prefix: tuple[int, ...]) -> NDArray[np.int64]:
        self._words[: len(prefix)] = prefix
        codes = np.empty(len(self._alphabets[len(prefix)]), dtype=np.int64)
        within = self._run(
            self._values,
            self._out,
            self._words[: len(prefix) + 1],
            self._alphabets[len(prefix)],
            self._cuts,
            self._sizes,
            self._radix,
            codes,
        )
        if not within:
            rule = f"must have numbers below {self._radix} to be enumerated in machine code"
            raise LdpError("report", rule, self._out.tolist())
        return codes

    def report(self, code: int) -> tuple[int, ...]:
        numbers = []
        for _ in range(self._columns):
            code, number = divmod(code, self._radix)
            numbers.append(number)
        return tuple(reversed(numbers))


@functools.cache
def _runner(fill: Any) -> Compiled[..., bool]:
    """A compiled loop that runs a kernel with each word of an alphabet in the last place."""
    compiled_fill = compiled(fill).dispatcher

    def run_on_each(
        values: NDArray[np.int64 | np.uint64],
        out: NDArray[Any],
        words: NDArray[np.uint64],
        alphabet: NDArray[np.uint64],
        cuts: NDArray[np.uint64],
        sizes: NDArray[np.int64],
        radix: int,
        codes: NDArray[np.int64],
    ) -> bool:
        for i in range(len(alphabet)):
            words[-1] = alphabet[i]
            done, used = compiled_fill(values, out, words, cuts, sizes)
            code = np.int64(_UNFINISHED)
            if done == 1 and used != len(words):
                code = np.int64(_GIVEN_BACK)
            elif done == 1:
                code = np.int64(0)
                for column in range(len(out)):
                    number = np.int64(out[column])
                    if number < 0 or number >= radix:
                        return False
                    code = code * radix + number
            codes[i] = code
        return True

    return Compiled(run_on_each, cache=False)


@dataclass(frozen=True)
class _Law:
    """Masses below a node, given that it is reached, in units of 1 / (word sequences below it).

    They are integers unless rejected words were left out below.
    """

    mass: dict[int, int | Fraction]
    unfinished: int


class _Tree:
    """Depth-first walk that keeps the nodes it visited last, not the whole tree."""

    def __init__(self, runs: _Runs, horizon: int) -> None:
        self.runs = runs
        self.horizon = horizon
        self.leaves = 0
        sizes = [len(runs.alphabet(depth)) for depth in range(horizon)]
        # Looking for repetition visits a node once for each node above it.
        self.codes = functools.lru_cache(_KEPT_NODES)(self._codes)
        self.sequences = [math.prod(sizes[depth:]) for depth in range(horizon + 1)]

    def _codes(self, node: tuple[int, ...]) -> NDArray[np.int64]:
        """The kernel's answers to each word that may follow."""
        codes = self.runs.codes(node)
        inner = np.count_nonzero(codes == _UNFINISHED) if len(node) + 1 < self.horizon else 0
        self.leaves += len(codes) - int(inner)
        if self.leaves > MOST_LEAVES:
            raise LdpError("width", f"must leave no more than {MOST_LEAVES} leaves to enumerate")
        return codes

    def law(self, node: tuple[int, ...], codes: NDArray[np.int64]) -> _Law:
        """The law below a node, whose words do not suffice for a report."""
        unit = self.sequences[len(node) + 1]
        mass: dict[int, int | Fraction] = {
            code: count * unit for code, count in _counts(codes) if code >= 0
        }
        if len(node) + 1 == self.horizon:
            return _Law(mass, int(np.count_nonzero(codes == _UNFINISHED)))
        alphabet = self.runs.alphabet(len(node))
        kept = len(alphabet)
        unfinished = 0
        for word in alphabet[codes == _UNFINISHED].tolist():
            child = (*node, word)
            below = self.codes(child)
            law = self.law(child, below)
            unfinished += law.unfinished
            if law.unfinished and self.repeats(node, codes, child, below):
                kept -= 1
                continue
            for code, share in law.mass.items():
                mass[code] = mass.get(code, 0) + share
        if 0 < kept < len(alphabet):
            mass = {code: share * Fraction(len(alphabet), kept) for code, share in mass.items()}
        return _Law(mass, unfinished)

    def repeats(
        self,
        node: tuple[int, ...],
        codes: NDArray[np.int64],
        child: tuple[int, ...],
        below: NDArray[np.int64],
    ) -> bool:
        """Return whether the tree below `child`, up to the horizon, is that below `node`."""
        if not np.array_equal(codes, below):
            return False
        if len(child) + 1 == self.horizon:
            return True
        words = self.runs.alphabet(len(node))[codes == _UNFINISHED].tolist()
        pairs = (((*node, word), (*child, word)) for word in words)
        return all(self.repeats(a, self.codes(a), b, self.codes(b)) for a, b in pairs)


def _counts(codes: NDArray[np.int64]) -> Iterable[tuple[int, int]]:
    if len(codes) < 256:  # numpy's overhead would count
        return Counter(codes.tolist()).items()
    different, counts = np.unique(codes, return_counts=True)
    return zip(different.tolist(), counts.tolist(), strict=True)
