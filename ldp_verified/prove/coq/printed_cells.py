"""The cells of a randomizer as a printed text has them, each where the library wants it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ldp_verified.language import Mechanism
from ldp_verified.prove.coq.reading import StatementReader, UnreadableError, binders, definition

Point = Mapping[Any, Fraction]


CELLS: Mapping[str, tuple[str, ...]] = {
    "matrix": ("rows",),
    "one_hot_bits": ("one", "zero"),
    "hashed_bits": ("one", "zero"),
    "bloom_bits": ("one", "zero"),
    "design": ("inside", "outside"),
    "Line": ("steps", "atoms"),
    "exponential_noise": ("level", "scale"),
    "lattice_noise": ("mass", "decay"),
    "cut_noise": ("mass", "decay", "low_report", "high_report"),
    "normal_noise": ("level", "scale"),
    "steps_noise": ("steps", "period", "decay"),
}
"""Randomizer of the library -> the cells that it gets last, in their order."""


def reader(mechanism: Mechanism, point: Point, text: str) -> StatementReader:
    """Return the reader that evaluates a text's definitions at a point."""
    generator = mechanism.generator
    values = {s.name: v for s, v in point.items() if s != generator.symbol}
    # A parameter with the name of a cell is printed with an underscore.
    values |= {f"{name}_": v for name, v in values.items()}
    return StatementReader(values, point.get(generator.symbol, Fraction(1)), generator.root, text)


def exchanged(text: str, name: str) -> str:
    """Say how a randomizer is not given its own cells, each with its parameters; else empty.

    Raises:
        UnreadableError: no randomizer of the library is defined.
    """
    body = " ".join(definition(text, name).split())
    cells = CELLS.get(body.partition(" ")[0])
    if cells is None:
        raise UnreadableError(f"the randomizer {body.partition(' ')[0]}")
    own = binders(text, name)
    calls = []
    for cell in (f"{name}_{cell}" for cell in cells):
        if binders(text, cell) != own:
            return f"{cell} has other parameters"
        term = " ".join([cell, *own])
        calls.append(f"({term})" if own else term)
    wanted = " ".join(calls)
    return "" if body.endswith(f" {wanted}") else f"its cells are not {wanted}"
