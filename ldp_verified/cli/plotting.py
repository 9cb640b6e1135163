"""`plot`: variances of the catalogue, trade-off and privacy loss of a table."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ldp_verified.cli.outcome import AsJson, Outcome, options_named, reported
from ldp_verified.cli.specs import SPEC, read_settings
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.curves import LossCurve, VarianceCurves
    from ldp_verified.report.output import Json

POINTS = 400
USERS_POINTS = 24

HELP = """
Draw what people compare.

  ldp-verified plot variance --k 1000 -o v.png     which oracle is best at which eps
  ldp-verified plot users --k 1000 --target-error 0.01 -o u.png   how many users at which eps
  ldp-verified plot tradeoff grr --set eps=1 --set k=10 -o t.png
  ldp-verified plot loss oue --set eps=1 -o l.png  loss distribution and delta(eps)
"""

app = typer.Typer(name="plot", help=HELP, no_args_is_help=True, rich_markup_mode="rich")

Target = Annotated[
    Path, typer.Option("-o", "--output", metavar="PATH", help="The picture: .png or .svg.")
]
Spec = Annotated[str, typer.Argument(metavar="SPEC", help=SPEC)]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter's value; once for each."),
]


class Against(StrEnum):
    """The parameter on the horizontal axis of a plot of variances."""

    EPSILON = "epsilon"
    K = "k"


@app.command()
@reported
def variance(
    output: Target,
    against: Annotated[Against, typer.Option(help="The horizontal axis.")] = Against.EPSILON,
    k: Annotated[int, typer.Option(help="Number of values, where eps varies.")] = 100,
    epsilon: Annotated[float, typer.Option(help="Where k varies.")] = 1.0,
    low: Annotated[float | None, typer.Option(help="Left end of the axis: 0.1, or k = 2.")] = None,
    high: Annotated[float | None, typer.Option(help="Right end: 8, or k = 1000.")] = None,
    share: Annotated[float, typer.Option(help="f: the share of users who hold the value.")] = 0.0,
    n: Annotated[float, typer.Option(help="Users; 1e6 is a number too.")] = 1e6,
    as_json: AsJson = False,
) -> Outcome:
    """Draw the standard error of an estimated count of every oracle of the catalogue.

    Where two curves cross once, the crossing is marked, those of the best ones first (six at most;
    --json has all). The curves are the derived variances of the claimed tables, which verify
    proves; g, omega and the prime are the best at each point. Sketches, whose sizes are free, are
    not drawn.

    [bold]Examples[/bold]

      ldp-verified plot variance --k 1000 -o variance.png
      ldp-verified plot variance --against k --epsilon 2 -o by_size.svg
    """
    import numpy as np

    from ldp_verified.collect.plot import check_plot_path
    from ldp_verified.curves import variance_curves
    from ldp_verified.language import load_catalogue
    from ldp_verified.report.figures import draw_variance
    from ldp_verified.report.output import say, show_document

    check_plot_path(output)
    users, _ = whole("n", n), at_least("k", k, 2)
    over_k = against is Against.K
    left, right = (2.0, 1000.0) if over_k else (0.1, 8.0)
    left, right = (left if low is None else low), (right if high is None else high)
    if not 0 < left < right:
        raise ParameterError("--low", "must be above 0 and below --high", [left, right])
    curves = variance_curves(
        load_catalogue(),
        against.value,
        np.geomspace(left, right, POINTS) if over_k else np.linspace(left, right, POINTS),
        epsilon if over_k else float(k),
        share,
    )
    draw_variance(curves, users, output)
    if as_json:
        show_document("plot variance", Outcome.HOLDS, _crossings(curves))
    else:
        say(f"{output}: written")
    return Outcome.HOLDS


@app.command()
@reported
def users(
    output: Target,
    target_error: Annotated[float, typer.Option(help="Of the estimated share of a value.")],
    k: Annotated[int, typer.Option(help="Number of values.")] = 100,
    level: Annotated[float, typer.Option(help="Probability of staying within the error.")] = 0.95,
    share: Annotated[
        float | None, typer.Option(help="Who hold the value. By default the worst share.")
    ] = None,
    low: Annotated[float, typer.Option(help="Left end of the axis of epsilon.")] = 0.25,
    high: Annotated[float, typer.Option(help="Right end.")] = 8.0,
    as_json: AsJson = False,
) -> Outcome:
    """Draw the users that every oracle needs for an error, by epsilon.

    From the realized mechanisms, as choose --target-error has them; the numbers of users are those
    by normal approximation.

    [bold]Examples[/bold]

      ldp-verified plot users --k 1000 --target-error 0.01 -o users.png
    """
    import numpy as np

    from ldp_verified.cli.progress import bar
    from ldp_verified.collect.plan import users_for_error
    from ldp_verified.collect.plot import check_plot_path
    from ldp_verified.collect.ranking import plans_for_users
    from ldp_verified.report.figures import draw_users
    from ldp_verified.report.output import say, show_document

    check_plot_path(output)
    at_least("k", k, 2)
    if not 0 < low < high:
        raise ParameterError("--low", "must be above 0 and below --high", [low, high])
    points = np.geomspace(low, high, USERS_POINTS)
    curves: dict[str, list[int | None]] = {}
    named = options_named("level", "share", error="--target-error")
    with named, bar(counted=True) as tell:
        for done, epsilon in enumerate(points.tolist()):
            tell("values of epsilon", done, USERS_POINTS)
            for plan in plans_for_users(
                epsilon, k, lambda made: users_for_error(made, target_error, level, share=share)
            ):
                needed = None if plan.need is None else plan.need.users
                curves.setdefault(plan.name, []).append(needed)
    held = "any share" if share is None else f"a share f = {share:g}"
    title = f"share of one of {k:,} values within {target_error:g}, probability {level:g}, {held}"
    draw_users(points, curves, title, output)
    if as_json:
        found: dict[str, Json] = {name: list(values) for name, values in curves.items()}
        show_document("plot users", Outcome.HOLDS, {"epsilon": points.tolist(), "users": found})
    else:
        say(f"{output}: written")
    return Outcome.HOLDS


@app.command()
@reported
def tradeoff(
    spec: Spec, output: Target, settings: Settings = None, as_json: AsJson = False
) -> Outcome:
    """Draw the trade-off of a test of x against x', beside that of any eps-LDP table.

    [bold]Examples[/bold]

      ldp-verified plot tradeoff grr --set eps=1 --set k=10 -o tradeoff.png
    """
    from ldp_verified.report.figures import draw_trade_off

    return _of_one("plot tradeoff", spec, output, settings, as_json, draw_trade_off)


@app.command()
@reported
def loss(spec: Spec, output: Target, settings: Settings = None, as_json: AsJson = False) -> Outcome:
    """Draw the distribution of the privacy loss, and the smallest delta for every eps.

    [bold]Examples[/bold]

      ldp-verified plot loss oue --set eps=1 -o loss.png
    """
    from ldp_verified.report.figures import draw_loss

    return _of_one("plot loss", spec, output, settings, as_json, draw_loss)


def whole(argument: str, value: float) -> int:
    """A number such as 1e6 as an integer.

    Raises:
        ParameterError: it is not whole or not positive.
    """
    if not value.is_integer() or value < 1:
        raise ParameterError(f"--{argument}", "must be a whole number >= 1", value)
    return int(value)


def at_least(argument: str, value: int, least: int) -> int:
    """The value of an option, if it is large enough.

    Raises:
        ParameterError: it is not.
    """
    if value < least:
        raise ParameterError(f"--{argument}", f"must be an integer >= {least}", value)
    return value


def _of_one(
    name: str,
    spec: str,
    output: Path,
    settings: list[str] | None,
    as_json: bool,
    draw: "Callable[[LossCurve, str, Path], None]",
) -> Outcome:
    from ldp_verified.collect.plot import check_plot_path
    from ldp_verified.curves import loss_curve
    from ldp_verified.language import load
    from ldp_verified.report.output import say, show_document

    check_plot_path(output)
    found = load(spec)
    named = {m.name: m for m in found}
    mechanism = named.get(spec, found[0])
    curve = loss_curve(mechanism, read_settings(settings or []))
    draw(curve, mechanism.name, output)
    if as_json:
        pairs: list[Json] = [
            {"pair": pair, "loss": [*map(float, losses)], "probability": [*map(float, masses)]}
            for pair, losses, masses in zip(curve.pairs, curve.losses, curve.masses, strict=True)
        ]
        body: dict[str, Json] = {"mechanism": mechanism.name, "parameters": {**curve.parameters}}
        show_document(name, Outcome.HOLDS, {**body, "epsilon": curve.epsilon, "pairs": pairs})
    else:
        say(f"{output}: written")
    return Outcome.HOLDS


def _crossings(curves: "VarianceCurves") -> "dict[str, Json]":
    return {
        "against": curves.against,
        "fixed": curves.fixed,
        "share": curves.share,
        "mechanisms": [*curves.values],
        "crossings": [
            {
                "at": c.at,
                "variance_per_user": c.variance,
                "before": c.before,
                "after": c.after,
                "best": c.best,
                "once": c.once,
            }
            for c in curves.crossings
        ],
    }
