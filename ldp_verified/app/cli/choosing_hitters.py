"""`choose heavy-hitters`: protocols that find frequent values which nobody can list."""

from typing import Annotated

import typer

from ldp_verified.app.cli.outcome import AsJson, Outcome, options_named, reported
from ldp_verified.app.cli.plotting import whole
from ldp_verified.errors import ParameterError


@reported
def heavy_hitters(
    epsilon: Annotated[float, typer.Option(help="Of one user's whole transcript.")],
    n: Annotated[
        float | None, typer.Option(help="Users; asks for the share that they find.")
    ] = None,
    detect_share: Annotated[
        float | None, typer.Option(help="Asks for the users that find a value of this share.")
    ] = None,
    bits: Annotated[
        int | None,
        typer.Option(help="Values are below 2^BITS, 2..128; without it strings of 15 bytes."),
    ] = None,
    miss: Annotated[float, typer.Option(help="The chance to miss such a value.")] = 1e-3,
    as_json: AsJson = False,
) -> Outcome:
    """Rank the heavy-hitter protocols by the share of users that a value needs to be found.

    With --n by the share that is predicted to be found every second time, which is no bound, beside
    the share that is promised; with --detect-share by the users that promise to find it.

    For values that nobody can list, such as words, names of files, or numbers of 48 bits. Each
    protocol is asked at its defaults and, where it extends prefixes, at several steps; its best
    settings are shown as they are written in Python. The exit code is 1 where nothing is found.

    [bold]Examples[/bold]

      ldp-verified choose heavy-hitters --epsilon 4 --n 1e6                      words

      ldp-verified choose heavy-hitters --epsilon 4 --n 1e6 --bits 48            numbers

      ldp-verified choose heavy-hitters --epsilon 2 --detect-share 0.01          how many users
    """
    from ldp_verified.app.report import hitters
    from ldp_verified.app.report.output import show, show_document
    from ldp_verified.deploy.collect.hitters import found_shares, needed_users

    if (n is None) == (detect_share is None):
        rule = "give exactly one of --n (how many users?) and --detect-share (how rare a value?)"
        raise ParameterError("--n", rule)
    with options_named("epsilon", "n", "bits", "miss", share="--detect-share"):
        if n is not None:
            plans = found_shares(epsilon, whole("n", n), bits, miss)
        else:
            assert detect_share is not None
            plans = needed_users(epsilon, detect_share, bits, miss)
    found = hitters.Found(plans, miss, detect_share)
    outcome = Outcome.HOLDS if found.able else Outcome.VIOLATED
    if as_json:
        show_document("choose heavy-hitters", outcome, hitters.document(found))
    else:
        show(hitters.terminal(found))
    return outcome
