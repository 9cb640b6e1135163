"""Every user is asked once, or not at all."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from ldp_verified.analysis.interaction import Ledger
from ldp_verified.errors import ParameterError
from tests.broken.interaction import Forgetful


def test_it_shows_one_epsilon_for_each_user_who_was_asked() -> None:
    ledger = Ledger(5, 0.5)
    ledger.charge(np.array([0, 3]), 0)
    ledger.charge(np.array([1]), 1)
    assert ledger.asked.tolist() == [0, 1, -1, 0, -1]
    assert ledger.spent.tolist() == [0.5, 0.5, 0.0, 0.5, 0.0]
    assert (ledger.answered, ledger.most) == (3, 0.5)
    assert "3 of 5 users" in str(ledger)
    assert Ledger(5, 0.5).most == 0


@pytest.mark.parametrize(
    ("users", "match"),
    [([0], "answered before, got 0"), ([2, 2], "once each"), ([5], "0..4"), ([-1], "0..4")],
)
def test_it_refuses_who_was_asked(users: list[int], match: str) -> None:
    ledger = Ledger(5, 0.5)
    ledger.charge(np.array([0, 3]), 0)
    with pytest.raises(ParameterError, match=match):
        ledger.charge(np.array(users), 1)
    assert ledger.asked.tolist() == [0, -1, -1, 0, -1]


@pytest.mark.parametrize(
    "users", [np.array([0.5]), [0.5], ["a"], [[0, 1]], 0, [True], np.ma.MaskedArray([0], [True])]
)
def test_what_are_no_users_is_refused(users: Any) -> None:
    ledger = Ledger(5, 0.5)
    with pytest.raises(ParameterError, match="users"):
        ledger.charge(users, 0)
    assert ledger.answered == 0


@pytest.mark.parametrize("users", [[0, 1], (0, 1), np.array([0, 1], dtype=np.uint8), range(2)])
def test_users_may_be_any_list_of_integers(users: Any) -> None:
    ledger = Ledger(3, 0.5)
    ledger.charge(users, 4)
    ledger.charge([], 5)
    assert ledger.asked.tolist() == [4, 4, -1]


def test_threads_charge_a_user_once() -> None:
    """One thread reaches the array between the other's look at it and its writing there."""
    ledger = Ledger(3, 0.5)
    looked, ended = threading.Event(), threading.Event()
    charged: list[int] = []

    class Slow(np.ndarray[Any, np.dtype[np.int32]]):
        """Users of whom it takes long to find out whether they were asked."""

        def __getitem__(self, key: Any) -> Any:
            found = np.asarray(self)[key]
            looked.set()
            ended.wait(0.2)
            return found

    def charge(query: int) -> None:
        try:
            ledger.charge([0, 2], query)
        except ParameterError:
            return
        charged.append(query)
        ended.set()

    ledger._asked = ledger._asked.view(Slow)
    first, second = (threading.Thread(target=charge, args=(query,)) for query in (0, 1))
    first.start()
    looked.wait()
    second.start()
    for each in (first, second):
        each.join()
    assert charged == [0]
    assert ledger.answered == 2


def test_a_ledger_that_forgets_hides_what_was_spent() -> None:
    """Planted: it takes a user twice, and shows one epsilon."""
    ledger = Forgetful(5, 0.5)
    for query in (0, 1):
        ledger.charge(np.array([0]), query)
    assert ledger.most == 0.5


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ParameterError, match="n:"):
        Ledger(0, 1.0)
    for wrong in (True, "1", None, -1.0, float("nan")):
        with pytest.raises(ParameterError, match="epsilon: must be a finite number"):
            Ledger(1, wrong)  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ParameterError, match="query"):
        Ledger(1, 1.0).charge(np.array([0]), -1)
