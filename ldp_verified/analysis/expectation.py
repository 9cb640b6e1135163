"""Compute the exact probabilities that the spec gives for a running mechanism.

The mechanism object gives its parameters (epsilon, k, ...) and the root through which epsilon
enters, and nothing else. Its own p, q and thresholds are used by `narrow_expectation` alone, which
is about words too short for the claimed table.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.errors import ParameterError
from ldp_verified.language.forms import Bits, Design, Form, Matrix
from ldp_verified.language.loader import load
from ldp_verified.language.names import field_name
from ldp_verified.language.structures import Blocks, HashBlocks
from ldp_verified.prove.enumeration.expand import complete, digits_of_family, evaluate
from ldp_verified.run.realize.designs.sketch import SketchRandomizer
from ldp_verified.run.realize.tables.realization import CellRealization

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ldp_verified.language.bloom import Bloom
    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.language.pair_table import PairTable
    from ldp_verified.language.structures import HashedOneHot, OneHot, Structure
    from ldp_verified.run.realize.randomizer import Randomizer
    from ldp_verified.run.realize.tables.realization import Realization

DIGITS = 60
"""Decimal digits of e^epsilon: the expected probabilities are those of an epsilon that is off by
less than 1e-58."""


@dataclass(frozen=True, eq=False)
class Expectation:
    """A table of probabilities at one parameter point, with the structure of its outputs.

    Attributes:
        form: the table in algebraic form.
        point: exact values for its symbols.
        k: the number of inputs.
    """

    form: Form
    point: Mapping[Any, Fraction]
    k: int

    @cached_property
    def _tables(self) -> Sequence[PairTable]:
        return self.form.pair_tables()

    @cached_property
    def cells(self) -> tuple[Fraction, Fraction]:
        """The two cells of a `Design` or `Bits`: inside and outside, or one and zero."""
        first, second = (evaluate(cell, self.point) for cell in self.form.cells().values())
        return first, second

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The sizes of the structure, by what a mechanism object calls them."""
        structure = _structure(self.form)
        found = {} if structure is None else structure.sizes
        return {name: int(evaluate(size, self.point)) for name, size in found.items()}

    @cached_property
    def hash_sizes(self) -> tuple[int, int, int] | None:
        """(g, base of the digits, number of digits) of a hash family, None elsewhere."""
        if isinstance(self.form, Design) and isinstance(self.form.structure, HashBlocks):
            g = int(evaluate(self.form.structure.buckets, self.point))
            return g, *digits_of_family(self.k, g)
        return None

    def pair_masses(self, x: int, x2: int) -> tuple[tuple[str, Fraction], ...]:
        """(class of outputs, its probability under x) for the ordered pair, from its pair table.

        For a `Matrix` the class of an output is its index; else the order is: supports both,
        x only, x' only, neither.
        """
        if isinstance(self.form, Matrix):
            return tuple((row.outputs, self._mass(row)) for row in self._rows(x, x2))
        found = []
        for key in ((True, True), (True, False), (False, True), (False, False)):
            rows = [r for r in self._tables[0].rows if (r.supports_x, r.supports_x2) == key]
            mass = sum((self._mass(row) for row in rows), Fraction(0))
            found.append((" or ".join(row.outputs for row in rows), mass))
        return tuple(found)

    def agreement(self, x: int, x2: int) -> Fraction:
        """The chance that two independent reports on x are equal: the sum over y of P(y|x)^2.

        Of independent bits it is a bound: those of x and of x' alone are looked at.

        Args:
            x: the input. x2: another one; it tells which bits, and which rows of a `Matrix`.
        """
        rows = self._rows(x, x2)
        chances = [(self._mass(row), evaluate(row.px, self.point)) for row in rows]
        return sum((mass * chance for mass, chance in chances), Fraction(0))

    def _rows(self, x: int, x2: int) -> tuple[Any, ...]:
        """The rows of the pair table of an ordered pair."""
        pair = x * (self.k - 1) + x2 - (x2 > x) if isinstance(self.form, Matrix) else 0
        return tuple(self._tables[pair].rows)

    def _mass(self, row: Any) -> Fraction:
        return evaluate(row.count, self.point) * evaluate(row.px, self.point)

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """p* and q*: the mass of the classes that support x, and x', the same for every pair.

        Raises:
            ParameterError: they differ between pairs, so that there is no such estimator.
        """
        found = {
            (
                sum((self._mass(r) for r in table.rows if r.supports_x), Fraction(0)),
                sum((self._mass(r) for r in table.rows if r.supports_x2), Fraction(0)),
            )
            for table in self._tables
        }
        if len(found) != 1:
            raise ParameterError("mechanism", "must have one p* and one q*", len(found))
        return found.pop()


def spec_of(mechanism: Randomizer) -> Mechanism:
    """The declaration that a mechanism object was generated from, by name."""
    return next(m for m in load(mechanism.name) if m.name == mechanism.name)


def expectation(mechanism: Randomizer, spec: Mechanism | None = None) -> Expectation:
    """The spec's table at the parameters of a mechanism object.

    Args:
        mechanism: the object; its epsilon, k, ... are read.
        spec: the declaration; None for the one in the catalogue that has the object's name.

    Raises:
        ParameterError: the object lacks a parameter of the spec.
        SpecError: no such spec.
    """
    spec = spec_of(mechanism) if spec is None else spec
    if isinstance(mechanism, SketchRandomizer) and mechanism.rows is not None:
        rule = "must be left out: with rows drawn once, the table is the law over their draw"
        raise ParameterError("rows", rule, mechanism)
    generator = spec.generator
    point: dict[Any, Fraction] = {}
    determined = _determined(spec.algebraic_table)
    used = {s for _, value in spec.algebraic_table.expressions() for s in value.free_symbols}
    sizes = _sizes(spec.algebraic_table)
    for symbol in spec.variables:
        if generator.eps is not None and symbol == generator.symbol:
            exponent = getattr(mechanism, "exponent", "epsilon")
            if exponent is not None:
                given = getattr(mechanism, exponent, None)
                if given is None:
                    raise ParameterError(exponent, "must be an attribute of the mechanism")
                # Whether the object's epsilon is the tight one for this root is seen in its table.
                tight = exponent == "epsilon"
                root = getattr(mechanism, "root", 1) if tight else generator.root
                point[symbol] = _exponential(given, root)
        elif symbol not in determined and (symbol in used or symbol in sizes):
            name = field_name(symbol.name)
            name = sizes.get(symbol, name if hasattr(mechanism, name) else symbol.name)
            value = getattr(mechanism, name, None)
            if value is None:
                raise ParameterError(symbol.name, "must be an attribute of the mechanism")
            point[symbol] = Fraction(value)
    return _expectation(spec.algebraic_table, point)


def narrow_expectation(
    mechanism: Randomizer, realization: Realization, spec: Mechanism | None = None
) -> Expectation:
    """The spec's table with the cells of a realization in narrow words in place of its own.

    Raises:
        ParameterError: the realization is not one of two cells.
    """
    wide = expectation(mechanism, spec)
    if not isinstance(realization, CellRealization):
        raise ParameterError("realization", "must be of two cells", type(realization))
    cells = [realization.p, realization.q]
    if isinstance(wide.form, Design) and _determined(wide.form):
        # Given as the share of all blocks that hold the value, which are equally likely.
        holding = evaluate(wide.form.containing, wide.point)
        cells = [cell / holding for cell in cells]
    exact = [sympy.Rational(cell.numerator, cell.denominator) for cell in cells]
    form = wide.form.with_cells(dict(zip(wide.form.cells(), exact, strict=True)))
    return Expectation(form, wide.point, wide.k)


def _structure(form: Form) -> OneHot | HashedOneHot | Bloom | Structure | None:
    if isinstance(form, Matrix):
        return None
    return form.encoder if isinstance(form, Bits) else form.structure


def _determined(form: Form) -> set[Any]:
    structure = _structure(form)
    found = None if structure is None else structure.determined
    return set() if found is None else set(found.free_symbols)


def _sizes(form: Form) -> dict[Any, str]:
    """The symbols of sizes, and what they are called in a mechanism object."""
    structure = _structure(form)
    return {} if structure is None else {size: name for name, size in structure.sizes.items()}


def _exponential(epsilon: float, root: int) -> Fraction:
    """e^(epsilon/root), to `DIGITS` digits."""
    context = Context(prec=DIGITS)
    return Fraction(context.exp(context.divide(Decimal(epsilon), Decimal(root))))


def _expectation(form: Form, point: dict[Any, Fraction]) -> Expectation:
    full = complete(form, point)
    if isinstance(form, Matrix):
        k = len(form.inputs)
    elif isinstance(form, Design) and isinstance(form.structure, Blocks):
        k = form.structure.values
    else:
        structure = _structure(form)
        if structure is None:
            raise ParameterError("mechanism", "must have a structure that reports are decoded by")
        k = int(evaluate(structure.sizes["k"], full))
    return Expectation(form, full, k)
