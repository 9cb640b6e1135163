"""Coq: a mechanism's claims as theorems about its randomizer, and the kernel's verdict on them."""

from ldp_verified.prove.coq.compile import KernelReport, Proved, check_one, kernel_check
from ldp_verified.prove.coq.coqc import coq_version, coqc_available
from ldp_verified.prove.coq.drift import coq_drift, write_coq
from ldp_verified.prove.coq.printer import Unsupported, coq_text
from ldp_verified.prove.coq.scan import ScanFinding

__all__ = [
    "KernelReport",
    "Proved",
    "ScanFinding",
    "Unsupported",
    "check_one",
    "coq_drift",
    "coq_text",
    "coq_version",
    "coqc_available",
    "kernel_check",
    "write_coq",
]
