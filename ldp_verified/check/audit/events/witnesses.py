"""Attributes of outputs that never vary for one input: type, length, exception, an echoed value."""

from __future__ import annotations

from collections import Counter
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.results.results import AuditOutcome, AuditWitness
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.targets.failing import FAILING, failed
from ldp_verified.check.audit.targets.keys import Consumed, Raised, items, kind, length
from ldp_verified.check.audit.targets.opaque import unread
from ldp_verified.errors import printable

if TYPE_CHECKING:
    from ldp_verified.check.audit.targets.batch import Batch

CONSTANT = 1000
"""An attribute counts as a matter of the code only after this many samples of each input."""

LEVEL = 1e-9


def enough(epsilon: float, delta: float, level: float) -> float:
    """Samples of each input after which a constant attribute that differs breaks the claim.

    The claim is P(A | x) <= e^eps P(A | x') + delta. If A occurs in all n samples of x and in none
    of x', the Clopper-Pearson bounds 1 - F/n and F/n, F = ln(2/level), contradict it.

    Args:
        epsilon, delta: the claim.
        level: of this one attribute, input and other input.
    """
    factor = log(2 / level)
    return max(CONSTANT, factor * (1 + exp(min(epsilon, 50.0))) / (1 - delta))


SLOTS = (0, 1, 2, -1)
MOST_UNREAD = 8
"""Classes of objects that cannot be read which are named."""

MOST_OUTCOMES = 64
"""Exceptions and missing answers that are counted apart; all others are one outcome."""

ATTRIBUTES = 2 + len(SLOTS)
"""Type, length and each slot."""


class Watch:
    """Counts types, lengths and echoes of every sample, learning and testing alike.

    Only what never varied counts, and only after so many samples that a true claim allows any of it
    with probability at most `level` (see `enough`).
    """

    def __init__(
        self, inputs: tuple[Any, ...], epsilon: float, delta: float = 0.0, level: float = LEVEL
    ) -> None:
        self.inputs = inputs
        pairs = max(len(inputs) * (len(inputs) - 1), 1)
        self.enough = enough(epsilon, delta, level / (ATTRIBUTES * pairs))
        self.types: list[Counter[str]] = [Counter() for _ in inputs]
        self.lengths: list[Counter[int]] = [Counter() for _ in inputs]
        self.totals = np.zeros(len(inputs), dtype=np.int64)
        self.echoes = {slot: np.zeros(len(inputs), dtype=np.int64) for slot in SLOTS}
        self.raised: dict[str, Counter[int]] = {}
        self.failed = 0.0
        self.unread: set[str] = set()

    def see(self, batch: Batch) -> None:
        """Count a batch."""
        self.totals += np.bincount(batch.inputs, minlength=len(self.inputs))
        if isinstance(batch.outputs, np.ndarray):
            name = f"row of {batch.outputs.dtype.name}"
            width = batch.outputs.shape[1] if batch.outputs.ndim > 1 else -1
            for i in np.unique(batch.inputs).tolist():
                count = int(np.sum(batch.inputs == i))
                self.types[i][name] += count
                self.lengths[i][width] += count
        else:
            for i, output in zip(batch.inputs.tolist(), batch.outputs, strict=True):
                self.types[i][kind(output)] += 1
                self.lengths[i][length(output)] += 1
                share, raised = failed(output)
                self.failed += share
                if raised is not None and share >= FAILING:
                    self._raise(i, raised)
                if (
                    not isinstance(output, Raised)
                    and len(self.unread) < MOST_UNREAD
                    and (name := unread(output))
                ):
                    self.unread.add(printable(name))
        if self._sliced(batch):
            for slot in SLOTS:
                guesses = OutputReading(f"same:{slot}", self.inputs).guesses(batch)
                right = batch.inputs[guesses == batch.inputs]
                self.echoes[slot] += np.bincount(right, minlength=len(self.inputs))

    def _raise(self, at: int, output: Raised) -> None:
        lost = output.type == "NoAnswer"
        told = output.message if lost else output.type
        words = f"no answer ({printable(told)})" if lost else f"raised {printable(told)}"
        if words not in self.raised and len(self.raised) >= MOST_OUTCOMES:
            words = "another exception or missing answer"
        self.raised.setdefault(words, Counter())[at] += 1

    @property
    def failing(self) -> bool:
        """Return whether most outputs are exceptions or missing answers."""
        return self.failed > FAILING * int(self.totals.sum())

    def outcomes(self) -> tuple[AuditOutcome, ...]:
        """Exceptions and missing answers by input, the most frequent first."""
        totals = tuple(self.totals.tolist())
        often = sorted(self.raised.items(), key=lambda each: -each[1].total())
        return tuple(
            AuditOutcome(words, tuple(counts[i] for i in range(len(totals))), totals)
            for words, counts in often
        )

    def _sliced(self, batch: Batch) -> bool:
        if isinstance(batch.outputs, np.ndarray):
            return batch.outputs.ndim == 2
        first = batch.outputs[:50]
        return any(
            isinstance(o, list | tuple | Consumed) or (o is not None and items(o) is not None)
            for o in first
        )

    def skipped(self) -> dict[str, str]:
        """The rules that so few samples could not show to be broken, and why."""
        if np.sum(self.totals >= self.enough) >= 2:
            return {}
        why = f"needs {int(np.ceil(self.enough)):,} samples of each of two inputs"
        return dict.fromkeys(("LDP001", "LDP002", "LDP003", "LDP004"), why)

    def witnesses(self) -> tuple[list[AuditWitness], list[Finding]]:
        """Return the attributes that never varied and differ between inputs."""
        found: list[AuditWitness] = []
        rules: list[Finding] = []
        self._constant("LDP001", "type", [dict(c.items()) for c in self.types], found, rules)
        sizes = [{str(k): n for k, n in c.items()} for c in self.lengths]
        self._constant("LDP002", "length", sizes, found, rules)
        often = self.totals >= self.enough
        for slot, counts in self.echoes.items():
            always = np.flatnonzero(often & (counts == self.totals))
            if len(always) >= 2:
                few = [self.inputs[i] for i in always[:4].tolist()]
                words = f"item {slot} of the output is the input in every sample of {few}"
                samples = tuple(int(n) for n in self.totals[always[:4]])
                found.append(AuditWitness(words, samples))
                rules.append(Finding("LDP003", words, {"slot": slot, "samples": list(samples)}))
                break
        return found, rules

    def _constant(
        self,
        rule: str,
        what: str,
        counts: list[dict[str, int]],
        found: list[AuditWitness],
        rules: list[Finding],
    ) -> None:
        constant: dict[str, int] = {}
        for i, each in enumerate(counts):
            if len(each) == 1 and self.totals[i] >= self.enough:
                constant.setdefault(next(iter(each)), i)
        if len(constant) < 2:
            return
        (first, i), (second, j) = list(constant.items())[:2]
        words = (
            f"the {what} of the output is {first!r} in every sample of {self.inputs[i]!r} and "
            f"{second!r} in every sample of {self.inputs[j]!r}"
        )
        samples = (int(self.totals[i]), int(self.totals[j]))
        if not any(w.words.startswith("the type") and "raised" in w.words for w in found):
            found.append(AuditWitness(words, samples))
        raised = "raised " in first or "raised " in second
        identity = "LDP004" if raised else rule
        if not any(f.rule == identity for f in rules):
            rules.append(Finding(identity, words, {"inputs": [i, j], "samples": list(samples)}))
