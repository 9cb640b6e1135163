"""One user's side: one report, which depends on the record through the randomizer alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.analysis.interaction import LocalQueries, QueryClient, QuerySession
from ldp_verified.errors import DomainError, ParameterError
from tests.broken.interaction import Obliging, Refusing
from tests.interaction.test_asking import median

PLAN = LocalQueries.of_users(500, 1.0, 5)
RECORDS = np.linspace(-1, 1, 500)


def fails(record: float) -> float:
    """Fail on some records."""
    return 1 / record


def test_devices_and_server_run_an_algorithm(seed: int) -> None:
    """A thousand words that pass between devices and server, and nothing else."""
    session = QuerySession(median, PLAN)
    devices = [QueryClient(PLAN, i % 5, x, seed + i) for i, x in enumerate(RECORDS)]
    while session.question is not None:
        group = [each for each in devices if each.group == session.number]
        sent = [each.answer(session.number, session.question).data[0] for each in group]
        session.take(PLAN.randomizer.reports(np.array(sent), simulated=True))
    assert len(session.answers) == 5
    assert {each.spent for each in devices} == {PLAN.randomizer.realized_epsilon}


def test_it_answers_its_own_query_once() -> None:
    client = QueryClient(PLAN, 1, 0.5, 3)
    assert client.spent == 0
    with pytest.raises(ParameterError, match="number"):
        client.answer(0, lambda x: x)
    client.answer(1, lambda x: x)
    with pytest.raises(ParameterError, match="called once"):
        client.answer(1, lambda x: x)


def test_a_device_that_answers_twice_is_seen() -> None:
    """Planted: two reports on one record, where the ledger of a device shows one epsilon."""
    client = Obliging(PLAN, 1, 0.5, 3)
    for _ in range(2):
        client.answer(1, lambda x: x)
    assert client.spent == PLAN.randomizer.realized_epsilon


class Unprintable(BaseException):
    """What no `except Exception` catches."""


class Lazy:
    """A value that fails only where it is read."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Fail as `sys.exit` does."""
        raise SystemExit


def raising(error: BaseException) -> Any:
    """A function that raises this at 0 alone."""

    def function(record: float) -> float:
        if record == 0:
            raise error
        return record

    return function


FUNCTIONS: list[Any] = [
    *map(raising, (SystemExit(), KeyboardInterrupt(), GeneratorExit(), Unprintable("0"))),
    lambda x: x or Lazy(),
    fails,
    lambda x: x * 1e9,
    lambda _: float("nan"),
    lambda _: "text",
    lambda _: [1.0, 2.0],
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("record", [0, 0.5, -0.5])
def test_a_report_is_sent_whatever_the_function_does(function: Any, record: float) -> None:
    client = QueryClient(PLAN, 0, record, 3)
    assert len(client.answer(0, function)) == 1


def test_a_refusal_would_tell_about_the_record() -> None:
    """Planted: a device that sends nothing at one record, and something at others."""
    with pytest.raises((ZeroDivisionError, DomainError)):
        Refusing(PLAN, 0, 0, 3).answer(0, fails)
    assert len(Refusing(PLAN, 0, 1, 3).answer(0, fails)) == 1


def test_values_are_cut_to_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(
        type(PLAN.randomizer), "privatize", lambda _, values, __: seen.append(float(values))
    )
    for function in (lambda _: 5.0, lambda _: -np.inf, lambda _: np.nan, fails, lambda x: x):
        QueryClient(PLAN, 0, 0, 3).answer(0, function)
    assert seen == [1.0, -1.0, 0.0, 0.0, 0.0]


def test_vectors_have_the_length_of_the_plan() -> None:
    plan = LocalQueries.of_users(100, 1.0, 1, d=3)
    for function in (lambda _: [1, 0, -1], lambda _: 0.5, lambda _: [1, 2]):
        assert QueryClient(plan, 0, None, 3).answer(0, function).data.shape == (1,)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ParameterError, match="group"):
        QueryClient(PLAN, 5, 0.0)
    with pytest.raises(ParameterError, match="plan"):
        QueryClient(3, 0, 0.0)  # type: ignore[arg-type]  # wrong on purpose
