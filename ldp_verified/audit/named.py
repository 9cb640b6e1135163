"""What the auditor says the target is (`--as oue`): its own likelihood-ratio event and exact power.

Only the choice of the event and the numbers of the plan come from the spec. The bound does not rest
on it: whatever the target really is, the event's odds are limited by the claim (see `bounds`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import TYPE_CHECKING, Any

from ldp_verified.audit.bounds import Stake
from ldp_verified.audit.events import PooledEvent
from ldp_verified.audit.readings import Reading, check
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ldp_verified.language.mechanism import Mechanism

_READINGS = {"Singletons": "same", "OneHot": "bits", "Blocks": "set"}


@dataclass(frozen=True)
class Named:
    """A mechanism of a spec at the claimed eps.

    Attributes:
        name: of the spec.
        reading: how its outputs are read.
        stake: of its pooled event.
        plus, minus: exact probabilities of the two sides, rounded to floats.
    """

    name: str
    reading: str
    stake: Stake
    plus: float
    minus: float

    def event(self, inputs: tuple[Any, ...]) -> PooledEvent:
        """Its pooled event."""
        return PooledEvent(Reading(self.reading, inputs))


def named(
    name: str,
    epsilon: float,
    inputs: int,
    parameters: Mapping[str, object] | None = None,
    reading: str | None = None,
) -> Named:
    """The mechanism `name` of the catalogue or of a spec file, at `epsilon`.

    Args:
        name: as for `ldp-verified verify`.
        epsilon: the claim.
        inputs: how many inputs are audited; k, where `parameters` does not give it.
        parameters: values of its other parameters by name ("k", "g", ...).
        reading: of the outputs; None for the usual one of the mechanism's structure.

    Raises:
        ParameterError: a parameter without a value, or outputs that need a reading.
        SpecError: no such spec.
    """
    from ldp_verified.language.loader import load

    found = load(name)
    spec = next((m for m in found if m.name == name), found[0])
    usual = _usual(spec)
    if reading is None and usual is None:
        rule = "must be given: outputs of this mechanism can be written in many ways"
        raise ParameterError("--reading", rule)
    chosen = reading or usual or ""
    check(chosen)
    point = _point(spec, epsilon, inputs, dict(parameters or {}))
    plus, minus, one = _sides(spec, point)
    if chosen.partition(":")[0] == "same":
        # One input is spoken for: every other input's mass is counted at once.
        return Named(name, chosen, Stake(inputs - 1.0), one, min(1 - one, (inputs - 1) * minus))
    return Named(name, chosen, Stake(), plus, minus)


def _usual(spec: Mechanism) -> str | None:
    structure = getattr(spec.table, "structure", None) or getattr(spec.table, "encoder", None)
    if structure is None:
        return "same" if type(spec.table).__name__ == "Matrix" else None
    return _READINGS.get(type(structure).__name__)


def _point(
    spec: Mechanism, epsilon: float, inputs: int, given: dict[str, object]
) -> dict[Any, Fraction]:
    structure = getattr(spec.table, "structure", None)
    functions = getattr(structure, "functions", None)
    point: dict[Any, Fraction] = {}
    unknown = set(given) - {str(symbol) for symbol in spec.variables}
    if unknown:
        names = [str(symbol) for symbol in spec.variables]
        raise ParameterError("--set", f"must name parameters among {names}", sorted(unknown))
    for symbol in spec.variables:
        name = str(symbol)
        if symbol == spec.generator.symbol and spec.generator.eps is not None:
            point[symbol] = Fraction(exp(epsilon / spec.generator.root))
        elif name in given:
            point[symbol] = Fraction(str(given[name]))
        elif name == "k":
            point[symbol] = Fraction(inputs)
        elif name == "g":
            point[symbol] = Fraction(max(2, round(exp(min(epsilon, 30.0))) + 1))
        elif functions is not None and symbol in functions.free_symbols:
            point[symbol] = Fraction(1)  # the number of functions cancels from every mass
        else:
            raise ParameterError("--set", f"must give {name} of {spec.name}: --set {name}=...")
    return point


def _sides(spec: Mechanism, point: dict[Any, Fraction]) -> tuple[float, float, float]:
    """P(x only | x), P(x' only | x) and P(speaks for x | x), averaged over the types of pairs."""
    from ldp_verified.prove.exact_values import evaluate

    plus = minus = own = Fraction(0)
    tables = spec.algebraic_table.pair_tables()
    for table in tables:
        for row in table.rows:
            if row.supports_x is None or row.supports_x2 is None:
                raise ParameterError("--as", "must declare which outputs support which inputs")
            mass = evaluate(row.count, point) * evaluate(row.px, point)
            plus += mass * (row.supports_x and not row.supports_x2)
            minus += mass * (row.supports_x2 and not row.supports_x)
            own += mass * row.supports_x
    size = len(tables)
    return float(plus / size), float(minus / size), float(own / size)
