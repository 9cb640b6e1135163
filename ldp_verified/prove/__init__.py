"""Claims become obligations, and independent checkers decide them."""

from ldp_verified.prove.composite import CompositeVerdict, verify_composite
from ldp_verified.prove.prepared import certificate_for
from ldp_verified.prove.protocols import ProtocolVerdict, verify_protocol
from ldp_verified.prove.several import verify_several
from ldp_verified.prove.statements.store import (
    recheck,
    write_certificates,
    write_smt,
)
from ldp_verified.prove.verdicts import Status, Verdict, Verification, Witness
from ldp_verified.prove.verify import STAGES, verify

__all__ = [
    "STAGES",
    "CompositeVerdict",
    "ProtocolVerdict",
    "Status",
    "Verdict",
    "Verification",
    "Witness",
    "certificate_for",
    "recheck",
    "verify",
    "verify_composite",
    "verify_protocol",
    "verify_several",
    "write_certificates",
    "write_smt",
]
