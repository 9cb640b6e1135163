"""An audit as one offline HTML page: verdict, events, plots as inline SVG, how to replay."""

from __future__ import annotations

from html import escape
from math import floor, log10
from typing import TYPE_CHECKING

from ldp_verified.app.report import audit_pairs
from ldp_verified.app.report.audit import approximate, claim, exact_headline, headline, upper
from ldp_verified.app.report.audit_servers import weight
from ldp_verified.check.audit.results.plan import detection
from ldp_verified.check.audit.rules.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ldp_verified.check.audit.bounds.exact import ExactResult
    from ldp_verified.check.audit.results.results import AuditResult, Tested

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
  color: #1b1f24; background: #fff; }
h1 { font-size: 1.3rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
.verdict { padding: 1rem; border-left: .5rem solid; margin: 1rem 0; font-size: 1.2rem; }
.violated { border-color: #b3261e; background: #fdecea; }
.consistent { border-color: #1b6e3c; background: #e9f6ee; }
.inconclusive, .none { border-color: #8a6100; background: #fff6e0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #d7dce1;
  vertical-align: top; overflow-wrap: anywhere; }
th { overflow-wrap: normal; }
abbr { white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
svg { width: 100%; height: auto; }
svg.map { max-width: 34rem; display: block; margin: 0 auto; }
svg text { font: 13px system-ui, sans-serif; fill: #1b1f24; }
code { background: #f2f4f6; padding: .1rem .3rem; overflow-wrap: anywhere; }
footer { color: #57606a; margin-top: 2rem; }
"""

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 300, 60, 45, 20, 20


def page(result: AuditResult, replay: str) -> str:
    """The page of an audit by samples."""
    learning, testing = result.samples
    parts = [
        f"<h1>{escape(result.target)}</h1>",
        f'<p class="verdict {result.verdict}">{escape(headline(result))}</p>',
        *(f"<p>Infinite: {escape(w.words)}.</p>" for w in result.witnesses),
        *(f"<p>Note: {escape(note)}.</p>" for note in result.notes),
        "<h2>Events tested</h2>",
        _table(
            ("event", "plus", "minus", "n", "eps &ge;", "p-value"),
            [
                (
                    escape(t.words) + (" (looks disjoint)" if t.disjoint else ""),
                    f"{t.tally.plus:,}",
                    f"{t.tally.minus:,}",
                    f"{t.tally.n:,}",
                    f"{t.bound:.4g}",
                    f"{t.p_value:.2g}",
                )
                for t in result.tested
            ],
        ),
        "<p>Plus: the output speaks for the input that was given; minus: for another one.</p>",
    ]
    above = (upper(result), approximate(result))
    parts += [f"<p>{escape(words)}</p>" for words in above if words]
    if len(result.trace) > 1:
        parts += ["<h2>Lower bound on eps against samples</h2>", _trace(result)]
        parts.append("<p>Each point holds at all sample sizes at once (anytime-valid).</p>")
    if result.tested:
        parts += ["<h2>Worst event</h2>", _sides(result.tested[0], result)]
        curve = detection(result)
        if curve:
            parts += ["<h2>What would have been seen</h2>", _detection(curve, result)]
    if result.pairs:
        heads = ("inputs", "plus", "minus", "n", "ln ratio as seen", "eps &ge;")
        parts += ["<h2>Pairs of inputs</h2>", audit_pairs.picture(result)]
        parts += [_table(heads, audit_pairs.rows(result)), f"<p>{audit_pairs.said(result)}</p>"]
    if result.findings:
        parts.append("<h2>Named checks</h2>")
        rows = [
            (
                f"<abbr title='{escape(RULES[f.rule].title)}'>{f.rule}</abbr>",
                weight(f),
                escape(f.message),
            )
            for f in result.findings
        ]
        parts.append(_table(("rule", "weight", "seen"), rows))
    parts += ["<h2>What could have been shown</h2>", _plan(result)]
    parts += [
        "<h2>Replay</h2>",
        f"<p><code>{escape(replay)}</code></p>",
        (
            f"<footer>{testing:,} samples tested, {learning:,} to learn from, "
            f"{result.looked_at:,} events looked at; mode {result.mode}; a true claim is called "
            f"violated with probability at most {result.level:g}; seed {result.seed}. From samples "
            "eps has lower bounds only.</footer>"
        ),
    ]
    return _document(f"Audit of {result.target}", parts)


def exact_page(result: ExactResult) -> str:
    """The page of a table or configuration."""
    kind = "none" if result.verdict is None else str(result.verdict)
    rows = [(e.period, f"{e.value:.5f}", escape(e.witness)) for e in result.found]
    parts = [
        f"<h1>{escape(result.target)}</h1>",
        f'<p class="verdict {kind}">{escape(exact_headline(result))}</p>',
        _table(("over", "eps", "witness"), rows),
        *(f"<p>{escape(note)}</p>" for note in result.notes),
        "<footer>Exact: computed from the probabilities, no sampling.</footer>",
    ]
    return _document(f"Audit of {result.target}", parts)


def _document(title: str, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"{body}\n</body>\n</html>\n"
    )


NUMBERS = ("plus", "minus", "n", "eps &ge;", "p-value", "eps", "ln ratio as seen", "samples")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    numbers = [head in NUMBERS for head in heads]
    cells = [' class="number"' if number else "" for number in numbers]
    top = "".join(f"<th{c}>{head}</th>" for c, head in zip(cells, heads, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{c}>{cell}</td>" for c, cell in zip(cells, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)


def _trace(result: AuditResult) -> str:
    """The running bound over the samples, on a logarithmic axis, with the claim."""
    points = [(n, bound) for n, bound in result.trace if n > 0]
    top = _top(max(result.epsilon, *(bound for _, bound in points), 0.1))
    first, last = log10(points[0][0]), log10(points[-1][0])
    span = max(last - first, 1e-9)
    line = " ".join(
        f"{_x((log10(n) - first) / span):.1f},{_y(bound / top):.1f}" for n, bound in points
    )
    claimed = _y(result.epsilon / top)
    marks = [_tick_y(top * i / 4, _y(i / 4)) for i in range(5)]
    marks += [
        f'<text x="{_x(share):.1f}" y="{HEIGHT - 22}" text-anchor="{anchor}">{n:,}</text>'
        for share, n, anchor in ((0.0, points[0][0], "start"), (1.0, points[-1][0], "end"))
    ]
    return _svg(
        "Lower bound on eps against the number of samples",
        [
            *marks,
            (
                f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{claimed:.1f}" y2="{claimed:.1f}" '
                'stroke="#57606a" stroke-dasharray="6 4"/>'
            ),
            (f'<text x="{LEFT + 6}" y="{claimed - 6:.1f}">claim {escape(claim(result))}</text>'),
            f'<polyline points="{line}" fill="none" stroke="#0b57a4" stroke-width="2.5"/>',
            f'<text x="{WIDTH / 2}" y="{HEIGHT - 4}" text-anchor="middle">samples (log)</text>',
        ],
    )


def _sides(tested: Tested, result: AuditResult) -> str:
    """How often the worst event spoke for the input and for another, and what the claim allows."""
    tally, stake = tested.tally, tested.event.stake
    from math import exp

    n = max(tally.n, 1)
    plus, minus = tally.plus / n, tally.minus / n / stake.odds
    allowed = min(1.0, exp(min(result.epsilon, 50.0)) * minus + stake.share * result.delta)
    top = _top(max(plus, minus, allowed, 1e-9))
    bars = (
        ("plus", plus, "#b3261e" if tested.bound > result.epsilon else "#1b6e3c"),
        ("allowed by the claim", allowed, "#8b949e"),
        ("minus, for one other input", minus, "#0b57a4"),
    )
    shapes = [_tick_y(top * i / 4, _y(i / 4)) for i in range(5)]
    for place, (label, height, colour) in enumerate(bars):
        centre = _x((place + 0.5) / len(bars))
        shapes.append(
            f'<rect x="{centre - 60:.1f}" y="{_y(height / top):.1f}" width="120" '
            f'height="{_y(0) - _y(height / top):.1f}" fill="{colour}"/>'
            f'<text x="{centre:.1f}" y="{_y(height / top) - 5:.1f}" text-anchor="middle">'
            f"{height:.4g}</text>"
            f'<text x="{centre:.1f}" y="{HEIGHT - 22}" text-anchor="middle">{label}</text>'
        )
    caption = f"<p>{escape(tested.words)}</p>"
    return caption + _svg("Shares of samples on either side of the worst event", shapes)


def _detection(curve: Sequence[tuple[float, float]], result: AuditResult) -> str:
    """The probability of `violated` against the real eps, by the exact law of the counts."""
    first, last = curve[0][0], curve[-1][0]
    span = last - first
    line = " ".join(f"{_x((e - first) / span):.1f},{_y(p):.1f}" for e, p in curve)
    shapes = [_tick_y(i / 4, _y(i / 4)) for i in range(5)]
    for share in (0.0, 0.5, 1.0):
        anchor = "start" if share == 0 else "end" if share == 1 else "middle"
        shapes.append(
            f'<text x="{_x(share):.1f}" y="{HEIGHT - 22}" text-anchor="{anchor}">'
            f"{first + share * span:.3g}</text>"
        )
    shapes.append(
        f'<polyline points="{line}" fill="none" stroke="#0b57a4" stroke-width="2.5"/>'
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 4}" text-anchor="middle">real eps</text>'
    )
    caption = (
        f"<p>Probability that a real eps above the claim of {result.epsilon:g} is called violated, "
        "if it shows in an event as frequent as the worst one (exact).</p>"
    )
    return _svg("Probability of detection against the real eps", shapes) + caption


def _top(value: float) -> float:
    """The next round number above, so that quarters of it are round too."""
    scale = 10.0 ** floor(log10(value))
    steps = (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10, 12)
    return next(step * scale for step in steps if step * scale > value)


def _tick_y(value: float, y: float) -> str:
    return (
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e5e8eb"/>'
        f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>'
    )


def _svg(title: str, shapes: Iterable[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(shapes)}</svg>"
    )


def _plan(result: AuditResult) -> str:
    rows = [
        (f"{violation:.3g}", "no number is enough" if n is None else f"{n:,}")
        for violation, n in result.plan.needed
    ]
    return (
        f"<p>{result.plan.n:,} samples to test with could show eps &ge; {result.plan.ceiling:.3g} "
        f"at most. Samples that a real eps needs to be seen with probability 0.95, for "
        f"{escape(result.plan.shape)}:</p>" + _table(("real eps", "samples"), rows)
    )
