"""Lower bounds on epsilon for anybody's randomizer; exact ones for tables and configurations.

The names below are loaded when first asked for: the pytest plugin lives here too, and must not cost
every test run the time to import scipy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ldp_verified.extras import needs

if TYPE_CHECKING:
    from ldp_verified.audit.assertion import AuditWarning, assert_ldp
    from ldp_verified.audit.configurations import audit_configuration, read_configuration
    from ldp_verified.audit.estimators import check_estimator
    from ldp_verified.audit.files import Recorded
    from ldp_verified.audit.process import from_program
    from ldp_verified.audit.results import AuditResult, Verdict
    from ldp_verified.audit.run import Claim, audit
    from ldp_verified.audit.sources import from_bulk, from_callable
    from ldp_verified.audit.tables import audit_table, read_table
    from ldp_verified.audit.targets import Target
    from ldp_verified.audit.whole import audit_target
else:
    _WHERE = {
        "AuditResult": "results",
        "AuditWarning": "assertion",
        "Claim": "run",
        "Recorded": "files",
        "Target": "targets",
        "Verdict": "results",
        "assert_ldp": "assertion",
        "audit": "run",
        "audit_configuration": "configurations",
        "audit_table": "tables",
        "audit_target": "whole",
        "check_estimator": "estimators",
        "from_bulk": "sources",
        "from_callable": "sources",
        "from_program": "process",
        "read_configuration": "configurations",
        "read_table": "tables",
    }

    def __getattr__(name):
        """One of the names below."""
        if name in _WHERE:
            needs("ldp_verified.audit", "scipy", extra="audit")
            return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "AuditResult",
    "AuditWarning",
    "Claim",
    "Recorded",
    "Target",
    "Verdict",
    "assert_ldp",
    "audit",
    "audit_configuration",
    "audit_table",
    "audit_target",
    "check_estimator",
    "from_bulk",
    "from_callable",
    "from_program",
    "read_configuration",
    "read_table",
]
