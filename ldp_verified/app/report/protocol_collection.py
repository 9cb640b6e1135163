"""Print the estimates of a protocol from a file of sets of items, or of places in regions."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from ldp_verified.app.report.collection import as_count, how_made
from ldp_verified.app.report.output import Json, Part, label, number, table
from ldp_verified.deploy.collect.places import PlaceCollection
from ldp_verified.deploy.collect.sets import MinedFile
from ldp_verified.protocols.mined import Mined
from ldp_verified.protocols.padding import PaddedSampling
from ldp_verified.protocols.set_mining import SetMining
from ldp_verified.run.aggregate.honest import DOUBTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.tabulated import Tabulated

    Floats = NDArray[np.float64]

Result = MinedFile | PlaceCollection

MOST_NAMED = 8
"""Regions and clusters that are listed."""


def estimated(result: Result) -> Tabulated:
    """The estimates of either."""
    return result.found if isinstance(result, MinedFile) else result.estimate


def terminal(result: Result, top: int) -> Iterator[Part]:
    """How the collection was done, the `top` largest estimates, and what they mean.

    Args:
        result: what a file gave. top: how many rows are shown; of mined sets all are.
    """
    how = _how_of_sets(result) if isinstance(result, MinedFile) else _how_of_places(result)
    yield Text("\n".join(how))
    yield _estimates(result, top)
    yield Text("\n".join(_notes(result)))


def _how_of_sets(result: MinedFile) -> Iterator[str]:
    domain, protocol = result.domain, result.protocol
    yield f"sets of {result.path.name}: {result.users:,} users, one a line"
    other = "" if domain.other is None else f', and "{label(domain.other)}" for all others'
    yield f"domain: {len(domain.values):,} items ({label(domain.origin)}){other}"
    name, bits = f"{type(protocol).__name__} at epsilon = {protocol.epsilon!r}", ""
    if isinstance(protocol, PaddedSampling):
        bits = f" (realized {protocol.realized_epsilon!r}), {protocol.bits_per_report:,} bits"
        bits += f" per report, sets of {protocol.length} places"
    yield f"protocol: {name}{bits}"
    what = "any two sets of items"
    yield from _randomness(result.seed, protocol.epsilon, what, "all that a user sends shifts")


def _how_of_places(result: PlaceCollection) -> Iterator[str]:
    protocol, tree = result.protocol, result.protocol.taxonomy
    yield f"{result.column} of {result.path.name}: {result.estimate.n:,} users, one a row"
    yield f"taxonomy: {len(tree.places):,} places in {len(tree.names):,} regions"
    how = "PCEP, each user counted for the places of their region"
    if result.clusters is not None:
        number = len(result.clusters.clusters)
        how = f"PSDA, {number:,} {'cluster' if number == 1 else 'clusters'} of users"
    levels = [f"{level:g}" for level in protocol.epsilons]
    several = len(levels) > 1
    shown = ", ".join(levels) if len(levels) <= MOST_NAMED else f"{levels[0]} to {levels[-1]}"
    yield f"protocol: {how}, at {'epsilons' if several else 'epsilon'} = {shown}"
    most = sorted(result.named.items(), key=lambda each: -each[1])
    said = [f"{label(name)} {users:,}" for name, users in most]
    yield f"regions that users named, which is public: {_first(said)}"
    if result.clusters is not None:
        groups = [
            f"{label(region)} ({_first(list(map(label, members)))})"
            for region, members in result.clusters.clusters
        ]
        yield f"clusters, and whose users are in them: {_first(groups)}"
    what = "two places of the user's own region"
    yield from _randomness(result.seed, protocol.epsilon, what, "a report shifts")
    yield (
        "Region and epsilon are sent as they are: whoever names a region says that they are in it. "
        "They must not be chosen by the place."
    )


def _first(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _randomness(seed: int | None, epsilon: float, what: str, who: str) -> Iterator[str]:
    if seed is not None:
        yield f"randomness: SIMULATED with seed {seed}; such reports protect nobody"
        return
    about = f" (about {exp(epsilon):.3g})" if epsilon < 20 else ""
    yield "randomness: secure (AES-256-CTR keyed by the operating system)"
    yield f"privacy: {who} the odds between {what} by a factor of at most e^{epsilon!r}{about}"


def _columns(result: Result) -> dict[str, Floats]:
    """Head -> numbers, in the order of the estimates."""
    counts, errors, low, high = estimated(result).columns(result.level)
    ends = (f"{100 * result.level:g} % from", "to")
    found = {"estimate": counts, "std error": errors, ends[0]: low, ends[1]: high}
    if isinstance(result, PlaceCollection):
        found["bound"] = result.bounds
        if result.fitted is not None:
            found["fitted"] = result.fitted
    return found


def _names(result: Result) -> list[str]:
    if isinstance(result, PlaceCollection):
        return [label(name) for name in result.protocol.taxonomy.places]
    items = list(map(label, result.domain.labels))
    return [" + ".join(items[item] for item in each) for each in result.itemsets]


def _estimates(result: Result, top: int) -> Part:
    columns = _columns(result)
    compare = ["truth", "error"] if result.truth is not None else []
    first = "place" if isinstance(result, PlaceCollection) else "items"
    rows = table(first, *columns, *compare, right=(*columns, *compare), folded=(first,))
    names, counts = _names(result), columns["estimate"]
    for place in np.argsort(-counts, kind="stable")[:top].tolist():
        cells = [names[place], *(as_count(c[place]) for c in columns.values())]
        if result.truth is not None:
            cells += [f"{result.truth[place]:,}", f"{counts[place] - result.truth[place]:+,.0f}"]
        rows.add_row(*cells)
    return rows


def _notes(result: Result) -> Iterator[str]:
    level = f"{100 * result.level:g} %"
    chosen = "Rows that are shown for their estimates are too high on average."
    made = how_made(estimated(result))
    exact = f"Each interval holds its true count with probability {level} ({made}), "
    if isinstance(result, PlaceCollection):
        yield f"{exact}each place for itself. {chosen}"
        yield f"All errors are within their bounds at once with probability {level} (Hoeffding)."
        if result.fitted is not None:
            yield (
                "Fitted: the nearest counts that add up to all users, none negative, with at least "
                "those in a region who named it. They are biased, and have no intervals."
            )
    elif isinstance(result.protocol, SetMining):
        yield (
            f"Intervals of {level} ({made}), for the noise of reports and groups "
            "alone: they leave out what cutting draws and the error of the estimated sizes, and "
            "counts are biased where frequent items stand in longer or shorter sets than others. "
            f"{chosen}"
        )
    elif result.cut:
        length = result.protocol.length
        yield (
            f"Intervals of {level} ({made}), for the noise of reports. A set of "
            f"s > {length} items counts {length}/s for each of them: what long sets hold is "
            f"estimated too low. {chosen}"
        )
    else:
        yield f"{exact}each item for itself: no set was cut. {chosen}"
    found = estimated(result)
    if isinstance(found, Mined) and found.nothing_stands_out:
        yield "Nothing stands out: perhaps nobody holds any of what is named."
    for check in found.honesty.doubted(DOUBTED):
        yield (
            f"Not all of these reports are honest ones, it seems: {check.name}, {check.found} "
            f"(p = {check.p_value:.2g})."
        )
    if result.truth is not None:
        _, _, low, high = estimated(result).columns(result.level)
        held = int(np.count_nonzero((low <= result.truth) & (result.truth <= high)))
        yield "The true counts are read from the private file: a simulation. A collector has none."
        yield f"{held:,} of {len(result.truth):,} intervals hold the true count"


def document(result: Result) -> dict[str, Json]:
    """All estimates; true counts only where a comparison was asked for."""
    estimate, protocol = estimated(result), result.protocol
    counts, errors, low, high = estimate.columns(result.level)
    values: list[Json] = []
    for place, name in enumerate(estimate.names):
        entry: dict[str, Json] = {
            "value": str(name),
            "estimate": float(counts[place]),
            "std_error": number(float(errors[place])),
            "low": number(float(low[place])),
            "high": number(float(high[place])),
        }
        if isinstance(result, MinedFile):
            labels = result.domain.labels
            entry["items"] = [labels[item] for item in result.itemsets[place]]
        else:
            entry["bound"] = float(result.bounds[place])
            if result.fitted is not None:
                entry["fitted"] = float(result.fitted[place])
        if result.truth is not None:
            entry["true_count"] = int(result.truth[place])
        values.append(entry)
    own = _of_sets(result) if isinstance(result, MinedFile) else _of_places(result)
    return {
        "file": str(result.path),
        **own,
        "protocol": {
            "name": type(protocol).__name__,
            "law_hash": protocol.law_sha256,
            "epsilon": protocol.epsilon,
            "realized_epsilon": protocol.realized_epsilon,
        },
        "simulated": result.seed is not None,
        "seed": result.seed,
        "level": result.level,
        "estimates": values,
        "honesty": [
            {"check": each.name, "p_value": each.p_value, "found": each.found}
            for each in estimate.honesty.checks
        ],
    }


def _of_sets(result: MinedFile) -> dict[str, Json]:
    domain = result.domain
    about: Json = {"origin": domain.origin, "values": len(domain.values), "other": domain.other}
    named = ("k", "length", "places", "g", "top")
    own: Json = {name: getattr(result.protocol, name, None) for name in named}
    return {"users": result.users, "domain": about, "parameters": own, "cut": result.cut}


def _of_places(result: PlaceCollection) -> dict[str, Json]:
    clusters: Json = None
    if result.clusters is not None:
        clusters = {region: [*members] for region, members in result.clusters.clusters}
    return {
        "column": result.column,
        "users": result.estimate.n,
        "regions_named": {**result.named},
        "epsilons": [*result.protocol.epsilons],
        "taxonomy_sha256": result.protocol.taxonomy.digest,
        "clusters": clusters,
    }
