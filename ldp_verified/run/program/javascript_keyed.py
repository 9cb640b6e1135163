"""Print the part of a JavaScript client that recalls words by a key: HMAC-SHA-256."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.keyed import ROUNDS, START
from ldp_verified.run.program.state import FIRST_CELL

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Key


def functions(width: int, key: Key) -> list[str]:
    """`recall`, which puts a word where the next one would be, and what it needs.

    Args:
        width: bits of a word.
        key: what words are recalled by.
    """
    first = FIRST_CELL + key.first
    if key.listed:
        return [
            "// A word of the key.",
            "function recall(state, number) {",
            f"  high = get(state, {first} + number) << {32 - width} >>> 0;",
            "}",
            "",
        ]
    return [
        f"const rounds = [{', '.join(map(str, ROUNDS))}];",
        f"const start = [{', '.join(map(str, START))}];",
        "",
        *_HASH,
        "// The word that the key gives for a number below 2^32: the first 8 bytes, the lowest",
        "// first, of HMAC-SHA-256 of the number as 8 bytes.",
        "function recall(state, number) {",
        f"  const key = state.subarray({4 * first}, {4 * (first + key.cells)});",
        "  const text = new DataView(new ArrayBuffer(8));",
        "  text.setUint32(0, number, true);",
        "  const inner = padded(key, 0x36, new Uint8Array(text.buffer));",
        "  const word = new DataView(padded(key, 0x5c, inner).buffer);",
        "  low = word.getUint32(0, true);",
        "  high = word.getUint32(4, true);",
        "}",
        "",
    ]


_HASH = (
    "function turned(bits, by) {",
    "  return bits >>> by | bits << (32 - by);",
    "}",
    "",
    "// SHA-256 of one more block.",
    "function compress(hash, block) {",
    "  const bytes = new DataView(block.buffer);",
    "  const words = new Uint32Array(64);",
    "  for (let i = 0; i < 64; i++) {",
    "    if (i < 16) {",
    "      words[i] = bytes.getUint32(4 * i);",
    "    } else {",
    "      const [s, t] = [words[i - 15], words[i - 2]];",
    "      words[i] = words[i - 16] + words[i - 7]",
    "        + ((turned(s, 7) ^ turned(s, 18) ^ s >>> 3) >>> 0)",
    "        + ((turned(t, 17) ^ turned(t, 19) ^ t >>> 10) >>> 0);",
    "    }",
    "  }",
    "  let [a, b, c, d, e, f, g, h] = hash;",
    "  for (let i = 0; i < 64; i++) {",
    "    const s = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25))",
    "      + (e & f ^ ~e & g) + rounds[i] + words[i];",
    "    const t = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + (a & b ^ a & c ^ b & c);",
    "    [h, g, f, e, d, c, b, a] = [g, f, e, d + s >>> 0, c, b, a, s + t >>> 0];",
    "  }",
    "  [a, b, c, d, e, f, g, h].forEach((each, i) => { hash[i] += each; });",
    "}",
    "",
    "// SHA-256 of the key, padded, and a text of at most 32 bytes.",
    "function padded(key, pad, text) {",
    "  const hash = Uint32Array.from(start);",
    "  const block = new Uint8Array(64).fill(pad);",
    "  for (let i = 0; i < 32; i++) block[i] ^= key[i];",
    "  compress(hash, block);",
    "  block.fill(0);",
    "  block.set(text);",
    "  block[text.length] = 128;",
    "  block[62] = (64 + text.length) >> 5;",
    "  block[63] = (64 + text.length) << 3 & 255;",
    "  compress(hash, block);",
    "  const made = new DataView(new ArrayBuffer(32));",
    "  hash.forEach((each, i) => { made.setUint32(4 * i, each); });",
    "  return new Uint8Array(made.buffer);",
    "}",
    "",
)
