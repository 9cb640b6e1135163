"""A class shows its own proofs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from ldp_verified.run.carried import RecordedEvidence


class Vouched:
    """A class of a mechanism that the catalogue declares.

    Attributes:
        name: the spec's name. law_sha256: of its law.
    """

    name: ClassVar[str]
    law_sha256: ClassVar[str]

    @classmethod
    def evidence(cls) -> RecordedEvidence:
        """Return what was proved of this mechanism: by whom, with which tools, over which hashes.

        It is read from the transcript that the package carries, and held against the files that
        are installed. `print(GRR.evidence())` shows it; `ldp-verified recheck` repeats it.
        """
        from ldp_verified.run.carried import evidence_of

        return evidence_of(cls.name, cls.law_sha256)
