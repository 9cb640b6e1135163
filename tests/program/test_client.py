"""Clients: plain payloads that the server counts, errors without the value, forks."""

from __future__ import annotations

import os
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ldp_verified import BLH, GRR, OLH, OUE, SUE
from ldp_verified.errors import DomainError, LdpError
from ldp_verified.run.program import words
from ldp_verified.run.program.client import ProgramClient
from ldp_verified.run.program.python import python_function
from ldp_verified.run.program.schemes import k_rr
from ldp_verified.run.program.words import WordBuffer

MADE: list[Any] = [
    *(GRR(1.0, 16), GRR(1.0, 1 << 21), OLH(1.0, 1024), OLH(1.0, 99, g=3), BLH(1.0, 9)),
    *(SUE(1.0, 3), OUE(1.0, 130)),
]
SECRET = 987_654_321


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_the_server_counts_what_clients_report(made: Any) -> None:
    client = made.client()
    payloads = [client.report(value % made.k) for value in range(50)]
    like = made.privatize(0).data
    reports = made.reports(np.array(payloads, like.dtype).reshape(50, *like.shape[1:]), False)
    assert made.aggregate(reports).n == 50


def test_the_truth_is_as_frequent_as_the_table_says() -> None:
    """Null: binomial(n, p) of the realized table; level 1e-9; n = 20000.

    A share that is off by 0.03 is found with probability above 0.99.
    """
    made = GRR(1.0, 4)
    report, n = made.client().report, 20_000
    truths = sum(report(2) == 2 for _ in range(n))
    assert stats.binomtest(truths, n, float(made.p)).pvalue > 1e-9


@pytest.mark.parametrize("value", [SECRET, -SECRET, str(SECRET), float(SECRET), True, None, [1]])
@pytest.mark.parametrize("labels", [None, ["a", "b", "c", "d"]])
def test_foreign_values_are_refused_without_being_shown(value: Any, labels: Any) -> None:
    with pytest.raises(DomainError) as refused:
        GRR(1.0, 4, categories=labels).client().report(value)
    assert str(SECRET) not in str(refused.value)
    assert refused.value.__cause__ is None


def test_labels_and_numpy_integers_are_values() -> None:
    labelled = GRR(30.0, 3, categories=["red", "green", "blue"])
    assert labelled.client().report("blue") == 2
    numbered = GRR(30.0, 3, categories=[2, 0, 1])
    assert [numbered.client().report(label) for label in (2, 0, 1)] == [0, 1, 2]
    assert GRR(30.0, 3).client().report(np.uint8(2)) == 2


def child_repeats(report: Any) -> bool:
    """Return whether a forked child reports 16 times what its parent does.

    Numbers below 2^20, nearly uniform: all are equal by chance with probability below 2^-300.
    """
    report(0)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, repr([report(0) for _ in range(16)]).encode())
        os._exit(0)
    os.close(writing)
    assert os.waitpid(child, 0)[1] == 0
    with os.fdopen(reading) as stream:
        theirs = stream.read()
    assert theirs.count(",") == 15
    return theirs == repr([report(0) for _ in range(16)])


def test_a_forked_child_repeats_none_of_its_parents_reports() -> None:
    assert not child_repeats(GRR(0.01, 1 << 20).client().report)


def of_one_guard(handler: bool, number: bool) -> Any:
    """A client with one of the two guards against forks, or with none."""
    buffer = WordBuffer()
    if not handler:
        words._BUFFERS.discard(buffer)
    getpid = os.getpid if number else (lambda: buffer.owner[0])
    made = GRR(0.01, 1 << 20)
    return python_function(made.program(), buffer, getpid, made._index_of)


def test_either_guard_is_enough_and_without_both_a_child_repeats() -> None:
    assert not child_repeats(of_one_guard(handler=True, number=False))
    assert not child_repeats(of_one_guard(handler=False, number=True))
    assert child_repeats(of_one_guard(handler=False, number=False))


def test_a_client_is_made_where_it_is_used() -> None:
    with pytest.raises(LdpError, match="must be made in each process"):
        pickle.dumps(GRR(1.0, 4).client())
    with pytest.raises(LdpError, match="words of 64 bits"):
        ProgramClient(k_rr("grr", 3, 2, 4), lambda _: 0)
    assert repr(GRR(1.0, 4).client()) == "Client(grr, inputs=4)"
