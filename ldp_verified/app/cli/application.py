"""The application: its commands, its help, its last line of defence."""

import contextlib
import sys
import traceback
from typing import Annotated, NoReturn

import typer

from ldp_verified.app.cli.auditing import audit, replay
from ldp_verified.app.cli.cataloguing import catalogue
from ldp_verified.app.cli.choosing import app as choose
from ldp_verified.app.cli.claiming import claims
from ldp_verified.app.cli.collecting import collect
from ldp_verified.app.cli.conforming import conform
from ldp_verified.app.cli.deploying import deploy
from ldp_verified.app.cli.explaining import explain
from ldp_verified.app.cli.generating import generate
from ldp_verified.app.cli.outcome import Outcome
from ldp_verified.app.cli.plotting import app as plot
from ldp_verified.app.cli.rechecking import recheck
from ldp_verified.app.cli.specs import derive, list_, verify
from ldp_verified.app.interrupts import interrupted
from ldp_verified.app.report import streams
from ldp_verified.extras import missing_package

NAME = "ldp-verified"

HELP = """
Local differential privacy whose code is checked against its table of probabilities.

[bold]A short path[/bold]

  ldp-verified list              the mechanisms of the catalogue
  ldp-verified derive grr        what follows from its table alone
  ldp-verified catalogue mine.py -o mine.html
                                 the same as a page
  ldp-verified verify grr        is every claim true, and who says so?
  ldp-verified verify mine.py    the same for a mechanism of your own
  ldp-verified recheck           are the installed files those that were proved?
  ldp-verified generate mine.py  a typed module that runs it
  ldp-verified claims A6 E15     claims of documents and papers, decided now
  ldp-verified conform grr       does the running code follow the table?
  ldp-verified choose --k 1000 --epsilon 1
                                 which oracle fits these users and values?
  ldp-verified choose heavy-hitters --epsilon 4 --n 1e6
                                 the same for words that nobody listed
  ldp-verified plot variance -o v.png
                                 the error of every oracle, as a picture
  ldp-verified collect poll.csv --column answer --epsilon 1 \\
      --domain yes,no,unsure     collect a private column
  ldp-verified collect baskets.jsonl --sets --epsilon 2 \\
      --domain goods.txt         the same for sets of items; --regions for places
  ldp-verified deploy grr --k 50 --epsilon 1 -o deployment.json
                                 what clients and a collector agree on
  ldp-verified audit lib:client --epsilon 1 \\
      --inputs 0..9              audit somebody else's randomizer

Every command takes --json; ldp-verified COMMAND --help has examples.

[bold]Exit codes[/bold]

  0 it holds, 1 refuted or violated, or no plan is enough, 3 inconclusive or less than proved,
  2 bad usage, a file that cannot be read as a table, or output that cannot be written,
  70 a fault of this program
"""

app = typer.Typer(
    name=NAME,
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command("list")(list_)
app.command()(verify)
app.command()(recheck)
app.command()(claims)
app.command()(derive)
app.command()(catalogue)
app.command()(generate)
app.command()(conform)
app.add_typer(choose)
app.command()(collect)
app.command()(deploy)
app.add_typer(plot)
app.command()(audit)
app.command()(replay)
app.command()(explain)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"{NAME} {version(NAME)}")
        except PackageNotFoundError:
            typer.echo(f"{NAME}, a checkout that is not installed")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    del version


def main(arguments: list[str] | None = None) -> None:
    """Run the command line with `arguments`, those of the process where they are None.

    A fault of this package's own exits with 70, so that nobody takes it for a refutation. With
    --json these, and options that there are not, are documents on stdout like all other errors.
    Results that cannot be written end with 2, and with 141 where nobody reads them any more.

    Args:
        arguments: words behind `ldp-verified`.
    """
    given = sys.argv[1:] if arguments is None else arguments
    streams.prepare()
    try:
        try:
            _run(given)
        finally:
            streams.flush()
    except (Exception, SystemExit) as ended:
        failed = streams.failure()
        code = getattr(ended, "code", None)
        if failed is None or code in (Outcome.INTERNAL_ERROR, Outcome.INTERRUPTED):
            raise
        if isinstance(failed, BrokenPipeError):
            sys.exit(Outcome.UNREAD)
        _say(f"{NAME}: the output: must be writable: {failed.strerror}")
        sys.exit(Outcome.BAD_INPUT)


def _run(given: list[str]) -> None:
    """Run a command, and end with its exit code; a failure to write may come out as any error."""
    try:
        app(given, prog_name=NAME)
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # typer and rich end with 1 then
            sys.exit(Outcome.UNREAD)
        if isinstance(ended.__context__, typer.Abort):
            if interrupted(ended.__context__):
                sys.exit(Outcome.INTERRUPTED)
            # An EOFError of ours: typer takes it for a user who gives up, and ends with 1.
            cause = ended.__context__.__cause__
            _fault(given, cause if isinstance(cause, Exception) else ended.__context__)
        told = getattr(ended.__context__, "format_message", None)
        if told is not None:  # of an option, by the parser of options
            _document(given, Outcome.BAD_INPUT, "UsageError", told())
        raise
    except Exception as error:
        if streams.failure() is not None:
            raise
        if interrupted(error):
            sys.exit(Outcome.INTERRUPTED)
        missing = missing_package(error, "this command")
        if missing is not None:
            _say(f"{NAME}: {missing}")
            _document(given, Outcome.BAD_INPUT, type(missing).__name__, str(missing))
            sys.exit(Outcome.BAD_INPUT)
        _fault(given, error)


def _fault(given: list[str], error: Exception) -> NoReturn:
    """Show a fault of this program, and end with its exit code."""
    with contextlib.suppress(OSError, ValueError):
        traceback.print_exception(error)
    _say("ldp-verified: this is a fault of the program, not of its input")
    with contextlib.suppress(OSError, ValueError):
        _document(given, Outcome.INTERNAL_ERROR, type(error).__name__, str(error))
    sys.exit(Outcome.INTERNAL_ERROR)


def _say(line: str) -> None:
    """Write a line to stderr, if that can be written."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(line + "\n")


def _document(given: list[str], outcome: Outcome, name: str, message: str) -> None:
    """The document of an error that no command has written."""
    from ldp_verified.app.report.output import show_document

    if "--json" in given:
        command = next((word for word in given if not word.startswith("-")), "")
        body = {"type": name, "argument": None, "message": message}
        show_document(command, outcome, {"error": dict(body)})
