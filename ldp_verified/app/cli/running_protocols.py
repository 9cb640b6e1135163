"""`generate` and `audit` of a protocol's declaration: the class that runs it."""

import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.app.cli.deploying import arguments_of
from ldp_verified.app.cli.modules import Module, compare, deliver, refuse_foreign
from ldp_verified.app.cli.outcome import Outcome
from ldp_verified.app.cli.progress import spinner
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.language.protocol import Protocol
    from ldp_verified.prove.acceptance import Acceptance


def is_declaration(target: str) -> bool:
    """Return whether an audit's target is a protocol's name or file."""
    if not (target.isidentifier() or target.endswith(".py")):
        return False
    from ldp_verified.language.loader import is_protocol

    with contextlib.redirect_stdout(sys.stderr):
        return is_protocol(target)


def opened_protocol(
    spec: str, given: list[str] | None, epsilon: float | None, inputs: str | None
) -> tuple[str, float, str]:
    """The target, claim and inputs of an audit of a protocol's transcripts.

    Args:
        spec: a name or a file. given: parameters, as name=value. epsilon: None for the declared
            one at these parameters. inputs: None for the first and the last values.

    Raises:
        SpecError: the file cannot be read, or no class is generated from it.
        ParameterError: a parameter is out of range.
    """
    from ldp_verified.check.audit.targets.declared import claimed, reference

    own = arguments_of(None, None, given)
    path = str(Path(spec).resolve()) if Path(spec).is_file() else spec
    with contextlib.redirect_stdout(sys.stderr):
        declared, asked = claimed(path, own)
    chosen = json.dumps(list(asked)) if inputs is None else inputs
    return reference(path, own), declared if epsilon is None else epsilon, chosen


def generate_protocols(
    specs: Sequence[str],
    output: Path | None,
    *,
    check: bool,
    accept: Sequence[str],
    coq: bool | None,
    as_json: bool,
) -> Outcome:
    """Write the modules that run protocols; one of your own is verified first.

    Args:
        specs: names of `spec/protocols`, or files. output, check, coq, as_json: as in `generate`.
        accept: acceptances of what is less than proved, by the names of the protocols.

    Raises:
        SpecError: no class is generated from a file.
        ParameterError: an option does not fit.
    """
    from ldp_verified.deploy.collect.files import check_place
    from ldp_verified.generate.declared import file_of
    from ldp_verified.generate.protocols import protocol_module
    from ldp_verified.language import catalogue_folder, load_protocol
    from ldp_verified.prove.acceptance import read_acceptances

    into_folder = output is not None and output.is_dir()
    if output is not None and not into_folder:
        check_place("--output", output)
    if len(specs) > 1 and not into_folder:
        raise ParameterError("--output", "must be an existing folder for several specs")
    if check and output is None:
        raise ParameterError("--check", "needs --output, the file to look at", specs[0])
    home = (catalogue_folder() / "protocols").resolve()
    modules, lacking = [], []
    with spinner() as tell, contextlib.redirect_stdout(sys.stderr):
        for spec in dict.fromkeys(specs):
            source, declared = file_of(spec), load_protocol(spec)
            given = read_acceptances(accept, [declared.name])
            tell(f"generating the module of {spec}")
            text = protocol_module(declared, source, [str(one) for one in given])
            place = output
            if output is not None and into_folder:
                place = output / source.name
            modules.append(Module(spec, source, (), text, place, (*given,)))
            if not check:
                refuse_foreign(place)
                if source.resolve().parent != home:
                    tell(f"verifying {spec}")
                    lacking += _lacking(declared, given, coq)
    if check:
        return compare(modules, output, [*accept], as_json)
    if lacking:
        return _not_written(lacking, as_json)
    deliver(modules, as_json)
    return Outcome.HOLDS


def _lacking(
    declared: "Protocol", given: "Sequence[Acceptance]", coq: bool | None
) -> list[tuple[bool, str]]:
    """(whether it is refuted, what is known) where a protocol is neither proved nor accepted."""
    from ldp_verified.prove import Status, verify_protocol

    found = verify_protocol(declared, coq=coq)
    accepted = any(one.covers(found.status, found.protocol) for one in given)
    if found.status is Status.PROVED or accepted:
        return []
    because = f": {found.reason}" if found.reason else ""
    said = f"{found.protocol} is {found.status}{because}"
    return [(found.status is Status.REFUTED, said)]


def _not_written(lacking: list[tuple[bool, str]], as_json: bool) -> Outcome:
    from ldp_verified.app.report.generation import document
    from ldp_verified.app.report.output import say, show_document

    refuted = any(wrong for wrong, _ in lacking)
    outcome = Outcome.VIOLATED if refuted else Outcome.INCONCLUSIVE
    lines = [line for _, line in lacking]
    if as_json:
        show_document("generate", outcome, {**document([], None), "not_shown": [*lines]})
    for line in lines:
        say(f"ldp-verified: {line}")
    say("ldp-verified: nothing was written; ldp-verified verify says more")
    return outcome
