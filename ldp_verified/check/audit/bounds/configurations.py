"""Compute the eps of deployed configurations over one report, over a day and for ever.

RAPPOR (Erlingsson, Pihur, Korolova 2014). A value sets up to h of k Bloom bits. Each bit B becomes
a permanent bit B', 1 with probability f/2, 0 with f/2, B itself otherwise, drawn once and kept;
each report shows each B' as 1 with probability q where it is 1 and p where it is 0. With r reports
of one value the chance of a bit's reports y_1..y_r is

    P(y | B = 1) = (1 - f/2) A(y) + f/2 C(y),     P(y | B = 0) = f/2 A(y) + (1 - f/2) C(y),
    A(y) = q^ones (1-q)^(r - ones),               C(y) = p^ones (1-p)^(r - ones),

so their ratio depends on the number of ones alone and is monotone in A/C: it is largest and
smallest at all ones or all zeros. Bits are independent, so e^eps is the product over the bits in
which two values differ: h that one value sets and h that the other sets, where 2h <= k. r = 1 is
the two-step table; r to infinity leaves (1 - f/2)/(f/2) for each bit, the permanent response.
That is tight where some two values set disjoint bits, h each, in some cohort; else it is an upper
bound. Where the values are known, their bits are those of the original clients (see `bloom`).

Count mean sketch as Apple describes it (Learning with Privacy at Scale, 2017). A value sets one of
m signs, each is flipped with probability 1/(1 + e^(eps/2)), afresh for every report: eps adds up.

k-ary randomized response with the chance `flip` of reporting another value, afresh each time.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, nextafter
from typing import TYPE_CHECKING

from ldp_verified.check.audit.bounds.bloom import differences
from ldp_verified.check.audit.bounds.bounds import check_claim
from ldp_verified.check.audit.bounds.exact import ExactEpsilon, ExactResult, above
from ldp_verified.check.audit.bounds.tables import fraction, read_rows
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

ONE, EVER = "one report", "for ever"
KINDS = {"rappor": "k,h,m,p,q,f", "krr": "k,flip", "cms": "m,epsilon or m,flip"}


def read_configuration(path: Path) -> tuple[str, dict[str, Fraction]]:
    """(kind, values) of a CSV of two rows: names, then values.

    Args:
        path: the CSV file.

    Raises:
        ParameterError: no configuration that is known.
    """
    rows = read_rows(path)
    if len(rows) != 2 or len(rows[0]) != len(rows[1]):
        raise ParameterError(str(path), "must have two rows: names, then as many values")
    values = {
        name.strip(): fraction(cell, f"{path.name}, {name.strip()}")
        for name, cell in zip(*rows, strict=True)
    }
    return kind_of(values), values


def kind_of(values: Mapping[str, Fraction]) -> str:
    """Return which configuration has these names.

    Raises:
        ParameterError: none.
    """
    names = set(values) - {"reports_per_day"}
    if names == {"k", "h", "m", "p", "q", "f"}:
        return "rappor"
    if names == {"k", "flip"}:
        return "krr"
    if {"m"} <= names <= {"m", "k", "epsilon", "flip"} and len(names & {"epsilon", "flip"}) == 1:
        return "cms"
    known = "; ".join(f"{kind}: {names}" for kind, names in KINDS.items())
    raise ParameterError("configuration", f"must have the names of one of {known}", sorted(values))


def _whole(values: Mapping[str, Fraction], name: str, least: int) -> int:
    value = values[name]
    if value.denominator != 1 or value < least:
        raise ParameterError(name, f"must be a whole number >= {least}", str(value))
    return int(value)


def _chance(values: Mapping[str, Fraction], name: str) -> Fraction:
    if not 0 <= values[name] <= 1:
        raise ParameterError(name, "must be at least 0 and at most 1", str(values[name]))
    return values[name]


def _ratio(high: Fraction, low: Fraction) -> Fraction | None:
    """high/low, None where it is infinite; an output that neither gives counts as 1."""
    if low == 0:
        return None if high > 0 else Fraction(1)
    return high / low


def _largest(*ratios: Fraction | None) -> Fraction | None:
    finite = [r for r in ratios if r is not None]
    return max(finite) if len(finite) == len(ratios) else None


def _product(*factors: tuple[Fraction | None, int]) -> Fraction | None:
    total = Fraction(1)
    for ratio, times in factors:
        if times and ratio is None:
            return None
        total *= Fraction(1) if ratio is None else ratio**times
    return total


def rappor(
    values: Mapping[str, Fraction], reports: int | None, known: Sequence[str] | None = None
) -> ExactEpsilon:
    """Tight eps of RAPPOR over this many reports of one value, None for ever.

    Args:
        values: by name.
        reports: how many.
        known: the values that there may be; None where some two set disjoint bits.
    """
    k, h = _whole(values, "k", 1), _whole(values, "h", 1)
    _whole(values, "m", 1)
    p, q, f = (_chance(values, name) for name in "pqf")
    if h > k:
        raise ParameterError("h", f"must be at most k = {k}", h)
    keep, other = 1 - f / 2, f / 2
    sides: list[tuple[Fraction, Fraction]] = []  # P(y | B = 1), P(y | B = 0) at the extreme y
    if reports is None and p != q:
        sides = [(keep, other), (other, keep)]
    else:
        r = reports or 1
        for a, c in ((q**r, p**r), ((1 - q) ** r, (1 - p) ** r)):
            sides.append((keep * a + other * c, other * a + keep * c))
    up = _largest(*(_ratio(one, zero) for one, zero in sides))
    down = _largest(*(_ratio(zero, one) for one, zero in sides))
    shown = "; ".join(f"{one} and {zero}" for one, zero in sides)
    extreme = f"a bit's extreme reports have probability (bit 1 and bit 0) {shown}"
    period = EVER if reports is None else ONE if reports == 1 else f"{reports} reports"
    if known is not None:
        m = _whole(values, "m", 1)
        best, where = Fraction(1), "all of these values set the same Bloom bits in every cohort"
        for mine, theirs, (first, second, cohort) in differences(known, h, k, m):
            for more, less in ((mine, theirs), (theirs, mine)):
                ratio = _product((up, more), (down, less))
                bits = f"in {mine} and {theirs} Bloom bits in cohort {cohort}; {extreme}"
                if ratio is None:
                    return ExactEpsilon(period, None, f"{first!r} and {second!r} differ {bits}")
                if ratio > best:
                    best, where = ratio, f"{first!r} and {second!r} differ {bits}"
        return ExactEpsilon(period, best, where)
    mine = min(h, k)
    theirs = min(h, k - mine)
    options = {_product((up, a), (down, b)) for a, b in ((mine, theirs), (theirs, mine))}
    words = f"two values that differ in {mine + theirs} Bloom bits; {extreme}"
    return ExactEpsilon(period, _largest(*options), words)


def krr(values: Mapping[str, Fraction]) -> ExactEpsilon:
    """Tight eps of k-ary randomized response."""
    k, flip = _whole(values, "k", 2), _chance(values, "flip")
    truth, lie = 1 - flip, flip / (k - 1)
    ratio = _largest(_ratio(truth, lie), _ratio(lie, truth))
    return ExactEpsilon(ONE, ratio, f"P(y | y) = {truth}, P(y | x) = {lie} for every other x")


def cms(values: Mapping[str, Fraction]) -> ExactEpsilon:
    """Tight eps of one report of a count mean sketch."""
    m = _whole(values, "m", 2)
    if "flip" in values:
        flip = _chance(values, "flip")
    else:
        if values["epsilon"] < 0:
            raise ParameterError("epsilon", "must be >= 0", str(values["epsilon"]))
        # e^eps is irrational: rounded down, so that the claim of exactly this eps stands.
        down = nextafter(nextafter(exp(values["epsilon"]), 0.0), 0.0)
        words = f"two of {m} signs differ, each kept with odds e^(eps/2); e^eps is rounded down"
        return ExactEpsilon(ONE, max(Fraction(down), Fraction(1)), words)
    once = _largest(_ratio(1 - flip, flip), _ratio(flip, 1 - flip))
    ratio = None if once is None else once**2
    return ExactEpsilon(ONE, ratio, f"two of {m} signs differ, each flipped with chance {flip}")


def _repeated(one: ExactEpsilon, reports: int) -> ExactEpsilon:
    ratio = None if one.ratio is None else one.ratio**reports
    return ExactEpsilon(
        f"{reports} reports", ratio, f"{reports} independent reports: the ratio of one, each time"
    )


def audit_configuration(
    values: Mapping[str, Fraction],
    name: str,
    *,
    epsilon: float | None = None,
    period: str = "report",
    reports_per_day: int | None = None,
    known: Sequence[str] | None = None,
) -> ExactResult:
    """Tight eps of a deployed configuration, over one report, a day and for ever.

    Args:
        values: by name; see `KINDS`.
        name: of the target.
        epsilon: a claim.
        period: what the claim is about: "report", "day" or "ever".
        reports_per_day: overrides the configuration's own.
        known: RAPPOR's values, as texts; None where any there may be.

    Raises:
        ParameterError: a value out of its range, or a claim about a day of unknown length.
    """
    kind = kind_of(values)
    if known is not None and kind != "rappor":
        raise ParameterError("--inputs", f"must be left out for a configuration of {kind}", known)
    if reports_per_day is None and "reports_per_day" in values:
        reports_per_day = _whole(values, "reports_per_day", 1)
    if reports_per_day is not None and reports_per_day < 1:
        raise ParameterError("reports per day", "must be at least 1", reports_per_day)
    if kind == "rappor":
        one, ever = rappor(values, 1, known), rappor(values, None, known)
        day = rappor(values, reports_per_day, known) if reports_per_day else None
        notes: tuple[str, ...] = (
            f"tight for these {len(known)} values as the original clients encode them (MD5)"
            if known is not None
            else "tight if some two values set disjoint Bloom bits (h each) in some cohort, as in "
            "every large domain; else an upper bound: name the values with --inputs",
            "assumed: the permanent response is drawn once for each value and kept",
            "values that change over time spend eps each; cohorts and hash functions are public",
        )
    else:
        one = krr(values) if kind == "krr" else cms(values)
        day = _repeated(one, reports_per_day) if reports_per_day else None
        ratio = one.ratio if one.ratio == 1 else None
        ever = ExactEpsilon(EVER, ratio, "grows without end: nothing is kept between reports")
        notes = ("assumed: reports of one person are independent given the value",)
    if day is not None:
        day = ExactEpsilon(f"a day of {reports_per_day} reports", day.ratio, day.witness)
    periods = {"report": one, "day": day, "ever": ever}
    if period not in periods:
        raise ParameterError("--period", "must be report, day or ever", period)
    claimed = periods[period]
    if claimed is None:
        raise ParameterError("--per-day", "must be given for a claim about a day")
    verdict = None
    if epsilon is not None:
        check_claim(epsilon, 0.0)
        broken = claimed.ratio is None or above(claimed.ratio, epsilon)
        verdict = AuditVerdict.VIOLATED if broken else AuditVerdict.CONSISTENT
    found = tuple(each for each in (one, day, ever) if each is not None)
    return ExactResult(name, kind, epsilon, 0.0, claimed.period, found, None, verdict, notes)
