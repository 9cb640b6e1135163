"""Find where a claim that holds only in part does hold, by the factors whose sign is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ldp_verified.prove.certificates.checker import CheckerOutcome, factor_signs, shows
from ldp_verified.prove.certificates.parsed_statement import Obligation
from ldp_verified.prove.certificates.polynomials import Ring

NOWHERE = "nowhere"
RELATIONS = {">=": (">=", "<="), ">": (">", "<")}


def condition(outcomes: Sequence[CheckerOutcome], certificate: Mapping[str, Any]) -> str | None:
    """Return where every obligation of a claim holds, as relations between the parameters.

    Args:
        outcomes: all outcomes of one claim and kind, from the certificate.
        certificate: where the factorisations stand.

    Returns:
        "holds iff p - q >= 0" where the claim needs every obligation that is not shown, and each is
        the same as its part of the condition; "holds if ..." where the condition is known to be
        sufficient only; None where no condition can be read off (an equation, no factorisation, or
        a statement about other numbers than parameters).
    """
    found: list[str] = []
    exact = True
    for outcome in outcomes:
        if outcome.shown:
            continue
        if outcome.obligation.relaxed:
            return None
        where = _where(outcome.obligation, certificate)
        if where is None:
            return None
        text, equivalent = where
        needed = _needed(outcome.obligation, certificate)
        if text == NOWHERE:
            return "holds for no parameters" if needed else None
        if text not in found:
            found.append(text)
        exact = exact and equivalent and needed
    if not found:
        return None
    return f"holds {'iff' if exact else 'if'} {' and '.join(found)}"


def _needed(o: Obligation, certificate: Mapping[str, Any]) -> bool:
    """Return whether the claim is false wherever the obligation is."""
    return o.needed and (o.where is None or shows(o.where, certificate))


def _where(o: Obligation, certificate: Mapping[str, Any]) -> tuple[str, bool] | None:
    """A condition under which the obligation holds, and whether it holds nowhere else."""
    proof = certificate["proofs"].get(o.name)
    if proof is None or o.relation not in RELATIONS:
        return None
    signs = factor_signs(o, certificate)
    result = 1 if proof["constant"] > 0 else -1
    for key, exponent in o.value.denominator.items():
        ring = Ring([v.name for v in o.variables])
        below = certificate["denominators"][o.domain][ring.show(dict(key))]
        for text, power in below["factors"]:
            sign, never_zero = signs.get(text, (0, False))
            if not never_zero:
                return None
            result *= sign ** (power * exponent)
        result *= (1 if below["constant"] > 0 else -1) ** exponent
    undecided, vanishing = [], []
    for text, power in proof["factors"]:
        sign, never_zero = signs.get(text, (0, False))
        if power % 2 and sign == 0:
            undecided.append(f"({text})")
            continue
        if not never_zero:
            vanishing.append(f"({text}) != 0")
        if power % 2:
            result *= sign
    if not undecided and result < 0:
        # Where a factor is zero, so is the whole.
        return (NOWHERE, True) if o.relation == ">" or not vanishing else None
    if not undecided:
        return (" and ".join(vanishing), True) if o.relation == ">" and vanishing else None
    relation = RELATIONS[o.relation][0 if result > 0 else 1]
    product = "*".join(undecided) if len(undecided) > 1 else undecided[0][1:-1]
    if o.relation == ">":
        return " and ".join([f"{product} {relation} 0", *vanishing]), True
    return f"{product} {relation} 0", not vanishing
