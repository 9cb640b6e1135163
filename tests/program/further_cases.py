"""Cases at small widths of programs beside those of mechanisms on values: points in blocks."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

from ldp_verified.run.kernels import hyperplanes as planes
from ldp_verified.run.program.hyperplanes import hyperplane
from tests.program.cases import Case, is_point

if TYPE_CHECKING:
    Law = dict[tuple[int, ...], Fraction]


def block_case(k: int, q: int, t: int, blocks: int, deny: int, width: int) -> Case:
    """A point of some block; those on the value's hyperplane in its own are likelier."""
    # The index of a point: fewer digits after the 1 first, then by what they write.
    vectors = sorted(v for v in itertools.product(range(q), repeat=t) if is_point(v))
    size, denied = -(-k // blocks), Fraction(deny, 1 << width)

    def table(value: int) -> Law:
        own, vector = divmod(value, size)[0], vectors[value % size]
        on = {
            (b, i): b == own and sum(x * y for x, y in zip(v, vector, strict=True)) % q == 0
            for b in range(blocks)
            for i, v in enumerate(vectors)
        }
        held = sum(on.values())
        shares = {True: (1 - denied) / held, False: denied / (len(on) - held)}
        return {(b * len(vectors) + i,): shares[each] for (b, i), each in on.items()}

    made = hyperplane("hpgr", k, q, t, deny, width, blocks)
    return Case(made, planes.block_sampler(k, q, t, blocks, deny, width), 4, table)


FURTHER: dict[str, Case] = {"hpgr": block_case(3, 2, 2, 2, 3, 3)}
FURTHER_SIZES: dict[str, Case] = {
    "hpgr_two": block_case(2, 2, 2, 2, 3, 3),
    "hpgr_five": block_case(5, 2, 2, 2, 3, 3),
}
"""The same at other numbers of values; `make test-clients` runs them."""
