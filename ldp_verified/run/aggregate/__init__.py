"""Turn reports into estimates.

The server's state is a few mergeable integers; it knows a report layout and an estimator (p* and
q*, or the left inverse of a table), no mechanism.
"""

from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.kept import KeptState
from ldp_verified.run.aggregate.layouts import (
    BitLayout,
    BlockLayout,
    HashLayout,
    Layout,
    OutputLayout,
)
from ldp_verified.run.aggregate.linear import LeftInverse, LinearOracle
from ldp_verified.run.aggregate.oracle import FrequencyOracle, Oracle
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.aggregate.structured import (
    CohortLayout,
    ColumnLayout,
    PointLayout,
    SignLayout,
    SubsetLayout,
)

__all__ = [
    "BitLayout",
    "BlockLayout",
    "CohortLayout",
    "ColumnLayout",
    "Estimate",
    "FrequencyOracle",
    "HashLayout",
    "Identity",
    "Influence",
    "KeptState",
    "Layout",
    "LeftInverse",
    "LinearOracle",
    "Oracle",
    "OutputLayout",
    "PointLayout",
    "Reports",
    "SignLayout",
    "State",
    "SubsetLayout",
]
