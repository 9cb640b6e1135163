"""Link 6 for every class of the catalogue, asked of the class: its sampler is its table.

The class rounds its table to narrow words, makes its sampler for them, and every sequence of words
is tried; the law is compared with the class's own `pmf` at that rounding, which other tests compare
with the spec's expanded table. So a class that is added is looked at without being named here.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.run.realize.tables.claimed_table import ClaimedTable
from tests.mechanisms.parameters import CLASSES, usual
from tests.registry import SAMPLER, covers

TABLES = [name for name, made in CLASSES.items() if issubclass(made, ClaimedTable)]
WIDTHS = range(3, 9)
DEPTHS = 12
"""The place in the constants of bits of how many further digits a limit has."""

VALUES = 3
"""Of each class with k; 2 would make every structure the same."""


def narrow(made: Any) -> tuple[Any, Any]:
    """The object rounded to the narrowest words that keep the claim; and that rounding."""
    for width in WIDTHS:
        realization = next(iter(made.realizations(width)), None)
        if realization is not None:
            other = copy.copy(made)
            for cached in set(vars(made)) - set(inspect.signature(type(made)).parameters):
                if not cached.startswith("_") or cached == "_sampler":
                    del other.__dict__[cached]
            object.__setattr__(other, "epsilon", made.epsilon)
            object.__setattr__(other, "_realization", realization)
            return other, realization
    raise AssertionError(f"no rounding of {made} to {WIDTHS} bits keeps the claim")


def disagreements(made: Any, source: Any = None) -> list[tuple[int, Any]]:
    """(value, report) pairs whose probability is not that of the table; nothing is left open."""
    rounded, realization = narrow(made)
    sampler = (source or rounded).sampler(realization)
    shape = made.privatize(made.labels[0], rng=1).data
    found = []
    horizon = sampler.least_words + 1
    if sampler.table:  # bits: further words where a field ties
        blocks, each, fields = sampler.sizes[:3]
        horizon += blocks * each * fields * sampler.cuts[DEPTHS]
    for x in range(made.k):
        law = exact_distribution(sampler, x, horizon, machine_code=bool(sampler.table))
        assert law.unresolved == 0
        assert sum(law.probabilities.values()) == 1
        for key, probability in law.probabilities.items():
            report = np.array(key, dtype=shape.dtype).reshape(shape.shape[1:])
            if rounded.pmf(report, made.labels[x]) != probability:
                found.append((x, key))
    return found


def small(name: str, **chosen: Any) -> Any:
    made = CLASSES[name]
    sizes = {"k": VALUES, "prime": 2, "g": 2, "omega": 2, "buckets": 2, "rows": None}
    taken = {a: size for a, size in sizes.items() if a in inspect.signature(made).parameters}
    return made(**usual(made) | taken | chosen)


@covers(SAMPLER, *TABLES)
@pytest.mark.parametrize("name", TABLES)
def test_the_sampler_is_the_table(name: str) -> None:
    assert disagreements(small(name)) == []


@pytest.mark.parametrize("name", ["GRR", "HRR", "OLH", "OUE", "PGR", "SubsetSelection"])
def test_the_sampler_of_another_epsilon_is_not(name: str) -> None:
    made, other = small(name, epsilon=1.0), small(name, epsilon=2.5)

    class Source:
        def sampler(self, _: Any) -> Any:
            return other.sampler(narrow(other)[1])

    assert disagreements(made, Source())
