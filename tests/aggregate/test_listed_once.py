"""A candidate that stands in a list twice is refused: it would be counted as two of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified import GRR, OLH
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import (
    BitGroups,
    BitState,
    PaddedResponse,
    SignMatrix,
    SignState,
    TextSketch,
)
from ldp_verified.protocols.prefix_round import PrefixRound
from ldp_verified.protocols.prefix_round_state import RoundState
from ldp_verified.run.aggregate import KeptState
from ldp_verified.run.aggregate.listed import check_codes_once
from tests.generate.declarations import HIERARCHY
from tests.protocols.test_declared import of_text
from tests.protocols.test_prefix_round import LAST, SMALL
from tests.protocols.test_safe_region_state import state_of

ONCE = "values: 7 is named twice"


def of_values(seed: int) -> Any:
    made = GRR(3.0, 100)
    return made.aggregate(made.privatize([7] * 200, rng=seed), simulated=True)


def of_hashes(seed: int) -> Any:
    made = OLH(2.0, 100)
    reports = made.privatize([7] * 200, rng=seed)
    return KeptState(made.oracle, simulated=True).update(reports)


def of_bits(seed: int) -> Any:
    made = BitGroups(4.0, bits=16, cells=256, g=16)
    return BitState(made, simulated=True).update(made.simulate([7], [3000], rng=seed))


def of_signs(seed: int) -> Any:
    made = SignMatrix(2.0, bits=16)
    return SignState(made, simulated=True).update(made.privatize([7] * 50, seed))


def of_rounds(seed: int) -> Any:
    asked = PrefixRound(SMALL, 3, LAST)
    return RoundState(asked, simulated=True).update(asked.privatize([7] * 50, seed))


KINDS = (of_values, of_hashes, of_bits, of_signs, of_rounds)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "values",
    [[7, 7], [7] * 4, (7, 7, 7), np.array([7, 7]), [np.int64(7), 7]],
    ids=str,
)
def test_a_value_twice_is_refused(kind: Callable[[int], Any], values: Any, seed: int) -> None:
    state = kind(seed)
    with pytest.raises(ParameterError, match=ONCE):
        state.estimate(values)
    assert tuple(state.estimate([7]).names) == (7,)


def test_what_is_surely_held_is_named_once(seed: int) -> None:
    with pytest.raises(ParameterError, match=ONCE):
        of_bits(seed).surely_held([7, 8, 7])


def test_a_place_twice_is_refused(seed: int) -> None:
    with pytest.raises(ParameterError, match="values: 'sea' is named twice"):
        state_of(seed).estimate(["sea", "sea"])


def test_a_value_of_a_declared_protocol_twice_is_refused(tmp_path: Path, seed: int) -> None:
    made = of_text(tmp_path, HIERARCHY)(2.0, 3)
    state = made.empty(simulated=True).update(made.privatize([4] * 500, seed))
    with pytest.raises(ParameterError, match="values: 4 is named twice"):
        state.estimate([4, 5, 4])


def test_a_text_twice_is_refused() -> None:
    sketch = TextSketch(OLH(2.0, 1 << 16))
    with pytest.raises(ParameterError, match="values: must be different"):
        sketch.estimate(sketch.empty(simulated=True), ["a", "a"])


def test_items_of_sets_are_named_as_such(seed: int) -> None:
    made = PaddedResponse(2.0, 20, 4)
    state: Any = made.empty(simulated=True).update(made.privatize([[1, 2], [3]] * 50, rng=seed))
    with pytest.raises(ParameterError, match="items: 3 is named twice"):
        made.mean_items(state, [3, 3])


@pytest.mark.parametrize("codes", [[5, 7, 5], [[1, 2], [2, 1], [1, 2]]])
def test_codes_that_stand_twice_are_named_by_their_place(codes: Any) -> None:
    """The message said how many candidates there were."""
    with pytest.raises(ParameterError, match=r"values\[2\]: must not be one that is named before"):
        check_codes_once(np.array(codes))
    with pytest.raises(ParameterError, match="values: must be one or more, got 0"):
        check_codes_once(np.array([]))
    check_codes_once(np.array(codes)[:2])


def test_different_values_are_counted_as_before(seed: int) -> None:
    found = of_values(seed).estimate([7, 8])
    assert found.distinct_at_least().value == 1
    assert found.held_by(0.5).low <= 1
