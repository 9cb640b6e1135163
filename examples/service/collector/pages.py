"""The page of estimates, one table for each period."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ldp_verified.deploy import Collector, Deployment

LEVEL = 0.95
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% } th, td { padding: .2rem .6rem; text-align: right }
th:first-child, td:first-child { text-align: left } th:last-child { width: 45% }
.bar { position: relative; height: 1rem; background: #eee }
.bar i { position: absolute; top: 0; bottom: 0; background: #8ab4d8 }
.bar b { position: absolute; top: 0; bottom: 0; width: 2px; background: #123 }
.doubt { color: #a00 }
@media (prefers-color-scheme: dark) {
  body { background: #111; color: #ddd } .bar { background: #333 } .bar b { background: #fff }
  .doubt { color: #f88 }
}
"""


def page(deployment: Deployment, periods: Iterable[tuple[str, bool, Collector]]) -> str:
    """The page, in HTML without scripts.

    Args:
        deployment: whose reports are counted.
        periods: name, whether it is closed, and what was counted, in the order of the page.
    """
    mechanism = deployment.mechanism
    about = f"{type(mechanism).__name__} at epsilon {float(mechanism.epsilon):g}"
    parts = [_table(*each) for each in periods] or ["<p>No report has come yet.</p>"]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Estimates</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style><h1>Estimates</h1><p>From randomized reports: {escape(about)} for "
        "each report. A bar shows the interval "
        f"at {LEVEL:.0%} for the users who reported, its line the estimate.</p>" + "".join(parts)
    )


def _table(period: str, closed: bool, collector: Collector) -> str:
    head = f"<h2>{escape(period)}</h2><p>{collector.n:,} reports, "
    head += "counted for good" if closed else "not ended yet"
    head += ", of simulated users.</p>" if collector.simulated else ".</p>"
    if not collector.n:
        return head
    estimate = collector.estimate()
    doubts = [check.name for check in estimate.honesty.doubted(1e-9)]
    if doubts:
        said = escape(", ".join(doubts))
        head += f'<p class="doubt">These are hardly honest reports: {said}.</p>'
    low, high = estimate.interval(LEVEL)
    labels: Any = estimate.labels or range(len(estimate.counts))
    rows = [
        _row(str(label), share, a / collector.n, b / collector.n)
        for label, share, a, b in zip(labels, estimate.shares, low, high, strict=True)
    ]
    columns = f"<tr><th>value<th>share<th>{LEVEL:.0%} interval<th></tr>"
    return f"{head}<table>{columns}{''.join(rows)}</table>"


def _row(label: str, share: float, low: float, high: float) -> str:
    line = min(max(share, 0.0), 1.0)
    return (
        f"<tr><td>{escape(label)}<td>{share:.1%}<td>{low:.1%} to {high:.1%}"
        f'<td><div class="bar"><i style="left:{low:.2%};width:{high - low:.2%}"></i>'
        f'<b style="left:{line:.2%}"></b></div></tr>'
    )
