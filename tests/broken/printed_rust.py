"""Wrong clients in Rust: the printed text with one slip, and who must catch it.

Names, cases and checks are those of `printed`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def _changed(pattern: str, new: str, text: str, count: int = 0) -> str:
    found, times = re.subn(pattern, new, text, count=count)
    assert times, pattern
    return found


def _last(pattern: str, text: str) -> str:
    """The text without the last place of a pattern."""
    *_, place = re.finditer(pattern, text)
    return text[: place.start()] + text[place.end() :]


def _one_higher(text: str) -> str:
    def higher(match: re.Match[str]) -> str:
        return f"{match[1]}{int(match[2]) + 1}"

    return re.sub(r"(v_word <= )(\d+)", higher, text, count=1)


def _modulo(text: str) -> str:
    text = _changed(r"if v_word <= \d+u64 \{(\s+break)", r"if true {\1", text)
    return _changed(r"v_word / \d+u64", "v_word % INPUTS", text)


def _turned(text: str) -> str:
    *_, last = re.finditer(r"static TABLE_\d: \[u64; \d+\] = \[(.*)\];", text)
    first, *rest = last[1].split(", ")
    return text[: last.start(1)] + ", ".join([*rest, first]) + text[last.end(1) :]


_SIGNED = (
    "(i64::from(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])) as u64"
    " | u64::from_le_bytes(bytes))"
)
_BOTH, _VECTORS = frozenset({"words", "vectors"}), frozenset({"vectors"})

RUST: dict[str, tuple[str, Callable[[str], str], frozenset[str]]] = {
    "`<` for `<=`": ("grr", lambda text: _changed("v_word <= ", "v_word < ", text), _BOTH),
    "a threshold one too high": ("grr", _one_higher, _BOTH),
    "modulo in place of rejection": ("grr_wide", _modulo, _BOTH),
    "words compared as floating point numbers": (
        "grr",
        lambda text: _changed(r"v_word <= (\d+u64)", r"(v_word as f64) <= (\1 as f64)", text),
        _VECTORS,
    ),
    "sign extension": (
        "grr",
        lambda text: _changed(r"u64::from_le_bytes\(bytes\)", _SIGNED, text),
        _VECTORS,
    ),
    "bytes in the other order": (
        "grr",
        lambda text: _changed("from_le_bytes", "from_be_bytes", text),
        _BOTH,
    ),
    "halves of a word swapped": (
        "grr",
        lambda text: _changed(
            r"from_le_bytes\(bytes\)", "from_le_bytes(bytes).rotate_left(32)", text
        ),
        _BOTH,
    ),
    "a word is used twice": (
        "olh_lanes",
        lambda text: _last(r"\n +v_word = word\(fill\)\?;", text),
        _BOTH,
    ),
    "a table moved by one place": ("oue", _turned, _BOTH),
    "a generator that is not secure": (
        "grr",
        lambda text: _changed(r"if !fill\(&mut bytes\)", "bytes[7] = 77;\n    if false", text),
        _BOTH,
    ),
    "a short read goes unnoticed": (
        "grr",
        lambda text: _changed(r"return Err\(Refused::Fill\);", "", text),
        _VECTORS,
    ),
    "values outside the domain are taken": (
        "grr",
        lambda text: _changed("if value >= INPUTS", "if value > u64::MAX - 1", text),
        _VECTORS,
    ),
    "what is kept is not saved before a report is sent": (
        "lgrr",
        lambda text: _changed(r"if !save\(state\)", "if false", text),
        _VECTORS,
    ),
    "one word of the key stands for all bits and values": (
        "rappor",
        lambda text: _changed(r" = recall\(state, .*\);", " = recall(state, 0);", text),
        _BOTH,
    ),
}
"""Name of a slip: (case, the text with it, the checks that catch it)."""
