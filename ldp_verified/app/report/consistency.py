"""The methods that make counts consistent, compared on a simulated population."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ldp_verified.app.report.output import Json, Part, table
from ldp_verified.deploy.collect.methods import TOP, best

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ldp_verified.deploy.collect.methods import Score


def terminal(scores: Mapping[str, Score], mechanism: str) -> Iterator[Part]:
    """The methods, the least error first, and which of them to take."""
    top, rest = f"bias, top {TOP}", "bias, others"
    rows = table("method", "RMS error", top, rest, "ms", right=("RMS error", top, rest, "ms"))
    for name in sorted(scores, key=lambda name: scores[name].rms):
        s = scores[name]
        rows.add_row(
            name,
            f"{s.rms:,.4g}",
            f"{s.top_bias:+,.4g}",
            f"{s.rest_bias:+,.4g}",
            f"{1000 * s.seconds:.3g}",
        )
    yield rows
    least, close = best(scores)
    runs = len(scores[least].squares)
    yield Text(
        f"Errors of counts, in users, over all values and {runs} simulations of {mechanism}. "
        "Another population has other errors."
    )
    how = "the raw counts" if least == "raw" else f'estimate.consistent("{least}")'
    yield Text(f"Least error: {how}.")
    if close:
        yield Text(f"Not told apart from it by these simulations: {', '.join(close)}.")


def document(scores: Mapping[str, Score], mechanism: str) -> dict[str, Json]:
    """{"mechanism": ..., "least": ..., "not_told_apart": [...], "methods": [...]}."""
    least, close = best(scores)
    return {
        "mechanism": mechanism,
        "runs": len(scores[least].squares),
        "least": least,
        "not_told_apart": list(close),
        "methods": [
            {
                "method": name,
                "rms": s.rms,
                "rms_of_half_sums": s.sums,
                "top_bias": s.top_bias,
                "top_spread": s.top_spread,
                "rest_bias": s.rest_bias,
                "rest_spread": s.rest_spread,
                "seconds": s.seconds,
            }
            for name, s in scores.items()
        ],
    }
