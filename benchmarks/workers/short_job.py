"""A job that is over soon: `python -m benchmarks.workers.short_job PACKAGE MECHANISM`.

A thousand users report, and the values are counted: the whole process is timed by who starts it.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.workload import DOMAIN, EPSILON, JOB_USERS, values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Held = NDArray[np.int64]


def ours(mechanism: str, held: Held) -> Any:
    """The counts of `ldp-verified`."""
    made = getattr(import_module("ldp_verified"), mechanism)(EPSILON, DOMAIN)
    return made.aggregate(made.privatize(held)).estimate().counts


def pure_ldp(mechanism: str, held: Held) -> Any:
    """The counts of `pure-ldp`."""
    lib = import_module("pure_ldp.frequency_oracles")
    name, more = ("DE", ()) if mechanism == "GRR" else ("UE", (True,))
    client, server = getattr(lib, f"{name}Client"), getattr(lib, f"{name}Server")
    one = client(EPSILON, DOMAIN, *more, int)
    all_of = server(EPSILON, DOMAIN, *more, int)
    all_of.aggregate_all([one.privatise(value) for value in held.tolist()])
    return all_of.estimate_all(range(DOMAIN), suppress_warnings=True)


def multi_freq_ldpy(mechanism: str, held: Held) -> Any:
    """The shares of `multi-freq-ldpy`."""
    name, more = ("GRR", ()) if mechanism == "GRR" else ("UE", (True,))
    lib = import_module(f"multi_freq_ldpy.pure_frequency_oracles.{name}")
    one, all_of = getattr(lib, f"{name}_Client"), getattr(lib, f"{name}_Aggregator_MI")
    reports = [one(value, DOMAIN, EPSILON, *more) for value in held.tolist()]
    return all_of(reports, *((DOMAIN,) if mechanism == "GRR" else ()), EPSILON, *more)


PACKAGES = {"ldp-verified": ours, "pure-ldp": pure_ldp, "multi-freq-ldpy": multi_freq_ldpy}


def main(package: str, mechanism: str) -> None:
    """Do the job, and print the number of values that were counted."""
    found = np.asarray(PACKAGES[package](mechanism, values(JOB_USERS, DOMAIN)))
    print(json.dumps({"values": len(found)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
