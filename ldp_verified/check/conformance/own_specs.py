"""A user's own spec: the module that `generate` writes, loaded, and objects made from it."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import nextafter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.analysis.expectation import expectation
from ldp_verified.errors import ParameterError
from ldp_verified.generate import class_name, module_text, numeric_side
from ldp_verified.generate.density import OWN, base_of
from ldp_verified.generate.line import drawn
from ldp_verified.generate.module import has_class
from ldp_verified.language import Design, Domain, Line, load_file
from ldp_verified.prove.enumeration.expand import NotExpandableError, expand_form
from ldp_verified.prove.enumeration.table_facts import tight_ratio
from ldp_verified.run.realize.tables import balls

if TYPE_CHECKING:
    from ldp_verified.analysis.expectation import Expectation
    from ldp_verified.language import Mechanism
    from ldp_verified.run.realize import Randomizer
    from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer

EPSILON = Fraction(1)
VALUES = 5
BUCKETS = 4
"""What is run where the spec leaves the choice."""

_DIGITS_OFF = Fraction(1, 10**50)


def own_mechanisms(path: str | Path) -> list[tuple[Randomizer | NumericRandomizer, Mechanism]]:
    """An object of each mechanism that a spec file declares, at parameters inside their domains.

    Raises:
        SpecError: the file cannot be read as a table, or a mechanism has no numeric side.
    """
    specs = load_file(Path(path))
    module = loaded(module_text(specs), specs[0].spec_hash)
    return [
        (getattr(module, class_name(spec.name))(**sample_arguments(spec)), spec)
        for spec in specs
        if has_class(spec)
    ]


def loaded(text: str, digest: str) -> ModuleType:
    """The module of a generated text."""
    module = ModuleType(f"_ldp_verified_own_{digest}")
    sys.modules[module.__name__] = module  # dataclasses look it up
    exec(compile(text, f"<generated from {digest[:12]}>", "exec"), module.__dict__)
    return module


def sample_arguments(spec: Mechanism) -> dict[str, Any]:
    """Arguments for the generated class: epsilon 1, few values, parameters a third of the way.

    Not half of it: that is where symmetric tables say nothing.
    """
    if isinstance(spec.table, Line) and base_of(spec) != OWN:
        return {"epsilon": float(EPSILON)}
    given = drawn(spec) if isinstance(spec.table, Line) else numeric_side(spec).arguments
    rules = {rule.name: rule.domain for rule in given.rules}
    point: dict[Any, Any] = {}
    chosen: dict[str, Any] = {}
    preferred = {"k": sympy.Integer(VALUES), "g": sympy.Integer(BUCKETS)}
    for name, size in given.sizes.items():
        if not size.is_Integer:
            domain = rules.get(name, given.domains[size])
            value = _inside(domain, point, preferred.get(name))
            while not _admitted(spec, name, value):
                value += 1
            point[size] = value
            if name in ("k", "buckets") or given.own or given.exponent != "epsilon":
                chosen[name] = int(value)
    if given.exponent is not None:
        domain = rules.get(given.exponent, Domain(sympy.Integer(0), None, lower_open=True))
        chosen[given.exponent] = float(_inside(domain, point, sympy.Rational(EPSILON)))
    for rule in given.own:
        value = _inside(rule.domain, point, None)
        point[given.symbol(rule.name)] = value
        exact = Fraction(int(value.p), int(value.q))
        chosen[rule.name] = int(exact) if rule.domain.integer else exact
    return chosen


def _admitted(spec: Mechanism, name: str, value: Any) -> bool:
    """Return whether there is a structure of this size: some take primes only."""
    form = spec.table
    structure = form.structure if isinstance(form, Design) else None
    return name == "k" or structure is None or structure.admits({name: value})


def _inside(domain: Domain, point: dict[Any, Any], preferred: Any) -> Any:
    """The preferred number if it belongs to the domain, else one a third of the way into it."""
    if preferred is not None and domain.contains(preferred, point):
        return preferred
    lower, upper = (
        None if bound is None else sympy.sympify(bound).subs(point)
        for bound in (domain.lower, domain.upper)
    )
    if lower is None:
        return sympy.Integer(0) if upper is None else upper - 1
    value = lower + 1 if upper is None else lower + (upper - lower) / 3
    return sympy.ceiling(value) if domain.integer else value


def own_expectation(mechanism: Randomizer, spec: Mechanism) -> Expectation:
    """The spec's table at the object's arguments, whose epsilon is the one that the object states.

    Raises:
        ParameterError: the table's epsilon is another.
    """
    expected = expectation(mechanism, spec)
    try:
        ratio = tight_ratio(expand_form(expected.form, expected.point))
    except NotExpandableError:
        return expected  # the table is too large to be written out
    claimed = mechanism.epsilon
    if ratio is None or not _is_log(ratio, Fraction(claimed), Fraction(nextafter(claimed, 0))):
        shown = "infinite" if ratio is None else f"{float(ratio):.17g}"
        rule = f"must be that of the spec's table, whose largest ratio is {shown}"
        raise ParameterError("epsilon", rule, claimed)
    return expected


def _is_log(ratio: Fraction, upper: Fraction, lower: Fraction) -> bool:
    """Return whether ln(ratio) lies between, but for the digits that ratio is good for."""

    def attempt() -> bool | None:
        log = balls.ball(ratio).log()
        above = balls.at_most(log - balls.ball(upper + _DIGITS_OFF), 0.0)
        below = balls.at_most(balls.ball(lower - _DIGITS_OFF) - log, 0.0)
        return None if above is None or below is None else above and below

    return balls.decide(attempt)
