"""`recheck`: are the installed files those that were proved, and do the verdicts come again?"""

import re
from pathlib import Path
from typing import Annotated

import typer

from ldp_verified.app.cli.outcome import AsJson, Outcome, reported
from ldp_verified.app.cli.progress import bar
from ldp_verified.errors import ParameterError


@reported
def recheck(
    specs: Annotated[
        list[str] | None,
        typer.Argument(metavar="SPEC", help="Mechanisms of the catalogue. Without one: all."),
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Ask every route again, Coq included: many minutes."),
    ] = False,
    expect: Annotated[
        str | None,
        typer.Option(metavar="SHA256", help="The hash that the transcript must have."),
    ] = None,
    statement: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Write an unsigned in-toto statement of the result."),
    ] = None,
    as_json: AsJson = False,
) -> Outcome:
    """Compare the installed files with the transcript of their proofs, and repeat the verdicts.

    It works offline. Every file that a verdict depends on must have the hash that
    the transcript names. The light routes then check every certificate again and
    derive what it is about from the spec; --all decides every obligation anew.

    The transcript says who proved what, with which tools, over which hashes.
    Whoever can edit the files can edit the transcript too: --expect takes its
    hash from a source that you trust, such as a signed statement.

    [bold]Exit codes[/bold]: 0 same hashes, same verdicts; 1 something differs, and
    is named; 2 no transcript, or bad usage; 3 something is not vouched for.

    [bold]Examples[/bold]

      ldp-verified recheck
      ldp-verified recheck grr oue --all
      ldp-verified recheck --statement recheck.intoto.json --json
    """
    from ldp_verified.app.report import rechecking
    from ldp_verified.app.report.output import show, show_document
    from ldp_verified.check.recheck.rechecking import recheck as check
    from ldp_verified.check.recheck.transcribing import tools
    from ldp_verified.deploy.collect.files import check_place, write_text

    if statement is not None:
        check_place("--statement", statement, text=True)
    if expect is not None and not re.fullmatch("[0-9a-fA-F]{64}", expect):
        raise ParameterError("--expect", "must be a sha256 of 64 hexadecimal digits", expect)
    with bar(counted=False) as tell:
        found = check(
            names=specs or (),
            full=every,
            expected=expect or "",
            tell=lambda name: tell(name, 0, None),
        )
    outcome = Outcome.INCONCLUSIVE if found.lacking else Outcome.HOLDS
    outcome = Outcome.VIOLATED if found.refused else outcome
    here = tools()
    if statement is not None:
        from ldp_verified.run.carried.statement import statement_text

        predicate = {"exit_code": int(outcome), **rechecking.document(found, here)}
        transcript = {"proofs/transcript.json": found.transcript_sha256}
        write_text(
            "--statement", statement, statement_text({**found.files, **transcript}, predicate)
        )
    if as_json:
        show_document("recheck", outcome, rechecking.document(found, here))
    else:
        show(rechecking.terminal(found, here))
    return outcome
