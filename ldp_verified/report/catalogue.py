"""Declared mechanisms: names, parameters, table forms, claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ldp_verified.report.output import Json, Part, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.language import Mechanism


def terminal(mechanisms: Sequence[Mechanism]) -> Iterator[Part]:
    """One line per mechanism."""
    rows = table(
        "name",
        "title",
        "parameters",
        "table",
        "claims",
        right=("claims",),
        folded=("title", "parameters"),
    )
    for mechanism in mechanisms:
        rows.add_row(
            mechanism.name,
            mechanism.title,
            ", ".join(_parameters(mechanism).values()),
            type(mechanism.table).__name__,
            str(len(mechanism.claims)),
        )
    yield rows
    yield Text("What is claimed of a mechanism, and whether it holds: ldp-verified verify NAME")


def document(mechanisms: Sequence[Mechanism]) -> dict[str, Json]:
    """{"mechanisms": [...]}."""
    return {"mechanisms": [_mechanism(mechanism) for mechanism in mechanisms]}


def _mechanism(mechanism: Mechanism) -> Json:
    return {
        "name": mechanism.name,
        "title": mechanism.title,
        "parameters": dict(_parameters(mechanism)),
        "table": type(mechanism.table).__name__,
        "claims": [type(claim).__name__ for claim in mechanism.claims],
        "spec": None if mechanism.origin is None else mechanism.origin.path,
        "spec_hash": mechanism.spec_hash,
    }


def generator(mechanism: Mechanism) -> str:
    """What the symbol for e^eps stands for ("u = e^eps"); empty in a mechanism without eps."""
    found = mechanism.generator
    if found.eps is None:
        return ""
    power = str(found.eps) if found.root == 1 else f"({found.eps}/{found.root})"
    return f"{found.symbol} = e^{power}"


def _parameters(mechanism: Mechanism) -> dict[str, str]:
    return {p.name: mechanism.domains[p].describe(p.name) for p in mechanism.parameters}
