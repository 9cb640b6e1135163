"""Derived facts of a mechanism: the table by classes of outputs, then what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy
from rich.text import Text

from ldp_verified.derive import Facts, NoEstimator, in_epsilon, simple
from ldp_verified.prove.reached import reached
from ldp_verified.report.output import Json, Part, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_PAIRS = 4
LEVEL = sympy.Symbol("L", positive=True)
"""e^eps' in the (eps', delta) curve."""

Fact = tuple[str, Any]
"""A name and a sympy expression, or a sentence."""


def terminal(results: Sequence[Facts]) -> Iterator[Part]:
    """For each mechanism its pair tables and the facts."""
    for facts in results:
        mechanism = facts.mechanism
        legend = ", ".join(mechanism.domains[p].describe(p.name) for p in mechanism.parameters)
        generator = mechanism.generator
        if generator.eps is not None:
            power = generator.eps if generator.root == 1 else generator.eps / generator.root
            legend += f"; {generator.symbol} = e^({power})"
        yield Text(f"{mechanism.name}: {mechanism.title}  ({legend})", style="bold")
        for pair in facts.pair_tables[:MOST_PAIRS]:
            rows = table(
                "outputs y", "how many", "P(y|x)", "P(y|x')", "ratio", folded=("outputs y",)
            )
            for row in pair.rows:
                if simple(row.count) == 0:
                    continue
                rows.add_row(
                    row.outputs,
                    _text(simple(row.count)),
                    _text(simple(row.px)),
                    _text(simple(row.px2)),
                    _text(_ratio(row.px, row.px2)),
                )
            yield Text(pair.pair)
            yield rows
        more = len(facts.pair_tables) - MOST_PAIRS
        if more > 0:
            yield Text(f"{more} more types of pairs")
        lines = table("fact", "derived", folded=("derived",))
        for name, value in _facts(facts):
            lines.add_row(name, value if isinstance(value, str) else _text(value))
        yield lines
    yield Text("Derived, not proved: ldp-verified verify decides.")


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
                    "ratio": _text(_ratio(row.px, row.px2)),
                }
                for row in pair.rows
            ],
        }
        for pair in facts.pair_tables
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
    """What is known, in a fixed order; a fact that does not exist says why."""
    mechanism = facts.mechanism

    def plain(value: Any) -> Any:
        return in_epsilon(mechanism, value)

    masses = set(facts.total_mass)
    yield (
        "sum of P(y|x)",
        masses.pop() if len(masses) == 1 else "differs between the types of pairs",
    )
    yield "equal support", "yes" if facts.equal_support else "no: an output gives some input away"
    tight = facts.tight
    if tight is None:
        yield "tight epsilon", "no single row has the largest ratio for all parameters"
    else:
        yield "tight epsilon", facts.epsilon
        yield "reached at", f"{tight.outputs} ({tight.pair_name})"
        example = reached(mechanism)
        if example is not None:
            yield "for example", example
    if facts.support is not None:
        yield "p*", plain(facts.support.p_star)
        yield "q*", plain(facts.support.q_star)
    found = facts.estimator
    if isinstance(found, NoEstimator):
        yield "estimator", f"none is unbiased: {found.reason}"
    elif found.supported is not None:
        yield "a supporting report adds", plain(found.supported)
        yield "another report adds", plain(found.otherwise)
    else:
        yield "estimator matrix", plain(found.matrix)
    if facts.variance is not None:
        yield "variance of a count", plain(facts.variance)
        yield "variance at f = 0", plain(facts.variance_at_zero)
    elif not isinstance(found, NoEstimator):
        yield "variance of a count", "depends on more than the share of the value"
    for parameter, value in facts.optimal_parameters.items():
        yield f"best {parameter} at f = 0", plain(value)
    for cell, value in (facts.optimal_cells or {}).items():
        yield f"best {cell} at f = 0", plain(value)
    yield "delta at epsilon' = ln L", plain(facts.delta(LEVEL))


def _ratio(px: Any, px2: Any) -> Any:
    return sympy.oo if simple(px2) == 0 else simple(px / px2)


def _text(value: Any) -> str:
    return str(value)
