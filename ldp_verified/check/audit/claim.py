"""Declare the claim about a target, and how much work an audit may spend on it."""

from __future__ import annotations

from dataclasses import dataclass

from ldp_verified.check.audit.bounds.bounds import check_claim
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.tabulated import check_level

LEVEL = 0.01
SAMPLES = 200_000
FEWEST = 100
MARGIN = 0.25
"""A violation a quarter above the claim (0.1 at least) must have been visible for `consistent`."""


@dataclass(frozen=True)
class Claim:
    """The claim that is audited, and the settings of the audit.

    Attributes:
        epsilon, delta: the claim.
        level: the probability of calling a true claim violated, at most.
        n: samples in all.
        mode: "fixed" or "anytime".
        tolerance: see `AuditResult`; None for the usual margin.
        stated: whether anybody claims it; an interval is wanted else, and `epsilon` is 0.
    """

    epsilon: float
    delta: float = 0.0
    level: float = LEVEL
    n: int = SAMPLES
    mode: str = "fixed"
    tolerance: float | None = None
    stated: bool = True

    def __post_init__(self) -> None:
        check_claim(self.epsilon, self.delta)
        check_level(self.level)
        if isinstance(self.n, bool) or self.n < FEWEST:
            raise ParameterError("n", f"must be at least {FEWEST}", self.n)
        if self.mode not in ("fixed", "anytime"):
            raise ParameterError("mode", "must be fixed or anytime", self.mode)
        if not self.stated and (self.epsilon or self.mode != "fixed"):
            rule = "must be given for a sequential audit: it stops where the claim is decided"
            raise ParameterError("--epsilon", rule)

    @property
    def seen(self) -> float:
        """The resolution that is good enough."""
        if self.tolerance is not None:
            return self.tolerance
        return self.epsilon + max(MARGIN * self.epsilon, 0.1)


@dataclass(frozen=True)
class ErrorLevels:
    """How the level of an audit is shared out.

    Attributes:
        events: for the events that are tested.
        pairs: for all pairs together.
        witnesses: for attributes that never varied.
        lags: for what reports tell of earlier inputs.
    """

    events: float
    pairs: float
    witnesses: float
    lags: float = 0.0

    @classmethod
    def of(cls, level: float, *, pairs: bool, lags: bool = False) -> ErrorLevels:
        """Share the level out: nine tenths for events, one for pairs if counted, a hundredth off.

        A twentieth of the whole is set aside where earlier inputs are looked at.
        """
        witnesses, apart = level / 100, level / 20 * lags
        rest = level - witnesses - apart
        return cls(*((0.9 * rest, 0.1 * rest) if pairs else (rest, 0.0)), witnesses, apart)
