"""Definitions of proofs/lib that repeat a spec by hand: they are what the spec says.

Theorems about densities and noise are about these definitions, which nothing prints. They are read
from proofs/expected_theorems, where Coq's kernel compares them with the library, by a parser of
their own, and evaluated beside the spec's table at drawn points, to 40 digits.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sympy

from ldp_verified.language import load
from ldp_verified.prove.coq.expected import read_expected

if TYPE_CHECKING:
    import numpy as np

PROOFS = Path("proofs")
BODIES = {entry.name: entry.text for entry in read_expected(PROOFS) if entry.kind == "definition"}
TOKEN = re.compile(r"\d+|[A-Za-z_][\w.']*|[-+*/^()\[\];,|]|=>|=\?")
DIGITS = 40


def parameters(name: str) -> tuple[list[str], str]:
    """The arguments of a definition, and its body."""
    found = re.fullmatch(r"fun (.*?) =>(.*)", BODIES[name], re.DOTALL)
    if found is None:
        return [], BODIES[name]
    arguments = re.sub(r"\(|\)|: \w+", " ", found.group(1))
    return arguments.split(), found.group(2)


class Term:
    """A body under evaluation: sums, products, powers, tuples, lists, if, other definitions."""

    def __init__(self, body: str, values: dict[str, Any]) -> None:
        self.tokens: list[str] = TOKEN.findall(body)
        self.values = values

    def value(self) -> Any:
        """Return the value of the whole text, and check that nothing is left over."""
        found = self._sum()
        assert not self.tokens, self.tokens
        return found

    def _next(self) -> str:
        return next(iter(self.tokens), "")

    def _take(self, wanted: str = "") -> str:
        token = self.tokens.pop(0)
        assert not wanted or token == wanted, (token, wanted)
        return token

    def _sum(self) -> Any:
        if self._next() == "if":
            self._take("if")
            chosen = self._take()
            self._take("then")
            yes = self._sum()
            self._take("else")
            no = self._sum()
            return yes if self.values[chosen] else no
        negative = self._next() == "-" and bool(self._take())
        total = self._product()
        total = -total if negative else total
        while self._next() in {"+", "-"}:
            total = total + self._product() if self._take() == "+" else total - self._product()
        return total

    def _product(self) -> Any:
        value = self._power()
        while self._next() in {"*", "/"}:
            value = value * self._power() if self._take() == "*" else value / self._power()
        return value

    def _power(self) -> Any:
        base = self._call()
        if self._next() != "^":
            return base
        self._take("^")
        return base ** self._call()

    def _call(self) -> Any:
        name = self._next()
        if name == "exp":
            self._take()
            return sympy.exp(self._atom())
        if name in {"Rabs", "Z.abs_nat"}:
            self._take()
            return abs(self._atom())
        if name in BODIES and name not in self.values:
            self._take()
            names, body = parameters(name)
            return Term(body, {each: self._atom() for each in names}).value()
        return self._atom()

    def _atom(self) -> Any:
        token = self._take()
        if token.isdigit():
            return sympy.Integer(token)
        if token not in {"(", "["}:
            return self.values[token]
        end, between = {"(": (")", ","), "[": ("]", ";")}[token]
        parts = [self._sum()]
        while self._next() == between:
            self._take(between)
            parts.append(self._sum())
        self._take(end)
        return parts[0] if token == "(" and len(parts) == 1 else parts


def by_hand(name: str, *arguments: Any) -> Any:
    """The value of a definition of the library."""
    names, body = parameters(name)
    return Term(body, dict(zip(names, arguments, strict=True))).value()


def by_spec(expression: Any, **point: Any) -> Any:
    """The value of a spec's expression."""
    here = {symbol: point[symbol.name] for symbol in sympy.sympify(expression).free_symbols}
    return sympy.sympify(expression).subs(here)


@cache
def table(name: str) -> Any:
    """The table of a mechanism of the catalogue."""
    return {each.name: each for each in load(name)}[name].table


def close(a: Any, b: Any) -> bool:
    difference = sympy.N(a - b, DIGITS)
    return bool(abs(difference) <= sympy.Float(10) ** (10 - DIGITS) * (1 + abs(sympy.N(b))))


def drawn(rng: np.random.Generator, low: int, high: int) -> Any:
    """A fraction strictly between two integers, for both sides."""
    return sympy.Rational(int(rng.integers(1, 999)), 999) * (high - low) + low


def test_laplace(rng: np.random.Generator) -> None:
    b, x, y = drawn(rng, 0, 5), drawn(rng, -1, 1), drawn(rng, -9, 9)
    law = table("laplace").law
    expected = law.level * sympy.exp(-abs(y - x) / law.scale)
    level, scale = by_spec(law.level, b=b), by_spec(law.scale, b=b)
    assert close(by_hand("exponential_density", level, scale, x, y), by_spec(expected, b=b))


def test_gaussian(rng: np.random.Generator) -> None:
    """Up to the constant, which the theorems leave free: the spec's level is over sqrt(2 pi)."""
    sigma, x, y = drawn(rng, 0, 5), drawn(rng, -1, 1), drawn(rng, -9, 9)
    law = table("gaussian").law
    level = by_spec(law.level, sigma=sigma)
    found = by_hand("normal_density", level, sigma, x, y)
    expected = law.level * sympy.exp(-((y - x) ** 2) / (2 * law.scale**2))
    assert close(found, by_spec(expected, sigma=sigma))


@pytest.mark.parametrize("z", [-4, -1, 0, 1, 3])
def test_geometric(z: int, rng: np.random.Generator) -> None:
    alpha = drawn(rng, 0, 1)
    for spec in ("geometric", "truncated_geometric"):
        law = table(spec).law
        mass = by_spec(law.mass, alpha=alpha)
        found = by_hand("lattice_weight", mass, alpha, sympy.Integer(1), sympy.Integer(1 + z))
        assert close(found, by_spec(law.mass * law.decay ** abs(z), alpha=alpha))


def test_another_definition_is_seen(rng: np.random.Generator) -> None:
    """A planted slip: exponential noise that falls with the scale, not with its inverse."""
    b, x, y = drawn(rng, 1, 5) + 1, drawn(rng, -1, 1), drawn(rng, 2, 9)
    values = {"level": 1 / b, "scale": b, "x": x, "y": y}
    wrong = Term("level * exp (- (Rabs (y - x) * scale))", values).value()
    assert not close(wrong, by_hand("exponential_density", 1 / b, b, x, y))
