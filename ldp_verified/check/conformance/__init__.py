"""Running code against what was derived: exactly at small word widths, statistically at full.

`conform` is loaded on first use: the exact part needs neither sympy nor scipy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ldp_verified.check.conformance.results import (
        Comparison,
        ConformanceOutcome,
        ConformanceReport,
    )
    from ldp_verified.check.conformance.run import conform
    from ldp_verified.check.conformance.subjects import Subject
else:
    _HOMES = {
        "Comparison": "results",
        "ConformanceReport": "results",
        "ConformanceOutcome": "results",
        "Subject": "run",
        "conform": "run",
    }

    def __getattr__(name):
        """A public name, from the module that has it."""
        if name in _HOMES:
            return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Comparison", "ConformanceOutcome", "ConformanceReport", "Subject", "conform"]
