"""Fan-outs: the best against all others, and what a level costs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from ldp_verified.protocols.best_response import BestResponse
from ldp_verified.protocols.range_levels import (
    best_fanouts,
    held_counts,
    mean_cost,
    node_counts,
    spread_of_level,
)
from ldp_verified.run.mechanisms import HRR
from tests.broken.ranges import same_costs_everywhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.protocols.range_levels import Made


def compositions(total: int) -> Iterator[tuple[int, ...]]:
    """All ordered ways to write a number as a sum."""
    if total == 0:
        yield ()
    for first in range(1, total + 1):
        yield from ((first, *rest) for rest in compositions(total - first))


def trees(k: int) -> list[tuple[int, ...]]:
    """All trees whose fan-outs below the first level are powers of two."""
    most = (k - 1).bit_length()
    return [(k,)] + [
        (-(-k // 2**bits), *(2**step for step in steps))
        for bits in range(1, most)
        for steps in compositions(bits)
    ]


def made_at(epsilon: float) -> Made:
    return lambda nodes: BestResponse()(epsilon, nodes)


def is_best(found: tuple[int, ...], k: int, made: Made) -> bool:
    """Whether no tree costs less than this one."""
    own = mean_cost(k, found, made)
    return all(mean_cost(k, tree, made) >= own * (1 - Fraction(1, 10**9)) for tree in trees(k))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0, 7.0])
@pytest.mark.parametrize("k", [2, 3, 5, 17, 50, 128, 200])
def test_no_other_tree_costs_less(k: int, epsilon: float) -> None:
    made = made_at(epsilon)
    assert is_best(best_fanouts(k, made), k, made)


def test_a_choice_that_ignores_the_mechanisms_is_seen() -> None:
    """Planted: all levels are taken to have the variance of the leaves."""
    made = made_at(4.0)
    assert not is_best(best_fanouts(200, same_costs_everywhere(made, 200)), 200, made)


def test_it_depends_on_the_mechanisms() -> None:
    assert best_fanouts(64, lambda k: HRR(2.0, k)) != best_fanouts(64, made_at(7.0))


def test_nodes_and_those_with_values() -> None:
    assert node_counts((7, 4, 2)) == (7, 28, 56)
    assert held_counts(50, (7, 28, 56)) == (7, 25, 50)


def test_a_level_of_k_ary_response_costs_what_its_reports_vary() -> None:
    """Reports are one of 4 nodes, each as likely; a count takes them times 1/(p - q)."""
    u = math.e
    assert spread_of_level(4, made_at(1.0)) == pytest.approx(((u + 3) / (u - 1)) ** 2 / 4)
