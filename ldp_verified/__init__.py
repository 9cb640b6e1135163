"""Local differential privacy whose code is checked against its table of probabilities.

The mechanisms, and `verify`, are loaded when first asked for: the symbolic side needs no mechanism
and has to work where a generated module is missing; the numeric side needs no sympy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ldp_verified.mechanisms import (
        BLH,
        CMS,
        GRR,
        HCMS,
        HRR,
        OLH,
        OUE,
        PGR,
        SUE,
        THE,
        UE,
        BasicRappor,
        BinaryRR,
        Duchi,
        FairCoins,
        Geometric,
        Grades,
        HadamardResponse,
        HalfPlus,
        HashCohorts,
        HistogramRR,
        Hybrid,
        KeepOrUniform,
        Laplace,
        Piecewise,
        SquareWave,
        Staircase,
        SubsetSelection,
        TruncatedGeometric,
        TwoCoins,
        Warner,
    )
    from ldp_verified.prove import verify

    __version__: str
else:

    def __getattr__(name):
        """A mechanism's class by its name, or `verify`."""
        if name == "__version__":
            return importlib.import_module("importlib.metadata").version("ldp-verified")
        if name == "verify":
            return importlib.import_module("ldp_verified.prove").verify
        if name in __all__:
            return getattr(importlib.import_module("ldp_verified.mechanisms"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        """The public names, whether loaded or not."""
        return [*__all__, "__version__"]


__all__ = [
    "BLH",
    "CMS",
    "GRR",
    "HCMS",
    "HRR",
    "OLH",
    "OUE",
    "PGR",
    "SUE",
    "THE",
    "UE",
    "BasicRappor",
    "BinaryRR",
    "Duchi",
    "FairCoins",
    "Geometric",
    "Grades",
    "HadamardResponse",
    "HalfPlus",
    "HashCohorts",
    "HistogramRR",
    "Hybrid",
    "KeepOrUniform",
    "Laplace",
    "Piecewise",
    "SquareWave",
    "Staircase",
    "SubsetSelection",
    "TruncatedGeometric",
    "TwoCoins",
    "Warner",
    "verify",
]
