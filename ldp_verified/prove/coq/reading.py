"""Reads printed definitions back, with a parser of its own, in exact arithmetic.

It shares nothing with what prints them. It knows numbers, + - * / ^, lists, and the functions that
generated tables use; e^(c eps) is a power of the generator, whose value is given. What it does not
know is an error, and never a value.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from operator import mul

Value = Fraction | list["Value"]

_TOKEN = re.compile(r"\d+|[A-Za-z_]\w*|[-+*/^()\[\];]")


class UnreadableError(Exception):
    """A printed definition is not there, or of a form that is not read."""


def _need(condition: object, what: object) -> None:
    if not condition:
        raise UnreadableError(str(what))


def definition(text: str, name: str) -> str:
    """The body of a printed definition, in a text without comments.

    Raises:
        UnreadableError: there is none.
    """
    begins = rf"^Definition {re.escape(name)}\b[^=]*:=\s*(.*?)\.\n"
    found = re.search(begins, text, re.MULTILINE | re.DOTALL)
    _need(found is not None, f"no definition of {name}")
    assert found is not None
    return found.group(1).removesuffix("%nat")


def binders(text: str, name: str) -> list[str]:
    """The parameters of a printed definition, in their order.

    Raises:
        UnreadableError: there is none.
    """
    found = re.search(rf"^Definition {re.escape(name)}((?: \(\w+ : \w+\))*) :", text, re.MULTILINE)
    _need(found is not None, f"no definition of {name}")
    assert found is not None
    return re.findall(r"\((\w+) :", found[1])


def parts(text: str, between: str) -> list[str]:
    """A text cut where `between` stands outside brackets."""
    found, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == between and not depth:
            found.append("")
        else:
            found[-1] += character
    return [part.strip() for part in found if part.strip()]


def tuples(text: str) -> list[list[str]]:
    """The terms of a printed list of tuples, or of a function from x to one."""
    found = re.fullmatch(r"(?:fun x =>\s*)?\[(.*)\]", text, re.DOTALL)
    _need(found is not None, text)
    assert found is not None
    return [parts(entry.removeprefix("(").removesuffix(")"), ",") for entry in parts(found[1], ";")]


def family_size(k: int, g: int) -> int:
    """g^m for the least m >= 1 with l^m >= k, l the smallest prime factor of g."""
    least = min(c for c in range(2, g + 1) if g % c == 0)
    return int(g ** next(m for m in itertools.count(1) if least**m >= k))


def hashes(k: int, g: int) -> list[tuple[tuple[int, ...], list[int]]]:
    """The functions of the digit family, each with its hash of every value."""
    base = min(c for c in range(2, g + 1) if g % c == 0)
    m = next(m for m in itertools.count(1) if base**m >= k)
    digits = [[x // base**i % base for i in range(m)] for x in range(k)]
    return [
        (a, [sum(c * d for c, d in zip(a, ds, strict=True)) % g for ds in digits])
        for a in itertools.product(range(g), repeat=m)
    ]


def points_of(k: int, q: int) -> list[tuple[int, ...]]:
    """The projective space over Z_q of the least dimension, at least 2, with k points.

    In the order of their numbers: what begins with a 0 first.
    """

    def of(t: int) -> list[tuple[int, ...]]:
        if not t:
            return []
        after = itertools.product(range(q), repeat=t - 1)
        return [*((0, *point) for point in of(t - 1)), *((1, *rest) for rest in after)]

    return next(found for t in itertools.count(2) if len(found := of(t)) >= k)


def blocks_of(term: str, sizes: list[int]) -> list[tuple[object, list[bool]]]:
    """The blocks of a structure of the library, each with whether it contains every value.

    Args:
        term: the function that makes them. sizes: its arguments.
    """
    k = sizes[0]
    match term:
        case "singletons":
            return [(y, [x == y for x in range(k)]) for y in range(k)]
        case "hash_blocks":
            made = hashes(*sizes)
            return [((a, b), [h == b for h in hs]) for a, hs in made for b in range(sizes[1])]
        case "subsets":
            chosen = itertools.product((True, False), repeat=k)
            return [(y, list(y)) for y in chosen if sum(y) == sizes[1]]
        case "hadamard_columns":
            return [(y, [h == 0 for h in hs[1:]]) for y, hs in hashes(k + 1, 2)]
        case "hyperplanes":
            points, q = points_of(*sizes), sizes[1]
            inner = [[sum(map(mul, x, y)) % q == 0 for x in points[:k]] for y in points]
            return list(zip(points, inner, strict=True))
        case "sign_blocks":
            signs = hashes(sizes[1], 2)
            return [
                ((a, row, sign), [rs[h] == sign for h in hs])
                for a, hs in hashes(*sizes)
                for row, rs in signs
                for sign in range(2)
            ]
    raise UnreadableError(term)


@dataclass
class StatementReader:
    """A term under evaluation.

    Attributes:
        values: parameter -> value. generator: the value of e^(eps/root). root: see there.
        definitions: the text in which names of definitions are looked up.
    """

    values: dict[str, Fraction]
    generator: Fraction
    root: int
    definitions: str
    tokens: list[str] = field(default_factory=list)

    def real(self, term: str) -> Value:
        """The value of a term of type R, or of a list of them."""
        saved, self.tokens = self.tokens, _TOKEN.findall(term)
        result = self._sum()
        _need(not self.tokens, f"{term}: {self.tokens}")
        self.tokens = saved
        return result

    def _next(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def _take(self, wanted: str = "") -> str:
        _need(self.tokens, f"the end, in place of {wanted or 'a term'}")
        token = self.tokens.pop(0)
        _need(not wanted or token == wanted, f"{token} in place of {wanted}")
        return token

    def _sum(self) -> Value:
        if self._next() == "[":
            return self._list()
        negative = self._next() == "-"
        if negative:
            self._take()
        total = self._term()
        total = -total if negative else total
        while self._next() in {"+", "-"}:
            sign = self._take()
            term = self._term()
            total = total + term if sign == "+" else total - term
        return total

    def _list(self) -> Value:
        self._take("[")
        items = [self._sum()]
        while self._next() == ";":
            self._take()
            items.append(self._sum())
        self._take("]")
        return items

    def _term(self) -> Fraction:
        value = self._power()
        while self._next() in {"*", "/"}:
            operator = self._take()
            factor = self._power()
            value = value * factor if operator == "*" else value / factor
        return value

    def _power(self) -> Fraction:
        base = self._application()
        if self._next() == "^":
            self._take()
            return Fraction(base ** int(self._take()))
        return base

    def _application(self) -> Fraction:
        head = self._next()
        if head == "exp":
            self._take()
            saved = self.values
            self.values = {**saved, "eps": Fraction(1)}
            power = self._atom() * self.root
            self.values = saved
            _need(power.denominator == 1, "an exponent outside the generator")
            return Fraction(self.generator**power.numerator)
        if head == "INR":
            self._take()
            return self._atom()
        if head == "family_size":
            self._take()
            k, g = self._atom(), self._atom()
            return Fraction(family_size(int(k), int(g)))
        if head == "projective_vectors":
            self._take()
            k, q = self._atom(), self._atom()
            return q ** len(points_of(int(k), int(q))[0])
        if head == "subset_count":
            self._take()
            k, w = self._atom(), self._atom()
            return Fraction(math.comb(int(k), int(w)))
        if head == "sylvester_order":
            self._take()
            return Fraction(family_size(int(self._atom()), 2))
        if head == "S":
            self._take()
            return self._atom() + 1
        return self._atom()

    def _atom(self) -> Fraction:
        token = self._take()
        if token == "(":
            value = self._sum()
            self._take(")")
            if not isinstance(value, Fraction):
                raise UnreadableError("a list in place of a number")
            return value
        if token.isdigit():
            return Fraction(int(token))
        _need(token in self.values, f"the name {token}")
        return self.values[token]
