"""The commands `audit` and `replay`, which test other people's randomizers."""

from pathlib import Path
from typing import Annotated

import typer

from ldp_verified.app.cli.audit_options import OPENED, kind_of, refuse_unused
from ldp_verified.app.cli.audit_steps import (
    AuditSteps,
    Files,
    exact,
    fitting,
    run,
    savable,
    show,
    show_exact,
    sources,
    writable,
)
from ldp_verified.app.cli.outcome import AsJson, Outcome, reported
from ldp_verified.app.cli.running_protocols import opened_protocol
from ldp_verified.app.cli.settings import read_settings
from ldp_verified.app.cli.spec_runs import specs_named
from ldp_verified.errors import ParameterError

Junit = Annotated[Path | None, typer.Option(metavar="PATH", help="Write JUnit XML.")]
Sarif = Annotated[Path | None, typer.Option(metavar="PATH", help="Write SARIF.")]
Html = Annotated[Path | None, typer.Option(metavar="PATH", help="Write one offline page.")]


@reported
def audit(
    context: typer.Context,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="TARGET",
            help="package.module:expression that gives a callable (value -> report), a file of "
            "reports (.csv, .csv.gz, .parquet, .arrow, .har), or a protocol's name or file.",
            show_default=False,
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            metavar="E",
            help="The claim. Without it, an interval for eps is shown.",
            show_default=False,
        ),
    ] = None,
    delta: Annotated[float, typer.Option(metavar="D", help="Of an (eps, delta) claim.")] = 0.0,
    command: Annotated[
        str | None,
        typer.Option(metavar="CMD", help="A program: one input per line in, one report per line."),
    ] = None,
    http: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A service; {input} stands for the value, here or in"),
    ] = None,
    body: Annotated[
        str | None, typer.Option(metavar="JSON", help="the body of a POST: '{\"v\": {input}}'.")
    ] = None,
    concurrency: Annotated[int, typer.Option(metavar="C", help="Requests at a time.")] = 8,
    table: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="A table of probabilities: exact, no sampling."),
    ] = None,
    configuration: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="RAPPOR's k,h,m,p,q,f, or m,epsilon, or k,flip."),
    ] = None,
    period: Annotated[
        str, typer.Option(metavar="P", help="What --epsilon is about: report, day or ever.")
    ] = "report",
    per_day: Annotated[
        int | None, typer.Option(metavar="N", help="Reports per day.", show_default=False)
    ] = None,
    inputs: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Private values: 0..9, or a,b,c, or a JSON list."),
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="All outputs there may be: eps is bounded above too."),
    ] = None,
    as_: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="What it is said to be: oue, grr, a spec file."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A parameter of --as, or of a protocol: k=100."
        ),
    ] = None,
    reading: Annotated[
        str | None,
        typer.Option(
            metavar="R",
            help="How outputs of --as are read: same, bits, set, hash:MODULE:FUNCTION.",
        ),
    ] = None,
    estimator: Annotated[
        str | None,
        typer.Option(
            metavar="SERVER",
            help="module:expression, reports -> estimated counts: compared with --as (LDP010).",
        ),
    ] = None,
    variance: Annotated[
        str | None,
        typer.Option(
            metavar="CLAIMED",
            help="module:expression, a variance or users -> variance: compared with --as (LDP015).",
        ),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option(
            metavar="SERVER",
            help="module:expression, reports -> intervals of counts: do they cover (LDP019)?",
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of --interval.")] = 0.95,
    fit: Annotated[
        bool,
        typer.Option("--fit", help="Can the reports of a file be those of --as (LDP020)?"),
    ] = False,
    users: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="--fit: the file holds counts of N users.", show_default=False
        ),
    ] = None,
    n: Annotated[int, typer.Option("--n", "-n", metavar="N", help="Samples for the bounds.")] = (
        200_000
    ),
    calls: Annotated[
        int | None,
        typer.Option(metavar="C", help="Calls in all, named checks included.", show_default=False),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="Time in all: calls are timed first.", show_default=False),
    ] = None,
    level: Annotated[float, typer.Option(help="P(a true claim is called violated).")] = 0.01,
    anytime: Annotated[
        bool, typer.Option("--anytime", help="Look at every batch; stop when decided.")
    ] = False,
    column: Annotated[str, typer.Option("--input", help="A file's column of inputs.")] = "input",
    output: Annotated[str, typer.Option(help="A file's column of outputs.")] = "output",
    bulk: Annotated[
        bool, typer.Option("--bulk", help="The callable takes many values at once.")
    ] = False,
    rows: Annotated[
        bool, typer.Option("--rows", help="It takes a column; give it columns of one row.")
    ] = False,
    repeat: Annotated[
        int, typer.Option(metavar="R", help="R reports of one value are one output.")
    ] = 1,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Evaluate the expression anew for each output.")
    ] = False,
    questions: Annotated[
        str | None,
        typer.Option(
            metavar="Q",
            help="A session of messages is one output: TARGET(value) is a client, and Q names its "
            "questions, or a function of the session so far that gives the next.",
        ),
    ] = None,
    bare: Annotated[
        bool, typer.Option("--bare", help="Write texts to a program without quotes.")
    ] = False,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for one answer.")] = 10.0,
    echo: Annotated[
        bool,
        typer.Option(
            "--echo",
            help="Begin each line to a program with a number and a tab; its answer must too.",
        ),
    ] = False,
    in_process: Annotated[
        bool,
        typer.Option(
            "--in-process",
            help="Call a Python target in the audit's own process, which it can then end or fake.",
        ),
    ] = False,
    decimals: Annotated[
        int | None,
        typer.Option(
            "--round",
            metavar="D",
            help="Round numbers in outputs to D decimals, and judge what is left.",
            show_default=False,
        ),
    ] = None,
    outside: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Values outside the domain that can occur: the claim is tested for them (LDP014).",
        ),
    ] = None,
    timing: Annotated[
        bool, typer.Option("--timing", help="Durations are outputs too (LDP017).")
    ] = False,
    beside: Annotated[
        bool, typer.Option("--beside", help="Streams, headers and sizes are outputs too (LDP018).")
    ] = False,
    checks: Annotated[bool, typer.Option(help="Also run the named checks (LDP005 and on).")] = True,
    seed: Annotated[
        int | None, typer.Option(help="Of inputs and split, not of the target.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Write the finding, for `replay`.")
    ] = None,
    junit: Junit = None,
    sarif: Sarif = None,
    html: Html = None,
    as_json: AsJson = False,
) -> Outcome:
    r"""Audit a randomizer: find a lower bound on eps, and whether a claim stands.

    It draws reports of the inputs, learns on one half which events tell inputs
    apart, and tests them on the other. From tables and configurations the
    tight eps is computed instead. The verdict is shown with its evidence,
    and with the violations that this audit could not have seen.

    [bold]Examples[/bold]

      ldp-verified audit 'mylib:Client(eps=1,d=10).privatise' --epsilon 1 --inputs 0..9
      ldp-verified audit --command "node client.js" --epsilon 1 --inputs yes,no
      ldp-verified audit my_protocol.py --set levels=3   transcripts, against the declared epsilon
      ldp-verified audit mylib:client --inputs 0..9      how private is it? no verdict
      ldp-verified audit campaign.parquet --input value --output report --epsilon 1
      ldp-verified audit mylib:oue --epsilon 1 --inputs 0..63 --as oue -n 1000000
      ldp-verified audit mylib:client --epsilon 1 --inputs 0..9 --as grr --estimator mylib:server
      ldp-verified audit --configuration rappor.csv --epsilon 1 --period ever

    [bold]Exit codes[/bold]: 0 consistent, 1 violated, 2 bad usage, 3 inconclusive
    """
    from ldp_verified.check.audit.run import Claim
    from ldp_verified.check.audit.targets.targets import Target, parse_inputs

    places: dict[str, object] = {"target": target, "command": command, "http": http}
    places |= {"table": table, "configuration": configuration}
    chosen = {name: value for name, value in places.items() if value is not None}
    if len(chosen) != 1:
        rule = "must be exactly one of TARGET, --command, --http, --table and --configuration"
        raise ParameterError("TARGET", rule, len(chosen))
    kind = kind_of(chosen, fit=fit, users=users)
    refuse_unused(context, kind)
    files = Files(as_json, junit, sarif, html)
    named = (target, command, table, configuration, as_, estimator, variance, interval, questions)
    writable(files, save, sources(named))
    if table is not None or configuration is not None:
        known = None if inputs is None else parse_inputs(inputs)
        tight = exact(table, configuration, epsilon, delta, period, per_day, known)
        return show_exact(tight, files, table or configuration)
    if target is not None and kind == "protocol":
        target, epsilon, inputs = opened_protocol(target, set_, epsilon, inputs)
        set_ = None
    opened = Target(
        kind=OPENED.get(kind, kind),
        reference=target or command or http or "",
        inputs=None if inputs is None else parse_inputs(inputs),
        bulk=bulk,
        rows=rows,
        repeat=repeat,
        fresh=fresh,
        questions=questions,
        bare=bare,
        timeout=timeout,
        echo=echo,
        in_process=in_process,
        column=column,
        output=output,
        decimals=decimals,
        timing=timing,
        beside=beside,
        body=body,
        concurrency=concurrency,
        outside=() if outside is None else parse_inputs(outside, "--outside", 1),
    )
    if as_ is not None:
        (as_,) = specs_named([as_])
    if save is not None:
        savable(opened)
    mode = "anytime" if anytime else "fixed"
    claim = Claim(epsilon or 0.0, delta, level, n, mode, stated=epsilon is not None)
    if fit:
        whole = fitting(opened, claim, as_ or "", read_settings(set_), reading, users)
        return show(whole, opened, "run it again", files)
    space = None if outputs is None else parse_inputs(outputs, "--outputs")
    steps = AuditSteps(
        as_,
        read_settings(set_),
        reading,
        seed,
        checks,
        outputs=space,
        estimator=estimator,
        claimed=variance,
        interval=interval,
        confidence=confidence,
        calls=calls,
        seconds=seconds,
    )
    result = run(opened, claim, steps, quiet=as_json)
    again = f"ldp-verified replay {save}" if save else "add --save PATH, then ldp-verified replay"
    return show(result, opened, again, files, save, vars(steps))


@reported
def replay(
    finding: Annotated[Path, typer.Argument(metavar="FINDING", help="From `audit --save`.")],
    n: Annotated[
        int | None, typer.Option("--n", "-n", metavar="N", help="Samples.", show_default=False)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the inputs.")] = None,
    junit: Junit = None,
    sarif: Sarif = None,
    html: Html = None,
    as_json: AsJson = False,
) -> Outcome:
    r"""See a saved finding again: its worst event and the rules it broke, on fresh samples.

    [bold]Example[/bold]

      ldp-verified audit mylib:client --epsilon 1 --inputs 0..9 --save leak.json
      ldp-verified replay leak.json
    """
    from dataclasses import replace

    from ldp_verified.check.audit.events.events import read as read_event
    from ldp_verified.check.audit.results.findings import again as compared
    from ldp_verified.check.audit.results.findings import read

    files = Files(as_json, junit, sarif, html)
    writable(files, read=[finding])
    saved = read(finding)
    claim = saved.claim if n is None else replace(saved.claim, n=n)
    events = tuple(read_event(event, saved.inputs) for event in saved.events[:1])
    if not events and not saved.rules:
        raise ParameterError(str(finding), "must hold an event or a broken rule")
    server = saved.options.get("estimator") if "LDP010" in saved.rules else None
    claimed = saved.options.get("claimed") if "LDP015" in saved.rules else None
    interval = saved.options.get("interval") if "LDP019" in saved.rules else None
    named = saved.options if server is not None or claimed is not None or not events else {}
    steps = AuditSteps(
        named.get("mechanism"),
        dict(named.get("parameters") or {}),
        named.get("reading"),
        seed,
        checks=bool(saved.rules),
        events=events,
        estimator=server,
        claimed=claimed,
        interval=interval,
        confidence=float(saved.options.get("confidence") or 0.95),
    )
    result = compared(saved, run(saved.target, claim, steps, quiet=as_json))
    again = f"ldp-verified replay {finding}"
    return show(result, saved.target, again, files)
