"""`collect --sets` and `collect --regions`: files whose rows are sets of items, or places."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ldp_verified.app.cli.outcome import Outcome, options_named
from ldp_verified.app.cli.progress import bar
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.app.report.protocol_collection import Result
    from ldp_verified.deploy.collect.domain import ColumnDomain

_SETS, _PLACES = "Sets of items, one user a line", "Places in safe regions"

Sets = Annotated[
    bool,
    typer.Option("--sets", help="Each line is a set of items.", rich_help_panel=_SETS),
]
Length = Annotated[
    int | None,
    typer.Option(
        metavar="L",
        help="How many items a set may have; padding and ldpminer pad shorter ones to it.",
        rich_help_panel=_SETS,
    ),
]
Cut = Annotated[
    bool, typer.Option("--cut", help="Longer sets are cut to --length.", rich_help_panel=_SETS)
]
Empty = Annotated[
    bool,
    typer.Option(
        "--empty", help="A set may have no item: a blank line; in JSON: []", rich_help_panel=_SETS
    ),
]
Regions = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="The taxonomy: a JSON object from each region to the list of its parts.",
        rich_help_panel=_PLACES,
    ),
]
RegionColumn = Annotated[
    str | None,
    typer.Option(
        metavar="C",
        help="The region that each user names, public; without it all name the whole.",
        rich_help_panel=_PLACES,
    ),
]
EpsilonColumn = Annotated[
    str | None,
    typer.Option(
        metavar="C",
        help="The epsilon of each user, public, in place of --epsilon.",
        rich_help_panel=_PLACES,
    ),
]
Clusters = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="With psda: a JSON object from each cluster's region to the regions of its users; "
        "without it they are chosen.",
        rich_help_panel=_PLACES,
    ),
]


@dataclass(frozen=True)
class AskedProtocol:
    """Options that columns, sets and places have in common: those of `collect`."""

    file: Path
    mechanism: str
    compare: bool
    level: float
    seed: int | None
    top: int
    plot: Path | None
    as_json: bool


def collect_sets(
    asked: AskedProtocol,
    domain: "ColumnDomain",
    epsilon: float,
    length: int | None,
    cut: bool,
    empty: bool,
) -> Outcome:
    """Mine the sets of a file, and show what was found.

    Raises:
        LdpError: an option or the file is wrong; nothing was drawn.
    """
    from ldp_verified.deploy.collect.sets import mine_file

    with options_named("epsilon", "length", "top"), bar(counted=True) as tell:
        result = mine_file(
            asked.file,
            domain,
            epsilon=epsilon,
            mechanism=asked.mechanism,
            length=length,
            cut=cut,
            empty=empty,
            top=asked.top,
            compare=asked.compare,
            level=asked.level,
            seed=asked.seed,
            progress=lambda stage, done, total: tell(f"{stage} lines", done, total),
        )
    return _show(asked, result)


def collect_places(
    asked: AskedProtocol,
    column: str,
    regions: Path,
    region_column: str | None,
    epsilon: float | None,
    epsilon_column: str | None,
    clusters: Path | None,
) -> Outcome:
    """Count the places of a file, and show them.

    Raises:
        LdpError: an option or a file is wrong; nothing was drawn.
    """
    from ldp_verified.deploy.collect import places
    from ldp_verified.deploy.collect.regions import read_clusters, read_taxonomy

    taxonomy = read_taxonomy(regions)
    grouped = None if clusters is None else read_clusters(clusters, taxonomy)
    prices = "--epsilon" if epsilon_column is None else "--epsilon-column"
    named = options_named("regions", "clusters", epsilons=prices)
    with named, bar(counted=True) as tell:
        result = places.collect_places(
            asked.file,
            column,
            taxonomy,
            mechanism=asked.mechanism,
            region_column=region_column,
            epsilon=epsilon,
            epsilon_column=epsilon_column,
            clusters=grouped,
            compare=asked.compare,
            level=asked.level,
            seed=asked.seed,
            progress=lambda stage, done, total: tell(f"{stage} rows", done, total),
        )
    return _show(asked, result)


def _show(asked: AskedProtocol, result: "Result") -> Outcome:
    """Show a result, and draw it where that was asked for: a plot that fails loses no estimate."""
    from ldp_verified.app.report import protocol_collection
    from ldp_verified.app.report.output import say, show, show_document
    from ldp_verified.deploy.collect.plot import draw_estimate

    failure = None
    if asked.plot is not None:
        try:
            estimate = protocol_collection.estimated(result)
            draw_estimate(estimate, asked.plot, asked.top, asked.level)
        except ParameterError as error:
            failure = error
    outcome = Outcome.HOLDS if failure is None else Outcome.BAD_INPUT
    if asked.as_json:
        drawn = None if asked.plot is None or failure is not None else str(asked.plot)
        show_document("collect", outcome, protocol_collection.document(result) | {"plot": drawn})
    else:
        show(protocol_collection.terminal(result, asked.top))
    if failure is not None:
        say(f"ldp-verified: {failure}")
    elif asked.plot is not None:
        say(f"plot: {asked.plot}")
    return outcome
