"""Deployed systems: eps of one report, of a day, for ever; reports for a share. Writes RESULTS.md.

Values are computed from parameters. Whether a system runs with them its operator knows. Every row
says where its parameters were read, or that they are assumed.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, exp, inf, log
from pathlib import Path

from examples.deployments.sources import (
    CENTRAL,
    CHROME,
    DAYS,
    DEVICE,
    EMOJI,
    EVENT,
    MOZILLA,
    PYTHON,
    REGISTRY,
    SIZES,
    Row,
)
from ldp_verified import CMS, HCMS
from ldp_verified.check.audit.bounds.configurations import audit_configuration

ERROR = 0.001
"""Standard error of a rare value's share that the numbers of reports are for."""


def randomized_rate(states: int, epsilon: float) -> float:
    """The chance that one of `states` outputs is drawn at random, so that the rest tells eps.

    With rate r the own output has 1 - r + r/states, any other r/states: the ratio is e^eps.
    """
    return states / (states - 1 + exp(epsilon))


def epsilon_of(states: int, rate: float) -> float:
    """The eps of that randomizer, from its rate."""
    return log((1 - rate + rate / states) / (rate / states))


def states_of(data: int, windows: int, reports: int) -> int:
    """What one source can send: at most so many reports, each with data and a window.

    Reports of one window are shuffled, so only how many there are of each kind is seen.
    """
    return comb(data * windows + reports, reports)


def reports_for(variance: float) -> float:
    """Reports for a standard error of `ERROR`, from what one report adds to a share's variance."""
    return inf if variance == inf else ceil(variance / ERROR**2)


def of_bit(one: float, zero: float) -> float:
    """What a user without the value adds, where a bit is 1 with chance `one`, or `zero` of others.

    The estimate of a share is (share of ones - zero)/(one - zero).
    """
    return inf if one == zero else zero * (1 - zero) / (one - zero) ** 2


def rappor(system: str, reports: int | None, source: str, **given: str) -> Row:
    """RAPPOR's eps, exact; tight where two values set disjoint bits.

    Args:
        system: its name. source: of the parameters.
        reports: a day; None for one report in all.
        given: k, h, m, p, q and f as decimal texts.
    """
    values = {name: Fraction(text) for name, text in given.items()}
    found = audit_configuration(values, system, reports_per_day=reports or 1)
    one, day, ever = (each.value for each in found.found)
    p, q, f = (float(values[name]) for name in "pqf")
    bit = of_bit((1 - f / 2) * q + f / 2 * p, f / 2 * q + (1 - f / 2) * p)
    words = ", ".join(f"{name} = {text}" for name, text in given.items())
    needed = reports_for(bit / int(values["h"]))
    if reports is None:
        return Row(system, f"{words}; one report in all", one, None, one, needed, source)
    return Row(system, f"{words}; {reports} reports a day", one, day, ever, needed, source)


def attributed(kind: str, states: int) -> Row:
    """One source event of Chrome's Attribution Reporting: one output, kept."""
    rate = randomized_rate(states, 14.0)
    words = f"{states:,} states, random with probability {rate:.17g}"
    epsilon = epsilon_of(states, rate)
    own, other = 1 - rate + rate / states, rate / states
    needed = reports_for(of_bit(own, other))
    system = f"Chrome Attribution Reporting, {kind}"
    return Row(system, words, epsilon, None, None, needed, EVENT)


def sketched(name: str, sketch: CMS | HCMS, day: float, source: str) -> Row:
    """Apple's sketches: fresh noise for each report, so that eps adds up.

    Args:
        name: of the use. sketch: its mechanism. day: eps a day. source: of the parameters.
    """
    kind = "count mean sketch" if isinstance(sketch, CMS) else "Hadamard count mean sketch"
    words = (
        f"{kind}, {sketch.buckets:,} columns, {sketch.rows:,} hash functions, "
        f"eps = {sketch.epsilon:g} a report"
    )
    needed = reports_for(sketch.variance(1, 0.0))
    return Row(f"Apple, {name}", words, sketch.epsilon, day, None, needed, source)


def plain(name: str, report: float, day: float, source: str) -> Row:
    """A use of Apple's whose sizes were found nowhere."""
    words = f"eps = {report:g} a report, sizes not known"
    return Row(f"Apple, {name}", words, report, day, None, None, source)


def bits_of_buckets(epsilon: float, buckets: int, sent: int) -> Row:
    """Microsoft's dBitFlip: each bit flipped with 1/(e^(eps/2) + 1), the answers kept."""
    flip = 1 / (exp(epsilon / 2) + 1)
    words = f"eps = {epsilon:g}, {sent} of {buckets} buckets, bits flipped with {flip:.5g}"
    return Row(
        "Microsoft, telemetry by dBitFlip",
        words,
        epsilon,
        epsilon,
        epsilon,
        reports_for(of_bit(1 - flip, flip) * buckets / sent),
        f"eps read in {REGISTRY}; the buckets are assumed; for ever: while the value stays in one "
        "bucket, j buckets add up to j eps",
    )


def rows() -> tuple[Row, ...]:
    """All rows."""
    normal, sparse = ({"p": "0.25", "q": "0.75", "f": f} for f in ("0.5", "0.25"))
    mozilla = {"k": "128", "h": "2", "m": "100", "p": "0.35"}
    cms, hcms = CMS(4.0, 1000, 1024, 65536), HCMS(4.0, 1000, 32768, 1024)
    words = CMS(8.0, 1000, 1024, 65536)
    return (
        rappor("Chrome RAPPOR, normal noise", 48, CHROME, k="32", h="2", m="128", **normal),
        rappor("Chrome RAPPOR, sparse noise", 48, CHROME, k="32", h="2", m="128", **sparse),
        rappor(
            "Google RAPPOR, the client library's own setting",
            48,
            PYTHON,
            k="16",
            h="2",
            m="64",
            p="0.5",
            q="0.75",
            f="0.5",
        ),
        rappor("Mozilla homepage study, as declared", None, MOZILLA, **mozilla, q="0.65", f="0"),
        rappor("Mozilla homepage study, as drawn", None, MOZILLA, **mozilla, q="0.35", f="0"),
        sketched("emoji", cms, 4.0, f"eps a day: {DAYS}; {EMOJI}"),
        sketched(
            "QuickType words",
            words,
            16.0,
            f"eps a day: {DAYS}, two reports; {DEVICE}; assumed to be those of words",
        ),
        plain("lookup hints", 4.0, 8.0, f"eps a day: {DAYS}; two reports are assumed"),
        plain("health types", 2.0, 2.0, f"eps a day: {DAYS}; one report is assumed"),
        sketched("Safari autoplay", words, 16.0, f"eps of 16 a day: read in {REGISTRY}; {SIZES}"),
        sketched("Safari domains", hcms, 4.0, f"eps read in {REGISTRY}; {DEVICE}"),
        bits_of_buckets(1.672, 32, 32),
        attributed("navigation source", states_of(data=8, windows=3, reports=3)),
        attributed("event source", states_of(data=2, windows=1, reports=1)),
    )


def reports_in(row: Row) -> str:
    """The numbers of reports as the page shows them."""
    if row.needed is None:
        return "not known"
    return "none suffices" if row.needed == inf else f"{row.needed:,}"


def page() -> str:
    """RESULTS.md."""
    lines = [
        "# Deployed systems: what eps, and how many reports",
        "",
        (
            "Made by `python -m examples.deployments.deployments`. Values are in nats, and follow "
            "from the parameters beside them. `sum` is where reports add up without end. `reports` "
            f"are as many as a standard error of {ERROR:.1%} takes for the share of a rare value, "
            "from the noise alone: each person reports once, and for RAPPOR no other value sets "
            "the same bits, so that more are needed in truth."
        ),
        "",
        ("| system | parameters | one report | a day | for ever | reports | source |"),
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    sources: list[str] = []
    for row in rows():
        sources += [] if row.source in sources else [row.source]
        day = "" if row.day is None else f"{row.day:.5g}"
        ever = "sum" if row.ever is None else f"{row.ever:.5g}"
        cells = (row.system, row.parameters, f"{row.report:.5g}", day, ever, reports_in(row))
        lines.append(f"| {' | '.join(cells)} | {sources.index(row.source) + 1} |")
    lines += ["", "## Where the parameters are from", ""]
    lines += [
        f"{number}. {source[0].upper()}{source[1:]}." for number, source in enumerate(sources, 1)
    ]
    lines += [
        "",
        "## What the rows show",
        "",
        (
            "- A RAPPOR client's eps of one report is no measure of what it tells in time: its "
            "permanent answer is what `for ever` is about, and after a day of reports it is "
            "nearly known."
        ),
        (
            "- Mozilla's study declares q = 0.65. At the commit that was read, its client draws "
            "both kinds of bits with p (`getBloomBits(p, filterSize)` twice), so that a report "
            "tells nothing and no number of reports gives an estimate. What was shipped was not "
            "looked at."
        ),
        ("- Apple's eps is one of a report or of a day; nothing that was read bounds many days."),
        "",
        "## US public agencies",
        "",
        (
            "These releases are central: an agency that holds the answers adds noise to tables. No "
            "randomized report leaves a person, so there is no eps of a report and no number of "
            f"reports. Their parameters, from {REGISTRY} (not from the agencies):"
        ),
        "",
        "| release | eps | delta |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {epsilon} | {delta} |" for name, epsilon, delta in CENTRAL),
        "",
        "No US example of the local model with published parameters was found.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("RESULTS.md").write_text(page(), encoding="utf-8")
