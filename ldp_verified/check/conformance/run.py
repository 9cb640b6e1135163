"""`conform`: does the running code follow the spec's table?"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from math import isfinite, isqrt
from typing import TYPE_CHECKING, Any

from ldp_verified.check.conformance.declared import declared_subject
from ldp_verified.check.conformance.numeric import NumericSubject, numeric_subject
from ldp_verified.check.conformance.own_specs import own_mechanisms, sample_arguments
from ldp_verified.check.conformance.protocols import PROTOCOLS, protocol_of
from ldp_verified.check.conformance.results import (
    Comparison,
    ConformanceOutcome,
    ConformanceReport,
)
from ldp_verified.check.conformance.subjects import (
    AnySubject,
    Plan,
    Subject,
    generator_of,
    plan,
    subject_of,
)
from ldp_verified.check.conformance.words import WordTask
from ldp_verified.errors import ParameterError
from ldp_verified.generate import class_name
from ldp_verified.language import load_catalogue
from ldp_verified.language.loader import is_protocol
from ldp_verified.run import mechanisms
from ldp_verified.run.kernels.seeds import checked_seed
from ldp_verified.run.mechanisms import (
    BLH,
    CMS,
    GRR,
    HCMS,
    HRR,
    OLH,
    OUE,
    PGR,
    SUE,
    THE,
    UE,
    BasicRappor,
    Duchi,
    Geometric,
    HadamardResponse,
    HalfPlus,
    HashCohorts,
    HistogramRR,
    Hybrid,
    KeepOrUniform,
    Laplace,
    Piecewise,
    SquareWave,
    Staircase,
    SubsetSelection,
    TruncatedGeometric,
    TwoCoins,
    Warner,
)
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer
from ldp_verified.spellings import meant

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism

LEVEL = 1e-7
"""Probability, at most, that a whole run over right code rejects anything."""

MISS = 1e-8
"""Probability, at most, with which one comparison misses a deviation of the size it states."""

REPORTS = 2_000_000
LEAST_REPORTS = 1000
MOST_REPORTS = 10**12
"""Runs of more are not proposed."""
UNKNOWN = 64
"""So many times as many reports are tried next, at most, also where nothing is detected yet."""

MOST_WORDS = 1 << 20

SEED_VARIABLE = "LDP_VERIFIED_SEED"

Progress = Callable[[str, float], None]
"""Told what is being run, and the share of the run that is done."""

Planner = Callable[[int], Plan]


def defaults() -> dict[str, tuple[Randomizer | NumericRandomizer, ...]]:
    """Return the objects that are run for each mechanism, with few values and with more.

    A mechanism that is not listed is run at the parameters that one of your own would get.
    """
    listed: dict[str, tuple[Randomizer | NumericRandomizer, ...]] = {
        "basic_rappor": (BasicRappor(noise=0.5, low=0.25, high=0.75, k=8),),
        "blh": (BLH(epsilon=1.0, k=8), BLH(epsilon=3.0, k=100)),
        "cms": (CMS(epsilon=1.0, k=4, buckets=2), CMS(epsilon=4.0, k=100, buckets=11)),
        "duchi": (Duchi(epsilon=1.0), Duchi(epsilon=3.0)),
        "geometric": (Geometric(epsilon=1.0), Geometric(0.3, bounds=(0, 7), grid=7)),
        "grr": (GRR(epsilon=1.0, k=8), GRR(epsilon=3.0, k=100), GRR(epsilon=5.0, k=1 << 21)),
        "hadamard_response": (HadamardResponse(epsilon=1.0, k=8), HadamardResponse(3.0, 100)),
        "half_plus": (HalfPlus(gamma=0.125),),
        "hash_cohorts": (HashCohorts(epsilon=1.0, k=8), HashCohorts(epsilon=3.0, k=100)),
        "hcms": (HCMS(epsilon=1.0, k=4, buckets=2), HCMS(epsilon=4.0, k=16, buckets=4)),
        "histogram_rr": (HistogramRR(epsilon=1.0, k=8), HistogramRR(epsilon=3.0, k=100)),
        "hrr": (HRR(epsilon=1.0, k=8), HRR(epsilon=3.0, k=100)),
        "hybrid": (Hybrid(epsilon=0.5), Hybrid(epsilon=2.0)),
        "keep_or_uniform": (KeepOrUniform(epsilon=1.0, k=8), KeepOrUniform(epsilon=3.0, k=100)),
        "laplace": (Laplace(epsilon=1.0), Laplace(epsilon=4.0)),
        "olh": (OLH(epsilon=1.0, k=8), OLH(epsilon=3.0, k=100)),
        "oue": (OUE(epsilon=1.0, k=8), OUE(epsilon=3.0, k=100)),
        "pgr": (PGR(epsilon=1.0, k=8), PGR(epsilon=3.0, k=100), PGR(1.0, 100, prime=2)),
        "piecewise": (Piecewise(epsilon=1.0), Piecewise(epsilon=4.0)),
        "square_wave": (SquareWave(epsilon=1.0), SquareWave(epsilon=4.0)),
        "staircase": (Staircase(epsilon=1.0), Staircase(epsilon=5.0)),
        "subset_selection": (
            SubsetSelection(epsilon=1.0, k=8),
            SubsetSelection(epsilon=1.0, k=100),
            SubsetSelection(epsilon=3.0, k=8, omega=7),
        ),
        "sue": (SUE(epsilon=1.0, k=8), SUE(epsilon=3.0, k=100)),
        "the": (THE(kept=1.25, raised=1.5, k=8), THE(kept=1.5, raised=4.0, k=100)),
        "truncated_geometric": (TruncatedGeometric(1.0), TruncatedGeometric(2.0, grid=3)),
        "two_coins": (TwoCoins(heads=0.5, yes=0.25),),
        "ue": (UE(zero=0.25, one=0.5, k=8), UE(zero=0.0625, one=0.75, k=100)),
        "warner": (Warner(gamma=0.25),),
    }
    for spec in load_catalogue():
        made = getattr(mechanisms, class_name(spec.name), None)
        if made is not None and spec.name not in listed:
            listed[spec.name] = (made(**sample_arguments(spec)),)
    return dict(sorted(listed.items()))


Target = str | Randomizer | NumericRandomizer | AnySubject


def names() -> tuple[str, ...]:
    """Return the names that can be run: mechanisms with a class, then protocols."""
    own = defaults()
    return (*own, *(name for name in PROTOCOLS if name not in own))


def conform(
    target: Target | Iterable[Target] | None = None,
    *,
    n: int = REPORTS,
    seed: int | None = None,
    level: float = LEVEL,
    parameters: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> ConformanceReport:
    """Compare running code with the spec's table, at full word width, by hypothesis tests.

    Every comparison gets the same share of the level (Bonferroni), fixed before anything is drawn.

    Args:
        target: a name of the catalogue or of a protocol, the path of a spec file (objects of the
            classes that `generate` writes for it), a mechanism object, a `Subject`, or several of
            them; None for the whole catalogue, all protocols and the secure source of words.
        n: reports for the frequencies of each subject; about as many again for the rest. Clients
            of protocols are fewer: what they detect is stated.
        seed: of all but the secure source; None for the environment variable LDP_VERIFIED_SEED, or
            else a fresh one. The report states it.
        level: the probability that a run over right code rejects anything, at most.
        parameters: of a declared protocol, for those that are not to be small ones.
        progress: called with what is being run and the share that is done.

    Raises:
        ParameterError: an unknown name, or n, seed or level out of range.
        SpecError: a spec file cannot be read as a table, or has no numeric side.
    """
    start = time.perf_counter()
    chosen = _seed(seed)
    if isinstance(n, bool) or not isinstance(n, int) or n < LEAST_REPORTS:
        raise ParameterError("n", f"must be an integer >= {LEAST_REPORTS}", n)
    if not isinstance(level, float) or not 0 < level < 1:
        raise ParameterError("level", "must be a float between 0 and 1", level)
    planners = [_planner(subject, chosen) for subject in _subjects(target, parameters)]
    planners += [_words] if target is None else []
    plans = [planner(n) for planner in planners]
    share = level / max(1, sum(len(task.planned) for each in plans for task in each.tasks))
    total, done = sum(task.n for each in plans for task in each.tasks), 0
    found: list[Comparison] = []
    for planner, planned in zip(planners, plans, strict=True):
        for place, task in enumerate(planned.tasks):
            if progress is not None:
                progress(task.name, done / total)
            seen = task.run(generator_of(chosen, task.name), share, MISS)
            found += [
                replace(each, needed=reports_needed(planner, place, row, n, share))
                if each.outcome is ConformanceOutcome.INCONCLUSIVE
                else each
                for row, each in enumerate(seen)
            ]
            done += task.n
    if progress is not None:
        progress("done", 1.0)
    remarks = tuple(chain.from_iterable(each.remarks for each in plans))
    asked = tuple(chain.from_iterable(each.asked for each in plans))
    return ConformanceReport(
        tuple(found), chosen, level, remarks, time.perf_counter() - start, asked
    )


def _planner(subject: AnySubject, seed: int) -> Planner:
    """What is run of a subject, as a function of the reports of the run."""
    return lru_cache(maxsize=None)(lambda n: plan(subject, n, seed))


def _words(n: int) -> Plan:
    return Plan([WordTask(max(2, min(n, MOST_WORDS) // 2 * 2))])


def reports_needed(planner: Planner, place: int, row: int, n: int, level: float) -> int | None:
    """Estimate how many reports a run needs for one comparison to be conclusive.

    The rule that says what the comparison detects decides. What it detects is nearly inversely
    proportional to the square root of the reports, which gives the first numbers to try; then
    these are bisected to a tenth.

    Args:
        planner: what is run, as a function of the reports. place: index of the task in the plan.
        row: index of the comparison in the task. n: reports that are too few.
        level: significance level of the comparison.

    Returns:
        The number, two digits of it rounded upwards, a tenth too large at most or so; None where
        more reports are of no use: the task draws no more, or `MOST_REPORTS` are too few.
    """

    def excess(size: int) -> float:
        planned = planner(size).tasks[place].planned[row]
        return planned.detectable(level, MISS) / planned.limit

    low, high = 0, n
    while (over := excess(high)) > 1:
        larger = _rounded(int(high * (min(over**2, UNKNOWN) if isfinite(over) else UNKNOWN)) + 1)
        same = planner(high).tasks[place].n == planner(UNKNOWN * high).tasks[place].n
        if same or larger > MOST_REPORTS:
            return None
        low, high = high, larger
    while 11 * low < 10 * high and (middle := _rounded(isqrt(low * high - 1) + 1)) < high:
        low, high = (low, middle) if excess(middle) <= 1 else (middle, high)
    return high


def _rounded(n: int) -> int:
    """The next number of two digits and zeros."""
    unit = int(10 ** max(0, len(str(n)) - 2))
    return -(-n // unit) * unit


def _seed(seed: int | None) -> int:
    if seed is None:
        given = os.environ.get(SEED_VARIABLE)
        if given is None:
            return secrets.randbits(64)
        if not given.isdecimal():
            raise ParameterError(SEED_VARIABLE, "must be an integer >= 0", given)
        return int(given)
    return checked_seed(seed)


def _subjects(
    target: Target | Iterable[Target] | None, parameters: Mapping[str, Any] | None = None
) -> list[AnySubject]:
    if target is None:
        return [subject for name in names() for subject in _subjects(name)]
    if isinstance(target, AnySubject):
        return [target]
    if isinstance(target, Randomizer | NumericRandomizer):
        return [_subject(target)]
    if isinstance(target, str):
        known = defaults()
        if is_declared(target):
            return [declared_subject(target, parameters)]
        if is_path(target):
            return [_subject(mechanism, spec) for mechanism, spec in own_mechanisms(target)]
        name = known_name(target, "target")
        if name in known:
            return [_subject(mechanism) for mechanism in known[name]]
        return list(PROTOCOLS[name].subjects())
    if not isinstance(target, Iterable):
        raise ParameterError("target", "must be a name, a mechanism or several of them", target)
    return [subject for one in target for subject in _subjects(one, parameters)]


def is_declared(target: str) -> bool:
    """Return whether a target is a protocol's declaration, and none that clients are run of."""
    if target in defaults() or protocol_of(target) is not None:
        return False
    return is_protocol(target)


def _subject(
    mechanism: Randomizer | NumericRandomizer, spec: Mechanism | None = None
) -> Subject | NumericSubject:
    if isinstance(mechanism, NumericRandomizer):
        return numeric_subject(mechanism, spec)
    return subject_of(mechanism, spec)


def known_name(name: str, argument: str) -> str:
    """The name under which a mechanism is run: its own, or the protocol's whose spec it names.

    Raises:
        ParameterError: nothing is run under this name.
    """
    found = meant(name, names()) or protocol_of(name)
    if found is None and is_declared(name):
        return name
    if found is None:
        rule = f"must be one of {', '.join(names())}, or the path of a spec file"
        raise ParameterError(argument, rule, name)
    return found


def is_path(target: str) -> bool:
    """Return whether a target is meant as the path of a spec file."""
    return target.endswith(".py") or os.sep in target
