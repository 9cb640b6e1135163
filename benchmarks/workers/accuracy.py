"""Estimates by a package of PyPI, in its own environment: a question on stdin, answers on stdout.

The question is JSON: epsilon, k, the users' values, and ranges as pairs of values. The answers are
JSON too: the name of a mechanism -> estimated numbers of users, of each value or of each range.
Calls are those of the packages' own documentation, one user after the other.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

FREQUENCIES = "multi_freq_ldpy.pure_frequency_oracles."


def by_multi_freq_ldpy(asked: dict[str, Any]) -> dict[str, list[float]]:
    """multi-freq-ldpy 0.2.5; its aggregators clip at 0 and make shares sum to 1."""
    e, k, values = asked["epsilon"], asked["k"], asked["values"]
    grr, ue, lh, ss = (import_module(f"{FREQUENCIES}{name}") for name in ("GRR", "UE", "LH", "SS"))
    n = len(values)
    found = {
        "GRR": grr.GRR_Aggregator_MI([grr.GRR_Client(v, k, e) for v in values], k, e),
        "SUE": ue.UE_Aggregator_MI([ue.UE_Client(v, k, e, False) for v in values], e, False),
        "OUE": ue.UE_Aggregator_MI([ue.UE_Client(v, k, e, True) for v in values], e, True),
        "OLH": lh.LH_Aggregator_MI([lh.LH_Client(v, k, e, True) for v in values], k, e, True),
        "SubsetSelection": ss.SS_Aggregator_MI([ss.SS_Client(v, k, e) for v in values], k, e),
    }
    return {name: [float(share) * n for share in shares] for name, shares in found.items()}


def by_ldp_toolbox(asked: dict[str, Any]) -> dict[str, list[float]]:
    """ldp-toolbox 0.1.3; its estimators clip at 0 and make shares sum to 1."""
    e, k, values = asked["epsilon"], asked["k"], asked["values"]
    grr, ue, lh, ss = (
        import_module(f"ldp_toolbox.protocols.frequency.{name}")
        for name in ("grr", "ue", "lh", "ss")
    )
    made = {
        "GRR": grr.GeneralizedRandomizedResponse(k, e),
        "SUE": ue.UnaryEncoding(k, e, optimal=False),
        "OUE": ue.UnaryEncoding(k, e, optimal=True),
        "OLH": lh.LocalHashing(k, e, optimal=True),
        "SubsetSelection": ss.SubsetSelection(k, e),
    }
    n = len(values)
    return {
        name: [float(s) * n for s in each.estimate([each.obfuscate(v) for v in values])]
        for name, each in made.items()
    }


def by_hierarchical(asked: dict[str, Any]) -> dict[str, list[float]]:
    """LDP-hierarchical-mechanism 0.1.3, one level a user; fan-out 4, with its post-processing."""
    import numpy as np

    tree = import_module("hierarchical_mechanism_LDP").Private_TreeBary(
        asked["k"], 4, asked["epsilon"], on_all_levels=False
    )
    tree.update_tree(np.array(asked["values"]))
    tree.compute_attributes()
    tree.post_process(delete_attributes=False)
    leaves = np.array(tree.attributes[-1]) * len(asked["values"])  # they are shares
    sums = np.concatenate(([0.0], np.cumsum(leaves)))
    return {"tree, fan-out 4": [float(sums[b + 1] - sums[a]) for a, b in asked["ranges"]]}


PACKAGES = {
    "multi-freq-ldpy": by_multi_freq_ldpy,
    "ldp-toolbox": by_ldp_toolbox,
    "ldp-hierarchical-mechanism": by_hierarchical,
}


if __name__ == "__main__":
    print(json.dumps(PACKAGES[sys.argv[1]](json.load(sys.stdin))))
