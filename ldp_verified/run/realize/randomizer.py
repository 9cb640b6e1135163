"""Base of every mechanism: from private values to reports, and from reports to estimates.

A generated class supplies formulas; a form (matrix, singletons, one-hot bits, hashed buckets,
blocks) binds them to sizes, rounds and draws; `ClaimedTable` holds it to the claim. What is left
for the public methods is here, with the checks around them.
"""

from __future__ import annotations

import functools
import itertools
from abc import abstractmethod
from contextlib import contextmanager
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex, cast

import numpy as np

from ldp_verified.errors import DomainError, ReportError, check_kind
from ldp_verified.run.aggregate.identity import Identity, Scalar
from ldp_verified.run.aggregate.oracle import OfValues, Oracle
from ldp_verified.run.aggregate.reports import Reports, batches_of, split
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.kernels.randomness import SecureWords
from ldp_verified.run.kernels.seeds import block_sources, word_source
from ldp_verified.run.kernels.threads import draw_in_threads, share_out
from ldp_verified.run.realize.parameters import LARGEST_K, check_integer
from ldp_verified.run.realize.simulate import checked_counts, float_binomial, refuse_unknown
from ldp_verified.run.realize.tables.claimed_table import ClaimedTable
from ldp_verified.run.realize.values import (
    Categories,
    Label,
    check_categories,
    digest_of,
    encode,
    index_of,
    is_integer_array,
    rule_of,
    value_array,
)
from ldp_verified.run.realize.vouched import Vouched

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.layouts import Layout
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.simulate import Binomial, Counts
    from ldp_verified.run.realize.tables.realization import Realization
    from ldp_verified.run.realize.value_types import UserValues

    Rng = SupportsIndex | np.random.Generator | WordSource | None
    """What `rng=` takes: None for the secure source; else a seed, a generator or a word source."""

SIMULATED_AT_A_TIME = 1 << 16
"""Users at a time where a simulation draws every report."""


class Randomizer(Vouched, ClaimedTable, OfValues):
    """An immutable local randomizer whose probabilities are known exactly.

    Attributes:
        categories: the labels of 0..k-1, or None.
        own_labels: the table's own domain where that is not 0..k-1; replaced by `categories`.
        name: the spec's name.
        law_sha256: sha256 of the spec's law (`Mechanism.law_hash`), in hex.
    """

    categories: Categories | None

    own_labels: ClassVar[tuple[Label, ...] | None] = None
    name: ClassVar[str]
    law_sha256: ClassVar[str]

    @abstractmethod
    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampling kernel with its constants.

        Args:
            realization: one of `realizations(width)`; None for the one in use.
        """

    @property
    @abstractmethod
    def layout(self) -> Layout:
        """How reports lie in an array."""

    @property
    @abstractmethod
    def bits_per_report(self) -> int:
        """Bits needed to write one report, without the padding of the array layout."""

    @abstractmethod
    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table, exactly."""

    def __post_init__(self) -> None:
        """Check the parameters, round the table, check the realized epsilon against the claim.

        Raises:
            ParameterError: a parameter is outside its domain, or no realization keeps the gap
                within its bound.
        """
        super().__post_init__()
        if self.categories is not None:
            object.__setattr__(self, "categories", check_categories(self.categories, self.k))

    @property
    def labels(self) -> tuple[Label, ...] | range:
        """Return the labels of 0..k-1, in order."""
        return self._given_labels or range(self.k)

    @property
    def _given_labels(self) -> tuple[Label, ...] | None:
        """The labels of `categories`, or the table's own; None where values are 0..k-1."""
        return self.categories if isinstance(self.categories, tuple) else self.own_labels

    @cached_property
    def _index(self) -> Mapping[Label, int] | None:
        return index_of(self._given_labels, own=self.categories is None)

    def _encoded(self, values: Any) -> NDArray[np.integer[Any]]:
        own = None if self.categories is not None else self.own_labels
        return encode(values, self.k, self._index, rule_of(own))

    @cached_property
    def _sampler(self) -> Sampler:
        return self.sampler()

    # --- client ------------------------------------------------------------------------------

    def privatize(self, values: UserValues, rng: Rng = None) -> Reports:
        """Randomize one value, or a one-dimensional array-like of values, one report each.

        Args:
            values: some of `labels`, which are 0..k-1 for most. Where they are the table's own, -1
                and 1 say, their indices are taken too if none of them has two meanings.
            rng: None for the secure source (AES-256-CTR keyed by the operating system). A seed or
                numpy Generator is for simulation: the reports are marked and protect nobody. They
                are independent of data that were drawn from the same seed or generator. Each call
                with a seed draws the same: give several seeds, or one generator.

        Raises:
            DomainError: a value is outside the domain or of the wrong type; nothing is drawn then.
            ParameterError: `rng` is something else.
        """
        indices = self._encoded(values)
        domain = ("privatize", *self.identity.named)
        source = SecureWords() if rng is None else word_source(rng, *domain)
        data = self._sampler.draw(indices, source, in_range=True)
        return Reports(data, self.identity, bool(source.simulated))

    def privatize_in_threads(
        self,
        values: UserValues,
        threads: int,
        rng: SupportsIndex | np.random.Generator | None = None,
    ) -> Reports:
        """Randomize a large batch with several threads, each of which has a source of its own.

        The reports of a seed are the same whatever the number of threads; they are not those of
        `privatize`, which reads one stream of words.

        Args:
            values: as in `privatize`.
            threads: how many, at least 1.
            rng: None for the secure source; a seed or a numpy Generator, under which each block of
                2^16 values has a stream of its own.

        Raises:
            DomainError: a value is outside the domain or of the wrong type; no report of any value
                is given then. Each thread looks at a block of values before it draws its reports.
            ParameterError: `threads` is no such number, `rng` something else.
        """
        check_integer("threads", threads, 1, LARGEST_K)
        unseen = self._index is None and is_integer_array(values)
        indices = cast("NDArray[Any]", values) if unseen else self._encoded(values)
        try:
            data = draw_in_threads(
                self._sampler, indices, rng, int(threads), not unseen, self.identity.named
            )
        except DomainError:
            self._encoded(values)  # says which value it is
            raise
        return Reports(data, self.identity, rng is not None)

    def privatize_stream(self, chunks: Iterable[UserValues], rng: Rng = None) -> Iterator[Reports]:
        """Randomize chunk after chunk from one source, with one chunk at a time in memory.

        Args:
            chunks: an iterable of what `privatize` takes; memory grows with the largest.
            rng: as in `privatize`; a seed is used once, not anew for each chunk.

        Yields:
            The reports of each chunk.

        Raises:
            DomainError, ParameterError: as in `privatize`; `rng` is checked at once, values as
                their chunk comes.
        """
        source = word_source(rng, "privatize", *self.identity.named)
        return (self.privatize(chunk, source) for chunk in chunks)

    def _one_value(self, x: Any) -> int:
        """The index of a value, for `pmf`."""
        indices = self._encoded(x)
        if len(indices) != 1:
            raise DomainError("x", "must be one value", len(indices))
        return int(indices[0])

    def _one_report(self, y: Any) -> Any:
        """One checked report, for `pmf`."""
        return self.layout.check(value_array(y, "y", ReportError)[np.newaxis])[0]

    # --- server ------------------------------------------------------------------------------

    @cached_property
    def identity(self) -> Identity:
        """Return the identity that reports must carry to be counted by this mechanism."""
        return Identity(
            type(self).__name__, self._parameter_items(), self.law_sha256, self.thresholds
        )

    @property
    @abstractmethod
    def oracle(self) -> Oracle:
        """Return the oracle that turns the server's counters into estimates."""

    def reports(self, array: NDArray[Any], simulated: bool) -> Reports:
        """Wrap raw reports, read from a file, say. They are checked against the layout and copied.

        Args:
            array: of this mechanism's layout.
            simulated: whether a seed or a generator drew them: only who drew them knows.

        Raises:
            ReportError: wrong type, dtype, shape, range or padding bits.
        """
        if not isinstance(simulated, bool):
            raise ReportError("simulated", "must be a bool", simulated)
        return Reports(self.layout.check(array).copy(), self.identity, simulated)

    def empty(self, simulated: bool = False) -> State:
        """The state that has seen nothing.

        Args:
            simulated: whether it counts simulated reports, which protect nobody, or real ones. It
                refuses the other kind.
        """
        return State(self.oracle, simulated=simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> State:
        """A state of this mechanism that `State.save` wrote.

        Args:
            path: of the file.
            implausible: as in `State.from_bytes`.

        Raises:
            OSError: the file cannot be read.
            ReportError: it is damaged, or of another mechanism, parameters, law or thresholds, or
                no reports add up to it.
        """
        return State.load(path, self.oracle, implausible=implausible)

    def simulate_counts(
        self,
        true_counts: Any,
        rng: SupportsIndex | np.random.Generator | None = None,
        report_by_report: bool = False,
    ) -> State:
        """Simulate the server's state after reports of so many users; it is marked as simulated.

        For k-ary randomized response, unary encodings (THE among them), count mean sketches and
        explicit tables the state is drawn directly, at a cost that does not depend on the number of
        users. The draws are independent binomials with the probabilities of the realized table.
        Their joint distribution is that of the sum of independent reports (`run.realize.simulate`
        says why, and how numpy's binomials round). For subset selection, local hashing, the
        Hadamard forms and projective spaces no exact method of such a cost is known here: every
        report is drawn.

        Args:
            true_counts: how many users hold each of the k values, integers >= 0.
            rng: a seed or a generator; None for a generator seeded by the operating system.
            report_by_report: whether to draw every report instead, which every mechanism can, and
                which is exact: what a state is meant to hold, at the cost of all the users.

        Returns:
            A state with `simulated` set.

        Raises:
            DomainError: `true_counts` are no such numbers.
            ParameterError: `rng` is something else, or `report_by_report` not True for a mechanism
                that has no other way.
        """
        check_kind("report_by_report", report_by_report, bool)
        counts = checked_counts(true_counts, self.k)
        domain = ("simulate counts", *self.identity.named)
        if report_by_report:
            return self._state_of_reports(counts, block_sources(rng, *domain)(0))
        found = self._simulated(counts, float_binomial(rng, *domain))
        if found is None:
            refuse_unknown(type(self).__name__)
        return State(self.oracle, int(counts.sum()), found, simulated=True)

    def _simulated(self, true_counts: Counts, binomial: Binomial) -> Counts | None:
        """The counters of that many users' reports; None where only the reports give them."""
        del true_counts, binomial
        return None

    def _state_of_reports(self, true_counts: Counts, source: WordSource) -> State:
        """Draw a state report by report, in bounded memory."""
        state = self.empty(simulated=True)
        ends = np.cumsum(true_counts)
        for start in range(0, int(ends[-1]), SIMULATED_AT_A_TIME):
            users = np.arange(start, min(start + SIMULATED_AT_A_TIME, int(ends[-1])))
            values = np.searchsorted(ends, users, side="right")
            data = self._sampler.draw(values, source, in_range=True)
            state.update(Reports(data, self.identity, simulated=True))
        return state

    def aggregate(
        self,
        reports: Reports | Iterable[Reports],
        threads: int = 1,
        simulated: bool = False,
    ) -> State:
        """Count a batch of reports, or an iterable of batches.

        Args:
            reports: as they come from `privatize`, or from files.
            threads: how many count at once. The state is the same for any number; each thread
                counts a part of a large batch in a state of its own.
            simulated: as in `empty`.

        Raises:
            ReportError: reports that are malformed or belong to another mechanism, parameters, law
                or thresholds, or that are not all real or all simulated, as they should be.
            ParameterError: `threads` is no number >= 1.
        """
        check_integer("threads", threads, 1, LARGEST_K)
        states: list[State] = []

        @contextmanager
        def counting() -> Iterator[Callable[[Reports], object]]:
            state = self.empty(simulated)
            states.append(state)
            yield state.update

        batches = batches_of(reports)
        parts = (split(batch, self.layout.counters, int(threads)) for batch in batches)
        share_out(counting, itertools.chain.from_iterable(parts), int(threads))
        return functools.reduce(State.merge, states)

    # --- identity of the object --------------------------------------------------------------

    @property
    def arguments(self) -> dict[str, Any]:
        """The constructor's arguments by name, as they were settled."""
        return {f.name: getattr(self, f.name) for f in fields(cast("Any", self)) if f.init}

    def _parameter_items(self) -> tuple[tuple[str, Scalar], ...]:
        """The parameters as JSON scalars, sorted; labels as their digest."""
        items: dict[str, Scalar] = {}
        for name, value in self.arguments.items():
            if name == "categories":
                if value is not None:
                    items[name] = digest_of(self.labels)
            elif any(parameter.name == name for parameter in self.parameters):
                items[name] = str(self._values[name])
            else:
                items[name] = value
        return tuple(sorted(items.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilt from its arguments: thresholds are never taken from a pickle.
        return (_rebuild, (type(self), self.arguments))

    def __repr__(self) -> str:
        shown = [
            f"{name}={value!r}" for name, value in self.arguments.items() if name != "categories"
        ]
        if self.categories is not None:
            shown.append(f"categories=<{self.k} labels>")
        if "epsilon" not in self.arguments:
            shown.append(f"epsilon={self.epsilon!r}")
        shown.append(f"realized_epsilon={self.realized_epsilon!r}")
        if self.saturated:
            shown.append("saturated=True")
        return f"{type(self).__name__}({', '.join(shown)})"


def _rebuild(cls: type[Randomizer], arguments: dict[str, Any]) -> Randomizer:
    return cls(**arguments)
