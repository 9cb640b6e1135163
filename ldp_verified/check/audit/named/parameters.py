"""Values of a spec's parameters for `--as`: given, those of the target, or the usual ones."""

from __future__ import annotations

from fractions import Fraction
from math import exp, sqrt
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.check.audit.named.solving import needed, solved
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.check.audit.targets.our_mechanisms import Own
    from ldp_verified.language.mechanism import Mechanism

LARGEST = 30.0
"""The largest epsilon from which a size is guessed; a larger one is replaced by it."""

TAILS = ("low", "high")
"""Parameters of cut-off noise that stand for powers which depend on the input."""

OWN = {"m": "steps", "L": "reach"}
"""What attributes of this package's objects are called where specs have another name."""


def point_of(
    spec: Mechanism,
    epsilon: float,
    inputs: int,
    given: dict[str, object],
    own: Own | None = None,
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
    from ldp_verified.prove.enumeration.expand import NotExpandableError, complete

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
    missing: list[Any] = []
    for symbol in spec.variables:
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
        elif (usual := _usual(spec, argument, epsilon, inputs)) is not None:
            point[symbol] = Fraction(usual)
        else:
            missing.append(symbol)
    if len(missing) == 1 and (fit := solved(spec, missing[0], point, epsilon)) is not None:
        point[missing.pop()] = Fraction(fit)
    if missing:
        raise needed(spec, [str(symbol) for symbol in missing])
    for symbol, domain in spec.variables.items():
        name = str(symbol)
        if symbol in point and not domain.contains(
            sympy.Rational(str(point[symbol])), _exact(point)
        ):
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


def _usual(spec: Mechanism, argument: str, epsilon: float, inputs: int) -> float | None:
    """Return the default that clients commonly use for an argument; None if there is none."""
    form = spec.algebraic_table
    structure = getattr(form, "structure", None) or getattr(form, "encoder", None)
    u = exp(min(epsilon, LARGEST))
    if argument == "k":
        return inputs
    if structure is None:
        return _usual_number(spec.name, argument, min(epsilon, LARGEST), inputs)
    if spec.name == "the" and argument in ("kept", "raised"):
        s = sqrt(u)  # with the threshold that is best at f = 0
        raised = (1 + s + sqrt(s * s - s + 1)) / 3
        return raised if argument == "raised" else s / raised
    if argument == "omega":
        return min(max(1, round(inputs / (u + 1))), inputs - 1)
    if argument in ("g", "prime"):
        near = max(2, round(u) + 1)
        prime = argument == "prime" or type(structure).__name__ == "LinearBlocks"
        return min(_primes(near), key=lambda p: abs(p - u - 1)) if prime else near
    return None


def _usual_number(name: str, argument: str, epsilon: float, inputs: int) -> float | None:
    """Return the default that authors of mechanisms of numbers take for an argument; else None."""
    u = exp(epsilon)
    if (name, argument) == ("square_wave", "b"):
        return (epsilon * u - u + 1) / (2 * u * (u - 1 - epsilon))
    if (name, argument) == ("staircase", "g"):
        return 1 / (1 + exp(epsilon / 2))
    if name in ("geometric", "truncated_geometric", "she_lattice", "she_grid"):
        return {"m": inputs - 1 if "geometric" in name else 1, "L": 0}.get(argument)
    return None


def values_of(
    spec: Mechanism,
    epsilon: float,
    inputs: int,
    given: dict[str, object],
    own: Own | None = None,
) -> dict[Any, float]:
    """A value for every parameter of a mechanism of numbers, for its table as it is declared.

    Args:
        spec, epsilon, inputs, given: as in `point_of`.
        own: an object of this package that is the target.

    Raises:
        ParameterError: a name of no parameter, a value out of its domain, or none at all.
    """
    tails = () if getattr(spec.table, "ends", None) is None else TAILS
    settable = {str(p) for p in spec.parameters} - {str(spec.generator.eps)} - {*tails}
    unknown = set(given) - settable
    if unknown:
        raise ParameterError("--set", f"must name parameters among {sorted(settable)}", unknown)
    values: dict[Any, float] = {}
    missing: list[Any] = []
    for symbol in spec.parameters:
        name = str(symbol)
        held = given.get(name)
        if symbol == spec.generator.eps:
            values[symbol] = epsilon
        elif name in tails:
            continue
        elif held is not None:
            values[symbol] = float(_number(name, held))
        elif own is not None and (known := getattr(own, OWN.get(name, name), None)) is not None:
            values[symbol] = float(known)
        elif (usual := _usual(spec, name, epsilon, inputs)) is not None:
            values[symbol] = float(usual)
        else:
            missing.append(symbol)
    if len(missing) == 1 and (fit := solved(spec, missing[0], values, epsilon)) is not None:
        values[missing.pop()] = fit
    if missing:
        raise needed(spec, [str(symbol) for symbol in missing])
    for symbol, value in values.items():
        domain = symbol.domain
        if not domain.contains(sympy.Rational(str(Fraction(value))), values):
            raise ParameterError(str(symbol), f"must satisfy {domain.describe(str(symbol))}", value)
    return values


def _primes(near: int) -> tuple[int, ...]:
    above = int(sympy.nextprime(near - 1))
    return (above,) if near <= 2 else (int(sympy.prevprime(near + 1)), above)
