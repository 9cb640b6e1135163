"""Run any algorithm that asks statistical queries on locally private answers.

Users are put into groups before anything is asked, by a public random order that knows no record.
Each query goes to a group of its own. So every user sends one report, whatever is asked, and the
next query may depend on all answers. What a user sends depends on the others through the question
alone, and is epsilon-private for every question.

An answer is about the users who had not been asked before, of whom the group is a random sample
(the argument is Hoeffding's for samples without replacement). Where users are drawn from a
population, independently of each other, it is as well about the population.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.central.shuffler import uniform_order
from ldp_verified.analysis.interaction.asking import (
    Algorithm,
    Asking,
    Function,
    check_records,
    values_of,
)
from ldp_verified.analysis.interaction.ledger import Ledger
from ldp_verified.analysis.interaction.plan import LocalQueries
from ldp_verified.errors import ReportError
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.mechanisms.duchi import Duchi
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.realize.randomizer import Rng


@dataclass(frozen=True)
class QueryAnswer:
    """The answer to one query.

    Attributes:
        number: of the query, from 0. users: how many reports it was estimated from.
        value: an unbiased estimate: a float, or float64 (d,). It may lie out of the bounds.
        std_error: of it, from the spread of the reports.
    """

    number: int
    users: int
    value: Any
    std_error: Any


@dataclass(frozen=True)
class Answered:
    """The outcome of an algorithm that was run on private answers.

    Attributes:
        result: what it returned. answers: to its queries, in order.
        plan: what was planned. ledger: who was asked what, and what each user spent.
        simulated: whether reports came from a seed, and so protect nobody.
    """

    result: Any
    answers: tuple[QueryAnswer, ...]
    plan: LocalQueries
    ledger: Ledger
    simulated: bool

    def __str__(self) -> str:
        made = self.plan
        said = f"{len(self.answers)} queries of {made.queries}, {made.group_users:,} users each, "
        said += f"all answers within {made.tolerance:.4g} with probability {1 - made.beta:g}"
        note = "; simulated, protects nobody" if self.simulated else ""
        return f"{said}\n{self.ledger}{note}"


class QuerySession:
    """The server's side, which knows the algorithm and sees nothing but reports.

    Args:
        algorithm: a generator function that yields functions of a record: see `Algorithm`.
        plan: how many queries, and how they are answered.

    Raises:
        ParameterError: the algorithm is no generator, or asks about what is no function.
    """

    def __init__(self, algorithm: Algorithm, plan: LocalQueries) -> None:
        self.plan = plan
        self._asking = Asking(algorithm, plan.queries)
        self._answers: list[QueryAnswer] = []

    @property
    def question(self) -> Function | None:
        """The function that the next group is asked about; None once the algorithm is done."""
        return self._asking.question

    @property
    def number(self) -> int:
        """The number of the question, and of the group that answers it."""
        return self._asking.number

    @property
    def answers(self) -> tuple[QueryAnswer, ...]:
        """The answers so far."""
        return tuple(self._answers)

    @property
    def result(self) -> Any:
        """The result of the algorithm; None before it is done."""
        return self._asking.result

    def take(self, reports: Reports) -> None:
        """Answer the question from the reports of a group, and let the algorithm go on.

        Args:
            reports: one of each user of the group, as many as the plan says or more.

        Raises:
            ReportError: reports of another mechanism, simulated ones among real ones, or fewer
                than the tolerance needs. ParameterError: the algorithm is done, asks more than
                planned, or asks about what is no function.
        """
        if len(reports) < self.plan.group_users:
            rule = f"must be {self.plan.group_users} or more for the tolerance of the plan"
            raise ReportError("reports", rule, len(reports))
        made = self.plan.randomizer
        value: Any
        error: Any
        if isinstance(made, Duchi):
            mean = made.mean_estimate(reports, simulated=reports.simulated)
            value, error = mean.mean, mean.std_error
        else:
            means = made.mean_estimate(reports, simulated=reports.simulated)
            value, error = means.means, means.std_errors
        self._answers.append(QueryAnswer(self.number, len(reports), value, error))
        self._asking.answer(value.copy() if isinstance(value, np.ndarray) else value)


def groups_of(n: int, plan: LocalQueries, rng: Rng = None) -> NDArray[np.int64]:
    """Draw public groups of users, in a random order that knows no record.

    Args:
        n: users, at least as many as the plan needs.
        plan: of the queries. rng: None for the secure source; a seed or a generator simulates.

    Returns:
        int64 (queries, group_users): numbers of users in 0..n-1, each at most once.

    Raises:
        ParameterError: too few users, or `rng` is something else.
    """
    count = check_integer("n", n, plan.users, 1 << 32)
    source = word_source(rng, "groups of queries", *plan.randomizer.identity.named)
    return uniform_order(count, source)[: plan.users].reshape(plan.queries, plan.group_users)


def local_queries(
    algorithm: Algorithm,
    records: Any,
    plan: LocalQueries,
    *,
    many_at_once: bool = False,
    rng: Rng = None,
) -> Answered:
    """Run an algorithm on the locally private answers of these users.

    Args:
        algorithm: a generator function that yields functions of a record, and is sent their means:
            see `Algorithm`.
        records: a numpy array whose first axis are users, or a list with a record for each user.
        plan: how many queries, their bounds and tolerance.
        many_at_once: whether functions take the records of many users at once, an array of them or
            a list; see `values_of`.
        rng: None for the secure source; a seed or a generator is for simulation.

    Returns:
        The result, all answers, and the ledger.

    Raises:
        DomainError: fewer records than the plan needs, before anything is drawn; a query with
            values out of bounds, before anything of it is drawn. ParameterError: the algorithm is
            no generator, asks more than planned, or `rng` is something else.
    """
    n = check_records(records, plan.users)
    source = word_source(rng, "local queries", *plan.randomizer.identity.named)
    session = QuerySession(algorithm, plan)
    ledger = Ledger(n, plan.randomizer.realized_epsilon)
    groups = groups_of(n, plan, source)
    while session.question is not None:
        users = groups[session.number]
        own = records[users] if isinstance(records, np.ndarray) else [records[i] for i in users]
        values = values_of(
            session.question,
            own,
            plan.bounds,
            plan.d,
            many_at_once=many_at_once,
            name=f"query {session.number}",
        )
        ledger.charge(users, session.number)
        session.take(plan.randomizer.privatize(values, source))
    return Answered(session.result, session.answers, plan, ledger, bool(source.simulated))
