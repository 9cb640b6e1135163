"""What golden files hold, as JSON values: compared as numbers, not by the classes they are of."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

from ldp_verified import protocols as p
from ldp_verified.run.aggregate.kept import KeptReports
from ldp_verified.run.aggregate.moments import MeanState
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State


def plain_reports(reports: Any) -> Any:
    """The reports, whatever their form."""
    match reports:
        case Reports():
            return {"data": reports.data.tolist(), "simulated": reports.simulated}
        case p.MemoReport(reports=inner, choice=choice, number=number):
            return {"report": plain_reports(inner), "choice": list(choice), "number": number}
        case p.RapporReport():
            bits, number = reports.bits.tolist(), reports.number
            held = {"cohort": reports.cohort, "bits": bits, "number": number}
            return held | {"simulated": reports.simulated}
        case p.SampledReports(users=users, reports=inner):
            return {"users": users, "reports": plain_reports(inner)}
        case p.GroupReports() | p.SignReports() | p.PlaceReports():
            named = [field.name for field in fields(reports)[1:-1]]
            columns = {name: getattr(reports, name).tolist() for name in named}
            return columns | {"simulated": reports.simulated}
        case list() | tuple():
            return [plain_reports(each) for each in reports]
    raise TypeError(type(reports))


def plain_state(state: Any) -> Any:
    """What a state says, sums and estimates."""
    about = {"n": state.n, "simulated": state.simulated, "batches": sorted(state.batches)}
    match state:
        case State():
            found = state.estimate()
            sums = {"counts": state.counts.tolist()}
            return about | sums | {"estimate": [*found.counts.tolist(), *found.std_error.tolist()]}
        case MeanState():
            # Their error was the spread alone.
            mean, (first, second) = state.estimate(), state._sums()
            share = (second - first**2 / state.n) / (state.n - 1) / state.worst_variance
            spread = mean.worst_std_error * math.sqrt(share)
            estimate = [mean.mean, spread, mean.worst_std_error]
            return about | {"sums": [state.total, state.squares], "estimate": estimate}
        case p.VectorState():
            means, shares = state.estimate().means, 2 * np.array(state.ones) / state.n - 1
            spreads = np.sqrt(state.mechanism.worst_variance * (1 - shares**2) / state.n)
            estimate = [*means.tolist(), *spreads.tolist()]
            return about | {"ones": list(state.ones), "estimate": estimate}
        case p.SumState():
            found_sums = [list(each) for each in (state.totals, state.lows, state.highs)]
            return about | {"sums": found_sums, "estimate": state.estimate().counts.tolist()}
        case p.RapporState():
            rows = {"reports": state.reports.tolist(), "ones": state.ones.tolist()}
            return about | rows | {"estimate": state.set_bits().ravel().tolist()}
        case p.SampledState():
            counts = [state.counts(j).tolist() for j in range(len(state.states))]
            return about | {"estimate": [share for each in counts for share in each]}
        case p.SafeRegionState():
            places = state.estimate()
            estimate = [*places.counts.tolist(), *places.std_error.tolist()]
            columns = [column.tolist() for column in state.columns]
            return about | {"columns": columns, "estimate": estimate}
        case KeptReports():
            known: Any = state
            some = state.estimate([0, 1] if known.protocol.bits else ["a", "b"])
            estimate = [*some.counts.tolist(), *some.std_error.tolist()]
            columns = [column.tolist() for column in state.columns]
            return about | {"columns": columns, "estimate": estimate}
    raise TypeError(type(state))
