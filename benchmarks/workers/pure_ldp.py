"""pure-ldp 1.2.0 (Maddock): `privatise` for each user, then `aggregate_all` and `estimate_all`.

The package has no call for many users at once: its own simulations loop over `privatise` as done
here. Values are plain ints with an identity map, which its own code handles fastest. FastLH is its
fast form of local hashing: another, heuristic mechanism, whose users share 1,000 hash functions.
Its server makes a table of hashed values once, which is not timed; most of what is timed is one
pass over that table, whatever the number of users.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.workload import DOMAIN, EPSILON, Case, main

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

HASHES = 1000


def identity(value: int) -> int:
    """Values are indices already."""
    return value


def case(mechanism: str, users: int, k: int, client: Any, new_server: Callable[[], Any]) -> Case:
    """A case from the package's client object and a maker of servers, which hold state."""
    servers = [new_server(), new_server()]  # the warm-up's, then the timed one

    def randomize(held: NDArray[np.int64]) -> list[Any]:
        return [client.privatise(value) for value in held.tolist()]

    def estimate(reports: list[Any]) -> NDArray[np.float64]:
        server = servers.pop(0)
        server.aggregate_all(reports)
        return np.asarray(server.estimate_all(range(k), suppress_warnings=True), np.float64)

    return Case(mechanism, users, k, randomize, estimate)


def cases() -> list[Case]:
    """The mechanisms that the package has; binary randomized response is its k-ary one at k = 2."""
    lib = import_module("pure_ldp.frequency_oracles")
    fast_client = import_module("pure_ldp.frequency_oracles.local_hashing.fast_lh_client")
    fast_server = import_module("pure_ldp.frequency_oracles.local_hashing.fast_lh_server")
    e, d = EPSILON, DOMAIN

    def direct(k: int) -> tuple[Any, Callable[[], Any]]:
        return lib.DEClient(e, k, identity), lambda: lib.DEServer(e, k, identity)

    def unary(optimal: bool) -> tuple[Any, Callable[[], Any]]:
        return (
            lib.UEClient(e, d, optimal, identity),
            lambda: lib.UEServer(e, d, optimal, identity),
        )

    def hashing(optimal: bool) -> tuple[Any, Callable[[], Any]]:
        return (
            lib.LHClient(e, d, 2, optimal, identity),
            lambda: lib.LHServer(e, d, 2, optimal, identity),
        )

    matrix = fast_server.FastLHServer(e, d, HASHES, 2, True, identity).hash_matrix

    def fast() -> tuple[Any, Callable[[], Any]]:
        client = fast_client.FastLHClient(e, d, HASHES, 2, True, identity)
        return client, lambda: fast_server.FastLHServer(e, d, HASHES, 2, True, identity, matrix)

    return [
        case("BinaryRR", 100_000, 2, *direct(2)),
        case("GRR", 100_000, d, *direct(d)),
        case("SUE", 5_000, d, *unary(False)),
        case("OUE", 5_000, d, *unary(True)),
        case("OLH", 2_000, d, *hashing(True)),
        case("BLH", 2_000, d, *hashing(False)),
        case("FastLH", 200_000, d, *fast()),
    ]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main("pure-ldp", cases())
