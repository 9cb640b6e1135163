"""The wheel carries these files beside the code: specs, theory, certificates, and who proved what.

Nothing here proves anything or loads sympy. The transcript says which verdicts were reached, by
which checkers, with which versions of the tools, over files with which hashes. `ldp-verified
recheck` compares it with the installed files, and repeats the verdicts.
"""

from ldp_verified.run.carried.evidence import Evidence, evidence_of
from ldp_verified.run.carried.files import Installation
from ldp_verified.run.carried.transcript import Entry, Proven, Transcript, read_transcript

__all__ = [
    "Entry",
    "Evidence",
    "Installation",
    "Proven",
    "Transcript",
    "evidence_of",
    "read_transcript",
]
