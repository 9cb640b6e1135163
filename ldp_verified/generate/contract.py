"""What a generated class says of itself: its docstring."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from ldp_verified.derive import Facts
from ldp_verified.derive.rational import readable
from ldp_verified.language import LDP, Holds, Optimal, Unbiased, Variance, f, n

if TYPE_CHECKING:
    from ldp_verified.generate.numeric import NumericSide
    from ldp_verified.language import Mechanism

WIDTH = 96
"""A line of the docstring, which is indented by four."""


def contract(side: NumericSide, command: str) -> list[str]:
    """The class docstring: table, support, estimator, variance, and what shows them."""
    mechanism, shape = side.mechanism, side.shape
    facts = Facts(mechanism)
    assert facts.tight is not None
    largest = _text(side, facts.tight.ratio)
    at_zero = facts.variance_at_zero / n
    variance = _sum(_text(side, at_zero), _text(side, (facts.variance / n - at_zero) / f))
    p_star, q_star = (_solid(str(value).replace("**", "^")) for value in side.support_values)
    certificate = ""
    if not command.endswith(".py"):
        certificate = f" (certificate: proofs/certificates/{mechanism.name}.json)"
    paragraphs = [
        _wrapped(
            f"Support: p* = {p_star}, q* = {q_star}. With c of n reports supporting a value, its "
            f"count is estimated by {_solid('(c - n q*)/(p* - q*)')}. If a share f of the users "
            "holds it, the variance of that is "
            f"{_solid('n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2')}; for the table above, "
            f"{_solid(f'n ({variance})')}."
        ),
        _wrapped(
            "The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon."
            if side.root is not None
            else f"`epsilon` is the least double not below {_solid(f'ln({largest})')}."
        ),
        _wrapped(
            f"Rests on what {_solid(f'`ldp-verified verify {command}`')} shows: "
            f"{_shown(mechanism)}{certificate}. Cells are rounded to integer thresholds, so it is "
            "the proofs for free cells that hold for estimates and variances of the running code. "
            f"Thresholds and the layout of reports: `{shape.base}`."
        ),
    ]
    lines = [f'"""{mechanism.title}.', "", f"Table{_legend(side)}:", ""]
    width = max(len(cell) for cell in shape.cells)
    for cell, value, meaning in zip(shape.cells, side.cell_values, shape.meaning, strict=True):
        lines.append(
            f"    {cell.ljust(width)} = {_text(side, value)}: the probability that {meaning}"
        )
    for paragraph in paragraphs:
        lines += ["", *paragraph]
    return [*lines, '"""']


def _text(side: NumericSide, value: Any) -> str:
    """A formula of the mechanism, its factors positive inside the domain."""
    return str(readable(value, side.mechanism.variables)).replace("**", "^")


def _sum(start: str, slope: str) -> str:
    """start + f slope."""
    if slope == "0":
        return start
    if slope in ("1", "-1"):
        return f"{start} {'-' if slope == '-1' else '+'} f"
    return f"{start} + f ({slope})"


def _solid(formula: str) -> str:
    """Spaces at which a line must not break."""
    return formula.replace(" ", "\0")


def _wrapped(text: str) -> list[str]:
    lines = textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)
    return [line.replace("\0", " ") for line in lines]


def exponent(epsilon: str, root: int) -> str:
    """The exponent epsilon/root as text."""
    return epsilon if root == 1 else f"({epsilon}/{root})"


def _legend(side: NumericSide) -> str:
    mechanism = side.mechanism
    if side.root is not None:
        return f", with {mechanism.generator.symbol} = e^{exponent('epsilon', side.root)}"
    if side.parameter is None:
        return ""
    return f", with {mechanism.domains[side.parameter].describe(side.parameter.name)}"


def _shown(mechanism: Mechanism) -> str:
    names = ["nonnegative", "sums_to_one", "equal_support"]
    kinds = {
        LDP: "ratio",
        Unbiased: "unbiased",
        Variance: "variance",
        Optimal: "optimal",
        Holds: "holds",
    }
    for claim in mechanism.claims:
        names.append(kinds[type(claim)])
        if isinstance(claim, LDP) and claim.tight:
            names.append("tight")
    ordered = ", ".join(dict.fromkeys(names))
    return f"{ordered}; unbiased and variance for free cells"
