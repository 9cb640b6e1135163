"""Exact rational parameter points at which the expanded table is looked at."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, prod
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language.assumptions import mentioned
from ldp_verified.language.balls import READABLE, between
from ldp_verified.language.forms import Bits, Design, Form
from ldp_verified.language.points import span
from ldp_verified.prove.enumeration.expand import (
    NotExpandableError,
    UndefinedCellError,
    complete,
    evaluate,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.language.parameters import Domain

Values = dict[Any, Fraction]

LARGEST = 8
# For each size of the structure, at most this many combinations of the other parameters; fewer, but
# no fewer than `MIN_COMBINATIONS`, where there are so many sizes that this makes `ENOUGH` points.
MAX_COMBINATIONS = 48
MIN_COMBINATIONS = 8
ENOUGH = 400
# Integers of one parameter; where there are more below -`largest`, the first two stand for those.
MOST_INTEGERS = 1024

# What is tried above a lower bound, readable numbers first so that witnesses are readable: e^eps
# starts at 1, so the first is e^eps = 3.
_ABOVE = tuple(map(Fraction, ("2", "1", "1/2", "6", "1/1000", "999")))
_NEAR = (Fraction(1, 1 << 36), 1 - Fraction(1, 1 << 36))
_BETWEEN = tuple(map(Fraction, ("1/2", "1/4", "3/4", "1/1000", "999/1000")))


def structure_symbols(form: Form) -> tuple[set[Any], set[Any]]:
    """The symbols that fix the sizes of the structure, and those that these sizes determine."""
    structure = form.encoder if isinstance(form, Bits) else getattr(form, "structure", None)
    if structure is None:
        return set(), set()
    sizes = {symbol for size in structure.sizes.values() for symbol in size.free_symbols}
    determined = set() if structure.determined is None else structure.determined.free_symbols
    return sizes, determined - sizes


def candidates(domain: Domain, values: Values, largest: int = LARGEST) -> tuple[Fraction, ...]:
    """Exact members of a domain, readable ones first; empty where the domain is.

    Integers: every one from the lower bound up to `largest`, or the lower bound and the next where
    that lies above, and where it lies far below -`largest`, those two and all from there on. Reals:
    both ends where they belong to the domain, points close to them, and some between.

    Args:
        domain: its bounds may mention the symbols in `values`.
        values: exact values of earlier parameters.
        largest: the largest integer tried.
    """
    lower, upper = (
        None if bound is None else evaluate(sympy.sympify(bound), values)
        for bound in (domain.lower, domain.upper)
    )
    if domain.integer:
        return _integers(domain, values, lower, upper, largest)
    ends = []
    if upper is not None and not domain.upper_open:
        ends.append(upper)
    if lower is not None and not domain.lower_open:
        ends.append(lower)
    if lower is None:
        top = Fraction(0) if upper is None else upper
        inner = [between(top - 2 * step, top, _BETWEEN[0]) for step in _ABOVE]
        if upper is None:
            inner += [Fraction(0), *_ABOVE]
    elif upper is None:
        inner = [between(lower, lower + 2 * step, _BETWEEN[0]) for step in _ABOVE]
    else:
        inner = [between(lower, upper, share) for share in _BETWEEN]
        if lower >= upper:
            inner = []
            ends = ends[:1] if lower == upper and len(ends) == 2 else []
    if domain.also:  # A long fraction may lie a little outside of the true end.
        low = lower if lower is not None else inner[0] - 1
        high = upper if upper is not None else low + 1
        near = zip((low, high), _NEAR, strict=True)
        ends += [between(low, high, share) for end, share in near if end.denominator > READABLE]
    for low, high in domain.narrower({s: _exact(v) for s, v in values.items()}):
        inner += [
            value
            for value in _some(low, high)
            if (lower is None or value > lower) and (upper is None or value < upper)
        ]
    return _inside(domain, values, dict.fromkeys(inner + ends))


def members(domain: Domain, tried: Iterable[Fraction]) -> list[Fraction]:
    """Select the numbers that lie in a domain, the bounds of which mention nothing."""
    return [value for value in tried if domain.contains(_exact(value))]


def _exact(value: Fraction) -> Any:
    return sympy.Rational(value.numerator, value.denominator)


def _some(low: Any, high: Any) -> list[Fraction]:
    """Points between two ends of conditions, and these ends where they are rational."""
    first, last = (None if end is None else Fraction(int(end.p), int(end.q)) for end in (low, high))
    found = [end for end in (first, last) if end is not None]
    if first is None or last is None:
        return found + [end + step for end in found for step in (1, -1)]
    return found + [between(first, last, share) for share in _BETWEEN[:3]]


def _inside(domain: Domain, values: Values, tried: Iterable[Fraction]) -> tuple[Fraction, ...]:
    """Return the values, within a domain's bounds, that satisfy its further conditions."""
    if not domain.also:
        return tuple(tried)
    exact = {s: _exact(v) for s, v in values.items()}
    symbol = domain.also[0].symbol
    return tuple(
        value
        for value in tried
        if all(
            c.holds({**exact, symbol: _exact(value)})
            for c in domain.also
            if c.margin.free_symbols <= {*exact, symbol}
        )
    )


def inside(mechanism: Mechanism, point: Values) -> bool:
    """Return whether every value that a point gives lies in its domain."""
    exact = {s: _exact(v) for s, v in point.items()}
    return all(d.contains(exact[s], exact) for s, d in mechanism.variables.items() if s in exact)


def _integers(
    domain: Domain, values: Values, lower: Fraction | None, upper: Fraction | None, largest: int
) -> tuple[Fraction, ...]:
    first = -largest if lower is None else ceil(lower)
    if lower is not None and domain.lower_open and first == lower:
        first += 1
    last = max(largest, first + 1)
    if upper is not None:
        highest = floor(upper)
        if domain.upper_open and highest == upper:
            highest -= 1
        if lower is None and highest < first:
            first = highest - 1
        last = min(last, highest)
    tried: Iterable[int] = range(first, last + 1)
    if last - first > MOST_INTEGERS:
        tried = (first, first + 1, *range(-largest, last + 1))
    return _inside(domain, values, map(Fraction, tried))


def points(
    mechanism: Mechanism,
    largest: int = LARGEST,
    *,
    fixed: dict[Any, Fraction] | None = None,
    without: frozenset[Any] = frozenset(),
) -> list[Values]:
    """Exact points of `mechanism.variables`, small sizes first.

    The integers that the structure needs take every combination from their lower bounds up to
    `largest`. For each of them follows every combination of the other parameters, or a spread of up
    to `MAX_COMBINATIONS` of them where there are more. A symbol that the structure determines (the
    size of a hash family, say) is left out: `complete` adds it.

    Args:
        mechanism: the mechanism.
        largest: the largest integer.
        fixed: values to take instead of the domain's candidates.
        without: symbols to leave out; no other bound may mention them.
    """
    sizes, determined = structure_symbols(mechanism.algebraic_table)
    order = [s for s in mechanism.variables if s not in determined and s not in without]
    # A bound may only mention earlier parameters, so sizes come first where their bounds allow it.
    leading = _closed(mechanism, {s for s in order if s in sizes})
    order = [s for s in order if s in leading] + [s for s in order if s not in leading]
    choices = _Choices(mechanism, largest, fixed or {})
    every = choices.all(order[: len(leading)], {})
    known = [values for values in every if admitted(mechanism.algebraic_table, values)]
    most = min(MAX_COMBINATIONS, max(MIN_COMBINATIONS, ENOUGH // max(1, len(known))))
    found: list[Values] = []
    for values in known:
        found.extend(choices.spread(order[len(leading) :], values, most))
    return found


def exists(form: Form, point: Mapping[Any, Fraction]) -> bool:
    """Return whether a point has a structure of its sizes, as far as is known."""
    try:
        complete(form, point)
    except (NotExpandableError, UndefinedCellError):
        return False
    return True


def admitted(form: Form, values: Values) -> bool:
    """Return whether there may be a structure of these sizes, some of which may be unknown yet."""
    if not isinstance(form, Design) or form.structure is None:
        return True
    sizes = form.structure.sizes
    known = {symbol for size in sizes.values() for symbol in size.free_symbols} <= values.keys()
    return not known or form.structure.admits(
        {name: evaluate(size, values) for name, size in sizes.items()}
    )


def _closed(mechanism: Mechanism, symbols: set[Any]) -> set[Any]:
    """The symbols and whatever their bounds mention."""
    closed = set(symbols)
    while True:
        more = {s for symbol in closed for s in mentioned(mechanism.variables[symbol])}
        if more <= closed:
            return closed
        closed |= more


class _Choices:
    """Lists the values to try for each parameter, where earlier parameters have some values.

    The bounds of a domain may mention other parameters, so the list depends on their values. Each
    list is made once.

    Args:
        mechanism: whose parameters they are.
        largest: the largest integer to try.
        fixed: parameters that have one value only.
    """

    def __init__(self, mechanism: Mechanism, largest: int, fixed: Values) -> None:
        self.domains = mechanism.variables
        self.largest, self.fixed = largest, fixed
        self._mentioned = {symbol: mentioned(domain) for symbol, domain in self.domains.items()}
        self._known: dict[Any, tuple[Fraction, ...]] = {}

    def of(self, symbol: Any, values: Values) -> tuple[Fraction, ...]:
        """The values to try for a symbol.

        Args:
            symbol: the parameter. values: those of the parameters that its bounds mention.
        """
        if symbol in self.fixed:
            return (self.fixed[symbol],)
        used = self._mentioned[symbol]
        same = (symbol, *((s, *v.as_integer_ratio()) for s, v in values.items() if s in used))
        if same not in self._known:
            self._known[same] = candidates(self.domains[symbol], values, self.largest)
        return self._known[same]

    def all(self, order: list[Any], values: Values) -> Iterator[Values]:
        """Every combination of the symbols in this order."""
        if not order:
            yield values
            return
        for value in self.of(order[0], values):
            yield from self.all(order[1:], values | {order[0]: value})

    def spread(self, order: list[Any], values: Values, most: int) -> list[Values]:
        """All combinations if they are few; else a spread of `most` of them.

        The spread is deterministic and takes every parameter through all its candidates.
        """
        rough = prod(
            1 if s in self.fixed else self.largest if self.domains[s].integer else len(_ABOVE) + 1
            for s in order
        )
        if rough <= 20 * most:
            every = list(self.all(order, values))
            if len(every) <= most:
                return every
        chosen: dict[tuple[Fraction, ...], Values] = {}
        for turn in range(most):
            point = dict(values)
            for place, symbol in enumerate(order):
                options = self.of(symbol, point)
                if not options:
                    break
                # Different strides keep the parameters from moving in step.
                point[symbol] = options[(turn // (place + 1) + turn * place) % len(options)]
            else:
                chosen.setdefault(tuple(point[s] for s in order), point)
        return list(chosen.values())


def describe(found: list[Values]) -> str:
    """The points in words: `k = 2..8, u = 3, 2, 3/2; 21 points`."""
    if not found:
        return "no points"
    parts = []
    # The span follows from the size and the decay.
    for symbol in sorted({*found[0]} - {span}, key=lambda s: s.name):
        values = sorted({point[symbol] for point in found if symbol in point})
        whole = all(value.denominator == 1 for value in values)
        if whole and len(values) > 2 and values[-1] - values[0] == len(values) - 1:
            text = f"{values[0]}..{values[-1]}"
        elif len(values) <= 8:
            text = ", ".join(map(str, values))
        else:
            text = f"{len(values)} values from {values[0]} to {values[-1]}"
        parts.append(f"{symbol.name} = {text}")
    if not parts:
        return "no parameters: the one table"
    return "; ".join(parts) + f": {len(found)} points"


def require_structure(form: Form) -> None:
    """Raise unless the outputs of the table are known.

    Raises:
        NotExpandableError: a `Design` without a structure.
    """
    if isinstance(form, Design) and form.structure is None:
        raise NotExpandableError(
            "structure", "must be given: counts alone do not say what the outputs are"
        )
