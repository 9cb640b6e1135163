"""Planted-wrong ways to make counts fit the numbers of users of each region."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ldp_verified.protocols.taxonomy import Taxonomy

    Floats = NDArray[np.float64]


def clipped_and_scaled(
    taxonomy: Taxonomy, counts: Floats, variances: Floats, named: Mapping[str, int]
) -> Floats:
    """Negative counts become 0 and the rest is scaled to n: regions are not looked at."""
    del taxonomy, variances
    positive = np.maximum(counts, 0.0)
    return np.asarray(positive * sum(named.values()) / positive.sum())


def lifted_region_by_region(
    taxonomy: Taxonomy, counts: Floats, variances: Floats, named: Mapping[str, int]
) -> Floats:
    """Each region gets exactly the users who named it, in proportion to positive counts.

    What it gives fits the numbers, and is not the nearest that does.
    """
    del variances
    found = np.zeros(len(counts))
    for region, users in named.items():
        span = taxonomy.span(region)
        own = np.maximum(counts[span.start : span.stop], 1e-9)
        found[span.start : span.stop] += users * own / own.sum()
    return found
