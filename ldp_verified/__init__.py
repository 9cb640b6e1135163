"""Local differential privacy whose code is checked against its table of probabilities.

The mechanisms are loaded when one of them is first asked for: the symbolic side needs none of them,
and has to work where a generated module is missing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ldp_verified.mechanisms import BLH, GRR, OLH, OUE, SUE, BinaryRR, Warner
else:

    def __getattr__(name):
        """A mechanism's class, by its name."""
        if name in __all__:
            return getattr(importlib.import_module("ldp_verified.mechanisms"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["BLH", "GRR", "OLH", "OUE", "SUE", "BinaryRR", "Warner"]
