"""The state that counts the reports of each protocol whose groups hash parts of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ldp_verified.protocols.bit_reduction import BitGroups, BitReduction
from ldp_verified.protocols.bit_state import BitState
from ldp_verified.protocols.bitstogram import Bitstogram, BitstogramState
from ldp_verified.protocols.coded_bits import CodedState
from ldp_verified.protocols.hashtogram import Hashtogram, HashtogramState
from ldp_verified.protocols.prefix_cohort_state import PrefixCohortState
from ldp_verified.protocols.prefix_cohorts import PrefixCohorts
from ldp_verified.protocols.prefix_extending import PrefixExtending
from ldp_verified.protocols.prefix_state import PrefixState
from ldp_verified.protocols.private_expander_sketch import (
    PrivateExpanderSketch,
    PrivateExpanderSketchState,
)
from ldp_verified.protocols.sequence_fragments import FragmentState, SequenceFragments
from ldp_verified.protocols.succinct_histogram import SuccinctHistogram
from ldp_verified.protocols.tree_hist import TreeHist, TreeHistState

if TYPE_CHECKING:
    from ldp_verified.protocols.grouped_state import GroupState

GROUP_STATES: Final[dict[type, type[GroupState]]] = {
    BitGroups: BitState,
    BitReduction: BitState,
    Bitstogram: BitstogramState,
    Hashtogram: HashtogramState,
    PrefixCohorts: PrefixCohortState,
    PrefixExtending: PrefixState,
    PrivateExpanderSketch: PrivateExpanderSketchState,
    SequenceFragments: FragmentState,
    SuccinctHistogram: CodedState,
    TreeHist: TreeHistState,
}
"""By the class of the protocol."""
