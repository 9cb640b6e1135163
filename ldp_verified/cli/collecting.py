"""`collect`: from a column on disk to estimated counts."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ldp_verified.cli.outcome import AsJson, Outcome, reported
from ldp_verified.cli.plotting import at_least
from ldp_verified.cli.progress import bar
from ldp_verified.errors import ParameterError


class Unknown(StrEnum):
    """The treatment of a row whose value is not in the domain."""

    ERROR = "error"
    OTHER = "other"


@reported
def collect(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV or Parquet file, one row per person.")
    ],
    column: Annotated[str, typer.Option(metavar="C", help="The private column.")],
    epsilon: Annotated[float, typer.Option(metavar="E", help="Of each row's report.")],
    domain: Annotated[
        str,
        typer.Option(
            metavar="FILE_OR_LIST",
            help="The values that may be reported, from public knowledge: a list a,b,c, "
            "a text file with one per line, or FILE:COLUMN of a public table.",
        ),
    ],
    mechanism: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A frequency oracle by its name (ldp-verified choose lists them); auto: the one "
            "of smallest worst-case variance for this epsilon and domain.",
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
    top: Annotated[int, typer.Option(help="How many of the largest estimates to show.")] = 20,
    as_json: AsJson = False,
) -> Outcome:
    r"""Randomize each row of a file as its owner would, and estimate.

    Without --compare the output depends on the private column through the
    randomized reports only; the number of rows counts as public. If a row does
    not fit the domain the run stops before anything is randomized; how many do
    not, and which values, only --compare tells.

    [bold]Examples[/bold]

      ldp-verified collect poll.csv --column answer --epsilon 1 --domain yes,no
      ldp-verified collect flights.parquet --column dest --epsilon 1 \
          --domain airports.csv:faa --unknown other
      ldp-verified collect flights.csv.gz --column dest --epsilon 1 \
          --domain airports.txt --compare --plot dest.png
    """
    from ldp_verified.collect.domain import read_domain
    from ldp_verified.collect.run import collect as run
    from ldp_verified.collect.table import open_column
    from ldp_verified.report import collection
    from ldp_verified.report.output import say, show, show_document

    at_least("top", top, 1)
    if plot is not None:
        from ldp_verified.collect.plot import check_plot_path

        check_plot_path(plot)
    source = open_column(file, column)
    public = read_domain(domain, file)
    if unknown is Unknown.OTHER:
        public = public.with_other()
    with bar(counted=True) as tell:
        result = run(
            source,
            public,
            epsilon=epsilon,
            mechanism=mechanism,
            compare=compare,
            level=level,
            seed=seed,
            progress=lambda stage, done, total: tell(f"{stage} rows", done, total),
        )
    failure = None
    if plot is not None:
        from ldp_verified.collect.plot import draw

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
