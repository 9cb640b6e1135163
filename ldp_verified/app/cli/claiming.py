"""`claims`: the claims register, decided now."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ldp_verified.app.cli.outcome import AsJson, Outcome, reported
from ldp_verified.app.cli.progress import bar
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.check.claims.deciding import DecidedEntry

NO_KERNEL = (
    "coqc is not installed, so general theorems are open here; the page cannot be compared there"
)


@reported
def claims(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID", help="Ids of claims, or files of spec/claims. Without one: all."
        ),
    ] = None,
    write: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Write the register there as a page: .md or .html."),
    ] = None,
    check: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Compare the register with a page written before."),
    ] = None,
    coq: Annotated[
        bool,
        typer.Option("--coq", help="Ask Coq's kernel about every mechanism too: minutes."),
    ] = False,
    compared: Annotated[
        bool,
        typer.Option(
            "--compared",
            help="Record that each formal version was compared with its source by eye.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> Outcome:
    """Decide the claims of the register, and say who decided.

    A claim may have several parts, a part several readings. Verdicts are computed now: proved,
    holds iff, refuted with a witness, corrected, checked over a stated range, or open. What is
    refuted is an answer of this command, not a fault.

    [bold]Examples[/bold]

      ldp-verified claims
      ldp-verified claims A6 A8 e15
      ldp-verified claims literature_frequency --json
      ldp-verified claims --write CLAIMS.md --write docs/claims.html
    """
    from ldp_verified.app.report import claims as report
    from ldp_verified.app.report.output import say, show, show_document
    from ldp_verified.check.claims import Context, chosen, decide, load_documents, write_compared
    from ldp_verified.deploy.collect.files import check_place, write_text
    from ldp_verified.prove.coq.coqc import coqc_available

    for option, paths in (("--write", write or []), ("--check", check or [])):
        if paths and ids:
            raise ParameterError(option, "goes with the whole register only", ids)
        for path in paths:
            if path.suffix.lower() not in (".md", ".html"):
                raise ParameterError(option, "must end in .md or .html", str(path))
            if option == "--check" and not path.is_file():
                raise ParameterError(option, "must be a page written by --write", str(path))
            if option == "--write":
                check_place(option, path, text=True)
    if compared:
        if ids:
            raise ParameterError("--compared", "goes with the whole register only", ids)
        write_compared()
    if not coqc_available():
        say(f"ldp-verified: {NO_KERNEL}")
    started = time.perf_counter()
    with bar(counted=True) as tell:
        tell("reading the claims", 0, None)
        entries = chosen(load_documents(), ids or [])
        decided = decide(entries, Context(coq=coq), tell)
    for path in write or []:
        write_text("--write", path, _page(path, decided))
    if check:
        outcomes = [_compared(path, decided, coqc_available()) for path in check]
        return next((o for o in outcomes if o is not Outcome.HOLDS), Outcome.HOLDS)
    if as_json:
        show_document("claims", Outcome.HOLDS, report.document(decided))
    else:
        show(report.terminal(decided, time.perf_counter() - started))
    return Outcome.HOLDS


def _page(path: Path, decided: "tuple[DecidedEntry, ...]") -> str:
    from ldp_verified.app.report.claims import page
    from ldp_verified.app.report.claims_page import html

    return html(decided) if path.suffix.lower() == ".html" else page(decided)


def _compared(page: Path, decided: "tuple[DecidedEntry, ...]", kernel: bool) -> Outcome:
    from ldp_verified.app.report.output import say

    kept = page.read_text(encoding="utf-8").splitlines()
    made = _page(page, decided).splitlines()
    if not kernel:
        kept, made = _without_kernel(kept), _without_kernel(made)
    if kept == made:
        return Outcome.HOLDS
    first = next(
        (i for i, pair in enumerate(zip(kept, made, strict=False)) if len(set(pair)) > 1),
        min(len(kept), len(made)),
    )
    say(f"ldp-verified: {page} is not what would be written; line {first + 1} differs")
    for name, lines in (("kept", kept), ("made", made)):
        say(f"  {name}: {lines[first] if first < len(lines) else '(nothing)'}")
    say(f"ldp-verified: ldp-verified claims --write {page} mends it")
    return Outcome.VIOLATED


def _without_kernel(lines: list[str]) -> list[str]:
    """The lines that do not depend on whether Coq's kernel was asked."""
    return [
        line
        for line in lines
        if "coq" not in line and "theorem LDP" not in line and not line.startswith(("| ", "<tr>"))
    ]
