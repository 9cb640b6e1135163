"""Obligations of a large explicit table: once for each distinct cell, pair of cells and sum.

Where everything is a number the extreme one decides: the smallest cell, the column whose largest
cell is nearest to the bound. Each obligation is named by the first place where it occurs.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as Number
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.prove.certificates.columns import Columns, Entries
from ldp_verified.prove.certificates.events import Classes, Known, bounded, judged
from ldp_verified.prove.certificates.modular import full_rank
from ldp_verified.prove.certificates.optimal import within_domain
from ldp_verified.prove.certificates.parsed_statement import (
    CERTIFICATE,
    LAWS,
    Claim,
    Domain,
    Obligation,
)
from ldp_verified.prove.certificates.polynomials import ExpressionError, Fraction

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_PAIRS = 20_000
"""Distinct pairs of cells in one column, over all columns."""

MOST_SUMMED = 2**24
"""Ordered pairs of inputs, times outputs, that are gone through one by one."""


@CERTIFICATE.rule(LAWS, (TableForm.LARGE,))
def laws(tables: Columns, wide: Domain, *, shared: bool = True) -> Iterator[Obligation]:
    """Every cell >= 0, every row sums to 1; where `shared`, no column has zero and other cells."""
    table = tables.table
    used, firsts = np.unique(table.index, return_index=True)
    for i, at in zip(used.tolist(), firsts.tolist(), strict=True):
        if i in table.symbolic:
            place = "x={}/y={}".format(*divmod(at, tables.outputs))
            yield Obligation(
                None, Kind.NONNEGATIVE, f"nonnegative/{place}", ">=", table.symbolic[i], wide
            )
    yield from _smallest(tables, wide, Kind.NONNEGATIVE, ">=", np.arange(tables.outputs))
    one = tables.ring.constant(1)
    for x, row in tables.row_classes():
        value = tables.ring.add(tables.sum_of(row), one, -1)
        yield Obligation(None, Kind.SUMS_TO_ONE, f"sums_to_one/x={x}", "==", value, wide)
    if not shared:
        return
    columns = np.flatnonzero(~table.zero[table.index].all(axis=0))
    seen: set[int] = set()
    for y in columns.tolist() if table.symbolic else ():
        distinct, places = np.unique(table.index[:, y], return_index=True)
        for i, x in zip(distinct.tolist(), places.tolist(), strict=True):
            if i in table.symbolic and i not in seen:
                seen.add(i)
                name = f"equal_support/x={x}/y={y}"
                yield Obligation(None, Kind.EQUAL_SUPPORT, name, ">", table.symbolic[i], wide)
    yield from _smallest(tables, wide, Kind.EQUAL_SUPPORT, ">", columns)


def _smallest(
    tables: Columns, wide: Domain, kind: Kind, relation: str, columns: NDArray[np.int64]
) -> Iterator[Obligation]:
    """The smallest number in the given columns, which decides for all of them."""
    table = tables.table
    at = table.index[:, columns]
    numeric = ~np.isin(at, [*table.symbolic])
    if not numeric.any():
        return
    candidates = np.unique(at[numeric])
    i = int(candidates[table.keys[candidates].argmin()])
    x, column = (int(part[0]) for part in np.nonzero(at == i))
    name = f"{kind}/x={x}/y={int(columns[column])}/smallest"
    yield Obligation(None, kind, name, relation, table.value(i), wide)


@CERTIFICATE.rule((Kind.RATIO, Kind.TIGHT), (TableForm.LARGE,), words=("ldp",))
def ldp(tables: Columns, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """Obligations that all pairs of cells of a column are within the bound on their inputs."""
    if tables.ring.parse(claim["delta"]).numerator:
        yield from _with_delta(tables, wide, position, claim)
        return
    if claim["bounds"]["index"] is not None:
        yield from _by_pair(tables, wide, position, claim)
        return
    (written,) = claim["bounds"]["cells"]
    bound = tables.ring.parse(written)
    tightest: list[Obligation] = []
    for place, a, b in _pairs(tables):
        top, bottom = tables.table.value(a), tables.table.value(b)
        name = f"ratio/{position}/{_at(place)}"
        slack = tables.ring.add(tables.ring.multiply(bound, bottom), top, -1)
        met = place[0] != place[1]
        yield Obligation(position, Kind.RATIO, name, ">=", slack, wide, needed=met)
        if not tightest and not slack.numerator and top.numerator and met:
            name = f"tight/{position}/{_at(place)}"
            tightest = [
                Obligation(position, Kind.TIGHT, f"{name}/equal", "==", slack, wide),
                Obligation(position, Kind.TIGHT, f"{name}/px", ">", top, wide),
            ]
    if claim["tight"]:
        why = "no pair of cells of a column reaches the bound"
        none = _impossible(tables, wide, position, Kind.TIGHT, why)
        yield from tightest or [none]


def _at(place: tuple[int, int, int]) -> str:
    x, x2, y = place
    return f"x={x}/x'={x2}/y={y}"


def _impossible(tables: Columns, wide: Domain, position: int, kind: Kind, why: str) -> Obligation:
    zero = tables.ring.constant(0)
    return Obligation(position, kind, f"{kind}/{position}", "impossible", zero, wide, reason=why)


def _pairs(tables: Columns) -> Iterator[tuple[tuple[int, int, int], int, int]]:
    """((x, x', y), cell at (x, y), cell at (x', y)): the pairs that decide a bound on all ratios.

    bound * b - a is linear in both, so that among numbers a = the largest with b = the smallest and
    b = the largest decide, whatever the bound. Another cell is paired with itself where it stands
    in a column twice.

    Raises:
        ExpressionError: too many pairs differ.
    """
    table = tables.table
    seen: set[tuple[int, int]] = set()
    keys = table.keys[table.index]
    largest, least = keys.argmax(axis=0), keys.argmin(axis=0)  # used where all are numbers
    for y, column in enumerate(table.index.T):
        if table.numeric:
            chosen = list(dict.fromkeys((int(column[largest[y]]), int(column[least[y]]))))
            low, high = chosen[-1], chosen[0]
        else:
            distinct = np.unique(column).tolist()
            numbers = [i for i in distinct if i not in table.symbolic]
            low = min(numbers, key=table.keys.__getitem__) if numbers else -1
            high = max(numbers, key=table.keys.__getitem__) if numbers else -1
            chosen = [i for i in distinct if i in table.symbolic or i in (low, high)]
        for a in chosen:
            for b in chosen:
                both = a not in table.symbolic and b not in table.symbolic
                if (a, b) in seen or (both and a != high):
                    continue
                tops, bottoms = np.flatnonzero(column == a), np.flatnonzero(column == b)
                if a == b and len(tops) == 1 and (a != high or low == high):
                    continue
                x, x2 = int(tops[0]), int(bottoms[min(len(bottoms) - 1, int(a == b))])
                seen.add((a, b))
                if len(seen) > MOST_PAIRS:
                    raise ExpressionError(f"more than {MOST_PAIRS} pairs of cells differ")
                yield (x, x2, y), a, b


def _bounded(tables: Columns, claim: Claim) -> tuple[list[Fraction], NDArray[np.int64]]:
    """The distinct bounds, and which of them is for (x, x'); -1 where there is none."""
    bounds = [tables.ring.parse(text) for text in claim["bounds"]["cells"]]
    size = (tables.inputs, tables.inputs)
    if claim["bounds"]["index"] is None:
        which = np.zeros(size, np.int64)
    else:
        which = np.array(claim["bounds"]["index"], np.int64)
        if which.shape != size or which.max() >= len(bounds):
            raise ExpressionError("the bounds are malformed")
    which = which.copy()
    np.fill_diagonal(which, -1)
    if tables.inputs**2 * tables.outputs > MOST_SUMMED:
        raise ExpressionError("the table has too many pairs of inputs to be gone through")
    return bounds, which


def _triples(
    tables: Columns, bounds: int, which: NDArray[np.int64]
) -> dict[tuple[int, int, int], tuple[int, int, int]]:
    """(cell of x, cell of x', bound) -> the first (x, x', y) where they stand."""
    x, x2 = np.nonzero(which >= 0)
    level, size = which[x, x2], len(tables.table)
    found: dict[int, tuple[int, int, int]] = {}
    for y, column in enumerate(tables.table.index.T.astype(np.int64)):
        codes = (column[x] * size + column[x2]) * bounds + level
        distinct, firsts = np.unique(codes, return_index=True)
        for code, at in zip(distinct.tolist(), firsts.tolist(), strict=True):
            found.setdefault(code, (int(x[at]), int(x2[at]), y))
        if len(found) > MOST_PAIRS:
            raise ExpressionError(f"more than {MOST_PAIRS} pairs of cells differ")
    result = {}
    for code, place in found.items():
        cells, k = divmod(code, bounds)
        result[(*divmod(cells, size), k)] = place
    return result


def _by_pair(tables: Columns, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    bounds, which = _bounded(tables, claim)
    ring, cell = tables.ring, tables.table.value
    for (a, b, k), place in _triples(tables, len(bounds), which).items():
        slack = ring.add(ring.multiply(bounds[k], cell(b)), cell(a), -1)
        name = f"ratio/{position}/{_at(place)}"
        yield Obligation(position, Kind.RATIO, name, ">=", slack, wide, needed=True)


def cell_classes(
    tables: Columns, wide: Domain, position: int, claim: Claim
) -> tuple[Classes, list[tuple[str, dict[int, int]]]]:
    """The pairs of cells that meet in a column as classes, and how often two inputs meet each.

    Pairs of inputs that meet them equally often are named by the first.
    """
    bounds, which = _bounded(tables, claim)
    cell, size, table = tables.table.value, len(tables.table), tables.table
    cells: dict[int, tuple[Fraction, Fraction]] = {}
    names: dict[int, str] = {}
    for (a, b, _), place in _triples(tables, len(bounds), which).items():
        if not (table.zero[a] and table.zero[b]):
            cells[a * size + b] = cell(a), cell(b)
            names[a * size + b] = _at(place)
    rows = table.index.astype(np.int64)
    pairs: dict[bytes, tuple[str, dict[int, int]]] = {}
    for x in range(tables.inputs):
        for x2 in np.flatnonzero(which[x] >= 0).tolist():
            met = np.sort(rows[x] * size + rows[x2])
            if met.tobytes() not in pairs:
                codes, counts = (part.tolist() for part in np.unique(met, return_counts=True))
                counted = zip(codes, counts, strict=True)
                found = {code: count for code, count in counted if code in cells}
                pairs[met.tobytes()] = f"x={x}/x'={x2}", found
    return Classes(tables.ring, wide, position, bounds[0], cells, names), list(pairs.values())


def _with_delta(tables: Columns, wide: Domain, position: int, claim: Claim) -> list[Obligation]:
    """Every event of every pair of inputs; see `events`."""
    classes, pairs = cell_classes(tables, wide, position, claim)
    table, size = tables.table, len(tables.table)

    def named(listed: Any) -> frozenset[int]:
        return frozenset(a * size + b for a, b in listed) & classes.cells.keys()

    ordered = ((_code(i, size), _code(j, size)) for i, j in claim["order"])
    known = Known(
        named(claim["positive"]),
        named(claim["negative"]),
        frozenset((i, j) for i, j in ordered if {i, j} <= classes.cells.keys()),
        {code: ratio_of_numbers(table, code) for code in classes.cells if numbers(table, code)},
    )
    constant, delta = tables.ring.constant, tables.ring.parse(claim["delta"])
    met = ((name, {i: constant(n) for i, n in found.items()}) for name, found in pairs)
    left = bounded(classes, met, known, delta)
    return [*classes.known(known), *judged(tables.ring, wide, position, left, tight=claim["tight"])]


def _code(pair: Any, size: int) -> int:
    a, b = pair
    return int(a * size + b)


def numbers(table: Entries, code: int) -> bool:
    """Return whether both cells of a class are numbers."""
    return not {*divmod(code, len(table))} & table.symbolic.keys()


def ratio_of_numbers(table: Entries, code: int) -> tuple[bool, Number]:
    """The ratio of two cells that are numbers and not both 0, infinite ones last."""
    top, bottom = (table.number(i) for i in divmod(code, len(table)))
    return (True, Number(0)) if bottom == 0 else (False, top / bottom)


@CERTIFICATE.rule((Kind.UNBIASED,), (TableForm.LARGE,))
def unbiased(tables: Columns, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """Expectation 1 for the value itself, 0 for any other; or that weights with this exist."""
    if claim["supported"] is not None:
        classes, labels = tables.moments(tables.supported(claim["supported"], claim["otherwise"]))
    elif tables.written is not None and "prime" in tables.written:
        yield _exists(tables, wide, position, tables.written["prime"])
        return
    else:
        classes, labels = tables.own_moments
    own = set(np.diag(labels).tolist())
    other = set(labels[~np.eye(len(labels), dtype=bool)].tolist())
    for target, members in ((1, own), (0, other)):
        for label in sorted(members):
            moments = classes[label]
            value = tables.ring.add(moments.first, tables.ring.constant(target), -1)
            v, x = moments.place
            name = f"unbiased/{position}/v={v}/x={x}/is{target}"
            yield Obligation(position, Kind.UNBIASED, name, "==", value, wide)


def _exists(tables: Columns, wide: Domain, position: int, prime: Any) -> Obligation:
    if prime is None:
        why = "the estimator is too large to be written down; its rank was seen at points only"
        return _impossible(tables, wide, position, Kind.UNBIASED, why)
    table = tables.table
    if not table.numeric:
        raise ExpressionError("a rank modulo a prime needs a table of numbers")
    if not full_rank(table.tops, table.bottoms, table.index, prime):
        return _impossible(tables, wide, position, Kind.UNBIASED, f"rank not full modulo {prime}")
    zero = tables.ring.constant(0)
    return Obligation(position, Kind.UNBIASED, f"unbiased/{position}/rank", "==", zero, wide)


def _variances(tables: Columns, share: Fraction) -> Iterator[tuple[str, Fraction]]:
    """(name, variance per user) for every (v, other value) that differs from earlier ones."""
    ring = tables.ring
    classes, labels = tables.own_moments
    spread = [
        ring.add(moments.second, ring.multiply(moments.first, moments.first), -1)
        for moments in classes
    ]
    seen: set[tuple[int, int]] = set()
    rest = ring.add(ring.constant(1), share, -1)
    for v, row in enumerate(labels):
        for label in np.unique(np.delete(row, v)).tolist():
            pair = (int(row[v]), label)
            if pair not in seen:
                seen.add(pair)
                held = ring.multiply(share, spread[pair[0]])
                x = classes[label].place
                absent = ring.multiply(rest, spread[label])
                yield f"v={v}/as={x[0]},{x[1]}", ring.add(held, absent)


@CERTIFICATE.rule((Kind.VARIANCE,), (TableForm.LARGE,))
def variance(tables: Columns, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """The variance of every count, whatever one value the other users have."""
    ring = tables.ring
    share = ring.parse("f" if claim["at_f"] is None else claim["at_f"])
    claimed = ring.parse(claim["value"])
    for name, per_user in _variances(tables, share):
        value = ring.add(ring.multiply(ring.variable("n"), per_user), claimed, -1)
        yield Obligation(position, Kind.VARIANCE, f"variance/{position}/{name}", "==", value, wide)


@CERTIFICATE.rule((Kind.OPTIMAL,), (TableForm.LARGE,), words=("optimal_parameter",))
def optimal_parameter(
    tables: Columns, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    """The value lies in the domain, and nowhere in the domain is the variance smaller."""
    ring = tables.ring
    yield from within_domain(ring, wide, position, claim)
    best = {claim["parameter"]: ring.parse(claim["value"])}
    for name, current in _variances(tables, ring.parse(claim["at_f"])):
        value = ring.add(current, ring.substitute(current, best), -1)
        yield Obligation(position, Kind.OPTIMAL, f"optimal/{position}/{name}", ">=", value, wide)


CERTIFICATE.leave_open(
    (Kind.OPTIMAL,),
    (TableForm.LARGE,),
    "a table of this size is not compared with another one",
    words=("optimal_bits",),
)
CERTIFICATE.leave_open(
    (Kind.SAME_TABLE, Kind.BETTER),
    (TableForm.LARGE,),
    "a table of this size is not compared with another one",
)
