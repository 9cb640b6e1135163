"""Whole audits: planted violations are found, their mended twins are not called violated.

Null of each mended twin: its claim is true (its table is known); level 1e-9 each. Power: planted
flaws have at least 300 plus against at most half of what the claim allows at n = 8,000; the
smallest, the agreement of two bits, is missed with probability below 1e-9 by the exact power below.
"""

from __future__ import annotations

from functools import partial
from math import exp, log
from typing import Any

import numpy as np
import pytest

from ldp_verified.app.report.audit import headline
from ldp_verified.check.audit import run as runs
from ldp_verified.check.audit.bounds.bounds import Stake, power
from ldp_verified.check.audit.claim import ErrorLevels
from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.run import FIRST, SCOUTS, Claim, audit
from ldp_verified.check.audit.running_audit import Course
from ldp_verified.check.audit.targets.sources import from_callable
from ldp_verified.errors import ParameterError
from tests.broken.audit.randomizers import PLANTED, Planted, grr

LEVEL = 1e-9
N = 8_000


def run(
    planted: Planted, broken: bool, rng: np.random.Generator, reading: str | None
) -> AuditResult:
    source = from_callable(planted.call(broken, rng), planted.inputs)
    claim = Claim(planted.epsilon, n=N, level=LEVEL)
    return audit(source, claim, seed=int(rng.integers(1 << 60)), reading=reading)


def readings(planted: Planted) -> str | None:
    """Hashing needs to be told the hash."""
    hashed = planted.name.startswith("hash")
    return "hash:tests.broken.audit.randomizers:hash_of" if hashed else None


@pytest.mark.parametrize("planted", PLANTED, ids=lambda p: p.name)
def test_a_planted_violation_is_found(planted: Planted, rng: np.random.Generator) -> None:
    found = run(planted, True, rng, readings(planted))
    assert found.verdict is AuditVerdict.VIOLATED
    words = [t.words for t in found.tested if t.bound > planted.epsilon]
    words += [w.words for w in found.witnesses]
    assert any(planted.shows in each for each in words), words
    if planted.rule is not None:
        assert planted.rule in [f.rule for f in found.findings]
        assert found.infinite
    else:
        assert not found.infinite


@pytest.mark.parametrize("planted", PLANTED, ids=lambda p: p.name)
def test_its_mended_twin_is_not_called_violated(planted: Planted, rng: np.random.Generator) -> None:
    found = run(planted, False, rng, readings(planted))
    assert found.verdict is not AuditVerdict.VIOLATED
    assert found.bound <= planted.epsilon
    assert not found.findings


def test_the_weakest_planted_violation_has_power() -> None:
    """Agreement of two bits: P(agree | 1) = 0.9, else 0.5; in the pair, half of the samples each.

    The event {disagree} for 0: plus 1/4, minus 1/20 of the samples, ln 5 against a claim of 0.5.
    """
    found = power(0.25, 0.05, N // 2, Stake(1.0, 0.5), FIRST * LEVEL / 8, target=0.5)
    assert found > 1 - 1e-8


def test_false_alarms_of_repeated_audits() -> None:
    """Null: P(violated) <= 0.1 for a true and tight claim; 30 audits of binary RR, n = 400 each.

    Rejected at 1e-7 where 15 or more of 30 alarm: P(Bin(30, 0.1) >= 15) < 1e-7. Power: an audit
    that alarms 7 times in 10 is caught with probability 0.98.
    """
    from scipy.stats import binom

    assert binom.sf(14, 30, 0.1) < 1e-7
    assert binom.sf(14, 30, 0.7) > 0.98
    epsilon = 1.0
    alarms = 0
    for seed in range(30):
        rng = np.random.default_rng([seed, 77])
        source = from_callable(partial(grr, k=2, epsilon=epsilon, rng=rng), [0, 1], "grr")
        found = audit(source, Claim(epsilon, level=0.1, n=400), seed=seed)
        alarms += found.verdict is AuditVerdict.VIOLATED
    assert alarms <= 14


def test_the_anytime_mode_stops_when_decided(rng: np.random.Generator) -> None:
    """A claim of 0.5 for eps = 2: decided long before n; level 1e-9, power by the first batches."""
    source = from_callable(lambda x: grr(x, 2, 2.0, rng), [0, 1])
    found = audit(source, Claim(0.5, n=400_000, level=LEVEL, mode="anytime"), seed=1)
    assert found.verdict is AuditVerdict.VIOLATED
    assert found.samples[1] < 100_000
    assert found.tested[0].method == "anytime"


@pytest.mark.parametrize("name", ["clear", "one in clear", "late"])
def test_the_anytime_mode_sees_what_is_in_clear_at_once(
    name: str, rng: np.random.Generator
) -> None:
    """The first look has at most 800 samples; a leak of one value in four shows in it too.

    Power at n = 800, level 1e-9 and a claim of 0.5: plus is 440 of 480 at least for the first and
    minus nothing, eps >= 2; a quarter of that for the second, which no other value ever reports.
    """
    before = [0]

    def client(value: int) -> int:
        if name == "late":
            before.append(value)
            return before[-2]
        return value if name == "clear" or value == 0 else int(rng.integers(1, 4))

    source = from_callable(client, range(4), name)
    found = audit(source, Claim(0.5, n=400_000, level=LEVEL, mode="anytime"))
    assert found.verdict is AuditVerdict.VIOLATED
    assert sum(found.samples) <= SCOUTS
    assert found.level == LEVEL


def test_the_levels_of_the_first_look_and_of_the_rest_add_up(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[ErrorLevels] = []

    class Kept(Course):
        def __init__(self, *arguments: Any) -> None:
            given.append(arguments[2])
            super().__init__(*arguments)

    monkeypatch.setattr(runs, "Course", Kept)
    source = from_callable(lambda _: int(rng.integers(2)), range(2), "coin")
    audit(source, Claim(1.0, n=20_000, level=LEVEL, mode="anytime"))
    first, rest = (sum(vars(each).values()) for each in given)
    assert first > 0
    assert first + rest <= LEVEL * (1 + 1e-12)


def test_the_anytime_mode_calls_a_true_claim_consistent(rng: np.random.Generator) -> None:
    source = from_callable(lambda x: grr(x, 2, 1.0, rng), [0, 1])
    found = audit(source, Claim(1.0, n=400_000, level=LEVEL, mode="anytime"), seed=1)
    assert found.verdict is AuditVerdict.CONSISTENT
    assert found.resolution is not None
    assert found.resolution <= found.tolerance


@pytest.mark.parametrize("share,verdict", [(0.02, "consistent"), (0.3, "violated")])
def test_the_anytime_mode_decides_a_delta_claim(
    share: float, verdict: str, rng: np.random.Generator
) -> None:
    """The value itself with probability `share`, else binary RR of eps = 1; claimed (1, 0.02)."""

    def leaky(value: int) -> int:
        return value if rng.random() < share else grr(value, 2, 1.0, rng)

    claim = Claim(1.0, 0.02, n=400_000, level=LEVEL, mode="anytime")
    found = audit(from_callable(leaky, [0, 1]), claim, seed=1)
    assert str(found.verdict) == verdict
    assert found.samples[1] < 320_000


def test_an_interrupted_audit_says_what_is_known(rng: np.random.Generator) -> None:
    """Ctrl-C at the 30,000th report: bounds that hold at every time, and a note."""
    calls = 0

    def asked(value: int) -> int:
        nonlocal calls
        calls += 1
        if calls == 30_000:
            raise KeyboardInterrupt
        return grr(value, 2, 3.0, rng)

    found = audit(from_callable(asked, [0, 1]), Claim(1.0, n=40_000, level=LEVEL), seed=1)
    assert found.interrupted
    assert found.verdict is AuditVerdict.VIOLATED
    assert {t.method for t in found.tested} == {"anytime"}
    assert 0 < found.samples[1] < 10_000


def test_an_audit_interrupted_while_learning_is_inconclusive() -> None:
    def asked(_: int) -> int:
        raise KeyboardInterrupt

    found = audit(from_callable(asked, [0, 1]), Claim(1.0), seed=1)
    assert found.verdict is AuditVerdict.INCONCLUSIVE
    assert found.tested == ()


def test_a_leak_too_rare_for_the_level_is_never_consistent(rng: np.random.Generator) -> None:
    """Every 200th report is the value in a form of its own: 15 to test with, and none wrong.

    At level 1e-6 no bound is above 1 (ln of 3 theta/(1 - theta), theta^15 = 1e-7); the p-value of
    15 hits is (e/(e + 3))^15 = 1.4e-5.
    """
    calls = 0

    def seldom(value: int) -> object:
        nonlocal calls
        calls += 1
        return ("kept", value) if calls % 200 == 0 else grr(value, 4, 1.0, rng)

    claim = Claim(1.0, n=6000, level=1e-6, tolerance=2.0)
    found = audit(from_callable(seldom, range(4)), claim)
    assert found.verdict is AuditVerdict.INCONCLUSIVE
    assert found.resolution is not None
    assert found.resolution < found.tolerance
    assert found.suspect is not None
    assert found.suspect.p_value < 1e-4
    assert "more samples must decide" in headline(found)


def test_a_delta_claim(rng: np.random.Generator) -> None:
    """With probability 0.2 the value itself: (0, 0.2) holds; (0.1, 0.02) is violated.

    Exact: plus 0.6, minus 0.4 in the pair; P(plus) <= P(minus) + delta.
    """

    def leaky(value: int) -> int:
        return value if rng.random() < 0.2 else int(rng.integers(0, 2))

    for delta, verdict in ((0.02, AuditVerdict.VIOLATED), (0.2001, None)):
        source = from_callable(leaky, [0, 1])
        found = audit(source, Claim(0.1, delta, n=2 * N, level=LEVEL), seed=3)
        assert found.verdict is verdict or (verdict is None and found.bound <= 0.1)
    method = "split 1/2"
    assert power(0.6, 0.4, N, Stake(), LEVEL / 2, target=0.1, delta=0.02, method=method) > 0.99999


def test_a_named_mechanism_uses_all_samples_for_its_own_event(rng: np.random.Generator) -> None:
    source = from_callable(lambda x: grr(x, 10, 1.5, rng), range(10))
    found = audit(source, Claim(1.0, n=N, level=LEVEL), mechanism="grr", seed=2)
    assert found.samples == (0, N)
    assert found.verdict is AuditVerdict.VIOLATED
    assert found.plan.expected is not None
    odds = exp(1.5) / (exp(1.5) + 9)
    assert power(odds, 1 - odds, N, Stake(9.0), LEVEL, target=1.0) > 1 - 1e-9
    assert found.bound < 1.5 + 0.2


def test_a_result_can_be_repeated_from_its_seed() -> None:
    def one() -> AuditResult:
        rng = np.random.default_rng(5)
        source = from_callable(lambda x: grr(x, 3, log(3), rng), range(3))
        return audit(source, Claim(1.0, n=2000), seed=11)

    first, second = one(), one()
    assert [t.tally for t in first.tested] == [t.tally for t in second.tested]


@pytest.mark.parametrize(
    "options", [{"n": 5}, {"level": 0.0}, {"epsilon": -1.0}, {"mode": "often"}, {"delta": 1.0}]
)
def test_a_claim_that_is_none_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        Claim(**{"epsilon": 1.0, **options})  # type: ignore[arg-type]  # that is what is tested
