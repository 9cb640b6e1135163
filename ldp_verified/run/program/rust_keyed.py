"""Print the part of a Rust client that recalls words by a key: HMAC-SHA-256."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.keyed import ROUNDS, START
from ldp_verified.run.program.state import FIRST_CELL

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Key


def functions(key: Key) -> list[str]:
    """The text of `recall`, and of what it needs."""
    if key.listed:
        return [
            "/// A word of the key.",
            "fn recall(state: &[u8; STATE], number: u64) -> u64 {",
            f"    get(state, {FIRST_CELL + key.first} + number as usize)",
            "}",
            "",
        ]
    begin = 4 * (FIRST_CELL + key.first)
    return [
        f"static ROUNDS: [u32; 64] = [{', '.join(map(str, ROUNDS))}];",
        f"static HASH: [u32; 8] = [{', '.join(map(str, START))}];",
        "",
        *_HASH,
        "/// A word that the key gives for a number: the first 8 bytes, the lowest first, of",
        "/// HMAC-SHA-256 of the number as 8 bytes.",
        "fn recall(state: &[u8; STATE], number: u64) -> u64 {",
        f"    let key = &state[{begin}..{begin + 4 * key.cells}];",
        "    let inner = padded(key, 0x36, &number.to_le_bytes());",
        "    let outer = padded(key, 0x5c, &inner);",
        "    let mut bytes = [0u8; 8];",
        "    bytes.copy_from_slice(&outer[..8]);",
        "    u64::from_le_bytes(bytes)",
        "}",
        "",
    ]


_HASH = (
    "/// SHA-256 of one more block.",
    "fn compress(hash: &mut [u32; 8], block: &[u8; 64]) {",
    "    let mut words = [0u32; 64];",
    "    for i in 0..64 {",
    "        if i < 16 {",
    "            let mut bytes = [0u8; 4];",
    "            bytes.copy_from_slice(&block[4 * i..4 * i + 4]);",
    "            words[i] = u32::from_be_bytes(bytes);",
    "        } else {",
    "            let (s, t) = (words[i - 15], words[i - 2]);",
    "            words[i] = words[i - 16]",
    "                .wrapping_add(words[i - 7])",
    "                .wrapping_add(s.rotate_right(7) ^ s.rotate_right(18) ^ s >> 3)",
    "                .wrapping_add(t.rotate_right(17) ^ t.rotate_right(19) ^ t >> 10);",
    "        }",
    "    }",
    "    let mut v = *hash;",
    "    for i in 0..64 {",
    "        let (a, e) = (v[0], v[4]);",
    "        let s = v[7]",
    "            .wrapping_add(e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))",
    "            .wrapping_add((e & v[5]) ^ (!e & v[6]))",
    "            .wrapping_add(ROUNDS[i])",
    "            .wrapping_add(words[i]);",
    "        let t = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22))",
    "            .wrapping_add((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));",
    "        v.copy_within(0..7, 1);",
    "        v[4] = v[4].wrapping_add(s);",
    "        v[0] = s.wrapping_add(t);",
    "    }",
    "    for i in 0..8 {",
    "        hash[i] = hash[i].wrapping_add(v[i]);",
    "    }",
    "}",
    "",
    "/// SHA-256 of the key, padded, and a text of at most 32 bytes.",
    "fn padded(key: &[u8], pad: u8, text: &[u8]) -> [u8; 32] {",
    "    let mut hash = HASH;",
    "    let mut block = [pad; 64];",
    "    for i in 0..32 {",
    "        block[i] ^= key[i];",
    "    }",
    "    compress(&mut hash, &block);",
    "    block = [0u8; 64];",
    "    block[..text.len()].copy_from_slice(text);",
    "    block[text.len()] = 128;",
    "    block[62] = ((64 + text.len()) >> 5) as u8;",
    "    block[63] = ((64 + text.len()) << 3 & 255) as u8;",
    "    compress(&mut hash, &block);",
    "    let mut bytes = [0u8; 32];",
    "    for i in 0..8 {",
    "        bytes[4 * i..4 * i + 4].copy_from_slice(&hash[i].to_be_bytes());",
    "    }",
    "    bytes",
    "}",
    "",
)
