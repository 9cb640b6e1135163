"""Every rule has a planted violation that breaks it, and a clean twin that does not.

Null of the clean twins: level 1e-9 where they are audited, 1e-6 for LDP006, which is repeated where
it alarms (1e-12). LDP005 compares runs of 256 outputs; LDP007 and LDP012 are no statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import e
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.check.audit.rules import checks
from ldp_verified.check.audit.rules.beside import judged as judged_beside
from ldp_verified.check.audit.rules.checks import edges, neighbours, same_batch
from ldp_verified.check.audit.rules.claimed import check_variance
from ldp_verified.check.audit.rules.estimators import check_estimator
from ldp_verified.check.audit.rules.fit import ComparedFit
from ldp_verified.check.audit.rules.fit import judged as judged_fit
from ldp_verified.check.audit.rules.gaussian import fit
from ldp_verified.check.audit.rules.gaussian import judged as fitted
from ldp_verified.check.audit.rules.intervals import check_intervals
from ldp_verified.check.audit.rules.outside import outside
from ldp_verified.check.audit.rules.rules import RULES, Finding
from ldp_verified.check.audit.rules.shared import global_state, shared_generator
from ldp_verified.check.audit.rules.timing import judged as judged_times
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.isolated import asked_here
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.whole_audit import audit_target
from tests.broken.audit import targets

if TYPE_CHECKING:
    from collections.abc import Sequence

HOME = "tests.broken.audit.targets:"
LEVEL = 1e-9
CLIENT = targets.Client(1.0, 2).privatise
ASK = asked_here(CLIENT).each
Found = Callable[[], "Sequence[Finding]"]


def audited(name: str, epsilon: float = 1.0, home: str = HOME, **options: Any) -> Sequence[Finding]:
    target = Target("callable", home + name, (0, 1), **options)
    claim = Claim(epsilon, n=4000, level=LEVEL)
    return audit_target(target, claim, checks=False, seed=1).findings


def served(server: Callable[[list[int]], Any]) -> Sequence[Finding]:
    p, q = e / (e + 3), 1 / (e + 3)
    client = targets.Client(1.0, 4).privatise
    return check_estimator(
        client,
        lambda reports: server(reports)[0],
        held=0,
        others=[1, 2, 3],
        p_star=p,
        q_star=q,
        populations=40,
        users=100,
        reading="same",
        level=LEVEL,
    ).findings


def normal(sigma: float) -> list[Finding]:
    """Normal noise under a claim of (10, 1e-5): see `test_gaussian`."""
    rng = np.random.default_rng(1)
    inputs = rng.integers(0, 2, size=100_000)
    found = fit(inputs, inputs + rng.normal(0.0, sigma, size=100_000), 2)
    return fitted(found, Claim(10.0, 1e-5), (0, 1), 100_000)[0]


def timed(seconds: float) -> list[Finding]:
    """One of four inputs takes so much longer: see `test_timing`."""
    rng = np.random.default_rng(1)
    inputs = rng.integers(0, 4, size=3000)
    durations = rng.exponential(2e-5, size=3000) + seconds * (inputs == 2)
    return judged_times(inputs, durations, (0, 1, 2, 3), Claim(1.0), rng)[0]


def covering(scale: float) -> list[Finding]:
    """Intervals so wide, of what they should be: see `test_intervals`."""
    server = partial(targets.interval_server, scale=scale)
    return check_intervals(
        targets.Client(1.0, 4).privatise, server, (0, 1, 2, 3), 0.95, level=LEVEL, populations=60
    )


def written(told: bool) -> list[Finding]:
    """Texts that name the input, or say nothing: see `test_beside`."""
    inputs = np.random.default_rng(1).integers(0, 4, size=3000)
    sides = [{"stderr": f"sent {i if told else ''}"} for i in inputs.tolist()]
    return judged_beside(inputs, sides, (0, 1, 2, 3), Claim(1.0), np.random.default_rng(2))[0]


CASES: dict[str, tuple[Found, Found]] = {
    "LDP001": (partial(audited, "type_tells"), partial(audited, "fair_pair")),
    "LDP002": (partial(audited, "length_tells"), partial(audited, "fair_pair")),
    "LDP003": (partial(audited, "slot_tells"), partial(audited, "fair_pair")),
    "LDP004": (partial(audited, "exception_tells"), partial(audited, "fair_pair")),
    "LDP005": (
        lambda: same_batch(asked_here(targets.seeded_column, bulk=True), (0, 1)),
        lambda: same_batch(asked_here(targets.bulk, bulk=True), (0, 1)),
    ),
    "LDP006": (
        lambda: neighbours(asked_here(targets.stuttering()).each, 0),
        lambda: neighbours(ASK, 0) and neighbours(ASK, 0),
    ),
    "LDP007": (
        lambda: global_state(targets.reseeding, 0),
        lambda: global_state(CLIENT, 0),
    ),
    "LDP008": (
        lambda: edges(asked_here(targets.unchecked).each, (0, 1), Claim(1.0), 1),
        lambda: edges(ASK, (0, 1), Claim(1.0), 1),
    ),
    "LDP009": (
        partial(audited, "Client(1.0, 2).privatise", repeat=5),
        partial(audited, "Memoised(1.0, 2).privatise", repeat=5, fresh=True),
    ),
    "LDP010": (
        lambda: served(lambda reports: [float(reports.count(0))]),
        lambda: served(targets.server),
    ),
    "LDP011": (
        partial(audited, "column", epsilon=1.5, rows=True),
        partial(audited, "declared_column", epsilon=1.5, rows=True),
    ),
    "LDP013": (
        partial(audited, "late(1)", home="tests.broken.audit.late:"),
        partial(audited, "fair_pair"),
    ),
    "LDP014": (
        lambda: outside(asked_here(targets.unchecked).each, (0, 1), (10**6,), Claim(1.0), 1, 4000),
        lambda: outside(ASK, (0, 1), (0,), Claim(1.0), 1, 4000),
    ),
    "LDP015": (
        lambda: check_variance(-32.9, (0.75, 0.25)),
        lambda: check_variance(7500.0, (0.75, 0.25), 10_000),
    ),
    "LDP016": (lambda: normal(0.45), lambda: normal(0.56)),
    "LDP018": (lambda: written(told=True), lambda: written(told=False)),
    "LDP019": (lambda: covering(0.1), lambda: covering(1.0)),
    "LDP020": (
        lambda: judged_fit([ComparedFit("one", 1e-10), ComparedFit("two", 0.5)], LEVEL),
        lambda: judged_fit([ComparedFit("one", 1e-9), ComparedFit("two", 0.5)], LEVEL),
    ),
    "LDP017": (lambda: timed(0.002), lambda: timed(0.0)),
    "LDP012": (
        lambda: shared_generator(targets.Hashing("seed").privatise, (0, 1)),
        lambda: shared_generator(targets.Hashing("system").privatise, (0, 1)),
    ),
}
"""For each rule: what finds the planted violation, and the same check of the clean twin."""


def test_every_rule_is_here() -> None:
    assert set(CASES) == set(RULES)


@pytest.mark.parametrize("rule", sorted(CASES))
def test_a_planted_violation_breaks_its_rule_and_the_clean_twin_none(
    rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "PAIRS", 1000)
    monkeypatch.setattr(checks, "EDGES", (None, float("nan"), 10**30))
    monkeypatch.setattr(checks, "EDGE_SAMPLES", 2000)
    planted, clean = CASES[rule]
    assert rule in {finding.rule for finding in planted()}
    assert [*clean()] == []
