"""Name each table form on the numeric side, with the sizes that its formulas take."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.derive import simple
from ldp_verified.generate.arguments import refusal
from ldp_verified.language import (
    Bits,
    Blocks,
    Design,
    HadamardBlocks,
    HadamardSigns,
    HashBlocks,
    HashedOneHot,
    HashedSigns,
    Hyperplanes,
    LinearBlocks,
    Matrix,
    Singletons,
    Subsets,
)

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism


ROWS = ("rows: int | None = None", "seed: int = 0")
"""The settings of a sketch."""


@dataclass(frozen=True)
class ArgumentShape:
    """The names of a table form on the numeric side.

    Attributes:
        base: the base class in `ldp_verified.run.realize`.
        cells: names of the truth and the lie, as arguments.
        meaning: what each of them is the probability of.
        sizes: size argument -> expression in the spec (k, g, ...).
        in_cells: the sizes that `cells` of the base takes. in_support: those that `support` takes.
        scale: what the spec's cells are multiplied by.
        derived: sizes of the base class that are no arguments -> expression in the spec.
        dropped: the symbols that must cancel in the scaled cells, for the class does not know them.
        blocks: the values of each block, where blocks are written out.
        settings: further arguments, as the lines that declare them: what no formula mentions.
    """

    base: str
    cells: tuple[str, str]
    meaning: tuple[str, str]
    sizes: dict[str, Any]
    in_cells: tuple[str, ...] = ()
    in_support: tuple[str, ...] = ()
    scale: Any = sympy.S.One
    derived: dict[str, Any] = field(default_factory=dict)
    dropped: frozenset[Any] = frozenset()
    blocks: tuple[tuple[int, ...], ...] = ()
    settings: tuple[str, ...] = ()


def shape_of(mechanism: Mechanism) -> ArgumentShape:
    """Return the shape of the mechanism's form, with the arguments of its cells.

    Raises:
        SpecError: there is no sampler for the form, or its counts are not those of the structure.
    """
    match mechanism.algebraic_table:
        case Design(structure=Singletons() as structure) as form:
            k = structure.values
            check_counts(mechanism, form, (k, 1, 0))
            meaning = ("the report is the value", "the report is another one, for each of them")
            shape = ArgumentShape(
                "SingletonRandomizer", ("inside", "outside"), meaning, {"k": k}, ("k",)
            )
        case Design(structure=HashBlocks() as structure) as form:
            k, g, m = structure.values, structure.buckets, structure.functions
            check_counts(mechanism, form, (m * g, m, m / g))
            meaning = ("the bucket is the value's", "the bucket is another one, for each of them")
            shape = ArgumentShape(
                "HashedRandomizer",
                ("inside", "outside"),
                meaning,
                {"k": k, "g": g},
                ("g",),
                ("g",),
                m,
                dropped=frozenset(m.free_symbols),
            )
        case Design(structure=LinearBlocks() as structure) as form:
            g, m = structure.prime, structure.functions
            check_counts(mechanism, form, (m * g, m, m / g))
            meaning = ("the bucket is the value's", "the bucket is another one, for each of them")
            shape = _scaled("CohortRandomizer", meaning, form, structure, ("g",), ("g",))
        case Design(structure=Subsets() as structure) as form:
            k, w, b = structure.values, structure.size, structure.subsets
            check_counts(mechanism, form, (b, b * w / k, b * w * (w - 1) / (k * (k - 1))))
            others = "it does not, times omega/(k - omega)"
            meaning, used = ("the report holds the value", others), ("k", "omega")
            shape = _scaled("SubsetRandomizer", meaning, form, structure, used, used)
        case Design(structure=HadamardBlocks() as structure) as form:
            order = structure.order
            check_counts(mechanism, form, (order, order / 2, order / 4))
            meaning = ("the row of the value is +1 in the column", "it is -1 there")
            shape = _scaled("ColumnRandomizer", meaning, form, structure)
        case Design(structure=HadamardSigns() as structure) as form:
            order = structure.order
            check_counts(mechanism, form, (2 * order, order, order / 2))
            meaning = ("the sign is that of the value in the column", "it is the other one")
            shape = _scaled("SignRandomizer", meaning, form, structure)
        case Design(structure=Hyperplanes() as structure) as form:
            q, vectors = structure.prime, structure.vectors
            through = [(vectors / q**i - 1) / (q - 1) for i in range(3)]
            check_counts(mechanism, form, (through[0], through[1], through[2]))
            others = "it is not, times (vectors/prime - 1)/(vectors - vectors/prime)"
            meaning = ("the point is orthogonal to that of the value", others)
            used = ("prime", "vectors")
            shape = _scaled("PointRandomizer", meaning, form, structure, used, used)
            shape = replace(shape, derived={"vectors": vectors}, dropped=frozenset())
        case Design(structure=Blocks() as structure) as form:
            meaning = ("the report is a given block with the value", "it is a given one without it")
            blocks = tuple(tuple(sorted(block)) for block in structure.blocks)
            sizes = {"k": sympy.Integer(structure.values)}
            shape = ArgumentShape(
                "BlockRandomizer", ("inside", "outside"), meaning, sizes, blocks=blocks
            )
        case Design(structure=HashedSigns() as structure) as form:
            m, functions = structure.buckets, structure.functions
            check_counts(
                mechanism, form, (2 * functions * m, functions * m, functions * (m + 1) / 2)
            )
            meaning = ("the sign is that of the bucket in the row", "it is the other one")
            shape = _scaled("SignSketchRandomizer", meaning, form, structure, (), ("buckets",))
            shape = replace(shape, settings=ROWS)
        case Bits(encoder=HashedOneHot() as encoder):
            shape = ArgumentShape(
                "BitSketchRandomizer",
                ("one", "zero"),
                ("the bit of the value's bucket is 1", "any other bit is 1"),
                encoder.sizes,
                in_support=("buckets",),
                dropped=frozenset(encoder.functions.free_symbols),
                settings=ROWS,
            )
        case Bits() as bits:
            meaning = ("the value's own bit is 1", "any other bit is 1")
            shape = ArgumentShape(
                "OneHotRandomizer", ("one", "zero"), meaning, {"k": bits.encoder.values}
            )
        case Matrix() as matrix:
            meaning = ("the report is the value", "the report is another one, for each of them")
            size = sympy.Integer(matrix.values)
            shape = ArgumentShape("MatrixRandomizer", ("truth", "lie"), meaning, {"k": size})
        case _:
            rule = "there is no sampler for this structure of outputs"
            raise refusal(mechanism, rule, mechanism.table)
    return shape


def _scaled(
    base: str,
    meaning: tuple[str, str],
    form: Design,
    structure: Any,
    in_cells: tuple[str, ...] = (),
    in_support: tuple[str, ...] = (),
) -> ArgumentShape:
    """The shape of a structure whose cells are P(y|x) times the blocks that hold a value."""
    return ArgumentShape(
        base,
        ("inside", "outside"),
        meaning,
        structure.sizes,
        in_cells,
        in_support,
        form.containing,
        dropped=frozenset(structure.determined.free_symbols),
    )


def check_counts(mechanism: Mechanism, form: Design, wanted: tuple[Any, Any, Any]) -> None:
    """Refuse counts that are not those of the structure.

    Raises:
        SpecError: they differ.
    """
    stated = (form.blocks, form.containing, form.together)
    if any(simple(a - b) != 0 for a, b in zip(stated, wanted, strict=True)):
        rule = f"blocks, containing, together must be those of the structure, {wanted}"
        raise refusal(mechanism, rule, stated)
