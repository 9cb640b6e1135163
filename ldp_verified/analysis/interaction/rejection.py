"""Run a local protocol by statistical queries, which draw its reports.

A report y of a user drawn from a population has probability p(y), the mean of P(y | x) over the
population. Rejection sampling draws it. It proposes y with probability r(y) and asks for the mean
of P(y | x)/(r(y) M), which is within 0..1 where M is the largest P(y | x)/r(y). It accepts y with
that probability. Shiva Prasad Kasiviswanathan, Homin K. Lee, Kobbi Nissim, Sofya Raskhodnikova,
Adam Smith (2011), What Can We Learn Privately?, propose by the row of one fixed input; M is at most
e^epsilon then. The law that has the least M is proportional to the largest probability of each
report: M is the sum of these.

What is true of it, with answers v(y) within tau of the truth a(y) = p(y)/(r(y) M):
- With exact answers the report has the law p, and M queries are asked in expectation.
- Else its law is at a total variation distance of at most tau M/(1 - tau M) from p, and at most
  M/(1 - tau M) queries are asked in expectation. Write e(y) = M (v(y) - a(y)), which is within
  tau M. The law is r (a M + e)/(1 + sum r e). On a set of reports with masses P and R it exceeds p
  by at most t (R (1 - P) + P (1 - R))/(1 + t (2 R - 1)) with t = tau M, which is at most t/(1 - t).
- Distances of several reports add up, so n of them take tau about beta/(n M).
It needs users who each speak once, in view of all before. Where one user speaks several times and
others in between, a report has no law of its own that could be asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

from ldp_verified.analysis.account.rounding import number
from ldp_verified.analysis.interaction.draws import Draws
from ldp_verified.analysis.interaction.table import FiniteTable
from ldp_verified.analysis.utility.contributions import Contribution
from ldp_verified.analysis.utility.tails import hoeffding_tail
from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.tables.search import fewest

if TYPE_CHECKING:
    from ldp_verified.analysis.interaction.asking import Function
    from ldp_verified.run.realize.randomizer import Rng

    Protocol = Callable[[], Generator[FiniteTable, Any, Any]]

MOST_QUERIES = 1 << 40


@dataclass(frozen=True)
class Rejection:
    """Rejection sampling that draws one report by queries.

    Attributes:
        table: of the randomizer.
        proposal: r, the law of what is proposed, in the order of its outputs; None for the best.

    Raises:
        ParameterError: r is no distribution, or 0 where a report is possible.
    """

    table: FiniteTable
    proposal: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        """Check the law of proposals."""
        check_kind("table", self.table, FiniteTable)
        largest = self.table.largest
        if self.proposal is None:
            best = tuple(each / sum(largest) for each in largest)
            object.__setattr__(self, "proposal", best)
        law = self._law
        if len(law) != len(largest) or min(law) < 0 or sum(law) != 1:
            raise ParameterError("proposal", "must be a law of the outputs", law)
        if any(r == 0 < p for r, p in zip(law, largest, strict=True)):
            raise ParameterError("proposal", "must propose every possible report", law)

    @classmethod
    def by_row(cls, table: FiniteTable, x: Any) -> Rejection:
        """Propose what the randomizer would report for a fixed input.

        Raises:
            DomainError: it is no input. ParameterError: other inputs have reports that it has not.
        """
        return cls(table, table.row(x))

    @property
    def _law(self) -> tuple[Fraction, ...]:
        assert self.proposal is not None
        return self.proposal

    @cached_property
    def trials(self) -> Fraction:
        """M: the expected number of queries for a report, where answers are exact."""
        pairs = zip(self.table.largest, self._law, strict=True)
        return max(p / r for p, r in pairs if r)

    def most_trials(self, tau: float | Fraction) -> Fraction:
        """Bound the expected number of queries where answers are within tau.

        Raises:
            ParameterError: tau is not in [0, 1/M).
        """
        return self.trials / (1 - self._scaled(tau))

    def distance(self, tau: float | Fraction) -> Fraction:
        """Bound the total variation distance of the report's law from p; it may be above 1.

        Raises:
            ParameterError: tau is not in [0, 1/M).
        """
        t = self._scaled(tau)
        return t / (1 - t)

    def tolerance(self, distance: float | Fraction) -> Fraction:
        """Compute the tau that keeps a report's law within a distance: beta/(M (1 + beta)).

        Raises:
            ParameterError: the distance is not in (0, 1].
        """
        beta = number("distance", distance, low=0, high=1)
        if beta == 0:
            raise ParameterError("distance", "must be > 0", distance)
        return beta / (self.trials * (1 + beta))

    def _scaled(self, tau: float | Fraction) -> Fraction:
        t = number("tau", tau, low=0) * self.trials
        if t >= 1:
            raise ParameterError("tau", f"must be below 1/M = {1 / self.trials}", tau)
        return t

    def question(self, place: int) -> Function:
        """Make the function whose mean is the probability of accepting a proposal; within 0..1.

        Its values are rounded to doubles, which adds 2^-53 to the tau of the answers.

        Args:
            place: of the proposed report among the outputs.

        Raises:
            ParameterError: there is no such output, or it is never proposed.
        """
        check_integer("place", place, 0, len(self._law) - 1)
        if not self._law[place]:
            raise ParameterError("place", "must be of an output that may be proposed", place)
        scale = self._law[place] * self.trials
        values = {
            x: float(row[place] / scale)
            for x, row in zip(self.table.inputs, self.table.rows, strict=True)
        }
        return values.__getitem__

    def law(self, answers: Mapping[int, Fraction]) -> tuple[tuple[Fraction, ...], Fraction]:
        """Compute the law of the report and the expected number of queries at given answers.

        Args:
            answers: to the question about each output, by its place; they count as 0 or 1 beyond.

        Raises:
            ParameterError: an answer is missing or no finite number, or nothing is ever accepted.
        """
        check_kind("answers", answers, Mapping)
        missing = [place for place, r in enumerate(self._law) if r and place not in answers]
        if missing:
            raise ParameterError("answers", "must be one for each output", f"none for {missing[0]}")
        accepted = [
            r * min(max(number("answers", answers[place]), Fraction(0)), Fraction(1))
            if r
            else Fraction(0)
            for place, r in enumerate(self._law)
        ]
        total = sum(accepted)
        if total == 0:
            raise ParameterError("answers", "must accept some report")
        return tuple(each / total for each in accepted), 1 / total

    def draw(self, draws: Draws) -> Generator[Function, float, Any]:
        """Draw one report: a part of an algorithm, for `yield from`.

        Args:
            draws: of proposals and of what is accepted.

        Returns:
            The report.

        Raises:
            ParameterError: an answer is no finite number.
        """
        while True:
            place = draws.choose(self._law)
            answer = yield self.question(place)
            if not isfinite(answer):
                raise ParameterError("answer", "must be a finite number", answer)
            if draws.accept(min(max(Fraction(answer), Fraction(0)), Fraction(1))):
                return self.table.outputs[place]


def by_queries(
    protocol: Protocol, rng: Rng = None, *, proposals: str = "best"
) -> Callable[[], Generator[Function, float, Any]]:
    """Make an algorithm that runs a local protocol by statistical queries.

    Args:
        protocol: a generator function: it yields the table of the next user's randomizer, is sent
            a report, and returns a result. Every report is that of another user.
        rng: None for the secure source; a seed or a generator is for simulation.
        proposals: "best", or "row" to propose by the row of a table's first input, as
            Kasiviswanathan and others (2011) do.

    Returns:
        What `local_queries` and `exact_queries` take, with bounds (0, 1).

    Raises:
        ParameterError: the protocol is no function, unknown proposals, or `rng` is something else.
    """
    if not callable(protocol):
        raise ParameterError("protocol", "must be a generator function", type(protocol).__name__)
    if proposals not in ("best", "row"):
        raise ParameterError("proposals", 'must be "best" or "row"', proposals)
    draws = Draws(word_source(rng, "reports by queries"))

    def algorithm() -> Generator[Function, float, Any]:
        running = protocol()
        report = None
        while True:
            try:
                table = running.send(report)
            except StopIteration as stop:
                return stop.value
            check_kind("table", table, FiniteTable)
            best = proposals == "best"
            made = Rejection(table) if best else Rejection.by_row(table, table.inputs[0])
            report = yield from made.draw(draws)

    return algorithm


def queries_of(reports: int, trials: float | Fraction, miss: float = 1e-3) -> int:
    """Compute how many queries are enough for several reports, except with probability `miss`.

    Args:
        reports: of the protocol, 1 or more.
        trials: at least the expected number of queries of each report, whatever went before: the
            largest `Rejection.most_trials`.
        miss: in (0, 1).

    Raises:
        ParameterError: an argument out of range, or more than 2^40 queries.
    """
    n = check_integer("reports", reports, 1, 1 << 32)
    each, allowed = 1 / number("trials", trials, low=1), number("miss", miss, low=0, high=1)
    if not 0 < allowed < 1:
        raise ParameterError("miss", "must lie between 0 and 1, both excluded", miss)
    coin = Contribution([(Fraction(1), each), (Fraction(0), 1 - each)])

    def enough(queries: int) -> bool:
        if each == 1:
            return queries >= n
        # Fewer than n accepted: so far below the mean, by Hoeffding's inequality.
        short = queries * each - (n - 1)
        return short > 0 and hoeffding_tail([(coin, queries)], short) <= allowed

    found = fewest(enough, MOST_QUERIES)
    if found is None:
        raise ParameterError("reports", f"must take at most {MOST_QUERIES} queries", reports)
    return found
