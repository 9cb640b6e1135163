"""Count the signs of a user's public column in Bitstogram, from its declaration."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import sympy

from ldp_verified.check.claims.numeric import Case, Cases
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import group, x

SIZES = ((2, 2), (3, 4), (3, 2), (4, 2))
"""(bits of a value, cells T): as many pairs of a cell and a bit as values, then fewer."""


def signs_of_a_column(*, of_values: bool) -> Cases:
    """The column of signs that a user who finds reports by has one sign for each ... of the domain.

    A sign belongs to the column if turning it turns what is reported, for some public function h,
    some code and some value. What is reported depends on h and the code at the own value only, so
    functions that are constant show all that there is.

    Args:
        of_values: whether each value is meant; else each pair of a cell and a bit.
    """
    meant = "value" if of_values else "pair of a cell and a bit of the code"
    said = f"in the declared protocol a user's column has one sign for each {meant}"
    where = ", ".join(f"(|D|, T) = ({2**bits}, {cells})" for bits, cells in SIZES)
    return Cases(said, lambda: _cases(of_values), where)


def _cases(of_values: bool) -> Iterable[Case]:
    for bits, cells in SIZES:
        wanted = 2**bits if of_values else 2 * cells
        found = len(_turning(bits, cells))

        def again(bits: int = bits, cells: int = cells, wanted: int = wanted) -> bool:
            return _by_pairs(bits, cells) == wanted

        yield Case(
            {"|D|": 2**bits, "T": cells},
            found == wanted,
            again,
            {"signs of a column": found, "wanted": wanted},
            f"with {2**bits} values and T = {cells} cells {found} signs of a user's column can "
            f"turn what is reported, and {wanted} are said",
        )


def _reported(bits: int, cells: int) -> Any:
    """Return what a user of the first bit reports on, as a function of (x, h, code, z).

    All numbers are multiples of powers of 2 here, so that doubles are exact.
    """
    declared = load_protocol("bitstogram")
    (sent,) = declared.rounds[0].sends
    named = {p.name: p for p in declared.parameters}
    sizes = {"bits": bits, "length": 1, "T": cells, "functions": 1, "repeats": 1, "columns": 2}
    zeros = dict.fromkeys(("r", "s", "H"), 0)
    at = {named[name]: number for name, number in {**sizes, **zeros}.items()}
    of = sent.of.subs({**at, group: 0})
    # sympy prints a multiple of a remainder as the remainder of a multiple.
    of = of.replace(sympy.Mod, sympy.Function("remainder"))
    arguments = [x, named["h"], named["code"], named["z"]]
    return sympy.lambdify(arguments, of, [{"remainder": lambda a, b: a % b}, "math"])


def _turning(bits: int, cells: int) -> set[int]:
    """The signs of the column that can turn a report: digits of z, beyond all that could be."""
    reported, values, found = _reported(bits, cells), 2**bits, set()
    for value, cell, bit in product(range(values), range(cells), range(2)):
        h = sum(cell * cells**v for v in range(values))
        code = sum(bit << v for v in range(values))
        plain = reported(value, h, code, 0)
        for place in range(2 * cells + values):
            if reported(value, h, code, 1 << place) != plain:
                found.add(place)
    return found


def _by_pairs(bits: int, cells: int) -> int:
    """Count the signs that turn other reports than each other sign does."""
    reported, values = _reported(bits, cells), 2**bits
    asked = [
        (value, sum(cell * cells**v for v in range(values)), sum(bit << v for v in range(values)))
        for value, cell, bit in product(range(values), range(cells), range(2))
    ]
    answers = {
        tuple(int(reported(*each, 1 << place)) for each in asked)
        for place in range(2 * cells + values)
    }
    return len(answers - {(0,) * len(asked)})
