"""Claims as one line of text."""

from __future__ import annotations

from ldp_verified.language import (
    LDP,
    BetterThan,
    GaussianLDP,
    Holds,
    Mean,
    MetricLDP,
    Optimal,
    PersonalisedLDP,
    ReportVariance,
    SameTable,
    SmallerWorst,
    Unbiased,
    Variance,
    WorstVariance,
    f,
)
from ldp_verified.language.claims import Claim


def describe(claim: Claim) -> str:
    """Describe the claim in one line."""
    match claim:
        case LDP():
            what = "eps-LDP" if claim.delta == 0 else "(eps, delta)-LDP"
            delta = "" if claim.delta == 0 else f", delta = {claim.delta}"
            return f"{what} with eps = {claim.epsilon}{delta}" + (", tight" if claim.tight else "")
        case MetricLDP():
            return f"metric LDP: eps = {claim.epsilon} per unit of distance"
        case PersonalisedLDP():
            region = ", ".join(sorted(map(str, claim.region)))
            return f"eps-LDP with eps = {claim.epsilon} within the region {{{region}}}"
        case GaussianLDP():
            what = "no finite eps; at every eps the smallest delta is" if claim.tight else "delta ="
            return f"{what} Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), mu = {claim.mu}"
        case SameTable():
            return f"the same table as {name_of(claim.other)}"
        case BetterThan():
            where = "at every share f" if claim.at_f == f else f"at f = {claim.at_f}"
            return f"less variance than {name_of(claim.other)} {where} {where_better(claim)}"
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
        case Mean():
            return f"mean of a report = {claim.value}"
        case ReportVariance():
            return f"variance of a report = {claim.value}"
        case WorstVariance():
            return f"worst variance of a report = {claim.value}, at input {claim.at}"
        case SmallerWorst():
            return f"smaller worst variance than {name_of(claim.other)} where {claim.condition}"


def where_better(claim: BetterThan) -> str:
    """Return where it is better, in words."""
    if claim.condition is None:
        return "somewhere: the region is derived"
    margin = claim.margin
    if margin.is_number:
        return "for all parameters" if margin > 0 else "nowhere"
    return f"exactly where {claim.condition}"


def name_of(other: object) -> str:
    """The name of a mechanism given by itself or by name."""
    return str(getattr(other, "name", other))
