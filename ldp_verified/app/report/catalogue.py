"""Declared mechanisms: names, parameters, table forms, claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ldp_verified.app.report.families import place
from ldp_verified.app.report.output import Json, Part, table
from ldp_verified.spec_files import catalogue_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.language import Mechanism


def entries(mechanisms: Sequence[Mechanism]) -> list[Json]:
    """Return the list's entry for each mechanism, the common ones of each family first."""
    ordered = sorted(mechanisms, key=lambda mechanism: place(_spec(mechanism).stem))
    return [_entry(mechanism) for mechanism in ordered]


def terminal(found: Sequence[Any]) -> Iterator[Part]:
    """One line per mechanism, given its entry."""
    rows = table("name", "title", folded=("title",))
    for entry in found:
        rows.add_row(entry["name"], entry["title"])
    yield rows
    yield Text("What is claimed of a mechanism, and whether it holds: ldp-verified verify NAME")


def document(found: Sequence[Any]) -> dict[str, Json]:
    """{"mechanisms": [...]}, with the path of each spec."""
    folder = catalogue_folder()
    return {"mechanisms": [{**each, "spec": str(folder / each["spec"])} for each in found]}


def _spec(mechanism: Mechanism) -> Path:
    """The spec file of a mechanism; an empty path where it has none."""
    return Path("" if mechanism.origin is None else mechanism.origin.path)


def _entry(mechanism: Mechanism) -> Json:
    return {
        "name": mechanism.name,
        "title": mechanism.title,
        "parameters": {p.name: mechanism.domains[p].describe(p.name) for p in mechanism.parameters},
        "table": type(mechanism.table).__name__,
        "claims": [type(claim).__name__ for claim in mechanism.claims],
        "spec": _spec(mechanism).name or None,
        "spec_hash": mechanism.spec_hash,
    }


def generator(mechanism: Mechanism) -> str:
    """Return the meaning of the symbol for e^eps ("u = e^eps"); empty without eps."""
    found = mechanism.generator
    if found.eps is None:
        return ""
    power = str(found.eps) if found.root == 1 else f"({found.eps}/{found.root})"
    return f"{found.symbol} = e^{power}"
