"""Print the part of a C client that recalls words by a key: HMAC-SHA-256."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.keyed import ROUNDS, START
from ldp_verified.run.program.state import FIRST_CELL

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Key


def functions(name: str, key: Key) -> list[str]:
    """The text of `NAME_recall`, and of what it needs."""
    if key.listed:
        return [
            "/* A word of the key. */",
            f"static inline uint64_t {name}_recall(const unsigned char *state, uint64_t number)",
            "{",
            f"    return {name}_get(state, {FIRST_CELL + key.first} + number);",
            "}",
            "",
        ]
    return [
        f"static const uint32_t {name}_rounds[64] = {{{_listed(ROUNDS)}}};",
        f"static const uint32_t {name}_hash[8] = {{{_listed(START)}}};",
        "",
        *(line.replace("NAME", name) for line in _HASH),
        "/* A word that the key gives for a number: the first 8 bytes, the lowest first, of",
        "   HMAC-SHA-256 of the number as 8 bytes. */",
        f"static inline uint64_t {name}_recall(const unsigned char *state, uint64_t number)",
        "{",
        f"    const unsigned char *key = state + {4 * (FIRST_CELL + key.first)};",
        "    unsigned char text[32];",
        "    uint32_t hash[8];",
        "    uint64_t word = 0;",
        "    int i;",
        "    for (i = 0; i < 8; i++) {",
        "        text[i] = (unsigned char)((number >> (8 * i)) & 255);",
        "    }",
        f"    {name}_padded(hash, key, 0x36, text, 8);",
        "    for (i = 0; i < 32; i++) {",
        "        text[i] = (unsigned char)((hash[i / 4] >> (24 - 8 * (i % 4))) & 255);",
        "    }",
        f"    {name}_padded(hash, key, 0x5c, text, 32);",
        "    for (i = 7; i >= 0; i--) {",
        "        word = (word << 8) | ((hash[i / 4] >> (24 - 8 * (i % 4))) & 255);",
        "    }",
        "    return word;",
        "}",
        "",
    ]


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"UINT32_C({each})" for each in numbers)


_HASH = (
    "static inline uint32_t NAME_turned(uint32_t bits, int by)",
    "{",
    "    return (bits >> by) | (bits << (32 - by));",
    "}",
    "",
    "/* SHA-256 of one more block. */",
    "static inline void NAME_compress(uint32_t hash[8], const unsigned char block[64])",
    "{",
    "    uint32_t words[64], v[8], s, t;",
    "    int i, j;",
    "    for (i = 0; i < 16; i++) {",
    "        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16",
    "            | (uint32_t)block[4 * i + 2] << 8 | (uint32_t)block[4 * i + 3];",
    "    }",
    "    for (i = 16; i < 64; i++) {",
    "        s = words[i - 15];",
    "        t = words[i - 2];",
    "        words[i] = words[i - 16] + words[i - 7]",
    "            + (NAME_turned(s, 7) ^ NAME_turned(s, 18) ^ s >> 3)",
    "            + (NAME_turned(t, 17) ^ NAME_turned(t, 19) ^ t >> 10);",
    "    }",
    "    for (i = 0; i < 8; i++) {",
    "        v[i] = hash[i];",
    "    }",
    "    for (i = 0; i < 64; i++) {",
    "        s = v[7] + (NAME_turned(v[4], 6) ^ NAME_turned(v[4], 11) ^ NAME_turned(v[4], 25))",
    "            + ((v[4] & v[5]) ^ (~v[4] & v[6])) + NAME_rounds[i] + words[i];",
    "        t = (NAME_turned(v[0], 2) ^ NAME_turned(v[0], 13) ^ NAME_turned(v[0], 22))",
    "            + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));",
    "        for (j = 7; j > 0; j--) {",
    "            v[j] = v[j - 1];",
    "        }",
    "        v[4] += s;",
    "        v[0] = s + t;",
    "    }",
    "    for (i = 0; i < 8; i++) {",
    "        hash[i] += v[i];",
    "    }",
    "}",
    "",
    "/* SHA-256 of the key, padded, and a text of at most 32 bytes. */",
    "static inline void NAME_padded(uint32_t hash[8], const unsigned char *key, unsigned char pad,",
    "    const unsigned char *text, unsigned size)",
    "{",
    "    unsigned char block[64];",
    "    unsigned i;",
    "    for (i = 0; i < 8; i++) {",
    "        hash[i] = NAME_hash[i];",
    "    }",
    "    for (i = 0; i < 64; i++) {",
    "        block[i] = (unsigned char)((i < 32 ? key[i] : 0) ^ pad);",
    "    }",
    "    NAME_compress(hash, block);",
    "    for (i = 0; i < 64; i++) {",
    "        block[i] = (unsigned char)(i < size ? text[i] : i == size ? 128 : 0);",
    "    }",
    "    block[62] = (unsigned char)((64 + size) >> 5);",
    "    block[63] = (unsigned char)((64 + size) << 3 & 255);",
    "    NAME_compress(hash, block);",
    "}",
    "",
)
