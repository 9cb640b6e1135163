"""Heavy hitters of pure-ldp 1.2.0 (Maddock) on one population: PEM, TreeHist and SFP.

Run as a program in the environment of that package, once for each row: `PROTOCOL BITS`. The values
come on stdin, one bit string per line; the result is one JSON object.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from importlib import import_module
from typing import Any

EPSILON = 4.0
ROWS, WIDTH = 16, 256
"""Of the sketch that its SFP needs."""

TOP = 8
"""As many prefixes and values as each protocol keeps."""


def pair(protocol: str, bits: int) -> tuple[Any, Any]:
    """(client, server) of a protocol, with fragments of a quarter of the bits."""
    lib = import_module("pure_ldp.heavy_hitters")
    part = bits // 4
    if protocol == "PEM":
        sizes: dict[str, Any]
        sizes = {"start_length": part, "max_string_length": bits, "fragment_length": part}
        return lib.PEMClient(EPSILON, **sizes), lib.PEMServer(EPSILON, **sizes)
    sizes = {"max_string_length": bits, "fragment_length": part, "alphabet": {"0", "1"}}
    if protocol == "TreeHist":
        return lib.TreeHistClient(EPSILON, **sizes), lib.TreeHistServer(EPSILON, **sizes)
    # Its SFP takes a sketch only: with local hashing, its default, it ends with an AttributeError.
    oracles = import_module("pure_ldp.frequency_oracles")
    words = oracles.CMSServer(EPSILON / 2, ROWS, WIDTH)
    user = oracles.CMSClient(EPSILON / 2, words.get_hash_funcs(), WIDTH)
    client = lib.SFPClient(EPSILON, part, bits, {"0", "1"}, str, fo_client=user)
    return client, lib.SFPServer(EPSILON, part, bits, {"0", "1"}, str, fo_server=words)


def found(protocol: str, bits: int, values: list[str]) -> list[str]:
    """The strings that the protocol names."""
    client, server = pair(protocol, bits)
    for value in values:
        server.aggregate(client.privatise(value))
    return [str(name).rstrip("*") for name in server.find_heavy_hitters(TOP)[0]]


def main() -> None:
    """Print what was found and what it took, or the error that ended it."""
    protocol, bits = sys.argv[1], int(sys.argv[2])
    values = sys.stdin.read().split()
    result: dict[str, Any] = {}
    try:
        result["found"] = found(protocol, bits, values)
    except Exception as error:
        result["error"] = f"{type(error).__name__}: {error}"
    result["seconds"] = time.process_time()
    result["mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main()
