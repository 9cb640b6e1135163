"""Write the docstring of a generated class."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from ldp_verified.derive import Facts
from ldp_verified.derive.rational import readable
from ldp_verified.generate.explicit import TableSide
from ldp_verified.generate.inputs import labels_meaning
from ldp_verified.kinds import Kind
from ldp_verified.language import (
    f,
    n,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.generate.arguments import ArgumentRule
    from ldp_verified.generate.numeric import NumericSide
    from ldp_verified.language import Mechanism

WIDTH = 96
"""A line of the docstring, which is indented by four."""


MEANINGS = {
    "epsilon": "how much a report may reveal, in nats; a number > 0",
    "k": "how many values there are",
    "g": "how many buckets a hash function has; None for the number of least variance",
    "omega": "how many values a report names; None for the number of least variance",
    "prime": "the order of the field; None for the prime of least variance",
    "buckets": "how many buckets the values are put into",
    "categories": "the labels of the values, in order; None for 0, ..., k - 1",
    "bounds": "the smallest and the largest input",
    "grid": "into how many steps the inputs are divided; None for what suits epsilon",
    "cells": "into how many cells the outputs are divided",
    "rows": "how many hash functions are drawn, once for all users; None for one for each report",
    "seed": "from which the hash functions are drawn; public",
}
"""What the arguments of generated classes are, other than parameters of the table."""


def arguments_section(
    fields: Sequence[str], own: Sequence[ArgumentRule], labels: tuple[str | int, ...] | None = None
) -> list[str]:
    """Return the docstring section that explains each argument of the class.

    Args:
        fields: the lines that declare them. own: the rules of parameters of the table.
        labels: the table's own domain where that is not 0..k-1.
    """
    rules = {rule.name: rule.domain for rule in own}
    lines = ["Args:"]
    for line in fields:
        name = line.partition(":")[0]
        if "init=False" in line:
            continue
        if name in rules:
            meaning = f"a parameter of the table, with {rules[name].describe(name)}"
        elif name == "categories" and labels is not None:
            meaning = labels_meaning(labels)
        else:
            meaning = MEANINGS.get(name, MEANINGS["epsilon"])
        optional = "; None for" in meaning and "None" not in line
        text = f"{name}: {meaning.partition(';')[0] if optional else meaning}."
        wrapped = textwrap.wrap(text, WIDTH - 8, break_on_hyphens=False)
        lines += [f"    {wrapped[0]}", *(f"        {more}" for more in wrapped[1:])]
    return [*lines, ""]


def contract(
    side: NumericSide | TableSide,
    command: str,
    fields: Sequence[str],
    labels: tuple[str | int, ...] | None,
) -> list[str]:
    """The class docstring: arguments, table, estimator, variance, and what shows them.

    Args:
        side: what is generated. command: the spec as the command line names it.
        fields: the lines that declare the arguments.
        labels: the table's own domain where that is not 0..k-1.
    """
    table = isinstance(side, TableSide)
    paragraphs = _of_table(side) if isinstance(side, TableSide) else _of_cells(side)
    given = side.arguments
    if given.exponent == "epsilon":
        loss = "The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon."
    else:
        loss = "`epsilon` is the least double not below the logarithm of the largest ratio."
        if side.ratio is not None:
            ratio = _solid(f"ln({_text(side, side.ratio)})")
            loss = f"`epsilon` is the least double not below {ratio}."
    certificate = ""
    if not command.endswith(".py"):
        certificate = f" (certificate: proofs/certificates/{side.mechanism.name}.json)"
    shows = _solid(f"`ldp-verified verify {command}`")
    rests = f"Rests on what {shows} shows: {shown(side.mechanism, free=not table)}{certificate}. "
    if table:
        rests += (
            "Cells are rounded to integer thresholds, and the estimator is that of the rounded "
            f"table. Thresholds and the layout of reports: `{side.base}`."
        )
    else:
        rests += (
            "Cells are rounded to integer thresholds, so it is the proofs for free cells that hold "
            "for estimates and variances of the running code. "
            f"Thresholds and the layout of reports: `{side.base}`."
        )
    lines = [f'"""{side.mechanism.title}.', "", *arguments_section(fields, given.own, labels)]
    lines += [f"Table{_legend(side)}:", ""]
    names, meanings = _names(side)
    width = max(len(name) for name in names)
    for name, value, meaning in zip(names, side.cell_values, meanings, strict=True):
        line = f"    {name.ljust(width)} = {_text(side, value)}{meaning}"
        if len(line) > WIDTH:
            line = line[: -len(meaning)] + ":" if meaning else line
            lines += [line, f"        {meaning[2:]}"] if meaning else [line]
        else:
            lines.append(line)
    for paragraph in (*paragraphs, loss, rests):
        lines += ["", *_wrapped(paragraph)]
    return [*lines, '"""']


def _names(side: NumericSide | TableSide) -> tuple[list[str], list[str]]:
    """Return the names of the cells, and the meaning of each."""
    if isinstance(side, TableSide):
        count = len(side.cell_values)
        return [f"c{i}" for i in range(count)], [""] * count
    meanings = [f": the probability that {meaning}" for meaning in side.shape.meaning]
    return list(side.shape.cells), meanings


def _of_cells(side: NumericSide) -> list[str]:
    facts = Facts(side.mechanism)
    at_zero = facts.variance_at_zero / n
    variance = _sum(_text(side, at_zero), _text(side, (facts.variance / n - at_zero) / f))
    p_star, q_star = (_solid(str(value).replace("**", "^")) for value in side.support_values)
    text = (
        f"Support: p* = {p_star}, q* = {q_star}. With c of n reports supporting a value, its "
        f"count is estimated by {_solid('(c - n q*)/(p* - q*)')}. If a share f of the users "
        "holds it, the variance of that is "
        f"{_solid('n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2')}; for the table above, "
        f"{_solid(f'n ({variance})')}."
    )
    return [text]


def _of_table(side: TableSide) -> list[str]:
    where = "P(y|x) is the cell whose index is `pattern[x][y]`"
    labels = [list(map(str, each)) for each in (side.inputs, side.outputs)]
    for kind, names in zip(("Inputs", "Outputs"), labels, strict=True):
        if names != [str(i) for i in range(len(names))]:
            where += f". {kind}, in order: {', '.join(names)}"
    if side.no_estimator is not None:
        return [f"{where}. No linear estimator of counts is unbiased: {side.no_estimator}."]
    how = "a left inverse of the realized table, `weights`, applied to how often each output came"
    return [f"{where}. Counts are estimated by {how}."]


def _text(side: NumericSide | TableSide, value: Any) -> str:
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
    """Spaces at which a line must not break, unless the formula is longer than a line."""
    return formula.replace(" ", "\0") if len(formula) < WIDTH else formula


def _wrapped(text: str) -> list[str]:
    lines = textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)
    # A formula that is longer than a line is broken where it has to be.
    return [
        part
        for line in lines
        for part in textwrap.wrap(
            line.replace("\0", " "), WIDTH, break_on_hyphens=False, break_long_words=False
        )
    ]


def exponent(epsilon: str, root: int) -> str:
    """The exponent epsilon/root as text."""
    return epsilon if root == 1 else f"({epsilon}/{root})"


def _legend(side: NumericSide | TableSide) -> str:
    mechanism, given = side.mechanism, side.arguments
    parts = []
    if given.exponent is not None:
        power = exponent(given.exponent, given.root)
        parts.append(f"{mechanism.generator.symbol} = e^{power}")
    parts += [rule.domain.describe(rule.name) for rule in given.own]
    return f", with {' and '.join(parts)}" if parts else ""


def shown(mechanism: Mechanism, *, free: bool) -> str:
    """The obligations that `verify` shows of a mechanism."""
    names = [Kind.NONNEGATIVE, Kind.SUMS_TO_ONE, Kind.EQUAL_SUPPORT]
    for claim in mechanism.claims:
        names += claim.kinds
    ordered = ", ".join(dict.fromkeys(names))
    return f"{ordered}; unbiased and variance for free cells" if free else ordered
