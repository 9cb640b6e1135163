"""Find the signs and the order of the outputs that a claim with delta is about.

Untrusted: what is named here is an obligation of the statement, and goes through the checkers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any

from ldp_verified.prove.certificates.checker import shows
from ldp_verified.prove.certificates.column_obligations import cell_classes, numbers
from ldp_verified.prove.certificates.columns import Columns
from ldp_verified.prove.certificates.domains import SHARE, USERS, DomainVariable
from ldp_verified.prove.certificates.events import Classes, Known, of_pair
from ldp_verified.prove.certificates.parsed_statement import Claim, Obligation, Tables
from ldp_verified.prove.certificates.polynomials import ExpressionError, Ring
from ldp_verified.prove.statements.certificate import find

MOST_ORDERED = 2000
"""Ordered pairs of classes whose order is looked for."""


def known_of_pairs(
    variables: Sequence[Mapping[str, Any]], tables: Mapping[str, Any], claim: Claim
) -> dict[str, Any]:
    """`positive`, `negative` and `order` of an LDP claim with delta, for each pair table.

    Args:
        variables: of the statement. tables: its `pair_tables`. claim: as stated so far.
    """
    domain = _domain(variables)
    parsed = Tables(Ring([v.name for v in domain]), {**tables, "weights": None})
    found: dict[str, list[Any]] = {"positive": [], "negative": [], "order": []}
    for t, bound in enumerate(claim["bounds"]):
        try:
            classes = of_pair(parsed, domain, 0, bound, t)
            known = _known(classes, [[*classes.cells]])
        except ExpressionError:
            known = Known()
        found["positive"].append(sorted(known.above))
        found["negative"].append(sorted(known.below))
        found["order"].append([list(pair) for pair in sorted(known.ahead)])
    return found


def known_of_cells(
    variables: Sequence[Mapping[str, Any]], table: Mapping[str, Any], claim: Claim
) -> dict[str, Any]:
    """`known_of_pairs` for a large matrix, where a class is a pair of cells.

    Args:
        variables: of the statement. table: its `matrix`. claim: as stated so far.
    """
    domain = _domain(variables)
    ring = Ring([v.name for v in domain])
    known, size = Known(), 1
    try:
        columns = Columns(ring, {**table, "weights": None})
        size = len(columns.table)
        classes, pairs = cell_classes(columns, domain, 0, claim)
        ranked = [i for i in classes.cells if numbers(columns.table, i)]
        known = _known(classes, [[*met] for _, met in pairs], ranked)
    except ExpressionError:
        pass
    return {
        "positive": [[*divmod(i, size)] for i in sorted(known.above)],
        "negative": [[*divmod(i, size)] for i in sorted(known.below)],
        "order": [[[*divmod(i, size)], [*divmod(j, size)]] for i, j in sorted(known.ahead)],
    }


def _domain(variables: Sequence[Mapping[str, Any]]) -> tuple[DomainVariable, ...]:
    return (*(DomainVariable.from_json(entry) for entry in variables), USERS, SHARE)


def _known(classes: Classes, groups: Iterable[Sequence[int]], ranks: Any = ()) -> Known:
    """The signs that have a certificate, and the order of those that have none.

    Args:
        classes: of outputs. groups: the classes that one pair of inputs meets, for every pair.
        ranks: the classes whose order is known without.
    """
    below = _shown({i: classes.below(i) for i in classes.cells})
    above = _shown({i: classes.above(i) for i in classes.cells if i not in below})
    free = classes.cells.keys() - above - below
    wanted = {
        pair
        for group in groups
        for pair in permutations(free.intersection(group), 2)
        if not {*pair} <= {*ranks}
    }
    ahead = {(i, j): classes.ahead(i, j) for i, j in sorted(wanted)}
    return Known(above, below, _shown(ahead if len(ahead) <= MOST_ORDERED else {}))


def _shown(candidates: dict[Any, Obligation]) -> frozenset[Any]:
    certificate = find({}, "", "", list(candidates.values()))
    return frozenset(key for key, o in candidates.items() if shows(o, certificate))
