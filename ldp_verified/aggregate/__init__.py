"""From reports to estimates.

The server's state is a few mergeable integers; it knows a report layout, p* and q*, no mechanism.
"""

from ldp_verified.aggregate.estimate import Estimate
from ldp_verified.aggregate.layouts import BitLayout, HashLayout, Layout, ValueLayout
from ldp_verified.aggregate.oracle import FrequencyOracle
from ldp_verified.aggregate.reports import Identity, Reports
from ldp_verified.aggregate.state import State

__all__ = [
    "BitLayout",
    "Estimate",
    "FrequencyOracle",
    "HashLayout",
    "Identity",
    "Layout",
    "Reports",
    "State",
    "ValueLayout",
]
