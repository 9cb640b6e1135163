"""Methods and functions with an odd argument among right ones."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified import protocols
from ldp_verified.deploy.collect.plan_distinct import share_seen
from ldp_verified.protocols.candidates import CandidateSizes
from ldp_verified.run.aggregate.arrow import from_arrow, read_reports, to_arrow, write_reports
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.mechanisms import CMS, GRR, Duchi, HashCohorts, Laplace, TwoCoins
from tests.campaign.calls import in_time
from tests.campaign.made import MADE
from tests.campaign.odd import odd
from tests.campaign.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = tuple[Callable[..., Any], tuple[Any, ...]]

DATA = np.array([0, 1, 1], dtype=np.uint8)


def of_mechanism(made: Any) -> dict[str, Call]:
    """The methods of a frequency oracle or a mean."""
    reports = made.privatize([0, 1, 1])
    state = made.aggregate(reports)
    found: dict[str, Call] = {
        "aggregate": (made.aggregate, (reports,)),
        "reports": (made.reports, (reports.data, False)),
        "update": (made.empty().update, (reports,)),
        "merge": (state.merge, (state,)),
        "interval": (state.estimate().interval, (0.9,)),
        "Reports": (Reports, (reports.data, made.identity, False)),
    }
    if hasattr(made, "delta_at"):
        found["delta_at"] = (made.delta_at, (0.5,))
    if hasattr(made, "oracle"):
        estimate, labels = state.estimate(), list(state.estimate().names)
        found |= {
            "top": (estimate.top, (2, 0.9)),
            "rows": (estimate.rows, (0.9, True)),
            "sum_of": (estimate.sum_of, (labels[:2],)),
            "contrast": (estimate.contrast, tuple(labels[:2])),
            "ratio": (estimate.ratio, tuple(labels[:2])),
            "equal_to": (estimate.equal_to, ([1 / len(labels)] * len(labels),)),
            "changed_since": (estimate.changed_since, (state,)),
            "difference": (estimate.difference, (state, True)),
            "distinct_at_least": (estimate.distinct_at_least, (0.9,)),
            "to_pandas": (estimate.to_pandas, (0.9,)),
            "consistent": (estimate.consistent, ("norm-sub", 0.9, {labels[0]: 1})),
            "aggregate in threads": (made.aggregate, (reports, 2)),
            "pmf": (made.pmf, (int(np.asarray(reports.data).flat[0]), 1)),
            "State": (State, (made.oracle, 3, state.counts, False)),
            "from_bytes": (State.from_bytes, (state.to_bytes(), made.oracle)),
            "simultaneous": (state.estimate().interval, (0.9, True)),
            "simulate_counts": (made.simulate_counts, ([1, 2, *[0] * (made.k - 2)], 1, True)),
            "variance": (made.variance, (10, 0.5)),
        }
    return found


def of_protocols() -> dict[str, Call]:
    """Functions and methods of the protocols."""
    made = {name: MADE[name][0](**MADE[name][1]) for name in ("LGRR", "LOLOHA", "Rappor", "SHE")}
    client = protocols.MemoClient(made["LOLOHA"], new_user=True, rng=1)
    rappor = protocols.RapporClient(made["Rappor"], new_user=True, rng=1)
    report, sent = client.report(1), rappor.report("a")
    registry = protocols.Registry()
    sampled = protocols.SampleOne(1.0, (2, 3))
    batch = sampled.privatize(np.array([[0, 1], [1, 2]]))
    bits = protocols.RapporState(made["Rappor"])
    population = protocols.RapporPopulation(made["Rappor"], ("a", "b"))
    domain = protocols.KnownDomain(made["Rappor"], ("a", "b"))
    many = population.first_reports(np.zeros(500, dtype=np.int64), 1)
    table = to_arrow(report.reports)
    padded, sizes = protocols.PaddedResponse(1.0, 5, 2), CandidateSizes(1.0, 5)
    strings = protocols.TextSketch(protocols.PaddedHashing(1.0, 1 << 16, 2))
    sets = padded.empty().update(padded.privatize([[0, 1], []]))
    numbers = sizes.empty().update(sizes.privatize([[0, 1], []]))
    texts = strings.privatize([{"x"}, set()])
    tables = protocols.JointTables(1.0, {"a": 2, "b": 3})
    records = {"a": [0, 1, 1], "b": [0, 1, 2]}
    joint = tables.estimate(tables.empty().update(tables.privatize(records)))
    return {
        "permanent_epsilon": (protocols.permanent_epsilon, (0.5, 2)),
        "report_epsilon": (protocols.report_epsilon, (0.5, 0.25, 0.75, 2)),
        "reports_epsilon": (protocols.reports_epsilon, (0.5, 0.25, 0.75, 2, 3)),
        "solve_noise": (protocols.solve_noise, (1.0, 2)),
        "solve_high": (protocols.solve_high, (1.0, 0.5, 2)),
        "for_epsilon": (
            lambda a, b, c: protocols.Rappor.for_epsilon(a, b, bits=c, hashes=2),
            (4.0, 1.0, 32),
        ),
        "best_threshold": (protocols.best_threshold, (1.0,)),
        "threshold_encoding": (protocols.threshold_encoding, (1.0, 4)),
        "day_epsilon": (protocols.day_epsilon, (CMS(1.0, 4, 2), 3)),
        "FixedRows": (protocols.FixedRows, (CMS(1.0, 4, 4),)),
        "TextSketch": (protocols.TextSketch, (HashCohorts(1.0, 1 << 16, 5),)),
        "MemoClient": (
            lambda d, n, c: protocols.MemoClient(d, new_user=n, choice=c),
            (made["LOLOHA"], True, client.choice),
        ),
        "RapporClient": (
            lambda d, n, c: protocols.RapporClient(d, new_user=n, cohort=c),
            (made["Rappor"], True, 1),
        ),
        "MemoReport": (protocols.MemoReport, (report.reports, report.choice, 1)),
        "restore": (protocols.MemoClient.restore, (client.save(), made["LOLOHA"])),
        "seen": (
            lambda n: protocols.MemoClient.restore(client.save(), made["LOLOHA"], seen=n),
            (1,),
        ),
        "restore RAPPOR": (protocols.RapporClient.restore, (rappor.save(), made["Rappor"])),
        "accept": (registry.accept, ("u", report)),
        "registry": (protocols.Registry, ({"u": (1, ())},)),
        "registry seen": (registry.seen, ("u",)),
        "registry from_bytes": (protocols.Registry.from_bytes, (registry.to_bytes(),)),
        "registry from_json": (protocols.Registry.from_json, ("{}",)),
        "registry merge": (registry.merge, (protocols.Registry(),)),
        "permanent": (client.permanent, (1,)),
        "permanent RAPPOR": (rappor.permanent, ("a",)),
        "report RAPPOR": (rappor.report, ("a",)),
        "RAPPOR update": (bits.update, ([sent],)),
        "RAPPOR update_packed": (bits.update_packed, (many.cohorts, many.bits, True)),
        "RAPPOR merge": (bits.merge, (bits,)),
        "RapporState": (protocols.RapporState, (made["Rappor"], bits.reports, bits.ones, False)),
        "RapporPopulation": (protocols.RapporPopulation, (made["Rappor"], ("a", "b"))),
        "RapporMemoPopulation": (protocols.RapporMemoPopulation, (population, 3, 1)),
        "RAPPOR count": (population.count, (many,)),
        "RAPPOR simulate": (population.simulate_counts, ([1, 2], 1)),
        "KnownDomain": (protocols.KnownDomain, (made["Rappor"], ("a", "b"))),
        "decode": (domain.decode, (population.count(many),)),
        "find_candidates": (
            lambda s, c, v: protocols.find_candidates(s, c, level=v),
            (population.count(many), ["a", "b"], 0.01),
        ),
        "positions": (made["Rappor"].encoder.positions, ("a", 1)),
        "share_seen": (share_seen, (padded, 100, 3, 0.9, 0.5)),
        "mean_items": (padded.mean_items, (sets, [0, 1], 0.9, 9)),
        "mean_items of sizes": (sizes.mean_items, (numbers, None, 0.9)),
        "mean_strings": (strings.mean_strings, (strings.empty().update(texts), 0.9, 9)),
        "conditional": (joint.conditional, ("a", ["b"])),
        "sampled update": (sampled.empty().update, (batch,)),
        "sampled merge": (sampled.empty().merge, (sampled.empty(),)),
        "SampledState": (protocols.SampledState, (sampled, 0, sampled.empty().states)),
        "sampled variance": (sampled.variance, (0, 10, 0.5)),
        "sampled counts": (sampled.empty().counts, (0,)),
        "epsilon_reports": (made["Rappor"].epsilon_reports, (3,)),
        "SHE variance": (made["SHE"].variance, (3,)),
        "SHE pmf": (made["SHE"].pmf, ([0, 0, 0, 0], 1)),
        "from_arrow": (from_arrow, (table,)),
        "to_arrow": (to_arrow, (report.reports,)),
    }


def of_files(folder: Path) -> dict[str, Call]:
    """Return the calls that take a path."""
    made = GRR(1.0, 3)
    batch = made.privatize([0, 1])
    state = made.aggregate(batch)
    state.save(folder / "state")
    write_reports(folder / "reports", batch)
    counter = protocols.CounterFile(folder / "count")
    return {
        "save": (state.save, (folder / "state",)),
        "load": (made.load, (folder / "state",)),
        "State.load": (State.load, (folder / "state", made.oracle)),
        "write_reports": (write_reports, (folder / "reports", batch)),
        "read_reports": (lambda path: list(read_reports(path)), (folder / "reports",)),
        "CounterFile": (lambda path: protocols.CounterFile(path).seen(), (folder / "count",)),
        "advance": (counter.advance, (1,)),
    }


def methods(rng: np.random.Generator, count: int, folder: Path) -> Outcome:
    """One argument is odd: refused by the package's own errors (or those of the file system)."""
    outcome = Outcome("methods")
    calls: dict[str, Call] = {**of_protocols(), **of_files(folder)}
    for made in (GRR(1.0, 3), TwoCoins(0.5, 0.25), CMS(1.0, 4, 4), Duchi(1.0), Laplace(1.0)):
        named = of_mechanism(made)
        calls |= {f"{type(made).__name__} {name}": call for name, call in named.items()}
    names = sorted(calls)
    for _ in range(count):
        name = names[int(rng.integers(len(names)))]
        run, right = calls[name]
        arguments = list(right)
        place = int(rng.integers(len(arguments)))
        arguments[place] = odd(rng)[1]
        if isinstance(arguments[place], str | int) and name in of_paths:
            continue  # a file of that name, or one that is open

        def what(name: str = name, place: int = place, arguments: Any = arguments) -> str:
            return f"{name}(argument {place} = {arguments[place]!r:.200})"

        with in_time():
            outcome.call(what, partial(run, *arguments), (OSError,))
    return outcome


of_paths = ("save", "load", "State.load", "write_reports", "read_reports", "CounterFile")
