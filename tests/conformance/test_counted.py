"""Declared estimators of counts are unbiased: all groups, coins and functions at tiny sizes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy

from ldp_verified.check.conformance.counted import Estimated
from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.generate.declared import file_of, sample_arguments
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import Counted, Protocol

SIZES: dict[str, dict[str, int]] = {
    "bit_groups": {},
    # H is the Hadamard matrix of size 2: of its four entries the last one is 1.
    "bitstogram": {"repeats": 1, "H": 8},
    "hashtogram": {"repeats": 1, "H": 8},
    "ldp_miner": {},
    "padded_hashing": {"k": 3},
    "padded_response": {"k": 4, "l": 3},
    "prefix_cohorts": {"levels": 1, "cohorts": 1, "functions": 2, "buckets": 2},
    "prefix_extending": {"bits": 3, "first": 1, "step": 1},
    "private_expander_sketch": {"repeats": 1, "H": 8},
    "sampling_rappor": {"k": 3},
    "sampling_succinct_histogram": {"k": 3, "l": 1},
    "sequence_fragments": {},
    "sign_matrix": {"X": 3},
    "succinct_histogram": {},
    "tree_hist": {},
}

NOT_COUNTED = {
    "bit_reduction": "a mean over all rounds, biased by the values of a cell",
    "box_wavelet": "shares are sums over all levels of both values, with a sign",
    "change_tree": "days are counted, by weights of blocks",
    "key_value_bits": "numbers of keys are summed up, with a sign",
    "key_value_response": "numbers of keys are summed up, with a sign",
    "parity_tables": "cells are sums over the subsets of their bits",
    "prefix_rounds": "counts are of a list that was published, with different inputs",
    "range_tree": "nodes of all levels are made consistent by least squares",
    "range_wavelet": "shares are sums over all levels, with a sign",
    "svim": "counts are scaled by what places leave out, which is estimated",
    "svsm": "counts are scaled by what places leave out, which is estimated",
    "voted_mean": "a mean is asked for",
}
"""Protocols that count no value by one report, and what they do."""


def at(name: str, given: dict[str, int]) -> dict[str, Any]:
    return sample_arguments(load_protocol(name), given)


def changed(name: str, **what: Any) -> Protocol:
    """A protocol whose estimator says something else."""
    declared = load_protocol(name)
    assert declared.counted is not None
    return replace(declared, counted=replace(declared.counted, **what))


def test_every_protocol_states_its_estimator_or_has_a_reason() -> None:
    folder = file_of("tree_hist").parent
    assert {path.stem for path in folder.glob("*.py")} == {*SIZES, *NOT_COUNTED}
    assert all(load_protocol(name).counted is None for name in NOT_COUNTED)


@pytest.mark.parametrize("name", SIZES)
def test_counts_are_unbiased(name: str) -> None:
    declared = load_protocol(name)
    found = Estimated(declared, at(name, SIZES[name])).check()
    assert declared.counted is not None
    assert (found.functions > 1) == bool(declared.counted.over)
    assert found.pairs > 1


def test_what_functions_add_is_attained() -> None:
    for name, most in (("hashtogram", 2), ("tree_hist", 2), ("succinct_histogram", 2)):
        found = Estimated(load_protocol(name), at(name, SIZES[name])).check()
        assert found.collisions == Fraction(1, most)


@pytest.mark.parametrize(
    ("name", "what", "said"),
    [
        ("tree_hist", {"alike": sympy.Rational(1, 3)}, "with the chance 1/2, where 1/3"),
        ("tree_hist", {"where": sympy.true}, "must be unbiased"),
        ("tree_hist", {"collisions": sympy.Rational(1, 3)}, "collisions: must be at least 1/2"),
        ("sequence_fragments", {"send": 0}, "must be unbiased"),
        ("prefix_extending", {"where": sympy.true}, "must be unbiased"),
        ("padded_response", {"places": 1}, "with the chance 1/3, where 1 is declared"),
        ("padded_response", {"within": sympy.true}, "with the chance 1/4, where 1/3"),
        ("padded_response", {"of": sympy.Integer(0)}, "must be unbiased"),
        ("sign_matrix", {"alike": 0}, "with the chance 1/2, where 0 is declared"),
    ],
)
def test_wrong_estimators_are_refuted(name: str, what: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Estimated(changed(name, **what), at(name, SIZES[name])).check()


def test_what_cannot_be_listed_is_refused() -> None:
    with pytest.raises(ParameterError, match="over: must be at most 4096, which are listed"):
        Estimated(load_protocol("hashtogram"), at("hashtogram", {"repeats": 4})).check()
    with pytest.raises(ParameterError, match="groups: must leave at most 4096 coins"):
        Estimated(load_protocol("sign_matrix"), at("sign_matrix", {"X": 20}))
    with pytest.raises(SpecError, match="counted: must be declared"):
        Estimated(load_protocol("svim"), at("svim", {}))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ({"things": 3}, "must be given together"),
        (
            {"alike": sympy.Symbol("x", integer=True, nonnegative=True)},
            "must not look at the value",
        ),
        ({"over": {sympy.Symbol("foreign"): 2}}, "counted.over: mentions what is not declared"),
        ({"round": 1}, "must name a declared report"),
    ],
)
def test_estimators_that_cannot_be_are_refused(what: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        replace(load_protocol("hashtogram"), counted=Counted(**what))
