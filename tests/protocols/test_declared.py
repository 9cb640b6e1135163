"""What runs a declared protocol: clients, populations, rounds, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.generate.protocols import made
from ldp_verified.language import load_protocol
from ldp_verified.protocols.declared import uniform
from ldp_verified.run.kernels.seeds import word_source
from tests.generate.declarations import HIERARCHY, TWO_ROUNDS


def of_text(folder: Path, text: str) -> Any:
    """The class of a protocol file with this text."""
    path = folder / "declared.py"
    path.write_text(text.replace("PRICE", "eps"), encoding="utf-8")
    return made(load_protocol(path), path)


@pytest.fixture
def hierarchy(tmp_path: Path) -> Any:
    return of_text(tmp_path, HIERARCHY)(1.0, 3)


@pytest.fixture
def two_rounds(tmp_path: Path) -> Any:
    return of_text(tmp_path, TWO_ROUNDS)(1.0, 3)


def test_groups_are_drawn_without_the_value(hierarchy: Any, seed: int) -> None:
    groups = [hierarchy.privatize([v] * 50, seed).groups for v in (0, 7)]
    assert groups[0] == groups[1]
    assert set(groups[0]) <= {0, 1, 2}


@pytest.mark.parametrize("value", [-1, 8, "3", 1.0, True, None])
def test_a_value_outside_is_refused_and_not_shown(hierarchy: Any, value: Any, seed: int) -> None:
    with pytest.raises(DomainError) as caught:
        hierarchy.client(0, rng=seed).report(value)
    if isinstance(value, int) and not isinstance(value, bool):
        assert "got" not in str(caught.value)
    with pytest.raises(DomainError):
        hierarchy.privatize([0, value], seed)


def test_no_users_are_refused(hierarchy: Any, seed: int) -> None:
    with pytest.raises(DomainError, match="must be one value or more"):
        hierarchy.privatize([], seed)


def test_arguments_are_checked(hierarchy: Any, two_rounds: Any, seed: int) -> None:
    with pytest.raises(ParameterError, match=r"group: must be an integer in 0\.\.2|group: must"):
        hierarchy.client(3, rng=seed)
    with pytest.raises(ParameterError, match="groups: must be one for each value"):
        hierarchy.privatize([1, 2], seed, groups=[0])
    with pytest.raises(ParameterError, match="groups: must be those of the first round"):
        two_rounds.privatize([1, 2], seed, step=1, published=0)
    with pytest.raises(ParameterError, match="step"):
        hierarchy.privatize([1], seed, step=1)
    for eps in (0, -1.0, float("nan"), float("inf"), "1", True):
        with pytest.raises(ParameterError, match="eps"):
            type(hierarchy)(eps, 3)
    for levels in (0, 1.5, "3", None):
        with pytest.raises(ParameterError, match="levels"):
            type(hierarchy)(1.0, levels)


def test_epsilon_is_the_declared_one(hierarchy: Any, two_rounds: Any) -> None:
    assert hierarchy.epsilon == two_rounds.epsilon == 1.0
    assert type(two_rounds)(0.1, 1).epsilon == 0.1


def test_large_coins_are_uniform(seed: int) -> None:
    """Null: uniform below 2^100 + 3; level 1e-9 for each of 4 quarters; n = 4,000.

    Detected: a quarter whose chance is off by more than 0.06.
    """
    count = (1 << 100) + 3
    drawn = uniform(4000, count, word_source(seed, "test"))
    assert max(drawn) < count
    counts = np.bincount([4 * number // count for number in drawn], minlength=4)
    assert np.all(np.abs(counts - 1000) < 6.2 * np.sqrt(4000 * 0.25 * 0.75))
