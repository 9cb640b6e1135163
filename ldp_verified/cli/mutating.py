"""`verify --mutate`: which wrong variants of a mechanism which checker rejects."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.cli.outcome import Outcome
from ldp_verified.cli.progress import spinner

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism


def mutate(mechanisms: "list[Mechanism]", proofs: Path | None, as_json: bool) -> Outcome:
    """Show the matrix. VIOLATED where a wrong variant is rejected by too few independent routes.

    Args:
        mechanisms: what is varied.
        proofs: folder whose lib/ Coq compiles in order to be asked too; None to leave it out.
        as_json: a document instead of tables.

    Raises:
        SpecError: Coq is asked for and missing, or its library is.
    """
    from ldp_verified.prove.mutate import matrix
    from ldp_verified.prove.routes import checkers, coq, coq_library
    from ldp_verified.report import mutation
    from ldp_verified.report.output import show, show_document

    asked = checkers()
    with spinner() as tell, tempfile.TemporaryDirectory() as folder:
        if proofs is not None:
            tell("compiling the Coq library")
            asked["coq"] = coq(coq_library(proofs, Path(folder)))
        report = matrix(mechanisms, asked, tell=tell)
    outcome = Outcome.HOLDS if report.holds else Outcome.VIOLATED
    if as_json:
        show_document("verify", outcome, {"mutation": mutation.document(report)})
    else:
        show(mutation.terminal(report))
    return outcome
