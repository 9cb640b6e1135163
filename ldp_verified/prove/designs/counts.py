"""The verdict on the class counts: the rows of a statement against the outputs of its table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import sympy

from ldp_verified.kinds import Key, Kind
from ldp_verified.language import Design, Mechanism, PairRow, PairTable, Points
from ldp_verified.language.points import own_symbols
from ldp_verified.prove.certificates.columns import number
from ldp_verified.prove.contradiction import refuse_contradiction
from ldp_verified.prove.coq.kernel import Kernel
from ldp_verified.prove.designs.counting import compare, counts_of
from ldp_verified.prove.designs.existence import of_one_size
from ldp_verified.prove.designs.identities import identities
from ldp_verified.prove.designs.rows import cells_match, formulas_match, rows_match
from ldp_verified.prove.enumeration.drawn import DrawnPoints
from ldp_verified.prove.enumeration.expand import (
    NotExpandableError,
    UndefinedCellError,
    complete,
    evaluate,
)
from ldp_verified.prove.enumeration.points import points
from ldp_verified.prove.enumeration.witnesses import Places, PointFinding
from ldp_verified.prove.evidence import asked_of_added, made
from ldp_verified.prove.prepared import Prepared
from ldp_verified.prove.registry import proving
from ldp_verified.prove.verdict_algebra import Evidence
from ldp_verified.prove.verdicts import Verdict

KEY: Key = (None, Kind.CLASS_COUNTS)
TEXT = Kind.CLASS_COUNTS.text

FARTHER = 32
"""The largest size at which a difference is looked for, where counts differ as functions."""

MOST_LOOKED_AT = 4
"""The most such sizes at which the table is written out."""


class ClassCounts:
    """The routes' decisions on the rows of one statement.

    Args:
        this: the mechanism's case. largest: structures are enumerated up to this size.
        drawn: further points, which only refute.
        places: keeps what is written out.
    """

    def __init__(
        self,
        this: Prepared,
        largest: int,
        drawn: DrawnPoints | None = None,
        places: Places | None = None,
    ) -> None:
        self.this = this
        self._places = places or Places(this.completed)
        self.form: Any = this.completed.algebraic_table
        self.counted = compare(self.form, this.statement)
        at = points(this.completed, largest)
        self.finding = self._match(at)
        self.identities = identities(this.completed, at)
        if drawn is not None and (self.finding is None or self.finding.holds):
            self.finding = self._against(drawn) or self.finding
        if self.counted.differs and (self.finding is None or self.finding.holds):
            self.finding = self._match(self._farther()) or self.finding

    def _match(self, at: list[dict[Any, Fraction]]) -> PointFinding | None:
        """The rows as the statement has them, against the expanded table."""
        m, stated = self.this.completed, self.this.statement.get("matrix")
        if isinstance(self.form, Points):
            return formulas_match(m, self._stated_points, at, self._places)
        if stated is None:
            return rows_match(m, self._stated_rows, at, self._places)
        return _cells_finding(self.this, stated, at)

    @cached_property
    def _stated_rows(self) -> tuple[PairTable, ...]:
        """The rows, read once for all points."""
        return stated_rows(self.this.completed, self.this.certificate["statement"])

    @cached_property
    def _stated_points(self) -> Points:
        """The formulas, read once for all points."""
        return stated_points(self.this.completed, self.this.certificate["statement"])

    def _against(self, drawn: DrawnPoints) -> PointFinding | None:
        """The first drawn point at which the rows are not those of the expanded table."""
        for point in drawn.points:
            finding = self._match([point])
            if finding is not None and not finding.holds:
                return replace(finding, sizes=f"{finding.sizes}; drawn with the seed {drawn.seed}")
        return None

    def _farther(self) -> list[dict[Any, Fraction]]:
        """Sizes beyond those enumerated at which the stated counts are not the structure's."""
        form = self.form
        own = counts_of(form.structure) if isinstance(form, Design) else None
        if own is None:
            return []
        found: list[dict[Any, Fraction]] = []
        sides = list(zip((form.blocks, form.containing, form.together), own, strict=True))
        for point in points(self.this.completed, FARTHER):
            try:
                full = complete(form, point)
                differs = any(evaluate(a, full) != evaluate(b, full) for a, b in sides)
            except (NotExpandableError, UndefinedCellError, ZeroDivisionError):
                continue
            if differs:
                found.append(point)
            if len(found) == MOST_LOOKED_AT:
                break
        return found

    def hold_at(self, parameters: Mapping[str, str]) -> bool | None:
        """Return whether the rows match the expanded table at one point; None if undecided."""
        symbols = {symbol.name: symbol for symbol in self.this.completed.variables}
        at = {symbols[n]: Fraction(text) for n, text in parameters.items() if n in symbols}
        finding = self._match([at])
        return None if finding is None else finding.holds

    def verdict(self, kernel: Kernel | None) -> Verdict:
        """The verdict on the rows alone.

        Raises:
            ContradictionError: they are proved, and there is a witness against them.
        """
        looked = {"enumeration": self.finding, "identities": self.identities}
        against = {name: each for name, each in looked.items() if each and not each.holds}
        theorems = () if kernel is None else kernel.theorems(KEY)
        added = asked_of_added(self.this, KEY)
        shown = {"counting": self.counted.shown, "coq": bool(theorems)}
        proves = proving({**shown, **dict.fromkeys(added.proves, True)})
        witness = next((each.witness for each in against.values()), None)
        if witness is not None and proves:
            refuse_contradiction(self.this.mechanism, KEY, TEXT, proves, theorems, witness)
        refuses = {"counting": self.counted.differs} if self.counted.differs else {}
        if kernel is not None and kernel.refusal(KEY):
            refuses["coq"] = kernel.refusal(KEY)
        refuses |= added.refuses
        evidence = Evidence(
            proves,
            (*(name for name, each in looked.items() if each and each.holds), *added.agrees),
            refuses,
            witness,
            tuple(against),
            *self._granted(bool(against or proves)),
        )
        parts = [*(each.sizes for each in [*against.values(), self.finding] if each), *self._why()]
        coq = "" if kernel is None or theorems else f"coq: {kernel.reason(KEY)}"
        return made(None, TEXT, Kind.CLASS_COUNTS, evidence, *parts[:1], coq, kernel=kernel)

    def _granted(self, decided: bool) -> tuple[tuple[str, ...], bool]:
        form = self.form
        if decided or not isinstance(form, Design) or form.structure is not None:
            return (), False
        return ("that blocks with the stated counts exist: no structure is given",), True

    def _why(self) -> Iterator[str]:
        form = self.form
        if not isinstance(form, Design) or form.structure is not None:
            yield "the table cannot be written out (no concrete structure, or too large)"
            return
        size = of_one_size(form)
        yield "that such blocks exist: no structure is given" + (f"; {size}" if size else "")


def _cells_finding(
    this: Prepared, stated: Mapping[str, Any], at: list[dict[Any, Fraction]]
) -> PointFinding | None:
    """The cells of a large table, as the certificate states them, against the expanded table.

    At two points, which is enough to see that a text is of another cell.
    """
    mechanism = this.completed
    names = {symbol.name: symbol for symbol in mechanism.variables}
    numbers = [number(text) for text in stated["cells"]]
    cells = [
        sympy.sympify(text, locals=names) if known is None else Fraction(*known)
        for text, known in zip(stated["cells"], numbers, strict=True)
    ]
    return cells_match(mechanism, {**stated, "cells": cells}, at[:2])


def stated_points(mechanism: Mechanism, statement: Mapping[str, Any]) -> Points:
    """Points on a line as they stand in a statement, read back from its text."""
    symbols = (*mechanism.variables, *own_symbols(mechanism.table))
    names = {symbol.name: symbol for symbol in symbols}
    given = statement["points"]
    formulas = {
        name: None if text is None else sympy.sympify(text, locals=names)
        for name, text in given.items()
    }
    return Points(**formulas)


def stated_rows(mechanism: Mechanism, statement: Mapping[str, Any]) -> tuple[PairTable, ...]:
    """The pair tables as they stand in a statement, read back from its text."""
    names = {symbol.name: symbol for symbol in mechanism.variables}

    @cache
    def read(text: str) -> Any:
        return sympy.sympify(text, locals=names)

    return tuple(
        PairTable(
            table["pair"],
            tuple(
                PairRow(
                    row["outputs"],
                    read(row["count"]),
                    read(row["px"]),
                    read(row["px2"]),
                    row["supports_x"],
                    row["supports_x2"],
                )
                for row in table["rows"]
            ),
        )
        for table in statement["pair_tables"]
    )
