"""A median with its spread, and the machine it was measured on."""

from __future__ import annotations

import os
import platform
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Summary:
    """Repeated measurements of one thing: their median, least and largest, in the same unit."""

    median: float
    least: float
    largest: float
    runs: int

    def __str__(self) -> str:
        return f"{rounded(self.median)} ({rounded(self.least)}-{rounded(self.largest)})"


def summary(measurements: Sequence[float]) -> Summary:
    """The summary of one or more measurements.

    Raises:
        statistics.StatisticsError: there is none.
    """
    middle = statistics.median(measurements)
    return Summary(middle, min(measurements), max(measurements), len(measurements))


def rounded(number: float) -> str:
    """Three significant digits, thousands separated, without an exponent: 0.0123, 1.23, 12,300."""
    if number == 0:
        return "0"
    digits = 2 - int(f"{number:e}".split("e")[1])
    return f"{round(number, digits):,.{max(digits, 0)}f}"


def machine() -> str:
    """The processor, its cores, memory, system and Python, and how busy it was, in one line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [
            line.split(":")[1] for line in info.read_text().splitlines() if "model name" in line
        ]
        model = names[0].strip() if names else model
    memory = ""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        memory = f", {size / 2**30:.0f} GiB"
    busy = ""
    if hasattr(os, "getloadavg"):  # absent on Windows
        busy = f"; load average of the last 15 minutes {os.getloadavg()[2]:.1f}"
    return (
        f"{model}, {os.cpu_count()} cores{memory}, {platform.system()}, "
        f"Python {platform.python_version()}{busy}"
    )
