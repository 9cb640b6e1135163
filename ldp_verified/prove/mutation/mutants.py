"""Systematic wrong variants of a mechanism, for measuring what the checkers see.

Each differs from a true declaration, its control, in one respect. Nothing here decides whether it
is really wrong: some variants stay true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice
from typing import Any

import sympy

from ldp_verified.derive import Facts, NoEstimator, in_epsilon
from ldp_verified.errors import SpecError
from ldp_verified.language import Claim, Design, Matrix, Mechanism, Unbiased
from ldp_verified.prove.coq.printer import coq_text
from ldp_verified.prove.mutation.expression_changes import dropped, moved, squared, variant
from ldp_verified.prove.mutation.wrong_claims import wrong_claims, wrong_constants
from ldp_verified.prove.mutation.wrong_declarations import (
    TextChange,
    text_changes,
    wrong_declarations,
)
from ldp_verified.prove.prepared import case

MOST_CELLS = 6
"""Cells of a `Matrix` that are mutated, in reading order."""

Change = tuple[str, str, Callable[[], Mechanism]]
"""Kind, what was changed, and the changed declaration."""


@dataclass(frozen=True)
class Mutant:
    """A declaration with one thing changed.

    Attributes:
        kind: swap | exponent | parameter | term | multiplicity | lambda | consistent multiplicity |
            consistent lambda | epsilon | distance | region | variance | estimator | optimum |
            comparison | name | domain | singularity | text. Consistent: cells and claims agree with
            the wrong counts. Text: what one checker reads is changed, and not the declaration.
        change: what was changed, as a phrase.
        control: the declaration before the change, which is meant to be true.
        mechanism: after the change; None where the vocabulary refuses it.
        refused: the refusal.
        text: the change of what is printed, of kind "text" only.
    """

    kind: str
    change: str
    control: Mechanism
    mechanism: Mechanism | None
    refused: str = ""
    text: TextChange | None = None

    @property
    def name(self) -> str:
        """Mechanism, kind and change in one line."""
        return f"{self.control.name}: {self.kind}: {self.change}"


def mutants(mechanism: Mechanism, each: int | None = None) -> tuple[Mutant, ...]:
    """Wrong variants of a mechanism: its cells, counts and claims, one change at a time.

    Where it makes no claim of a kind, the derived one is changed. `each` is how many there are of
    each kind at most; None for all.
    """
    facts = Facts(mechanism)
    original = variant(case(mechanism).completed)  # needs what its variants need
    found: dict[Any, Mutant] = {_look(original): Mutant("", "", original, original)}

    def add(control: Mechanism, changes: Iterator[Change]) -> None:
        for kind, change, make in changes:
            if each is not None and sum(one.kind == kind for one in found.values()) >= each:
                continue
            try:
                made = make()
            except SpecError as error:
                found[kind, change] = Mutant(kind, change, control, None, str(error))
            else:
                found.setdefault(_look(made), Mutant(kind, change, control, made))

    add(original, _cells(original))
    add(original, _counts(original))
    add(original, _claims(original, facts))
    add(original, wrong_declarations(original))
    written = _written_estimator(original, facts)
    if written is not None:
        found[_look(written)] = Mutant("", "", written, written)
        add(written, _estimator(written))
    changed = [mutant for mutant in found.values() if mutant.kind]
    printed = coq_text(original, attempt=True)
    rows = facts.large is None and bool(facts.pair_tables)
    texts = text_changes(original, printed if isinstance(printed, str) else "", counted=rows)
    for what, change in islice(texts, each):
        changed.append(Mutant("text", what, original, original, text=change))
    return tuple(changed)


def _look(m: Mechanism) -> tuple[str, ...]:
    domains = [d.describe(str(s)) for s, d in m.variables.items()]
    needed = sorted(str((r.value, r.relation)) for r in m.requirements)
    return repr(m.table), repr(m.claims), repr(domains), repr(needed)


def _cells(m: Mechanism) -> Iterator[Change]:
    """Cells exchanged, e^eps squared, integers moved by one, terms dropped."""
    cells = dict(list(m.table.cells().items())[:MOST_CELLS])
    rest = m.table.cells()

    def put(changed: dict[str, Any]) -> Callable[[], Mechanism]:
        return lambda: variant(m, table=m.table.with_cells({**rest, **changed}))

    def label(name: str) -> str:
        return str(cells[name]) if isinstance(m.table, Matrix) else name

    for a, b in combinations(cells, 2):
        yield "swap", f"{label(a)} and {label(b)} change places", put({a: cells[b], b: cells[a]})
    if isinstance(m.table, Matrix):
        yield "swap", "the first row backwards", lambda: variant(m, table=_first_reversed(m.table))
    every = ("exponent", "e^eps squared", squared), *moved(m.parameters, "parameter")
    for kind, what, change in every:
        new = {name: change(cell) for name, cell in rest.items()}
        touched = [name for name in cells if new[name] != cells[name]]
        if touched:
            yield kind, f"{what} in every cell", put(new)
        for name in touched if len(touched) > 1 else []:
            yield kind, f"{what} in {label(name)} only", put({name: new[name]})
    for name, cell in cells.items():
        for what, left in dropped(cell):
            yield "term", f"{what} dropped from {label(name)}", put({name: left})


def _first_reversed(form: Any) -> Matrix:
    rows = [list(row) for row in form.rows]
    rows[0].reverse()
    return Matrix(rows, inputs=form.inputs, outputs=form.outputs, support=form.support)


def _counts(m: Mechanism) -> Iterator[Change]:
    """Wrong b, r and lambda: with the claims as they were, and with claims that agree with them."""
    form = m.table
    if not isinstance(form, Design):
        return
    for name, kind in (
        ("blocks", "multiplicity"),
        ("containing", "multiplicity"),
        ("together", "lambda"),
    ):
        old = getattr(form, name)
        changed = {"one more": old + 1, "twice as many": 2 * old}
        changed |= {what: move(old) for _, what, move in moved(m.parameters, "")}
        for what, new in changed.items():
            if new == old:
                continue
            other = replace(form, **{name: new})
            yield kind, f"{name}: {what}", partial(variant, m, table=other)
            yield (
                f"consistent {kind}",
                f"{name}: {what}; cells and claims follow",
                partial(_following, m, other),
            )


def _following(m: Mechanism, form: Design) -> Mechanism:
    """The wrong counts, cells that sum to one with them, and what is then derived as claims."""
    total = form.containing * form.inside + (form.blocks - form.containing) * form.outside
    total = sympy.cancel(sympy.together(total))
    cells = {name: cell / total for name, cell in form.cells().items()}
    scaled = form if total == 1 else form.with_cells(cells)
    return variant(case(variant(m, table=scaled, claims=())).completed)


def _claims(m: Mechanism, facts: Facts) -> Iterator[Change]:
    """Every claim, one at a time, into something else."""
    for position, claim in enumerate(m.claims):
        for kind, change, make in wrong_claims(m, claim, facts):
            yield kind, f"claim {position + 1}: {change}", _putting(m, position, make)


def _putting(m: Mechanism, at: int, make: Callable[[], Claim]) -> Callable[[], Mechanism]:
    return lambda: variant(m, claims=(*m.claims[:at], make(), *m.claims[at + 1 :]))


def _written_estimator(m: Mechanism, facts: Facts) -> Mechanism | None:
    """The declaration with the derived estimator's constants in place of `Unbiased()`."""
    places = [i for i, c in enumerate(m.claims) if isinstance(c, Unbiased)]
    found = facts.support
    if not places or found is None or isinstance(facts.estimator, NoEstimator):
        return None
    claim = m.claims[places[0]]
    assert isinstance(claim, Unbiased)
    if claim.supported is not None:
        return None
    p, q = (in_epsilon(m, value) for value in (found.p_star, found.q_star))
    constants = Unbiased(sympy.factor((1 - q) / (p - q)), sympy.factor(-q / (p - q)))
    return variant(m, claims=(*m.claims[: places[0]], constants, *m.claims[places[0] + 1 :]))


def _estimator(m: Mechanism) -> Iterator[Change]:
    for position, claim in enumerate(m.claims):
        if isinstance(claim, Unbiased) and claim.supported is not None:
            for kind, change, make in wrong_constants(claim):
                yield kind, f"claim {position + 1}: {change}", _putting(m, position, make)
