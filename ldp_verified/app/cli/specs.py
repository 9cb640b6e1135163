"""The commands `list`, `verify` and `derive`, which read specs."""

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ldp_verified.app.cli.outcome import AsJson, Outcome, reported
from ldp_verified.app.cli.progress import bar
from ldp_verified.app.cli.protocols import (
    are_protocols,
    derive_protocol,
    say_not_asked,
    verify_protocols,
)
from ldp_verified.app.cli.settings import read_settings
from ldp_verified.app.cli.spec_runs import specs_named
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.language import Mechanism
    from ldp_verified.prove.acceptance import Acceptance, Accepted
    from ldp_verified.prove.verdicts import Verification

NO_KERNEL = (
    "*** NO KERNEL CHECK: coqc is not installed, so no claim was proved by Coq; what is proved is "
    "proved by one group of checkers only, which passes with --accept one-group ***"
)

Accept = Annotated[
    list[str] | None,
    typer.Option(
        "--accept",
        metavar="KIND:NAME",
        help="Let what is not proved of a mechanism pass: one-group, enumerated or assumed, and "
        "its name; one-group alone: of all. May be repeated; one that nothing needs is an error.",
    ),
]

SPEC = "A name of the catalogue (see: ldp-verified list) or the path of a spec file."


@reported
def list_(as_json: AsJson = False) -> Outcome:
    """List the mechanisms of the catalogue."""
    from ldp_verified.app.report import catalogue
    from ldp_verified.app.report.output import show, show_document
    from ldp_verified.spec_files import indexed

    found = indexed()
    if found is None:  # a spec is new or was edited
        found = catalogue.entries(_load([]))
    if as_json:
        show_document("list", Outcome.HOLDS, catalogue.document(found))
    else:
        show(catalogue.terminal(found))
    return Outcome.HOLDS


@reported
def verify(
    specs: Annotated[
        list[str] | None,
        typer.Argument(metavar="SPEC", help=SPEC + " Without one: the whole catalogue."),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Write the certificates there, one file per mechanism. With --mutate: a page.",
        ),
    ] = None,
    write_smt: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write what z3 is asked there, one file per mechanism."),
    ] = None,
    mutate: Annotated[
        bool,
        typer.Option(
            "--mutate", help="Plant errors instead, and show which checker rejects which: minutes."
        ),
    ] = False,
    coq: Annotated[
        bool | None,
        typer.Option(
            "--coq/--no-coq",
            help="Ask Coq's kernel too, 240 s at most for each mechanism, or do not. "
            "Default: if coqc is installed; with --mutate: do not.",
            show_default=False,
        ),
    ] = None,
    points_seed: Annotated[
        str | None,
        typer.Option(
            metavar="HEX",
            help="Look at the drawn points of an earlier run, which named this seed. Default: "
            "new ones.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="With --mutate: a file of answers; what it knows is not asked again.",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(min=0, help="With --mutate: begin no variant after so long."),
    ] = None,
    each: Annotated[
        int | None,
        typer.Option(
            min=1, help="With --mutate: variants of each kind per mechanism at most.", metavar="N"
        ),
    ] = None,
    accept: Accept = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="One line for each mechanism, without the reasons.")
    ] = False,
    as_json: AsJson = False,
) -> Outcome:
    """Check every claim of a spec, and say who checked it.

    A claim becomes obligations, and each obligation gets a verdict. Where coqc is installed,
    Coq's kernel is asked about every one of them.

      proved        for all parameters, by both groups: certificate or z3, and Coq
      proved by one group   of the two only; no pass without --accept one-group
      enumerated    exactly, for the sizes named only; no pass without --accept
      assumed       it says by whom; no pass without --accept
      refuted       with a witness
      open          no checker decided it, or one refused; never a pass

    A verdict is never stronger than those that it rests on. Of a protocol it is
    about the epsilon of one user's whole transcript, with its derivation.

    [bold]Exit codes[/bold]: 0 all is proved, or accepted by name; 1 something is
    refuted; 3 something is neither proved nor accepted; 2 bad usage, or all
    passes but an acceptance by name was not needed; 70 a proof beside
    a counterexample, a fault of this program.

    [bold]Examples[/bold]

      ldp-verified verify
      ldp-verified verify grr oue --no-coq --accept one-group
      ldp-verified verify gaussian --accept assumed:gaussian --accept one-group
      ldp-verified verify mine.py --json
      ldp-verified verify --summary
      ldp-verified verify prefix_extending
      ldp-verified verify grr --mutate
    """
    from ldp_verified.app.report import catalogue, verification
    from ldp_verified.app.report.output import say, show, show_document
    from ldp_verified.prove import verify_several as check
    from ldp_verified.prove.coq.coqc import coqc_available
    from ldp_verified.prove.coq.library import proofs_folder
    from ldp_verified.prove.enumeration.drawn import drawing

    if coq and not coqc_available():
        raise ParameterError("--coq", "needs coqc on the path (the package coq)", "no coqc")
    if mutate and accept:
        raise ParameterError("--accept", "does not go with --mutate", accept)
    if summary and (mutate or as_json):
        raise ParameterError("--summary", "does not go with --mutate or --json", summary)
    if mutate and write_smt:
        raise ParameterError("--write-smt", "does not go with --mutate", str(write_smt))
    if mutate and points_seed is not None:
        raise ParameterError("--points-seed", "does not go with --mutate", points_seed)
    for option, only in (("--resume", resume), ("--minutes", minutes), ("--each", each)):
        if only is not None and not mutate:
            raise ParameterError(option, "goes with --mutate", str(only))
    drawing(points_seed, "--points-seed")  # A wrong one is told before anything is done.
    specs = specs_named(specs or [])
    if are_protocols(specs):
        options: dict[str, object] = {"--write": write, "--write-smt": write_smt}
        options |= {"--points-seed": points_seed, "--mutate": mutate, "--summary": summary}
        return verify_protocols(
            specs, accept=accept or [], coq=coq, as_json=as_json, left_out=options
        )
    with bar(counted=False) as tell:
        tell("reading", 0, None)
        mechanisms = _load(specs)
    if mutate:
        from ldp_verified.app.cli.mutating import mutate as plant

        proofs = proofs_folder() if coq else None
        return plant(mechanisms, proofs, as_json, write, resume=resume, minutes=minutes, each=each)
    given = acceptances(accept, mechanisms)
    if coq is None and not coqc_available():
        say(NO_KERNEL, style="bold red" if sys.stderr.isatty() else "")
    for option, folder in (("--write", write), ("--write-smt", write_smt)):
        if folder is not None:
            _check_write(mechanisms, option, folder)
    with bar(counted=False) as tell:
        results = check(mechanisms, coq=coq, points_seed=points_seed, progress=tell)
    if write is not None:
        from ldp_verified.prove import write_certificates

        write_certificates(mechanisms, write)
    if write_smt is not None:
        from ldp_verified.prove import write_smt as write_questions

        write_questions(mechanisms, write_smt)
    outcome, accepted = judge(results, given)
    if as_json:
        show_document("verify", outcome, verification.document(results, accepted))
    elif summary:
        show(verification.summary(results, accepted))
    else:
        generators = {m.name: catalogue.generator(m) for m in mechanisms}
        show(verification.terminal(results, generators, accepted))
    say_stale(accepted)
    say_not_asked((status for _, status in accepted.lacking), coq)
    return outcome


def acceptances(
    texts: list[str] | None, mechanisms: "Sequence[Mechanism]"
) -> "tuple[Acceptance, ...]":
    """Return the acceptances for these mechanisms; another mechanism's name is an error."""
    from ldp_verified.prove.acceptance import read_acceptances

    return read_acceptances(texts or [], [m.name for m in mechanisms])


def judge(
    results: "Sequence[Verification]", given: "Sequence[Acceptance]" = ()
) -> "tuple[Outcome, Accepted]":
    """VIOLATED if anything is refuted, INCONCLUSIVE if something is neither proved nor accepted.

    Else BAD_INPUT where an acceptance that names a mechanism is needed by nothing, else HOLDS.
    """
    from ldp_verified.prove.acceptance import accept
    from ldp_verified.prove.verdicts import Status

    accepted = accept(results, given)
    if any(result.status is Status.REFUTED for result in results):
        return Outcome.VIOLATED, accepted
    if accepted.lacking or not results:
        return Outcome.INCONCLUSIVE, accepted
    named = [one for one in accepted.stale if one.mechanism]
    return Outcome.BAD_INPUT if named else Outcome.HOLDS, accepted


def say_stale(accepted: "Accepted") -> None:
    """Name every acceptance that nothing needed: it would hide a later loss."""
    from ldp_verified.app.report.output import say

    for one in accepted.stale:
        say(f"ldp-verified: --accept: {one} accepts nothing: nothing here needs it; leave it out")


@reported
def derive(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help=SPEC)],
    delta_at: Annotated[
        float | None,
        typer.Option(
            metavar="EPS",
            help="Show the smallest delta at this epsilon instead, with --set for every parameter.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter; may be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> Outcome:
    """Show what follows from a table alone.

    Tight epsilon, p* and q*, estimator, variance, optima, privacy loss:
    derived, not proved: verify asks for proofs. Of a protocol it is
    the epsilon of one user's whole transcript, step by step.

    [bold]Examples[/bold]

      ldp-verified derive olh
      ldp-verified derive mine.py --json
      ldp-verified derive tree_hist
      ldp-verified derive oue --delta-at 0.5 --set eps=1
    """
    (spec,) = specs_named([spec])
    if are_protocols([spec]):
        left_out = {"--delta-at": delta_at, "--set": settings}
        return derive_protocol(spec, as_json=as_json, left_out=left_out)
    if delta_at is not None or settings:
        return _delta(spec, delta_at, settings or [], as_json)
    from ldp_verified.app.report import derivation
    from ldp_verified.app.report.output import show, show_document
    from ldp_verified.derive import Facts

    facts = [Facts(mechanism) for mechanism in _load([spec])]
    if as_json:
        show_document("derive", Outcome.HOLDS, derivation.document(facts))
    else:
        show(derivation.terminal(facts))
    return Outcome.HOLDS


def _delta(spec: str, delta_at: float | None, settings: list[str], as_json: bool) -> Outcome:
    from ldp_verified.analysis.account import declared_delta
    from ldp_verified.app.report.output import show_document

    if delta_at is None:
        raise ParameterError("--set", "needs --delta-at", settings)
    values = read_settings(settings)
    found = {m.name: m for m in _load([spec])}
    mechanism = found.get(spec, next(iter(found.values())))
    delta = declared_delta(mechanism, values, delta_at)
    if as_json:
        show_document(
            "derive",
            Outcome.HOLDS,
            {
                "mechanism": mechanism.name,
                "parameters": dict(values.items()),
                "epsilon": delta_at,
                "delta": delta,
            },
        )
    else:
        shown = ", ".join(settings)
        at = f"at epsilon {delta_at!r}, rounded up"
        typer.echo(f"{mechanism.name} ({shown}): delta <= {delta!r} {at}")
    return Outcome.HOLDS


def _load(specs: list[str]) -> "list[Mechanism]":
    """The mechanisms of all specs, each once; of the catalogue where none is named."""
    from ldp_verified.language import load, load_catalogue

    # A spec file is a program: what it prints must not end up in a JSON document.
    with contextlib.redirect_stdout(sys.stderr):
        found = [m for spec in specs for m in load(spec)] if specs else list(load_catalogue())
    # By file, not by text: files of one text may read something else, and declare something else.
    return list({(_file(m), m.name): m for m in found}.values())


def _file(mechanism: "Mechanism") -> Path:
    assert mechanism.origin is not None, "a spec that was loaded has a file"
    return Path(mechanism.origin.path).resolve()


def _check_write(mechanisms: "list[Mechanism]", option: str, folder: Path) -> None:
    """Refuse, before anything is verified, what could not be written afterwards."""
    names = [mechanism.name for mechanism in mechanisms]
    if len(set(names)) < len(names):
        raise ParameterError(option, "needs mechanisms of different names", names)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(
            option, f"cannot be made a folder: {error.strerror}", str(folder)
        ) from None
