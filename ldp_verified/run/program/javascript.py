"""A program printed as a JavaScript module that imports nothing, and its TypeScript types.

A Number holds 53 bits, so every integer is kept in limbs of at most 32, each of them a Number; what
leaves that range on the way is a BigInt. The limb's size is a parameter: at a small word width two
limbs and more can be tried with every word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ldp_verified.errors import ParameterError
from ldp_verified.run.program import javascript_keyed, javascript_state
from ldp_verified.run.program.form import Draw, Loop, Recall, Retry, When
from ldp_verified.run.program.interpret import rule_of_values
from ldp_verified.run.program.limbs import Limbs
from ldp_verified.run.program.state import NO_IDENTITY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.program.form import Block, Program

POOL: Final = 8192
"""Bytes that are asked for at a time; `crypto.getRandomValues` gives 65,536 at most."""

LIMB: Final = 32
"""Bits of a limb, unless small ones are to be tried."""


def javascript_module(
    program: Program, about: Sequence[str], limb: int = LIMB, identity: bytes = NO_IDENTITY
) -> str:
    """The text of an ES module with `report(value)` and `reportFrom(value, fill)`.

    Args:
        program: what draws a report, from words of 64 bits, or of 32 at most for a trial.
        about: lines for the comment at the top.
        limb: bits of a limb, 1..32; with words of 64 bits a divisor of 32.
        identity: 8 bytes that a kept state begins with, of its deployment.

    Raises:
        ParameterError: the width of words or the limb is none of these.
    """
    _check_sizes(program, limb)
    printer = _Printer(program, limb)
    printer.block(program.body, 1)
    whole = printer.joined_report()
    return "\n".join(
        [
            "/*",
            *(f" * {line}".rstrip() for line in about),
            " */",
            "",
            *inputs_and_numbers(program, limb),
            *printer.tables(),
            *SOURCE,
            *(javascript_state.functions(program, identity) if program.cells else _REPORTS),
            *(javascript_keyed.functions(program.width, program.key) if program.key else ()),
            f"function drawn(value, {'state, ' if program.cells else ''}next) {{",
            *value_check(program, limb),
            *printer.variables(),
            *printer.lines,
            f"  return {whole};",
            "}",
            "",
        ]
    )


_REPORTS: Final = (
    "/** One report of a value, from crypto.getRandomValues. */",
    "export function report(value) {",
    "  return drawn(value, pooled);",
    "}",
    "",
    "/** The same with bytes of yours: fill(bytes) fills the Uint8Array, and returns 8. */",
    "export function reportFrom(value, fill) {",
    "  return drawn(value, fromFill(fill));",
    "}",
    "",
)


def typescript_types(program: Program, about: Sequence[str], limb: int = LIMB) -> str:
    """The text of the module's declarations (`NAME.d.mts` beside `NAME.mjs`)."""
    _check_sizes(program, limb)
    one = "number" if program.inputs <= 1 << limb else "bigint"
    value = f"readonly {one}[]" if program.length else one
    number = "number" if program.below <= 1 << limb else "bigint"
    report = number if program.numbers == 1 else f"{number}[]"
    # Functions of any result are functions to void: a promise of it is no state that was stored.
    nothing = "void | undefined"
    kept = f", state: Uint8Array, save: (state: Uint8Array) => {nothing}" if program.cells else ""
    return "\n".join(
        [
            "/*",
            *(f" * {line}".rstrip() for line in about),
            " */",
            "",
            f"/** {_valued(program)} are 0..inputs-1. */",
            f"export declare const inputs: {one};",
            *((_LENGTH, "export declare const length: number;") if program.length else ()),
            "/** How many numbers a report is. */",
            "export declare const numbers: number;",
            *(javascript_state.TYPES if program.cells else ()),
            "/** One report of a value, from crypto.getRandomValues. */",
            f"export declare function report(value: {value}{kept}): {report};",
            "/** The same with bytes of yours: fill(bytes) fills the Uint8Array, and returns 8. */",
            "export declare function reportFrom(",
            f"  value: {value}{kept}, fill: (bytes: Uint8Array) => number): {report};",
            "",
        ]
    )


# Bytes that were used are erased. A generator that is missing, or that leaves its bytes as they
# were, ends the report; nothing else is ever asked instead.
SOURCE: Final = (
    "// The word that was read last: its lower and its upper 32 bits.",
    "let low = 0;",
    "let high = 0;",
    "",
    f"const pool = new Uint8Array({POOL}); // getRandomValues gives 65,536 bytes at most",
    "const view = new DataView(pool.buffer);",
    "let place = pool.length;",
    "",
    "function pooled() {",
    "  if (place === pool.length) {",
    "    const source = globalThis.crypto;",
    "    if (!source || typeof source.getRandomValues !== 'function') {",
    "      throw new Error('crypto.getRandomValues is missing: nothing was reported');",
    "    }",
    "    source.getRandomValues(pool);",
    "    if (pool.every((byte) => byte === 0)) {",
    "      throw new Error('crypto.getRandomValues gave no bytes: nothing was reported');",
    "    }",
    "    place = 0;",
    "  }",
    "  low = view.getUint32(place, true);",
    "  high = view.getUint32(place + 4, true);",
    "  view.setUint32(place, 0);",
    "  view.setUint32(place + 4, 0);",
    "  place += 8;",
    "}",
    "",
    "function fromFill(fill) {",
    "  const bytes = new Uint8Array(8);",
    "  const words = new DataView(bytes.buffer);",
    "  return () => {",
    "    if (fill(bytes) !== 8) {",
    "      throw new Error('fill gave fewer than 8 bytes: nothing was reported');",
    "    }",
    "    low = words.getUint32(0, true);",
    "    high = words.getUint32(4, true);",
    "  };",
    "}",
    "",
)


def inputs_and_numbers(program: Program, limb: int = LIMB) -> list[str]:
    """Return what a module says of its program: how many values, how many numbers of a report."""
    return [
        f"/** {_valued(program)} are 0..inputs-1. */",
        f"export const inputs = {_literal(program.inputs, limb)};",
        *((_LENGTH, f"export const length = {program.length};") if program.length else ()),
        "/** How many numbers a report is. */",
        f"export const numbers = {program.numbers};",
        "",
    ]


_LENGTH: Final = "/** How many numbers a value is: it is an array of them. */"


def _valued(program: Program) -> str:
    return "Numbers of a value" if program.length else "Values"


def _check_sizes(program: Program, limb: int) -> None:
    if not 1 <= limb <= LIMB:
        raise ParameterError("limb", f"must be in 1..{LIMB}", limb)
    if program.wide and program.half % limb:
        raise ParameterError("limb", f"must divide the {program.half} bits of half a value", limb)
    if program.width > LIMB and (program.width != 64 or LIMB % limb):
        rule = f"must have words of 64 bits and limbs that divide {LIMB}, or shorter words"
        raise ParameterError("program", rule, (program.width, limb))


def _literal(value: int, limb: int) -> str:
    return str(value) if value <= 1 << limb else f"{value}n"


def value_check(program: Program, limb: int = LIMB) -> list[str]:
    """Refuse what is no value, without showing it, and put it into limbs."""
    if program.inputs > 1 << limb:
        test = f"typeof value !== 'bigint' || value < 0n || value >= {program.inputs}n"
    else:
        test = f"!Number.isInteger(value) || value < 0 || value >= {program.inputs}"
    mask = (1 << limb) - 1
    parts = -(-(program.inputs - 1).bit_length() // limb)
    if program.length:
        return _numbers_check(program, test.replace("value", "each"), parts, limb)
    if parts == 1:
        kept = ["  const x_0 = value >>> 0;"]
    else:
        kept = [f"  const x_{j} = Number(value >> {limb * j}n & {mask}n);" for j in range(parts)]
    rule = f"value: {rule_of_values(program)}"
    return [f"  if ({test}) {{", f"    throw new RangeError('{rule}');", "  }", *kept]


def _numbers_check(program: Program, test: str, parts: int, limb: int) -> list[str]:
    """`value_check` of an array. What it has is read once, so that no getter gives two answers."""
    mask = (1 << limb) - 1
    kept = ["  const x_0 = given.map((each) => each >>> 0);"]
    if parts > 1:
        shown = (f"Number(each >> {limb * j}n & {mask}n)" for j in range(parts))
        kept = [f"  const x_{j} = given.map((each) => {one});" for j, one in enumerate(shown)]
    return [
        "  const given = Array.isArray(value) ? Array.from(value) : [];",
        f"  if (given.length !== length || given.some((each) => {test})) {{",
        f"    throw new RangeError('value: {rule_of_values(program)}');",
        "  }",
        *kept,
    ]


class _Printer(Limbs):
    """Statements, line by line."""

    def block(self, block: Block, depth: int) -> None:
        """Print the statements in order."""
        for statement in block:
            match statement:
                case Draw(target):
                    self.put(depth, "next();")
                    self.keep(self.name(target), self._word(), target.below - 1, depth)
                case Recall(target, index):
                    self.put(depth, f"recall(state, {self.index(index, depth)});")
                    self.keep(self.name(target), self._word(), target.below - 1, depth)
                case When(condition, yes, no):
                    self.put(depth, f"if ({self.comparison(condition, depth)}) {{")
                    self.block(yes, depth + 1)
                    if no:
                        self.put(depth, "} else {")
                        self.block(no, depth + 1)
                    self.put(depth, "}")
                case Retry(body, until):
                    self.put(depth, "for (;;) {")
                    self.block(body, depth + 1)
                    self.put(depth + 1, f"if ({self.comparison(until, depth + 1)}) break;")
                    self.put(depth, "}")
                case Loop():
                    self._loop(statement, depth)
                case _:
                    self.write(statement, depth)

    def _loop(self, loop: Loop, depth: int) -> None:
        if loop.count > 1 << LIMB:
            raise ParameterError("count", f"must be at most 2^{LIMB}", loop.count)
        name, turn = self.name(loop.index), self.fresh("n")
        self.put(depth, f"for (let {turn} = 0; {turn} < {loop.count}; {turn}++) {{")
        if loop.condition is not None:
            self.put(depth + 1, f"if (!({self.comparison(loop.condition, depth + 1)})) break;")
        mask = (1 << self.limb) - 1
        parts = [
            f"{turn} >>> {self.limb * j} & {mask}" if loop.count > 1 << self.limb else turn
            for j in range(self.parts(loop.index.below - 1))
        ]
        # What of the index is above its largest value is 0.
        most = self.parts(loop.count - 1)
        parts = [part if j < most else "0" for j, part in enumerate(parts)]
        self.keep(name, parts, loop.index.below - 1, depth + 1)
        self.block(loop.body, depth + 1)
        self.put(depth, "}")

    def _word(self) -> list[str]:
        """The limbs of the word that was read last: of a short one, from the upper bits."""
        width, mask = self.program.width, (1 << self.limb) - 1
        found = []
        for first in range(0, width, self.limb):
            half, shift = ("low", first) if width > LIMB else ("high", 32 - width + first)
            if width > LIMB and first >= LIMB:
                half, shift = "high", first - LIMB
            bits = min(self.limb, width - first)
            part = half if shift == 0 else f"{half} >>> {shift}"
            found.append(part if shift + bits == LIMB else f"({part} & {mask}) >>> 0")
        return found
