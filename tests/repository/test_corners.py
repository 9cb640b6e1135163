"""Every public class at the ends of its parameters: something meaningful, or a clear error.

One value, one bucket, one attribute, no hash, omega = k: a size with nothing to report is either
refused with the argument, the rule and the value, or gives an object that works. So are epsilon of
1e-6 and of 700, a million values, and probabilities of 0 and 1.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from ldp_verified import protocols
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import MemoClient, RapporClient
from ldp_verified.protocols.hashed_values import HashedValues
from ldp_verified.protocols.longitudinal import Longitudinal
from tests.cli.running import run
from tests.mechanisms.parameters import CLASSES, usual

MEMOISED = {"epsilon_permanent": 1.0, "epsilon_report": 0.5, "k": 5}
PADDED = {"epsilon": 1.0, "k": 5, "length": 2}
MINED = {"epsilon": 8.0, "k": 5, "top": 2}
TUPLES = {"epsilon": 1.0, "sizes": (2, 3)}
RAPPOR = {"noise": 0.5, "low": 0.25, "high": 0.75, "bits": 16, "hashes": 2}

USUAL: dict[str, dict[str, Any]] = {
    **{name: usual(made) for name, made in CLASSES.items()},
    **dict.fromkeys(("LGRR", "LSUE", "LOSUE", "LOUE", "LSOUE"), MEMOISED),
    "LOLOHA": {**MEMOISED, "g": 2},
    "DBitFlip": {"epsilon_permanent": 1.0, "k": 12, "b": 2, "d": 1},
    **dict.fromkeys(("Split", "SampleOne", "SampleAmongFakes", "SampleAmongFakeBits"), TUPLES),
    "SHE": {"epsilon": 1.0, "k": 3},
    "ChangeTree": {"epsilon": 1.0, "days": 5, "changes": 2},
    "VotedMean": {"epsilon": 1.0, "epochs": 3, "days": 2, "updates": 1, "votes": 1},
    "DuchiVector": {"epsilon": 1.0, "d": 3},
    "SphereVector": {"epsilon": 1.0, "d": 3, "radius": 2.0, "lines": 2},
    "Gaussian": {"epsilon": 1.0, "delta": 0.1},
    "BloomFilter": {"bits": 16, "hashes": 2},
    "Rappor": RAPPOR,
    "BitGroups": {"epsilon": 1.0, "bits": 8, "cells": 4, "g": 2},
    "BitReduction": {"epsilon": 1.0, "bits": 8, "cells": 4, "g": 2},
    "SignMatrix": {"epsilon": 1.0, "bits": 8},
    "PlaneNoise": {"epsilon": 1.0, "columns": 4, "rows": 3},
    "SafeRegions": {"regions": {"all": ["here", "there"]}, "epsilons": (1.0,)},
    **dict.fromkeys(("PaddedResponse", "PaddedHashing"), PADDED),
    **dict.fromkeys(("SamplingSuccinctHistogram", "SamplingRappor"), PADDED),
    "CandidateCounts": {"epsilon": 1.0, "items": 5, "candidates": (0, 1, 2, 3, 4), "length": 2},
    "CandidateSizes": {"epsilon": 1.0, "items": 5, "candidates": (0, 1, 2, 3, 4)},
    **dict.fromkeys(("SVIM", "SVSM"), MINED),
    "LDPMiner": {"epsilon": 8.0, "k": 5, "length": 2, "top": 2},
    "PrefixExtending": {"epsilon": 1.0, "bits": 8, "step": 4, "g": 2},
    "PrefixCohorts": {"epsilon": 1.0, "bits": 8, "first": 4, "step": 4, "cohorts": 8, "g": 2},
    "PrefixRounds": {"epsilon": 1.0, "bits": 8, "top": 2, "first": 4, "step": 4, "cohorts": 8},
    "SuccinctHistogram": {"epsilon": 1.0, "bits": 8, "cells": 4},
    "SequenceFragments": {"epsilon": 1.0, "bits": 8, "piece": 4, "marks": 4, "g": 2},
    "Bitstogram": {"epsilon": 1.0, "bits": 8, "cells": 4, "rows": 2, "columns": 4},
    "PrivateExpanderSketch": {
        "epsilon": 1.0,
        "bits": 8,
        "parts": 2,
        "cells": 2,
        "rows": 2,
        "columns": 4,
    },
    "Hashtogram": {"epsilon": 1.0, "bits": 8, "rows": 2, "columns": 4},
    "TreeHist": {"epsilon": 1.0, "bits": 8, "rows": 2, "columns": 4},
    **dict.fromkeys(("KeyValueResponse", "KeyValueBits", "KeyValueSymbols"), PADDED),
    "HPGR": {"epsilon": 1.0, "k": 5, "prime": 2, "blocks": 2},
    "RangeTree": {"epsilon": 1.0, "k": 5, "step": 1},
    "RangeWavelet": {"epsilon": 1.0, "k": 5},
    "BoxWavelet": {"epsilon": 1.0, "sizes": (3, 2)},
    "ParityTables": {"epsilon": 1.0, "attributes": ("a", "b"), "order": 2},
    "JointTables": {"epsilon": 1.0, "attributes": {"a": 2, "b": 3}},
    "RangeGrid": {"epsilon": 1.0, "attributes": {"a": 2, "b": 3}},
    "RangeHierarchy": {"epsilon": 1.0, "k": 5},
    "ClippedMean": {"epsilon": 1.0, "largest": 8.0},
    "threshold_encoding": {"epsilon": 1.0, "k": 3},
}
"""Arguments in the middle, of every public class and function that has parameters of a table."""

NO_PARAMETERS = {
    "BitState", "BitstogramState", "BoxEstimate", "ClippedEstimate", "CodedState",
    "FragmentState", "Network", "TupleState",
    "CandidateRound", "Change", "CounterFile", "DaysFigure", "FixedRows",
    "GroupClient", "GroupReports", "HashtogramState", "ItemSets", "KeyMeans", "KeyValueClient",
    "Conditional", "Independence", "JointEstimate", "JointTable", "KeyValueEstimate",
    "KeyValues", "KnownDomain", "Longitudinal", "MemoClient",
    "MemoPopulation", "MemoReport", "Mined", "OverDays", "PaddedClient", "PaddedSampling",
    "PairSets",
    "PrefixCohortState", "PrefixRound", "PrefixRoundClient",
    "PrefixState", "PrivateExpanderSketchState", "RangeQuantile", "RangeClient", "RangeEstimate",
    "RangeProtocol",
    "RapporBatch", "RapporClient", "RapporMemoPopulation", "RapporPopulation",
    "RapporReport", "RapporState", "Registry", "RoundReports", "RoundState",
    "SampledReports", "SampledState", "SetClient",
    "SetMining", "SignClient", "RegionChoice",
    "PlaceReports", "RegionClusters", "SafeRegionClient", "SafeRegionState", "Taxonomy",
    "ParityEstimate", "TableEstimate", "TextSketch",
    "SignReports", "SignState", "SpendingBook", "SumState", "TreeClient",
    "TreeEstimate", "TreeHistState", "TreeState",
    "SphereState", "VectorEstimate", "VectorState", "VotedMeans", "VotingClient", "WaveletBoxes",
    "VotingState",
}  # fmt: skip
"""Public classes that are given a deployment, a state or a file and no number of their own."""

NOTHING: dict[str, Any] = {
    "k": [0, 1],
    "g": [1],
    "prime": [1],
    "blocks": [0, 1, 6],
    "omega": [0, 5],
    "buckets": [0, 1],
    "rows": [0],
    "grid": [0],
    "bounds": [(1.0, 1.0)],
    "sizes": [(), (1,), (3, 1)],
    "columns": [0, 1],
    "regions": [{}, {"all": []}, {"all": ["here"]}, {"a": ["b"], "b": ["a"]}],
    "epsilons": [(), (0.0,), (2.0, 1.0)],
    "b": [0, 1],
    "d": [0],
    "bits": [0, 1],
    "hashes": [0],
    "cohorts": [0],
    "step": [0],
    "first": [0],
    "cells": [0, 1],
    "length": [0],
    "items": [0, 1],
    "candidates": [(), (1,), (5, 6), (1, 1), ((), 1), ((1, 1), 2)],
    "top": [0],
    "places": [0],
    "days": [0],
    "changes": [0],
    "epochs": [0],
    "updates": [0],
    "votes": [0],
}
"""Sizes at which there is nothing to say. k of `usual` is 5 where there is an omega."""


def made(name: str, **changed: Any) -> Any:
    home = CLASSES.get(name) or getattr(protocols, name)
    return home(**USUAL[name] | changed)


def parameters(name: str) -> list[str]:
    home = CLASSES.get(name) or getattr(protocols, name)
    return list(inspect.signature(home).parameters)


def works(found: Any) -> None:
    """It states what it costs, and a user's report comes out."""
    if isinstance(found, protocols.BloomFilter):
        assert 1 <= len(found.positions("a", 0)) <= found.hashes
        return
    if isinstance(found, Longitudinal):
        assert 0 <= found.realized_report <= found.realized_permanent <= found.epsilon_permanent
        client = MemoClient(found, new_user=True, rng=1)
        assert len(client.report(found.k - 1).reports) == 1
        return
    if isinstance(found, protocols.Rappor):
        assert 0 <= found.epsilon_report <= found.epsilon_permanent
        assert RapporClient(found, new_user=True, rng=1).report("a").number == 1
        return
    if isinstance(found, protocols.SafeRegions):
        assert 0 <= found.realized_epsilon <= found.epsilon
        user = found.client(found.taxonomy.whole, found.epsilon, 0, rng=1)
        assert len(user.report(found.taxonomy.places[0])) == 1
        return
    if isinstance(found, protocols.VotedMean):
        assert 0 <= found.realized_epsilon <= found.epsilon
        device = protocols.VotingClient(found, new_user=True, rng=1)
        assert len(device.vote(found.days, None)) == 1
        return
    if isinstance(found, protocols.Gaussian):
        assert 0 <= found.realized_delta <= found.delta
    else:
        assert 0 <= found.realized_epsilon <= found.epsilon
    sizes = getattr(found, "sizes", None)
    if sizes is not None:
        value: Any = np.array([[size - 1 for size in sizes]])
    elif isinstance(found, protocols.DuchiVector | protocols.SphereVector):
        value = np.zeros((1, found.d))
    elif isinstance(found, protocols.ChangeTree):
        value = np.ones((1, found.days), dtype=int)
    elif isinstance(found, protocols.PlaneNoise):
        value = [[0, found.rows - 1]]
    elif isinstance(found, protocols.SetMining):
        assert found.top is not None
        assert len(found.mine([[0, found.k - 1], []], rng=1).sets) <= found.top
        return
    elif isinstance(found, protocols.CandidateRound):
        value = [[0, found.items - 1], []]
    elif isinstance(found, protocols.PaddedSampling):
        value = [[0, found.k - 1], []]
    elif isinstance(found, protocols.PrefixRounds):
        asked = protocols.PrefixRound(found, 0)
        assert len(found.client(0, rng=1).report(2**found.width - 1, asked)) == 1
        return
    elif isinstance(found, HashedValues):
        value = [2**found.width - 1]
    elif isinstance(found, protocols.KeyValues):
        value = [{0: 1.0, found.k - 1: found.bounds[0]}, {}]
    elif isinstance(found, protocols.JointTables):
        value = {name: [labels[-1]] for name, labels in found.labels.items()}
    elif isinstance(found, protocols.ClippedMean):
        assert found.simulate([0.0, 9.0, -9.0, 1e300] * 100, rng=1).mean is not None
        return
    elif isinstance(found, protocols.RangeGrid):
        value = {name: [k - 1] for name, k in found.attributes.items()}
    elif hasattr(found, "bounds"):
        value = [found.bounds[1]]
    else:
        value = [getattr(found, "labels", range(found.k))[found.k - 1]]
    assert found.privatize(value, rng=1) is not None


@pytest.mark.parametrize("name", USUAL)
def test_nothing_to_report_is_refused_by_name_rule_and_value(name: str) -> None:
    works(made(name))
    for argument in set(parameters(name)) & NOTHING.keys():
        for value in NOTHING[argument]:
            with pytest.raises(ParameterError) as refused:
                made(name, **{argument: value})
            error = refused.value
            assert argument in error.argument, error
            assert error.rule.startswith("must "), error
            assert ", got " in str(error), error


ENDS: dict[str, list[Any]] = {
    "epsilon": [1e-6, 700.0],
    "k": [2, 1 << 20],
    "sizes": [(2,), (1 << 20, 2)],
    "d": [1],
    "omega": [1, 4],
    "hashes": [1],
    "bits": [2],
    "columns": [2, 1 << 12],
    "epsilons": [(1e-6,), (700.0,), (0.5, 1.0, 2.0)],
    "noise": [1e-6, 1],
    "length": [1, 1 << 20],
}
"""Ends at which there is something to say, one at a time, for whoever takes the argument."""


@pytest.mark.parametrize("name", USUAL)
def test_the_ends_of_the_parameters_work(name: str) -> None:
    for argument in set(parameters(name)) & ENDS.keys():
        for value in ENDS[argument]:
            if (name, argument, value) not in BEYOND:
                works(made(name, **{argument: value}))


BEYOND = {
    ("BasicRappor", "noise", 1): "an open end: at noise = 1 bits say nothing",
    ("BoxWavelet", "sizes", (2,)): "it takes two values",
    ("BoxWavelet", "sizes", (1 << 20, 2)): "all pairs are held, 2^16 at most",
}
"""Ends that a class leaves out, and why."""


@pytest.mark.parametrize("name", [n for n in USUAL if "epsilon_permanent" in USUAL[n]])
def test_the_ends_of_both_epsilons_work_or_are_refused(name: str) -> None:
    for epsilon in (1e-6, 700.0):
        both = {"epsilon_permanent": epsilon}
        if "epsilon_report" in USUAL[name]:
            both["epsilon_report"] = epsilon / 2
        if (name, epsilon) in {("LOUE", 700.0), ("LSOUE", 700.0)}:
            # With P(1|1) = 1/2 in the second step a report cannot tell more than 64 bits hold.
            with pytest.raises(ParameterError, match=r"must be at most about 4\d\..*, got 350.0"):
                made(name, **both)
        else:
            works(made(name, **both))


@pytest.mark.parametrize("argument, value", [("noise", 0), ("low", 0.75), ("high", 0.25)])
def test_probabilities_that_say_all_or_nothing_are_refused(argument: str, value: float) -> None:
    with pytest.raises(ParameterError, match=r"must be .*, got "):
        made("Rappor", **{argument: value})


def test_a_share_of_nobody_and_of_all() -> None:
    for name, of in CLASSES.items():
        if "k" in parameters(name):
            found = of(**USUAL[name])
            for f in (0, 1, 0.0, 1.0):
                assert 0 < found.variance(10, f) < float("inf"), name
                assert found.variance(0, f) == 0, name


def test_no_public_class_is_forgotten() -> None:
    public = {
        name for name in protocols.__all__ if isinstance(getattr(protocols, name), type)
    } | CLASSES.keys()
    functions = {"threshold_encoding"}
    assert public == (USUAL.keys() - functions) | NO_PARAMETERS
    assert not (USUAL.keys() & NO_PARAMETERS)


K = "k: must satisfy integer k >= 2, got '1'"

NEED_TWO = [
    (["choose", "--k", 1, "--epsilon", 1], "--k: must be an integer >= 2, got 1"),
    (
        ["choose", "--k", 5, "--epsilon", 1, "--bits-budget", 0],
        "--bits-budget: must be an integer >= 1, got 0",
    ),
    (["plot", "variance", "--k", 1, "-o", "v.png"], "--k: must be an integer >= 2, got 1"),
    (["plot", "loss", "grr", "--set", "eps=1", "--set", "k=1", "-o", "v.png"], K),
    (["plot", "tradeoff", "grr", "--set", "eps=1", "--set", "k=1", "-o", "v.png"], K),
    (
        ["collect", "poll.csv", "--column", "v", "--epsilon", 1, "--domain", "public.txt"],
        "--domain: must name at least two values (public.txt), got 1",
    ),
    (
        ["audit", "math:sqrt", "--epsilon", 1, "--inputs", "0"],
        "--inputs: must be at least two values: 0..9, or a,b,c, or a JSON list, got '0'",
    ),
    (["derive", "grr", "--delta-at", 1, "--set", "eps=1", "--set", "k=1"], K),
]


@pytest.mark.parametrize("arguments, said", NEED_TWO, ids=lambda each: str(each[:2]))
def test_commands_refuse_one_value(
    arguments: list[Any], said: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "poll.csv").write_text("v\nyes\n")
    (tmp_path / "public.txt").write_text("yes\n")
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert not (tmp_path / "v.png").exists()
