"""A small Bayesian network from tables of pairs: the tree that keeps most of what pairs tell.

Of all trees over the attributes the one with the largest sum of mutual informations is nearest to
their joint distribution (C. K. Chow, C. N. Liu 1968, "Approximating Discrete Probability
Distributions with Dependence Trees"). An edge is drawn only where independence is rejected, so that
noise makes none. Everything here is computed from an estimate, and costs no privacy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.consistent import norm_sub
from ldp_verified.run.aggregate.labels import is_label
from ldp_verified.run.aggregate.tested import checked_significance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.protocols.table_estimate import TableEstimate
    from ldp_verified.run.realize.values import Label

    Floats = NDArray[np.float64]
    Names = tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """A distribution in which each attribute depends on one other, its parent, at most.

    Its probabilities have no intervals: that attributes depend on each other along a tree only is
    an assumption, and how far the truth is from any tree is not known from pairs.

    Attributes:
        labels: name -> labels, in order.
        parents: name -> the name of its parent, or None; parents come first.
        tables: name -> P(value), float64 (k,); or P(value | parent), float64 (parent's k, k).
    """

    labels: Mapping[str, tuple[Label, ...]]
    parents: Mapping[str, str | None]
    tables: Mapping[str, Floats]

    def __repr__(self) -> str:
        shown = (name if up is None else f"{up} -> {name}" for name, up in self.parents.items())
        return f"<Network {', '.join(shown)}>"

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """(parent, child) of each edge."""
        return tuple((up, name) for name, up in self.parents.items() if up is not None)

    def probability(self, values: Mapping[str, Label]) -> float:
        """The probability that a user has all of these values.

        Args:
            values: name -> a label; attributes that are not named may have any value.

        Raises:
            ParameterError: there is no such attribute or label.
        """
        return self._mass(self._places("values", values))

    def conditional(self, name: str, given: Mapping[str, Label]) -> dict[Label, float]:
        """The distribution of an attribute among users with given values.

        Args:
            name: of the attribute. given: name -> a label, of others.

        Returns:
            Label -> probability.

        Raises:
            ParameterError: there is no such attribute or label, `name` is given too, or nobody has
                the values by this network.
        """
        self._check_name("name", name)
        places = self._places("given", given)
        if name in places:
            raise ParameterError("name", "must not be given too", name)
        whole = self._mass(places)
        if whole == 0.0:
            raise ParameterError("given", "must be values that somebody has", dict(given))
        each = (self._mass(places | {name: [place]}) for place in range(len(self.labels[name])))
        return {label: mass / whole for label, mass in zip(self.labels[name], each, strict=True)}

    def _mass(self, fixed: Mapping[str, list[int]]) -> float:
        """The probability of the users with these values, from the leaves to the roots."""
        messages: dict[str, Floats] = {
            name: np.ones(len(labels)) for name, labels in self.labels.items()
        }
        for name, places in fixed.items():
            kept = np.zeros(len(self.labels[name]))
            kept[places] = 1.0
            messages[name] *= kept
        total = 1.0
        for name, up in reversed(self.parents.items()):  # type: ignore[call-overload]  # a dict
            upwards = self.tables[name] @ messages[name]
            if up is None:
                total *= float(upwards)
            else:
                messages[up] *= upwards
        return total

    def _check_name(self, argument: str, name: object) -> None:
        if not isinstance(name, str) or name not in self.labels:
            raise ParameterError(argument, f"must be one of {', '.join(self.labels)}", name)

    def _places(self, argument: str, values: object) -> dict[str, list[int]]:
        """Name -> the number of its label, in a list.

        Raises:
            ParameterError: these are no labels by name.
        """
        if not isinstance(values, Mapping):
            raise ParameterError(argument, "must be a mapping from names", type(values))
        found = {}
        for name, value in values.items():
            self._check_name(argument, name)
            if not is_label(value) or value not in self.labels[name]:
                raise ParameterError(name, "must be one of its labels", value)
            found[name] = [self.labels[name].index(value)]
        return found


@dataclass(frozen=True)
class _Pair:
    """A pair of attributes that depend on each other: their table, not negative, of sum 1."""

    names: tuple[str, str]
    table: Floats

    @cached_property
    def information(self) -> float:
        """The mutual information, in nats."""
        product = np.outer(self.table.sum(axis=1), self.table.sum(axis=0))
        held = self.table > 0
        return float((self.table[held] * np.log(self.table[held] / product[held])).sum())


def fitted_network(found: TableEstimate, significance: float = 0.01) -> Network:
    """The tree of largest mutual information, of pairs whose independence is rejected.

    Args:
        found: the estimate; pairs that no view has together have no edge.
        significance: of the tests, for all pairs together; in (0, 1).

    Raises:
        ParameterError: `significance` is not in (0, 1).
    """
    checked_significance(significance)
    names: Names = tuple(found.labels)
    pairs = [
        pair
        for pair in combinations(names, 2)
        if any(set(pair) <= set(view) for view in found.views)
    ]
    level = significance / max(len(pairs), 1)
    kept = [
        _Pair(pair, _sensible(found, pair))
        for pair in pairs
        if found.independent(*pair).rejected(level)
    ]
    group = {name: name for name in names}
    edges: list[_Pair] = []
    for pair in sorted(kept, key=lambda each: -each.information):
        first, second = (group[name] for name in pair.names)
        if first != second:
            edges.append(pair)
            group = {name: first if held == second else held for name, held in group.items()}
    return _rooted(found, names, edges)


def _rooted(found: TableEstimate, names: Names, edges: list[_Pair]) -> Network:
    """The network whose roots are the first attributes of each tree."""
    parents: dict[str, str | None] = {}
    tables: dict[str, Floats] = {}
    for root in names:
        if root in parents:
            continue
        parents[root], tables[root] = None, _sensible(found, (root,))
        waiting = [root]
        while waiting:
            up = waiting.pop(0)
            for pair in edges:
                child = next((name for name in pair.names if name != up), "")
                if up not in pair.names or child in parents:
                    continue
                table = pair.table if pair.names[0] == up else pair.table.T
                rows = table.sum(axis=1, keepdims=True)
                even = np.full_like(
                    table, 1 / table.shape[1]
                )  # where nobody has the parent's value
                parents[child] = up
                tables[child] = np.divide(table, rows, out=even, where=rows > 0)
                waiting.append(child)
    return Network(dict(found.labels), parents, tables)


def _sensible(found: TableEstimate, names: Names) -> Floats:
    """The shares of a table, by norm-sub: not negative, sum 1."""
    table = found.table(*names)
    shares = norm_sub(table.counts, float(found.n), np.zeros_like(table.counts)) / found.n
    return np.asarray(shares.reshape(table.shares.shape))
