"""The C that a program is printed as, read again: statements and expressions of one function.

It reads what `run.program.c` writes, and casts besides, so that a text with a slip is read too. It
shares nothing with the printer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ldp_verified.errors import SpecError

_TOKEN = re.compile(
    r"\s*(UINT64_C\(\d+\)|\d+|[A-Za-z_]\w*|<<|>>|<=|>=|!=|==|&&|\|\||\+\+|[-+*/%&|^~<>?:!=()\[\]{};,])"
)
_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_TYPES = ("uint64_t", "int64_t", "uint32_t")


@dataclass(frozen=True)
class CTerm:
    """An expression: an operator, the name of a variable or function, or an integer, and its parts.

    Attributes:
        head: a sign, "?:", "cast TYPE", "[]", "call NAME", a name, or an integer.
        parts: what it is made of.
    """

    head: str | int
    parts: tuple[CTerm, ...] = ()


@dataclass(frozen=True)
class CStatement:
    """A statement.

    Attributes:
        kind: "draw", "assign", "store", "call", "if", "do" or "for".
        terms: the expressions in it, in order.
        blocks: the blocks in it.
    """

    kind: str
    terms: tuple[CTerm, ...] = ()
    blocks: tuple[tuple[CStatement, ...], ...] = ()


_REFUSED = r"    if \([^{]*\) \{\n        return 1;\n    \}\n"
_NUMBER_REFUSED = r"    for \([^{]*\) \{\n    " + _REFUSED.replace(r"\n", r"\n    ") + r"\}\n"
"""Where a value is an array: each number is looked at."""


def read_body(text: str, name: str, kept: bool) -> tuple[CStatement, ...]:
    """The statements that draw a report, without those that clear it and refuse a value.

    Args:
        text: of a header.
        name: of the program.
        kept: whether it keeps something between reports.

    Raises:
        SpecError: there is something else in it than `run.program.c` writes.
    """
    start = text.find(f"{name}_{'draw' if kept else 'report'}(")
    opened, closed = text.find("\n{\n", start), text.find("\nfailed:\n", start)
    if min(start, opened, closed) < 0:
        raise SpecError("text", f"must have a function {name}_report")
    lines = text[opened + 3 : closed].split("\n")
    first = max(i for i, line in enumerate(lines) if line.startswith("        report[clear] = 0;"))
    rest = "\n".join(lines[first + 2 :])
    refusal = re.match(_REFUSED, rest) or re.match(_NUMBER_REFUSED, rest)
    reader = _Reader(rest[refusal.end() :] if refusal else rest)
    found = reader.block_until("return")
    reader.expect("return", "0", ";")
    if reader.left:
        raise SpecError("text", "must end with `return 0;`", reader.left[0])
    return found


def read_tables(text: str) -> dict[str, tuple[int, ...]]:
    """The tables of constants by their names."""
    found = {}
    for match in re.finditer(r"static const uint64_t (\w+)\[(\d+)\] = \{([^}]*)\};", text):
        found[match[1]] = tuple(int(entry) for entry in re.findall(r"UINT64_C\((\d+)\)", match[3]))
        if len(found[match[1]]) != int(match[2]):
            raise SpecError("text", f"must give {match[2]} entries of {match[1]}")
    return found


class _Reader:
    """Recursive descent over the tokens that are left."""

    def __init__(self, text: str) -> None:
        self.left: list[str] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise SpecError("text", "must be C as it is printed", text[at : at + 40])
            self.left.append(match[1])
            at = match.end()
        self.left.reverse()

    @property
    def next(self) -> str:
        """The next token, or nothing."""
        return self.left[-1] if self.left else ""

    def take(self) -> str:
        """The next token, which is then gone."""
        if not self.left:
            raise SpecError("text", "must not end here")
        return self.left.pop()

    def expect(self, *tokens: str) -> None:
        """Take tokens that must be there."""
        for token in tokens:
            found = self.take()
            if found != token:
                raise SpecError("text", f"must have `{token}` here", found)

    def block_until(self, end: str) -> tuple[CStatement, ...]:
        """Statements up to a token, which is not taken."""
        found = []
        while self.next != end:
            found.append(self.statement())
        return tuple(found)

    def braces(self) -> tuple[CStatement, ...]:
        """A block in braces."""
        self.expect("{")
        found = self.block_until("}")
        self.expect("}")
        return found

    def statement(self) -> CStatement:
        """One statement."""
        if self.next == "do":
            self.take()
            body = self.braces()
            self.expect("while", "(", "!", "(")
            until = self.expression()
            self.expect(")", ")", ";")
            return CStatement("do", (until,), (body,))
        if self.next == "for":
            return self._loop()
        if self.next == "if":
            return self._when()
        place = self.expression()
        if self.next == ";":
            self.take()
            return CStatement("call", (place,))
        self.expect("=")
        value = self.expression()
        self.expect(";")
        return CStatement("store" if place.head == "[]" else "assign", (place, value))

    def _loop(self) -> CStatement:
        self.expect("for", "(")
        index = self.expression()
        self.expect("=", "0", ";")
        test = self.expression()
        self.expect(";")
        stepped = self.expression()
        self.expect("++", ")")
        if stepped != index:
            raise SpecError("text", "must count one variable up in a loop", str(stepped.head))
        return CStatement("for", (index, test), (self.braces(),))

    def _when(self) -> CStatement:
        self.expect("if", "(")
        test = self.expression()
        self.expect(")")
        called = test.parts[0] if test.head == "!=" else None
        if called is not None and str(called.head).endswith("_word") and test.parts[1].head == 0:
            self.expect("{", "goto", "failed", ";", "}")
            return CStatement("draw", (called.parts[0].parts[0],))
        yes = self.braces()
        no: tuple[CStatement, ...] = ()
        if self.next == "else":
            self.take()
            no = self.braces()
        return CStatement("if", (test,), (yes, no))

    def expression(self) -> CTerm:
        """An expression with `?:`."""
        test = self._joined(0)
        if self.next != "?":
            return test
        self.take()
        yes = self.expression()
        self.expect(":")
        return CTerm("?:", (test, yes, self.expression()))

    def _joined(self, level: int) -> CTerm:
        """An expression of signs that bind as strongly as those of a level, or more so."""
        if level == len(_LEVELS):
            return self._single()
        found = self._joined(level + 1)
        while self.next in _LEVELS[level]:
            found = CTerm(self.take(), (found, self._joined(level + 1)))
        return found

    def _single(self) -> CTerm:
        token = self.take()
        if token in ("~", "!", "&"):
            return CTerm(f"unary {token}", (self._single(),))
        if token == "(":
            if self.next in _TYPES:
                kind = self.take()
                self.expect(")")
                return CTerm(f"cast {kind}", (self._single(),))
            found = self.expression()
            self.expect(")")
            return found
        if match := re.fullmatch(r"UINT64_C\((\d+)\)|(\d+)", token):
            return CTerm(int(match[1] or match[2]))
        if not re.fullmatch(r"[A-Za-z_]\w*", token):
            raise SpecError("text", "must have an expression here", token)
        if self.next == "[":
            self.take()
            index = self.expression()
            self.expect("]")
            return CTerm("[]", (CTerm(token), index))
        if self.next == "(":
            self.take()
            parts = [self.expression()]
            while self.next == ",":
                self.take()
                parts.append(self.expression())
            self.expect(")")
            return CTerm(f"call {token}", tuple(parts))
        return CTerm(token)
