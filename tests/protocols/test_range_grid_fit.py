"""Least squares over grids, against solved equations; and the derived fan-out."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.protocols.range_grid_fit import GridFit, Hierarchy, best_fanout, groups_of
from ldp_verified.run.aggregate.tree_fit import TreeFit
from tests.broken.ranges import OnlyFromTheFinest

if TYPE_CHECKING:
    from collections.abc import Iterator

    Floats = np.ndarray[Any, np.dtype[np.float64]]

SIZES = [(2, 2), (5, 1), (3, 2), (8, 2), (9, 3), (10, 3), (16, 16), (7, 100)]
GRIDS = [((8,), 2), ((9, 3), 3), ((4, 4), 2), ((5, 3), 2), ((5, 3), 1), ((2, 3, 2), 2), ((6, 4), 6)]


def ranges(k: int) -> Iterator[tuple[int, int]]:
    return ((first, last + 1) for first, last in combinations_with_replacement(range(k), 2))


def made(ks: tuple[int, ...], fanout: int, kind: type[GridFit] = GridFit) -> GridFit:
    """A fit with a variance of its own for each group."""
    trees = tuple(Hierarchy(k, fanout) for k in ks)
    return kind(trees, {g: 1 + i / 3 for i, g in enumerate(groups_of(trees))})


@pytest.mark.parametrize(("k", "fanout"), SIZES)
def test_effects_of_a_range_sum_to_it_and_are_orthogonal(k: int, fanout: int) -> None:
    tree = Hierarchy(k, fanout)
    assert tree.nodes(0) == 1
    assert tree.nodes(tree.levels - 1) == k
    whole = np.zeros(tree.levels)
    for first, past in ranges(k):
        effects = tree.effects(first, past, tree.levels - 1)
        inside = (np.arange(k) >= first) & (np.arange(k) < past)
        assert effects.sum(axis=0) == pytest.approx(inside.astype(float))
        padded = np.zeros((tree.levels, tree.widths[0]))
        for level, width in enumerate(tree.widths):
            own = np.repeat(tree.effects(first, past, level)[level], width)
            padded[level, : len(own)] = own[: tree.widths[0]]
        whole += (padded**2).sum(axis=1)
        products = padded @ padded.T
        if k == tree.widths[0]:
            assert products == pytest.approx(np.diag(np.diag(products)))
    if k == tree.widths[0]:
        assert tree.mean_squares == pytest.approx(whole / (k * (k + 1) / 2))


def dense(fit: GridFit) -> tuple[list[Floats], Floats]:
    """(single values -> cells of each group, covariance of the fitted single values)."""
    above = []
    for group in fit.variances:
        whole: Floats = np.ones((1, 1))
        for tree, level in zip(fit.trees, group, strict=True):
            width = tree.widths[level]
            own = np.repeat(np.eye(tree.widths[0] // width), width, axis=1)
            whole = np.asarray(np.kron(whole, own), dtype=np.float64)
        above.append(whole)
    parts = zip(above, fit.variances.values(), strict=True)
    normal = sum((a.T @ a / v for a, v in parts), np.zeros(()))
    leaves = normal.shape[0]
    basis = np.linalg.svd(np.ones((1, leaves)))[2][1:].T
    return above, basis @ np.linalg.inv(basis.T @ normal @ basis) @ basis.T


def agrees(fit: GridFit) -> bool:
    """Whether weights and variances of all boxes are those of solved equations."""
    above, covariance = dense(fit)
    shape = [tree.widths[0] for tree in fit.trees]
    variances = []
    for ends in product(*(ranges(tree.k) for tree in fit.trees)):
        box = np.zeros(shape)
        box[tuple(slice(*end) for end in ends)] = 1
        found = covariance @ box.reshape(-1)
        variances.append(float(box.reshape(-1) @ found))
        for (group, v), a in zip(fit.variances.items(), above, strict=True):
            levels = list(zip(fit.trees, group, strict=True))
            counts = [tree.widths[0] // tree.widths[level] for tree, level in levels]
            held = [tree.nodes(level) for tree, level in levels]
            wanted = (a @ found / v).reshape(counts)[tuple(slice(0, each) for each in held)]
            if not np.allclose(fit.weights(ends, group), wanted):
                return False
    return bool(np.isclose(fit.mean_variance, np.mean(variances)))


@pytest.mark.parametrize(("ks", "fanout"), GRIDS)
def test_weights_are_those_of_least_squares(ks: tuple[int, ...], fanout: int) -> None:
    assert agrees(made(ks, fanout))


def test_effects_that_are_not_averaged_are_seen() -> None:
    assert not agrees(made((4, 4), 2, OnlyFromTheFinest))


@pytest.mark.parametrize(("ks", "fanout"), GRIDS)
def test_estimates_are_unbiased_for_every_record(ks: tuple[int, ...], fanout: int) -> None:
    """Cells of a group estimate whether a user is in them; so a box, whether in it."""
    fit = made(ks, fanout)
    for ends in product(*(ranges(k) for k in ks)):
        for record in product(*map(range, ks)):
            found = fit.known(ends)
            for group in fit.variances:
                parts = zip(record, fit.trees, group, strict=True)
                cell = tuple(v // tree.widths[level] for v, tree, level in parts)
                found += float(fit.weights(ends, group)[cell])
            inside = all(a <= v < b for v, (a, b) in zip(record, ends, strict=True))
            assert found == pytest.approx(float(inside), abs=1e-9)


def test_one_attribute_is_a_tree() -> None:
    tree = Hierarchy(16, 2)
    variances = [Fraction(2), Fraction(1), Fraction(3), Fraction(1, 2)]
    own: dict[tuple[int, ...], float] = {(i + 1,): float(v) for i, v in enumerate(variances)}
    known = TreeFit((2, 4, 8, 16), tuple(variances)).mean_variance
    assert GridFit((tree,), own).mean_variance == pytest.approx(float(known))


def alike(cells: int) -> float:
    """As of one-bit response."""
    return 1.0 if cells else 0.0


def by_number(cells: int) -> float:
    """As of k-ary response."""
    return float(cells)


def test_the_fan_out_is_derived() -> None:
    """No other one has a smaller mean variance over all boxes, which are gone through."""
    for ks, cost in product(((16,), (9, 5), (4, 3, 2)), (alike, by_number)):
        found = {}
        for fanout in range(1, max(ks) + 1):
            trees = tuple(Hierarchy(k, fanout) for k in ks)
            groups = groups_of(trees)
            own = {}
            for group in groups:
                parts = zip(trees, group, strict=True)
                own[group] = len(groups) * cost(math.prod(t.nodes(level) for t, level in parts))
            fit = GridFit(trees, own)
            covariance = dense(fit)[1]
            off = []
            for ends in product(*(ranges(k) for k in ks)):
                box = np.zeros([tree.widths[0] for tree in trees])
                box[tuple(slice(*end) for end in ends)] = 1
                off.append(box.reshape(-1) @ covariance @ box.reshape(-1))
            found[fanout] = float(np.mean(off))
        assert found[best_fanout(ks, cost, 999)] == pytest.approx(min(found.values()))
        assert best_fanout(ks, cost, 1) in (1, max(ks))
