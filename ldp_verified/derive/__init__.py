"""Derive closed forms from the pair tables. Untrusted: it proposes, `prove` checks."""

from ldp_verified.derive.estimator import DerivedEstimator, NoEstimator, Support
from ldp_verified.derive.facts import Facts, TightRatio
from ldp_verified.derive.free import free_cells
from ldp_verified.derive.loss import LossAtom
from ldp_verified.derive.rational import in_epsilon, readable, simple
from ldp_verified.derive.solved_parameter import SolvedParameter, solve_parameter

__all__ = [
    "DerivedEstimator",
    "Facts",
    "LossAtom",
    "NoEstimator",
    "SolvedParameter",
    "Support",
    "TightRatio",
    "free_cells",
    "in_epsilon",
    "readable",
    "simple",
    "solve_parameter",
]
