"""The base of RS+FD solutions: a report on every attribute, of which one is true."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ldp_verified.protocols.attribute_scheme import OnEach
from ldp_verified.protocols.longitudinal import frequency_oracle
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.mechanisms import GRR
from ldp_verified.run.realize.values import digest_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Scalar
    from ldp_verified.run.aggregate.layouts import SupportLayout
    from ldp_verified.run.aggregate.oracle import FrequencyOracle
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.mechanisms import OUE, SUE
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserTuples


class AmongFakes(OnEach):
    """A report on every attribute, of which one is true and the others are fakes (RS+FD)."""

    @property
    @abstractmethod
    def parts(self) -> tuple[GRR | OUE | SUE, ...]:
        """The mechanism of each attribute, at all of epsilon."""

    @abstractmethod
    def _drawn(
        self, attribute: int, values: NDArray[np.int64], own: NDArray[np.bool_], source: WordSource
    ) -> NDArray[Any]:
        """Reports on one attribute: of the values where `own`, fakes elsewhere."""

    @abstractmethod
    def _fakes(self, attribute: int) -> tuple[SupportLayout, Fraction]:
        """How reports on an attribute lie, and P(a fake supports v), for any v."""

    def privatize(self, values: UserTuples, rng: Rng = None) -> tuple[Reports, ...]:
        """Draw a report of every user on each attribute, most of them fake; `rng` simulates."""
        tuples, source = self._tuples(values), self._source(rng)
        chosen = uniform_numbers(len(tuples), len(self.ks), source)
        return tuple(
            Reports(
                self._drawn(j, tuples[:, j], chosen == j, source),
                oracle.identity,
                bool(source.simulated),
            )
            for j, oracle in enumerate(self.oracles)
        )

    @cached_property
    def oracles(self) -> tuple[FrequencyOracle, ...]:
        """Support counts with the p* and q* of each attribute's reports."""
        return tuple(map(self._oracle, range(len(self.ks))))

    def oracle_of(self, attribute: int) -> FrequencyOracle:
        """The oracle of the reports on an attribute, fakes among them."""
        return self.oracles[attribute]

    def _oracle(self, attribute: int) -> FrequencyOracle:
        part, d = self.parts[attribute], len(self.ks)
        items: dict[str, Scalar] = {"attribute": attribute, "epsilon": self.epsilon}
        items |= {"sizes": str(self.ks)} | self._further()
        size = self.sizes[attribute]
        labels = size if isinstance(size, tuple) else None
        if labels is not None:
            items["categories"] = digest_of(labels)
        identity = Identity(
            type(self).__name__, tuple(sorted(items.items())), part.law_sha256, part.thresholds
        )
        layout, supports = self._fakes(attribute)
        fake = supports * Fraction(d - 1, d)
        return frequency_oracle(identity, layout, part.p / d + fake, part.q / d + fake, labels)
