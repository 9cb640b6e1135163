"""`conform` passes right code, rejects wrong code, and keeps its promises about seeds and power.

Level: each run over right code in this module has level 1e-9, and there are about 30.
Power: each rejection that is asserted is of a deviation above the stated detectable one, so it is
missed in at most one of 10^8 runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sympy import Rational

from ldp_verified import BLH, GRR, OLH, OUE, SUE, BinaryRR, Warner
from ldp_verified.analysis.expectation import Expectation, expectation, narrow_expectation
from ldp_verified.check.conformance import ConformanceOutcome, Subject, conform
from ldp_verified.check.conformance.restarts import RestartSubject
from ldp_verified.check.conformance.run import LEVEL, MISS, SEED_VARIABLE, defaults
from ldp_verified.errors import ParameterError
from ldp_verified.language import Matrix, Mechanism, load
from ldp_verified.prove.verdicts import Status
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from ldp_verified.check.conformance import ConformanceReport
    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.realize.randomizer import Randomizer

ALARM = 1e-9


def _failures(report: ConformanceReport) -> str:
    rows = [
        f"{c.subject}: {c.name}: {c.worst}: observed {c.observed}, expected {c.expected}, "
        f"n = {c.n}, p = {c.p_value}, level = {c.level}"
        for c in report.comparisons
        if c.outcome is not ConformanceOutcome.PASSED
    ]
    return "\n".join([f"seed {report.seed}", *rows])


ESTIMATES = {"mean of the estimate", "variance of the estimate", "coverage of 95% intervals"}
DESIGNS = {"classes of pairs", "support of values", "single outputs"} | ESTIMATES
DIRECT = DESIGNS - {"support of values"}
NUMBERS = {
    f"{what} at {share} of the interval"
    for what in ("shares", "moments")
    for share in ("0", "0.3125", "0.5", "1")
}
KINDS = {
    "fair_coins": {"outputs"} | ESTIMATES,
    "half_plus": {"outputs"} | ESTIMATES,
    "the": DESIGNS,
    "two_coins": {
        "outputs",
        "variance of the count of output 0",
        "variance of the count of output 1",
    }
    | (ESTIMATES - {"variance of the estimate"}),
    # Of each estimate the output of largest weight is looked at: here an end of the scale.
    "grades": {"outputs", *(f"variance of the count of output {y}" for y in (0, 2))}
    | (ESTIMATES - {"variance of the estimate"}),
    "basic_rappor": DESIGNS,
    "cms": DESIGNS,
    "hadamard_response": DESIGNS,
    "hash_cohorts": DESIGNS,
    "hcms": DESIGNS,
    "histogram_rr": DESIGNS,
    "hrr": DESIGNS,
    "keep_or_uniform": DIRECT,
    "pgr": DESIGNS,
    "subset_selection": DESIGNS,
    "ue": DESIGNS,
    "binary_rr": {"outputs"} | ESTIMATES,
    "warner": {"outputs"} | ESTIMATES,
    "grr": DESIGNS,
    "sue": DESIGNS,
    "oue": DESIGNS,
    "blh": DESIGNS,
    "olh": DESIGNS | {"coefficients and buckets"},
    **dict.fromkeys(
        (
            "duchi",
            "geometric",
            "hybrid",
            "laplace",
            "piecewise",
            "square_wave",
            "staircase",
            "truncated_geometric",
        ),
        NUMBERS,
    ),
}


@pytest.mark.parametrize("name", defaults())
def test_the_catalogue_conforms(name: str) -> None:
    report = conform(name, n=1_000_000, level=ALARM)
    assert report.outcome is ConformanceOutcome.PASSED, _failures(report)
    assert report.status is Status.SAMPLED
    assert {comparison.name.split(",")[0] for comparison in report.comparisons} == KINDS[name]
    assert any("secure source" in comparison.name for comparison in report.comparisons)
    # The level is split before anything is drawn, and no test is without a stated reach.
    assert sum(c.level for c in report.comparisons) <= ALARM * (1 + 1e-9)
    assert all(0 < c.detectable <= c.limit and c.power == 1 - MISS for c in report.comparisons)
    assert bool(report.remarks) == (name == "grr")  # k = 2^21 is too large to be estimated.


def test_a_whole_run_looks_at_the_secure_source_too() -> None:
    report = conform(n=1000, level=ALARM)
    assert {c.subject for c in report.comparisons} > {"secure source of words"}
    assert report.outcome is ConformanceOutcome.INCONCLUSIVE


def test_the_default_level_is_below_one_in_a_million() -> None:
    assert LEVEL < 1e-6


@pytest.mark.parametrize(
    "mechanism",
    [
        Warner(gamma=0.2),
        BinaryRR(epsilon=1.0),
        GRR(epsilon=1.0, k=5),
        SUE(epsilon=2.0, k=5),
        OUE(epsilon=1.0, k=5),
        BLH(epsilon=1.0, k=5),
        OLH(epsilon=1.0, k=5, g=3),
    ],
    ids=repr,
)
def test_samplers_on_8_bit_words_follow_their_own_table(mechanism: Randomizer) -> None:
    """The table that 8-bit thresholds give differs from the claimed one in the third digit."""
    realization = next(mechanism.realizations(8))
    sampler = mechanism.sampler(realization)
    right = Subject(
        f"{mechanism!r} in 8-bit words",
        lambda values, rng: sampler.draw(values, word_source(rng, "test")),
        narrow_expectation(mechanism, realization),
    )
    report = conform(right, n=400_000, level=ALARM)
    assert report.outcome is ConformanceOutcome.PASSED, _failures(report)


def _binary(p: Fraction, true: float) -> Subject:
    """Says it reports the truth with probability p, does so with probability `true`."""
    keep = Rational(p.numerator, p.denominator)
    form = Matrix([[keep, 1 - keep], [1 - keep, keep]])

    def draw(values: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
        assert rng is not None
        return np.where(rng.random(len(values)) < true, values, 1 - values).astype(np.uint8)

    return Subject(f"truth with probability {true}", draw, Expectation(form, {}, 2))


@pytest.mark.parametrize("p", [Fraction(3, 4), Fraction(99, 100)])
@pytest.mark.parametrize("direction", [-1, 1])
def test_a_deviation_of_the_stated_size_is_rejected(
    p: Fraction, direction: int, rng: np.random.Generator
) -> None:
    (right,) = conform(_binary(p, float(p)), n=400_000, level=ALARM).comparisons
    assert right.outcome is ConformanceOutcome.PASSED
    wrong = float(p) + direction * right.detectable
    assert 0 < wrong < 1
    for seed in rng.integers(2**63, size=3):
        report = conform(_binary(p, wrong), n=400_000, level=ALARM, seed=int(seed))
        assert report.outcome is ConformanceOutcome.REJECTED


def test_a_larger_epsilon_than_claimed_is_rejected() -> None:
    """GRR at epsilon 1.1 that says 1: p is off by 0.021, and the run says it sees 0.012."""

    @dataclass(frozen=True, repr=False)
    class Loose(GRR):
        def privatize(self, values: Any, rng: Any = None) -> Reports:
            other = GRR(epsilon=1.1, k=self.k).privatize(values, rng)
            return self.reports(np.asarray(other.data), simulated=other.simulated)

    report = conform(Loose(epsilon=1.0, k=8), n=1_000_000)
    frequencies = [c for c in report.rejected if "x" in c.worst and c.unit.startswith("prob")]
    assert frequencies
    off = abs(float(GRR(epsilon=1.1, k=8).p - GRR(epsilon=1.0, k=8).p))
    assert all(c.detectable < off for c in frequencies if c.name == "single outputs")
    assert report.status is Status.REFUTED
    assert any("secure source" in c.name for c in report.rejected)
    assert any("mean" in c.name for c in report.rejected)


def test_the_same_seed_gives_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def seeded(report: ConformanceReport) -> list[tuple[str, float]]:
        return [(c.name, c.p_value) for c in report.comparisons if "secure" not in c.name]

    grr = GRR(epsilon=1.0, k=4)
    first = conform(grr, n=5000, seed=7)
    assert first.seed == 7
    assert seeded(first) == seeded(conform(grr, n=5000, seed=7))
    assert seeded(first) != seeded(conform(grr, n=5000, seed=8))
    # A subject's numbers do not depend on what else is run.
    both = conform([Warner(gamma=0.2), grr], n=5000, seed=7)
    of_grr = [(c.name, c.p_value) for c in both.comparisons if c.subject == repr(grr)]
    assert [row for row in of_grr if "secure" not in row[0]] == seeded(first)
    monkeypatch.setenv(SEED_VARIABLE, "7")
    assert seeded(conform(grr, n=5000)) == seeded(first)
    monkeypatch.delenv(SEED_VARIABLE)
    seeds = {conform(_binary(Fraction(3, 4), 0.75), n=1000).seed for _ in range(3)}
    assert len(seeds) == 3


def test_a_small_sample_is_no_pass() -> None:
    report = conform(GRR(epsilon=1.0, k=4), n=1000, level=ALARM)
    assert report.outcome is ConformanceOutcome.INCONCLUSIVE
    assert report.status is Status.OPEN
    assert not report.rejected
    assert conform([], n=1000).outcome is ConformanceOutcome.INCONCLUSIVE


@pytest.mark.parametrize("name", ["warner", "half_plus", "duchi", "rappor"])
def test_as_many_reports_as_are_said_to_be_needed(name: str, seed: int) -> None:
    """What is said is enough for each comparison, and a tenth less is not."""
    few = conform(name, n=1000, level=ALARM, seed=seed)
    said = {(c.subject, c.name): c.needed for c in few.comparisons if c.needed is not None}
    assert len(said) == sum(c.outcome is ConformanceOutcome.INCONCLUSIVE for c in few.comparisons)
    needed = max(said.values())
    enough = conform(name, n=needed, level=ALARM, seed=seed)
    assert enough.outcome is ConformanceOutcome.PASSED
    assert {c.needed for c in enough.comparisons} == {None}
    less = conform(name, n=needed * 9 // 10, level=ALARM, seed=seed)
    assert less.outcome is ConformanceOutcome.INCONCLUSIVE


def test_more_reports_are_of_no_use_where_the_task_draws_no_more() -> None:
    """Two answers of a client that always says the same are equal, however many are asked for."""
    always = RestartSubject("a client", lambda times: [5] * times, Fraction(1))
    assert {c.needed for c in conform(always, n=1000, level=ALARM).comparisons} == {None}
    rare = RestartSubject("a client", lambda times: list(range(times)), Fraction(99, 100))
    (starts, _) = conform(rare, n=1000, level=ALARM).comparisons
    assert starts.needed is not None
    assert 2131 <= starts.needed <= 2131 * 1.1  # answers are not all equal by e^-21


def test_labels_do_not_matter() -> None:
    labelled = GRR(epsilon=1.0, k=3, categories=("a", "b", "c"))
    report = conform(labelled, n=1_000_000, level=ALARM)
    assert report.outcome is ConformanceOutcome.PASSED, _failures(report)


def test_another_version_of_the_spec_is_remarked_on() -> None:
    @dataclass(frozen=True, repr=False)
    class Old(GRR):
        law_sha256 = "0123456789ab" + 52 * "0"

    (remark,) = conform(Old(epsilon=1.0, k=3), n=1000).remarks
    assert "(0123456789ab)" in remark
    assert conform(GRR(epsilon=1.0, k=3), n=1000).remarks == ()


def test_code_for_a_spec_of_ones_own() -> None:
    """A declaration that is in no catalogue, and an object that follows it, or another one."""
    spec = load("grr")[0]
    mine = Mechanism("mine", parameters=spec.parameters, table=spec.table)
    claims = GRR(epsilon=1.0, k=3)

    def draw(values: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
        return claims.privatize(values, rng).data

    for epsilon, outcome in ((1.0, ConformanceOutcome.PASSED), (1.2, ConformanceOutcome.REJECTED)):
        expected = expectation(GRR(epsilon=epsilon, k=3), mine)
        report = conform(Subject("mine", draw, expected), n=1_000_000, level=ALARM)
        assert report.outcome is outcome, _failures(report)


def test_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[str, float]] = []
    conform("warner", n=2000, progress=lambda what, share: told.append((what, share)))
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert "Warner" in told[0][0]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "nothing"}, "target: must be one of basic_rappor, binary_rr, blh"),
        ({"target": 3}, "target: must be a name"),
        ({"n": 10}, "n: must be an integer >= 1000"),
        ({"n": True}, "n: must be"),
        ({"n": 1e6}, "n: must be"),
        ({"seed": -1}, "seed: must be"),
        ({"seed": True}, "seed: must be"),
        ({"level": 0.0}, "level: must be"),
        ({"level": 1}, "level: must be"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        conform(**arguments)


def test_a_bad_seed_in_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SEED_VARIABLE, "x1")
    with pytest.raises(ParameterError, match="LDP_VERIFIED_SEED"):
        conform("warner", n=1000)
