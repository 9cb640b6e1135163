"""Two starts of a client: honest ones pass, those that repeat themselves are rejected."""

from __future__ import annotations

from fractions import Fraction
from math import isclose, isinf
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR, OUE
from ldp_verified.analysis.expectation import expectation
from ldp_verified.check.conformance.foreign import asked, client_subject, restart_subject
from ldp_verified.check.conformance.restarts import (
    LEAST_ASKED,
    RestartSubject,
    RestartTask,
    best,
    of_looks,
)
from ldp_verified.check.conformance.results import ConformanceOutcome
from ldp_verified.check.conformance.run import conform
from ldp_verified.check.conformance.stateful_clients import Look
from ldp_verified.protocols import RangeTree, Rappor
from tests.broken.restarts import CLIENTS, FIXED_SEED, shared
from tests.conformance.test_foreign import (
    HASHED,
    MADE,
    MEMORY,
    NUMBERS,
    SHORT,
    ask_of,
    positions_of,
    python,
    users_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.broken.restarts import Ask

LEVEL = 1e-9
UNUSED = np.random.default_rng(0)
"""Asked of every task, though this one draws nothing itself."""
STRINGS = ("red", "green")
RAPPOR = Rappor(0.5, 0.25, 0.75, 4, 2, 2)
RANGES = RangeTree(1.0, 8)


def listed(ask: Ask) -> Ask:
    """Answers of several numbers as lists."""
    return lambda lines: [list(each) for each in ask(lines)]


HONEST: list[tuple[Any, Any]] = [
    *((made, ask_of(made)) for made in MADE),
    *((made, positions_of(made)) for made in NUMBERS),
    *((made, listed(positions_of(made))) for made in (SHORT, *HASHED)),
    (RANGES, lambda lines: [[each] for each in positions_of(RANGES)(lines)]),
    (MEMORY, users_of(MEMORY, forgets=False)),
]


def started(made: Any, ask: Ask, strings: tuple[str, ...] = ()) -> RestartSubject:
    subject = client_subject(made, ask, "a client", strings)
    return restart_subject(made, ask, subject, strings)


@pytest.mark.parametrize(("made", "ask"), HONEST, ids=[repr(made)[:40] for made, _ in HONEST])
def test_honest_clients_pass_and_those_that_repeat_are_rejected(
    made: Any, ask: Ask, seed: int
) -> None:
    """Null: answers of two starts are independent; level 1e-9; n = 1,000 of each start.

    Answers that are equal with chance 0.92 are missed with probability at most 1e-8. Of a client
    that repeats half of them half are equal or more, which is rejected where fewer should be.
    """
    found = conform(started(made, ask), n=1000, level=LEVEL, seed=seed)
    assert found.outcome is ConformanceOutcome.PASSED
    comparison, neighbours = found.comparisons
    assert comparison.n == 1000
    # Answers of one start: 500 pairs of each from the first on, 499 from the second on.
    assert neighbours.n == 1998
    assert comparison.detectable < 0.92
    for change, share in CLIENTS.values():
        wrong = conform(started(made, change(ask)), n=1000, level=LEVEL, seed=seed)
        assert wrong.rejected or comparison.detectable > share


def test_the_chance_of_equal_answers_is_the_tables() -> None:
    grr, oue = GRR(1.0, 4), OUE(1.0, 4)
    expected = expectation(grr)
    p, q = expected.cells
    assert expected.agreement(3, 0) == p**2 + 3 * q**2
    one, zero = expectation(oue).cells
    bits = (one**2 + (1 - one) ** 2) * (zero**2 + (1 - zero) ** 2)
    assert expectation(oue).agreement(3, 0) == bits


def test_the_bound_of_classes_is_that_of_the_best_one() -> None:
    third = Fraction(1, 3)
    assert best([Fraction(0), third, Fraction(1, 8)]) == Fraction(5, 9)
    look = Look("look", ("x = 0, a", "x = 0, b", "x = 1, a"), (third, Fraction(0), Fraction(1, 2)))
    assert of_looks([look], "x = 0, ") == Fraction(5, 9)
    assert of_looks([look]) == Fraction(1, 2)


def constant(times: int) -> Sequence[Any]:
    return [5] * times


def run(agreement: Fraction, most: int, level: float = LEVEL) -> Any:
    task = RestartTask(RestartSubject("a client", constant, agreement), most)
    found, _ = task.run(UNUSED, level, 1e-8)
    return found


def test_the_level_is_exact() -> None:
    """All of N answers are equal with the N-th power of the chance that one is."""
    found = run(Fraction(24, 25), 1000)
    assert isclose(found.p_value, 0.96**1000, rel_tol=1e-6)
    assert found.outcome is ConformanceOutcome.REJECTED
    almost = run(Fraction(24, 25), 1000, level=found.p_value * 0.999)
    assert almost.outcome is ConformanceOutcome.INCONCLUSIVE


def test_as_many_answers_are_asked_for_as_are_needed() -> None:
    """Or as may be: then equal answers say nothing, and nothing passes."""
    rare = Fraction(1, 10**4)
    assert RestartTask(RestartSubject("a client", constant, rare), 10**6).asked == LEAST_ASKED
    assert run(1 - rare, 10**6).outcome is ConformanceOutcome.REJECTED
    few = run(1 - rare, 1000)
    assert few.outcome is ConformanceOutcome.INCONCLUSIVE
    assert isinf(few.detectable)
    assert run(Fraction(1), 10**6).outcome is ConformanceOutcome.INCONCLUSIVE


@pytest.mark.parametrize("seed_of_client", [7, None])
def test_programs_are_started_twice(seed_of_client: int | None, seed: int) -> None:
    """A fixed seed has the right law in each start, so nothing else is rejected; level 1e-9.

    Null: the table of GRR(1, 4), n = 40,000; and as above.
    """
    made = GRR(1.0, 4)
    ask = asked(python(FIXED_SEED.format(seed=seed_of_client, k=4, p=float(made.p))))
    subject = client_subject(made, ask, "a client")
    both = [subject, restart_subject(made, ask, subject)]
    found = conform(both, n=40_000, level=LEVEL, seed=seed)
    names = [each.name for each in found.rejected]
    assert names == ([] if seed_of_client is None else ["equal answers of two starts"])


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("made", MADE, ids=repr)
def test_users_who_share_their_randomness_are_rejected(made: Any, first: int, seed: int) -> None:
    """Null: answers of one start are independent; level 1e-9; n = 1,000 of each start.

    Every other answer is that of the user before, so that of the pairs of one parity all are equal,
    and starts are still independent.
    """
    found = conform(started(made, shared(ask_of(made), first)), n=1000, level=LEVEL, seed=seed)
    assert [each.name for each in found.rejected] == ["equal neighbours in one start"]


def test_numbers_in_quotes_and_lists_of_one_are_the_same_answers() -> None:
    answers: Iterator[Any] = iter([[[1], ["2", 3], "4"], ["1", [2, "3"], [[4]]]])
    task = RestartTask(RestartSubject("a client", lambda _: next(answers), Fraction(1, 2)), 3)
    found, _ = task.run(UNUSED, LEVEL, 1e-8)
    assert found.observed * found.n == 3


def test_a_client_of_strings_is_asked_for_a_user(seed: int) -> None:
    """Null and level as above; a client that says the same always is rejected."""
    same = started(RAPPOR, lambda lines: [[[1, 3]] * 3] * len(lines), STRINGS)
    assert same.agreement < 1
    found = conform(same, n=1000, level=LEVEL, seed=seed)
    assert found.outcome is ConformanceOutcome.REJECTED
    assert started(RAPPOR, lambda lines: lines, STRINGS).start(2) == ["0 0 1"] * 2
