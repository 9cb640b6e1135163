"""`verify` and `derive` of a protocol: what one user's whole transcript costs."""

import contextlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from ldp_verified.app.cli.outcome import Outcome
from ldp_verified.app.cli.progress import spinner
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.app.report.output import Json
    from ldp_verified.derive.ledger import Step
    from ldp_verified.prove import Status
    from ldp_verified.prove.protocols import ProtocolVerdict


def are_protocols(specs: Sequence[str]) -> bool:
    """Return whether all of these specs declare protocols.

    Raises:
        ParameterError: some do, and some declare mechanisms.
    """
    from ldp_verified.language.loader import is_protocol

    found = [is_protocol(spec) for spec in specs]
    if any(found) and not all(found):
        rule = "must be protocols or mechanisms, not both at once"
        raise ParameterError("SPEC", rule, list(specs))
    return bool(found) and all(found)


def verify_protocols(
    specs: Sequence[str],
    *,
    accept: Sequence[str],
    coq: bool | None,
    as_json: bool,
    left_out: Mapping[str, object],
) -> Outcome:
    """Show what is known of the privacy of each protocol.

    Args:
        specs: names of `spec/protocols`, or files.
        accept: acceptances of what is less than proved, by the names of the protocols.
        coq: as in `verify`. as_json: a document instead of text.
        left_out: options that go with mechanisms only -> what was given.

    Raises:
        ParameterError: one of those options was given.
    """
    from ldp_verified.app.report.output import show_document
    from ldp_verified.language import load_protocol
    from ldp_verified.prove import Status, verify_protocol
    from ldp_verified.prove.acceptance import read_acceptances

    _refuse_options(left_out)
    # A spec file is a program: what it prints must not end up in a JSON document.
    with contextlib.redirect_stdout(sys.stderr):
        declared = [load_protocol(spec) for spec in specs]
    given = read_acceptances(accept, [protocol.name for protocol in declared])
    found = []
    with spinner() as tell:
        for protocol in declared:
            tell(f"{protocol.name}: its randomizers")
            found.append(verify_protocol(protocol, coq=coq))
    lacking = [
        each
        for each in found
        if each.status is not Status.PROVED
        and not any(one.covers(each.status, each.protocol) for one in given)
    ]
    outcome = Outcome.INCONCLUSIVE if lacking else Outcome.HOLDS
    if any(each.status is Status.REFUTED for each in found):
        outcome = Outcome.VIOLATED
    elif not lacking and any(
        one.mechanism and not any(one.covers(each.status, each.protocol) for each in found)
        for one in given
    ):
        outcome = Outcome.BAD_INPUT
    if as_json:
        show_document("verify", outcome, {"protocols": [document(each) for each in found]})
    else:
        typer.echo("\n\n".join(each.text for each in found))
    say_not_asked((each.status for each in lacking), coq)
    return outcome


def say_not_asked(lacking: "Iterable[Status]", coq: bool | None) -> None:
    """Say that nothing is wrong, where all that lacks is Coq's word, and Coq was not asked.

    Args:
        lacking: what is neither proved nor accepted. coq: as in `verify`.
    """
    from ldp_verified.app.report.output import say
    from ldp_verified.prove import Status
    from ldp_verified.prove.coq.coqc import coqc_available

    there = coqc_available()
    if set(lacking) == {Status.ONE_GROUP} and (coq is False or not there):
        mends = [] if there else ["install Coq (the package coq)"]
        mends += ["leave out --no-coq"] if coq is False else []
        say(
            "Nothing is wrong: one group of checkers proved all, and Coq, the other, was not "
            f"asked. To pass, {' and '.join(mends)}, or accept one group with --accept one-group."
        )


def derive_protocol(spec: str, *, as_json: bool, left_out: Mapping[str, object]) -> Outcome:
    """Show the derived epsilon of a protocol, step by step, beside the declared one.

    Args:
        spec: a name of `spec/protocols`, or a file. as_json: a document instead of text.
        left_out: options that go with mechanisms only -> what was given.

    Raises:
        ParameterError: one of those options was given.
    """
    from ldp_verified.app.report.output import show_document
    from ldp_verified.derive.ledger import ledger
    from ldp_verified.language import load_protocol

    _refuse_options(left_out)
    with contextlib.redirect_stdout(sys.stderr):
        protocol = load_protocol(spec)
    tree = ledger(protocol)
    if as_json:
        found: dict[str, Json] = {
            "name": protocol.name,
            "declared": str(protocol.epsilon),
            "derived": str(tree.epsilon),
            "ledger": _steps(tree),
        }
        show_document("derive", Outcome.HOLDS, {"protocol": found})
        return Outcome.HOLDS
    said = f"{protocol.name}: one user's whole transcript is declared to cost {protocol.epsilon}, "
    typer.echo(f"{said}and costs at most (derived, not proved)\n{tree.text}")
    return Outcome.HOLDS


def _refuse_options(left_out: Mapping[str, object]) -> None:
    for option, value in left_out.items():
        if value is not None and value is not False and value != []:
            raise ParameterError(option, "does not go with a protocol", str(value))


def _steps(tree: "Step") -> "list[Json]":
    return [
        {"epsilon": str(step.epsilon), "says": step.says, "theorem": step.theorem}
        for step in tree.steps()
    ]


def document(found: "ProtocolVerdict") -> "dict[str, Json]":
    """Return everything that is known of one protocol, for machines."""
    from ldp_verified.prove.protocols import GIVEN

    return {
        "name": found.protocol,
        "epsilon": str(found.declared),
        "status": str(found.status),
        "reason": found.reason,
        "given": GIVEN,
        "ledger": _steps(found.tree),
        "rests_on": [
            {"mechanism": name, "statement": each.statement, "status": str(each.status)}
            for name, each in found.parts
        ],
    }
