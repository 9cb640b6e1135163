"""Reports drawn by queries: laws and numbers of queries, exactly, for all small tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR
from ldp_verified.analysis.interaction import (
    FiniteTable,
    LocalQueries,
    Rejection,
    by_queries,
    exact_queries,
    local_queries,
    queries_of,
)
from ldp_verified.analysis.utility import Contribution, exact_tail
from ldp_verified.errors import DomainError, ParameterError
from tests.broken.interaction import Generous, Hasty

if TYPE_CHECKING:
    from collections.abc import Generator

Law = tuple[Fraction, ...]
WEIGHTS = [(Fraction(i, 4), 1 - Fraction(i, 4)) for i in range(5)]
BETAS = (Fraction(1, 100), Fraction(1, 4), Fraction(1))


def laws(outputs: int, parts: int) -> list[Law]:
    """All laws with probabilities i/parts, none of them 0."""
    inner = [c for c in product(range(1, parts), repeat=outputs) if sum(c) == parts]
    return [tuple(Fraction(i, parts) for i in c) for c in inner]


def tables() -> Iterator[FiniteTable]:
    """Two inputs, two or three outputs."""
    for outputs, parts in ((2, 6), (3, 5)):
        for rows in product(laws(outputs, parts), repeat=2):
            yield FiniteTable((0, 1), tuple(range(outputs)), rows)


def distance(p: Law, q: Law) -> Fraction:
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2


def truth(made: Rejection, p: Law) -> list[Fraction]:
    """The exact answers: from the functions' formula, not from the code's numbers."""
    assert made.proposal is not None
    return [a / (r * made.trials) for a, r in zip(p, made.proposal, strict=True)]


def finding(kind: Callable[[FiniteTable], Rejection]) -> str:
    """Look at all tables, populations, tolerances and corners of answers; empty if all is kept."""
    for table in tables():
        made = kind(table)
        for weights in WEIGHTS:
            p = table.law(weights)
            exact = truth(made, p)
            law, trials = made.law(dict(enumerate(exact)))
            if law != p or trials != made.trials:
                return "another law than that of reports, or another number of queries"
            for beta in BETAS:
                tau = made.tolerance(beta)
                for signs in product((-1, 1), repeat=len(p)):
                    answers = [a + tau * s for a, s in zip(exact, signs, strict=True)]
                    if all(answer <= 0 for answer in answers):
                        return "nothing is accepted"
                    law, trials = made.law(dict(enumerate(answers)))
                    if distance(law, p) > beta:
                        return "farther away than promised"
                    if made.distance(tau) == beta and trials > made.most_trials(tau):
                        return "more queries than promised"
    return ""


def by_first_row(table: FiniteTable) -> Rejection:
    return Rejection.by_row(table, 0)


@pytest.mark.parametrize("kind", [Rejection, by_first_row])
def test_reports_have_the_promised_law(kind: Callable[[FiniteTable], Rejection]) -> None:
    assert finding(kind) == ""


@pytest.mark.parametrize(
    ("kind", "said"), [(Hasty, "another law"), (Generous, "nothing is accepted")]
)
def test_wrong_ways_are_seen(kind: Callable[[FiniteTable], Rejection], said: str) -> None:
    """Planted: acceptance that is cut at 1; a tolerance twice as wide."""
    assert said in finding(kind)


def test_the_best_proposals_need_no_more_queries() -> None:
    for table in tables():
        best = Rejection(table).trials
        ratio = table.worst().ratio
        assert ratio is not None
        for x in table.inputs:
            assert best <= Rejection.by_row(table, x).trials <= ratio
        for r in laws(len(table.outputs), 6 if len(table.outputs) == 2 else 5):
            assert best <= Rejection(table, r).trials


def test_binary_response_takes_less_than_two_queries_and_k_ary_fewer_than_its_ratio() -> None:
    for epsilon in (0.5, 2.0, 6.0):
        assert Rejection(FiniteTable.of_randomizer(GRR(epsilon, 2))).trials < 2
        table = FiniteTable.of_randomizer(GRR(epsilon, 7))
        assert Rejection(table).trials == 7 * table.rows[0][0]


class UndecidedError(Exception):
    """A choice that the path does not say."""


class Branches:
    """In the place of draws: every choice leads into all branches, with its probability."""

    def __init__(self, path: list[int]) -> None:
        self.path, self.taken = path, 0
        self.chance, self.left = Fraction(1), 0

    def choose(self, chances: Any) -> int:
        if self.taken == len(self.path):
            self.left = len(chances)
            raise UndecidedError
        place = self.path[self.taken]
        self.taken += 1
        self.chance *= chances[place]
        return place

    def accept(self, chance: Fraction) -> bool:
        return self.choose((chance, 1 - chance)) == 0


def branches(made: Rejection, answers: list[Fraction], trials: int) -> dict[Any, Fraction]:
    """The probability of each report within so many trials, by running the generator."""
    found: dict[Any, Fraction] = {}
    open_paths: list[list[int]] = [[]]
    while open_paths:
        coins: Any = Branches(open_paths.pop())
        running = made.draw(coins)
        asked, answer = 0, None
        try:
            while True:
                question = running.send(answer)  # type: ignore[arg-type]  # None starts it
                asked += 1
                if asked > trials:
                    break
                place = coins.path[coins.taken - 1]
                mean = sum(question(x) for x in made.table.inputs) / len(made.table.inputs)
                assert mean == pytest.approx(float(answers[place]))
                answer = float(answers[place])
        except UndecidedError:
            open_paths += [[*coins.path, i] for i in range(coins.left)]
        except StopIteration as stop:
            found[stop.value] = found.get(stop.value, Fraction(0)) + coins.chance
    return found


def test_the_program_draws_by_that_law() -> None:
    """All ways through three trials, exactly, where answers are short binary numbers."""
    table = FiniteTable.of_laws({0: {"a": "3/4", "b": "1/4"}, 1: {"a": "1/4", "b": "3/4"}})
    made = Rejection(table)
    p = table.law((Fraction(1, 2), Fraction(1, 2)))
    exact = truth(made, p)
    chance = 1 / made.trials
    accepted = 1 - (1 - Fraction(float(exact[0]))) ** 3
    found = branches(made, exact, 3)
    assert found == {"a": accepted / 2, "b": accepted / 2}
    assert float(accepted) == pytest.approx(float(1 - (1 - chance) ** 3))


TABLE = FiniteTable.of_randomizer(GRR(1.0, 3))


def counts(users: int = 40) -> Callable[[], Generator[FiniteTable, Any, list[int]]]:
    """Count reports; every other user is asked in view of the last report."""

    def protocol() -> Generator[FiniteTable, Any, list[int]]:
        found = [0, 0, 0]
        for _ in range(users):
            found[(yield TABLE)] += 1
        return found

    return protocol


@pytest.mark.parametrize("proposals", ["best", "row"])
def test_a_protocol_runs_by_queries(proposals: str, seed: int) -> None:
    """Null: 4000 reports of the law p, counts within 7 standard errors: 3e-11 for six counts.

    Proposals taken for reports (a third each) are off by 14 errors in the first count.
    """
    records = [0] * 80 + [1] * 20
    algorithm = by_queries(counts(4000), seed, proposals=proposals)
    found = exact_queries(algorithm, records, queries=100_000, bounds=(0.0, 1.0))
    p = TABLE.law((Fraction(4, 5), Fraction(1, 5), Fraction(0)))
    for count, each in zip(found, map(float, p), strict=True):
        assert abs(count - 4000 * each) < 7 * (4000 * each * (1 - each)) ** 0.5


def test_there_and_back(seed: int) -> None:
    """A local protocol by queries, whose answers are local reports of other users."""
    queries = queries_of(40, Rejection(TABLE).most_trials(0.05))
    plan = LocalQueries.of_users(queries * 500, 4.0, queries, bounds=(0.0, 1.0))
    records = np.zeros(plan.users, dtype=np.int64).tolist()
    found = local_queries(by_queries(counts(), seed), records, plan, rng=seed)
    assert sum(found.result) == 40
    assert 40 <= len(found.answers) <= queries


@pytest.mark.parametrize("reports", [1, 5, 30])
@pytest.mark.parametrize("trials", [Fraction(5, 4), Fraction(3)])
def test_so_many_queries_are_enough(reports: int, trials: Fraction) -> None:
    """The exact probability of fewer acceptances, summed by binomials."""
    queries = queries_of(reports, trials, 1e-3)
    coin = Contribution([(Fraction(1), 1 / trials), (Fraction(0), 1 - 1 / trials)])
    short = queries / trials - (reports - 1)
    assert exact_tail([(coin, queries)], short) <= 1e-3
    assert queries >= reports * trials
    assert queries_of(reports, 1) == reports


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Rejection(3), "table"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: Rejection(TABLE, (Fraction(1, 2), Fraction(1, 2))), "proposal"),
        (lambda: Rejection(TABLE, (Fraction(1), Fraction(0), Fraction(0))), "every possible"),
        (lambda: Rejection(TABLE, (Fraction(2), Fraction(-1), Fraction(0))), "proposal"),
        (lambda: Rejection(TABLE).tolerance(0), "distance"),
        (lambda: Rejection(TABLE).distance(1), "tau"),
        (lambda: Rejection(TABLE).most_trials(-1), "tau"),
        (lambda: Rejection(TABLE).law({i: Fraction(-1) for i in range(3)}), "answers"),
        (lambda: Rejection(TABLE).law({0: Fraction(1)}), "answers"),
        (lambda: Rejection(TABLE).law({i: float("nan") for i in range(3)}), "answers"),  # type: ignore[misc]  # wrong on purpose
        (lambda: Rejection(TABLE).law([1, 1, 1]), "answers"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: Rejection(TABLE).question(7), "place"),
        (lambda: Rejection(TABLE).question(-1), "place"),
        (lambda: by_queries(counts(), proposals="all"), "proposals"),
        (lambda: by_queries(3), "protocol"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: queries_of(0, 2), "reports"),
        (lambda: queries_of(1, 0.5), "trials"),
        (lambda: queries_of(1, 2, 0.0), "miss"),
    ],
)
def test_bad_arguments_are_named(make: Any, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        make()


def test_what_is_no_input_and_no_table_is_named() -> None:
    with pytest.raises(DomainError):
        Rejection.by_row(TABLE, 9)

    def wrong() -> Generator[Any, Any, None]:
        yield 3

    with pytest.raises(ParameterError, match="table"):
        exact_queries(by_queries(wrong, 1), [0], queries=5, bounds=(0.0, 1.0))
