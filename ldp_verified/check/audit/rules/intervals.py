"""Rule LDP019 tests whether a server's intervals hold the true count as often as it says.

Over repeated populations of the same users, fresh reports are drawn and the server gives an
interval for each value. If each holds the true count with the probability that is claimed, the
populations in which one does not are at most binomial with the rest. That makes an exact one-sided
test for each value, and no table of the mechanism is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scipy.stats import binom

from ldp_verified.check.audit.budget import Want
from ldp_verified.check.audit.rules.rules import Finding, told
from ldp_verified.check.audit.targets.called import resolve
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.tabulated import check_level

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ldp_verified.check.audit.targets.targets import Target

LEVEL = 1e-6
POPULATIONS, USERS, FEWEST = 200, 100, 30
"""Populations, users in each, and the fewest populations that are compared."""

SHARE = 0.3
"""The share of users who hold the first value; the others hold the remaining values by turns."""

INTERVALS = Want("LDP019", FEWEST * USERS, POPULATIONS * USERS)

MOST_VALUES = 64
"""Values whose intervals are compared, the first ones."""


def check_interval(target: Target, interval: str, confidence: float) -> None:
    """Refuse what cannot be checked, before anything is drawn.

    Args:
        target: what is audited. interval, confidence: as given.

    Raises:
        ParameterError: it is no Python callable of one value, or a number out of its range.
    """
    if target.kind != "callable" or target.bulk or target.repeat > 1:
        rule = "must come with a Python callable of one value"
        raise ParameterError("--interval", rule, interval)
    check_level(confidence, "--confidence")


def check_intervals(
    randomize: Callable[[Any], Any],
    server: Callable[[list[Any]], Any],
    inputs: Sequence[Any],
    confidence: float,
    *,
    level: float = LEVEL,
    users: int = USERS,
    populations: int = POPULATIONS,
) -> list[Finding]:
    """Count the populations in which an interval does not hold the true count.

    Args:
        randomize: the client: a value in, a report out.
        server: a list of reports in; intervals (low, high) of counts out, by input (a mapping) or
            in the order of the inputs; one pair is that of the first input.
        inputs: the domain.
        confidence: the probability that the server claims for each interval.
        level: of all tests together.
        users, populations: how many.

    Returns:
        One finding about the value whose interval fails most, or none.

    Raises:
        ParameterError: a number out of its range, or a server that gives something else.
    """
    check_level(confidence, "--confidence")
    if users < 1 or populations < 1 or len(inputs) < 2:
        raise ParameterError("users", "must be at least 1, of two inputs", users)
    held = round(SHARE * users)
    others = inputs[1:]
    values = [inputs[0]] * held + [others[i % len(others)] for i in range(users - held)]
    asked = inputs[:MOST_VALUES]
    truth = [sum(value is x for value in values) for x in asked]
    misses = [0] * len(asked)
    given = len(asked)
    for _ in range(populations):
        pairs = _pairs(server([randomize(value) for value in values]), asked)
        given = min(given, len(pairs))
        for i, (low, high) in enumerate(pairs):
            misses[i] += not low <= truth[i] <= high
    worst = max(range(given), key=lambda i: misses[i])
    p_value = float(binom.sf(misses[worst] - 1, populations, 1 - confidence))
    if p_value > level / given:
        return []
    words = (
        f"intervals said to hold the count with probability {confidence:g} hold that of "
        f"{asked[worst]!r} in {populations - misses[worst]} of {populations} populations of "
        f"{users} users (p = {p_value:.1e})"
    )
    return [Finding("LDP019", words, {"misses": misses[worst], "populations": populations})]


def _pairs(found: Any, inputs: Sequence[Any]) -> list[tuple[float, float]]:
    """The intervals as pairs of floats, in the order of the inputs."""
    try:
        rows = [found[x] for x in inputs] if isinstance(found, Mapping) else list(found)
        if rows and not hasattr(rows[0], "__len__"):
            rows = [rows]  # that of the first input alone
        pairs = [(float(low), float(high)) for low, high in rows[: len(inputs)]]
    except (KeyError, IndexError, TypeError, ValueError):
        pairs = []
    if not pairs:
        rule = "must give intervals (low, high) of counts, in the order of the inputs"
        raise ParameterError("--interval", rule, type(found))
    return pairs


def beside(
    randomize: Callable[[Any], Any],
    reference: str,
    inputs: Sequence[Any],
    confidence: float,
    populations: int = POPULATIONS,
) -> list[Any]:
    """`check_intervals` in the target's process, so that the server gets the client's own objects.

    Args:
        randomize, inputs, confidence, populations: as there.
        reference: `package.module:expression` of the server.
    """
    server = resolve(reference, "--interval")
    if not callable(server):
        raise ParameterError("--interval", "must be callable", reference)
    found = check_intervals(randomize, server, inputs, confidence, populations=populations)
    return told(found)
