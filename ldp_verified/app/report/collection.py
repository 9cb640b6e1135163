"""A collection: how it was done, the largest estimates, and what to compare them with."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from ldp_verified.app.report.output import Json, Part, label, number, table
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.honest import DOUBTED
from ldp_verified.run.aggregate.interval_ends import coins_of_supports

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.deploy.collect.choose import MechanismCandidate
    from ldp_verified.deploy.collect.run import Collection
    from ldp_verified.deploy.collect.survey import Survey

LARGEST_SHOWN = 20.0
"""Beyond this epsilon the factor is a number that tells nobody anything."""


def as_count(value: float) -> str:
    """A count to the unit, or to three digits where it is small."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == 0 else f"{value:,.3g}"


def terminal(result: Collection, top: int) -> Iterator[Part]:
    """How it was collected, the `top` largest estimates, the rest in a sentence, comparisons."""
    yield Text("\n".join(_how(result)))
    yield _estimates(result, top)
    yield Text("\n".join(_notes(result, top)))
    if result.ranking:
        yield Text(
            "Chosen by the smallest worst-case standard error of a count, whatever share of the "
            "rows a value has:"
        )
        yield _ranking(result.ranking)


def _how(result: Collection) -> Iterator[str]:
    domain, mechanism = result.domain, result.mechanism
    yield f"{result.column.name} of {result.column.path.name}: {result.estimate.n:,} rows"
    values = f"{len(domain.values):,} values ({label(domain.origin)})"
    if domain.other is not None:
        values += f', and "{label(domain.other)}" for every row that holds none of them'
    yield f"domain: {values}"
    bits = mechanism.bits_per_report
    yield (
        f"mechanism: {type(mechanism).__name__} at epsilon = {mechanism.epsilon!r} "
        f"(realized {mechanism.realized_epsilon!r}), "
        f"{bits:,} {'bit' if bits == 1 else 'bits'} per report"
    )
    if mechanism.saturated:
        yield (
            "saturated: 64-bit thresholds are too coarse for this epsilon; "
            "the reports are more private than asked for"
        )
    if result.seed is None:
        yield "randomness: secure (AES-256-CTR keyed by the operating system)"
        epsilon = mechanism.epsilon
        about = f" (about {exp(epsilon):.3g})" if epsilon < LARGEST_SHOWN else ""
        yield (
            "privacy: a row's report shifts the odds between any two values of that row by a "
            f"factor of at most e^{epsilon!r}{about}; whoever has several rows gives several "
            "reports, and their factors multiply"
        )
    else:
        yield f"randomness: SIMULATED with seed {result.seed}; such reports protect nobody"


def _estimates(result: Collection, top: int) -> Part:
    estimate = result.estimate
    low, high = result.interval
    level = f"{100 * result.level:g} %"
    ends = (f"{level} from", "to")
    heads = ["value", "estimate", "std error", *ends, "share"]
    compare = ["truth", "error"] if result.truth is not None else []
    rows = table(*heads, *compare, right=(*heads[1:], *compare))
    for i in result.shown(top):
        cells = [
            label(result.domain.labels[i]),
            as_count(estimate.counts[i]),
            as_count(estimate.std_error[i]),
            as_count(low[i]),
            as_count(high[i]),
            f"{100 * estimate.shares[i]:.2f} %",
        ]
        if result.truth is not None:
            true = result.truth.counts[i]
            cells += [f"{true:,}", f"{estimate.counts[i] - true:+,.0f}"]
        rows.add_row(*cells)
    return rows


def how_made(estimate: object) -> str:
    """Say in brackets what intervals follow from: see `Estimate.interval`."""
    tails = isinstance(estimate, Estimate) and coins_of_supports(estimate.oracle) is not None
    return "from the tails of support counts" if tails else "normal approximation"


def _notes(result: Collection, top: int) -> Iterator[str]:
    counts = result.estimate.counts
    rest = np.setdiff1d(result.order, result.shown(top))
    if len(rest):
        low, _ = result.interval
        zero = int(np.count_nonzero(low[rest] == 0))
        yield (
            f"{len(rest):,} more values: estimates from {as_count(counts[rest].min())} "
            f"to {as_count(counts[rest].max())}, "
            f"{as_count(counts[rest].sum())} in all; {zero:,} of their intervals begin at 0"
        )
    if result.domain.other is not None:
        yield (
            f'"{label(result.domain.other)}" stands for every row that holds none of the '
            f"{len(result.domain.values):,} values, or nothing: such rows are randomized like all "
            "others, none is dropped, and how many they are is an estimate too"
        )
    level, made = f"{100 * result.level:g} %", how_made(result.estimate)
    misses = result.domain.k * (1 - result.level)
    expected = f": of {result.domain.k:,} about {misses:,.0f} may miss" if misses >= 1 else ""
    yield (
        f"Each interval holds its true count with probability {level} ({made}), "
        f"each value for itself{expected}. An estimate below 0 is noise around a small count; it "
        "is not cut off, so that sums stay unbiased."
    )
    for check in result.estimate.honesty.doubted(DOUBTED):
        yield (
            f"Not all of these reports are honest ones, it seems: {check.name}, {check.found} "
            f"(p = {check.p_value:.2g})."
        )
    if result.truth is not None:
        yield from _against_truth(result, result.truth)


def _against_truth(result: Collection, truth: Survey) -> Iterator[str]:
    low, high = result.interval
    error = result.estimate.counts - truth.counts
    covered = int(np.count_nonzero((low <= truth.counts) & (truth.counts <= high)))
    yield "The true counts are read from the private column: a simulation. A collector has none."
    yield (
        f"{covered:,} of {result.domain.k:,} intervals hold the true count; "
        f"root mean square error {as_count(float(np.sqrt(np.mean(error**2))))}"
    )
    if result.domain.other is not None:
        rows = "row holds" if truth.outside == 1 else "rows hold"
        name = label(result.domain.other)
        what = f'{truth.outside:,} {rows} none of the values, reported as "{name}"'
        what += f" ({truth.empty:,} of them empty)" if truth.empty else ""
        shown = ", ".join(map(label, truth.examples))
        yield what + (f", such as {shown}" if shown else "")


def _ranking(ranking: Sequence[MechanismCandidate]) -> Part:
    heads = ("worst std error", "at share 0", "bits per report")
    rows = table("mechanism", *heads, "", right=heads)
    for position, candidate in enumerate(ranking):
        if candidate.mechanism is None:
            rows.add_row(candidate.name, "", "", "", candidate.refused)
            continue
        rows.add_row(
            candidate.name,
            as_count(candidate.worst),
            as_count(candidate.rare),
            f"{candidate.bits:,}",
            Text("chosen" if position == 0 else "", style="green"),
        )
    return rows


def document(result: Collection) -> dict[str, Json]:
    """All values in the order of the domain; true counts only where a comparison was asked for."""
    estimate, mechanism = result.estimate, result.mechanism
    low, high = result.interval
    values: list[Json] = []
    for i, text in enumerate(result.domain.labels):
        entry: dict[str, Json] = {
            "value": text,
            "other": result.domain.other is not None and i == len(result.domain.values),
            "estimate": float(estimate.counts[i]),
            "std_error": float(estimate.std_error[i]),
            "low": float(low[i]),
            "high": float(high[i]),
        }
        if result.truth is not None:
            entry["true_count"] = int(result.truth.counts[i])
        values.append(entry)
    return {
        "file": str(result.column.path),
        "column": result.column.name,
        "rows": estimate.n,
        "domain": {
            "origin": result.domain.origin,
            "values": len(result.domain.values),
            "other": result.domain.other,
        },
        "mechanism": {
            "name": type(mechanism).__name__,
            "parameters": dict(mechanism.identity.parameters),
            "law_hash": mechanism.identity.law_hash,
            "epsilon": mechanism.epsilon,
            "realized_epsilon": mechanism.realized_epsilon,
            "saturated": mechanism.saturated,
            "bits_per_report": mechanism.bits_per_report,
        },
        "simulated": result.seed is not None,
        "seed": result.seed,
        "level": result.level,
        "estimates": values,
        "honesty": [
            {"check": each.name, "p_value": each.p_value, "found": each.found}
            for each in estimate.honesty.checks
        ],
        "comparison": None if result.truth is None else _truth(result.truth),
        "choice": [_candidate(candidate) for candidate in result.ranking],
    }


def _truth(truth: Survey) -> Json:
    return {
        "note": "a simulation that looks at the private column",
        "rows_outside_domain": truth.outside,
        "rows_empty": truth.empty,
        "examples_outside_domain": list(truth.examples),
    }


def _candidate(candidate: MechanismCandidate) -> Json:
    return {
        "name": candidate.name,
        "worst_std_error": number(candidate.worst),
        "std_error_at_share_0": number(candidate.rare),
        "bits_per_report": candidate.bits,
        "refused": candidate.refused or None,
    }
