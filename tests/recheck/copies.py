"""A copy of the files of one mechanism, as an installation that a test may spoil."""

from __future__ import annotations

import shutil
from functools import cache
from typing import TYPE_CHECKING

from ldp_verified.check.recheck import transcribe
from ldp_verified.language import load
from ldp_verified.run.carried import Installation, Transcript

if TYPE_CHECKING:
    from pathlib import Path

NAME = "warner"
SPEC = f"spec/{NAME}.py"
CERTIFICATE = f"proofs/certificates/{NAME}.json"


def copied(folder: Path) -> Installation:
    """The checkers, the theory, and one mechanism; its transcript, without Coq's part."""
    here = Installation.here()
    at = Installation(folder / "ldp_verified", folder / "spec", folder / "proofs")
    names = [SPEC, CERTIFICATE, f"ldp_verified/run/mechanisms/{NAME}.py"]
    for name in [*here.checkers(), *here.theory(), *names]:
        at.path(name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(here.path(name), at.path(name))
    at.transcript.write_text(transcribed().text, encoding="utf-8")
    return at


@cache
def transcribed() -> Transcript:
    """The transcript of that mechanism, made once."""
    *_, last = transcribe(load(NAME), Installation.here(), coq=False)
    return last
