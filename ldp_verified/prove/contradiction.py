"""Checkers that contradict each other: this package is wrong, and says what helps to mend it."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ldp_verified.errors import ContradictionError

if TYPE_CHECKING:
    from ldp_verified.kinds import Key
    from ldp_verified.language import Mechanism
    from ldp_verified.prove.verdicts import Witness


def refuse_contradiction(
    mechanism: Mechanism,
    key: Key,
    text: str,
    proves: tuple[str, ...],
    theorems: tuple[str, ...],
    witness: Witness,
) -> NoReturn:
    """Say loudly that this package contradicts itself.

    Raises:
        ContradictionError: always.
    """
    m = mechanism
    named = ", ".join(proves) + (f" ({', '.join(theorems)})" if theorems else "")
    tools = ["sympy", "z3-solver", "ldp-verified"]
    lines: dict[str, Any] = {
        "obligation": f"{key[1]} of {'the table' if key[0] is None else f'claim {key[0]}'}",
        "statement": text,
        "proved by": named,
        "refuted": witness.explanation,
        "at": dict(witness.parameters),
        "values": dict(witness.values),
        "sha256 of the spec": m.spec_hash,
        "declaration": m.table,
        "python": platform.python_version(),
        **{tool: _version(tool) for tool in tools},
    }
    shown = "\n".join(f"  {name}: {value}" for name, value in lines.items())
    raise ContradictionError(f"{m.name}: {key[1]}", shown)


def refuse_disagreement(name: str, lines: Sequence[str]) -> NoReturn:
    """Say loudly that the verifier and the checker inside the kernel differ.

    Args:
        name: of the mechanism. lines: one for each part of its statement that they differ about.

    Raises:
        ContradictionError: always.
    """
    shown = "\n".join(f"  {line}" for line in lines)
    what = "is shown by one of two checkers of one certificate and not by the other"
    raise ContradictionError(name, shown, what)


def _version(tool: str) -> str:
    try:
        return importlib.metadata.version(tool)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
