"""Where the parameters of deployed systems were read, and those of central releases."""

from __future__ import annotations

from dataclasses import dataclass

REGISTRY = "the table `registry/data.csv` of opendp/epsilon-registry (commit 20c15d02)"
"""A secondary source."""

DAYS = (
    'read in an excerpt: Damien Desfontaines, "A list of real-world uses of differential privacy" '
    "(QuickType 16, emoji 4, lookup hints 8, health types 2; the unit is a user's day)"
)
SIZES = (
    "sizes read in an excerpt: OpenDP Deployments Registry, AutoPlay Intent by Apple (m = 1024, "
    "k = 65,536, eps = 8 a report)"
)
DEVICE = (
    "sizes read in what an Apple device had sent, posted at pastebin.com/sJwY5k1h (eps = 8, "
    "k = 65536, m = 1024 for mail senders and for unknown domains; eps = 4, k = 1024, m = 32768 "
    "for com.apple.safari.DomainCausingEnergyDrain)"
)
EMOJI = (
    'sizes read in an excerpt: The Mac Observer, "How Apple Improves its Products With iOS '
    "Analytics\", on Apple's paper of 2017 (k = 65,536; it prints m = 2014, taken for the 1024 of "
    "other uses)"
)
CHROME = (
    "read in Chromium's `components/rappor/public/rappor_parameters.h` (bloomberg/chromium.bb, "
    "commit 6ea989d0: 4 bytes, 2 hashes, 128 cohorts) and, for a report each half hour, in an "
    "excerpt of `rappor_service.cc`"
)
PYTHON = (
    "read in google/rappor, `client/python/rappor.py`, class Params (commit 013e2039); 48 reports "
    "a day are assumed"
)
MOZILLA = (
    "read in mozilla/shield-study-rappor, `addon/HomepageStudy.jsm` and `addon/TelemetryRappor.jsm`"
    " (commit 409a2aaa)"
)
EVENT = (
    "read in WICG/attribution-reporting-api: `EVENT.md` (commit 00030d99: 3 bits and three reports "
    "of a navigation source, 1 bit and one of an event source, eps = 14, p = .24 % and .00025 %), "
    "`params/chromium-params.md` (commit 05d2c20a: eps = 14); three windows are assumed, and give "
    "this p"
)
CENTRAL = (
    ("Census Bureau, Post-Secondary Employment Outcomes", "3", "none"),
    ('Census Bureau, 2020 Census ("Restricting Demographic Information" there)', "13.64", "1e-5"),
    ("Census Bureau, 2020 Demographic and Housing Characteristics", "49.95", "1e-5"),
    ("Census Bureau, County Business Patterns", "35.62", "1e-5"),
)
"""Releases of US agencies: name, eps, delta."""


@dataclass(frozen=True)
class Row:
    """One deployed configuration.

    Attributes:
        system: its name. parameters: in words.
        report, day, ever: eps in nats; None where it grows for ever, or a day has no fixed length.
        needed: reports for the standard error of the page; infinite where none suffice,
            None where the sizes are not known.
        source: of the parameters.
    """

    system: str
    parameters: str
    report: float
    day: float | None
    ever: float | None
    needed: float | None
    source: str
