"""The transcript of proofs: written from a run of all checkers, and repeated from a wheel."""

from ldp_verified.check.recheck.rechecking import Recheck, Rechecked, recheck
from ldp_verified.check.recheck.transcribing import tools, transcribe

__all__ = ["Recheck", "Rechecked", "recheck", "tools", "transcribe"]
