"""Deployed systems: eps of one report, of a day, for ever. Writes RESULTS.md beside this file.

Values are computed from parameters. Whether a system runs with them its operator knows; "assumed"
is said of every parameter that was not read in a source while this page was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from pathlib import Path

from ldp_verified.audit.configurations import audit_configuration

ASSUMED = "assumed: the primary source was not read for this page"
EVENT = (
    'read in an excerpt: "Attribution Reporting with event-level reports" (getumen.github.io, '
    "after EVENT.md of WICG/attribution-reporting-api): eps = 14, p = 0.24 % and 0.00025 %; "
    "the numbers of states are assumed, and give these p"
)


@dataclass(frozen=True)
class Row:
    """One deployed configuration.

    Attributes:
        system: its name. parameters: in words.
        report, day, ever: eps in nats; None where it grows for ever, or a day has no fixed length.
        source: of the parameters.
    """

    system: str
    parameters: str
    report: float
    day: float | None
    ever: float | None
    source: str


def randomized_rate(states: int, epsilon: float) -> float:
    """The chance that one of `states` outputs is drawn at random, so that the rest tells eps.

    With rate r the own output has 1 - r + r/states, any other r/states: the ratio is e^eps.
    """
    return states / (states - 1 + exp(epsilon))


def epsilon_of(states: int, rate: float) -> float:
    """The eps of that randomizer, from its rate."""
    return log((1 - rate + rate / states) / (rate / states))


def rappor(system: str, reports: int, source: str, **given: str) -> Row:
    """RAPPOR's eps, exact; tight where two values set disjoint bits."""
    values = {name: Fraction(text) for name, text in given.items()}
    found = audit_configuration(values, system, reports_per_day=reports)
    one, day, ever = (each.value for each in found.found)
    words = ", ".join(f"{name} = {text}" for name, text in given.items())
    return Row(system, f"{words}; {reports} reports a day", one, day, ever, source)


def attributed(kind: str, states: int) -> Row:
    """One source event of Chrome's Attribution Reporting: one output, kept."""
    rate = randomized_rate(states, 14.0)
    words = f"{states:,} states, random with probability {rate:.17g}"
    epsilon = epsilon_of(states, rate)
    return Row(f"Chrome Attribution Reporting, {kind}", words, epsilon, None, None, EVENT)


def rows() -> tuple[Row, ...]:
    """All rows."""
    apple = [
        Row(f"Apple, {name}", f"eps = {e:g}, {n} a day, {what}", e, n * e, None, ASSUMED)
        for name, e, n, what in (
            ("emoji", 4.0, 1, "count mean sketch of 1,024 columns and 65,536 hash functions"),
            ("lookup hints", 4.0, 2, "sketch"),
            ("QuickType words", 8.0, 2, "sketch"),
            ("Safari domains", 8.0, 2, "Hadamard count mean sketch of one bit"),
            ("health types", 2.0, 1, "Hadamard count mean sketch of one bit"),
        )
    ]
    return (
        rappor(
            "Google RAPPOR, a usual setting",
            48,
            ASSUMED,
            k="16",
            h="2",
            m="64",
            p="0.5",
            q="0.75",
            f="0.5",
        ),
        *apple,
        Row(
            "Microsoft dBitFlip, answers kept",
            "eps = 1, each of d bits flipped with 1/(e^(eps/2) + 1)",
            1.0,
            1.0,
            1.0,
            f"{ASSUMED}; for ever: while the value stays in one bucket, j buckets add up to j eps",
        ),
        attributed("navigation source", 2925),
        attributed("event source", 3),
    )


def page() -> str:
    """RESULTS.md."""
    lines = [
        "# Deployed systems: what eps",
        "",
        (
            "Made by `python -m examples.deployments.deployments`. Values are in nats, and follow "
            "from the parameters beside them. `sum` is where reports add up without end."
        ),
        "",
        "| system | parameters | one report | a day | for ever | parameters from |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for row in rows():
        day = "" if row.day is None else f"{row.day:.5g}"
        ever = "sum" if row.ever is None else f"{row.ever:.5g}"
        cells = (row.system, row.parameters, f"{row.report:.5g}", day, ever, row.source)
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        (
            "Not here: Mozilla's and the public agencies' systems, and the numbers of reports that "
            "each needs."
        ),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("RESULTS.md").write_text(page(), encoding="utf-8")
