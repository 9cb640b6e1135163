"""Compute the laws of whole conversations with an interactive mechanism, exactly.

`Strategy` is a tree: a query, and for each answer what comes then. `view_table` is the table of one
strategy. `worst_view` looks at all strategies at once. How likely a transcript is under a strategy
that leads to it does not depend on the strategy, so the largest ratio over all strategies is that
over all transcripts. A strategy that draws its queries at random mixes views, and its own draws do
not depend on the input; so its ratio is not larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from ldp_verified.analysis.interaction.table import FiniteTable, WorstAnswer, worst_of
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from ldp_verified.analysis.interaction.curator import Curator, Transcript

MOST_TRANSCRIPTS = 1 << 16

Beliefs = dict[Any, dict[Any, Fraction]]
"""Input -> memory -> probability of what was said and of being in that state."""


@dataclass(frozen=True)
class Strategy:
    """A tree of queries: one way to talk to a curator.

    Attributes:
        query: the first one.
        then: answer -> how to go on; after answers that are not listed nothing more is asked.
    """

    query: Any
    then: Mapping[Any, Strategy] = field(default_factory=dict)


def view_table(curator: Curator, strategy: Strategy) -> FiniteTable:
    """Compute the law of the transcript under one strategy, for every input.

    Args:
        curator: who is asked. strategy: how.

    Returns:
        A table whose outputs are transcripts, tuples of (query, answer).

    Raises:
        ParameterError: a query that may not be asked, or more than 2^16 transcripts.
    """
    laws: dict[Any, dict[Transcript, Fraction]] = {x: {} for x in curator.inputs}
    for past, beliefs in _walk(curator, _by(strategy)):
        if _next(strategy, past) is None:
            for x, states in beliefs.items():
                laws[x][past] = sum(states.values(), Fraction(0))
    return FiniteTable.of_laws(laws)


def worst_view(
    curator: Curator, rounds: int, near: Callable[[Any, Any], bool] | None = None
) -> WorstAnswer:
    """Find the largest ratio of the probabilities of one view, over all strategies.

    Args:
        curator: who is asked. rounds: how often, at most.
        near: which pairs of inputs are neighbours; None for all.

    Returns:
        The ratio, the two inputs, and the transcript as `y`.

    Raises:
        ParameterError: rounds below 1, or more than 2^16 transcripts.
    """
    check_integer("rounds", rounds, 1, 64)

    def ratios() -> Iterator[WorstAnswer]:
        for past, beliefs in _walk(curator, _every(curator, rounds)):
            said = {x: sum(states.values(), Fraction(0)) for x, states in beliefs.items()}
            for x, p in said.items():
                for other, q in said.items():
                    if p and past and x != other and (near is None or near(x, other)):
                        yield WorstAnswer(p / q if q else None, x, other, past)

    return worst_of(ratios())


def strategies(curator: Curator, rounds: int) -> Iterator[Strategy]:
    """Enumerate the strategies that ask as long as they may, up to so many rounds.

    Args:
        curator: who is asked. rounds: 1 or more.
    """

    def after(past: Transcript, left: int) -> Iterator[Strategy | None]:
        offered = curator.queries(past) if left else ()
        if not offered:
            yield None
        for query in offered:
            answers = _answers(curator, past, query)
            ways = [list(after((*past, (query, y)), left - 1)) for y in answers]
            for chosen in product(*ways):
                pairs = zip(answers, chosen, strict=True)
                yield Strategy(query, {y: way for y, way in pairs if way is not None})

    for found in after((), check_integer("rounds", rounds, 1, 64)):
        if found is not None:
            yield found


def _answers(curator: Curator, past: Transcript, query: Any) -> list[Any]:
    """List the answers that some input may give to a query after a transcript."""
    found: dict[Any, None] = {}
    for x in curator.inputs:
        states = dict(curator.start(x))
        for asked, said in past:
            states = _heard(curator, x, states, asked).get(said, {})
        found |= dict.fromkeys(_heard(curator, x, states, query))
    return list(found)


def _next(strategy: Strategy, past: Transcript) -> Strategy | None:
    at: Strategy | None = strategy
    for _, answer in past:
        assert at is not None
        at = at.then.get(answer)
    return at


def _by(strategy: Strategy) -> Callable[[Transcript], tuple[Any, ...]]:
    def asks(past: Transcript) -> tuple[Any, ...]:
        at = _next(strategy, past)
        return () if at is None else (at.query,)

    return asks


def _every(curator: Curator, rounds: int) -> Callable[[Transcript], tuple[Any, ...]]:
    def asks(past: Transcript) -> tuple[Any, ...]:
        return tuple(curator.queries(past)) if len(past) < rounds else ()

    return asks


def _walk(
    curator: Curator, asks: Callable[[Transcript], tuple[Any, ...]]
) -> Iterator[tuple[Transcript, Beliefs]]:
    """Enumerate the transcripts that some input may lead to, with their probabilities."""
    first: Beliefs = {x: dict(curator.start(x)) for x in curator.inputs}
    left: list[tuple[Transcript, Beliefs]] = [((), first)]
    seen = 0
    while left:
        past, beliefs = left.pop()
        seen += 1
        if seen > MOST_TRANSCRIPTS:
            raise ParameterError("rounds", f"must give at most {MOST_TRANSCRIPTS} transcripts")
        yield past, beliefs
        for query in asks(past):
            if query not in curator.queries(past):
                raise ParameterError("strategy", "must ask what may be asked", query)
            heard: dict[Any, Beliefs] = {}
            for x, states in beliefs.items():
                for answer, after in _heard(curator, x, states, query).items():
                    empty: Beliefs = {each: {} for each in beliefs}
                    heard.setdefault(answer, empty)[x] = after
            left += [((*past, (query, answer)), after) for answer, after in heard.items()]


def _heard(
    curator: Curator, x: Any, states: Mapping[Any, Fraction], query: Any
) -> dict[Any, dict[Any, Fraction]]:
    """Compute answer -> memory -> probability after a query."""
    found: dict[Any, dict[Any, Fraction]] = {}
    for memory, weight in states.items():
        law = curator.reply(x, memory, query)
        if min(law.values()) < 0 or sum(law.values()) != 1:
            raise ParameterError("curator", "must reply by a law", str(sum(law.values())))
        for (answer, after), p in law.items():
            if p and weight:
                held = found.setdefault(answer, {})
                held[after] = held.get(after, Fraction(0)) + weight * p
    return found
