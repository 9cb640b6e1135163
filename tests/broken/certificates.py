"""Ways to forge a certificate.

Each takes a genuine one and returns a copy that shows less than it says; the verifier must reject
all.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

Certificate = dict[str, Any]


def _first_factored(certificate: Certificate) -> dict[str, Any]:
    return next(p for _, p in sorted(certificate["proofs"].items()) if p["factors"])


def proof_left_out(certificate: Certificate) -> None:
    """One obligation has no proof."""
    certificate["proofs"].pop(min(certificate["proofs"]))


def sign_flipped(certificate: Certificate) -> None:
    """The constant has the other sign."""
    _first_factored(certificate)["constant"] *= -1


def constant_not_an_integer(certificate: Certificate) -> None:
    """A float that would multiply out after rounding."""
    _first_factored(certificate)["constant"] += 0.25


def constant_true(certificate: Certificate) -> None:
    """True is 1 in Python."""
    for proof in certificate["proofs"].values():
        proof["constant"] = True


def factor_dropped(certificate: Certificate) -> None:
    """The product is not the obligation any more."""
    _first_factored(certificate)["factors"].pop()


def power_changed(certificate: Certificate) -> None:
    """An odd power made even, so that its sign would not matter."""
    _first_factored(certificate)["factors"][0][1] += 1


def power_zero(certificate: Certificate) -> None:
    """A factor to the power 0."""
    _first_factored(certificate)["factors"][0][1] = 0


def factor_made_rational(certificate: Certificate) -> None:
    """A factor with a denominator hides a division."""
    _first_factored(certificate)["factors"][0][0] += "/2"


def shifted_form_made_positive(certificate: Certificate) -> None:
    """Every minus in the shifted forms replaced, or a term added."""
    for place in certificate["signs"].values():
        for text, forms in place.items():
            place[text] = [form.replace("-", "+") + "+1" for form in forms]


def case_left_out(certificate: Certificate) -> None:
    """One case of the domain is missing from a sign."""
    for place in certificate["signs"].values():
        for text, forms in place.items():
            place[text] = forms[:-1]


def sign_left_out(certificate: Certificate) -> None:
    """No sign is given for any factor."""
    certificate["signs"] = {}


def denominators_left_out(certificate: Certificate) -> None:
    """Nothing shows that the divisors are not 0."""
    certificate["denominators"] = {}


def domain_widened(certificate: Certificate) -> None:
    """The statement speaks of another domain than the spec."""
    certificate["statement"]["variables"][0]["lower"] += "+1"


def count_changed(certificate: Certificate) -> None:
    """The statement has another multiplicity than the spec."""
    certificate["statement"]["pair_tables"][0]["rows"][0]["count"] += "+1"


def probability_changed(certificate: Certificate) -> None:
    """The statement has another cell than the spec."""
    certificate["statement"]["pair_tables"][0]["rows"][0]["px"] = "1/2"


def claim_weakened(certificate: Certificate) -> None:
    """The certificate is for e^(2 eps)."""
    claim = certificate["statement"]["claims"][0]
    claim["bounds"] = [f"({bound})**2" for bound in claim["bounds"]]


def claims_emptied(certificate: Certificate) -> None:
    """The certificate claims nothing."""
    certificate["statement"]["claims"] = []


def format_unknown(certificate: Certificate) -> None:
    """Another format version."""
    certificate["format"] += "0"


def proofs_not_a_mapping(certificate: Certificate) -> None:
    """A list where a mapping belongs."""
    certificate["proofs"] = [certificate["proofs"]]


FORGERIES: tuple[Callable[[Certificate], None], ...] = (
    proof_left_out,
    sign_flipped,
    constant_not_an_integer,
    constant_true,
    factor_dropped,
    power_changed,
    power_zero,
    factor_made_rational,
    shifted_form_made_positive,
    case_left_out,
    sign_left_out,
    denominators_left_out,
    domain_widened,
    count_changed,
    probability_changed,
    claim_weakened,
    claims_emptied,
    format_unknown,
    proofs_not_a_mapping,
)


def forged(certificate: Certificate, forgery: Callable[[Certificate], None]) -> Certificate:
    """A forged copy."""
    result = copy.deepcopy(certificate)
    forgery(result)
    return result
