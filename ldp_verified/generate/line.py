"""The class of a density of one's own: the density itself as a function, over `LineRandomizer`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.derive.rational import sample_points, simple
from ldp_verified.errors import SpecError
from ldp_verified.generate.arguments import arguments
from ldp_verified.generate.formulas import function
from ldp_verified.language import LDP, Density, Mechanism
from ldp_verified.language.names import field_name

if TYPE_CHECKING:
    from ldp_verified.generate.arguments import Arguments

TABLE = "ClassVar[tuple[RationalParameter, ...]]"


def drawn(mechanism: Mechanism) -> Arguments:
    """Return the arguments of a density, after checking that it can be drawn from.

    Raises:
        SpecError: it cannot; the message says why.
    """
    form = mechanism.algebraic_table
    assert isinstance(form, Density)
    ratio = _claimed(mechanism)
    _check_pieces(mechanism, form)
    given = arguments(mechanism, {}, list(form.cells().values()), ratio)
    if given.exponent != "epsilon":
        raise _refusal(mechanism, "eps must stand in its table, as e^eps")
    named = {rule.name for rule in given.own}
    idle = [v.name for v in mechanism.variables if field_name(v.name) not in named]
    if idle != [mechanism.generator.symbol.name]:
        rule = "parameters that its table does not depend on must be left out"
        raise _refusal(mechanism, rule, ", ".join(idle[1:]))
    return given


def _refusal(mechanism: Mechanism, rule: str, *got: Any) -> SpecError:
    return SpecError(mechanism.name, f"has no sampler: {rule}", *got)


def _claimed(mechanism: Mechanism) -> Any:
    """e^epsilon as claimed, a power of the generator."""
    symbol = mechanism.generator.symbol
    for position, claim in enumerate(mechanism.claims):
        if isinstance(claim, LDP) and claim.delta == 0 and symbol is not None:
            ratio = mechanism.algebraic(f"claims[{position}]", claim.ratio)
            powers = ratio.as_powers_dict()
            if set(powers) == {symbol} and powers[symbol].is_Integer and powers[symbol] > 0:
                return ratio
    rule = (
        "its claims must say LDP(eps), eps or a multiple of it, without delta "
        "(runs=False says that no class is wanted)"
    )
    raise _refusal(mechanism, rule, [str(claim) for claim in mechanism.claims])


def _check_pieces(mechanism: Mechanism, form: Density) -> None:
    """The outputs are one interval, or a few atoms, for every input."""
    x, pieces, atoms = form.value, form.pieces, form.atoms
    if pieces:
        for end in (pieces[0].low, pieces[-1].high):
            if x in simple(end).free_symbols:
                rule = "its outer ends must not depend on the input: outputs would give it away"
                raise _refusal(mechanism, rule, end)
    for position, (one, other) in enumerate(pairwise(pieces)):
        if simple(one.high - other.low) != 0:
            rule = f"pieces[{position + 1}] must begin where the piece before it ends"
            raise _refusal(mechanism, rule, other.low)
    for position, piece in enumerate(pieces):
        if simple(piece.level) == 0:
            rule = f"pieces[{position}].level must not be 0: write several mechanisms, or atoms"
            raise _refusal(mechanism, rule)
    if not pieces and len(atoms) < 2:
        raise _refusal(mechanism, "it has one output only")
    domain = x.domain
    for point in sample_points(mechanism.variables) if pieces and atoms else ():
        at = {**point, x: domain.lower}
        low, high = pieces[0].low.subs(at), pieces[-1].high.subs(at)
        for atom in atoms:
            place = atom.location.subs(at)
            if not low <= place <= high:
                rule = "its atoms must lie within the interval of its pieces"
                raise _refusal(mechanism, rule, f"{place} outside {low}..{high} at {point}")


def own_fields(given: Arguments) -> Iterator[str]:
    """The class's arguments between epsilon and bounds."""
    for rule in given.own:
        yield f"{rule.name}: {'int' if rule.domain.integer else 'float | Fraction'}"


def own_constants(mechanism: Mechanism, given: Arguments) -> Iterator[str]:
    """Yield the lines in which the class states its density's constants."""
    form = mechanism.algebraic_table
    assert isinstance(form, Density)
    ends = ", ".join(
        str(end) if end.is_Integer else f"Fraction({end.p}, {end.q})"
        for end in (form.value.domain.lower, form.value.domain.upper)
    )
    yield f"inputs: ClassVar[tuple[int | Fraction, int | Fraction]] = ({ends})"
    yield f"root: ClassVar[int] = {given.root}"
    yield f"pieces: ClassVar[int] = {len(form.pieces)}"
    for name, rules in (("domains", given.rules), ("parameters", given.own)):
        if rules:
            yield f"{name}: {TABLE} = ("
            for rule in rules:
                yield from rule.lines
            yield ")"


def own_method(mechanism: Mechanism) -> Iterator[str]:
    """The density as a function."""
    form = mechanism.algebraic_table
    assert isinstance(form, Density)
    ends = [piece.low for piece in form.pieces] + [piece.high for piece in form.pieces[-1:]]
    values = [*ends, *(piece.level for piece in form.pieces)]
    values += [atom.location for atom in form.atoms] + [atom.mass for atom in form.atoms]
    taken = [form.value, *mechanism.variables]
    domains = {**mechanism.variables, form.value: form.value.domain}
    made = function("density", taken, [sympy.sympify(v) for v in values], taken, domains)
    yield "@staticmethod"
    yield f"def density({made.parameters}) -> tuple[Number, ...]:{made.remark}"
    yield '    """Ends, levels, places of atoms, masses of atoms."""'
    yield from (f"    {line}" for line in made.body)
