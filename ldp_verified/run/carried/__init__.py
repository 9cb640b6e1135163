"""The wheel carries these files beside the code: specs, theory, certificates, and who proved what.

Nothing here proves anything or loads sympy. The transcript says which verdicts were reached, by
which checkers, with which versions of the tools, over files with which hashes. `ldp-verified
recheck` compares it with the installed files, and repeats the verdicts.
"""

from ldp_verified.run.carried.evidence import RecordedEvidence, evidence_of
from ldp_verified.run.carried.files import Installation
from ldp_verified.run.carried.transcript import Proven, Transcript, TranscriptEntry, read_transcript

__all__ = [
    "Installation",
    "Proven",
    "RecordedEvidence",
    "Transcript",
    "TranscriptEntry",
    "evidence_of",
    "read_transcript",
]
