"""Every C client on a Cortex-M3: cross-compiled, and run by qemu's mps2-an385."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.on_devices.tools import client, ran
from tests.program.listed import LISTED

if TYPE_CHECKING:
    from pathlib import Path

# The first words of memory: the stack's top, and where to begin. The end is told to qemu, which
# gives the status of the test as its own.
START = """
static void begin(void);
__attribute__((section(".vectors"), used)) static void (*const vectors[2])(void) = {
    (void (*)(void))0x20400000, begin
};
static void begin(void)
{
    static uint32_t ended[2];
    ended[0] = 0x20026;
    ended[1] = (uint32_t)client_test();
    register uint32_t what __asm__("r0") = 0x20;
    register uint32_t *with __asm__("r1") = ended;
    __asm__ volatile("bkpt 0xab" : : "r"(what), "r"(with) : "memory");
    for (;;) {
    }
}
"""
LINK = """
MEMORY { code : ORIGIN = 0, LENGTH = 4M  data : ORIGIN = 0x20000000, LENGTH = 4M }
SECTIONS {
    .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > code
    .data : { *(.data*) } > data
    .bss : { *(.bss*) *(COMMON) } > data
    /DISCARD/ : { *(.ARM.exidx*) }
}
"""
MACHINE = ("qemu-system-arm", "-M", "mps2-an385", "-nographic", "-semihosting", "-monitor", "none")


def status_on_cortex(text: str, folder: Path, level: str) -> int:
    """The status with which the test ends on the device: 0, or the number of a wrong vector."""
    (folder / "t.c").write_text(text)
    (folder / "device.ld").write_text(LINK)
    options = (
        "-mcpu=cortex-m3",
        "-mthumb",
        "-std=c99",
        "-ffreestanding",
        level,
        "-Wall",
        "-Wextra",
    )
    ran(
        folder,
        *("arm-none-eabi-gcc", *options, "-Werror", "-Wno-unused-function", "-nostartfiles"),
        *("-nodefaultlibs", "-T", "device.ld", "-o", "t.elf", "t.c", "-lgcc"),
    )
    command = [*MACHINE, "-kernel", "t.elf"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, check=False, timeout=100, stdin=subprocess.DEVNULL
    )
    return done.returncode


@pytest.mark.parametrize("case", LISTED)
def test_its_own_test_passes_on_the_device(case: str, tmp_path: Path) -> None:
    for level in ("-Os", "-O3"):
        assert status_on_cortex(client(case).tested(START), tmp_path, level) == 0


def test_a_wrong_client_is_seen_on_the_device(tmp_path: Path) -> None:
    """A threshold one off, and a word that is cut to the 32 bits of a long."""
    text = client("grr").tested(START)
    for old, new in (
        (r"(v_word <= UINT64_C\(\d+)\d\)", r"\g<1>0)"),
        (r"\*word = \(\*word << 8\)", "*word = (unsigned long)(*word << 8)"),
    ):
        wrong, times = re.subn(old, new, text)
        assert times == 1, old
        assert wrong != text
        assert status_on_cortex(wrong, tmp_path, "-Os") > 0
