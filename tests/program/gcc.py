"""Printed C, compiled by gcc: run on every word at a small width, or on given tapes."""

from __future__ import annotations

import ctypes
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.run.program.form import LARGEST
from ldp_verified.run.program.state import state_size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ldp_verified.run.program import Program
    from ldp_verified.run.program.form import PrivateValue


def seen(program: Program) -> tuple[int, int]:
    """(inputs, numbers) of what is enumerated: of a client that keeps a state, two reports."""
    both = 1 + bool(program.cells)
    return program.values**both, program.numbers * both


FLAGS = (
    *("-std=c99", "-pedantic", "-ffreestanding", "-O1", "-fno-stack-protector"),
    *("-Wall", "-Wextra", "-Wconversion", "-Werror"),
)

# Walks through all tapes of LENGTH words, for all values; writes for each how many words were read
# (0 where they did not suffice) and the report's numbers.
EVERY_TAPE = """
static uint64_t tape[LENGTH];
static uint64_t next_word;
static uint64_t first_words;
#define MADE 256 /* says that two reports were made, also where they read no word */
static int fill(void *to, size_t size)
{
    unsigned char *bytes = (unsigned char *)to;
    size_t i;
    if (next_word == LENGTH) {
        return -1;
    }
    for (i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(((tape[next_word] << (64 - WIDTH)) >> (8 * i)) & 255);
    }
    next_word++;
    return 0;
}
#ifdef KEPT
static unsigned char state[KEPT];
static int save(const void *bytes, size_t size)
{
    (void)bytes;
    return size != KEPT;
}
/* Two reports in a row of a client that is new. */
static int run(uint64_t both, uint64_t *report)
{
    START(state);
    if (NAME(both / VALUES, report, state, fill, save) != 0) {
        return 1;
    }
    first_words = MADE | next_word;
    return NAME(both % VALUES, report + NUMBERS / 2, state, fill, save);
}
#else
static int run(uint64_t value, uint64_t *report)
{
#ifdef HELD
    uint64_t numbers[HELD];
    int i;
    for (i = HELD - 1; i >= 0; i--) {
        numbers[i] = value % BASE;
        value /= BASE;
    }
    return NAME(numbers, report, fill);
#elif defined(HALF)
    return NAME(value >> HALF, value & ((UINT64_C(1) << HALF) - 1), report, fill);
#else
    return NAME(value, report, fill);
#endif
}
#endif
void every_tape(uint64_t *out);
void every_tape(uint64_t *out)
{
    uint64_t report[NUMBERS];
    uint64_t number, value, rest;
    int i;
    for (number = 0; number < UINT64_C(1) << (WIDTH * LENGTH); number++) {
        rest = number;
        for (i = LENGTH - 1; i >= 0; i--) {
            tape[i] = rest & ((UINT64_C(1) << WIDTH) - 1);
            rest >>= WIDTH;
        }
        for (value = 0; value < INPUTS; value++) {
            next_word = 0;
            int status = run(value, report);
            *out++ = status == 0 ? first_words << 8 | next_word : 0;
            for (i = 0; i < NUMBERS; i++) {
                *out++ = status == 0 ? report[i] : 0;
            }
        }
    }
}
"""


def built(folder: Path, text: str, *flags: str) -> ctypes.CDLL:
    """A shared library of a C text, compiled without a warning."""
    folder.mkdir(exist_ok=True)
    source = folder / "client.c"
    source.write_text(text)
    library = folder / "client.so"
    command = ["gcc", *FLAGS, *flags, "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return ctypes.CDLL(str(library))


def answers_in(rows: NDArray[np.uint64]) -> list[Any]:
    """(report, words read) of each row; None where the words do not suffice."""
    return [(tuple(row[1:]), row[0] & 0xFFFF) if any(row) else None for row in rows.tolist()]


def every_answer(text: str, program: Program, length: int, folder: Path) -> list[Any]:
    """The same as `every_row`, as `answers_in` has it."""
    return answers_in(every_row(text, program, length, folder))


def every_row(text: str, program: Program, length: int, folder: Path) -> NDArray[np.uint64]:
    """Words read, then the report, for all tapes and values; 0 where the words do not suffice.

    Of a client that keeps a state these are two reports, and the words of the first stand above
    the lowest 8 bits of those of both; then comes a bit that is 1, as both may read none.

    Args:
        text: the header.
        program: what it should do.
        length: words of a tape.
        folder: where files may be written.
    """
    inputs, numbers = seen(program)
    sizes: dict[str, object] = {"LENGTH": length, "WIDTH": program.width, "INPUTS": inputs}
    sizes |= {"NUMBERS": numbers, "NAME": f"{program.name}_report"}
    if program.wide:
        sizes["HALF"] = program.half
    if program.length:
        sizes |= {"HELD": program.length, "BASE": program.inputs}
    if program.cells:
        sizes |= {"KEPT": state_size(program), "VALUES": program.inputs}
        sizes["START"] = f"{program.name}_start"
    defines = [f"-D{name}={size}" for name, size in sizes.items()]
    library = built(folder, text + EVERY_TAPE, *defines)
    columns = 1 + numbers
    count = inputs << (program.width * length)
    out = np.zeros((count, columns), dtype=np.uint64)
    library.every_tape(out.ctypes.data_as(ctypes.c_void_p))
    return out


REPLAY = """
static const unsigned char *tape;
static size_t left;
static uint64_t words;
static int fill(void *to, size_t size)
{
    unsigned char *bytes = (unsigned char *)to;
    size_t i;
    for (i = 0; i < size && i < left; i++) {
        bytes[i] = tape[i];
    }
    if (size > left) {
        return -1;
    }
    tape += size;
    left -= size;
    words++;
    return 0;
}
static unsigned char *saved;
static int save(const void *bytes, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) {
        saved[i] = ((const unsigned char *)bytes)[i];
    }
    return 0;
}
int replay(const uint64_t *numbers, uint64_t upper, uint64_t value, const unsigned char *bytes,
    size_t size, uint64_t *out, unsigned char *kept, unsigned char *after);
int replay(const uint64_t *numbers, uint64_t upper, uint64_t value, const unsigned char *bytes,
    size_t size, uint64_t *out, unsigned char *kept, unsigned char *after)
{
    int status;
    tape = bytes;
    left = size;
    words = 0;
    (void)kept;
    (void)save;
    (void)upper;
    (void)value;
    (void)numbers;
    saved = after;
    status = NAME(VALUE, out, STATE);
    out[NUMBERS] = words;
    return status;
}
"""


def replayed(
    text: str, program: Program, rows: Sequence[tuple[PrivateValue, bytes]], folder: Path
) -> list[tuple[tuple[int, ...] | None, int]]:
    """(report, words read) of each (value, bytes of a tape); None for a report that is refused.

    A tape that ends gives fewer bytes than were asked for, and says so.
    """
    with_state = [(value, tape, b"") for value, tape in rows]
    return [answer[:2] for answer in replayed_kept(text, program, with_state, folder)]


def replayed_kept(
    text: str, program: Program, rows: Sequence[tuple[PrivateValue, bytes, bytes]], folder: Path
) -> list[tuple[tuple[int, ...] | None, int, bytes]]:
    """(report, words read, state as it was saved) of each (value, tape, state)."""
    sizes = (f"-DNUMBERS={program.numbers}", f"-DNAME={program.name}_report")
    given = "-DSTATE=kept, fill, save" if program.cells else "-DSTATE=fill"
    value_of = "-DVALUE=upper, value" if program.wide else "-DVALUE=value"
    if program.length:
        value_of = "-DVALUE=numbers"
    library = built(folder, text + REPLAY, *sizes, given, value_of)
    pointer = ctypes.c_void_p
    numbers_of = (ctypes.c_uint64, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_size_t)
    library.replay.argtypes = [pointer, *numbers_of, pointer, pointer, pointer]
    out = (ctypes.c_uint64 * (program.numbers + 1))()
    answers: list[tuple[tuple[int, ...] | None, int, bytes]] = []
    for value, tape, state in rows:
        kept = ctypes.create_string_buffer(state, len(state) + 1)
        saved = ctypes.create_string_buffer(len(state) + 1)
        parts = value if isinstance(value, tuple) else (value,)
        held = (ctypes.c_uint64 * len(parts))(*(part & LARGEST for part in parts))
        status = library.replay(
            *(held, parts[0] >> 64, parts[0] & LARGEST, tape, len(tape)), *(out, kept, saved)
        )
        *report, words = out
        assert status == 0 or not any(report)
        after = b"" if status else saved.raw[: len(state)]
        answers.append((None if status else tuple(report), words, after))
    return answers
