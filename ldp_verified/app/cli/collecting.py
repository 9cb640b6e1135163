"""`collect`: from a file on disk to estimated counts."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ldp_verified.app.cli.collecting_protocols import (
    AskedProtocol,
    Clusters,
    Cut,
    Empty,
    EpsilonColumn,
    Length,
    RegionColumn,
    Regions,
    Sets,
    collect_places,
    collect_sets,
)
from ldp_verified.app.cli.outcome import AsJson, Outcome, reported
from ldp_verified.app.cli.plotting import at_least
from ldp_verified.app.cli.progress import bar
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.deploy.collect.domain import ColumnDomain


Given = TypeVar("Given")


class Unknown(StrEnum):
    """The treatment of a row whose value is not in the domain."""

    ERROR = "error"
    OTHER = "other"


@reported
def collect(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A CSV or Parquet file, one row per person; with --sets, one set a line.",
        ),
    ],
    column: Annotated[
        str | None, typer.Option(metavar="C", help="The private column; not with --sets.")
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(metavar="E", help="Of each row's report, or of all of a user's.")
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option(
            metavar="FILE_OR_LIST",
            help="The values that may be reported, from public knowledge: a list a,b,c, "
            "a text file with one per line, or FILE:COLUMN of a public table; not with --regions.",
        ),
    ] = None,
    mechanism: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A frequency oracle by its name (ldp-verified choose lists them); auto: the one "
            "of smallest worst-case variance for this epsilon and domain. For sets: svim (auto), "
            "svsm, ldpminer, padding, or a class of padding. For places: pcep (auto) or psda.",
        ),
    ] = "auto",
    unknown: Annotated[
        Unknown,
        typer.Option(
            help="A row that holds no value of the domain, or none at all: stop, or report it "
            "as one more value."
        ),
    ] = Unknown.ERROR,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Simulation: also look at the private column and show the true counts.",
        ),
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Draw the estimates, as .png or .svg.")
    ] = None,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    seed: Annotated[
        int | None, typer.Option(help="Simulation: repeatable randomness, which protects nobody.")
    ] = None,
    top: Annotated[
        int,
        typer.Option(
            help="How many of the largest estimates to show; svim, svsm and ldpminer find so many."
        ),
    ] = 20,
    sets: Sets = False,
    length: Length = None,
    cut: Cut = False,
    empty: Empty = False,
    regions: Regions = None,
    region_column: RegionColumn = None,
    epsilon_column: EpsilonColumn = None,
    clusters: Clusters = None,
    as_json: AsJson = False,
) -> Outcome:
    r"""Randomize each row of a file as its owner would, and estimate.

    Without --compare the output depends on the private column through the
    randomized reports only; the number of rows counts as public. If a row does
    not fit the domain the run stops before anything is randomized; how many do
    not, and which values, only --compare tells. A row with an empty cell holds
    no value; in a CSV file of one column so does each blank line.

    With --sets each line is one user's set of items: a JSON list, or the cells of CSV. With
    --regions each row is a place within a safe region. A line that breaks a rule stops the run
    before anything is randomized; the message has its number, and not what stands there.

    [bold]Examples[/bold]

      ldp-verified collect poll.csv --column answer --epsilon 1 --domain yes,no
      ldp-verified collect flights.parquet --column dest --epsilon 1 \
          --domain airports.csv:faa --unknown other
      ldp-verified collect flights.csv.gz --column dest --epsilon 1 \
          --domain airports.txt --compare --plot dest.png
      ldp-verified collect baskets.jsonl --sets --epsilon 2 --domain goods.txt --top 10
      ldp-verified collect people.csv --column city --epsilon 1 \
          --regions regions.json --region-column country
    """
    from ldp_verified.app.report import collection
    from ldp_verified.app.report.output import say, show, show_document
    from ldp_verified.deploy.collect.run import collect as run
    from ldp_verified.deploy.collect.table import open_column

    at_least("top", top, 1)
    if plot is not None:
        from ldp_verified.deploy.collect.plot import check_plot_path

        check_plot_path(plot)
    of_places = {
        "--region-column": region_column,
        "--epsilon-column": epsilon_column,
        "--clusters": clusters,
    }
    of_sets = {"--length": length, "--cut": cut, "--empty": empty}
    asked = AskedProtocol(file, mechanism, compare, level, seed, top, plot, as_json)
    if sets:
        _refuse("--sets", {"--column": column, "--regions": regions} | of_places)
        public = _domain(domain, file, unknown)
        return collect_sets(asked, public, _given("--epsilon", epsilon), length, cut, empty)
    _refuse_without("--sets", of_sets)
    if regions is not None:
        _refuse("--regions", {"--domain": domain, "--unknown": unknown is Unknown.OTHER})
        private = _given("--column", column)
        return collect_places(
            asked, private, regions, region_column, epsilon, epsilon_column, clusters
        )
    _refuse_without("--regions", of_places)
    source = open_column(file, _given("--column", column))
    public = _domain(domain, file, unknown)
    of_each = _given("--epsilon", epsilon)
    with bar(counted=True) as tell:
        result = run(
            source,
            public,
            epsilon=of_each,
            mechanism=mechanism,
            compare=compare,
            level=level,
            seed=seed,
            progress=lambda stage, done, total: tell(f"{stage} rows", done, total),
        )
    failure = None
    if plot is not None:
        from ldp_verified.deploy.collect.plot import draw

        # The reports cannot be asked for again: the estimates are shown even if the plot fails.
        try:
            draw(result, plot, top)
        except ParameterError as error:
            failure = error
    outcome = Outcome.HOLDS if failure is None else Outcome.BAD_INPUT
    if as_json:
        show_document(
            "collect",
            outcome,
            collection.document(result)
            | {"plot": None if plot is None or failure is not None else str(plot)},
        )
    else:
        show(collection.terminal(result, top))
    if failure is not None:
        say(f"ldp-verified: {failure}")
    elif plot is not None:
        say(f"plot: {plot}")
    return outcome


def _domain(text: str | None, file: Path, unknown: Unknown) -> "ColumnDomain":
    """The public values, with one more for the others where that is asked for."""
    from ldp_verified.deploy.collect.domain import read_domain

    public = read_domain(_given("--domain", text), file)
    return public.with_other() if unknown is Unknown.OTHER else public


def _given(option: str, value: Given | None) -> Given:
    if value is None:
        raise ParameterError(option, "must be given")
    return value


def _refuse(beside: str, options: Mapping[str, object]) -> None:
    for option, value in options.items():
        if value is not None and value is not False:
            raise ParameterError(option, f"does not go with {beside}")


def _refuse_without(needed: str, options: Mapping[str, object]) -> None:
    for option, value in options.items():
        if value is not None and value is not False:
            raise ParameterError(option, f"goes with {needed} alone")
