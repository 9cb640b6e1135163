"""Deployments: what clients and a collector agree on, and reports that travel between them.

A `Deployment` is described by a canonical JSON text, whose hash stands in every report. What the
bytes mean is written down in `docs/wire-format.md`.
"""

from ldp_verified.deploy.clients import Client, Device
from ldp_verified.deploy.collector import Collector
from ldp_verified.deploy.deployment import Deployment, load_deployment
from ldp_verified.deploy.registry import PeriodRegistry, Sent
from ldp_verified.deploy.succession import CombinedShares, Succession

__all__ = [
    "Client",
    "Collector",
    "CombinedShares",
    "Deployment",
    "Device",
    "PeriodRegistry",
    "Sent",
    "Succession",
    "load_deployment",
]
