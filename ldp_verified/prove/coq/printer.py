"""A mechanism as a file of Coq definitions and theorems about its randomizer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ldp_verified.kinds import Key
from ldp_verified.language import Bits, Bloom, Density, Design, HashedOneHot, Mechanism, Noise
from ldp_verified.prove.coq.algebra import TABLE
from ldp_verified.prove.coq.bits import BitsTheorems
from ldp_verified.prove.coq.bloom import BloomTheorems
from ldp_verified.prove.coq.densities import DensityTheorems
from ldp_verified.prove.coq.designs import DesignTheorems
from ldp_verified.prove.coq.matrices import MatrixTheorems
from ldp_verified.prove.coq.sketch import SketchTheorems
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.coq.theorems import Theorems

COMMAND = "python -m ldp_verified.prove.coq --write"


_NAMED = re.compile(r"^(?:Definition|Lemma|Theorem) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Unsupported:
    """No Coq text was written for a mechanism.

    Attributes:
        reason: what is not supported, or not certified.
    """

    reason: str

    def __str__(self) -> str:
        return f"not supported in Coq because {self.reason}"


@dataclass(frozen=True)
class Printed:
    """The Coq file of a mechanism, and what its theorems say.

    Attributes:
        name: what every name in it begins with. text: the file; it proves nothing until Coq has
            accepted it.
        settles: obligation -> the theorems that state it, together.
        refused: obligation -> why no theorem was printed for it.
        stages: lemma or theorem -> the obligation for which it was printed.
        conditional: of what every theorem speaks, where it is not of one table.
    """

    name: str
    text: str
    settles: Mapping[Key, tuple[str, ...]]
    refused: Mapping[Key, str]
    stages: Mapping[str, Key]
    conditional: str = ""

    @property
    def names(self) -> frozenset[str]:
        """Return the names that the file defines or proves."""
        return frozenset(_NAMED.findall(self.text))


def coq_text(mechanism: Mechanism, *, attempt: bool = False) -> str | Unsupported:
    """The Coq file of a mechanism: its table as definitions, all of its claims as theorems.

    Args:
        mechanism: the declaration, of the catalogue or a user's own.
        attempt: print claims that have no certificate too, with a proof by search, and leave it to
            the kernel to reject them.

    Returns:
        The text, or why there is none. The text proves nothing until Coq has accepted it.
    """
    printed = coq_print(mechanism, attempt=attempt)
    if isinstance(printed, Unsupported):
        return printed
    claimed = [why for (claim, _), why in printed.refused.items() if claim is not None]
    return Unsupported(claimed[0]) if claimed else printed.text


def coq_print(
    mechanism: Mechanism, *, attempt: bool = False, without: Mapping[Key, str] | None = None
) -> Printed | Unsupported:
    """As much of a mechanism's Coq file as can be printed.

    Args:
        mechanism, attempt: see `coq_text`. without: obligations to leave out, and why.
    """
    if isinstance(mechanism.table, Noise):
        return Unsupported("it is noise without bounds, or cut off, which is not printed")
    refused = dict(without or {})
    while True:
        try:
            theorems = theorems_of(mechanism, attempt)
        except NotCertifiedError as error:
            return Unsupported(str(error))
        theorems.skip = frozenset(refused)
        try:
            theorems.print()
        except NotCertifiedError as error:
            if theorems.doing == TABLE:
                return Unsupported(str(error))
            refused[theorems.doing] = str(error)
            continue
        settles = {key: tuple(names) for key, names in theorems.settles.items()}
        stages = theorems.algebra.stages
        return Printed(
            mechanism.name, _file(theorems), settles, refused, stages, theorems.conditional
        )


def theorems_of(mechanism: Mechanism, attempt: bool) -> Theorems:
    """Return the printer for a mechanism's form of table.

    Raises:
        NotCertifiedError: a parameter, or the table, has no printed form.
    """
    match mechanism.table:
        case Design():
            return DesignTheorems(mechanism, attempt)
        case Density():
            return DensityTheorems(mechanism, attempt)
        case Bits(encoder=HashedOneHot()):
            return SketchTheorems(mechanism, attempt)
        case Bits(encoder=Bloom()):
            return BloomTheorems(mechanism, attempt)
        case Bits():
            return BitsTheorems(mechanism, attempt)
        case _:
            return MatrixTheorems(mechanism, attempt)


def _file(theorems: Theorems) -> str:
    m = theorems.mechanism
    title = re.sub(r"[^A-Za-z0-9 ,.-]", "", m.title)
    module = "" if m.origin is None else re.sub(r"\W", "_", m.origin.module)
    spec = f"spec/{module}.py" if module else "the declaration"
    variables = ", ".join(
        domain.describe(theorems.parameters.open_atoms[symbol])
        for symbol, domain in m.variables.items()
    )
    generator = m.generator
    meaning = ""
    if generator.eps is not None:
        name = theorems.parameters.open_atoms[generator.symbol]
        power = "eps" if generator.root == 1 else f"(eps/{generator.root})"
        meaning = f", where {name} is e^{power}"
    return "\n".join(
        [
            f"(* {title}.",
            f"   Generated by `{COMMAND}` from {spec}; do not edit.",
            f"   sha256 of the specification: {m.spec_hash} *)",
            "From Coq Require Import Reals List Arith Lra Lia Psatz.",
            f"From LDP Require Import {' '.join(theorems.libraries)}.",
            "Import ListNotations.",
            "Open Scope R_scope.",
            "",
            "(** * The table, as the specification states it *)",
            "",
            "\n\n".join(theorems.definitions),
            "",
            f"(** * Algebra over real variables: {variables}{meaning} *)",
            "",
            "\n\n".join(theorems.algebra.lemmas),
            "",
            "(** * The randomizer *)",
            "",
            "\n\n".join(theorems.theorems),
            "",
        ]
    )
