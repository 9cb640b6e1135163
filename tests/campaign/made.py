"""Usual arguments of every class, and the classes that take texts."""

from __future__ import annotations

from typing import Any

from ldp_verified import protocols
from ldp_verified.run.mechanisms import GRR, OUE
from tests.mechanisms.parameters import CLASSES, usual

TREE = (("world", ("east", "west", "sea")), ("east", ("ea", "eb")), ("west", ("wa", "wb")))
"""Regions and places."""

PROTOCOLS: dict[str, dict[str, Any]] = {
    "LGRR": {"epsilon_permanent": 2.0, "epsilon_report": 1.0, "k": 4, "categories": None},
    "LOLOHA": {"epsilon_permanent": 2.0, "epsilon_report": 1.0, "k": 9, "g": 3},
    "LSUE": {"epsilon_permanent": 2.0, "epsilon_report": 1.0, "k": 4},
    "LOSUE": {"epsilon_permanent": 2.0, "epsilon_report": 1.0, "k": 4},
    "LOUE": {"epsilon_permanent": 2.0, "epsilon_report": 1.0, "k": 4},
    "LSOUE": {"epsilon_permanent": 2.0, "epsilon_report": 1.0, "k": 4},
    "DBitFlip": {"epsilon_permanent": 2.0, "k": 10, "b": 5, "d": 2, "categories": None},
    "DuchiVector": {"epsilon": 1.0, "d": 3, "bounds": (-1.0, 1.0)},
    "SphereVector": {"epsilon": 1.0, "d": 3, "radius": 2.0, "lines": None},
    "Gaussian": {"epsilon": 1.0, "delta": 1e-6, "bounds": (-1.0, 1.0), "grid": None},
    "SHE": {"epsilon": 1.0, "k": 4, "grid": None, "categories": None},
    "Split": {"epsilon": 1.0, "sizes": (2, 3), "make": GRR},
    "SampleOne": {"epsilon": 1.0, "sizes": (2, 3), "make": GRR},
    "SampleAmongFakes": {"epsilon": 1.0, "sizes": (2, 3)},
    "SampleAmongFakeBits": {"epsilon": 1.0, "sizes": (2, 3), "make": OUE, "fakes": "zeros"},
    "Rappor": {"noise": 0.5, "low": 0.25, "high": 0.75, "bits": 32, "hashes": 2, "cohorts": 4},
    "PrefixExtending": {"epsilon": 4.0, "bits": 20, "step": 8, "g": 4},
    "PrefixCohorts": {
        "epsilon": 4.0,
        "bits": 20,
        "first": 9,
        "step": 8,
        "cohorts": 16,
        "seed": 0,
        "g": 4,
    },
    "PrefixRounds": {
        "epsilon": 4.0,
        "bits": 20,
        "top": 3,
        "first": 9,
        "step": 8,
        "cohorts": 16,
        "seed": 0,
    },
    "TreeHist": {"epsilon": 4.0, "bits": 6, "rows": 2, "columns": 4, "seed": 0},
    "BitReduction": {"epsilon": 4.0, "bits": 3, "cells": 4, "seed": 0, "g": 4},
    "BitGroups": {"epsilon": 4.0, "bits": 6, "cells": 4, "seed": 0, "g": 4},
    "Bitstogram": {
        "epsilon": 4.0,
        "bits": 6,
        "cells": 4,
        "corrects": 1,
        "rows": 2,
        "columns": 4,
        "seed": 0,
    },
    "PrivateExpanderSketch": {
        "epsilon": 4.0,
        "bits": 6,
        "parts": 2,
        "cells": 2,
        "corrects": 1,
        "rows": 2,
        "columns": 4,
        "seed": 0,
    },
    "Hashtogram": {"epsilon": 4.0, "bits": 6, "rows": 2, "columns": 4, "seed": 0},
    "SuccinctHistogram": {"epsilon": 4.0, "bits": 6, "cells": 4, "corrects": 1, "seed": 0},
    "SequenceFragments": {
        "epsilon": 4.0,
        "bits": 6,
        "piece": 4,
        "marks": 4,
        "seed": 0,
        "g": 4,
    },
    "SignMatrix": {"epsilon": 1.0, "bits": 20, "seed": 0},
    "SafeRegions": {"regions": TREE, "epsilons": (0.5, 2.0), "seed": 0},
    "PlaneNoise": {"epsilon": 1.0, "columns": 4, "rows": 3},
    "PaddedResponse": {"epsilon": 1.0, "k": 5, "length": 3},
    "PaddedHashing": {"epsilon": 1.0, "k": 5, "length": 3, "g": 2},
    "SamplingSuccinctHistogram": {"epsilon": 1.0, "k": 5, "length": 3},
    "SamplingRappor": {"epsilon": 1.0, "k": 5, "length": 3},
    "CandidateCounts": {
        "epsilon": 1.0,
        "items": 5,
        "candidates": (0, (1, 2), 4),
        "length": 2,
        "oracle_name": "GRR",
        "group": 2,
    },
    "CandidateSizes": {
        "epsilon": 1.0,
        "items": 5,
        "candidates": (0, (1, 2), 4),
        "oracle_name": "OLH",
        "group": 1,
    },
    "SVIM": {"epsilon": 4.0, "k": 6, "top": 2},
    "SVSM": {"epsilon": 4.0, "k": 6, "top": 2},
    "LDPMiner": {"epsilon": 4.0, "k": 6, "length": 2, "top": 2, "places": 2},
    "ChangeTree": {"epsilon": 1.0, "days": 5, "changes": 2},
    "KeyValueResponse": {"epsilon": 1.0, "k": 5, "length": 3, "bounds": (-1.0, 1.0)},
    "HPGR": {"epsilon": 1.0, "k": 5, "prime": 2, "blocks": 2, "categories": None},
    "KeyValueSymbols": {"epsilon": 1.0, "k": 5, "length": 3, "bounds": (-1.0, 1.0)},
    "KeyValueBits": {"epsilon": 1.0, "k": 5, "length": 3, "bounds": (-1.0, 1.0)},
    "RangeTree": {"epsilon": 1.0, "k": 9, "step": 2},
    "BoxWavelet": {"epsilon": 1.0, "sizes": (5, 3)},
    "ParityTables": {"epsilon": 1.0, "attributes": ("a", "b", "c"), "order": 2},
    "RangeWavelet": {"epsilon": 1.0, "k": 9},
    "JointTables": {"epsilon": 1.0, "attributes": {"a": 2, "b": 3}, "views": (("a", "b"),)},
    "ClippedMean": {"epsilon": 1.0, "largest": 64.0, "smallest": 1.0, "per_double": 2},
    "RangeGrid": {"epsilon": 1.0, "attributes": {"a": 4, "b": 3}, "fanout": 2},
    "RangeHierarchy": {"epsilon": 1.0, "k": 9, "fanouts": (5, 2), "longest": 99},
    "VotedMean": {"epsilon": 1.0, "epochs": 3, "days": 2, "updates": 1, "votes": 1},
    "BloomFilter": {"bits": 32, "hashes": 2, "cohorts": 4},
}
"""Usual arguments of each protocol."""

LISTED = ("bounds", "candidates", "epsilons")
"""Arguments that are lists, of which odd ones may be right: [[1, 2], 3] names two candidates."""

WIDE = (
    *("PrefixExtending", "PrefixCohorts", "TreeHist", "BitGroups", "Bitstogram"),
    "PrivateExpanderSketch",
    *("SuccinctHistogram", "SequenceFragments", "SignMatrix", "Hashtogram"),
)
"""Protocols on values that nobody can list, texts among them."""

MADE: dict[str, tuple[Any, dict[str, Any]]] = {
    **{name: (made, usual(made)) for name, made in CLASSES.items()},
    **{name: (getattr(protocols, name), given) for name, given in PROTOCOLS.items()},
}
