"""Wrong kernels, one for each form, with a choice of flaws; `samplers.py` says what each does.

They are written as plainly as a programmer in a hurry would: one word for each decision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

ONE_LIE_TOO_MANY = 1
FIRST_SLOT = 2
MOVES_ON = 3
ONE_WAY = 4
REMAINDER = 5
ONE_WORD = 6
OR = 7
WRONG_BASE = 8


def careless_grr(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """cuts = (lie, last word of the lies, first of the truth), sizes = (flaw, k)."""
    lie = cuts[0]
    last_lie = cuts[1]
    flaw = sizes[0]
    k = sizes[1]
    done = min(len(values), len(words))
    for i in range(done):
        truth = values[i]
        word = words[i]
        if flaw == FIRST_SLOT:
            truth = 0
        out[i] = truth
        if word <= last_lie:
            out[i] = word // lie
            if flaw == MOVES_ON and out[i] == truth:
                out[i] = (truth + 1) % k
            if flaw == ONE_WAY and out[i] < truth:
                out[i] = truth
        elif flaw == ONE_LIE_TOO_MANY and word == cuts[2]:
            out[i] = k - 1
    return done, done


def careless_wide(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """cuts = (mix, words per value, k), sizes = (flaw, k)."""
    used = 0
    for i in range(len(values)):
        cursor = used
        if cursor == len(words):
            return i, used
        out[i] = values[i]
        if words[cursor] < cuts[0]:
            if sizes[0] == REMAINDER:
                cursor += 1
                if cursor == len(words):
                    return i, used
                out[i] = words[cursor] % cuts[2]
            else:
                out[i] = sizes[1] - 1
                if words[cursor] // cuts[1] < cuts[2]:
                    out[i] = words[cursor] // cuts[1]
        used = cursor + 1
    return len(values), used


def careless_bits(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """cuts = (one, zero, 1), sizes = (flaw, k, lanes, numbers per report)."""
    flaw = sizes[0]
    k = sizes[1]
    lanes = sizes[2]
    used = 0
    for i in range(len(values)):
        if used + k + 1 > len(words):
            return i, used
        own = words[used] < cuts[0]
        place = values[i]
        if flaw == FIRST_SLOT:
            place = 0
        for v in range(k):
            noise = words[used + 1 + v] < cuts[1]
            if flaw == ONE_WORD:
                noise = words[used] < cuts[1]
            if flaw == ONE_WAY:
                noise = False
            if v == place:
                noise = own or (noise and flaw == OR)
            slot = i * sizes[3] + v // lanes
            bit = cuts[2] << (v % lanes)
            if v % lanes == 0:
                out[slot] = bit ^ bit
            if noise:
                out[slot] = out[slot] | bit
        used += k + 1
    return len(values), used


def careless_hash(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """cuts = (lie, last word of the lies, words per bucket, last fair word, g, first truth).

    sizes = (flaw, base, g, digits).
    """
    flaw = sizes[0]
    digits = sizes[3]
    used = 0
    for i in range(len(values)):
        cursor = used
        row = i * (digits + 1)
        for position in range(digits):
            while cursor < len(words) and words[cursor] > cuts[3] and flaw != REMAINDER:
                cursor += 1
            if cursor == len(words):
                return i, used
            out[row + position] = words[cursor] // cuts[2]
            if flaw == REMAINDER:
                out[row + position] = words[cursor] % cuts[4]
            cursor += 1
        if flaw == ONE_WORD:
            cursor -= 1
        if cursor == len(words):
            return i, used
        rest = values[i]
        bucket = 0
        for position in range(digits):
            bucket += out[row + position] * (rest % sizes[1])
            rest = rest // sizes[1]
        out[row + digits] = bucket % sizes[2]
        if flaw == FIRST_SLOT:
            out[row + digits] = 0
        if words[cursor] <= cuts[1]:
            out[row + digits] = words[cursor] // cuts[0]
        elif flaw == ONE_LIE_TOO_MANY and words[cursor] == cuts[5]:
            out[row + digits] = sizes[2] - 1
        used = cursor + 1
    return len(values), used
