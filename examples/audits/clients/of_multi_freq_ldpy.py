"""Clients of multi-freq-ldpy: single, longitudinal and multidimensional ones.

A tuple is the value and the value turned round, of two attributes. A longitudinal client is asked
for one report, whose eps is half of the permanent one.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[float, int], Any]

PACKAGE = "multi_freq_ldpy"


def _found(module: str, name: str) -> Any:
    return getattr(import_module(f"{PACKAGE}.{module}"), name)


def _pure(module: str, *given: Any) -> Maker:
    def make(eps: float, k: int) -> Any:
        client = _found(f"pure_frequency_oracles.{module}", f"{module}_Client")
        return lambda value: client(value, k, eps, *given)

    return make


def _long(module: str, *given: Any) -> Maker:
    def make(eps: float, k: int) -> Any:
        client = _found(f"long_freq_est.{module}", f"{module}_Client")
        return lambda value: client(value, k, 2 * eps, eps, *given)

    return make


def _flip(eps: float, k: int) -> Any:
    client = _found("long_freq_est.dBitFlipPM", "dBitFlipPM_Client")
    return lambda value: client(value, k, k, 4, eps)


def _tuple(module: str, name: str, *given: Any) -> Maker:
    def make(eps: float, k: int) -> Any:
        client = _found(f"mdim_freq_est.{module}_solution", f"{module}_{name}_Client")
        return lambda value: client((value, k - 1 - value), [k, k], 2, eps, *given)

    return make


def _tuples_over_time(module: str, name: str) -> Maker:
    def make(eps: float, k: int) -> Any:
        client = _found(f"long_mdim_freq_est.L_{module}_Solution", f"{module}_L_{name}_Client")
        return lambda value: client((value, k - 1 - value), [k, k], 2, 2 * eps, eps)

    return make


CLIENTS: dict[str, Maker] = {
    "GRR": _pure("GRR"),
    "SUE": _pure("UE", False),
    "OUE": _pure("UE", True),
    "BLH": _pure("LH", False),
    "OLH": _pure("LH", True),
    "SS": _pure("SS"),
    "HE": _pure("HE"),
    "ADP": _pure("ADP"),
    **{f"L-{name}": _long(f"L_{name}") for name in ("GRR", "SUE", "OUE", "OSUE", "SOUE", "ADP")},
    "L-OLH": _long("L_LH", True),
    "L-BLH": _long("L_LH", False),
    "dBitFlipPM": _flip,
    **{f"SPL-{name}": _tuple("SPL", name) for name in ("GRR", "UE", "LH", "SS", "ADP")},
    **{f"SMP-{name}": _tuple("SMP", name) for name in ("GRR", "UE", "LH", "SS", "ADP")},
    **{f"RSpFD-{name}": _tuple("RSpFD", name) for name in ("GRR", "UE_zero", "UE_rnd", "ADP")},
    **{
        f"L-{module}-{name}": _tuples_over_time(module, name)
        for module in ("SPL", "SMP")
        for name in ("GRR", "SUE", "OUE", "OSUE", "SOUE", "ADP")
    },
}
