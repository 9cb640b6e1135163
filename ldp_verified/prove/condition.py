"""For a claim that holds only in part: where it does, from the factors whose sign is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ldp_verified.prove.checker import Outcome, factor_signs
from ldp_verified.prove.parsed import Obligation
from ldp_verified.prove.polynomials import Ring

NOWHERE = "nowhere"
RELATIONS = {">=": (">=", "<="), ">": (">", "<")}


def condition(outcomes: Sequence[Outcome], certificate: Mapping[str, Any]) -> str | None:
    """Where every obligation of a claim holds, as relations between the parameters.

    Args:
        outcomes: all outcomes of one claim and kind, from the certificate.
        certificate: where the factorisations stand.

    Returns:
        "holds iff p - q >= 0", "holds where ..." if the condition is sufficient only; None where no
        condition can be read off (an equation, or no factorisation).
    """
    found: list[str] = []
    exact = True
    for outcome in outcomes:
        if outcome.shown:
            continue
        text = _where(outcome.obligation, certificate)
        if text is None:
            return None
        if text not in found:
            found.append(text)
        # A ratio in a class of outputs that may be empty for some sizes binds only where it is not.
        exact = exact and outcome.obligation.kind != "ratio"
    if NOWHERE in found:
        return "holds for no parameters"
    if not found:
        return None
    return f"holds {'iff' if exact or len(found) == 1 else 'where'} {' and '.join(found)}"


def _where(o: Obligation, certificate: Mapping[str, Any]) -> str | None:
    proof = certificate["proofs"].get(o.name)
    if proof is None or o.relation not in RELATIONS:
        return None
    signs = factor_signs(o, certificate)
    result, strict = (1 if proof["constant"] > 0 else -1), True
    for key, exponent in o.value.denominator.items():
        ring = Ring([v.name for v in o.variables])
        below = certificate["denominators"][o.domain][ring.show(dict(key))]
        for text, power in below["factors"]:
            if text not in signs:
                return None
            result *= signs[text][0] ** (power * exponent)
        result *= (1 if below["constant"] > 0 else -1) ** exponent
    open_factors = []
    for text, power in proof["factors"]:
        sign, never_zero = signs.get(text, (0, False))
        strict = strict and never_zero
        if power % 2 == 0:
            continue
        if sign == 0:
            open_factors.append(f"({text})")
        else:
            result *= sign
    if not open_factors:
        return NOWHERE if result < 0 and strict else None
    relation = RELATIONS[o.relation][0 if result > 0 else 1]
    product = "*".join(open_factors) if len(open_factors) > 1 else open_factors[0][1:-1]
    return f"{product} {relation} 0"
