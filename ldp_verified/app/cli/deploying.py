"""`deploy`: write down what clients and a collector agree on."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ldp_verified.app.cli.outcome import AsJson, Outcome, options_named, reported
from ldp_verified.app.cli.settings import read_settings
from ldp_verified.errors import ParameterError


@reported
def deploy(
    name: Annotated[
        str, typer.Argument(help="A class of the catalogue or of its protocols: grr, OUE, LGRR.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    k: Annotated[int | None, typer.Option(help="Number of values.")] = None,
    epsilon: Annotated[float | None, typer.Option(help="Of each report.")] = None,
    given: Annotated[
        list[str] | None, typer.Option("--set", help="Another argument: name=value, as in JSON.")
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="The name of what it is a part of.")] = None,
    round_: Annotated[int, typer.Option("--round", help="Of the protocol.")] = 0,
    as_json: AsJson = False,
) -> Outcome:
    """Write the descriptor of a deployment: canonical JSON, whose hash stands in every report.

    It holds the arguments, the exact thresholds, the hash of the law and the layout of the payload.
    Clients and the collector load it (load_deployment in Python); docs/wire-format.md says
    what the bytes of a report mean.

    [bold]Examples[/bold]

      ldp-verified deploy grr --k 50 --epsilon 1 -o deployment.json
      ldp-verified deploy laplace --epsilon 1 --set 'bounds=[0,100]' -o age.json
      ldp-verified deploy LGRR --k 9 --set epsilon_permanent=4 --set epsilon_report=1 -o d.json
    """
    from ldp_verified.app.report.output import Json, show_document
    from ldp_verified.deploy import Deployment
    from ldp_verified.deploy.collect.files import check_place, refusals_named
    from ldp_verified.deploy.descriptor import made_of

    if str(output) == "-":
        raise ParameterError("--output", "must be a file, not stdout: reports need it later", "-")
    check_place("--output", output)
    arguments = arguments_of(k, epsilon, given)
    deployment = Deployment(made_of(name, arguments), protocol, round_)
    with refusals_named(output, "--output"), options_named(path="--output"):
        deployment.save(output)
    if as_json:
        body: dict[str, Json] = {
            "deployment": deployment.tag,
            "file": str(output),
            "payload_bits": deployment.format.bits,
            "payload_bytes": deployment.payload_bytes,
        }
        show_document("deploy", Outcome.HOLDS, body)
    else:
        size = f"{deployment.payload_bytes + 12} bytes per report"
        typer.echo(f"{output}: {deployment.mechanism!r}, deployment {deployment.tag}, {size}")
    return Outcome.HOLDS


def arguments_of(k: int | None, epsilon: float | None, given: list[str] | None) -> dict[str, Any]:
    """The arguments of a mechanism from the options that give them.

    Raises:
        ParameterError: an argument is given twice, or not as NAME=VALUE.
    """
    arguments = {name: _value(text) for name, text in read_settings(given).items()}
    named = {"k": k, "epsilon": epsilon}
    twice = [
        argument for argument in named if named[argument] is not None and argument in arguments
    ]
    if twice:
        raise ParameterError("--set", "must not give what an option gives, too", twice[0])
    return arguments | {name: value for name, value in named.items() if value is not None}


def without_strings(arguments: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments of a mechanism, and the strings that users can hold: () where none are given.

    Args:
        arguments: of the command; `strings` is the client's and no argument of the mechanism.

    Raises:
        ParameterError: the strings are no JSON list of two or more different printable texts.
    """
    given = dict(arguments)
    if "strings" not in given:
        return given, ()
    strings = given.pop("strings")
    texts = strings if isinstance(strings, list) else []
    right = all(isinstance(each, str) and each.isprintable() for each in texts)
    if len(texts) < 2 or not right or len(set(texts)) < len(texts):
        rule = "must be a JSON list of two or more different printable texts"
        raise ParameterError("strings", rule, strings)
    return given, tuple(texts)


def _value(text: str) -> Any:
    """Return what JSON the text of a setting is, or the text itself where it is none."""
    from ldp_verified.jsontext import NotJsonError, read_json

    try:
        return read_json(text)
    except NotJsonError:
        return text
