"""Measurements of OpenDP whose input is one value: randomized response, and noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import opendp.prelude as dp

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[float, int], Any]

dp.enable_features("contrib")


def _binary(eps: float, k: int) -> Any:
    del k
    made = dp.m.make_randomized_response_bool(prob=math.exp(eps) / (1 + math.exp(eps)))
    return lambda value: made(bool(value % 2))


def _response(eps: float, k: int) -> Any:
    chance = math.exp(eps) / (math.exp(eps) + k - 1)
    return dp.m.make_randomized_response(categories=list(range(k)), prob=chance)


def _bits(eps: float, k: int) -> Any:
    """Bits of one-hot vectors: two of them differ, each with eps / 2."""
    f = 2 / (1 + math.exp(eps / 2))
    space = dp.bitvector_domain(max_weight=1), dp.discrete_distance()
    made = dp.m.make_randomized_response_bitvec(*space, f=f, constant_time=True)
    width = (k + 7) // 8

    def report(value: int) -> Any:
        found = made((1 << value).to_bytes(width, "little"))
        return [found[i // 8] >> (i % 8) & 1 for i in range(k)]

    return report


def _noise(name: str, kind: type, scale: Callable[[float, int], float]) -> Maker:
    def make(eps: float, k: int) -> Any:
        domain = dp.atom_domain(T=kind, **({"nan": False} if kind is float else {}))
        space = domain, dp.absolute_distance(T=kind)
        made = getattr(dp.m, name)(*space, scale=scale(eps, k))
        return lambda value: made(kind(value))

    return make


CLIENTS: dict[str, Maker] = {
    "randomized_response_bool": _binary,
    "randomized_response": _response,
    "randomized_response_bitvec": _bits,
    "laplace float": _noise("make_laplace", float, lambda eps, k: (k - 1) / eps),
    "laplace int": _noise("make_laplace", int, lambda eps, k: (k - 1) / eps),
    "geometric": _noise("make_geometric", int, lambda eps, k: (k - 1) / eps),
    "gaussian float": _noise("make_gaussian", float, lambda eps, k: 5.0 * (k - 1) / eps),
    "gaussian int": _noise("make_gaussian", int, lambda eps, k: 5.0 * (k - 1) / eps),
}
