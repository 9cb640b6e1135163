"""`choose`: frequency oracles for given epsilon, k and n, or protocols, the best first."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ldp_verified.app.cli.choosing_hitters import heavy_hitters
from ldp_verified.app.cli.outcome import AsJson, Outcome, options_named, reported
from ldp_verified.app.cli.plotting import at_least, check_wish, whole, wish_named
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ldp_verified.deploy.collect.choose import MechanismCandidate
    from ldp_verified.deploy.collect.methods import Score
    from ldp_verified.deploy.collect.ranking import RankedPlan, Wish

RUNS = 10

USERS = 1e6
"""Whom a ranking is for where nobody says how many they are."""

Sized = TypeVar("Sized", "MechanismCandidate", "RankedPlan")


class By(StrEnum):
    """The figure by which mechanisms are ranked."""

    WORST = "worst"
    RARE = "rare"
    BITS = "bits"


app = typer.Typer(name="choose", invoke_without_command=True, rich_markup_mode="rich")
app.command("heavy-hitters")(heavy_hitters)


@app.callback()
@reported
def choose(
    context: typer.Context,
    k: Annotated[int | None, typer.Option(help="Number of values.")] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Of each report; without it, --n asks for the epsilon.")
    ] = None,
    n: Annotated[
        float | None,
        typer.Option(help="Users, 1e6 is a number too; without it a ranking is of 1e6 users."),
    ] = None,
    target_error: Annotated[
        float | None, typer.Option(help="Ask for the users that keep a share within this error.")
    ] = None,
    detect_share: Annotated[
        float | None,
        typer.Option(help="Ask for the users at which a value of this share stands out."),
    ] = None,
    quantile: Annotated[
        float | None,
        typer.Option(
            help="With --target-error: ordered values, and the share below this quantile of them."
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="Of the answer to each question.")] = 0.95,
    share: Annotated[
        float | None,
        typer.Option(help="With --target-error: the share who hold the value. Default: the worst."),
    ] = None,
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
    zipf: Annotated[
        float | None,
        typer.Option(
            help="Also compare the ways to make counts consistent, for the best mechanism and "
            "counts in proportion to rank^-ZIPF."
        ),
    ] = None,
    as_json: AsJson = False,
) -> Outcome | None:
    """Rank the frequency oracles by variance, size of a report and work of the server.

    With --target-error or --detect-share, they are ranked by the users that they need at --epsilon,
    or by the epsilon that they need for --n users; the exit code is 1 where none is enough. For
    values that nobody can list: ldp-verified choose heavy-hitters --help.

    Variances are those of the realized tables, which are instances of the proved formulas
    (ldp-verified verify NAME). The last column counts steps of the server for all n reports:
    counters raised, words added, hashes evaluated, and the additions of a transform. The sketches
    cms and hcms have 1,024 buckets and 65,536 rows. Other sizes: docs/sketches.md.

    [bold]Examples[/bold]

      ldp-verified choose --k 1000 --epsilon 1 --n 1e6
      ldp-verified choose --k 1000 --epsilon 1 --bits-budget 32 --by rare

      ldp-verified choose --k 1000 --epsilon 1 --target-error 0.01    how many users

      ldp-verified choose --k 1000 --n 1e6 --target-error 0.01        which epsilon

      ldp-verified choose --k 1000 --epsilon 1 --detect-share 0.002   users to see a rare value

      ldp-verified choose --k 64 --epsilon 1 --target-error 0.01 --quantile 0.5    for a median

      ldp-verified choose --k 1000 --epsilon 1 --n 1e6 --zipf 1.1     and then, which consistency
    """
    if context.invoked_subcommand is not None:
        _refuse_before(context)
        return None
    if k is None:
        raise ParameterError("--k", "must be given: the number of values")
    if (target_error, detect_share, share, quantile) != (None,) * 4:
        if zipf is not None:
            raise ParameterError("--zipf", "must be left out of a plan", zipf)
        from ldp_verified.deploy.collect.ranking import Wish

        wish = Wish(target_error, detect_share, level, share, quantile)
        return _planned(wish, epsilon, k, n, bits_budget, as_json)
    if epsilon is None:
        raise ParameterError("--epsilon", "must be given, or --target-error to ask for it")
    from ldp_verified.app.report import choice, consistency
    from ldp_verified.app.report.output import show, show_document
    from ldp_verified.deploy.collect.choose import candidates

    users, _ = whole("n", USERS if n is None else n), at_least("k", k, 2)
    found = candidates(epsilon, k, users, with_sketches=True)
    fitting = [c for c in _within(found, bits_budget) if c.bits is not None]
    ranked = sorted(fitting, key=lambda c: _key(c.worst, c.rare, c.bits or 0, by))
    left_out = [c for c in found if c not in fitting]
    scores = None if zipf is None else _compared(ranked[0], k, users, zipf)
    if as_json:
        found_out = choice.document(ranked, left_out, users)
        if scores is not None:
            found_out |= {"consistency": consistency.document(scores, ranked[0].name)}
        show_document("choose", Outcome.HOLDS, found_out)
    else:
        show(choice.terminal(ranked, left_out, users))
        if scores is not None:
            show(consistency.terminal(scores, ranked[0].name))
    return Outcome.HOLDS


def _refuse_before(context: typer.Context) -> None:
    """Refuse options before the name of a command, which would be ignored."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and source.name == "COMMANDLINE":
            rule = f"must come after {context.invoked_subcommand}, or be left out"
            raise ParameterError(parameter.opts[0], rule)


def _compared(
    first: "MechanismCandidate", k: int, n: int, exponent: float
) -> "Mapping[str, Score]":
    """The errors of every method on reports of the first mechanism."""
    from ldp_verified.app.cli.progress import bar
    from ldp_verified.deploy.collect.methods import compare, zipf

    with options_named("k", "n", exponent="--zipf"), bar(counted=True) as tell:
        return compare(
            first.mechanism, zipf(k, n, exponent), RUNS, lambda done: tell("runs", done, RUNS)
        )


def _planned(
    wish: "Wish",
    epsilon: float | None,
    k: int,
    n: float | None,
    bits_budget: int | None,
    as_json: bool,
) -> Outcome:
    from ldp_verified.app.report import planned
    from ldp_verified.app.report.output import show, show_document
    from ldp_verified.deploy.collect import ranking

    at_least("k", k, 2)
    check_wish(wish)
    if (epsilon is None) == (n is None):
        asked = "--target-error" if wish.detect is None else "--detect-share"
        rule = (
            f"with {asked} give --epsilon (to learn how many users) or --n (to learn which "
            "epsilon), not both"
        )
        raise ParameterError("--epsilon", rule)
    with wish_named(wish):
        if epsilon is not None:
            found = ranking.plans_for_users(epsilon, k, wish.users)
        else:
            assert n is not None
            found = ranking.plans_for_epsilon(whole("n", n), k, wish.users)
    found = tuple(_within(found, bits_budget))
    answer = planned.PlannedAnswer(found, wish, epsilon is None)
    outcome = Outcome.HOLDS if answer.able else Outcome.VIOLATED
    if as_json:
        show_document("choose", outcome, planned.document(answer))
    else:
        show(planned.terminal(answer))
    return outcome


def _within(found: "Iterable[Sized]", bits_budget: int | None) -> "list[Sized]":
    """Keep what has reports that fit, and what is refused whatever the budget is.

    Raises:
        ParameterError: the budget is none, or nothing fits.
    """
    every = list(found)
    if bits_budget is None:
        return every
    at_least("bits-budget", bits_budget, 1)
    sizes = [one.bits for one in every if one.bits is not None]
    if sizes and min(sizes) > bits_budget:
        raise ParameterError("--bits-budget", f"must be at least {min(sizes)}", bits_budget)
    return [one for one in every if one.bits is None or one.bits <= bits_budget]


def _key(worst: float, rare: float, bits: int, by: By) -> tuple[float, float, float]:
    match by:
        case By.WORST:
            return worst, bits, rare
        case By.RARE:
            return rare, bits, worst
        case By.BITS:
            return bits, worst, rare
