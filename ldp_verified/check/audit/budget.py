"""One budget of calls and seconds for a whole audit: said before it starts, kept, and reported.

The bounds come first, since they decide the verdict; named checks get what is left, and without a
limit no more calls than the bounds have. A check that could not show anything with its part is left
out, and says so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ldp_verified.check.audit.claim import FEWEST
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    _Outputs = TypeVar("_Outputs")

FIRST, MOST = 16, 1 << 14
"""Outputs asked for between two looks at the clock: at first, and at most."""

QUICK = 0.25
"""Seconds between two looks at the clock, about."""

MOMENT = 0.05
"""Seconds that an answer is waited for where none are left."""

IN_TARGET = 0.7
"""Part of the seconds that is spent in the target; the rest is our own."""

OURS = 3e-5
"""Seconds of our own for a sample, about: measured on events of small domains."""

READ = 6
"""How often the time that reading an output takes is spent on it, about: measured on dicts of
lists of dicts."""

BOUNDS = 2 / 3
"""Part of the calls that the bounds get at least, where they and the checks want more."""


class SpentError(Exception):
    """A target cannot be asked again: it ended its process too often, or the budget is spent.

    Args:
        outputs: those of the calls that were made.
        why: in words.
    """

    def __init__(self, outputs: list[Any], why: str) -> None:
        super().__init__(why)
        self.outputs, self.why = outputs, why


@dataclass
class Budget:
    """The calls and the seconds that an audit may take of its target.

    Attributes:
        calls: calls in all; None for no limit.
        seconds: in all; None for no limit.
        each: calls that one output takes.
        made: calls made so far.
        pace: seconds that one output takes, in the target and of our own; None until `measured`.
    """

    calls: int | None = None
    seconds: float | None = None
    each: int = 1
    made: int = 0
    pace: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        least = FEWEST * self.each
        if self.calls is not None and (isinstance(self.calls, bool) or self.calls < least):
            raise ParameterError("--calls", f"must be at least {least}", self.calls)
        if self.seconds is not None and not 0 < self.seconds < float("inf"):
            raise ParameterError("--seconds", "must be above 0", self.seconds)
        self._started = self._looked = time.monotonic()
        self._at_once = FIRST

    def take(self, wanted: int, found: list[Any] | None = None) -> int:
        """Return how many of the outputs may be asked for now, and count them as asked for.

        Args:
            wanted: outputs, at least 1.
            found: outputs that were asked for before.

        Returns:
            From 1 to `wanted`; the rest may be asked for afterwards.

        Raises:
            SpentError: none may be asked for.
        """
        now = time.monotonic()
        if self.calls is not None:
            wanted = min(wanted, (self.calls - self.made) // self.each)
        if self.seconds is not None:
            quick = now - self._looked < QUICK
            self._at_once = min(2 * self._at_once, MOST) if quick else max(self._at_once // 2, 1)
            wanted = min(wanted, self._at_once) if self.left > 0 else 0
        self._looked = now
        if wanted <= 0:
            raise SpentError(found or [], self.why)
        self.made += wanted * self.each
        return wanted

    def take_all(self, wanted: int) -> None:
        """Take so many outputs that are asked for at once.

        Raises:
            SpentError: there are not so many left.
        """
        while wanted:
            wanted -= self.take(wanted)

    def returned(self, outputs: int) -> None:
        """Give back outputs that were taken from the budget and then not asked for."""
        self.made -= outputs * self.each

    @property
    def left(self) -> float:
        """Seconds that are left."""
        if self.seconds is None:
            return float("inf")
        return self.seconds - (time.monotonic() - self._started)

    def within(self, seconds: float) -> float:
        """Limit a wait to the seconds that are left of the budget, but to no less than a moment."""
        return min(seconds, max(self.left, MOMENT))

    @property
    def why(self) -> str:
        """The reason for stopping early: whether seconds or calls are spent."""
        if self.left <= 0:
            return f"stopped early: the {self.seconds:g} seconds of --seconds are over"
        return f"stopped early: the {self.calls:,} calls of --calls are made"

    @property
    def words(self) -> str:
        """Say how long one output takes, for the line that is printed before the audit starts.

        The text is empty where that was not measured.
        """
        if self.pace is None:
            return ""
        took, ours = (f"{1000 * each:.2g} ms" for each in self.pace)
        return f"; an output takes about {took} in the target and {ours} of ours"

    def measured(self, ask: Callable[[int], _Outputs], read: Callable[[_Outputs], object]) -> None:
        """Turn seconds into calls, by asking for a few outputs and reading them.

        Args:
            ask: for so many outputs.
            read: reads outputs as learning does.

        Raises:
            ParameterError: the seconds do not suffice for the fewest samples of an audit.
        """
        if self.seconds is None:
            return
        took, ours = self.seconds, OURS
        try:
            read(ask(1))  # starts the target
            for outputs in (4, 64):
                started = time.monotonic()
                told = ask(outputs)
                asked = time.monotonic()
                read(told)
                took = (asked - started) / outputs
                ours = OURS + READ * (time.monotonic() - asked) / outputs
                if took * 64 > 0.05 * self.seconds:
                    break
        except SpentError as spent:
            if self.left > 0:
                return  # the target ended too often: the audit meets that again, and says so
            rule = f"must suffice to start the target and ask it a few times ({spent})"
            raise ParameterError("--seconds", rule, self.seconds) from None
        self.pace = took, ours
        left = int(IN_TARGET * self.left / (took + ours))
        if left < FEWEST:
            one = f"{took + ours:.2g} seconds"
            rule = f"must suffice for {FEWEST} outputs, and one takes about {one}"
            raise ParameterError("--seconds", rule, self.seconds)
        most = self.made + left * self.each
        self.calls = most if self.calls is None else min(self.calls, most)


@dataclass(frozen=True)
class Want:
    """The calls that a named check asks for.

    Attributes:
        rule: its id. least: the fewest calls with which it shows anything. most: all it can use.
    """

    rule: str
    least: int
    most: int


@dataclass(frozen=True)
class Shares:
    """The split of a budget: outputs for the bounds, and calls for each named check.

    Attributes:
        samples: outputs for the bounds.
        checks: rule -> calls.
        short: rule -> why it is left out; no part of `words`, the plan names them apart.
    """

    samples: int
    checks: Mapping[str, int]
    short: Mapping[str, str]

    def words(self, each: int) -> str:
        """Describe the split for the line that is printed before the audit starts."""
        bounds, named = self.samples * each, sum(self.checks.values())
        words = f"at most {bounds + named:,} calls: {bounds:,} for the bounds"
        if self.checks:
            words += f", {named:,} for named checks ({', '.join(self.checks)})"
        return words


def shares(budget: Budget, n: int, wants: Sequence[Want]) -> Shares:
    """Split a budget.

    Args:
        budget: what there is.
        n: samples that the bounds want.
        wants: of the named checks, those that should be served first in front.

    Returns:
        Samples for the bounds (n where the budget has them) and calls for each check.
    """
    each = budget.each
    if budget.calls is None:
        samples, left = n, n * each
    else:
        there = budget.calls - budget.made
        wanted = min(sum(want.most for want in wants), there - round(BOUNDS * there))
        samples = max(min(n, (there - wanted) // each), min(n, FEWEST))
        left = there - samples * each
    given: dict[str, int] = {}
    short: dict[str, str] = {}
    for want in wants:
        if want.least <= left:
            given[want.rule] = want.least
            left -= want.least
        else:
            rest = f"and the budget leaves {left:,}"
            short[want.rule] = f"needs at least {want.least:,} calls, {rest}: see --calls"
    more = {w.rule: w.most - w.least for w in wants if w.rule in given}
    factor = min(1.0, left / max(sum(more.values()), 1))
    checks = {rule: given[rule] + int(factor * more[rule]) for rule in given}
    if budget.calls is not None:
        samples = min(n, (budget.calls - budget.made - sum(checks.values())) // each)
    return Shares(samples, checks, short)
