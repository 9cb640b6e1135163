"""Turn a table of real probabilities into one of integer thresholds, with proven error.

The base classes of the generated mechanisms: one for each table form that has a sampler.
"""

from ldp_verified.run.realize.designs.blocks import BlockRandomizer
from ldp_verified.run.realize.designs.capped import CappedBits
from ldp_verified.run.realize.designs.hashed import HashedRandomizer
from ldp_verified.run.realize.designs.indexed import (
    CohortRandomizer,
    ColumnRandomizer,
    PointRandomizer,
    SignRandomizer,
)
from ldp_verified.run.realize.designs.onehot import OneHotRandomizer
from ldp_verified.run.realize.designs.pair_counts import PairCounts
from ldp_verified.run.realize.designs.singletons import SingletonRandomizer
from ldp_verified.run.realize.designs.sketch import BitSketchRandomizer, SignSketchRandomizer
from ldp_verified.run.realize.designs.subsets import SubsetRandomizer
from ldp_verified.run.realize.from_epsilon import at_epsilon
from ldp_verified.run.realize.parameters import RationalParameter
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.tables.claimed_formulas import Ideal
from ldp_verified.run.realize.tables.explicit import TableRandomizer
from ldp_verified.run.realize.tables.matrix import MatrixRandomizer
from ldp_verified.run.realize.tables.numbers import Number, rational
from ldp_verified.run.realize.tables.realization import CellRealization, Realization
from ldp_verified.run.realize.tables.table import RoundedTable
from ldp_verified.run.realize.values import Categories

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
