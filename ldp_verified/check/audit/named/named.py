"""Read the mechanism that the auditor names (`--as oue`), for its best event and exact power.

Only the choice of the event and the numbers of the plan come from the spec. The bound does not rest
on it: whatever the target really is, the event's odds are limited by the claim (see `bounds`).

Where every pair of inputs has the same ratio, the event is pooled over all pairs: the output speaks
for the input and not for another one. An explicit matrix whose pairs differ is tested on the pair
and the sets of outputs that promise the largest bound; a mechanism of numbers on the pair and the
intervals (`lines`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.bounds.bounds import Stake, predicted
from ldp_verified.check.audit.events.events import PairEvent, PooledEvent
from ldp_verified.check.audit.events.readings import OutputReading, check
from ldp_verified.check.audit.named.numbers import of_numbers
from ldp_verified.check.audit.named.parameters import point_of
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ldp_verified.check.audit.events.events import Event
    from ldp_verified.check.audit.targets.our_mechanisms import Own
    from ldp_verified.language.forms import Form
    from ldp_verified.language.mechanism import Mechanism

SAMPLES = 100_000
"""Events of a matrix are compared at this many samples."""

SETS = "outputs"
"""The reading of a matrix whose pairs are told apart by sets of outputs."""


@dataclass(frozen=True)
class Named:
    """A mechanism of a spec at the claimed eps.

    Attributes:
        name: of the spec.
        reading: how its outputs are read; `SETS` where sets of them are the event.
        stake: of its event.
        plus, minus: exact probabilities of the two sides, rounded to floats.
        pair: the inputs and sets of outputs of an event that is not pooled; None where it is.
    """

    name: str
    reading: str
    stake: Stake
    plus: float
    minus: float
    pair: PairEvent | None = None

    def event(self, inputs: tuple[Any, ...]) -> Event:
        """The event that is tested for this mechanism."""
        return self.pair or PooledEvent(OutputReading(self.reading, inputs))


def named(
    name: str,
    epsilon: float,
    inputs: int | Sequence[Any],
    parameters: Mapping[str, object] | None = None,
    reading: str | None = None,
    own: Own | None = None,
) -> Named:
    """The mechanism `name` of the catalogue or of a spec file, at `epsilon`.

    Args:
        name: as for `ldp-verified verify`.
        epsilon: the claim.
        inputs: those that are audited, or how many; k, where `parameters` does not give it.
            Mechanisms of numbers need the inputs themselves.
        parameters: values of its other parameters by name ("k", "g", ...); "bounds" of a mechanism
            of numbers, "LOW..HIGH". One that the claim fixes may be left out.
        reading: of the outputs; None for the usual one of the mechanism's structure.
        own: the target, where it is an object of this package: its sizes and the layout of its
            reports are known.

    Raises:
        ParameterError: a parameter without a value, or outputs that need a reading.
        SpecError: no such spec.
    """
    from ldp_verified.language.density import Density
    from ldp_verified.language.forms import Matrix
    from ldp_verified.language.loader import load
    from ldp_verified.language.noise import Noise

    found = load(name)
    spec = next((m for m in found if m.name == name), found[0])
    if isinstance(spec.table, Density | Noise) and reading is None:
        noisy, plus, minus, event = of_numbers(spec, epsilon, inputs, dict(parameters or {}), own)
        return Named(spec.name, noisy or SETS, Stake(), plus, minus, event)
    if not isinstance(inputs, int):
        inputs = len(inputs)
    point = point_of(spec, epsilon, inputs, dict(parameters or {}), own)
    form = spec.algebraic_table
    if isinstance(form, Matrix) and reading is None:
        sets = _best_sets(spec, point, inputs)
        if sets is not None:
            return sets
    usual = usual_reading(form, point, own=own)
    if reading is None and usual is None:
        rule = "must be given: outputs of this mechanism can be written in many ways"
        raise ParameterError("--reading", rule)
    chosen = reading or usual or ""
    check(chosen)
    plus, minus, one = _sides(spec, point)
    if chosen.partition(":")[0] == "same":
        # One input is spoken for: every other input's mass is counted at once.
        return Named(name, chosen, Stake(inputs - 1.0), one, min(1 - one, (inputs - 1) * minus))
    return Named(name, chosen, Stake(), plus, minus)


def usual_reading(form: Form, point: Mapping[Any, Fraction], *, own: Any) -> str | None:
    """How reports of a structure are usually written; None where there is no usual way.

    Args:
        form: of the spec.
        point: values of its sizes.
        own: this package's own object, whose reports have bits unpacked; None for others.
    """
    from ldp_verified.language import structures
    from ldp_verified.run.realize.designs.sketch import SketchRandomizer

    structure = getattr(form, "structure", None) or getattr(form, "encoder", None)
    sizes = {} if structure is None else _sizes(structure, point)
    match structure:
        case None | structures.Singletons():
            return "same" if structure is not None or type(form).__name__ == "Matrix" else None
        case structures.OneHot():
            return "bits"
        case structures.HashedOneHot() | structures.HashedSigns() if isinstance(
            own, SketchRandomizer
        ):
            head = "own-cms" if isinstance(structure, structures.HashedOneHot) else "own-hcms"
            return f"{head}:{own.k},{own.buckets},{own.rows or 0},{own.seed}"
        case structures.Subsets():
            return "bits" if own is not None else "set"
        case structures.HadamardBlocks():
            return "column"
        case structures.HadamardSigns():
            return "sign"
        case structures.LinearBlocks():
            return f"bucket:{sizes['g']}"
        case structures.Hyperplanes():
            return f"orthogonal:{sizes['prime']}"
        case structures.HashBlocks() if own is not None:
            g = sizes["g"]
            return f"digits:{next(d for d in range(2, g + 1) if g % d == 0)},{g}"
        case structures.Blocks() if own is not None:
            written = (".".join(map(str, sorted(block))) for block in structure.blocks)
            return "blocks:" + ",".join(written)
        case structures.Blocks():
            return "set"
    return None


def _sizes(structure: Any, point: Mapping[Any, Fraction]) -> dict[str, int]:
    from ldp_verified.prove.enumeration.exact_values import evaluate

    return {name: int(evaluate(value, point)) for name, value in structure.sizes.items()}


def independent_bits(mechanism: str) -> bool:
    """Return whether a mechanism's reports are vectors of independent bits, one for each value."""
    from ldp_verified.language import structures
    from ldp_verified.language.forms import Bits
    from ldp_verified.language.loader import load

    found = load(mechanism)
    spec = next((m for m in found if m.name == mechanism), found[0])
    form = spec.algebraic_table
    return isinstance(form, Bits) and isinstance(form.encoder, structures.OneHot)


def support_chances(
    name: str,
    epsilon: float,
    inputs: int,
    parameters: Mapping[str, object] | None = None,
    own: Own | None = None,
) -> tuple[float, float]:
    """p* and q* of a spec at `epsilon`: chances that a report supports the own, and another value.

    Raises:
        ParameterError: they are not one number each, or as for `named`.
    """
    from ldp_verified.language.density import Density
    from ldp_verified.language.loader import load
    from ldp_verified.language.noise import Noise
    from ldp_verified.prove.enumeration.exact_values import evaluate

    found = load(name)
    spec = next((m for m in found if m.name == name), found[0])
    if isinstance(spec.table, Density | Noise):
        raise ParameterError("--estimator", "must go with a mechanism that counts values", name)
    point = point_of(spec, epsilon, inputs, dict(parameters or {}), own)
    chances = set()
    for table in spec.algebraic_table.pair_tables():
        p_star = q_star = Fraction(0)
        for row in table.rows:
            mass = evaluate(row.count, point) * evaluate(row.px, point)
            p_star += mass * bool(row.supports_x)
            q_star += mass * bool(row.supports_x2)
        chances.add((p_star, q_star))
    if len(chances) != 1:
        raise ParameterError("--as", "must have one p* and one q*", name)
    return tuple(map(float, chances.pop()))  # type: ignore[return-value]  # of two


def _sides(spec: Mechanism, point: dict[Any, Fraction]) -> tuple[float, float, float]:
    """P(x only | x), P(x' only | x) and P(speaks for x | x), averaged over the types of pairs."""
    from ldp_verified.prove.enumeration.exact_values import evaluate

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


def _best_sets(spec: Mechanism, point: dict[Any, Fraction], inputs: int) -> Named | None:
    """The pair and likelihood-ratio sets of a matrix that promise most.

    None where outputs are inputs and the pooled event of all pairs promises at least as much, or
    the audited inputs are not its rows.
    """
    from ldp_verified.language.forms import Matrix
    from ldp_verified.prove.enumeration.exact_values import evaluate

    form = spec.algebraic_table
    assert isinstance(form, Matrix)
    if form.values != inputs:
        rule = f"must be the {form.values} rows of {spec.name}, in order"
        raise ParameterError("--inputs", rule, inputs)
    index = form.layout.index
    cells = [evaluate(cell, point) for cell in form.layout.cells]
    rows = [[float(cells[i]) for i in row] for row in index.tolist()]
    best, chosen = -1.0, None
    for x, x2 in combinations(range(inputs), 2):
        for yes, no in _ratio_sets(rows[x], rows[x2]):
            share = 2 / inputs
            plus = share / 2 * (sum(rows[x][y] for y in yes) + sum(rows[x2][y] for y in no))
            minus = share / 2 * (sum(rows[x2][y] for y in yes) + sum(rows[x][y] for y in no))
            promise = _promise(plus, minus, Stake())
            if promise > best:
                texts = (frozenset(map(str, sorted(side))) for side in (yes, no))
                event = PairEvent("plain", x, x2, *texts)
                best, chosen = promise, Named(spec.name, SETS, event.stake, plus, minus, event)
    supported = all(
        row.supports_x is not None and row.supports_x2 is not None
        for table in form.pair_tables()
        for row in table.rows
    )
    if supported and index.shape[0] == index.shape[1]:
        plus, minus, one = _sides(spec, point)
        if _promise(one, (inputs - 1) * minus, Stake(inputs - 1.0)) >= best - 1e-9:
            return None
    return chosen


def _promise(plus: float, minus: float, stake: Stake) -> float:
    one = np.array([plus * SAMPLES]), np.array([minus * SAMPLES])
    return float(predicted(*one, SAMPLES, stake, 0.01)[0])


def _ratio_sets(row: list[float], row2: list[float]) -> list[tuple[set[int], set[int]]]:
    """The outputs with a ratio >= t, and those with a ratio <= 1/t, for each threshold t."""
    outputs = range(len(row))
    ratios = [row[y] / row2[y] if row2[y] else np.inf if row[y] else 1.0 for y in outputs]
    bars = {max(r, 1 / r if r else np.inf) for r in ratios} - {1.0}
    return [
        (
            {y for y in outputs if ratios[y] >= bar * (1 - 1e-12)},
            {y for y in outputs if ratios[y] <= 1 / bar * (1 + 1e-12)},
        )
        for bar in bars
    ]
