"""The order of the catalogue's page: families of mechanisms, the common ones of each first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.app.report.entries import Section

FAMILIES = {
    "Categories": (
        *("grr", "oue", "olh", "sue", "subset_selection", "hadamard_response", "hrr", "pgr"),
        *("hpgr", "hash_cohorts", "she", "the", "ue", "histogram_rr", "keep_or_uniform"),
    ),
    "Two answers": ("warner", "binary_rr", "half_plus", "two_coins"),
    "Sketches of large domains": ("cms", "hcms"),
    "Keys with numbers": ("key_value_symbols",),
    "Numbers, vectors and grades": (
        *("laplace", "geometric", "truncated_geometric", "staircase", "gaussian", "duchi"),
        *("piecewise", "hybrid", "square_wave", "duchi_vector", "sphere_vector", "grades"),
    ),
    "Reports over time": ("rappor", "longitudinal", "longitudinal_bits", "dbitflip"),
    "Several attributes": ("attributes", "attribute_bits"),
}
"""Spec files by family. A file that stands in none comes last, under `OTHERS`."""

OTHERS = "Others"
PROTOCOLS = "Protocols"


@dataclass(frozen=True)
class Family:
    """Spec files that belong together.

    Attributes:
        name: of the family, unique on a page.
        sections: its spec files, the common ones first.
    """

    name: str
    sections: tuple[Section, ...]


def place(module: str) -> tuple[int, int, str]:
    """Tell where a spec file stands among all: the number of its family, its rank there, its name.

    Args:
        module: the file's name without .py.
    """
    for number, modules in enumerate(FAMILIES.values()):
        if module in modules:
            return number, modules.index(module), module
    return len(FAMILIES), 0, module


def families(sections: Sequence[Section], protocols: Sequence[Section] = ()) -> list[Family]:
    """Sort the sections of a page into families.

    Args:
        sections: one for each spec file of mechanisms.
        protocols: one for each declared protocol.

    Returns:
        The families that have a section, in the order of the page. Each section is in one of them.
    """
    names = [*FAMILIES, OTHERS]
    ordered = sorted(sections, key=lambda section: place(section.module))
    found = [
        Family(name, tuple(each for each in ordered if place(each.module)[0] == number))
        for number, name in enumerate(names)
    ]
    found.append(Family(PROTOCOLS, tuple(protocols)))
    return [family for family in found if family.sections]
