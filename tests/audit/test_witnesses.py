"""Witnesses: what never varied, and only where a true claim would not allow it."""

from __future__ import annotations

from math import exp, log

import numpy as np

from ldp_verified.check.audit.bounds.bounds import binomial_lower, binomial_upper
from ldp_verified.check.audit.events.witnesses import CONSTANT, MOST_OUTCOMES, Watch, enough
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.sources import from_callable


def test_so_many_samples_break_the_claim_by_exact_bounds() -> None:
    for epsilon, delta in ((0.0, 0.0), (1.0, 0.3), (5.0, 0.0), (8.0, 0.5)):
        n = int(np.ceil(enough(epsilon, delta, 1e-9)))
        low, high = binomial_lower(n, n, 5e-10), binomial_upper(0, n, 5e-10)
        assert low - delta > exp(epsilon) * high


def test_an_echo_that_a_large_eps_explains_is_no_witness() -> None:
    """eps = 12 truly: the value comes back in all but one report of 160,000; the claim stands."""
    rng = np.random.default_rng(3)
    share = exp(12.0) / (exp(12.0) + 1)

    def report(value: int) -> tuple[int, int]:
        return (value if rng.random() < share else 1 - value), int(rng.integers(0, 2))

    found = audit(from_callable(report, [0, 1]), Claim(12.0, n=6000, level=1e-9), seed=1)
    assert not found.infinite
    assert found.verdict is not AuditVerdict.VIOLATED
    assert found.tested[0].disjoint
    assert found.bound > log(100)
    low = audit(from_callable(report, [0, 1]), Claim(1.0, n=6000, level=1e-9), seed=1)
    assert low.verdict is AuditVerdict.VIOLATED


def test_too_few_samples_are_no_witness() -> None:
    half = CONSTANT // 2
    for size, expected in ((half, 0), (4 * CONSTANT, 1)):
        watch = Watch((0, 1), 1.0)
        inputs = np.arange(size) % 2
        watch.see(Batch(inputs, ["x" * (1 + i) for i in inputs.tolist()]))
        witnesses, findings = watch.witnesses()
        assert len(witnesses) == expected
        assert [f.rule for f in findings] == ["LDP002"] * expected


def test_exceptions_of_many_classes_are_failures_too() -> None:
    """Those beyond the 64 that are named were not counted, and the audit was consistent."""
    watch = Watch((0, 1), 1.0)
    watch.see(Batch(np.arange(200) % 2, [Raised(f"Error{i}", "") for i in range(200)]))
    assert watch.failing
    found = watch.outcomes()
    assert len(found) == MOST_OUTCOMES + 1
    assert sum(sum(each.counts) for each in found) == 200


def test_rows_of_an_array_are_watched_too() -> None:
    watch = Watch((0, 1), 1.0)
    inputs = np.arange(4000) % 2
    rows = np.stack([np.zeros(4000, dtype=np.int64), inputs], axis=1)
    watch.see(Batch(inputs, rows))
    witnesses, findings = watch.witnesses()
    assert "item 1 of the output is the input" in witnesses[0].words
    assert [f.rule for f in findings] == ["LDP003"]
