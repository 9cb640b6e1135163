"""Pair-table rows against the expanded table: the place where a wrong class count is seen."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache, partial
from itertools import permutations
from operator import add
from typing import TYPE_CHECKING, Any

from ldp_verified.kinds import PAIRS, Kind, TableForm
from ldp_verified.language.forms import Matrix
from ldp_verified.prove.enumeration.expand import (
    NotExpandableError,
    UndefinedCellError,
    complete,
    evaluate,
    expand_form,
)
from ldp_verified.prove.enumeration.points import describe
from ldp_verified.prove.enumeration.points import points as default_points
from ldp_verified.prove.enumeration.witnesses import ENUMERATION, Places, PointFinding, PointPlace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.language.pair_table import PairTable
    from ldp_verified.language.points import Points
    from ldp_verified.prove.verdicts import Witness

# What a class is compared by: outputs of one class share the key, and have the amount in total.
_Classes = dict[Any, Any]


def _by_count(classes: Iterable[tuple[Fraction, Fraction, Fraction, Any, Any]]) -> _Classes:
    """(P(y|x), P(y|x'), supports x, supports x') -> number of outputs."""
    found: _Classes = {}
    for count, px, px2, sx, sx2 in classes:
        key = (px, px2, sx, sx2)
        found[key] = found.get(key, Fraction(0)) + count
    return {key: count for key, count in found.items() if count != 0}


def _by_mass(classes: Iterable[tuple[Fraction, Fraction, Fraction, Any, Any]]) -> _Classes:
    """(P(y|x)/P(y|x'), supports x, supports x') -> mass of the class under x, and under x'."""
    found: _Classes = {}
    for count, px, px2, sx, sx2 in classes:
        if px == 0 and px2 == 0:
            continue
        key = (px / px2 if px2 else None, sx, sx2)
        old = found.get(key, (Fraction(0), Fraction(0)))
        found[key] = (old[0] + count * px, old[1] + count * px2)
    return {key: masses for key, masses in found.items() if any(masses)}


class _Views:
    """Counts how many outputs look the same from two inputs.

    An output's view from an input is its probability under that input, and whether it supports the
    input. Each different view has a number, and so has each pair of views.

    Args:
        place: whose outputs are counted.
    """

    def __init__(self, place: PointPlace) -> None:
        self._place = place
        numbers: dict[tuple[int | Fraction, Any], int] = {}
        self._numbers = [
            [
                numbers.setdefault(
                    (c.weights[x], None if c.supports is None else x in c.supports), len(numbers)
                )
                for c in place.table.columns
            ]
            for x in range(len(place.table.inputs))
        ]
        self._views = list(numbers)
        self._raised = [[each * len(numbers) for each in row] for row in self._numbers]

    def pairs(self) -> Iterator[tuple[int, int, Mapping[int, int]]]:
        """Count the outputs by their views from each ordered pair of inputs.

        Yields:
            x, x', and for the number of each pair of views the number of outputs. Pairs of inputs
            come in the order of `permutations`.
        """
        many, waiting = len(self._views), {}
        for x, x2 in permutations(range(len(self._numbers)), 2):
            if x < x2:
                grouped = waiting[x, x2] = self._count(x, x2)
            else:  # The same outputs were counted for the pair the other way round.
                turned = waiting.pop((x2, x))
                grouped = {(p % many) * many + p // many: n for p, n in turned.items()}
            yield x, x2, grouped

    def _count(self, x: int, x2: int) -> Mapping[int, int]:
        pairs = map(add, self._raised[x], self._numbers[x2])
        if self._place.distinct:
            return Counter(pairs)
        grouped: dict[int, int] = {}
        for column, pair in zip(self._place.table.columns, pairs, strict=True):
            grouped[pair] = grouped.get(pair, 0) + column.multiplicity
        return grouped

    def classes(
        self, grouped: Mapping[int, int]
    ) -> list[tuple[Fraction, Fraction, Fraction, Any, Any]]:
        """(number of outputs, P(y|x), P(y|x'), supports x, supports x') of each pair of views."""
        unit, found = self._place.table.denominator, []
        for pair, count in grouped.items():
            (w, sx), (w2, sx2) = (self._views[i] for i in divmod(pair, len(self._views)))
            found.append((Fraction(count), Fraction(w, unit), Fraction(w2, unit), sx, sx2))
        return found


def _stated(
    table: PairTable, value: Callable[[Any], Fraction]
) -> list[tuple[Fraction, Fraction, Fraction, Any, Any]]:
    return [
        (
            value(row.count),
            value(row.px),
            value(row.px2),
            row.supports_x,
            row.supports_x2,
        )
        for row in table.rows
    ]


def _difference(place: PointPlace, x: int, x2: int, found: _Classes, said: _Classes) -> Witness:
    key = next(k for k in [*found, *said] if found.get(k) != said.get(k))
    labels = place.table.inputs
    if len(key) == 4:
        what = f"outputs with P(y|x) = {key[0]}, P(y|x') = {key[1]}"
    else:
        what = f"mass of the outputs with ratio {'infinite' if key[0] is None else key[0]}"
    supports = ", ".join(
        f"{'supporting' if flag else 'not supporting'} {name}"
        for flag, name in zip(key[-2:], ("x", "x'"), strict=True)
        if flag is not None
    )
    ours, theirs = (_text(side.get(key)) for side in (found, said))
    return place.witness(
        {"x": labels[x], "x'": labels[x2], "class": f"{what}, {supports}"}
        | {"expanded": ours, "pair table": theirs},
        f"{what} {supports}: {ours} in the expanded table, {theirs} in the pair table, "
        f"for x = {labels[x]}, x' = {labels[x2]}",
    )


def _text(amount: Any) -> str:
    if isinstance(amount, tuple):
        return " and ".join(map(str, amount))
    return "0" if amount is None else str(amount)


def _mismatch(place: PointPlace, tables: Sequence[PairTable]) -> Witness | None:
    """The first pair of inputs that no pair table describes, or table that describes no pair."""
    form = place.mechanism.algebraic_table
    # Rows of some coordinates only: how many outputs they stand for is not stated.
    some = getattr(form, "partial", False)
    measures = [_by_mass] if some else [_by_count, _by_mass]
    value = cache(partial(evaluate, point=place.point))  # One cell stands in many rows.
    stated = [[measure(_stated(table, value)) for measure in measures] for table in tables]
    inputs = len(place.table.inputs)
    by_position = isinstance(form, Matrix) and len(tables) == inputs * (inputs - 1)
    unused = set(range(len(tables)))
    views = _Views(place)
    seen: set[Any] = set()  # Most pairs look alike: each look is compared once.
    for position, (x, x2, grouped) in enumerate(views.pairs()):
        look = (position if by_position else None, frozenset(grouped.items()))
        if look in seen:
            continue
        seen.add(look)
        classes = views.classes(grouped)
        seen_as = [measure(classes) for measure in measures]
        options = [position] if by_position else list(range(len(tables)))
        first: Witness | None = None
        for option in options:
            both = zip(seen_as, stated[option], strict=True)
            differ = next(((found, said) for found, said in both if found != said), None)
            if differ is None:
                # Tables of different types of pairs may be equal for some cells.
                unused -= {option, *(o for o in unused if stated[o] == seen_as)}
                first = None
                break
            first = first or _difference(place, x, x2, *differ)
        if first is not None:
            return first
    for option in sorted(unused):
        return place.witness(
            {"pair table": tables[option].pair},
            f"the pair table '{tables[option].pair}' describes no pair of inputs",
        )
    return None


def _at_points(
    mechanism: Mechanism,
    points: Iterable[Mapping[Any, Any]] | None,
    differs: Callable[[PointPlace], Witness | None],
    what: str,
    places: Places | None,
) -> PointFinding | None:
    """Compare a statement with the table that is written out at each point.

    Args:
        mechanism, points, places: see `rows_match`. differs: place -> a witness where it does.
        what: was compared, as a phrase.
    """
    covered: list[dict[Any, Fraction]] = []
    form, places = mechanism.algebraic_table, places or Places(mechanism)
    for point in default_points(mechanism) if points is None else points:
        try:
            full = complete(form, point)
            place = places.at(full)
        except (NotExpandableError, UndefinedCellError):
            continue
        covered.append(full)
        witness = differs(place)
        if witness is not None:
            return PointFinding(None, "rows", False, describe(covered), witness)
    if not covered:
        return None
    return PointFinding(None, "rows", True, f"{describe(covered)}; {what}", None)


def cells_match(
    mechanism: Mechanism,
    stated: Mapping[str, Any],
    points: Iterable[Mapping[Any, Any]] | None = None,
    places: Places | None = None,
) -> PointFinding | None:
    """Compare the cells of a large table, as a certificate states them, with the expanded table.

    Args:
        mechanism: the mechanism.
        stated: the `matrix` of a statement, its cells as numbers or expressions in
            `mechanism.variables`.
        points: where to compare; None for `points(mechanism)`.
        places: keeps what is written out.

    Returns:
        As `rows_match`.
    """
    form = mechanism.algebraic_table
    assert isinstance(form, Matrix)
    outputs = form.outputs

    def differs(place: PointPlace) -> Witness | None:
        cells = stated["cells"]
        said = [c if isinstance(c, Fraction) else evaluate(c, place.point) for c in cells]
        index = stated["index"]
        looks: dict[tuple[Any, Any], list[int]] = {}
        for y, entries in enumerate(zip(*index, strict=True)):
            supports = None if stated["support"] is None else tuple(stated["support"][y])
            looks.setdefault((entries, supports), []).append(y)
        expanded: Counter[Any] = Counter()
        for column in place.table.columns:
            supports = None if column.supports is None else tuple(sorted(column.supports))
            expanded[column.weights, supports] += column.multiplicity
        unit = place.table.denominator
        for (entries, supports), ys in looks.items():
            values = tuple(said[i] * unit for i in entries)
            expanded[values, supports] -= len(ys)
            if expanded[values, supports] < 0:
                return place.witness(
                    {"y": str(outputs[ys[0]])},
                    f"the column of y = {outputs[ys[0]]} is not in the expanded "
                    "table as often as stated",
                )
        return None

    return _at_points(mechanism, points, differs, "every column", places)


@ENUMERATION.rule((Kind.CLASS_COUNTS,), (*PAIRS, TableForm.LARGE))
def rows_match(
    mechanism: Mechanism,
    pair_tables: Sequence[PairTable],
    points: Iterable[Mapping[Any, Any]] | None = None,
    places: Places | None = None,
) -> PointFinding | None:
    """Compare stated pair-table rows with the outputs that the expanded table has.

    For every ordered pair of inputs some table must describe its outputs, and every table some
    pair. Rows with equal values are merged. Compared are the number of outputs of each class (not
    for `Bits`, whose rows are about two bits) and the mass of each class by likelihood ratio.

    Args:
        mechanism: the mechanism.
        pair_tables: tables whose expressions are in `mechanism.variables`.
        points: where to compare; None for `points(mechanism)`.
        places: keeps what is written out.

    Returns:
        A finding with obligation "rows"; None where the table cannot be written out at any point.
    """

    def differs(place: PointPlace) -> Witness | None:
        try:
            return _mismatch(place, pair_tables)
        except ZeroDivisionError:
            return place.witness({}, "a row of the pair table divides by zero here")

    return _at_points(mechanism, points, differs, "every ordered pair of inputs", places)


@ENUMERATION.rule((Kind.CLASS_COUNTS,), (TableForm.POINTS,))
def formulas_match(
    mechanism: Mechanism,
    stated: Points,
    points: Iterable[Mapping[Any, Any]] | None = None,
    places: Places | None = None,
) -> PointFinding | None:
    """Compare the formulas of points on a line, as a statement has them, with the expanded table.

    Args:
        mechanism: the mechanism.
        stated: the table that the statement speaks of, in `mechanism.variables`.
        points: where to compare; None for `points(mechanism)`.
        places: keeps what is written out.

    Returns:
        As `rows_match`.
    """

    def differs(place: PointPlace) -> Witness | None:
        try:
            said = expand_form(stated, place.point).rows()
        except (NotExpandableError, UndefinedCellError, ZeroDivisionError):
            said = ()
        if said == place.table.rows():
            return None
        return place.witness({}, "the formulas of the statement do not give the table here")

    return _at_points(mechanism, points, differs, "every cell", places)
