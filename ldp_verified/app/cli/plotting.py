"""`plot`: variances of the catalogue, trade-off and privacy loss of a table."""

import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ldp_verified.app.cli.outcome import AsJson, Outcome, options_named, reported
from ldp_verified.app.cli.settings import read_settings
from ldp_verified.app.cli.specs import SPEC
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from ldp_verified.analysis.curves import LossCurve, VarianceCurves
    from ldp_verified.app.report.output import Json
    from ldp_verified.deploy.collect.ranking import Wish

POINTS = 400
USERS_POINTS = 24
LARGEST_DRAWN = 300.0
"""No epsilon is drawn from here on: e^eps would soon be no float."""

HELP = """
Draw errors, users needed, trade-offs of tests, or privacy losses.

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

    from ldp_verified.analysis.curves import variance_curves
    from ldp_verified.app.report.figures import draw_variance
    from ldp_verified.app.report.output import say, show_document
    from ldp_verified.deploy.collect.plot import check_plot_path
    from ldp_verified.language import load_catalogue

    check_plot_path(output, "--output")
    users, _ = whole("n", n), at_least("k", k, 2)
    over_k = against is Against.K
    left, right = (2.0, 1000.0) if over_k else (0.1, 8.0)
    left, right = (left if low is None else low), (right if high is None else high)
    check_ends(left, right, math.inf if over_k else LARGEST_DRAWN)
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
    target_error: Annotated[
        float | None, typer.Option(help="Of the estimated share of a value.")
    ] = None,
    detect_share: Annotated[
        float | None, typer.Option(help="Or: that a value of this share stands out.")
    ] = None,
    quantile: Annotated[
        float | None,
        typer.Option(help="With --target-error: of ordered values, the share below this quantile."),
    ] = None,
    k: Annotated[int, typer.Option(help="Number of values.")] = 100,
    level: Annotated[float, typer.Option(help="Probability of staying within the error.")] = 0.95,
    share: Annotated[
        float | None, typer.Option(help="Who hold the value. By default the worst share.")
    ] = None,
    low: Annotated[float, typer.Option(help="Left end of the axis of epsilon.")] = 0.25,
    high: Annotated[float, typer.Option(help="Right end.")] = 8.0,
    as_json: AsJson = False,
) -> Outcome:
    """Draw the users that every oracle needs for an error, or to see a value, by epsilon.

    From the realized mechanisms, as choose has them with the same options; the numbers of users are
    those by normal approximation. Where no number is enough for any, nothing is drawn, and the exit
    code is 1.

    [bold]Examples[/bold]

      ldp-verified plot users --k 1000 --target-error 0.01 -o users.png
      ldp-verified plot users --k 1000 --detect-share 0.002 -o seen.png
    """
    import numpy as np

    from ldp_verified.app.cli.progress import bar
    from ldp_verified.app.report.figures import draw_users
    from ldp_verified.app.report.output import say, show_document
    from ldp_verified.deploy.collect.plan import MOST_USERS
    from ldp_verified.deploy.collect.plot import check_plot_path
    from ldp_verified.deploy.collect.ranking import Wish, plans_for_users

    check_plot_path(output, "--output")
    at_least("k", k, 2)
    wish = Wish(target_error, detect_share, level, share, quantile)
    check_wish(wish)
    check_ends(low, high, LARGEST_DRAWN)
    points = np.geomspace(low, high, USERS_POINTS)
    curves: dict[str, list[int | None]] = {}
    with wish_named(wish), bar(counted=True) as tell:
        for done, epsilon in enumerate(points.tolist()):
            tell("values of epsilon", done, USERS_POINTS)
            for plan in plans_for_users(epsilon, k, wish.users):
                needed = None if plan.need is None else plan.need.users
                curves.setdefault(plan.name, []).append(needed)
    able = any(needed is not None for curve in curves.values() for needed in curve)
    outcome = Outcome.HOLDS if able else Outcome.VIOLATED
    if able:
        draw_users(points, curves, _asked(wish, k), output)
    if as_json:
        found: dict[str, Json] = {name: list(values) for name, values in curves.items()}
        show_document("plot users", outcome, {"epsilon": points.tolist(), "users": found})
    elif able:
        say(f"{output}: written")
    else:
        enough = f"no number of users up to {MOST_USERS:,} is enough for any mechanism"
        say(f"Nothing does this: {enough}, so nothing is drawn.")
    return outcome


def _asked(wish: "Wish", k: int) -> str:
    """The title of a picture of the users that a wish needs."""
    if wish.detect is not None:
        return f"a share {wish.detect:g} stands out among {k:,} values, probability {wish.level:g}"
    within = f"within {wish.error:g}, probability {wish.level:g}"
    if wish.quantile is not None:
        return f"share below quantile {wish.quantile:g} of {k:,} ordered values {within}"
    held = "any share" if wish.share is None else f"a share f = {wish.share:g}"
    return f"share of one of {k:,} values {within}, {held}"


def check_wish(wish: "Wish") -> None:
    """Refuse options that do not go together, by their names.

    Raises:
        ParameterError: neither an error nor a share to detect, or both; or what belongs to another
            question.
    """
    for name, other in (("--share", wish.share), ("--quantile", wish.quantile)):
        if wish.error is None and other is not None:
            raise ParameterError(name, "goes with --target-error only", other)
    if (wish.error is None) == (wish.detect is None):
        rule = (
            "give exactly one of --target-error (how close must a share be?) and --detect-share "
            "(how rare a value must stand out?)"
        )
        raise ParameterError("--target-error", rule)
    if wish.share is not None and wish.quantile is not None:
        raise ParameterError("--share", "must be left out with --quantile", wish.share)


def wish_named(wish: "Wish") -> "AbstractContextManager[None]":
    """Make a context in which errors of a plan name the options."""
    share = "--share" if wish.detect is None else "--detect-share"
    return options_named("level", "quantile", error="--target-error", share=share)


@app.command()
@reported
def tradeoff(
    spec: Spec, output: Target, settings: Settings = None, as_json: AsJson = False
) -> Outcome:
    """Draw the trade-off of a test of x against x', beside that of any eps-LDP table.

    [bold]Examples[/bold]

      ldp-verified plot tradeoff grr --set eps=1 --set k=10 -o tradeoff.png
    """
    from ldp_verified.app.report.figures import draw_trade_off

    return _of_one("plot tradeoff", spec, output, settings, as_json, draw_trade_off)


@app.command()
@reported
def loss(spec: Spec, output: Target, settings: Settings = None, as_json: AsJson = False) -> Outcome:
    """Draw the distribution of the privacy loss, and the smallest delta for every eps.

    [bold]Examples[/bold]

      ldp-verified plot loss oue --set eps=1 -o loss.png
    """
    from ldp_verified.app.report.figures import draw_loss

    return _of_one("plot loss", spec, output, settings, as_json, draw_loss)


def whole(argument: str, value: float) -> int:
    """A number such as 1e6 as an integer.

    Raises:
        ParameterError: it is not whole or not positive.
    """
    if not value.is_integer() or value < 1:
        raise ParameterError(f"--{argument}", "must be a whole number >= 1", value)
    return int(value)


def check_ends(low: float, high: float, below: float) -> None:
    """Refuse an axis without a beginning, an end or anything between them.

    Raises:
        ParameterError: an option is not a number, not in its order, or --high not below `below`.
    """
    if not high < below:
        rule = "must be a finite number" if below == math.inf else f"must be below {below:g}"
        raise ParameterError("--high", rule, high)
    if not 0 < low < high:
        raise ParameterError("--low", "must be above 0 and below --high", [low, high])


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
    from ldp_verified.analysis.curves import loss_curve
    from ldp_verified.app.cli.spec_runs import specs_named
    from ldp_verified.app.report.output import say, show_document
    from ldp_verified.deploy.collect.plot import check_plot_path
    from ldp_verified.language import load

    check_plot_path(output, "--output")
    (spec,) = specs_named([spec])
    found = load(spec)
    named = {m.name: m for m in found}
    mechanism = named.get(spec, found[0])
    curve = loss_curve(mechanism, read_settings(settings))
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
