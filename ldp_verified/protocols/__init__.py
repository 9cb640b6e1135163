"""Protocols of more than one step: clients that keep state, and the server's side of them."""

from ldp_verified.protocols.bloom import BloomFilter
from ldp_verified.protocols.rappor import (
    Rappor,
    permanent_epsilon,
    report_epsilon,
    reports_epsilon,
    solve_high,
    solve_noise,
)
from ldp_verified.protocols.rappor_client import RapporClient, RapporReport
from ldp_verified.protocols.rappor_decoding import KnownDomain, find_candidates
from ldp_verified.protocols.rappor_state import RapporState
from ldp_verified.protocols.sketch import FixedEstimate, FixedRows, day_epsilon
from ldp_verified.protocols.threshold import best_threshold, threshold_encoding

__all__ = [
    "BloomFilter",
    "FixedEstimate",
    "FixedRows",
    "KnownDomain",
    "Rappor",
    "RapporClient",
    "RapporReport",
    "RapporState",
    "best_threshold",
    "day_epsilon",
    "find_candidates",
    "permanent_epsilon",
    "report_epsilon",
    "reports_epsilon",
    "solve_high",
    "solve_noise",
    "threshold_encoding",
]
