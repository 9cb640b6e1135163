"""A mechanism over a `Density` or `Noise` as the text that certificates are about."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import sympy

from ldp_verified.derive.density import mean_and_variance
from ldp_verified.derive.rational import simple
from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language import (
    LDP,
    Density,
    GaussianLDP,
    Holds,
    Line,
    Mean,
    Mechanism,
    Noise,
    Normal,
    ReportVariance,
    SmallerWorst,
    Steps,
    Variance,
    WorstVariance,
)
from ldp_verified.language.claims import Claim
from ldp_verified.language.feasible import interior_point
from ldp_verified.prove.statements.ranges import variable
from ldp_verified.prove.statements.statement import holds_statement, text


def line_statement(mechanism: Mechanism) -> dict[str, Any]:
    """The statement of a mechanism whose table is a `Density` or `Noise`.

    Raises:
        SpecError: a claim that such a table cannot have.
    """
    form = mechanism.algebraic_table
    assert isinstance(form, Line)
    taken = {s.name for s in mechanism.variables} | {form.value.name}
    other = form.value.name + "2"
    while other in taken:
        other += "_"
    return {
        "variables": [variable(s, d).to_json() for s, d in mechanism.variables.items()],
        "value": variable(form.value, form.value.domain).to_json(),
        "other": other,
        **(_noise(form) if isinstance(form, Noise) else _table(form)),
        "claims": [_claim(mechanism, form, claim) for claim in mechanism.claims],
    }


def _form(mechanism: Mechanism) -> Density:
    assert isinstance(mechanism.algebraic_table, Density)
    return mechanism.algebraic_table


def _table(form: Density) -> dict[str, Any]:
    return {
        "pieces": [
            {"low": text(p.low), "high": text(p.high), "level": text(p.level)} for p in form.pieces
        ],
        "atoms": [{"location": text(a.location), "mass": text(a.mass)} for a in form.atoms],
    }


def _noise(form: Noise) -> dict[str, Any]:
    law = form.law
    given: dict[str, Any] = {"kind": type(law).__name__.lower()}
    if isinstance(law, Steps):
        given["pieces"] = [
            {"low": text(p.low), "high": text(p.high), "level": text(p.level)} for p in law.pieces
        ]
    names = [each.name for each in fields(law) if each.name != "pieces"]
    given |= {name: text(getattr(law, name)) for name in names}
    ends = form.ends
    given["ends"] = ends and {each.name: text(getattr(ends, each.name)) for each in fields(ends)}
    if form.encoder is not None:
        given["encoder"] = "one_hot"
    return {"noise": given}


def _claim(mechanism: Mechanism, form: Line, claim: Claim) -> dict[str, Any]:
    def algebraic(value: Any) -> str:
        return text(mechanism.algebraic("claim", value))

    match claim:
        case LDP(delta=delta) if delta == 0 and isinstance(form, Noise):
            parts = form.privacy_parts(claim.epsilon).items()
            return {
                "kind": "ldp",
                **{name: algebraic(value) for name, value in parts},
                "tight": claim.tight,
            }
        case LDP(delta=delta) if delta == 0:
            bound = mechanism.algebraic("claim", claim.ratio)
            return {
                "kind": "ldp",
                "bound": text(bound),
                "tight": claim.tight,
                "reached": reached(mechanism, bound) if claim.tight else None,
            }
        case GaussianLDP() if isinstance(form, Noise) and isinstance(form.law, Normal):
            return {"kind": "gaussian_ldp", "mu": algebraic(claim.mu), "tight": claim.tight}
        case Mean():
            return {"kind": Kind.MEAN, "value": algebraic(claim.value)}
        case ReportVariance():
            return {"kind": Kind.REPORT_VARIANCE, "value": algebraic(claim.value)}
        case WorstVariance():
            return {
                "kind": Kind.WORST_VARIANCE,
                "value": algebraic(claim.value),
                "at": algebraic(claim.at),
            }
        case SmallerWorst() if isinstance(form, Density):
            return _smaller(mechanism, form, claim)
        case Variance() if isinstance(form, Noise) and form.encoder is not None:
            share = None if claim.at_f is None else text(claim.at_f)
            return {"kind": Kind.VARIANCE, "value": algebraic(claim.value), "at_f": share}
        case Holds():
            return holds_statement(mechanism, claim)
    raise SpecError(
        "claims",
        "of a Density may be LDP without delta, Mean, ReportVariance, WorstVariance, SmallerWorst "
        "and Holds; of Noise, the same but for SmallerWorst; with an encoder, Variance too; of "
        "Normal noise, GaussianLDP too",
        type(claim).__name__,
    )


def reached(mechanism: Mechanism, bound: Any) -> dict[str, Any] | None:
    """Two inputs and a place where the ratio is the bound, tried at the ends of the domain.

    A proposal, which the obligations check.
    """
    form = _form(mechanism)
    x = form.value
    low, high = x.domain.lower, x.domain.upper
    inside = interior_point(mechanism.variables)
    for a, b in ((high, low), (low, high), ((low + high) / 2, low), (low, (low + high) / 2)):
        at = {"x": text(a), "x2": text(b)}
        for i, atom in enumerate(form.atoms):
            if simple(bound * atom.mass.subs(x, b) - atom.mass.subs(x, a)) == 0:
                return {"kind": "atom", "own": i, "other": i, **at}
        for i, own in enumerate(form.pieces):
            for j, other in enumerate(form.pieces):
                if simple(bound * other.level.subs(x, b) - own.level.subs(x, a)) != 0:
                    continue
                lows = [own.low.subs(x, a).subs(inside), other.low.subs(x, b).subs(inside)]
                highs = [own.high.subs(x, a).subs(inside), other.high.subs(x, b).subs(inside)]
                if max(lows) < min(highs):
                    return {"kind": "piece", "own": i, "other": j, **at}
    return None


def _smaller(mechanism: Mechanism, form: Density, claim: SmallerWorst) -> dict[str, Any]:
    assert claim.table is not None
    theirs = claim.table.map(lambda value: mechanism.algebraic("other table", value))
    gap = mean_and_variance(theirs)[1].subs(form.value, claim.other_at)
    gap -= mean_and_variance(form)[1].subs(form.value, claim.at)
    condition = mechanism.algebraic("condition", claim.condition.gts - claim.condition.lts)
    factor = sympy.cancel(gap / condition)
    return {
        "kind": "smaller_worst",
        "other": _table(theirs),
        "at": text(mechanism.algebraic("claim", claim.at)),
        "other_at": text(mechanism.algebraic("claim", claim.other_at)),
        "condition": text(condition),
        "factor": text(factor) if factor.is_rational_function() else "0",
    }
