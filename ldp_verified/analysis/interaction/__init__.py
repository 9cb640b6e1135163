"""Ask users several things, or one thing that depends on what others said."""

from ldp_verified.analysis.interaction.asking import Algorithm, Asking, exact_queries, values_of
from ldp_verified.analysis.interaction.curator import Curator, Offer, Remembering
from ldp_verified.analysis.interaction.ledger import Ledger
from ldp_verified.analysis.interaction.parties import (
    PartyTotal,
    Talk,
    Total,
    count_by_parties,
    one_row_differs,
)
from ldp_verified.analysis.interaction.plan import LocalQueries
from ldp_verified.analysis.interaction.queries import (
    Answered,
    QueryAnswer,
    QuerySession,
    groups_of,
    local_queries,
)
from ldp_verified.analysis.interaction.query_client import QueryClient
from ldp_verified.analysis.interaction.rejection import Rejection, by_queries, queries_of
from ldp_verified.analysis.interaction.table import FiniteTable, WorstAnswer
from ldp_verified.analysis.interaction.views import Strategy, strategies, view_table, worst_view

__all__ = [
    "Algorithm",
    "Answered",
    "Asking",
    "Curator",
    "FiniteTable",
    "Ledger",
    "LocalQueries",
    "Offer",
    "PartyTotal",
    "QueryAnswer",
    "QueryClient",
    "QuerySession",
    "Rejection",
    "Remembering",
    "Strategy",
    "Talk",
    "Total",
    "WorstAnswer",
    "by_queries",
    "count_by_parties",
    "exact_queries",
    "groups_of",
    "local_queries",
    "one_row_differs",
    "queries_of",
    "strategies",
    "values_of",
    "view_table",
    "worst_view",
]
