"""Claims that documents make, as formal statements that are decided when somebody asks.

The vocabulary of the files in `spec/claims/`, and what decides them.
"""

from ldp_verified.check.claims.accounting import PUBLISHED
from ldp_verified.check.claims.asked_groups import AskedGroups
from ldp_verified.check.claims.bounds_in_beta import (
    BOUNDS_IN_BETA,
    earlier_bound_exceeds,
    optimal_bound_stays,
    queries_per_cell,
    reduction_keeps_epsilon,
)
from ldp_verified.check.claims.central import GaussianIs, GaussianTail, LaplaceMoment, LaplaceTail
from ldp_verified.check.claims.context import Context
from ldp_verified.check.claims.deciding import (
    DecidedEntry,
    DecidedPart,
    ReadingOutcome,
    counts,
    decide,
)
from ldp_verified.check.claims.definitions import (
    BOUNDED,
    BOUNDED_TWICE,
    COUNT_MOVES_BY_ONE,
    DETERMINISTIC_IS_CONSTANT,
    LOSS_TAIL,
    POINTWISE,
    POINTWISE_TIMES_OUTPUTS,
    SETWISE,
    UNBOUNDED,
    Both,
    Definition,
    Implies,
)
from ldp_verified.check.claims.entries import Check, Document, Entry, Part, Reading, part, published
from ldp_verified.check.claims.interactive import (
    NEAR_SHARES,
    REPORT_BY_QUERIES,
    REPORTS_NEAR_BY,
    TOLERANCE,
    conversations,
    fixed_queries,
    reports_by_queries,
    shares_apart,
)
from ldp_verified.check.claims.ladder import Ladder
from ldp_verified.check.claims.loader import (
    chosen,
    claims_folder,
    load_document,
    load_documents,
    write_compared,
)
from ldp_verified.check.claims.nearby import PURE_NEARBY
from ldp_verified.check.claims.numeric import (
    AllOf,
    Case,
    Cases,
    Cited,
    EpsilonAt,
    Grid,
    NotSo,
    OpenReading,
    Routes,
)
from ldp_verified.check.claims.oracles import (
    cells_apart,
    cells_at_most_users,
    found_by_bits,
    listed_above_tau,
    lists_of_oracles,
    missed_by_bits,
)
from ldp_verified.check.claims.reports import (
    QUERIES_ASKED,
    hash_reports,
    query_sizes,
    repeated_reports,
)
from ldp_verified.check.claims.rulings import Ruling, RulingKind
from ldp_verified.check.claims.sign_columns import signs_of_a_column
from ldp_verified.check.claims.tables import Law, OfSpec, OnlyIf, Relation, Table, equal
from ldp_verified.check.claims.tail_claims import BY_HOEFFDING, HOEFFDING, Hoeffding, Tail, TwoPoint
from ldp_verified.check.claims.theorems import Stated, Theorem

__all__ = [
    "BOUNDED",
    "BOUNDED_TWICE",
    "BOUNDS_IN_BETA",
    "BY_HOEFFDING",
    "COUNT_MOVES_BY_ONE",
    "DETERMINISTIC_IS_CONSTANT",
    "HOEFFDING",
    "LOSS_TAIL",
    "NEAR_SHARES",
    "POINTWISE",
    "POINTWISE_TIMES_OUTPUTS",
    "PUBLISHED",
    "PURE_NEARBY",
    "QUERIES_ASKED",
    "REPORTS_NEAR_BY",
    "REPORT_BY_QUERIES",
    "SETWISE",
    "TOLERANCE",
    "UNBOUNDED",
    "AllOf",
    "AskedGroups",
    "Both",
    "Case",
    "Cases",
    "Check",
    "Cited",
    "Context",
    "DecidedEntry",
    "DecidedPart",
    "Definition",
    "Document",
    "Entry",
    "EpsilonAt",
    "GaussianIs",
    "GaussianTail",
    "Grid",
    "Hoeffding",
    "Implies",
    "Ladder",
    "LaplaceMoment",
    "LaplaceTail",
    "Law",
    "NotSo",
    "OfSpec",
    "OnlyIf",
    "OpenReading",
    "Part",
    "Reading",
    "ReadingOutcome",
    "Relation",
    "Routes",
    "Ruling",
    "RulingKind",
    "Stated",
    "Table",
    "Tail",
    "Theorem",
    "TwoPoint",
    "cells_apart",
    "cells_at_most_users",
    "chosen",
    "claims_folder",
    "conversations",
    "counts",
    "decide",
    "earlier_bound_exceeds",
    "equal",
    "fixed_queries",
    "found_by_bits",
    "hash_reports",
    "listed_above_tau",
    "lists_of_oracles",
    "load_document",
    "load_documents",
    "missed_by_bits",
    "optimal_bound_stays",
    "part",
    "published",
    "queries_per_cell",
    "query_sizes",
    "reduction_keeps_epsilon",
    "repeated_reports",
    "reports_by_queries",
    "shares_apart",
    "signs_of_a_column",
    "write_compared",
]
