"""Estimated tables of several attributes that agree with each other, from reports on views.

Views that share attributes estimate the same things. A table, times its number of cells, is a sum
of effects, one for each subset of its attributes. Where all cells of a view have the same error,
effects are uncorrelated, and each is averaged over the views that have it, by its variance. That is
least squares over all views; the mean is known, and all tables agree. Cormode, Kulkarni
and Srivastava (2018) do so for bits, by Fourier coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.protocols.table_estimate import TableEstimate
from ldp_verified.run.aggregate.combined import noise_and_draw
from ldp_verified.run.aggregate.honest import Honesty, of_coins
from ldp_verified.run.aggregate.shared import MadeOnce

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.protocols.table_estimate import Parts
    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.realize.values import Label

    Floats = NDArray[np.float64]
    Names = tuple[str, ...]


def subsets(names: Names) -> list[Names]:
    """All subsets, the empty one too."""
    return list(chain.from_iterable(combinations(names, size) for size in range(len(names) + 1)))


@dataclass(frozen=True, eq=False, repr=False)
class JointEstimate(TableEstimate):
    """The estimate of tables of attributes, from reports on views.

    Given how many users each view has, counts are unbiased. Errors count the noise and the draw.

    Attributes:
        n: the number of users. labels: name -> labels, in order. views: sets of names.
        own: the estimate of each view alone, among the users who reported on it.
    """

    n: int
    labels: Mapping[str, tuple[Label, ...]]
    views: tuple[Names, ...]
    own: tuple[Estimate, ...]

    @cached_property
    def honesty(self) -> Honesty:
        """Tests of the reports on each view, and whether as many users drew it as draw others."""
        users = np.array([own.n for own in self.own], dtype=np.int64)
        checks = [check for own in self.own for check in own.honesty.checks]
        if self.n and len(users) > 1:
            chance = np.array(1 / len(users))
            checks.append(of_coins("users of each view", self.n, users, chance, chance))
        return Honesty(tuple(checks))

    def __repr__(self) -> str:
        names = ", ".join(self.labels)
        return f"<JointEstimate of {self.n} users: {len(self.views)} views of {names}>"

    # --- how a table follows from the views ------------------------------------------------------

    @cached_property
    def _precisions(self) -> tuple[float, ...]:
        """The precision of an effect in each view: its inverse variance, up to a common factor."""
        return tuple(
            own.n / (float(np.mean(own.oracle.variance_line(own.n)[0])) * own.oracle.k)
            for own in self.own
        )

    @cached_property
    def _margins(self) -> tuple[dict[frozenset[str], Floats], ...]:
        """The estimated shares of each view, added up to every subset of its attributes."""
        found = []
        for view, own in zip(self.views, self.own, strict=True):
            whole = own.shares.reshape(self._shape(view))
            sums = {}
            for kept in subsets(view):
                away = tuple(axis for axis, name in enumerate(view) if name not in kept)
                sums[frozenset(kept)] = np.asarray(whole.sum(axis=away))
            found.append(sums)
        return tuple(found)

    def weights(self, names: Names) -> list[dict[Names, float]]:
        """Return for each view the factor of its margin over each subset of these attributes.

        A cell's share is 1/cells, and the margins of the views at this cell times these factors.
        """
        cells = math.prod(self._shape(names))
        effects = [
            (effect, [set(effect) <= set(view) for view in self.views])
            for effect in subsets(names)
            if effect
        ]
        found: list[dict[Names, float]] = [{} for _ in self.views]
        for effect, seen in effects:
            whole = math.fsum(p for p, has in zip(self._precisions, seen, strict=True) if has)
            for place, (precision, has) in enumerate(zip(self._precisions, seen, strict=True)):
                if not has:
                    continue
                for kept in subsets(effect):
                    sign = -1.0 if (len(effect) - len(kept)) % 2 else 1.0
                    size = math.prod(self._shape(kept))
                    more = sign * size * precision / whole / cells
                    found[place][kept] = found[place].get(kept, 0.0) + more
        return found

    @MadeOnce
    def _found(self) -> dict[Names, list[dict[Names, float]]]:
        return {}

    def _factors(self, names: Names) -> list[dict[Names, float]]:
        """`weights`, found once."""
        if names not in self._found:
            self._found[names] = self.weights(names)
        return self._found[names]

    def _shares(self, names: Names) -> Floats:
        """Estimated shares of all cells of a table, in its shape."""
        shape = self._shape(names)
        total = np.full(shape, 1 / math.prod(shape))
        for view, margins, factors in zip(
            self.views, self._margins, self.weights(names), strict=True
        ):
            for kept, factor in factors.items():
                # A margin has the order of the view, and the table that of its names.
                own = [name for name in view if name in kept]
                margin = margins[frozenset(kept)].transpose([own.index(name) for name in kept])
                total += factor * margin.reshape(
                    [size if name in kept else 1 for name, size in zip(names, shape, strict=True)]
                )
        return total

    def _variance(self, parts: Parts, population: bool = False) -> float:
        """The variance of a sum of shares of cells, each times a factor.

        Users of a view are a part of all, and those of different views do not overlap. So what is
        sampled adds var(g)/users for each view, g being what a user's cell weighs, and less the
        variance of the sum among all users, over n. Its weights are those of the cells asked for.

        Args:
            parts: (table, cell, factor). population: add what all users as a sample add.
        """
        noise, draw = 0.0, 0.0
        for number, (view, own) in enumerate(zip(self.views, self.own, strict=True)):
            weights = np.zeros(self._shape(view))
            for table, cell, factor in parts:
                at = dict(zip(table.attributes, cell, strict=True))
                for kept, more in self._factors(table.attributes)[number].items():
                    place = tuple(at[name] if name in kept else slice(None) for name in view)
                    weights[place] += factor * more
            reported, drawn = noise_and_draw(own, weights.reshape(-1))
            noise, draw = noise + reported / own.n, draw + drawn / own.n
        target = 0.0 if population else self._spread(parts) / self.n
        return noise + max(draw - target, 0.0)
