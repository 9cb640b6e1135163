"""Claims as one line of text."""

from __future__ import annotations

from ldp_verified.language import LDP, Holds, Optimal, Unbiased, Variance
from ldp_verified.language.claims import Claim


def describe(claim: Claim) -> str:
    """What the claim says, in one line."""
    match claim:
        case LDP():
            return f"eps-LDP with eps = {claim.epsilon}" + (", tight" if claim.tight else "")
        case Unbiased():
            if claim.supported is None:
                return "the derived estimator is unbiased"
            return f"unbiased: add {claim.supported} where supported, {claim.otherwise} otherwise"
        case Variance():
            where = "" if claim.at_f is None else f" at f = {claim.at_f}"
            return f"variance of a count{where} = {claim.value}"
        case Optimal():
            values = ", ".join(f"{key} = {value}" for key, value in claim.values.items())
            return f"least variance at f = {claim.at_f}: {values}"
        case Holds():
            return str(claim.relation)
