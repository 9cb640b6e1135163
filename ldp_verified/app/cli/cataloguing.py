"""`catalogue`: mechanisms as a page, with what is derived from their tables."""

import contextlib
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ldp_verified.app.cli.outcome import AsJson, Outcome, reported
from ldp_verified.app.cli.progress import spinner
from ldp_verified.app.cli.specs import SPEC
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.app.report import generation
    from ldp_verified.language import Mechanism

COMMAND = "ldp-verified catalogue"
KINDS = (".md", ".html")
CATALOGUE = ("docs/catalogue.md", "docs/catalogue.html")
CHECKS = "docs/checks.md"
"""The page about which checker decides what."""

MOST_LOOKED_AT = 400
"""Characters in which a page of ours says what it is."""


@reported
def catalogue(
    specs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC",
            help=SPEC + " Without one: the whole catalogue, into docs/ of a checkout.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write: .md (formulas in LaTeX, as GitHub shows them) or .html (in "
            "MathML, which a browser shows without a network).",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; exit with 1 if a page is not current."),
    ] = False,
    as_json: AsJson = False,
) -> Outcome:
    """Write a page of mechanisms: table, epsilon, estimator, variance, optima, size of a report.

    Every formula is taken from the spec or derived from its table; verify says who
    proved which. A spec of your own gets the same page.

    [bold]Examples[/bold]

      ldp-verified catalogue mine.py -o mine.html
      ldp-verified catalogue grr oue -o two.md
      ldp-verified catalogue --check
    """
    from ldp_verified.app.report import generation
    from ldp_verified.app.report.output import show, show_document

    pages = _pages(specs or [], output)
    if not check:
        _refuse_foreign(pages)
    with spinner() as tell:
        tell("deriving what follows from the tables")
        found = _read(specs or [])
        texts = _texts(pages, found, not specs)
    files = _compared(texts) if check else _written(texts)
    outcome = Outcome.VIOLATED if check and files else Outcome.HOLDS
    mend = None
    if check and files:
        mend = shlex.join(
            [*COMMAND.split(), *(specs or []), *(["-o", str(output)] if output else [])]
        )
    if as_json:
        show_document("catalogue", outcome, generation.document(files, mend))
    else:
        show(generation.terminal(files, mend))
    return outcome


def _pages(specs: list[str], output: Path | None) -> list[Path]:
    """Return where the pages belong."""
    from ldp_verified.deploy.collect.files import check_place
    from ldp_verified.generate.files import CHECKOUT
    from ldp_verified.spec_files import INDEX, catalogue_folder

    if output is not None:
        if output.suffix.lower() not in KINDS:
            raise ParameterError("--output", "must end in .md or .html", str(output))
        check_place("--output", output, text=True)
        return [output]
    if specs:
        raise ParameterError("--output", "must be given with a SPEC")
    if catalogue_folder().parent != CHECKOUT:
        rule = "must be given: this package is installed, not a checkout to be written to"
        raise ParameterError("--output", rule)
    return [*(CHECKOUT / each for each in (*CATALOGUE, CHECKS)), catalogue_folder() / INDEX]


def _refuse_foreign(pages: list[Path]) -> None:
    """Refuse to replace a file that is no such page."""
    from ldp_verified.app.report import checks_page, entries_page

    for path in pages:
        if path.exists() and path.suffix.lower() in KINDS:
            try:
                with path.open(encoding="utf-8") as stream:
                    begin = stream.read(MOST_LOOKED_AT)
                ours = entries_page.HEAD in begin or checks_page.HEAD in begin
            except (OSError, UnicodeDecodeError):
                ours = False
            if not ours:
                rule = "must be a new file or one that catalogue wrote"
                raise ParameterError("--output", rule, str(path))


def _read(specs: list[str]) -> "list[Mechanism]":
    from ldp_verified.app.cli.spec_runs import specs_named
    from ldp_verified.language import load, load_catalogue

    specs = specs_named(specs)
    # A spec file is a program: what it prints must not end up in a document.
    with contextlib.redirect_stdout(sys.stderr):
        found = [m for spec in specs for m in load(spec)] if specs else load_catalogue()
    return list({id(m): m for m in found}.values())


def _texts(paths: list[Path], found: "list[Mechanism]", whole: bool) -> dict[Path, str]:
    """Return the text of each file: a page, with protocols if it is whole, or `list`'s index."""
    from ldp_verified.app.report import checks_page
    from ldp_verified.app.report.catalogue import entries
    from ldp_verified.app.report.entries import sections
    from ldp_verified.app.report.entries_page import html, markdown
    from ldp_verified.app.report.families import families
    from ldp_verified.app.report.protocol_entries import protocol_sections
    from ldp_verified.generate.files import CHECKOUT
    from ldp_verified.spec_files import INDEX, index_text

    derived = families(sections(found), protocol_sections() if whole else ())
    checks = CHECKOUT / CHECKS
    texts = {}
    for path in paths:
        set_as = markdown if path.suffix.lower() == ".md" else html
        if path.name == INDEX:
            texts[path] = index_text(entries(found))
        elif path == checks:
            texts[path] = checks_page.markdown()
        else:
            texts[path] = set_as(derived, "../" if path.resolve().parent == checks.parent else None)
    return texts


def _written(texts: dict[Path, str]) -> "list[generation.File]":
    from ldp_verified.app.report.generation import WRITTEN, File
    from ldp_verified.deploy.collect.files import write_text

    for path, text in texts.items():
        write_text("--output", path, text, partial(_refuse_foreign, [path]))
    return [File(path, WRITTEN) for path in texts]


def _compared(texts: dict[Path, str]) -> "list[generation.File]":
    from ldp_verified.app.report.generation import DIFFERENT, MISSING, File

    files = []
    for path, text in texts.items():
        if not path.is_file():
            files.append(File(path, MISSING))
        elif path.read_text(encoding="utf-8") != text:
            files.append(File(path, DIFFERENT))
    return files
