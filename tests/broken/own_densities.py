"""Declarations of densities that must not become classes: why, and who says so."""

from __future__ import annotations

LOUD = """
low = 1 / (2 * b * u**2 + 1)
mine = Mechanism("mine", parameters=[eps, b], claims=[LDP(eps)], table=Density(value=x, pieces=[
    Piece(-b, x - b, low), Piece(x - b, x + b, low * u**2), Piece(x + b, 1 + b, low)]))
"""

HEAVY = """
low = 1 / (2 * b * u + 1)
mine = Mechanism("mine", parameters=[eps, b], claims=[LDP(eps)], table=Density(value=x, pieces=[
    Piece(-b, x - b, low), Piece(x - b, x + b, low * u), Piece(x + b, 1 + 2 * b, low)]))
"""

OUTSIDE = """
low = 1 / (u + 1)
mine = Mechanism("mine", parameters=[eps], claims=[LDP(eps)], table=Density(value=x, pieces=[
    Piece(0, x, low), Piece(x, x + 1, low * u), Piece(x + 1, 1, low)]))
"""

REFUTED = {"ratio": LOUD, "sums_to_one": HEAVY, "nonnegative": OUTSIDE}
"""Obligation that `verify` refutes -> declaration."""


def one(table: str, claims: str = "LDP(eps)", parameters: str = "eps", name: str = "mine") -> str:
    """A declaration of one mechanism."""
    return f"""
low, high = 1 / (2 * b * u + 1), u / (2 * b * u + 1)
half, quarter = Rational(1, 2), Rational(1, 4)
mine = Mechanism("{name}", parameters=[{parameters}], claims=[{claims}], table={table})
"""


WAVE = (
    "Density(value=x, pieces=[Piece(-b, x - b, low), Piece(x - b, x + b, high), "
    "Piece(x + b, 1 + b, low)])"
)
HALVES = (
    "Density(value=x, pieces=[Piece(0, half, 2*(1 + x*(u - 1))/(1 + u)), "
    "Piece(half, 1, 2*(u - x*(u - 1))/(1 + u))])"
)
UNDRAWN = {
    "must say LDP(eps)": one(WAVE, claims="", parameters="eps, b"),
    "without delta": one(HALVES, claims="LDP(eps, delta=Rational(1, 100))"),
    "does not depend on must be left out, got 'b'": one(HALVES, parameters="eps, b"),
    "outer ends must not depend on the input": one(
        "Density(value=x, pieces=[Piece(x - 1, x, half), Piece(x, x + 1, half)])"
    ),
    "pieces[1] must begin where": one(
        "Density(value=x, pieces=[Piece(0, half, low), Piece(Rational(2, 3), 1, high)])",
        parameters="eps, b",
    ),
    "pieces[1].level must not be 0": one(
        "Density(value=x, pieces=[Piece(0, 1, low), Piece(1, 2, 0), Piece(2, 3, high)])",
        parameters="eps, b",
    ),
    "one output only": one("Density(value=x, atoms=[Atom(0, 1)])"),
    "atoms must lie within the interval": one(
        "Density(value=x, pieces=[Piece(0, 1, u/(u + 1))], atoms=[Atom(2, 1/(u + 1))])"
    ),
    "eps must stand in its table": one("Density(value=x, pieces=[Piece(0, 1, 1)])"),
    "means something else in the class, got 'grid'": one(
        WAVE.replace("b", "grid").replace("val", "val"), parameters="eps, grid"
    )
    .replace("low, high = 1 / (2 * b", 'grid = real("grid", above=0)\nlow, high = 1 / (2 * grid')
    .replace("u / (2 * b", "u / (2 * grid"),
}
"""Part of the message -> declaration that has no sampler."""
