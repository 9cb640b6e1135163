"""Values of a spec's parameters for `--as`: given, those of the target, or the usual ones."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.realize.randomizer import Randomizer

LARGEST = 30.0
"""Of an exponent, where a size is guessed from it."""


def point_of(
    spec: Mechanism,
    epsilon: float,
    inputs: int,
    given: dict[str, object],
    own: Randomizer | None = None,
) -> dict[Any, Fraction]:
    """A value for every variable of a spec's algebraic table.

    Args:
        spec: the declaration.
        epsilon: the claim.
        inputs: how many inputs are audited; k, where it is not given.
        given: by name.
        own: an object whose attributes fill in what is not given.

    Raises:
        ParameterError: a name of no parameter, a value out of its domain, or none at all.
    """
    from ldp_verified.prove.expand import NotExpandableError, complete

    form = spec.algebraic_table
    structure = getattr(form, "structure", None) or getattr(form, "encoder", None)
    counted = getattr(structure, "determined", None)
    free = set() if counted is None else counted.free_symbols
    arguments = {} if structure is None else {s: n for n, s in structure.sizes.items()}
    unknown = set(given) - {str(s) for s in spec.variables} - set(arguments.values())
    if unknown:
        names = [str(s) for s in spec.variables if s not in free]
        raise ParameterError("--set", f"must name parameters among {names}", sorted(unknown))
    point: dict[Any, Fraction] = {}
    for symbol, domain in spec.variables.items():
        name, argument = str(symbol), arguments.get(symbol, str(symbol))
        held = given.get(name, given.get(argument))
        if symbol == spec.generator.symbol and spec.generator.eps is not None:
            point[symbol] = Fraction(exp(epsilon / spec.generator.root))
            continue
        if held is not None:
            point[symbol] = _number(name, held)
        elif symbol in free:
            continue
        elif own is not None and isinstance(
            known := getattr(own, argument, None), int | float | Fraction
        ):
            point[symbol] = Fraction(known)
        elif (usual := _usual(argument, epsilon, inputs, structure)) is not None:
            point[symbol] = Fraction(usual)
        else:
            raise ParameterError("--set", f"must give {name} of {spec.name}: --set {name}=...")
        if not domain.contains(sympy.Rational(str(point[symbol])), _exact(point)):
            raise ParameterError(name, f"must satisfy {domain.describe(name)}", str(point[symbol]))
    sizes = {} if structure is None else structure.sizes
    whole = {n: int(point[s]) for n, s in sizes.items() if s in point}
    if structure is not None and len(whole) == len(sizes) and not structure.admits(whole):
        raise ParameterError("--set", f"must be sizes that {spec.name} exists for", whole)
    try:
        return complete(form, point)
    except NotExpandableError as error:
        raise ParameterError("--set", f"must allow a structure ({error})") from None


def _exact(point: dict[Any, Fraction]) -> dict[Any, Any]:
    return {symbol: sympy.Rational(str(value)) for symbol, value in point.items()}


def _number(name: str, value: object) -> Fraction:
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise ParameterError(name, "must be a fraction or decimal", value) from None


def _usual(argument: str, epsilon: float, inputs: int, structure: Any) -> int | None:
    """What a client picks that is not told."""
    u = exp(min(epsilon, LARGEST))
    if argument == "k":
        return inputs
    if argument == "omega":
        return min(max(1, round(inputs / (u + 1))), inputs - 1)
    if argument in ("g", "prime"):
        near = max(2, round(u) + 1)
        prime = argument == "prime" or type(structure).__name__ == "LinearBlocks"
        return min(_primes(near), key=lambda p: abs(p - u - 1)) if prime else near
    return None


def _primes(near: int) -> tuple[int, ...]:
    above = int(sympy.nextprime(near - 1))
    return (above,) if near <= 2 else (int(sympy.prevprime(near + 1)), above)
