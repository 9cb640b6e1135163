"""Reports name their mechanism, its parameters, its law and its thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

Scalar = int | float | str
"""What a parameter's value may be: a JSON scalar."""


@dataclass(frozen=True)
class Identity:
    """The things that have to agree before reports may be counted together.

    Attributes:
        mechanism: the class name ("GRR").
        parameter_items: (name, value) pairs, sorted by name; `parameters` is the same as a dict.
        law_hash: sha256 of the law that the mechanism was generated from, in hex: its table and
            its parameters' domains, never prose or code; empty where no table is declared.
        thresholds: the integer thresholds of the realized table.
    """

    mechanism: str
    parameter_items: tuple[tuple[str, Scalar], ...]
    law_hash: str
    thresholds: tuple[int, ...]

    @property
    def parameters(self) -> dict[str, Scalar]:
        """The parameters as a dict (a new one on each call)."""
        return dict(self.parameter_items)

    @cached_property
    def named(self) -> tuple[str, tuple[tuple[str, Scalar], ...]]:
        """Mechanism and parameters: its part of the domain of a seed (`run.kernels.seeds`)."""
        return self.mechanism, self.parameter_items

    def difference(self, other: Identity) -> str | None:
        """The first thing in which `other` differs, in words; None if nothing does."""
        if self.mechanism != other.mechanism:
            return f"mechanism {other.mechanism}, not {self.mechanism}"
        mine, theirs = self.parameters, other.parameters
        for name in sorted(mine.keys() | theirs.keys()):
            if mine.get(name) != theirs.get(name):
                return f"{name} = {theirs.get(name)!r}, not {mine.get(name)!r}"
        if self.law_hash != other.law_hash:
            return f"law {other.law_hash[:12]}, not {self.law_hash[:12]}"
        if self.thresholds != other.thresholds:
            if max(len(self.thresholds), len(other.thresholds)) > 8:
                return "other thresholds"
            return f"thresholds {other.thresholds}, not {self.thresholds}"
        return None
