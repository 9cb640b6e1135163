"""Objects of the classes that are generated from protocol files, at small parameters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.errors import ParameterError
from ldp_verified.generate.protocols import field_name, made
from ldp_verified.language import catalogue_folder, load_protocol

if TYPE_CHECKING:
    from ldp_verified.language.protocol import Protocol

SOME_FUNCTION = 0xB5297A4D3F84D5B5C4CEB9FE1A85EC53
"""Taken for a parameter that may be 0: most of these are public functions, as numbers."""


def made_at(spec: str, given: Mapping[str, Any]) -> Any:
    """An object of a protocol's class, at the given parameters and small ones.

    Args:
        spec: a name of `spec/protocols`, or a file. given: parameters by their declared names.

    Raises:
        SpecError: the file cannot be read, or no class is generated from it.
        ParameterError: a parameter is out of range, or none.
    """
    declared = load_protocol(spec)
    run = made(declared, file_of(spec))
    return run(**fields_of(run, sample_arguments(declared, given)))


def fields_of(run: type[Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a generated class; what nothing in it depends on is left out."""
    taken = {field_name(name): value for name, value in arguments.items()}
    return {name: value for name, value in taken.items() if name in run.__dataclass_fields__}


def file_of(spec: str) -> Path:
    """The file of a protocol's name, or the path itself."""
    path = Path(spec)
    if spec.isidentifier() and not path.is_file():
        return catalogue_folder() / "protocols" / f"{spec}.py"
    return path


def sample_arguments(declared: Protocol, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values for all parameters: those given, and small ones; epsilons are 1.

    Raises:
        ParameterError: what is given is no parameter.
    """
    known = {p.name for p in declared.parameters}
    for name in given:
        if name not in known:
            raise ParameterError("--set", f"must name one of {', '.join(sorted(known))}", name)
    found: dict[str, Any] = {}
    point: dict[Any, Any] = {}
    for parameter in declared.parameters:
        value = given.get(parameter.name)
        if value is None:
            value = _small(parameter.domain, point)
        point[parameter] = sympy.Rational(str(value))
        found[parameter.name] = value
    return found


def _small(domain: Any, point: dict[Any, Any]) -> Any:
    lower, upper = (
        None if bound is None else sympy.sympify(bound).subs(point)
        for bound in (domain.lower, domain.upper)
    )
    if domain.integer:
        least = 0 if lower is None else int(sympy.ceiling(lower))
        found = SOME_FUNCTION if lower == 0 and upper is None else max(least, 2)
        return found if upper is None else min(found, int(sympy.floor(upper)))
    if lower is None or upper is None:
        return 1.0 if lower is None or lower < 1 else float(lower + 1)
    return float(1 if lower < 1 < upper else lower + (upper - lower) / 3)
