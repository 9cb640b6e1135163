"""Which branches and look-ups of the C depend on the value or on the random words: all are known.

valgrind runs each client with the value, the bytes of `fill` and what is kept marked as undefined;
it names every line that branches on them or uses them as an address. `SECRETS.txt` has these lines,
each under a reason. The code is compiled without optimization, so that every branch that the C has
is one; what an optimizing compiler makes of it, a branch or not, is not looked at.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.on_devices.tools import Client, client, ran
from tests.program.listed import LISTED

if TYPE_CHECKING:
    from collections.abc import Iterator

KNOWN = Path(__file__).with_name("SECRETS.txt")
RUNS = 60

MAIN = """
#include <valgrind/memcheck.h>
static uint64_t seed = UINT64_C(88172645463325252);
static int fill(void *to, size_t size)
{
    unsigned char *bytes = (unsigned char *)to;
    size_t i;
    for (i = 0; i < size; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        bytes[i] = (unsigned char)(seed & 255);
    }
    VALGRIND_MAKE_MEM_UNDEFINED(to, size);
    return 0;
}
SAVE
int main(void)
{
    uint64_t report[NUMBERS];
    uint64_t value, upper, numbers[LENGTH];
    int i, j, status;
    START
    for (i = 0; i < RUNS; i++) {
        value = (uint64_t)i * (INPUTS / RUNS + 1) % INPUTS;
        upper = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
        VALGRIND_MAKE_MEM_UNDEFINED(&upper, sizeof upper);
        (void)upper;
        for (j = 0; j < LENGTH; j++) {
            numbers[j] = (i + j) % 3 ? (value + (uint64_t)j * (INPUTS / 7)) % INPUTS : 0;
        }
        VALGRIND_MAKE_MEM_UNDEFINED(numbers, sizeof numbers);
        VALGRIND_MAKE_MEM_UNDEFINED(&value, sizeof value);
        status = REPORT;
        VALGRIND_MAKE_MEM_DEFINED(&status, sizeof status);
        if (status != 0) {
            return 1;
        }
    }
    return 0;
}
"""
SAVE = """
static int save(const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return 0;
}
"""
_PLACE = re.compile(
    r"(Conditional jump|Use of uninitialised).*?\n==\d+==    (?:at|by) .*?"
    r"\(client\.h:(\d+)\)",
    re.DOTALL,
)


def depending_lines(printed: Client, folder: Path) -> set[str]:
    """The lines that valgrind names, with N for numbers and _ for the client's name."""
    (folder / "client.h").write_text(printed.text)
    upper = printed.name.upper()
    given = "numbers" if printed.length else "upper, value" if printed.wide else "value"
    parts = {
        "SAVE": SAVE if printed.keeps else "",
        "START": (
            f"unsigned char state[{upper}_STATE]; {printed.name}_start(state);"
            if printed.keeps
            else ""
        ),
        "LENGTH": str(max(1, printed.length)),
        "REPORT": f"{printed.name}_report({given}, report, "
        + ("state, fill, save)" if printed.keeps else "fill)"),
        "NUMBERS": f"{upper}_NUMBERS",
        "INPUTS": "UINT64_MAX" if printed.wide else f"{upper}_INPUTS",
        "RUNS": str(RUNS),
    }
    text = MAIN
    for name, part in parts.items():
        text = re.sub(rf"\b{name}\b", part, text)
    (folder / "t.c").write_text('#include "client.h"\n' + text)
    ran(folder, "gcc", "-std=c99", "-g", "-O0", "-o", "t", "t.c")
    done = subprocess.run(
        ["valgrind", "--error-limit=no", "./t"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "ERROR SUMMARY" in done.stderr
    lines = printed.text.splitlines()
    found = set()
    for _, number in _PLACE.findall(done.stderr):
        line = re.sub(r"UINT64_C\(\d+\)|\b\d+\b", "N", lines[int(number) - 1].strip())
        line = re.sub(r"\b(v_\w+?)_[b-z]\b", r"\1", line)  # one of several parts of a program
        found.add(line.replace(upper, "_").replace(printed.name, "_"))
    return found


def known() -> dict[str, str]:
    """Line -> why it may depend on the value or on words."""
    found = {}
    why = ""
    for line in KNOWN.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            why = line[2:]
        elif line:
            assert why, line
            assert line not in found, line
            found[line] = why
    return found


def all_lines(folder: Path) -> Iterator[tuple[str, set[str]]]:
    """The lines of each listed client."""
    for case in LISTED:
        yield case, depending_lines(client(case), folder)


def test_every_branch_and_look_up_is_known_and_explained(tmp_path: Path) -> None:
    explained = known()
    seen: set[str] = set()
    for case, lines in all_lines(tmp_path):
        assert lines, case
        assert lines <= set(explained), (case, sorted(lines - set(explained)))
        seen |= lines
    assert seen == set(explained), sorted(set(explained) - seen)


BRANCH = "\n    if (report[0] == 3) {\n        return 0;\n    }\n    return 0;\nfailed:"
LOOK_UP = (
    "uint64_t v_word = 0;\n    static const uint64_t odd[64] = {1};\n    v_word = odd[value & 63];"
)


@pytest.mark.parametrize(
    ("old", "new"), [("\n    return 0;\nfailed:", BRANCH), ("uint64_t v_word = 0;", LOOK_UP)]
)
def test_another_branch_and_another_look_up_are_seen(old: str, new: str, tmp_path: Path) -> None:
    right = client("grr")
    assert right.text.count(old) == 1
    text = right.text.replace(old, new)
    assert depending_lines(right._replace(text=text), tmp_path) - set(known())
