"""Wrong clients in C and JavaScript: the printed text with one slip, and who must catch it.

The C is compiled to WebAssembly too; Rust has its slips in `printed_rust`.

The checks are `words` (every word at a small width), `vectors` (replay at width 64), `build` (the
compiler and the linker; of JavaScript, what the text names) and `source` (with a known
`crypto.getRandomValues`, a missing one and one that gives nothing).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Slip(NamedTuple):
    """A slip that a programmer, or a printer, could make.

    Attributes:
        case: of which program (`tests.program.enumerated.CASES`).
        c: the C text with it. javascript: the JavaScript text with it, given the limb's bits.
        module: changes the module around WebAssembly, which guards against some slips in C too.
        by_c: the checks that catch it in C. by_javascript: in JavaScript. by_wasm: the C's in
            WebAssembly.
    """

    case: str
    c: Callable[[str], str] | None
    javascript: Callable[[str, int], str] | None
    by_c: frozenset[str] = frozenset()
    by_javascript: frozenset[str] = frozenset()
    by_wasm: frozenset[str] = frozenset()
    module: Callable[[str], str] = str


def _changed(pattern: str, new: str, text: str, count: int = 0) -> str:
    found, times = re.subn(pattern, new, text, count=count)
    assert times, pattern
    return found


def _last(pattern: str, text: str) -> str:
    """The text without the last place of a pattern."""
    *_, place = re.finditer(pattern, text)
    return text[: place.start()] + text[place.end() :]


def _doubles(text: str, limb: int) -> str:
    """A word and its limit compared as Numbers."""

    def number(match: re.Match[str]) -> str:
        upper, relation, lower = int(match[1]), match[2], int(match[3])
        limit = (upper << limb) + lower
        return f"v_word_1 * {1 << limb} + v_word_0 {relation} {limit}"

    pattern = r"v_word_1 < (\d+) \|\| \(v_word_1 === \d+ && \(v_word_0 (<=?) (\d+)\)\)"
    found, times = re.subn(pattern, number, text)
    assert times
    return found


def _one_higher(pattern: str, text: str) -> str:
    def higher(match: re.Match[str]) -> str:
        return f"{match[1]}{int(match[2]) + 1}"

    found, times = re.subn(pattern, higher, text, count=1)
    assert times
    return found


def _turned(pattern: str, text: str) -> str:
    """The entries of the last table, or of all its limbs, moved by one place."""
    *_, (last, _) = re.findall(pattern, text)

    def moved(match: re.Match[str]) -> str:
        first, *rest = match[2].split(", ")
        whole = match[0]
        start = match.start(2) - match.start()
        return whole[:start] + ", ".join([*rest, first]) + whole[start + len(match[2]) :]

    return re.sub(pattern, lambda match: moved(match) if match[1] == last else match[0], text)


def _modulo_in_c(text: str) -> str:
    text = _changed(r"\} while \(!\(.*\)\);", "} while (0);", text)
    return _changed(r"v_word / UINT64_C\(\d+\)", "v_word % GRR_INPUTS", text)


def _modulo_in_javascript(text: str, limb: int) -> str:  # noqa: ARG001  all slips get it
    *_, last = re.finditer(r"\n +if \(.*\) break;", text)
    text = text[: last.start()] + "\n break;" + text[last.end() :]
    return _changed(r"(const t\d+ = .*) / \d+n;", r"\1 % BigInt(inputs);", text)


def _rand_in_c(text: str) -> str:
    text = _changed(r"#include <stddef.h>", "int rand(void);\n#include <stddef.h>", text)
    text = _changed(
        r"if \(fill\(bytes, sizeof bytes\) != 0\)",
        "(void)fill;\n    (void)bytes;\n    if (0)",
        text,
    )
    return _changed(r"\| bytes\[i\]", "| (uint64_t)(rand() & 255)", text)


_SWAP_IN_C = "    *word = (*word << 32) | (*word >> 32);\n"
_WORDS, _VECTORS = frozenset({"words"}), frozenset({"vectors"})
_BOTH, _SOURCE, _BUILD = _WORDS | _VECTORS, frozenset({"source"}), frozenset({"build"})

SLIPS: dict[str, Slip] = {
    "`<` for `<=`": Slip(
        "grr",
        lambda text: _changed(r"v_word <= ", "v_word < ", text),
        lambda text, _: _changed(r"v_word_0 <= ", "v_word_0 < ", text),
        *(_BOTH, _BOTH, _BOTH),
    ),
    "a threshold one too high": Slip(
        "grr",
        lambda text: _one_higher(r"(v_word <= UINT64_C\()(\d+)", text),
        lambda text, _: _one_higher(r"(v_word_0 <= )(\d+)", text),
        *(_BOTH, _BOTH, _BOTH),
    ),
    "modulo in place of rejection": Slip(
        *("grr_wide", _modulo_in_c, _modulo_in_javascript, _BOTH, _BOTH, _BOTH)
    ),
    "words compared as floating point numbers": Slip(
        "grr",
        lambda text: _changed(
            r"v_word <= (UINT64_C\(\d+\))", r"(double)v_word <= (double)\1", text
        ),
        _doubles,
        *(_VECTORS, _VECTORS, _VECTORS),
    ),
    "sign extension": Slip(
        "grr",
        lambda text: _changed(r"\| bytes\[i\]", "| (uint64_t)(int64_t)(signed char)bytes[i]", text),
        lambda text, _: _changed("getUint32", "getInt32", text),
        *(_VECTORS, _VECTORS, _VECTORS),
    ),
    "bytes in the other order": Slip(
        "grr",
        lambda text: _changed(r"for \(i = 7; i >= 0; i--\)", "for (i = 0; i < 8; i++)", text),
        lambda text, _: _changed(r", true\);", ", false);", text),
        *(_BOTH, _BOTH, _BOTH),
    ),
    "halves of a word swapped": Slip(
        "grr",
        lambda text: _changed(r"(\| bytes\[i\];\n    \}\n)", r"\1" + _SWAP_IN_C, text),
        lambda text, _: _changed(
            r"low = words(.*)\n +high = words(.*)", r"high = words\1\n low = words\2", text
        ),
        *(_BOTH, _BOTH | _SOURCE, _BOTH),
    ),
    "a word is used twice": Slip(
        "olh_lanes",
        lambda text: _last(r"\n    if \(olh_word\(&v_word, fill\) != 0\) \{\n.*\n    \}", text),
        lambda text, _: _last(r"\n  next\(\);", text),
        *(_BOTH, _BOTH, _BOTH),
    ),
    "a table moved by one place": Slip(
        "oue",
        lambda text: _turned(r"uint64_t oue_table_(\d)\[\d+\] = \{(.*)\};", text),
        lambda text, _: _turned(r"const table(\d)_\d = \[(.*)\];", text),
        *(_BOTH, _BOTH, _BOTH),
    ),
    "a generator that is not secure": Slip(
        "grr",
        _rand_in_c,
        lambda text, _: _changed(
            r"source\.getRandomValues\(pool\);",
            "pool.forEach((_, i) => { pool[i] = Math.random() * 256; });",
            text,
        ),
        *(_BOTH | _BUILD, _SOURCE | _BUILD, _BUILD),
    ),
    "a short read goes unnoticed": Slip(
        "grr",
        lambda text: _changed(
            r"bytes\[8\];((?s:.)*?)if \(fill\(bytes, sizeof bytes\) != 0\)",
            r"bytes[8] = {0};\1if (fill(bytes, sizeof bytes) > 0)",
            text,
            1,
        ),
        lambda text, _: _changed(r"fill\(bytes\) !== 8", "fill(bytes) > 8", text),
        *(_VECTORS, _VECTORS, _VECTORS),
        lambda text: _changed(r"fill\(bytes\) !== 8", "fill(bytes) > 8", text),
    ),
    "values outside the domain are taken": Slip(
        "grr",
        lambda text: _changed(r"if \(value >= GRR_INPUTS\)", "if (value > ~UINT64_C(0) - 1)", text),
        lambda text, _: _changed(r"!Number.isInteger\(value\) \|\| .*\) \{", "false) {", text),
        *(_VECTORS, _VECTORS | _SOURCE, _VECTORS | _SOURCE),
        lambda text: _changed(r"!Number.isInteger\(value\) \|\| .*\) \{", "false) {", text),
    ),
    "what is kept is not saved before a report is sent": Slip(
        "lgrr",
        lambda text: _changed(r"save\(state, LGRR_STATE\) != 0", "save == 0", text),
        lambda text, _: _changed(r"    store\(state, save\);\n", "", text),
        *(_VECTORS, _VECTORS, _VECTORS),
    ),
    "one word of the key stands for all bits and values": Slip(
        "rappor",
        lambda text: _changed(
            r" = rappor_recall\(state, .*\);", " = rappor_recall(state, 0);", text
        ),
        lambda text, _: _changed(r" recall\(state, .*\);", " recall(state, 0);", text),
        *(_BOTH, _BOTH, _BOTH),
    ),
    "bytes are asked for once and then used again": Slip(
        "grr",
        None,
        lambda text, _: _changed(
            r"source\.getRandomValues\(pool\);",
            "if (pool.every((byte) => byte === 0)) source.getRandomValues(pool);",
            _changed(r"  view\.setUint32\(.*, 0\);\n", "", text),
        ),
        frozenset(),
        _SOURCE,
    ),
    "a missing generator is replaced by the time": Slip(
        "grr",
        None,
        lambda text, _: _changed(
            r"throw new Error\('crypto.getRandomValues is missing.*'\);",
            "pool.fill(Date.now() & 255); place = 0; return pooled();",
            text,
        ),
        frozenset(),
        _SOURCE,
    ),
}
