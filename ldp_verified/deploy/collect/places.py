"""Places from a file, each user's in a safe region that they named, and their counts.

A row has a private place, and in other columns a region and an epsilon, both public. All rows are
checked before anything is drawn. A row that breaks a rule is named by its line: whoever reads the
message learns that about this row, and not which place stands there.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.deploy.collect.choose import AUTO
from ldp_verified.deploy.collect.domain import OUTSIDE, ColumnDomain
from ldp_verified.deploy.collect.lines import csv_rows
from ldp_verified.deploy.collect.survey import Progress, silent
from ldp_verified.deploy.collect.table import TableError, at, is_parquet, open_column
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import SafeRegions, SafeRegionState
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.kernels.seeds import checked_seed, word_source
from ldp_verified.spellings import meant

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from ldp_verified.deploy.collect.table import InputColumn
    from ldp_verified.protocols import RegionClusters, Taxonomy
    from ldp_verified.run.aggregate import Estimate

PCEP: Final = "pcep"
PSDA: Final = "psda"


@dataclass(frozen=True)
class PlaceRows:
    """The rows of a file, all checked.

    Attributes:
        places: each user's, in their region. regions: each user's. epsilons: each user's.
        levels: the different epsilons, rising.
    """

    places: list[str]
    regions: list[str]
    epsilons: list[float]
    levels: tuple[float, ...]


@dataclass(frozen=True)
class PlaceCollection:
    """Counts of places.

    Attributes:
        path: of the file. column: of the places. protocol: that was run.
        estimate: counts of all places.
        named: how many users named each region, of those that somebody named.
        clusters: of PSDA, with `bounds` and `fitted`; None of PCEP.
        bounds: the errors of all places stay below them at once with the chance `level`.
        fitted: the nearest counts that fit `named`, of PSDA; None of PCEP.
        level: of intervals and bounds. seed: of a simulation; None for secure randomness.
        truth: true counts where they were asked for, int64 (places,).
    """

    path: Path
    column: str
    protocol: SafeRegions
    estimate: Estimate
    named: dict[str, int]
    clusters: RegionClusters | None
    bounds: NDArray[np.float64]
    fitted: NDArray[np.float64] | None
    level: float
    seed: int | None
    truth: NDArray[np.int64] | None


def read_places(
    path: Path,
    column: str,
    taxonomy: Taxonomy,
    *,
    region_column: str | None = None,
    epsilon: float | None = None,
    epsilon_column: str | None = None,
    progress: Progress = silent,
) -> PlaceRows:
    """The rows of a CSV or Parquet file, one user a row.

    Args:
        path: a file as `open_column` takes it. column: of the private places.
        taxonomy: of the regions.
        region_column: of each user's region; None where all name the whole domain.
        epsilon: of all users, or epsilon_column: of each user's. One of the two is given.
        progress: told of the rows done.

    Raises:
        TableError: the file cannot be read, has no such column, or no rows.
        ParameterError: not one of the two ways to give an epsilon; a region that is none of the
            taxonomy or holds a single place, or an epsilon that is no number above 0: with its
            line.
        DomainError: a place that is none of the taxonomy, or outside its region: with its line,
            and not the place.
    """
    if (epsilon is None) == (epsilon_column is None):
        rule = "give exactly one of --epsilon (of all users) and --epsilon-column (of each user)"
        raise ParameterError("--epsilon", rule)
    names = [column, region_column, epsilon_column]
    columns = [None if name is None else open_column(path, name) for name in names]
    here, named, prices = columns
    assert here is not None
    places = _coded(here, ColumnDomain(taxonomy.places, "taxonomy"), progress)
    rows = len(places)
    if rows == 0:
        raise TableError(str(path), "must hold at least one row, but there is only the header")
    regions = np.zeros(rows, dtype=np.int64)
    if named is not None:
        regions = _coded(named, ColumnDomain(taxonomy.names, "taxonomy"), progress)
    given = [] if prices is None else [text for b in prices.batches() for text in b.to_pylist()]
    if len(regions) != rows or (prices is not None and len(given) != rows):
        raise TableError(str(path), "changed while it was read; nothing was randomized")
    _check_regions(path, taxonomy, regions)
    _check_places(path, taxonomy, places, regions)
    each = [epsilon] * rows if epsilon is not None else _numbers(path, given)
    return PlaceRows(
        [taxonomy.places[place] for place in places.tolist()],
        [taxonomy.names[region] for region in regions.tolist()],
        each,
        tuple(sorted(set(each))),
    )


def _coded(column: InputColumn, domain: ColumnDomain, progress: Progress) -> NDArray[np.int64]:
    """The number of the name in each row, OUTSIDE for what is no name; int64 (rows,)."""
    found = [np.zeros(0, dtype=np.int64)]
    done = 0
    for cells in column.batches():
        found.append(domain.encode(cells))
        done += len(cells)
        progress("checking", done, None)
    return np.concatenate(found)


def _check_regions(path: Path, taxonomy: Taxonomy, regions: NDArray[np.int64]) -> None:
    sizes = np.array([len(taxonomy.span(name)) for name in taxonomy.names])
    outside, single = regions == OUTSIDE, sizes[regions] < 2
    wrong = np.flatnonzero(outside | single)
    if not len(wrong):
        return
    row = int(wrong[0])
    rule = "must name a region of the taxonomy" if outside[row] else "must name two places or more"
    rest = "" if outside[row] else ": whoever names a region of a single one says where they are"
    raise ParameterError(_row(path, row), f"{rule}{rest}. Nothing was randomized")


def _check_places(
    path: Path, taxonomy: Taxonomy, places: NDArray[np.int64], regions: NDArray[np.int64]
) -> None:
    spans = [taxonomy.span(name) for name in taxonomy.names]
    begins = np.array([span.start for span in spans])[regions]
    ends = np.array([span.stop for span in spans])[regions]
    wrong = np.flatnonzero((places == OUTSIDE) | (places < begins) | (places >= ends))
    if not len(wrong):
        return
    row = int(wrong[0])
    rule = "must be a place of the taxonomy"
    if places[row] != OUTSIDE:
        rule = f"must be a place in the user's own region, {taxonomy.names[regions[row]]!r}"
    raise DomainError(_row(path, row), f"{rule}. Nothing was randomized")


def _numbers(path: Path, given: list[str | None]) -> list[float]:
    """Numbers above 0, which are public."""
    known: dict[str | None, float] = {}
    found = []
    for row, text in enumerate(given):
        if text not in known:
            try:
                value = float(text or "")
            except ValueError:
                value = 0.0
            if not 0 < value < float("inf"):
                rule = "must have an epsilon above 0 and finite. Nothing was randomized"
                raise ParameterError(_row(path, row), rule)
            known[text] = value
        found.append(known[text])
    return found


def _row(path: Path, row: int) -> str:
    """A row, by its line where the file is text."""
    if not is_parquet(path):
        # Arrow ends a line at a lone "\r" too: then the row has a number of its own only.
        with suppress(TableError):
            numbered = csv_rows(path)
            columns = next((len(cells) for _, cells in numbered if cells), 0)
            # A blank line is a row where there is one column, as in `open_column`.
            rows = (line for line, cells in numbered if cells or columns == 1)
            for line in islice(rows, row, None):
                return at(path, line)
    return f"{path}, row {row + 1}"


def collect_places(
    path: Path,
    column: str,
    taxonomy: Taxonomy,
    *,
    mechanism: str = AUTO,
    region_column: str | None = None,
    epsilon: float | None = None,
    epsilon_column: str | None = None,
    clusters: RegionClusters | None = None,
    compare: bool = False,
    level: float = 0.95,
    seed: int | None = None,
    progress: Progress = silent,
) -> PlaceCollection:
    """Count the places of a file: each row is one user, who reports one sign.

    Args:
        path, column, taxonomy, region_column, epsilon, epsilon_column, progress: as in
            `read_places`.
        mechanism: "pcep" or "auto", which counts a user for the places of their own region; or
            "psda", for those of the region of their cluster, with counts that fit what is public.
        clusters: of PSDA; None for those of `SafeRegionState.clusters`.
        compare: count the places too. The result is private no more.
        level: of intervals, and of the bounds of all errors at once.
        seed: None for secure randomness; an integer for a simulation that can be repeated and
            protects nobody.

    Raises:
        TableError, DomainError: as `read_places`. ParameterError: there, or another parameter.
    """
    check_level(level, "--level")
    if seed is not None:
        checked_seed(seed, name="--seed")
    wanted = PCEP if mechanism == AUTO else meant(mechanism, (PCEP, PSDA))
    if wanted is None:
        rule = f"must be {PCEP} or {PSDA} for places in safe regions"
        raise ParameterError("--mechanism", rule, mechanism)
    if clusters is not None and wanted == PCEP:
        raise ParameterError("--clusters", f"goes with --mechanism {PSDA} alone")
    rows = read_places(
        path,
        column,
        taxonomy,
        region_column=region_column,
        epsilon=epsilon,
        epsilon_column=epsilon_column,
        progress=progress,
    )
    protocol = SafeRegions(taxonomy.regions, rows.levels)
    if clusters is not None:
        clusters.counted(protocol.taxonomy, set(rows.regions))
    source = word_source(seed, "collect", column, *protocol.identity.named)
    reports = protocol.privatize(rows.places, source, region=rows.regions, epsilon=rows.epsilons)
    state = SafeRegionState(protocol, simulated=seed is not None).update(reports)
    beta = 1 - level
    used = None
    if wanted == PSDA:
        used = state.clusters(beta) if clusters is None else clusters
    return PlaceCollection(
        path,
        column,
        protocol,
        state.estimate(clusters=used),
        state.named,
        used,
        state.largest_errors(beta, used),
        None if used is None else state.consistent(used),
        level,
        seed,
        np.bincount(taxonomy.numbers(rows.places), minlength=len(taxonomy.places))
        if compare
        else None,
    )
