"""`verify --mutate`: which wrong variants of a mechanism which checker rejects."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.app.cli.outcome import Outcome
from ldp_verified.app.cli.progress import spinner

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism
    from ldp_verified.prove.mutation.mutate import MutationReport


def mutate(
    mechanisms: "list[Mechanism]",
    proofs: Path | None,
    as_json: bool,
    page: Path | None = None,
    *,
    resume: Path | None = None,
    minutes: float | None = None,
    each: int | None = None,
) -> Outcome:
    """Show the matrix.

    VIOLATED where a wrong variant is rejected by too few independent routes, INCONCLUSIVE where too
    few could judge one.

    Args:
        mechanisms: what is varied.
        proofs: folder whose lib/ Coq compiles in order to be asked too; None to leave it out.
        as_json: a document instead of tables.
        page: a Markdown file to write the matrix to.
        resume: a file of answers; what it knows is not asked again, what it does not is added.
        minutes: after which nobody is asked about a further variant.
        each: variants of each kind per mechanism at most; None for all.

    Raises:
        SpecError: Coq is asked for and missing, or its library is.
        ParameterError: the page cannot be written.
    """
    from ldp_verified.app.report import mutation
    from ldp_verified.app.report.mutation_page import markdown
    from ldp_verified.app.report.output import show, show_document
    from ldp_verified.deploy.collect.files import check_place, write_text
    from ldp_verified.prove.coq.library import work_folder
    from ldp_verified.prove.mutation.mutate import matrix
    from ldp_verified.prove.mutation.mutation_store import open_store
    from ldp_verified.prove.routes import COQ_AT_ONCE, checkers, coq

    if page is not None:
        check_place("--write", page, text=True)
    asked = checkers()
    with (
        spinner() as tell,
        ExitStack() as kept,
        ThreadPoolExecutor(COQ_AT_ONCE) as pool,
    ):
        if proofs is not None:
            tell("compiling the Coq library, where it is not kept from an earlier run")
            asked["coq"] = coq(kept.enter_context(work_folder(proofs)), pool)
        store = None if resume is None else open_store(resume, asked, proofs)
        limit = None if minutes is None else 60 * minutes
        report = matrix(mechanisms, asked, each=each, tell=tell, store=store, limit=limit)
    if page is not None:
        write_text("--write", page, markdown(report, _commit()))
    outcome = judge(report)
    if as_json:
        show_document("verify", outcome, {"mutation": mutation.document(report)})
    else:
        show(mutation.terminal(report))
    return outcome


def judge(report: "MutationReport") -> Outcome:
    """VIOLATED if a wrong variant slips through or none was tried, INCONCLUSIVE if one is open.

    So is one for which there was no time.
    """
    if report.insufficient or not report.wrong:
        return Outcome.VIOLATED
    return Outcome.INCONCLUSIVE if report.limited or report.left else Outcome.HOLDS


def _commit() -> str:
    """The commit of the checkout that holds the catalogue, or that there is none."""
    from ldp_verified.language import catalogue_folder

    command = ["git", "describe", "--always", "--abbrev=12", "--dirty=, changed", "--exclude=*"]
    try:
        said = subprocess.run(
            command, cwd=catalogue_folder().parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "no checkout"
    return said.stdout.strip()
