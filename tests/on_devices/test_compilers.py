"""Every C client with gcc and clang: no warning, sanitizers, what it needs, its size."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.on_devices.tools import client, ran
from tests.program.listed import LISTED

if TYPE_CHECKING:
    from pathlib import Path

WARNINGS = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function")
MAIN = "int main(void) { return client_test(); }\n"
CORTEX = ("arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb")
MOST_BYTES = {"grr": 4096, "binary_rr": 4096, "warner": 4096}
LIBGCC = re.compile(r"__aeabi_u?l(div|cmp|mul|ls[lr])\w*|__udivdi3|__umoddi3")


@pytest.mark.parametrize("case", LISTED)
def test_its_own_test_passes_at_every_level(case: str, tmp_path: Path) -> None:
    """Undefined behaviour and addresses outside are errors where the sanitizers look."""
    (tmp_path / "t.c").write_text(client(case).tested(MAIN))
    for compiler in ("gcc", "clang"):
        for level in (
            ("-O0",),
            ("-O3",),
            ("-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"),
        ):
            ran(tmp_path, compiler, *WARNINGS, *level, "-o", "t", "t.c")
            ran(tmp_path, "./t")


@pytest.mark.parametrize("case", LISTED)
def test_it_needs_nothing_and_is_small(case: str, tmp_path: Path) -> None:
    """Freestanding; no symbol but libgcc's division; instructions and tables in bytes."""
    (tmp_path / "u.c").write_text(client(case).used())
    most = MOST_BYTES.get(client(case).name, 8192)
    for compiler in (("gcc",), ("clang",), CORTEX):
        ran(tmp_path, *compiler, *WARNINGS, "-ffreestanding", "-Os", "-c", "-o", "u.o", "u.c")
        listed = (
            ran(tmp_path, "nm", "-u", "u.o")
            if compiler != CORTEX
            else ran(tmp_path, "arm-none-eabi-nm", "-u", "u.o")
        )
        needed = [line.split()[-1] for line in listed.splitlines()]
        assert all(LIBGCC.fullmatch(each) for each in needed), needed
        assert compiler == CORTEX or not needed
        sizes = ran(
            tmp_path,
            compiler[0].replace("gcc", "size") if compiler == CORTEX else "size",
            "-A",
            "u.o",
        )
        text = sum(int(n) for n in re.findall(r"^\.text\S*\s+(\d+)", sizes, re.MULTILINE))
        assert 0 < text <= most, text


def test_the_sanitizers_see_a_shift_and_an_index_that_are_wrong(tmp_path: Path) -> None:
    right = client("oue").tested(MAIN)
    for old, new in (
        (r"v_place = \(value / UINT64_C\(64\)\)", "v_place = value + 1000"),
        (r"% UINT64_C\(64\)", "| UINT64_C(64)"),
    ):
        wrong, times = re.subn(old, new, right)
        assert times, old
        (tmp_path / "t.c").write_text(wrong)
        options = ("-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all")
        ran(tmp_path, "gcc", *WARNINGS, *options, "-o", "t", "t.c")
        done = subprocess.run(["./t"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert "runtime error" in done.stderr or "AddressSanitizer" in done.stderr


def test_a_client_that_needs_the_library_or_warns_is_seen(tmp_path: Path) -> None:
    text = client("grr").used()
    (tmp_path / "u.c").write_text(
        "int rand(void);\n" + text.replace("value, report, ", "value + (uint64_t)rand(), report, ")
    )
    ran(tmp_path, "gcc", *WARNINGS, "-ffreestanding", "-Os", "-c", "-o", "u.o", "u.c")
    assert "rand" in ran(tmp_path, "nm", "-u", "u.o")
    (tmp_path / "w.c").write_text(
        text.replace("uint64_t v_word = 0;", "uint64_t v_word = 0; int spare;")
    )
    with pytest.raises(AssertionError, match="spare"):
        ran(tmp_path, "gcc", *WARNINGS, "-Os", "-c", "-o", "w.o", "w.c")
