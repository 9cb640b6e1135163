"""Clients of others: right ones pass, wrong ones are rejected, and what is no answer is refused."""

from __future__ import annotations

import os
import struct
import sys
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import GRR, HRR, OLH, OUE, Duchi, Geometric, Piecewise
from ldp_verified.app.cli.clients import program_of
from ldp_verified.check.conformance.foreign import REPORTS, asked, client_subject
from ldp_verified.check.conformance.memoised import reader
from ldp_verified.check.conformance.results import ConformanceOutcome
from ldp_verified.check.conformance.run import conform
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import (
    LGRR,
    LSUE,
    BitReduction,
    Bitstogram,
    Gaussian,
    Hashtogram,
    PrefixExtending,
    Rappor,
    SuccinctHistogram,
    TreeHist,
)
from ldp_verified.run.program.client import ProgramClient
from ldp_verified.run.program.interpret import interpret

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
    assert found.outcome is ConformanceOutcome.PASSED


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_clients_with_another_epsilon_or_value_are_rejected(made: Any, seed: int) -> None:
    """Null as above, level 1e-9, n = 40,000: the probability of the truth is off by 0.1 or more."""
    further = type(made)(2.5, made.k, **({"g": 3} if isinstance(made, OLH) else {}))
    wrong = [ask_of(further), ask_of(made, lambda value: (value + 1) % made.k)]
    for ask in wrong:
        found = conform(client_subject(made, ask, "a client"), n=40_000, level=1e-9, seed=seed)
        assert found.outcome is ConformanceOutcome.REJECTED


@pytest.mark.parametrize("depth", [1, 10, 100, 1_000, 3_000])
def test_a_nested_answer_is_refused_at_every_depth(depth: int) -> None:
    """What the reader of JSON still takes, the reader of reports refuses."""
    ask = asked(python(f"import sys\nfor line in sys.stdin: print('[' * {depth} + ']' * {depth})"))
    with pytest.raises(ParameterError, match="--client: must answer"):
        conform(client_subject(GRR(1.0, 4), ask, "a client"), n=1000)


@pytest.mark.parametrize("answer", [4, -1, True, "x", "", None, [1, 2], [[1]], 1.0, 2**70, {}])
def test_what_is_no_report_is_refused(answer: Any) -> None:
    subject = client_subject(GRR(1.0, 4), lambda lines: [answer] * len(lines), "a client")
    with pytest.raises(ParameterError, match="--client: must answer"):
        conform(subject, n=1000)


@pytest.mark.parametrize(
    ("made", "last"), [(GRR(1.0, 4), 3), (OUE(1.0, 4), 2**64 - 1), (LGRR(2.0, 1.0, 5), 4)]
)
def test_the_range_of_a_report_is_named(made: Any, last: int) -> None:
    subject = client_subject(made, lambda lines: [[-1] * 3] * len(lines), "a client")
    with pytest.raises(ParameterError, match=rf"number\(s\) in 0\.\.{last}, as JSON"):
        conform(subject, n=1000)


NUMBERS: list[Any] = [Duchi(1.0), Piecewise(1.0), Geometric(1.0)]


def positions_of(made: Any, change: Callable[[Any], int] = int) -> Any:
    """Ask the printed program of a mechanism of numbers, which reads positions."""
    program = made.program()
    client = ProgramClient(program, change, plain=False)
    return lambda lines: [client.report(int(line)) for line in lines]


@pytest.mark.parametrize("made", NUMBERS, ids=repr)
def test_clients_of_numbers_pass_and_wrong_ones_are_rejected(made: Any, seed: int) -> None:
    """Null: the client's law is the density's; level 1e-9; n = 400,000.

    A share of reports that is off by 0.02 is missed with probability at most 1e-8. The wrong
    clients look at the other end of the interval, or at its lower end whatever the value: for one
    of the inputs a share is off by 0.05 or more.
    """
    right = client_subject(made, positions_of(made), "a client")
    assert conform(right, n=REPORTS, level=1e-9, seed=seed).outcome is ConformanceOutcome.PASSED
    wrong = [
        positions_of(made, lambda _: 0),
        positions_of(made, lambda position: (1 << 52) - position),
    ]
    for ask in wrong:
        subject = client_subject(made, ask, "a client")
        found = conform(subject, n=40_000, level=1e-9, seed=seed)
        assert found.outcome is ConformanceOutcome.REJECTED


SHORT = PrefixExtending(2.0, 20, 10, 4)
HASHED: list[Any] = [
    *(Hashtogram(2.0, 20, 2, 4), BitReduction(6.0, 3), SuccinctHistogram(5.0, 2, 4, 0)),
    *(Bitstogram(3.0, 2, 4, 0, 2, 2), TreeHist(3.0, 2, 2, 2)),
]
"""One of each way to list functions, and to send several reports."""


@pytest.mark.parametrize("what", ["right", "another epsilon", "other prefixes", "one function"])
def test_clients_of_prefix_extending(what: str, seed: int) -> None:
    """Null: groups, functions and buckets have the law of the protocol; level 1e-9; n = 60,000.

    That is 15,000 users with each of two values. A class that is off by 0.07 is missed with
    probability at most 1e-8. At epsilon 4 the share of true buckets is off by 0.2 or more in all
    groups together, and by 0.08 in each that finds; whoever reports on other prefixes says the
    true bucket with chance 1/4; and one function has each of its bits always, or never.
    """
    made = PrefixExtending(4.0, 20, 10, 4) if what == "another epsilon" else SHORT
    change = (1 << 20) - 1 if what == "other prefixes" else 0
    drawn = positions_of(made, lambda value: value ^ change)

    def ask(lines: Sequence[str]) -> list[Any]:
        answers = [[*each] for each in drawn(lines)]
        if what == "one function":
            answers = [[group, 5, 7, 0, bucket] for group, *_, bucket in answers]
        return answers

    found = conform(client_subject(SHORT, ask, "a client"), n=60_000, level=1e-9, seed=seed)
    assert max(each.detectable for each in found.comparisons) < 0.07
    assert bool(found.rejected) == (what != "right")


@pytest.mark.parametrize("made", HASHED, ids=repr)
def test_clients_of_protocols_on_wide_values(made: Any, seed: int) -> None:
    """Null and level as above, n = 40,000: that is 10,000 users with each of two values.

    A class that is off by 0.09 is missed with probability at most 1e-8. The wrong client reports on
    the value whose bits are all other ones, so it says the true bucket as often as the other.
    """

    def asked_of(change: Callable[[Any], int]) -> Any:
        drawn = positions_of(made, change)
        return lambda lines: [[*each] for each in drawn(lines)]

    right = client_subject(made, asked_of(int), "a client")
    found = conform(right, n=40_000, level=1e-9, seed=seed)
    assert not found.rejected
    assert max(each.detectable for each in found.comparisons) < 0.09
    ask = asked_of(lambda value: value ^ (1 << made.bits) - 1)
    wrong = client_subject(made, ask, "a client")
    found = conform(wrong, n=40_000, level=1e-9, seed=seed)
    assert found.rejected


def test_a_protocol_of_too_many_public_functions_is_refused() -> None:
    with pytest.raises(ParameterError, match="must have at most 4096 public functions"):
        client_subject(Hashtogram(1.0), lambda _: [], "a client")


@pytest.mark.parametrize(
    "answer", [[3, 1, 1, 0, 0], [0, 1, 1, 0, 4], [0, 1, 1, 0], [0, "x", 1, 0, 0]]
)
def test_what_is_no_message_of_prefix_extending_is_refused(answer: Any) -> None:
    subject = client_subject(SHORT, lambda lines: [answer] * len(lines), "a client")
    with pytest.raises(ParameterError, match="--client: must answer"):
        conform(subject, n=1000)


MEMORY = LGRR(1.0, 0.9, 4)


def users_of(made: Any, *, forgets: bool) -> Any:
    """Ask the interpreted program of a client that keeps answers, or one that draws them anew."""
    program = program_of(made)

    def words() -> Iterator[int]:
        while True:
            yield from struct.unpack("<64Q", os.urandom(512))

    def ask(lines: Sequence[str]) -> list[Any]:
        answers = []
        for line in lines:
            cells = [0] * program.cells
            reports = []
            for value in map(int, line.split()):
                if forgets:
                    cells = [0] * program.cells
                reports.append(list(interpret(program, value, words(), cells).report))
            answers.append(reports)
        return answers

    return ask


@pytest.mark.parametrize("forgets", [False, True])
def test_a_client_that_keeps_answers_passes_and_a_forgetful_one_is_rejected(
    forgets: bool, seed: int
) -> None:
    """Null: three reports of a user have the law of the protocol; level 1e-9; n = 160,000.

    That is 40,000 users. A class that is off by 0.06 is missed with probability at most 1e-8. Of a
    client that draws anew, two reports are independent: P(0 then 0) is off by more than that.
    Compiled clients of all these protocols are run by `tests/on_devices/test_full_width.py`.
    """
    subject = client_subject(MEMORY, users_of(MEMORY, forgets=forgets), "a client")
    found = conform(subject, n=160_000, level=1e-9, seed=seed)
    assert max(each.detectable for each in found.comparisons) < 0.06
    tables = reader(MEMORY).tables
    apart, kept = tables.one(0)["choice 0, 0"] ** 2, tables.two(0, 0)["choice 0, 0 then 0"]
    assert abs(apart - kept) > 0.06
    assert bool(found.rejected) == forgets


NO_LISTS: list[Any] = [4, [1, 2], [1, 2, 3, 4], [1, 2, "x"], [1, 2, 9], [[1], [2], []]]


@pytest.mark.parametrize("answer", NO_LISTS)
def test_what_is_no_list_of_reports_is_refused(answer: Any) -> None:
    subject = client_subject(MEMORY, lambda lines: [answer] * len(lines), "a client")
    with pytest.raises(ParameterError, match="--client: must answer"):
        conform(subject, n=1000)


def test_what_cannot_be_looked_at_is_refused() -> None:
    def ask(_: Sequence[str]) -> list[Any]:
        return []

    with pytest.raises(ParameterError, match="whose clients are counted"):
        client_subject(Gaussian(1.0, 1e-6), ask, "a client")
    with pytest.raises(ParameterError, match="pairs of reports"):
        client_subject(LSUE(1.0, 0.9, 70), ask, "a client")
    with pytest.raises(ParameterError, match="strings: must be left out"):
        client_subject(LSUE(1.0, 0.9, 3), ask, "a client", ("red", "green"))
    with pytest.raises(ParameterError, match="strings"):
        client_subject(Rappor(0.5, 0.25, 0.75, 4, 2, 2), ask, "a client")


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
        (python("import sys; sys.exit(3)"), r"not with 3, got \["),
        (python("print('one'); print('two')"), "must answer in JSON"),
        (python("print('[' * 100_000); print(1)"), "must answer in JSON"),
        (python("print('9' * 6_000); print(1)"), "must answer in JSON"),
        (python("print('NaN'); print(1)"), "must answer in JSON"),
    ],
)
def test_programs_that_do_not_answer_are_refused(command: list[str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        asked(command)(["1", "2"])
