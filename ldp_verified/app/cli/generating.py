"""`generate`: from a spec to the typed module that runs it."""

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ldp_verified.app.cli.clients import LANGUAGES
from ldp_verified.app.cli.modules import (
    COMMAND,
    Module,
    compare,
    deliver,
    refuse_foreign,
    show_files,
)
from ldp_verified.app.cli.outcome import AsJson, Outcome, reported
from ldp_verified.app.cli.progress import bar, spinner
from ldp_verified.app.cli.running_protocols import generate_protocols
from ldp_verified.app.cli.specs import Accept, acceptances, judge, say_stale
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.prove import Verification
    from ldp_verified.prove.acceptance import Accepted


@reported
def generate(
    specs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC",
            help="A name of the catalogue (see: ldp-verified list) or the path of a spec file. "
            "Without one: the whole catalogue, into ldp_verified/run/mechanisms of a checkout.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write; a folder for several specs."
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; exit with 1 if a file is not current."),
    ] = False,
    accept: Accept = None,
    coq: Annotated[
        bool | None,
        typer.Option(
            "--coq/--no-coq",
            help="Ask Coq's kernel too, 240 s at most for each mechanism, or do not. "
            "Default: if coqc is installed.",
            show_default=False,
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            help=f"Write a client in this language ({', '.join(LANGUAGES)}) instead.",
        ),
    ] = None,
    k: Annotated[int | None, typer.Option(help="Of a client: number of values.")] = None,
    epsilon: Annotated[float | None, typer.Option(help="Of a client: epsilon of a report.")] = None,
    others: Annotated[
        list[str] | None,
        typer.Option("--set", help="Of a client: another argument, name=value, as in JSON."),
    ] = None,
    as_json: AsJson = False,
) -> Outcome:
    """Write the typed module that runs a mechanism or a protocol, or a client in another language.

    The formulas in the module are proved equal to the spec's. A spec of your
    own is verified first. Nothing is written unless everything about it is
    proved, or accepted as in verify; the module's header says what was
    accepted. The catalogue's own specs are not verified again here, which
    verify without a name does. Without --output the module goes to stdout. An
    existing file is replaced only if generate wrote it, and as a whole.

    [bold]Examples[/bold]

      ldp-verified generate mine.py
      ldp-verified generate mine.py -o mine_module.py
      ldp-verified generate my_protocol.py -o my_protocol_module.py
      ldp-verified generate mine.py -o mine_module.py --check
      ldp-verified generate --check
      ldp-verified generate grr --language c --k 16 --epsilon 1 -o grr.h
      ldp-verified generate oue --language javascript --k 9 --epsilon 1 -o oue.mjs
    """
    if language is not None:
        from ldp_verified.app.cli.clients import write_client
        from ldp_verified.app.cli.deploying import arguments_of

        if check or accept:
            raise ParameterError("--language", "goes with neither --check nor --accept", language)
        return write_client(specs, language, arguments_of(k, epsilon, others), output, as_json)
    if k is not None or epsilon is not None or others:
        raise ParameterError("--language", "must be given with --k, --epsilon or --set")
    if not specs:
        if output is not None:
            raise ParameterError("--output", "needs a SPEC", str(output))
        if accept:
            raise ParameterError("--accept", "needs a SPEC of your own", accept)
        return _check_catalogue(as_json) if check else _write_catalogue(as_json)
    from ldp_verified.app.cli.protocols import are_protocols
    from ldp_verified.app.cli.spec_runs import specs_named

    specs = specs_named(specs)
    if are_protocols(specs):
        return generate_protocols(
            specs, output, check=check, accept=accept or [], coq=coq, as_json=as_json
        )
    modules = _modules(specs, output, check, accept)
    if check:
        return compare(modules, output, accept or [], as_json)
    for module in modules:
        refuse_foreign(module.path)
    results = _verified(modules, coq)
    given = dict.fromkeys(one for module in modules for one in module.accepted)
    outcome, accepted = judge(results, [*given])
    outcome = Outcome.HOLDS if not results else outcome
    if accepted.stale and outcome is Outcome.HOLDS:
        outcome = Outcome.BAD_INPUT  # the header would say that something was accepted
    if outcome is Outcome.HOLDS:
        deliver(modules, as_json)
    else:
        _refuse(results, accepted, outcome, as_json)
    return outcome


def _write_catalogue(as_json: bool) -> Outcome:
    from ldp_verified.app.report.generation import WRITTEN, File
    from ldp_verified.generate import write

    if not _is_checkout():
        raise ParameterError(
            "SPEC", "must be named: this package is installed, not a checkout to be written to"
        )
    with spinner() as tell:
        tell("generating the catalogue")
        files = [File(path, WRITTEN) for path in write()]
    show_files(files, as_json, Outcome.HOLDS)
    return Outcome.HOLDS


def _check_catalogue(as_json: bool) -> Outcome:
    from ldp_verified.app.report.generation import File
    from ldp_verified.generate import check

    with spinner() as tell:
        tell("generating the catalogue")
        problems = [line.rpartition(": ") for line in check()]
    files = [File(Path(path), problem) for path, _, problem in problems]
    outcome = Outcome.VIOLATED if files else Outcome.HOLDS
    show_files(files, as_json, outcome, COMMAND if _is_checkout() else "install the package again")
    return outcome


def _is_checkout() -> bool:
    from ldp_verified.generate.files import CHECKOUT
    from ldp_verified.language import catalogue_folder

    return catalogue_folder().parent == CHECKOUT


def _is_known(source: Path) -> bool:
    """Return whether a file is a spec file of the catalogue."""
    from ldp_verified.language import catalogue

    return source.resolve() in {path.resolve() for path in catalogue().values()}


def _modules(
    specs: list[str], output: Path | None, check: bool, accept: list[str] | None
) -> list[Module]:
    """The modules of all specs, each once, with places that may be written to."""
    from ldp_verified.deploy.collect.files import check_place
    from ldp_verified.generate.files import FOLDER
    from ldp_verified.generate.module import module_text
    from ldp_verified.language import load, load_file

    into_folder = output is not None and output.is_dir()
    if output is not None and not into_folder:
        check_place("--output", output)
    found: dict[Path, Module] = {}
    with spinner() as tell:
        for spec in specs:
            tell(f"generating the module of {spec}")
            # A spec file is a program: what it prints must not end up in the module.
            with contextlib.redirect_stdout(sys.stderr):
                mechanisms = load(spec)
                origin = mechanisms[0].origin
                assert origin is not None, "a spec that was loaded has a file"
                source = Path(origin.path)
                known = _is_known(source)
                if known:
                    mechanisms = load_file(source)  # all of it, even if one was named
            names = {m.name for m in mechanisms}
            here = [text for text in accept or [] if text.partition(":")[2] in ("", *names)]
            mine = () if known else acceptances(here, mechanisms)
            text = module_text(mechanisms, [str(one) for one in mine])
            path = output
            if output is not None and into_folder:
                path = output / source.name
            elif output is None and check:
                if not known:
                    raise ParameterError("--check", "needs --output, the file to look at", spec)
                path = FOLDER / source.name
            found[source.resolve()] = Module(spec, source, mechanisms, text, path, mine)
    modules = list(found.values())
    own = [m for module in modules if not _is_known(module.source) for m in module.mechanisms]
    if accept and not own:
        raise ParameterError("--accept", "is for specs of your own", accept)
    acceptances(accept, own)
    if len(modules) > 1 and not into_folder and not (check and output is None):
        shown = () if output is None else (str(output),)
        raise ParameterError("--output", "must be an existing folder for several specs", *shown)
    places = [module.path for module in modules if module.path is not None]
    if len(set(places)) < len(places):
        raise ParameterError("SPEC", "must have different file names", specs)
    return modules


def _verified(modules: list[Module], coq: bool | None) -> "list[Verification]":
    """Verdicts on the mechanisms that are not the catalogue's, whose are looked at by its tests."""
    own = [module for module in modules if not _is_known(module.source)]
    if not own:
        return []
    from ldp_verified.prove import verify_several

    mechanisms = [mechanism for module in own for mechanism in module.mechanisms]
    with bar(counted=False) as tell:
        return verify_several(mechanisms, coq=coq, progress=tell)


def _refuse(
    results: "list[Verification]", accepted: "Accepted", outcome: Outcome, as_json: bool
) -> None:
    """Say which verdicts are short of proved and not accepted; nothing is written."""
    from ldp_verified.app.report.generation import document
    from ldp_verified.app.report.output import say, show_document

    lacking = set(accepted.lacking)
    lines = [
        f"{r.mechanism}: {v.obligation} is {status}: {v.statement}"
        for r in results
        for v in r.verdicts
        for status in v.needs
        if (r.mechanism, status) in lacking
    ]
    if as_json:
        show_document("generate", outcome, {**document([], None), "not_shown": [*lines]})
    for line in lines:
        say(f"ldp-verified: {line}")
    say_stale(accepted)
    say("ldp-verified: nothing was written; ldp-verified verify says more")
