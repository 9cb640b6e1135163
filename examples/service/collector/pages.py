"""The page of estimates, one table for each period and each thing that is estimated.

It needs nothing but `ldp_verified`, so `examples/survey` shows its results by it too.
"""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import SampledState
from ldp_verified.protocols.key_value_estimate import KeyValueEstimate
from ldp_verified.run.aggregate.tabulated import Tabulated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ldp_verified.deploy import Collector, Deployment
    from ldp_verified.run.aggregate.tabulated import TableRow

LEVEL = 0.95
MOST_ROWS = 500
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% } th, td { padding: .2rem .6rem; text-align: right }
caption, th:first-child { text-align: left } thead th:last-child { width: 40% }
td { font-variant-numeric: tabular-nums }
.bar { position: relative; height: 1rem; background: #eee }
.bar i { position: absolute; top: 0; bottom: 0; background: #8ab4d8 }
.bar b { position: absolute; top: 0; bottom: 0; width: 2px; background: #123 }
.doubt { color: #a00 }
@media (prefers-color-scheme: dark) {
  body { background: #111; color: #ddd } .bar { background: #333 } .bar b { background: #fff }
  .doubt { color: #f88 }
}
"""


def page(
    deployment: Deployment,
    periods: Iterable[tuple[str, bool, Collector]],
    *,
    title: str = "Estimates",
    said: str = "",
    labels: Sequence[str] | None = None,
) -> str:
    """The page, in HTML without scripts.

    Args:
        deployment: whose reports are counted.
        periods: name, whether it is closed, and what was counted, in the order of the page.
        title: of the page. said: what its readers are told first.
        labels: of the values, in order; None for those of the deployment.
    """
    mechanism = deployment.mechanism
    about = f"{type(mechanism).__name__} at epsilon {float(mechanism.epsilon):g}"
    parts = [_period(*each, labels) for each in periods] or ["<p>No report has come yet.</p>"]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<title>{escape(title)}</title><meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style></head><body><main><h1>{escape(title)}</h1><p>{escape(said)} "
        f"From randomized reports: {escape(about)} for each report. A bar shows the interval for "
        "the users who reported, its line the estimate. All intervals of a table together hold the "
        f"true numbers in {100 * LEVEL:.0f} of 100 such surveys.</p>{''.join(parts)}"
        "</main></body></html>"
    )


def estimates(collector: Collector) -> list[tuple[str, Tabulated]]:
    """What is estimated, each with a name: of one thing "", of attributes, axes and keys theirs.

    Raises:
        ParameterError: values of this domain are counted only where they are named.
    """
    state = collector.state
    if isinstance(state, SampledState):
        found = tuple(state.estimate(j) for j in range(len(state.states)))
    else:
        found = collector.estimate()
    if isinstance(found, KeyValueEstimate):
        return [("Users who have a key.", found), ("Mean of a key's numbers.", found.means)]
    if not isinstance(found, tuple):
        return [("", found)]
    return [(f"attribute {j}", each) for j, each in enumerate(found)]


def _period(period: str, closed: bool, collector: Collector, labels: Sequence[str] | None) -> str:
    head = f"<h2>{escape(period)}</h2><p>{collector.n:,} reports, "
    head += "counted for good" if closed else "not ended yet"
    head += ", of simulated users.</p>" if collector.simulated else ".</p>"
    if not collector.n:
        return head
    try:
        found = estimates(collector)
    except ParameterError:
        return f"{head}<p>Values of this domain are counted where they are named.</p>"
    return head + "".join(_table(*each, labels) for each in found)


def _table(name: str, estimate: Tabulated, labels: Sequence[str] | None) -> str:
    doubts = [check.name for check in estimate.honesty.doubted(1e-9)]
    doubt = ""
    if doubts:
        said = escape(", ".join(doubts))
        doubt = f'<p class="doubt">These are hardly honest reports: {said}.</p>'
    rows = estimate.rows(LEVEL, simultaneous=True)
    least, most, quantity = 0.0, float(getattr(estimate, "n", 1)), "share"
    if estimate.quantity == "average":
        ends = [end for r in rows for end in (r.low, r.high) if math.isfinite(end)] or [0.0]
        least, most, quantity = min(ends), max(ends), "average"
    given = labels or [str(row.label) for row in rows]
    listed = list(zip(given, rows, strict=True))
    if len(listed) > MOST_ROWS:
        name += f" The {MOST_ROWS} largest of {len(listed):,}."
        listed = sorted(listed, key=lambda each: -each[1].value)[:MOST_ROWS]
    shown = "".join(_row(label, row, least, most, quantity) for label, row in listed)
    columns = ("value", quantity, f"{100 * LEVEL:.0f}% interval", "")
    cells = "".join(f'<th scope="col">{each}</th>' for each in columns)
    return (
        f"{doubt}<table><caption>{escape(name)}</caption><thead><tr>{cells}</tr></thead>"
        f"<tbody>{shown}</tbody></table>"
    )


def _row(label: str, row: TableRow, least: float, most: float, quantity: str) -> str:
    """A row of the table; its bar reaches from `least` to `most`."""
    if not all(map(math.isfinite, (row.value, row.low, row.high))):
        return f'<tr><th scope="row">{escape(label)}</th><td colspan="3">too few reports</td></tr>'
    wide = (most - least) or 1.0
    value, low, high = (
        min(max((each - least) / wide, 0.0), 1.0) for each in (row.value, row.low, row.high)
    )
    if quantity == "share":
        said = f"{(row.value - least) / wide:.1%}</td><td>{low:.1%} to {high:.1%}"
    else:
        said = f"{row.value:.4g}</td><td>{row.low:.4g} to {row.high:.4g}"
    return (
        f'<tr><th scope="row">{escape(label)}</th><td>{said}</td><td aria-hidden="true">'
        f'<div class="bar"><i style="left:{low:.2%};width:{high - low:.2%}"></i>'
        f'<b style="left:{value:.2%}"></b></div></td></tr>'
    )
