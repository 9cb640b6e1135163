"""Clients of pure-ldp: its frequency oracles, sketches and heavy hitters.

Sketches get hash functions of ours, so that two runs use the same ones. Heavy hitters get texts of
three binary characters.
"""

from __future__ import annotations

import math
import zlib
from typing import TYPE_CHECKING, Any

import pure_ldp.frequency_oracles as lib
import pure_ldp.heavy_hitters as heavy

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS, WIDTH = 4, 16


def _hash(number: int, below: int) -> Callable[[Any], int]:
    return lambda value: zlib.crc32(f"{number}:{value}".encode()) % below


def _plain(name: str, *given: Any) -> Callable[[float, int], Any]:
    return lambda eps, k: getattr(lib, name)(eps, k, *given, index_mapper=int).privatise


def _sketch(hadamard: bool) -> Callable[[float, int], Any]:
    several = [_hash(i, WIDTH) for i in range(ROWS)]
    return lambda eps, _: lib.CMSClient(eps, several, WIDTH, is_hadamard=hadamard).privatise


def _count_sketch(eps: float, k: int) -> Any:
    del k
    several = [(_hash(i, WIDTH), _hash(100 + i, 2)) for i in range(ROWS)]
    return lib.PCSClient(eps, ROWS, WIDTH, several).privatise


def _sketch_response(eps: float, k: int) -> Any:
    del k
    several = [_hash(i, WIDTH) for i in range(ROWS)]
    oracle = lib.DEClient(eps, WIDTH, index_mapper=int)
    return lib.SketchResponseClient(
        eps, WIDTH, several, index_mapper=int, fo_client=oracle
    ).privatise


def _rappor(eps: float, k: int) -> Any:
    """Two hash functions in each of four cohorts; f for eps as the package's own formula has it."""
    del k
    f = 2 / (1 + math.exp(eps / 4))
    cohorts = [[_hash(10 * c + i, WIDTH) for i in range(2)] for c in range(4)]
    return lib.RAPPORClient(f, WIDTH, cohorts, 4, index_mapper=int).privatise


def _sketched_words(eps: float, k: int) -> Any:
    """Fragments and words go to a count mean sketch, as the package's own examples have it."""
    del k
    oracle = lib.CMSClient(eps, [_hash(i, WIDTH) for i in range(ROWS)], WIDTH)
    made = heavy.SFPClient(eps, 1, 3, index_mapper=str, fo_client=oracle)
    return lambda value: made.privatise(_text(value))


def _text(value: int) -> str:
    return format(value, "03b")


def _number(text: str) -> int:
    return int(text.replace("*", "") or "0", 2)


def _strings(name: str, *sizes: int) -> Callable[[float, int], Any]:
    def make(eps: float, k: int) -> Any:
        oracle = lib.UEClient(eps, k, use_oue=True, index_mapper=_number)
        made = getattr(heavy, name)(eps, *sizes, index_mapper=_number, fo_client=oracle)
        return lambda value: made.privatise(_text(value))

    return make


CLIENTS: dict[str, Callable[[float, int], Any]] = {
    "DE": _plain("DEClient"),
    "SUE": _plain("UEClient", False),
    "OUE": _plain("UEClient", True),
    "BLH": _plain("LHClient", 2, False),
    "OLH": _plain("LHClient", 2, True),
    "FastLH": lambda eps, k: lib.FastLHClient(eps, k, 64, 2, True, index_mapper=int).privatise,
    "HE": _plain("HEClient"),
    "HR": _plain("HadamardResponseClient", None),
    "HM": _plain("HadamardMechClient", 1),
    "CMS": _sketch(False),
    "HCMS": _sketch(True),
    "PCS": _count_sketch,
    "SketchResponse": _sketch_response,
    "RAPPOR": _rappor,
    "PEM": _strings("PEMClient", 1, 3, 1),
    "SFP": _sketched_words,
    "TreeHist": _strings("TreeHistClient", 1, 3),
}
