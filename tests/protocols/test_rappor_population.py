"""Many users at once: their law, that of the state drawn directly, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import KnownDomain, Rappor, RapporPopulation, rappor_population
from ldp_verified.run.kernels.compiled import compiled
from ldp_verified.run.realize.simulate import rows_reported
from tests.realize.test_simulate import every_outcome, sum_of_reports

if TYPE_CHECKING:
    from ldp_verified.run.realize.simulate import Binomial

STRINGS = tuple(f"v{i}" for i in range(30))
DEPLOYMENT = Rappor(0.5, 0.25, 0.75, 100, 2, cohorts=8)
ONCE = Rappor(Fraction(1, 2), 0, 1, 128, 2, cohorts=4)


@pytest.mark.parametrize("users", [[0, 0], [1, 0], [2, 0], [1, 1], [1, 2]])
def test_the_state_has_the_law_of_the_sum_of_reports(users: list[int]) -> None:
    """Every outcome of every binomial, against reports added up one by one; both exact."""
    one, zero = Fraction(3, 5), Fraction(1, 7)
    tiny = RapporPopulation(Rappor(0.5, 0.25, 0.75, 2, 2, cohorts=2), ("a", "b"))
    encoder = tiny.deployment.encoder

    def drawn(binomial: Binomial) -> Any:
        reports, ones = rows_reported(np.array(users), tiny._encoders(), 2, (one, zero), binomial)
        return np.concatenate([reports, ones.reshape(-1)])

    laws: dict[int, dict[tuple[int, ...], Fraction]] = {}
    for x, string in enumerate(tiny.strings):
        laws[x] = {}
        for cohort, bits in product((0, 1), product((0, 1), repeat=2)):
            chances = [one if b in encoder.positions(string, cohort) else zero for b in (0, 1)]
            mass = math.prod(
                (c if bit else 1 - c for bit, c in zip(bits, chances, strict=True)),
                start=Fraction(1, 2),
            )
            ones = [0] * 4
            ones[2 * cohort : 2 * cohort + 2] = bits
            laws[x][(int(cohort == 0), int(cohort == 1), *ones)] = mass
    assert every_outcome(drawn) == sum_of_reports(users, laws)


@pytest.mark.parametrize("deployment", [DEPLOYMENT, ONCE])
@pytest.mark.parametrize("directly", [False, True])
def test_cohorts_and_bits_have_their_probabilities(
    deployment: Rappor, directly: bool, seed: int
) -> None:
    """Null: cohorts uniform, P(1|1) and P(1|0) those of the cells; every cell within 7 sd.

    About 1,000 normal bounds at 2.6e-12 each: a false alarm in 4e8 runs. 40,000 users.
    """
    population = RapporPopulation(deployment, STRINGS)
    users = np.arange(30) * 92
    n = int(users.sum())
    if directly:
        state = population.simulate_counts(users, seed)
    else:
        batch = population.first_reports(np.repeat(np.arange(30), users), seed)
        assert len(batch) == n
        state = population.count(batch)
    assert state.simulated
    assert int(state.reports.sum()) == n
    share = 1 / deployment.cohorts
    assert np.abs(state.reports - n * share).max() < 7 * math.sqrt(n * share)
    one, zero = (float(cell) for cell in deployment.cells)
    for cohort in range(deployment.cohorts):
        held = np.zeros(deployment.bits)
        for x, string in enumerate(STRINGS):
            held[list(deployment.encoder.positions(string, cohort))] += users[x] * share
        mean = held * one + (n * share - held) * zero
        assert np.abs(state.ones[cohort] - mean).max() < 7 * math.sqrt(n * share)


def test_estimates_are_those_of_the_known_domain(seed: int) -> None:
    """10^12 users at once: the estimate of a string is within 7 standard errors."""
    strings = STRINGS[:10]
    users = np.arange(10) * 10**11
    state = RapporPopulation(DEPLOYMENT, strings).simulate_counts(users, seed)
    decoded = KnownDomain(DEPLOYMENT, strings).decode(state)
    assert (np.abs(decoded.counts - users) < 7 * decoded.std_error).all()


def test_secure_reports_are_not_marked_and_cannot_be_changed() -> None:
    population = RapporPopulation(DEPLOYMENT, STRINGS)
    batch = population.first_reports([3, 3, 3])
    assert not batch.simulated
    assert not population.count(batch).simulated
    assert "simulated=False" in repr(batch)
    with pytest.raises(ValueError, match="read-only"):
        batch.bits[0, 0] = 1
    assert len(population.first_reports([])) == 0


def test_a_seed_gives_the_same_reports_and_states_again(seed: int) -> None:
    population = RapporPopulation(DEPLOYMENT, STRINGS)
    values = np.arange(1000) % 30
    first, second = (population.first_reports(values, seed) for _ in range(2))
    np.testing.assert_array_equal(first.bits, second.bits)
    assert population.simulate_counts([5] * 30, seed).ones.tolist() == (
        population.simulate_counts([5] * 30, seed).ones.tolist()
    )


@pytest.mark.parametrize(
    "deployment",
    [DEPLOYMENT, ONCE, *(Rappor(0.3, 0, 1, bits, 3, cohorts=7) for bits in (65, 128, 200))],
)
def test_machine_code_and_numpy_give_the_same_reports(
    deployment: Rappor, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For more users than are drawn at a time, and for indices that cannot be written to."""
    population = RapporPopulation(deployment, STRINGS)
    values = np.arange(rappor_population.USERS_AT_A_TIME + 3_000) % 30
    values.flags.writeable = False
    fast = population.first_reports(values, seed)
    monkeypatch.setattr(rappor_population, "machine_code", lambda: False)
    slow = population.first_reports(values, seed)
    np.testing.assert_array_equal(fast.cohorts, slow.cohorts)
    np.testing.assert_array_equal(fast.bits, slow.bits)
    # Each flip has the same chance in all rows, so that equal rows would be seen.
    assert len(np.unique(fast.bits, axis=0)) > len(values) // 2


@pytest.mark.parametrize("form", [lambda function: function, compiled])
def test_the_kernel_flips_the_bits_of_the_encodings(form: Any) -> None:
    """By hand; an index that another thread made too large is taken as the last one."""
    encodings = np.array([[[1, 2], [4, 8]], [[16, 32], [64, 128]]], dtype=np.uint64)
    users, cohorts = np.array([[1, 9, 0], [0, 1, 1]], dtype=np.uint64)
    bits = np.array([[0, 0], [5, 5], [255, 255]], dtype=np.uint64)
    form(rappor_population._flip)(
        users, cohorts, np.uint64(1), encodings, bits, np.uint64(0b1010_1111)
    )
    assert bits.tolist() == [[4, 8], [69, 0b1000_0101], [255 - 16, 255 - 32 & 0b1010_1111]]


@pytest.mark.parametrize("values", [[30], [-1], [0.5], ["v0"], [[1]]])
def test_other_values_are_refused(values: Any) -> None:
    with pytest.raises(DomainError, match="values"):
        RapporPopulation(DEPLOYMENT, STRINGS).first_reports(values, 1)


def test_other_lists_are_refused() -> None:
    wrong: Any = (1,)
    with pytest.raises(ParameterError, match="different strings"):
        RapporPopulation(DEPLOYMENT, ("a", "a"))
    with pytest.raises(ParameterError, match="different strings"):
        RapporPopulation(DEPLOYMENT, ())
    with pytest.raises(DomainError, match="must be strings"):
        RapporPopulation(DEPLOYMENT, wrong)
    with pytest.raises(DomainError, match="true_counts"):
        RapporPopulation(DEPLOYMENT, STRINGS).simulate_counts([1, 2], 1)
