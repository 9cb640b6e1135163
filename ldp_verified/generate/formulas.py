"""Rational functions as Python text, and the proof that the text says what the spec says.

The text uses + - * / and integer powers on its arguments only, so it runs on floats, fractions,
balls, and on sympy's symbols. With symbols it is compared with the expression it came from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.errors import LdpError
from ldp_verified.language.feasible import interior_point

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ldp_verified.language import Domain

LINE = 100


@dataclass(frozen=True)
class Function:
    """A function of the generated class.

    Attributes:
        name: its name.
        arguments: names of its arguments, all of one number type.
        body: its statements, unindented; the last one returns one expression, or several.
        count: how many expressions it returns.
    """

    name: str
    arguments: tuple[str, ...]
    body: tuple[str, ...]
    count: int

    @property
    def parameters(self) -> str:
        """The function's arguments as its definition declares them."""
        return ", ".join(f"{argument}: Number" for argument in self.arguments)

    @property
    def unused(self) -> tuple[str, ...]:
        """Arguments that the body does not mention."""
        words = {word for line in self.body for word in _words(line)}
        return tuple(name for name in self.arguments if name not in words)

    @property
    def remark(self) -> str:
        """Return the remark behind a definition: empty, or the arguments that it does not use."""
        return f"  # noqa: ARG004  constant in {', '.join(self.unused)}" if self.unused else ""

    def on_symbols(self, symbols: Mapping[str, Any]) -> tuple[Any, ...]:
        """Run the text on sympy symbols, given by argument name."""
        lines = "".join(f"    {line}\n" for line in self.body)
        space: dict[str, Any] = {"rational": lambda top, bottom, _: sympy.Rational(top, bottom)}
        exec(f"def {self.name}({', '.join(self.arguments)}):\n{lines}", space)
        result = space[self.name](*(symbols[name] for name in self.arguments))
        return tuple(result) if self.count > 1 else (result,)


def equal(one: Any, other: Any) -> bool:
    """Return whether two rational functions are the same.

    The numerator of their difference is the zero polynomial over QQ.
    """
    difference = sympy.together(one - other)
    numerator = sympy.fraction(difference)[0]
    symbols = sorted(difference.free_symbols, key=str)
    if not symbols:
        return bool(sympy.nsimplify(numerator) == 0)
    return bool(sympy.Poly(numerator, *symbols, domain="QQ").is_zero)


def function(
    name: str,
    arguments: Sequence[Any],
    values: Sequence[Any],
    main: Sequence[Any],
    domains: Mapping[Any, Domain],
) -> Function:
    """The function that returns the given rational expressions.

    Args:
        name: its name.
        arguments: symbols, named as the arguments are to be.
        values: expressions in them.
        main: the symbols by whose powers sums are written; the others are sizes.
        domains: where the symbols range, for signs.

    Raises:
        LdpError: the text does not evaluate to the expressions; a fault of this module, not of the
            spec.
    """
    writer = _Writer(tuple(main), dict(domains))
    parts = [writer.fraction(value) for value in values]
    bottoms = {bottom for _, bottom in parts}
    body: list[str] = []
    if len(parts) > 1 and len(bottoms) == 1 and not bottoms <= {"1"} and "+" in str(bottoms):
        body.append(f"total = {bottoms.pop()}")
        returned = [f"{_closed(top, '+-')} / total" for top, _ in parts]
    else:
        returned = [writer.quotient(top, bottom, str(arguments[0])) for top, bottom in parts]
    line = f"return {', '.join(returned)}"
    if len(returned) > 1 and len(line) > LINE - 8:
        body += ["return (", *(line for value in returned for line in _item(value)), ")"]
    else:
        body.append(line)
    names = tuple(str(argument) for argument in arguments)
    made = Function(name, names, tuple(body), len(parts))
    prove(made, dict(zip(names, arguments, strict=True)), values)
    return made


def _item(value: str) -> list[str]:
    """A value in a tuple of one value to a line, broken before its division if it is long."""
    top, slash, bottom = value.rpartition(" / (")
    if len(value) + 1 <= LINE - 12 or not slash or bottom.count("(") != bottom.count(")") - 1:
        return [f"    {value},"]
    return [f"    {top}", f"    / ({bottom},"]


def prove(made: Function, symbols: Mapping[str, Any], values: Sequence[Any]) -> None:
    """Run the text on symbols and compare polynomials.

    Raises:
        LdpError: some value differs.
    """
    for got, wanted in zip(made.on_symbols(symbols), values, strict=True):
        if not equal(got, wanted):
            raise LdpError(made.name, f"was printed as {made.body}, which is not {wanted}", got)


class _Writer:
    """Prints factored numerators and denominators, every factor positive inside the domain."""

    def __init__(self, main: tuple[Any, ...], domains: dict[Any, Any]) -> None:
        self.main = main
        self.point = interior_point(domains)

    def fraction(self, value: Any) -> tuple[str, str]:
        """Numerator and denominator as text."""
        top, bottom = sympy.fraction(sympy.cancel(sympy.together(value)))
        over, under = sympy.factor_list(top), sympy.factor_list(bottom)
        constant = sympy.Rational(over[0], under[0])
        sign = 1
        lists = []
        for _, factors in (over, under):
            turned = []
            for factor, power in factors:
                if factor.subs(self.point) < 0:
                    sign *= (-1) ** power
                    turned.append((sympy.expand(-factor), power))
                else:
                    turned.append((factor, power))
            lists.append(turned)
        constant *= sign
        return self._product(constant.p, lists[0]), self._product(constant.q, lists[1])

    def quotient(self, top: str, bottom: str, like: str) -> str:
        """The quotient as one expression; a constant takes the number type of `like`."""
        if top.lstrip("-").isdigit() and bottom.isdigit():
            return f"rational({top}, {bottom}, {like})"
        if bottom == "1":
            return top
        return f"{_closed(top, '+-')} / {_closed(bottom, '+-*/')}"

    def _product(self, constant: int, factors: list[tuple[Any, int]]) -> str:
        if not factors:
            return str(constant)
        alone = len(factors) == 1 and factors[0][1] == 1
        if constant != 1 and alone and not factors[0][0].is_Symbol:
            return self._sum(sympy.expand(constant * factors[0][0]))
        texts = [] if constant == 1 else [str(constant)]
        for factor, power in sorted(factors, key=lambda each: self._rank(each[0])):
            text = self._sum(factor)
            if power == 1:
                texts.append(text if alone and constant == 1 else _closed(text, "+-"))
            else:
                texts.append(f"{text}**{power}" if factor.is_Symbol else f"({text}) ** {power}")
        return " * ".join(texts)

    def _rank(self, factor: Any) -> tuple[Any, ...]:
        """Symbols before sums, in the order of the arguments."""
        order = [s in factor.free_symbols for s in self.main]
        return (not factor.is_Symbol, [not each for each in order], str(factor))

    def _sum(self, value: Any) -> str:
        """A polynomial by ascending powers of main symbols, else by descending ones of sizes."""
        used = [s for s in self.main if s in value.free_symbols]
        symbols = used or sorted(value.free_symbols, key=str)
        direction = 1 if used else -1
        terms = sympy.Poly(value, *symbols).terms()
        terms.sort(key=lambda term: (direction * sum(term[0]), [-power for power in term[0]]))
        signed = [self._term(monomial, coefficient, symbols) for monomial, coefficient in terms]
        signed.sort(key=lambda each: each[0] < 0)  # stable: a positive term leads
        text = ""
        for sign, term in signed:
            if text:
                text += " + " if sign > 0 else " - "
            elif sign < 0:
                text = "-"
            text += term if sign > 0 else _closed(term, "+-")
        return text

    def _term(
        self, monomial: tuple[int, ...], coefficient: Any, symbols: list[Any]
    ) -> tuple[int, str]:
        powers = [
            str(symbol) if power == 1 else f"{symbol}**{power}"
            for symbol, power in zip(symbols, monomial, strict=True)
            if power
        ]
        positive = bool(coefficient.subs(self.point) > 0)
        size = coefficient if positive else sympy.expand(-coefficient)
        if size != 1 or not powers:
            text = self.fraction(size)[0]
            powers.insert(0, _closed(text, "+-") if powers else text)
        return (1 if positive else -1), " * ".join(powers)


def _closed(text: str, operators: str) -> str:
    """The text in parentheses if one of the operators stands outside any."""
    depth = 0
    for position, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        power = sign == "*" and "*" in (
            text[position - 1 : position],
            text[position + 1 : position + 2],
        )
        if depth == 0 and sign in operators and position > 0 and not power:
            return f"({text})"
    return text


def _words(line: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in line).split()
