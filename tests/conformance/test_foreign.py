"""Clients of others: right ones pass, wrong ones are rejected, and what is no answer is refused."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import GRR, HRR, OLH, OUE, Duchi
from ldp_verified.conformance.foreign import REPORTS, asked, client_subject
from ldp_verified.conformance.results import Outcome
from ldp_verified.conformance.run import conform
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MADE: list[Any] = [GRR(1.0, 4), HRR(1.0, 4), OLH(1.0, 4, g=3), OUE(1.0, 4)]


def ask_of(made: Any, change: Callable[[int], int] = int) -> Any:
    """Ask the mechanism's own client, in this process."""
    report = made.client().report

    def ask(lines: Sequence[str]) -> list[Any]:
        answers = [report(change(int(line))) for line in lines]
        return [[str(n) for n in a] if isinstance(a, tuple) else a for a in answers]

    return ask


@pytest.mark.parametrize("made", [MADE[0], MADE[-1]], ids=repr)
def test_right_clients_are_not_rejected(made: Any, seed: int) -> None:
    """Null: the client's law is the table's; level 1e-9; n = 400,000.

    Deviations of a class by 0.02 are missed with probability at most 1e-8: `conform` says so.
    """
    subject = client_subject(made, ask_of(made), "a client")
    found = conform(subject, n=REPORTS, level=1e-9, seed=seed)
    assert found.outcome is Outcome.PASSED


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_clients_with_another_epsilon_or_value_are_rejected(made: Any, seed: int) -> None:
    """Null as above, level 1e-9, n = 40,000: the probability of the truth is off by 0.1 or more."""
    further = type(made)(2.5, made.k, **({"g": 3} if isinstance(made, OLH) else {}))
    wrong = [ask_of(further), ask_of(made, lambda value: (value + 1) % made.k)]
    for ask in wrong:
        found = conform(client_subject(made, ask, "a client"), n=40_000, level=1e-9, seed=seed)
        assert found.outcome is Outcome.REJECTED


@pytest.mark.parametrize("answer", [4, -1, True, "x", "", None, [1, 2], [[1]], 1.0, 2**70, {}])
def test_what_is_no_report_is_refused(answer: Any) -> None:
    subject = client_subject(GRR(1.0, 4), lambda lines: [answer] * len(lines), "a client")
    with pytest.raises(ParameterError, match="--client: must answer"):
        conform(subject, n=1000)


def test_a_mechanism_of_numbers_is_refused() -> None:
    with pytest.raises(ParameterError, match="table of values"):
        client_subject(Duchi(1.0), lambda _: [], "a client")


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def test_a_program_is_asked_line_by_line() -> None:
    copy = "import sys\nfor line in sys.stdin: print([int(line), str(int(line) + 1)])"
    copy = copy.replace("print([", "import json; print(json.dumps([").replace("])", "]))")
    assert asked(python(copy))(["3", "5"]) == [[3, "4"], [5, "6"]]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([], "must name a program"),
        (["no-such-program-here"], "must run"),
        (python("import sys; sys.exit('broken')"), "not with 1: broken"),
        (python("print(1)"), "one line for each of 2 values"),
        (python("print('one'); print('two')"), "must answer in JSON"),
    ],
)
def test_programs_that_do_not_answer_are_refused(command: list[str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        asked(command)(["1", "2"])
