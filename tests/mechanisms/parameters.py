"""Arguments for any class of the catalogue: each parameter by its kind, the corners first.

A class is asked what it takes. A parameter that is of no kind known here is an error, so that no
class goes untested over its whole range.
"""

from __future__ import annotations

import inspect
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

import ldp_verified.run.mechanisms
from ldp_verified.check.conformance.own_specs import sample_arguments
from ldp_verified.language import load_catalogue
from ldp_verified.run.realize.designs.sketch import SketchRandomizer
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer
from ldp_verified.run.realize.tables.claimed_table import ClaimedTable
from tests.strategies import EPSILONS

if TYPE_CHECKING:
    from collections.abc import Callable

    Draw = Callable[[st.DrawFn, dict[str, Any]], Any]

CLASSES: dict[str, type[Any]] = {
    name: getattr(ldp_verified.run.mechanisms, name) for name in ldp_verified.run.mechanisms.__all__
}
"""Every generated class by its name."""

ODD = [True, "1", float("nan"), float("inf"), -1, 0, 1j, [1]]
"""Values that no parameter takes."""

SPECS = {spec.name: spec for spec in load_catalogue()}


def _drawn(strategy: st.SearchStrategy[Any]) -> Draw:
    return lambda draw, _: draw(strategy)


def _omega(draw: st.DrawFn, others: dict[str, Any]) -> int | None:
    """1, k - 1, the best, or anything between."""
    last = others["k"] - 1
    return draw(st.one_of(st.sampled_from([None, 1, last]), st.integers(1, last)))


def _share(draw: st.DrawFn, others: dict[str, Any]) -> float | Fraction:
    """A number strictly between 0 and 1, near the ends too."""
    del others
    corners: list[float | Fraction] = [1e-6, 0.5, 1 - 1e-6, Fraction(1, 3)]
    inner: st.SearchStrategy[float | Fraction] = st.floats(1e-6, 1 - 1e-6)
    between = st.fractions("1/999", "998/999")
    found: float | Fraction = draw(st.one_of(st.sampled_from(corners), inner, between))
    return found


def _bounds(draw: st.DrawFn, others: dict[str, Any]) -> tuple[float, float]:
    del others
    low = draw(st.one_of(st.sampled_from([-1.0, 0.0, -1e9]), st.floats(-1e6, 1e6)))
    width = draw(st.one_of(st.sampled_from([1.0, 2.0, 1e-3]), st.floats(1e-3, 1e6)))
    return (low, low + width)


def _rows(draw: st.DrawFn, others: dict[str, Any]) -> int | None:
    """Ends of the range, where a server's counters are few enough for a test, or the family."""
    most = min(1 << 16, (1 << 20) // others["buckets"])
    return draw(st.one_of(st.sampled_from([None, 1, 2, most]), st.integers(1, most)))


def _seed(draw: st.DrawFn, others: dict[str, Any]) -> int:
    """Without drawn rows there is none to give; sometimes one is given all the same."""
    given = st.one_of(st.sampled_from([0, 1, (1 << 64) - 1]), st.integers(0, (1 << 64) - 1))
    mostly = st.sampled_from([0, 0, 0, 7])
    return draw(given if others["rows"] is not None else mostly)


def _above_one(least: list[float | Fraction]) -> Draw:
    """The ends of a range from 1 on, and anything beyond."""
    beyond = st.one_of(st.floats(1 + 2**-52, 1e12), st.fractions("1001/1000", 10**6))
    return _drawn(st.one_of(st.sampled_from([*least, 1e150]), beyond))


SIZES = st.one_of(st.sampled_from([2, 3, 64, 65, 1000, 4096]), st.integers(2, 3000))
PRIMES = st.sampled_from([None, 2, 3, 5, 23, 251, 257])
BUCKETS = st.one_of(st.sampled_from([2, 3, 4, 23, 64, 251, 1024, 1 << 16]), st.integers(2, 300))
GRIDS = st.one_of(st.sampled_from([None, 1, 2, 3, 1 << 20]), st.integers(1, 5000))
KINDS: dict[str, Draw] = {
    "epsilon": _drawn(EPSILONS),
    "k": _drawn(SIZES),
    "g": _drawn(PRIMES),
    "prime": _drawn(PRIMES),
    "omega": _omega,
    "buckets": _drawn(BUCKETS),
    "rows": _rows,
    "seed": _seed,
    "grid": _drawn(GRIDS),
    "kept": _above_one([1, 1 + 2**-52, Fraction(3, 2)]),
    "raised": _above_one([1 + 2**-52, Fraction(1001, 1000)]),
    "bounds": _bounds,
    "categories": _drawn(st.none()),
}
"""What is drawn for an argument of that name, the arguments before it given."""


def kind(made: type[Any], name: str) -> Draw:
    """How a parameter of a class is drawn.

    Raises:
        LookupError: it is of no kind known here.
    """
    if name in KINDS:
        return KINDS[name]
    if issubclass(made, ClaimedTable) and any(p.name == name for p in made.parameters):
        return _share
    raise LookupError(
        f"{made.__name__}.{name}: say in tests/mechanisms/parameters.py what it takes"
    )


@st.composite
def arguments(draw: st.DrawFn, made: type[Any]) -> dict[str, Any]:
    """Arguments of the class, each of the kind that it takes; not every combination is allowed."""
    found: dict[str, Any] = {}
    # k first: what is at most k - 1 has to know it. Rows know the buckets, and a seed the rows.
    names = sorted(inspect.signature(made).parameters, key=lambda name: name != "k")
    for name in names:
        found[name] = kind(made, name)(draw, found)
    return found


def usual(made: type[Any]) -> dict[str, Any]:
    """Arguments in the middle of the range: those that `conform` takes for a user's own spec."""
    if is_numeric(made):
        return {"epsilon": 1.0}
    # A whole family of functions is small enough for few values only.
    drawn = {"buckets": 64, "rows": 64} if issubclass(made, SketchRandomizer) else {}
    return dict(_usual(made.name)) | drawn


@cache
def _usual(name: str) -> dict[str, Any]:
    return sample_arguments(SPECS[name])


def is_numeric(made: type[Any]) -> bool:
    """Return whether its values are numbers of an interval."""
    return issubclass(made, NumericRandomizer)
