"""The command `conform`, which tests whether running code follows its spec's table."""

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ldp_verified.app.cli.deploying import arguments_of, without_strings
from ldp_verified.app.cli.outcome import AsJson, Outcome, options_named, reported
from ldp_verified.app.cli.progress import bar
from ldp_verified.commandtext import command_words
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.app.report.conformance import Replay
    from ldp_verified.check.conformance.results import ConformanceReport


UNSEEN = (
    "whether the client's random words can be guessed: the answers of two starts are compared, and "
    "those of users in a row, and no source of words is judged"
)
"""What no test of reports sees: a seed of few bits, or one that somebody else knows."""


@reported
def conform(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="A mechanism of the catalogue, a protocol (lsue, rappor, she, ...), or the path "
            "of a spec file. Without one: all of them, and the secure source of random words.",
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Reports drawn per mechanism; of clients, a share of it.",
            show_default="2,000,000",
        ),
    ] = None,
    level: Annotated[
        float | None,
        typer.Option(
            metavar="L",
            help="Probability, at most, that a run over right code rejects anything.",
            show_default="1e-7",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="S",
            help="To replay a run; else LDP_VERIFIED_SEED, else a fresh one.",
            show_default=False,
        ),
    ] = None,
    client: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="A client of yours for the mechanism NAME: a value per line in, a report's "
            "numbers per line out, as JSON. Of a protocol that keeps answers: the values of a "
            "new user in, the user's reports out.",
        ),
    ] = None,
    k: Annotated[int | None, typer.Option(help="Of a client: number of values.")] = None,
    epsilon: Annotated[float | None, typer.Option(help="Of a client: epsilon of a report.")] = None,
    others: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Of a client or a protocol: an argument, name=value, as in JSON."
        ),
    ] = None,
    as_json: AsJson = False,
) -> Outcome:
    """Test running code against its spec's table, at full width.

    It draws reports, and tests how often each comes, the mean and variance of
    estimates, and how often intervals cover. Each test states its null, level,
    sample size and the deviation that it would detect; a run too small to
    detect much is inconclusive, which is no pass. Clients of protocols are run
    as their users would: saved, restored, and reporting again. The file of a
    protocol is run by the class that generate writes for it, at small
    parameters; --set gives others. All take a few minutes.

    With --client the reports are those of a program in any language. It draws
    from a source of its own, which no seed replays; that two starts of it, or
    users in a row, answer alike is looked at, too. So are many values, or all,
    in case that some are sent in clear: the run says which. A mechanism of
    numbers is asked for positions, 0..2^52, as its client has them, and prefix
    extending for integers. A client that keeps answers gets the values of one new user in
    a line, and answers with a list of this user's reports.

    [bold]Examples[/bold]

      ldp-verified conform grr
      ldp-verified conform lsue rappor
      ldp-verified conform mine.py
      ldp-verified conform my_protocol.py --set levels=3
      ldp-verified conform --json
      ldp-verified conform oue --seed 7 --n 10000000
      ldp-verified conform grr --client "node client.js" --k 16 --epsilon 1
    """
    from ldp_verified.app.cli.spec_runs import refuse_ending
    from ldp_verified.app.report import conformance
    from ldp_verified.check.conformance.run import LEVEL, REPORTS, is_declared, is_path, known_name
    from ldp_verified.check.conformance.run import conform as run

    chosen = list(dict.fromkeys(names or []))
    if client is not None:
        return _client(client, chosen, arguments_of(k, epsilon, others), (n, level, seed), as_json)
    if k is not None or epsilon is not None:
        raise ParameterError("--client", "must be given with --k or --epsilon")
    if others and not (len(chosen) == 1 and is_declared(chosen[0])):
        raise ParameterError("--set", "must come with --client, or with one protocol's declaration")
    for name in chosen:
        if not is_path(name):
            known_name(name, "NAME")
    refuse_ending(chosen)
    given = arguments_of(None, None, others)
    with bar(counted=False) as tell, options_named("n", "level", "seed"):
        result = run(
            chosen or None,
            n=REPORTS if n is None else n,
            seed=seed,
            level=LEVEL if level is None else level,
            parameters=given,
            progress=lambda what, share: tell(re.sub(r"\(.*\)", "", what), share, 1.0),
        )
    more = tuple(word for each in others or [] for word in ("--set", each))
    return _shown(result, conformance.Replay(tuple(chosen), n, level, more), as_json)


def _client(
    command: str,
    names: list[str],
    arguments: dict[str, Any],
    options: tuple[int | None, float | None, int | None],
    as_json: bool,
) -> Outcome:
    """Run somebody's client against the table of the mechanism that it is said to draw."""
    from ldp_verified.app.report import conformance
    from ldp_verified.check.conformance.foreign import (
        REPORTS,
        asked,
        client_subject,
        restart_subject,
    )
    from ldp_verified.check.conformance.foreign_values import values_subject
    from ldp_verified.check.conformance.run import LEVEL
    from ldp_verified.check.conformance.run import conform as run
    from ldp_verified.deploy.descriptor import made_of

    if len(names) != 1:
        raise ParameterError("NAME", "must be one mechanism, that of the client", names)
    n, level, seed = options
    ask = asked(command_words(command, "--client"))
    given, strings = without_strings(arguments)
    made = made_of(names[0], given)
    subject = client_subject(made, ask, command, strings)
    with bar(counted=False) as tell, options_named("n", "level", "seed"):
        result = run(
            [
                subject,
                values_subject(made, ask, subject, strings),
                restart_subject(made, ask, subject, strings),
            ],
            n=REPORTS if n is None else n,
            seed=seed,
            level=LEVEL if level is None else level,
            progress=lambda what, share: tell(what, share, 1.0),
        )
    result = replace(result, remarks=(*result.remarks, UNSEEN))
    more = ["--client", command]
    for name, value in arguments.items():
        more += ["--set", f"{name}={json.dumps(value)}"]
    return _shown(result, conformance.Replay((names[0],), n, level, tuple(more)), as_json)


def _shown(result: "ConformanceReport", replay: "Replay", as_json: bool) -> Outcome:
    from ldp_verified.app.report import conformance
    from ldp_verified.app.report.output import show, show_document
    from ldp_verified.check.conformance.results import ConformanceOutcome as Found

    outcome = {
        Found.PASSED: Outcome.HOLDS,
        Found.REJECTED: Outcome.VIOLATED,
        Found.INCONCLUSIVE: Outcome.INCONCLUSIVE,
    }[result.outcome]
    if as_json:
        show_document("conform", outcome, conformance.document(result, replay))
    else:
        show(conformance.terminal(result, replay))
    return outcome
