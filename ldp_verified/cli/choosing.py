"""`choose`: frequency oracles for given epsilon, k and n, the best first."""

from enum import StrEnum
from typing import Annotated

import typer

from ldp_verified.cli.outcome import AsJson, Outcome, reported
from ldp_verified.cli.plotting import at_least, whole
from ldp_verified.errors import ParameterError


class By(StrEnum):
    """The figure by which mechanisms are ranked."""

    WORST = "worst"
    RARE = "rare"
    BITS = "bits"


@reported
def choose(
    k: Annotated[int, typer.Option(help="Number of values.")],
    epsilon: Annotated[float, typer.Option(help="Of each report.")],
    n: Annotated[float, typer.Option(help="Users; 1e6 is a number too.")] = 1e6,
    bits_budget: Annotated[
        int | None, typer.Option(help="Leave out reports of more bits than this.")
    ] = None,
    by: Annotated[
        By,
        typer.Option(
            help="worst: standard error at the worst share; rare: of a value that nobody holds; "
            "bits: size of a report."
        ),
    ] = By.WORST,
    as_json: AsJson = False,
) -> Outcome:
    """Rank the frequency oracles by variance, size of a report and work of the server.

    Variances are those of the realized tables, which are instances of the proved formulas
    (ldp-verified verify NAME). The last column counts steps of the server for all n reports:
    counters raised, words added, hashes evaluated, and the additions of a transform. The sketches
    cms and hcms have 1,024 buckets and 65,536 rows; other sizes: docs/sketches.md.

    [bold]Examples[/bold]

      ldp-verified choose --k 1000 --epsilon 1 --n 1e6
      ldp-verified choose --k 1000 --epsilon 1 --bits-budget 32 --by rare
    """
    from ldp_verified.collect.choose import candidates
    from ldp_verified.report import choice
    from ldp_verified.report.output import show, show_document

    users, _ = whole("n", n), at_least("k", k, 2)
    if bits_budget is not None:
        at_least("bits-budget", bits_budget, 1)
    found = candidates(epsilon, k, users, with_sketches=True)
    fitting = [c for c in found if c.bits is not None and c.bits <= (bits_budget or c.bits)]
    if not fitting:
        least = min(c.bits for c in found if c.bits is not None)
        raise ParameterError("--bits-budget", f"must be at least {least}", bits_budget)
    ranked = sorted(fitting, key=lambda c: _key(c.worst, c.rare, c.bits or 0, by))
    left_out = [c for c in found if c not in fitting]
    if as_json:
        show_document("choose", Outcome.HOLDS, choice.document(ranked, left_out, users))
    else:
        show(choice.terminal(ranked, left_out, users))
    return Outcome.HOLDS


def _key(worst: float, rare: float, bits: int, by: By) -> tuple[float, float, float]:
    match by:
        case By.WORST:
            return worst, bits, rare
        case By.RARE:
            return rare, bits, worst
        case By.BITS:
            return bits, worst, rare
