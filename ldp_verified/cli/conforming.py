"""`conform`: does the running code follow the spec's table?"""

import re
from typing import Annotated

import typer

from ldp_verified.cli.outcome import AsJson, Outcome, options_named, reported
from ldp_verified.cli.progress import bar


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
    as_json: AsJson = False,
) -> Outcome:
    """Test running code against its spec's table, at full width.

    Draws reports, and tests how often each comes, the mean and variance of
    estimates, and how often intervals cover. Each test states its null, level,
    sample size and the deviation that it would detect; a run too small to
    detect much is inconclusive, which is no pass. Clients of protocols are run
    as their users would: saved, restored, and reporting again. All take a
    minute or two.

    [bold]Examples[/bold]

      ldp-verified conform grr
      ldp-verified conform lsue rappor
      ldp-verified conform mine.py
      ldp-verified conform --json
      ldp-verified conform oue --seed 7 --n 10000000
    """
    from ldp_verified.conformance.results import Outcome as Found
    from ldp_verified.conformance.run import LEVEL, REPORTS, is_path, known_name
    from ldp_verified.conformance.run import conform as run
    from ldp_verified.report import conformance
    from ldp_verified.report.output import show, show_document

    chosen = list(dict.fromkeys(names or []))
    for name in chosen:
        if not is_path(name):
            known_name(name, "NAME")
    with bar(counted=False) as tell, options_named("n", "level", "seed"):
        result = run(
            chosen or None,
            n=REPORTS if n is None else n,
            seed=seed,
            level=LEVEL if level is None else level,
            progress=lambda what, share: tell(re.sub(r"\(.*\)", "", what), share, 1.0),
        )
    outcome = {
        Found.PASSED: Outcome.HOLDS,
        Found.REJECTED: Outcome.VIOLATED,
        Found.INCONCLUSIVE: Outcome.INCONCLUSIVE,
    }[result.outcome]
    replay = conformance.Replay(tuple(chosen), n, level)
    if as_json:
        show_document("conform", outcome, conformance.document(result, replay))
    else:
        show(conformance.terminal(result, replay))
    return outcome
