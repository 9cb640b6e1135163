"""Many values of a client: right ones pass, and those in clear at some values are rejected."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR, OLH, OUE, Laplace
from ldp_verified.check.conformance.foreign import client_subject, restart_subject
from ldp_verified.check.conformance.foreign_values import _texts, values_subject
from ldp_verified.check.conformance.numeric import SHARES
from ldp_verified.check.conformance.results import ConformanceOutcome
from ldp_verified.check.conformance.run import conform
from ldp_verified.protocols import LGRR, PrefixExtending, RangeTree
from ldp_verified.run.kernels.rounding import UNIT
from tests.broken.clear import in_part
from tests.conformance.test_foreign import SHORT, ask_of, positions_of, users_of
from tests.conformance.test_restarts import HONEST, RAPPOR, STRINGS, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ldp_verified.check.conformance.each_value import EachValueSubject
    from tests.broken.clear import Ask

LEVEL = 1e-9


def many(made: Any, ask: Ask, strings: tuple[str, ...] = ()) -> EachValueSubject:
    return values_subject(made, ask, client_subject(made, ask, "a client", strings), strings)


@pytest.mark.parametrize(("made", "ask"), HONEST, ids=[repr(made)[:40] for made, _ in HONEST])
def test_honest_clients_are_not_rejected(made: Any, ask: Ask, seed: int) -> None:
    """Null: answers have the law of the table, and are independent; level 1e-9; n = 20,000.

    That is 10,000 reports, 400 or more of each value, or 2,000 of a protocol. A class that is off
    by 0.32 is missed with probability at most 1e-8, and so is a value with equal answers alone.
    """
    found = conform(many(made, ask), n=20_000, level=LEVEL, seed=seed)
    assert found.outcome is ConformanceOutcome.PASSED
    alike, *classes = found.comparisons
    assert alike.detectable < 1
    assert all(each.detectable < 0.32 for each in classes)


def grown(made: Any, epsilon: float = 20.0) -> Any:
    """The same with an epsilon so large that most reports tell the value."""
    return replace(made, epsilon=epsilon, step=made.step)


WIDE = GRR(1.0, 1024)
TREE = RangeTree(1.0, 64)
KEPT = LGRR(1.0, 0.9, 5)
CLEAR: dict[str, tuple[Any, Ask, Ask, Callable[[int], bool]]] = {
    "one of 16 values": (
        GRR(1.0, 16),
        ask_of(GRR(1.0, 16)),
        lambda lines: [int(line) for line in lines],
        lambda value: value == 7,
    ),
    "half of 1,024 values": (
        WIDE,
        ask_of(WIDE),
        lambda lines: [int(line) for line in lines],
        lambda value: value % 2 == 1,
    ),
    "the bucket of a hash": (
        OLH(1.0, 9, g=3),
        ask_of(OLH(1.0, 9, g=3)),
        ask_of(OLH(20.0, 9, g=3)),
        lambda value: value == 5,
    ),
    "all but four values of a tree": (
        TREE,
        lambda lines: [[each] for each in positions_of(TREE)(lines)],
        lambda lines: [[each] for each in positions_of(grown(TREE))(lines)],
        lambda value: value not in (0, 32, 42, 63),
    ),
    "all between the ends, of kept answers": (
        KEPT,
        users_of(KEPT, forgets=False),
        lambda lines: [[[int(value)] for value in line.split()] for line in lines],
        lambda value: 0 < value < 4,
    ),
    "all but two wide values": (
        SHORT,
        listed(positions_of(SHORT)),
        listed(positions_of(PrefixExtending(20.0, 20, 10, 4))),
        lambda value: value not in (0, ((1 << 20) - 1) // 3 * 2 + 1),
    ),
    "all but four positions": (
        Laplace(1.0),
        positions_of(Laplace(1.0)),
        lambda lines: [int(line) * 40_000 >> 52 for line in lines],
        lambda position: position not in {round(share * UNIT) for share in SHARES},
    ),
}


@pytest.mark.parametrize("what", CLEAR)
def test_values_in_clear_are_rejected(what: str, seed: int) -> None:
    """Null and level as above; n = 80,000: 40,000 reports, of 20 values or more, or of all.

    Where half of the values are wrong or more, one of those that are asked for is, but with
    probability 2^-50; of the others all or all but four are. Answers are all equal, or say the own
    value each time; of a tree a node does so in 1/3 of 2,000 reports, and not in 0.244: p < 1e-18.
    """
    made, right, wrong, is_wrong = CLEAR[what]
    ask = in_part(right, wrong, is_wrong)
    found = conform(many(made, ask), n=80_000, level=LEVEL, seed=seed)
    assert found.rejected
    (said,) = found.asked
    assert "values (" in said


def test_a_client_that_is_wrong_where_nobody_asked_is_seen_by_no_other_look(seed: int) -> None:
    """Null: the tree's law at four values, and independent starts; level 1e-9; n = 8,000."""
    made, right, wrong, is_wrong = CLEAR["all but four values of a tree"]
    ask = in_part(right, wrong, is_wrong)
    subject = client_subject(made, ask, "a client")
    both = [subject, restart_subject(made, ask, subject)]
    assert not conform(both, n=8000, level=LEVEL, seed=seed).rejected


def test_strings_are_asked_for_by_their_places(seed: int) -> None:
    """Null and level as above; n = 8,000; a client that says the same always is rejected."""
    lines: list[str] = []

    def same(given: Sequence[str]) -> list[Any]:
        lines.extend(given)
        return [[[1, 3]] * 3] * len(given)

    subject = many(RAPPOR, same, STRINGS)
    assert conform(subject, n=8000, level=LEVEL, seed=seed).rejected
    assert {*lines} == {"0 0 1", "1 1 0"}


def test_positions_between_the_ends_are_drawn_in_each_run() -> None:
    made = Laplace(1.0)
    drawn: Ask = positions_of(made)
    asked: list[set[str]] = []

    def ask(lines: Sequence[str]) -> Sequence[Any]:
        asked[-1].update(lines)
        return drawn(lines)

    for run in (1, 2):
        asked.append(set())
        conform(client_subject(made, ask, "a client"), n=1000, seed=run)
    assert asked[0] & asked[1] == {"0", str(UNIT)}
    assert [len(each) for each in asked] == [4, 4]


def test_texts_are_different_and_short() -> None:
    found = _texts(50, np.random.default_rng(0))
    assert len({*found}) == 50
    assert all(0 < len(each) <= 15 for each in found)


def test_the_values_that_were_asked_for_are_stated() -> None:
    """Of few values all; of many so many as can each be asked for often enough."""
    few = conform(many(OUE(1.0, 4), ask_of(OUE(1.0, 4))), n=4000, seed=1)
    assert "asked 4 of 4 values (all of them), each 500 times" in few.asked[0]
    assert not few.remarks
    some = conform(many(WIDE, ask_of(WIDE)), n=4000, seed=1)
    assert "asked 5 of 1,024 values (" in some.asked[0]
    (remark,) = some.remarks
    assert "1,019 of the 1,024 values; a client that is wrong at a share s" in remark
    assert "(1 - s)^5" in remark
