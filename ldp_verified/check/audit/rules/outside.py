"""Rule LDP014 tests whether values outside the domain that can occur keep the claim too.

A client that was given a value that it does not know often sends that value in clear. Whether this
breaks a claim depends on whether the value can get there, which no sample says: the auditor does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.budget import Want
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.sources import DrawnSamples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEVEL = 1e-6
"""The level of the tests of all values together, on top of the audit's level."""

LEAST = 1000
"""With fewer, a value that is echoed half of the time would pass."""

SAMPLES = 6000
"""Samples of a value and an audited input, where the budget allows so many."""

DECIDE = (
    "if such values can reach the client, name them with --outside and this counts; if it is never "
    "given any, it does not"
)
"""What a warning of LDP008 says beside what was seen."""


def wanted(values: int) -> Want:
    """Return the calls that the check asks for.

    Args:
        values: how many are named.
    """
    return Want("LDP014", LEAST * values, SAMPLES * values)


def outside(
    ask: Callable[[Sequence[Any]], Sequence[Any]],
    inputs: Sequence[Any],
    values: Sequence[Any],
    claim: Claim,
    seed: int,
    outputs: int,
) -> list[Finding]:
    """Audit each named value beside the first input, exceptions included.

    Null: the claim holds for the named values as for the inputs. All values together have level
    1e-6.

    Args:
        ask: values -> outputs.
        inputs: the domain. values: outside it, that can occur.
        claim: of the audit. seed: of the inputs drawn.
        outputs: that may be asked for.

    Returns:
        One finding with every value that breaks the claim, or none.
    """
    told: list[tuple[Any, float]] = []
    for value in values:
        labels = (inputs[0], value)

        def one(chosen: Any, labels: tuple[Any, Any] = labels) -> list[Any]:
            return [*ask([labels[i] for i in chosen.tolist()])]

        own = Claim(claim.epsilon, claim.delta, LEVEL / len(values), outputs // len(values))
        result = audit(DrawnSamples("", labels, one), own, seed=seed)
        if result.bound > claim.epsilon or result.infinite:
            told.append((value, result.bound))
    if not told:
        return []
    some = ", ".join(f"{value!r} (eps >= {bound:.3g})" for value, bound in told)
    words = f"told from {inputs[0]!r} by the output, beyond the claim: {some}"
    return [Finding("LDP014", words, {"values": [repr(value) for value, _ in told]})]
