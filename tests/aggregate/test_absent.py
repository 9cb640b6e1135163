"""How many different values are held, at least: the bound holds, and sees what it says it sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified import CMS, GRR, HCMS, OLH, OUE, HadamardResponse, HistogramRR
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import SHE, PaddedHashing, PaddedResponse
from ldp_verified.protocols.hashed_values import SampledOracle
from ldp_verified.run.aggregate import Estimate, State
from ldp_verified.run.aggregate.absent import absences
from ldp_verified.run.aggregate.distinct import AtLeast, distinct_at_least
from tests.aggregate.small_laws import law_of, of_bits, of_responses, populations
from tests.aggregate.test_linear import SKEWED, grr_as_table
from tests.broken.distinct import by_normal_errors, chosen_by_these_reports, each_alone
from tests.realize.written_out import constant_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.aggregate.small_laws import Law, Supports

    How = Callable[[Estimate, float], AtLeast]

LEVELS = (0.5, 0.8, 0.95)


def largest_miss(
    made: Any, laws: list[Law], held: Iterable[Supports], how: How, level: float
) -> float:
    """The chance that a bound is false, exactly, of whichever population it is largest."""
    k = made.k
    said: dict[Supports, AtLeast] = {}
    worst = 0.0
    for population in held:
        n = sum(population)
        true = {v for v in range(k) if population[v]}
        missed = 0.0
        for supports, chance in law_of(population, laws).items():
            if supports not in said:
                counts = np.array(supports, dtype=np.int64)
                said[supports] = how(State(made.oracle, n, counts).estimate(), level)
            found = said[supports]
            missed += chance * (found.value > len(true) or not true.issuperset(found.held))
        worst = max(worst, missed)
    return worst


def laws_of(made: GRR | OUE) -> list[Law]:
    """The laws of a report of each value."""
    p, q = float(made.p), float(made.q)
    return (of_responses if isinstance(made, GRR) else of_bits)(made.k, p, q)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("made", "n"),
    [(GRR(1.0, 3), 7), (GRR(4.0, 4), 6), (GRR(0.3, 5), 4), (OUE(2.0, 3), 4), (OUE(5.0, 2), 6)],
)
def test_the_bound_holds_with_its_level_by_the_exact_law(
    made: GRR | OUE, n: int, level: float
) -> None:
    missed = largest_miss(made, laws_of(made), populations(n, made.k), distinct_at_least, level)
    assert missed <= 1 - level + 1e-9


@pytest.mark.parametrize("level", LEVELS)
def test_a_table_has_a_bound_too(level: float) -> None:
    """The same reports as a table with a left inverse, and a skewed table: by the exact law."""
    grr, oracle = grr_as_table(3.0, 3)

    def as_table(found: Estimate, asked: float) -> AtLeast:
        return distinct_at_least(Estimate(oracle, found.n, found.support_counts), asked)

    assert largest_miss(grr, laws_of(grr), populations(6, 3), as_table, level) <= 1 - level + 1e-9
    p_values, law = absences(Estimate(oracle, 40, np.array([38, 1, 1])))
    assert law == "Chernoff"
    assert p_values[0] < 1e-6
    assert p_values[1:].tolist() == [1, 1]


@pytest.mark.parametrize("twin", [each_alone, chosen_by_these_reports])
def test_wrong_bounds_do_not(twin: How) -> None:
    """Of 8 values four users hold one; by the exact law the twins are false with 37 %."""
    made, held = GRR(1.0, 8), [(4, *[0] * 7)]
    assert largest_miss(made, laws_of(made), held, distinct_at_least, 0.8) <= 0.2 + 1e-9
    assert largest_miss(made, laws_of(made), held, twin, 0.8) > 0.3


RUNS = 700
MOST = int(binom.isf(1e-10, RUNS, 0.01))


def crowded(kind: type[CMS | HCMS], how: How, seed: int) -> int:
    """In how many runs a value that nobody holds is said to be held: all users hold another."""
    wrong = 0
    for run in range(RUNS):
        made = kind(8.0, 1 << 16, 32, 4, seed=(seed + run) % 2**63)
        sent = made.privatize(np.full(2_000, 7), rng=seed + run)
        state = State(made.oracle, simulated=True).update(sent)
        wrong += how(state.estimate([5]), 0.99).value > 0
    return wrong


@pytest.mark.parametrize("kind", [CMS, HCMS])
def test_collisions_of_drawn_rows_make_no_value(kind: type[CMS | HCMS], seed: int) -> None:
    """Null: a false value with chance 0.01 at most; n = 700 sketches of 4 rows, level 1e-10.

    In 11.9 % of the sketches the candidate collides in one of the rows: errors taken for normal
    see a value there, 83 times on average, and fewer than 31 times with a chance below 1e-11.
    """
    assert crowded(kind, distinct_at_least, seed) <= MOST
    assert crowded(kind, by_normal_errors, seed) > MOST


@pytest.mark.parametrize(
    "made",
    [GRR(2.0, 40), OUE(2.0, 40), OLH(2.0, 40), HadamardResponse(2.0, 40), SHE(2.0, 40)],
    ids=lambda made: type(made).__name__,
)
def test_frequent_values_are_seen_and_no_others(made: Any, seed: int) -> None:
    """Ten of 40 values have a tenth of 60,000 users each, 17 standard errors or more.

    Null: one of the 30 others is named with a chance of 1e-9.
    """
    values = np.repeat(np.arange(10), 6_000)
    state = made.aggregate(made.privatize(values, rng=seed), simulated=True)
    found = state.estimate().distinct_at_least(1 - 1e-9)
    assert found.value == 10
    assert set(found.held) == set(range(10))


def test_users_need_room_where_no_value_is_seen(seed: int) -> None:
    """2,000 values that are held alike: hardly one is seen, but no few have room for all users."""
    made = OUE(2.0, 2_000)
    held = np.full(2_000, 100)
    found = made.simulate_counts(held, rng=seed).estimate().distinct_at_least()
    assert len(found.held) < 20
    assert 50 < found.value <= 2_000


@pytest.mark.parametrize("kind", [PaddedResponse, PaddedHashing])
def test_items_of_sets_are_counted(kind: type[PaddedResponse | PaddedHashing], seed: int) -> None:
    """Null: one of the 46 items that no set has is named with a chance of 1e-9."""
    made = kind(4.0, 50, 3)
    sets = [(0, 1), (0, 1, 2, 3)] * 20_000
    state = made.empty(simulated=True).update(made.privatize(sets, rng=seed))
    found = made.estimate(state).distinct_at_least(1 - 1e-9)
    assert set(found.held) == {0, 1, 2, 3}
    assert (found.value, found.law) == (4, "binomial")


def test_candidates_that_these_reports_chose_are_refused() -> None:
    protocol: Any = type("Supports", (), {"chance": 0.25, "gain": 0.5})()
    supports = np.array([30, 20])
    fixed = Estimate(SampledOracle(protocol, 100, 40, 2), 100, supports)
    found = absences(fixed)[0]
    assert found == pytest.approx(binom.sf(supports - 1, 40, 0.25))
    chosen = Estimate(SampledOracle(protocol, 100, 40, 2, fixed=False), 100, supports)
    with pytest.raises(ParameterError, match="values: must be fixed before these reports"):
        chosen.distinct_at_least()


def test_nobody_holds_nothing() -> None:
    for made in (GRR(1.0, 4), constant_table(SKEWED)):
        assert made.empty().estimate().distinct_at_least() == AtLeast(0.95, 0, (), "binomial")


def test_one_user_holds_one_value() -> None:
    for value in range(3):
        reports = np.eye(3, dtype=np.int64)[value]
        found = State(GRR(1.0, 3).oracle, 1, reports).estimate().distinct_at_least()
        assert (found.value, found.held) == (1, ())


@pytest.mark.parametrize("made", [HistogramRR(1.0, 3), OUE(1.0, 3), OUE(0.5, 8)], ids=repr)
def test_ends_without_room_for_all_users_say_nothing(made: Any) -> None:
    """At low levels ends may be wrong together, which shows where they add up to fewer users."""
    nothing = State(made.oracle, 7, np.zeros(made.oracle.layout.counters, dtype=np.int64))
    assert nothing.estimate().distinct_at_least(0.01) == AtLeast(0.01, 1, (), "binomial")


def test_no_level() -> None:
    with pytest.raises(ParameterError, match="level: must"):
        GRR(1.0, 4).empty().estimate().distinct_at_least(1)
