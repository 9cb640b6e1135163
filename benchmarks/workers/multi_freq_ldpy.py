"""multi-freq-ldpy 0.2.5 (Arcolezi): `*_Client` for each user, then `*_Aggregator_MI`.

The package has no call for many users at once: its README loops over `*_Client` as done here. The
clients of GRR and unary encoding are compiled by its numba decorators before the timing. Those of
reports over days (`long_freq_est`) keep no answer: each call makes both of them. Its aggregators
clip and normalise what they return; that is part of the call and small. Its L_GRR leaves one report
an epsilon of 0.019 where 1 is asked for, at 1,024 values: too little to see a value that half of
the users hold, so only its client is timed.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from benchmarks.workload import DOMAIN, EPSILON, PERMANENT, Case, main

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray


def case(
    mechanism: str,
    users: int,
    k: int,
    one: Callable[[int], Any],
    aggregate: Callable[[list[Any]], NDArray[np.float64]] | None,
) -> Case:
    """A case from the package's functions for one user and for all the reports."""

    def randomize(held: NDArray[np.int64]) -> list[Any]:
        return [one(value) for value in held.tolist()]

    return Case(mechanism, users, k, randomize, aggregate)


def cases() -> list[Case]:
    """The mechanisms that the package has; binary randomized response is its k-ary one at k = 2."""
    grr = import_module("multi_freq_ldpy.pure_frequency_oracles.GRR")
    ue = import_module("multi_freq_ldpy.pure_frequency_oracles.UE")
    lh = import_module("multi_freq_ldpy.pure_frequency_oracles.LH")
    he = import_module("multi_freq_ldpy.pure_frequency_oracles.HE")
    ss = import_module("multi_freq_ldpy.pure_frequency_oracles.SS")
    e, d = EPSILON, DOMAIN

    def direct(k: int) -> tuple[Callable[[int], Any], Callable[[list[Any]], Any]]:
        return (
            lambda value: grr.GRR_Client(value, k, e),
            partial(grr.GRR_Aggregator_MI, k=k, epsilon=e),
        )

    def unary(optimal: bool) -> tuple[Callable[[int], Any], Callable[[list[Any]], Any]]:
        return (
            lambda value: ue.UE_Client(value, d, e, optimal),
            partial(ue.UE_Aggregator_MI, epsilon=e, optimal=optimal),
        )

    def hashing(optimal: bool) -> tuple[Callable[[int], Any], Callable[[list[Any]], Any]]:
        return (
            lambda value: lh.LH_Client(value, d, e, optimal),
            partial(lh.LH_Aggregator_MI, k=d, epsilon=e, optimal=optimal),
        )

    def twice(name: str) -> tuple[Callable[[int], Any], Callable[[list[Any]], Any]]:
        made = import_module(f"multi_freq_ldpy.long_freq_est.{name}")
        one, all_of = getattr(made, f"{name}_Client"), getattr(made, f"{name}_Aggregator_MI")
        return (
            lambda value: one(value, d, PERMANENT, e),
            lambda reports: all_of(reports, PERMANENT, e),
        )

    return [
        case("BinaryRR", 100_000, 2, *direct(2)),
        case("GRR", 100_000, d, *direct(d)),
        case("SUE", 10_000, d, *unary(False)),
        case("OUE", 10_000, d, *unary(True)),
        *(
            case(
                name,
                users,
                d,
                lambda value: he.HE_Client(value, d, e),
                partial(he.HE_Aggregator_MI, k=d, epsilon=e, use_thresh=thresholds),
            )
            for name, users, thresholds in (("THE", 1_000, True), ("SHE", 2_000, False))
        ),
        case(
            "SubsetSelection",
            2_000,
            d,
            lambda value: ss.SS_Client(value, d, e),
            partial(ss.SS_Aggregator_MI, k=d, epsilon=e),
        ),
        case("OLH", 1_000, d, *hashing(True)),
        case("BLH", 1_000, d, *hashing(False)),
        case("LGRR", 100_000, d, twice("L_GRR")[0], None),
        case("LSUE", 5_000, d, *twice("L_SUE")),
        case("LOSUE", 5_000, d, *twice("L_OSUE")),
    ]


if __name__ == "__main__":
    main("multi-freq-ldpy", cases())
