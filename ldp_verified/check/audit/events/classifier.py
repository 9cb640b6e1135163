"""A linear classifier as a feature: for outputs whose leak is spread over many items.

Learnt by scikit-learn's logistic regression (extra `audit`; without it this feature is left out),
written down as its weights, so that a finding can be replayed without that library.
"""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.audit.targets.batch import Batch, Coded
from ldp_verified.check.audit.targets.keys import items

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_ITEMS = 256
MOST_PAIRS = 4
FEWEST = 200
GRID = (-4.0, -3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
"""Cuts of the log odds that the classifier gives."""


def candidates(batch: Batch, k: int) -> list[str]:
    """Classifiers of a few pairs of inputs, as features."""
    if importlib.util.find_spec("sklearn") is None or k < 2:
        return []
    points = _points(batch)
    if points is None or not 2 <= points.shape[1] <= MOST_ITEMS:
        return []
    pairs = [(x, (x + 1) % k) for x in range(0, k, max(1, k // MOST_PAIRS))][:MOST_PAIRS]
    found = []
    for x, x2 in dict.fromkeys(tuple(sorted(pair)) for pair in pairs):
        rows = np.flatnonzero((batch.inputs == x) | (batch.inputs == x2))[:20_000]
        target = batch.inputs[rows] == x
        if min(target.sum(), (~target).sum()) >= FEWEST:
            found.append(_fit(points[rows], target))
    return found


def _fit(points: NDArray[np.float64], target: NDArray[np.bool_]) -> str:
    linear = importlib.import_module("sklearn.linear_model")
    centre, spread = points.mean(axis=0), points.std(axis=0)
    spread[spread == 0] = 1.0
    model = linear.LogisticRegression(max_iter=300)
    with warnings.catch_warnings():
        # A fit that does not converge makes a worse event, not a wrong one.
        warnings.simplefilter("ignore")
        model.fit((points - centre) / spread, target)
    weights = np.asarray(model.coef_[0], dtype=np.float64) / spread
    offset = float(model.intercept_[0]) - float(weights @ centre)
    return "score:" + ",".join(float(f"{w:.6g}").hex() for w in [offset, *weights.tolist()])


def _points(batch: Batch) -> NDArray[np.float64] | None:
    if batch.matrix is not None:
        points = np.asarray(batch.matrix[0], dtype=np.float64)
        return points if np.isfinite(points).all() else None
    return None


def scored(text: str, batch: Batch) -> Coded:
    """The interval of `GRID` where each sample's score lies; a class of its own for no numbers."""
    weights = np.array([float.fromhex(w) for w in text.split(",")])
    labels = (*(f"interval {i}" for i in range(len(GRID) + 1)), "none")
    points = _points(batch)
    if points is None or points.shape[1] != len(weights) - 1:
        rows = [_row(output, len(weights) - 1) for output in batch.outputs]
        points = np.array(rows).reshape(len(batch), len(weights) - 1)
    # Summed item by item: a sum of products may round differently in another batch.
    scores = np.full(len(points), weights[0])
    for i, weight in enumerate(weights[1:].tolist()):
        scores += weight * points[:, i]
    codes = np.searchsorted(np.array(GRID), scores, side="right")
    return Coded(np.where(np.isnan(scores), len(GRID) + 1, codes).astype(np.int64), labels)


def _row(output: object, width: int) -> list[float]:
    parts = items(output) or []
    try:
        row = [float(part) for part in parts]
    except (TypeError, ValueError, OverflowError):
        return [float("nan")] * width
    return row if len(row) == width else [float("nan")] * width
