"""Release what a trusted curator would answer: statistics with the same exact noise.

Local privacy is compared with this. A curator sees the data and adds noise to an answer, so the
noise does not grow with the number of people; but everybody has to trust the curator.
"""

from ldp_verified.analysis.central.checking import (
    Checked,
    check_release,
    check_selection,
    check_sensitivity,
)
from ldp_verified.analysis.central.message_shuffler import MessageShuffler
from ldp_verified.analysis.central.neighbours import Neighbours, Sensitivity
from ldp_verified.analysis.central.noise import (
    CuratorNoise,
    GaussianNoise,
    GeometricNoise,
    LaplaceNoise,
    StaircaseNoise,
    TruncatedGeometricNoise,
)
from ldp_verified.analysis.central.pooled import Pooled, PooledPart, of_all, pooled
from ldp_verified.analysis.central.released import Release, release
from ldp_verified.analysis.central.selection import (
    ExponentialMechanism,
    MostFrequent,
    Quantile,
    Selection,
)
from ldp_verified.analysis.central.shuffled import Shuffled, ShuffledMessages
from ldp_verified.analysis.central.shuffler import Shuffler
from ldp_verified.analysis.central.statistic import (
    ClampedMean,
    ClampedSum,
    Count,
    Histogram,
    Statistic,
)

__all__ = [
    "Checked",
    "ClampedMean",
    "ClampedSum",
    "Count",
    "CuratorNoise",
    "ExponentialMechanism",
    "GaussianNoise",
    "GeometricNoise",
    "Histogram",
    "LaplaceNoise",
    "MessageShuffler",
    "MostFrequent",
    "Neighbours",
    "Pooled",
    "PooledPart",
    "Quantile",
    "Release",
    "Selection",
    "Sensitivity",
    "Shuffled",
    "ShuffledMessages",
    "Shuffler",
    "StaircaseNoise",
    "Statistic",
    "TruncatedGeometricNoise",
    "check_release",
    "check_selection",
    "check_sensitivity",
    "of_all",
    "pooled",
    "release",
]
