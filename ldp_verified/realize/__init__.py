"""From a table of real probabilities to one of integer thresholds, with proven error.

The base classes of the generated mechanisms: one for each table form that has a sampler.
"""

from ldp_verified.realize.blocks import BlockRandomizer
from ldp_verified.realize.capped import CappedBits
from ldp_verified.realize.explicit import TableRandomizer
from ldp_verified.realize.hashed import HashedRandomizer
from ldp_verified.realize.ideal import Ideal
from ldp_verified.realize.indexed import (
    CohortRandomizer,
    ColumnRandomizer,
    PointRandomizer,
    SignRandomizer,
)
from ldp_verified.realize.matrix import MatrixRandomizer
from ldp_verified.realize.numbers import Number, rational
from ldp_verified.realize.onehot import OneHotRandomizer
from ldp_verified.realize.pair_counts import PairCounts
from ldp_verified.realize.parameters import RationalParameter
from ldp_verified.realize.randomizer import Randomizer
from ldp_verified.realize.realization import CellRealization, Realization
from ldp_verified.realize.singletons import SingletonRandomizer
from ldp_verified.realize.sketch import BitSketchRandomizer, SignSketchRandomizer
from ldp_verified.realize.subsets import SubsetRandomizer
from ldp_verified.realize.table import RoundedTable
from ldp_verified.realize.values import Categories
from ldp_verified.realize.wanted import at_epsilon

__all__ = [
    "BitSketchRandomizer",
    "BlockRandomizer",
    "CappedBits",
    "Categories",
    "CellRealization",
    "CohortRandomizer",
    "ColumnRandomizer",
    "HashedRandomizer",
    "Ideal",
    "MatrixRandomizer",
    "Number",
    "OneHotRandomizer",
    "PairCounts",
    "PointRandomizer",
    "Randomizer",
    "RationalParameter",
    "Realization",
    "RoundedTable",
    "SignRandomizer",
    "SignSketchRandomizer",
    "SingletonRandomizer",
    "SubsetRandomizer",
    "TableRandomizer",
    "at_epsilon",
    "rational",
]
