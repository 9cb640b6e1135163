"""Derived facts of a mechanism: the table by classes of outputs, then what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy
from rich.text import Text

from ldp_verified.app.report.catalogue import generator
from ldp_verified.app.report.entries import declared
from ldp_verified.app.report.entry_facts import facts_of, is_finite
from ldp_verified.app.report.output import Json, Part, table
from ldp_verified.app.report.sentences import spelled
from ldp_verified.derive import Facts, NoEstimator, in_epsilon, readable, simple, solve_parameter
from ldp_verified.language import Domain, f, n
from ldp_verified.prove.enumeration.tight_rows import reached
from ldp_verified.prove.winners import ranges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.language import Mechanism, PairRow, PairTable

MOST_PAIRS = 4
OF_A_LINE = ("epsilon", "mean of a report", "variance of a report", "largest variance")
"""What there is to derive of a distribution on the line."""

LEVEL = sympy.Symbol("L", positive=True)
"""e^eps' in the (eps', delta) curve."""

Fact = tuple[str, Any]
"""A name and a sympy expression, or a sentence."""


def terminal(results: Sequence[Facts]) -> Iterator[Part]:
    """The pair tables and the derived facts of each mechanism."""
    for facts in results:
        mechanism = facts.mechanism
        yield Text(_head(mechanism), style="bold")
        listed = _listed(facts)
        if not is_finite(mechanism):
            yield from _line(mechanism)
            continue
        if not listed:
            yield Text(_shape(facts)) if facts.large is not None else _cells(mechanism)
        for pair in listed[:MOST_PAIRS]:
            rows = table(
                "outputs y", "how many", "P(y|x)", "P(y|x')", "ratio", folded=("outputs y",)
            )
            for row in pair.rows:
                if simple(row.count) == 0:
                    continue
                values = (row.count, row.px, row.px2)
                cells = [_text(readable(value, mechanism.variables)) for value in values]
                rows.add_row(row.outputs, *cells, _ratio(mechanism, row))
            yield Text(pair.pair)
            yield rows
        more = len(listed) - MOST_PAIRS
        if more > 0:
            yield Text(f"{more} more types of pairs")
        lines = table("fact", "derived", folded=("derived",))
        for name, value in _facts(facts):
            lines.add_row(name, value if isinstance(value, str) else _text(value))
        yield lines
    yield Text("Derived, not proved: ldp-verified verify decides.")


def _listed(facts: Facts) -> Sequence[PairTable]:
    """The pair tables; none of a table that is too large to be read."""
    if facts.large is not None and not facts.large.shown_in_full:
        return ()
    return facts.pair_tables


def _cells(mechanism: Mechanism) -> Part:
    """The table as it is declared."""
    grid = declared(mechanism)
    heads = [spelled(head) for head in grid.heads]
    rows = table(*heads, folded=tuple(heads))
    for row in grid.rows:
        rows.add_row(*map(spelled, row))
    return rows


def _line(mechanism: Mechanism) -> Iterator[Part]:
    """The table of a distribution on the line, and its moments."""
    yield _cells(mechanism)
    lines = table("fact", "derived", folded=("derived",))
    for label, sentence in facts_of(mechanism):
        if label in OF_A_LINE:
            lines.add_row(label, spelled(sentence))
    yield lines


def _shape(facts: Facts) -> str:
    assert facts.large is not None
    inputs, outputs = facts.large.layout.index.shape
    cells = len(facts.large.layout.cells)
    return f"{inputs} inputs, {outputs} outputs, {cells} different cells: too many to be listed"


def _head(mechanism: Mechanism) -> str:
    """Name, title, and where its symbols range."""
    title = "" if mechanism.title == mechanism.name else f": {mechanism.title}"
    legend = ", ".join(mechanism.domains[p].describe(p.name) for p in mechanism.parameters)
    legend = "; ".join(filter(None, [legend, generator(mechanism)]))
    return mechanism.name + title + (f"  ({legend})" if legend else "")


def document(results: Sequence[Facts]) -> dict[str, Json]:
    """{"mechanisms": [...]}: formulas as sympy text and as LaTeX."""
    return {"mechanisms": [_mechanism(facts) for facts in results]}


def _mechanism(facts: Facts) -> Json:
    mechanism = facts.mechanism
    tables: list[Json] = [
        {
            "pair": pair.pair,
            "rows": [
                {
                    "outputs": row.outputs,
                    "count": _text(row.count),
                    "p_x": _text(row.px),
                    "p_x2": _text(row.px2),
                    "ratio": _ratio(mechanism, row),
                }
                for row in pair.rows
            ],
        }
        for pair in _listed(facts)
    ]
    return {
        "name": mechanism.name,
        "title": mechanism.title,
        "spec_hash": mechanism.spec_hash,
        "parameters": {p.name: mechanism.domains[p].describe(p.name) for p in mechanism.parameters},
        "generator": None
        if mechanism.generator.eps is None
        else {
            "symbol": _text(mechanism.generator.symbol),
            "stands_for": _text(sympy.exp(mechanism.generator.eps / mechanism.generator.root)),
        },
        "pair_tables": tables,
        "facts": {
            name: {"text": value, "latex": None}
            if isinstance(value, str)
            else {"text": _text(value), "latex": sympy.latex(value)}
            for name, value in _facts(facts)
        },
    }


def _facts(facts: Facts) -> Iterator[Fact]:
    """Yield the known facts in a fixed order; a fact that does not exist says why."""
    mechanism = facts.mechanism
    if not is_finite(mechanism):
        told = facts_of(mechanism)
        yield from ((label, spelled(said)) for label, said in told if label in OF_A_LINE)
        return

    def plain(value: Any) -> Any:
        if not isinstance(value, sympy.MatrixBase):
            value = readable(value, {**mechanism.variables, n: Domain(lower=1)})
        return in_epsilon(mechanism, value)

    if facts.pair_tables:
        masses = set(facts.total_mass)
        whole = masses.pop() if len(masses) == 1 else "differs between the types of pairs"
        yield "sum of P(y|x)", whole
        same = facts.equal_support
        yield "equal support", "yes" if same else "no: an output gives some input away"
    tight = facts.tight
    if tight is None:
        split = ", ".join(f"{r.epsilon} where {r.where}" for r in ranges(facts.mechanism, facts))
        none = "no single row has the largest ratio for all parameters"
        yield "tight epsilon", split or none
    else:
        yield "tight epsilon", facts.epsilon
        yield "reached at", f"{tight.outputs} ({tight.pair_name})"
        example = reached(mechanism)
        if example is not None:
            yield "for example", example
        solved = solve_parameter(mechanism, facts)
        if solved is not None:
            yield "at a wanted eps", solved.text
    if facts.support is not None:
        yield "p*", plain(facts.support.p_star)
        yield "q*", plain(facts.support.q_star)
    found = facts.estimator
    if isinstance(found, NoEstimator):
        yield "estimator", found.text
    elif found.supported is not None:
        yield "a supporting report adds", plain(found.supported)
        yield "another report adds", plain(found.otherwise)
    elif found.exists is not None:
        yield "estimator", f"an unbiased one exists: {found.exists.describe()}"
    elif found.matrix is None and found.layout is not None:
        yield "estimator", f"a matrix of {len(found.layout.cells)} different weights"
    else:
        yield "estimator matrix", plain(found.matrix)
    if facts.variance is not None:
        at_zero = plain(facts.variance_at_zero)
        slope = plain((facts.variance - facts.variance_at_zero) / f)
        yield "variance of a count", at_zero + f * slope
        yield "variance at f = 0", at_zero
    elif not isinstance(found, NoEstimator):
        yield "variance of a count", "depends on more than the share of the value"
    for parameter, value in facts.optimal_parameters.items():
        yield f"best {parameter} at f = 0", plain(value)
    for cell, value in (facts.optimal_cells or {}).items():
        yield f"best {cell} at f = 0", plain(value)
    curve = facts.largest_delta(LEVEL, {LEVEL: Domain(lower=sympy.S.One)})
    if curve is not None:
        yield "largest delta at ln L >= 0", curve


def _ratio(mechanism: Mechanism, row: PairRow) -> str:
    """P(y|x)/P(y|x') as text; "oo" where only the latter is 0, "0/0" where both are."""
    if simple(row.px2) == 0:
        return "0/0" if simple(row.px) == 0 else "oo"
    return _text(readable(row.px / row.px2, mechanism.variables))


def _text(value: Any) -> str:
    return str(value)
