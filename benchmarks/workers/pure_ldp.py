"""pure-ldp 1.2.0 (Maddock): `privatise` for each user, then `aggregate_all` and `estimate_all`.

The package has no call for many users at once: its own simulations loop over `privatise` as done
here. Values are plain ints with an identity map, which its own code handles fastest. FastLH is its
fast form of local hashing: another, heuristic mechanism, whose users share 1,000 hash functions.
Its server makes a table of hashed values once, which is not timed; most of what is timed is one
pass over that table, whatever the number of users. Thresholding (THE) is done by its server: what
its clients send are noisy numbers. RAPPOR has no instantaneous step here, and its decoding is not
timed. The transform is the one that its Hadamard response uses.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.workload import (
    BLOOM_BITS,
    BUCKETS,
    COHORTS,
    DOMAIN,
    EPSILON,
    HASHES,
    NOISE,
    ROWS,
    Case,
    main,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

FAST_HASHES = 1000


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

    matrix = fast_server.FastLHServer(e, d, FAST_HASHES, 2, True, identity).hash_matrix

    def fast() -> tuple[Any, Callable[[], Any]]:
        client = fast_client.FastLHClient(e, d, FAST_HASHES, 2, True, identity)
        return client, lambda: fast_server.FastLHServer(
            e, d, FAST_HASHES, 2, True, identity, matrix
        )

    def sketch(hadamard: bool) -> tuple[Any, Callable[[], Any]]:
        cms = import_module("pure_ldp.frequency_oracles.apple_cms")
        functions = cms.CMSServer(e, ROWS, BUCKETS, is_hadamard=hadamard).get_hash_funcs()

        def new_server() -> Any:
            server = cms.CMSServer(e, ROWS, BUCKETS, is_hadamard=hadamard)
            server.hash_funcs = functions
            return server

        return cms.CMSClient(e, functions, BUCKETS, is_hadamard=hadamard), new_server

    def columns() -> tuple[Any, Callable[[], Any]]:
        name = "pure_ldp.frequency_oracles.hadamard_response.hr_"
        client = import_module(name + "client").HadamardResponseClient
        server = import_module(name + "server").HadamardResponseServer
        return client(e, d, None, identity), lambda: server(e, d, identity)

    def histograms(thresholds: bool) -> tuple[Any, Callable[[], Any]]:
        he = import_module("pure_ldp.frequency_oracles.histogram_encoding")
        return he.HEClient(e, d, identity), lambda: he.HEServer(e, d, thresholds, None, identity)

    def rappor() -> Case:
        made = import_module("pure_ldp.frequency_oracles.rappor")
        server = made.RAPPORServer(NOISE, BLOOM_BITS, HASHES, d, COHORTS, identity)
        functions = server.get_hash_funcs()
        client = made.RAPPORClient(NOISE, BLOOM_BITS, functions, COHORTS, identity)

        def randomize(held: NDArray[np.int64]) -> list[Any]:
            return [client.privatise(value) for value in held.tolist()]

        return Case("RAPPOR", 5_000, d, randomize, None)

    return [
        case("BinaryRR", 100_000, 2, *direct(2)),
        case("GRR", 100_000, d, *direct(d)),
        case("SUE", 5_000, d, *unary(False)),
        case("OUE", 5_000, d, *unary(True)),
        case("THE", 1_000, d, *histograms(True)),
        case("SHE", 2_000, d, *histograms(False)),
        case("OLH", 1_000, d, *hashing(True)),
        case("BLH", 1_000, d, *hashing(False)),
        case("HadamardResponse", 20_000, d, *columns()),
        case("CMS", 2_000, d, *sketch(False)),
        case("HCMS", 5_000, d, *sketch(True)),
        rappor(),
        case("FastLH", 200_000, d, *fast()),
    ]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    functions = import_module("pure_ldp.frequency_oracles.hadamard_response.internal.functions")
    main("pure-ldp", cases(), lambda numbers: functions.FWHT_A(len(numbers), numbers))
