"""Counts fitted to all estimates at once: least squares, maximum likelihood, a power law before.

Like the methods of `consistent` they are post-processing. What each rests on, beside the law of the
reports, is said in its docstring. `Estimate.consistent` has all of them under their names.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.consistent import METHODS, Consistent, cut, norm_sub
from ldp_verified.run.aggregate.labels import is_label
from ldp_verified.run.aggregate.layouts import OutputLayout
from ldp_verified.run.aggregate.least_squares import lacks_covariances, least_squares
from ldp_verified.run.aggregate.linear import LinearOracle
from ldp_verified.run.aggregate.listed import check_each_once
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.prior import empirical_bayes
from ldp_verified.run.aggregate.reconstruct import reconstruct
from ldp_verified.scalars import is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.consistent import Method
    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.oracle import Estimator

    Floats = NDArray[np.float64]
    Group = tuple[NDArray[np.int64], float]

EXPONENTS: Final = np.arange(1, 41) / 10
"""The exponents of the power law that are tried, 0.1 to 4; the most likely one is chosen."""

GRID: Final = 1024
"""Counts at which the power law is looked at, up to 20 standard errors."""

FITTED: Final = 1 << 13
"""Values that the power law is fitted to, at most."""

FAR: Final = 10.0
"""Standard errors above 0, beyond which the noise hardly matters."""


def made_consistent(estimate: Estimate, method: object, level: float, totals: object) -> Consistent:
    """Run a method and cut the intervals. Args and Raises: as `Estimate.consistent`."""
    simple = METHODS | POWER if isinstance(method, str) else {}
    if not isinstance(method, str) or (method not in simple and method not in WITH_TABLE):
        rule = f"must be one of {', '.join([*METHODS, *POWER, *WITH_TABLE])}"
        raise ParameterError("method", rule, method)
    k, n = estimate.oracle.k, estimate.n
    if k < 2 or not estimate.of_all_values:
        rule = "must be of all values to be made consistent: these are candidates among them"
        raise ParameterError("estimate", rule, k)
    groups = _groups(estimate, totals)
    if len(groups) > 1 and method in simple and method not in ADDING:
        raise ParameterError("totals", f"must be left out: {method} keeps to no sum", len(groups))
    _check_fits(method, estimate.oracle, len(groups))
    found = np.zeros(k)
    for places, total in groups:
        if n and method in simple:
            counts, errors = estimate.counts[places], estimate.std_error[places]
            found[places] = simple[method](counts, total, errors)
    if n and method in WITH_TABLE:
        found = WITH_TABLE[method](estimate, groups)
    found.flags.writeable = False

    def ends(level: float) -> tuple[Floats, Floats]:
        low, high = (np.array(ends) for ends in estimate.interval(level, simultaneous=True))
        for places, total in groups:
            low[places], high[places] = cut(low[places], high[places], total)
        low.flags.writeable = high.flags.writeable = False
        return low, high

    further = found, *ends(level), level, ends, estimate.honesty
    return Consistent(tuple(estimate.names), n, method, *further)


def _check_fits(method: str, oracle: Estimator, groups: int) -> None:
    """Refuse a method whose needs the law of the reports does not meet, however many there are.

    Raises:
        ParameterError: it does not, and what else does; or it takes no sums of groups here.
    """
    inner: object = getattr(oracle, "oracle", oracle)  # of all users where some were asked
    lacking = {name: lacks(inner) for name, lacks in LACKS.items()}
    reason = lacking.get(method)
    if reason is not None:
        others = [name for name in ("norm-sub", *WITH_TABLE) if lacking.get(name) is None]
        rule = f"must be another one, such as {', '.join(others)}: {reason}"
        raise ParameterError("method", rule, method)
    if groups > 1 and method == "likelihood" and isinstance(inner, LinearOracle):
        raise ParameterError("totals", "must be left out: there is no closed form", groups)


def _groups(estimate: Estimate, totals: object) -> list[Group]:
    """The places of values with a known sum, and that sum; all values are in one of them.

    Raises:
        ParameterError: the totals contradict themselves or n.
    """
    n, k = estimate.n, estimate.oracle.k
    if totals is None:
        return [(np.arange(k), float(n))]
    if not isinstance(totals, Mapping):
        raise ParameterError("totals", "must be a mapping from labels to counts", type(totals))
    number = {label: place for place, label in enumerate(estimate.names)}
    groups: list[Group] = []
    named = set[int]()
    for labels, total in totals.items():
        listed = labels if isinstance(labels, tuple) else (labels,)
        if not listed or not all(is_label(label) and label in number for label in listed):
            raise ParameterError("totals", "must name values of the estimate", labels)
        check_each_once(listed, "totals")
        places = [number[label] for label in listed]
        shared = [label for label, place in zip(listed, places, strict=True) if place in named]
        if shared:
            rule = f"groups must not share a value: {reprlib.repr(shared[0])} is in two"
            raise ParameterError("totals", rule)
        named.update(places)
        if not is_number(total) or not 0 <= total <= n:
            raise ParameterError("totals", f"must be numbers in 0..n = 0..{n}", total)
        groups.append((np.array(places), float(total)))
    others = np.setdiff1d(np.arange(k), list(named))
    rest = n - math.fsum(total for _, total in groups)
    if rest < 0 or (rest > 0 and not len(others)):
        most = "not add up to more than" if len(others) else "add up to"
        rule = f"must {most} n = {n}"
        raise ParameterError("totals", rule, n - rest)
    return [*groups, (others, rest)] if len(others) else groups


# --- maximum likelihood -------------------------------------------------------------------------


def lacks_outputs(oracle: object) -> str | None:
    """Say why the counters of an oracle do not give the likelihood; None where they do.

    They do for k-ary response and for a mechanism whose whole table is known, such as `Grades` or
    one of a spec. Unary encodings, subsets, hashes and signs count supports alone.
    """
    layout = oracle.layout if isinstance(oracle, FrequencyOracle) else None
    values = isinstance(layout, OutputLayout) and layout.counters == layout.k
    if values or isinstance(oracle, LinearOracle):
        return None
    return "supports do not say how often each output came"


def lacks_supports(oracle: object) -> str | None:
    """Say that reports of an oracle support no values; None where they do."""
    return None if isinstance(oracle, FrequencyOracle) else "these reports support no values"


def likeliest(estimate: Estimate, groups: Sequence[Group]) -> Floats:
    """Compute maximum likelihood counts: n times the shares that make the reports most likely.

    It is for reports that `lacks_outputs` finds nothing lacking in.
    This is what the iterative Bayesian update converges to (Agrawal and Aggarwal 2001; expectation
    maximisation). For k-ary response it has a closed form, which is used. A value whose report came
    c times has p f + q (1 - f) = max(c/L, q), with the one L that gives the right sum. Users are
    taken for a sample of a population.

    Args:
        estimate: of all values. groups: of values with a known sum, which together are all.

    Returns:
        float64 (k,).
    """
    oracle: object = getattr(estimate.oracle, "oracle", estimate.oracle)
    if not isinstance(oracle, LinearOracle):
        return updated(estimate, groups)
    channel, seen = oracle.floats[0].T, estimate.support_counts
    return estimate.n * reconstruct(seen, channel, smooth=False, tolerance=1e-9).shares


def updated(estimate: Estimate, groups: Sequence[Group]) -> Floats:
    """Return the counts at which the iterative Bayesian update on supports ends.

    That update takes every support for a report of its own. Other packages run it on unary
    encodings, subsets and hashes (multi-freq-ldpy calls it IBU). For k-ary response it is maximum
    likelihood. Elsewhere supports of one report depend on each other and the likelihood is not
    theirs, so the counts are a compromise of their own. It has the closed form of `likeliest`.

    Args:
        estimate: of all values. groups: of values with a known sum, which together are all.

    Returns:
        float64 (k,).
    """
    oracle: object = getattr(estimate.oracle, "oracle", estimate.oracle)
    assert isinstance(oracle, FrequencyOracle)  # see `lacks_supports`
    seen, n = estimate.support_counts, estimate.n
    p, q = float(oracle.p_star), float(oracle.q_star)
    found = np.zeros(len(seen))
    for places, total in groups:
        whole = len(places) * q + (p - q) * (total / n)
        raised = _raised(seen[places].astype(np.float64), q, whole)
        found[places] = n * np.maximum(raised - q, 0.0) / (p - q)
    return found


def _raised(seen: Floats, least: float, whole: float) -> Floats:
    """max(seen/L, least) with the L that makes their sum `whole`, at least len(seen) least."""
    order = np.sort(seen)[::-1]
    kept = np.arange(1, len(seen) + 1)
    left = whole - least * (len(seen) - kept)
    # With so many above the least one, the smallest of these is so, and that for the last time.
    above = np.flatnonzero(order * left > least * np.cumsum(order))
    if not len(above):
        return np.full(len(seen), whole / len(seen))
    last = int(above[-1])
    return np.asarray(np.maximum(seen * (left[last] / order[: last + 1].sum()), least))


# --- a power law --------------------------------------------------------------------------------


def power(counts: Floats, n: float, std_error: Floats) -> Floats:
    """The mean of each count given its estimate, if true counts follow a power law.

    A count x in 1..n has a density proportional to x^-s before the reports, and the noise is
    normal. The s of `EXPONENTS` is chosen under which the estimates are most likely (empirical
    Bayes; Wang et al. choose it in another way). Counts do not add up to n: "power-norm-sub" makes
    them. Where true counts follow no power law, small ones are biased towards 0.
    """
    if n < 2.0 or 2 * FAR * float(std_error.max()) <= 2.0:
        return np.asarray(np.maximum(counts, 0.0))
    return expected(counts, std_error, exponent(counts, n, std_error))


def exponent(counts: Floats, n: float, std_error: Floats) -> float:
    """The one of `EXPONENTS` under which the estimates are most likely; see `power`."""
    some = np.argsort(counts, kind="stable")[:: -(-len(counts) // FITTED)]
    grid, width = _grid(std_error)
    far = counts[some] > FAR * std_error[some]
    near, above = some[~far], np.log(counts[some[far]]).sum()
    close = _normal(counts[near], grid, std_error[near]) * width
    scores = []
    for s in EXPONENTS:
        whole = power_law_mass(n, float(s))
        marginal = close @ grid**-s
        scores.append(np.log(marginal).sum() - s * above - len(some) * math.log(whole))
    return float(EXPONENTS[int(np.argmax(scores))])


def power_law_mass(n: float, s: float) -> float:
    """The integral of x^-s from 1 to n, which is log(n) at s = 1; without cancellation near it.

    Args:
        n: above 1. s: any number.
    """
    u = (1.0 - s) * math.log(n)
    return math.log(n) * (math.expm1(u) / u if u else 1.0)


def expected(counts: Floats, std_error: Floats, s: float) -> Floats:
    """The mean of each count given its estimate, where densities are proportional to x^-s."""
    grid, width = _grid(std_error)
    prior = width * grid**-s
    far = counts > FAR * std_error
    found = counts.copy()
    # Far above the noise the density is nearly exponential over a standard error.
    found[far] -= s * std_error[far] ** 2 / counts[far]
    rest = np.flatnonzero(~far)
    for begin in range(0, len(rest), FITTED):
        some = rest[begin : begin + FITTED]
        weights = _normal(counts[some], grid, std_error[some]) * prior
        found[some] = (weights @ grid) / weights.sum(axis=1)
    return found


def _grid(std_error: Floats) -> tuple[Floats, Floats]:
    """Counts from 1 to twice as far as the noise reaches, and how much each stands for."""
    grid = np.geomspace(1.0, max(2 * FAR * float(std_error.max()), 2.0), GRID)
    return grid, np.asarray(np.gradient(grid))


def power_norm_sub(counts: Floats, n: float, std_error: Floats) -> Floats:
    """`power`, and then norm-sub."""
    return norm_sub(power(counts, n, std_error), n, std_error)


def _normal(counts: Floats, grid: Floats, std_error: Floats) -> Floats:
    """Densities of estimates given counts on the grid, each row up to a factor, (counts, grid).

    A row's factor is that of its likeliest count, so that no row is zero in doubles.
    """
    away = (grid[None, :] - counts[:, None]) / std_error[:, None]
    squares = away**2
    return np.asarray(np.exp((squares.min(axis=1, keepdims=True) - squares) / 2))


POWER: Final[dict[str, Method]] = {"power": power, "power-norm-sub": power_norm_sub}
"""Methods that assume a power law."""

WITH_TABLE: Final[dict[str, Callable[[Estimate, Sequence[Group]], Floats]]] = {
    "least-squares": least_squares,
    "likelihood": likeliest,
    "ibu": updated,
    "empirical-bayes": empirical_bayes,
}
"""Methods that need more of the law of reports than each count's error."""

LACKS: Final[dict[str, Callable[[object], str | None]]] = {
    "least-squares": lacks_covariances,
    "likelihood": lacks_outputs,
    "ibu": lacks_supports,
}
"""What the law of the reports lacks for a method, by its oracle; None where nothing."""

ADDING: Final = ("norm", "norm-mul", "norm-sub", "power-norm-sub")
"""Methods by whose counts every group has the sum that is known."""
