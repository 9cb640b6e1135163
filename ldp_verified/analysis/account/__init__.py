"""Compute the privacy cost of several reports, exactly or as proven upper bounds.

Everything is computed from the distribution of the privacy loss of a table. Numbers that are not
rational are rounded against the claim: an epsilon or delta that is shown is never too small.
"""

from ldp_verified.analysis.account.curve import declared_delta
from ldp_verified.analysis.account.discretised import Composition, composed
from ldp_verified.analysis.account.gaussian import (
    gaussian_classical_sigma,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
)
from ldp_verified.analysis.account.loss import PrivacyLoss
from ldp_verified.analysis.account.renyi import renyi_divergence, renyi_epsilon
from ldp_verified.analysis.account.rules import dominating_pair, group_privacy
from ldp_verified.analysis.account.shuffle import (
    clone_probability,
    shuffle_closed_form,
    shuffled_delta,
    shuffled_epsilon,
)
from ldp_verified.analysis.account.tables import losses, realized_losses, worst_delta

__all__ = [
    "Composition",
    "PrivacyLoss",
    "clone_probability",
    "composed",
    "declared_delta",
    "dominating_pair",
    "gaussian_classical_sigma",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_sigma",
    "group_privacy",
    "losses",
    "realized_losses",
    "renyi_divergence",
    "renyi_epsilon",
    "shuffle_closed_form",
    "shuffled_delta",
    "shuffled_epsilon",
    "worst_delta",
]
