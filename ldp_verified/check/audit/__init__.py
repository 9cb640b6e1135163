"""Lower bounds on epsilon for anybody's randomizer; exact ones for tables and configurations.

The names below are loaded when first asked for: the pytest plugin lives here too, and must not cost
every test run the time to import scipy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ldp_verified.check.audit.assertion import AuditWarning, assert_ldp
    from ldp_verified.check.audit.bounds.configurations import (
        audit_configuration,
        read_configuration,
    )
    from ldp_verified.check.audit.bounds.tables import audit_table, read_table
    from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
    from ldp_verified.check.audit.rules.estimators import check_estimator
    from ldp_verified.check.audit.run import Claim, audit
    from ldp_verified.check.audit.targets.files import Recorded
    from ldp_verified.check.audit.targets.process import from_program
    from ldp_verified.check.audit.targets.sources import from_bulk, from_callable
    from ldp_verified.check.audit.targets.targets import Target
    from ldp_verified.check.audit.whole_audit import audit_target
else:
    _WHERE = {
        "AuditResult": "results.results",
        "AuditWarning": "assertion",
        "Claim": "run",
        "Recorded": "targets.files",
        "Target": "targets.targets",
        "AuditVerdict": "results.results",
        "assert_ldp": "assertion",
        "audit": "run",
        "audit_configuration": "bounds.configurations",
        "audit_table": "bounds.tables",
        "audit_target": "whole_audit",
        "check_estimator": "rules.estimators",
        "from_bulk": "targets.sources",
        "from_callable": "targets.sources",
        "from_program": "targets.process",
        "read_configuration": "bounds.configurations",
        "read_table": "bounds.tables",
    }

    def __getattr__(name):
        """Import one of the public names below."""
        if name in _WHERE:
            return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "AuditResult",
    "AuditVerdict",
    "AuditWarning",
    "Claim",
    "Recorded",
    "Target",
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
