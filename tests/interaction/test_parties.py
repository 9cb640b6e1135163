"""Several curators: the promise of small protocols exactly, and what real parties send."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.analysis.central import (
    Count,
    GaussianNoise,
    GeometricNoise,
    Histogram,
    Neighbours,
    release,
)
from ldp_verified.analysis.interaction import (
    FiniteTable,
    PartyTotal,
    Talk,
    count_by_parties,
    one_row_differs,
)
from ldp_verified.errors import DomainError, ParameterError, ReportError
from tests.broken.interaction import TakesTwice, chatty, endless

if TYPE_CHECKING:
    from ldp_verified.analysis.interaction.parties import Messages, Share

LEVEL = Fraction(3)
BITS = ((0,), (1,))
MASKED = np.ma.MaskedArray(np.array([1, 0]), mask=[True, False])


def shares(rows: int) -> list[Share]:
    return list(product((0, 1), repeat=rows))


def noisy_count(rows: int) -> FiniteTable:
    """A count with geometric noise of e^eps = 3, cut off at 0 and at all rows."""
    laws: dict[Share, dict[int, Fraction]] = {}
    for share in shares(rows):
        law = dict.fromkeys(range(rows + 1), Fraction(0))
        for z in range(-200, 201):
            chance = Fraction(1, 2) * Fraction(1, 3 ** abs(z))
            law[min(max(sum(share) + z, 0), rows)] += chance
        law[0] += (1 - sum(law.values(), Fraction(0))) / 2
        law[rows] += 1 - sum(law.values(), Fraction(0))
        laws[share] = law
    return FiniteTable.of_laws(laws)


def in_turn(sizes: tuple[int, ...]) -> Talk:
    """Each party sends the noisy count of its rows, one after the other."""

    def turn(sent: Messages) -> tuple[int, FiniteTable] | None:
        at = len(sent)
        return (at, noisy_count(sizes[at])) if at < len(sizes) else None

    return Talk({i: shares(rows) for i, rows in enumerate(sizes)}, turn)


def one_row_of_one_share(held: tuple[Share, ...], other: tuple[Share, ...]) -> bool:
    differ = [(a, b) for a, b in zip(held, other, strict=True) if a != b]
    return len(differ) == 1 and one_row_differs(*differ[0])


@pytest.mark.parametrize("sizes", [(3,), (2, 1), (1, 1, 1), (1, 2)])
def test_from_central_to_local_one_row_moves_messages_by_the_same_ratio(
    sizes: tuple[int, ...],
) -> None:
    """k = 1, 2, 3 parties: all tables written out, against the factors of each party."""
    talk = in_turn(sizes)
    ratios = [talk.worst(party).ratio for party in talk.shares]
    whole = talk.table().worst(one_row_of_one_share)
    assert whole.ratio == max(each for each in ratios if each is not None)
    assert whole.ratio == pytest.approx(3)
    assert not whole.above(LEVEL + Fraction(1, 10**50))


def test_the_ends_are_local_and_central() -> None:
    """A party with one row is randomized response; one party with all rows is a curator."""
    one = noisy_count(1)
    assert [float(each) for each in one.row((0,))] == pytest.approx([3 / 4, 1 / 4])
    central = in_turn((3,))
    assert central.worst(0).ratio == noisy_count(3).worst(one_row_differs).ratio


def test_whoever_speaks_twice_pays_twice() -> None:
    """Planted: every message has the ratio 3, the view of one party's bit has 9."""
    talk = Talk({"a": BITS, "b": BITS}, chatty)
    assert talk.worst("a").ratio == 9
    assert talk.worst("b").ratio == 3
    assert talk.table().worst(one_row_of_one_share).ratio == 9


def test_a_message_may_depend_on_those_before() -> None:
    """Party b answers with more noise where a said 1; its own promise is that of the worse case."""
    bit = FiniteTable.of_laws({(0,): {0: "3/4", 1: "1/4"}, (1,): {0: "1/4", 1: "3/4"}})
    flat = FiniteTable.of_laws({(0,): {0: "3/5", 1: "2/5"}, (1,): {0: "2/5", 1: "3/5"}})

    def turn(sent: Messages) -> tuple[str, FiniteTable] | None:
        if len(sent) == 2:
            return None
        return ("a", bit) if not sent else ("b", flat if sent[0][1] else bit)

    talk = Talk({"a": BITS, "b": BITS}, turn)
    assert talk.worst("b").ratio == 3
    assert talk.worst("b").y[0] == ("a", 0)
    assert talk.table().worst(one_row_of_one_share).ratio == 3


def test_what_is_shown_has_no_finite_ratio() -> None:
    shown = FiniteTable.of_laws({(0,): {0: 1}, (1,): {1: 1}})
    talk = Talk({"a": BITS}, lambda sent: None if sent else ("a", shown))
    assert talk.worst("a").ratio is None
    assert talk.table().worst().ratio is None


def test_messages_that_no_other_shares_lead_to_do_not_count() -> None:
    """Party b never says 1: what a would say after that is not seen."""
    never = FiniteTable.of_laws({(0,): {0: 1, 1: 0}, (1,): {0: 1, 1: 0}})
    shown = FiniteTable.of_laws({(0,): {0: 1}, (1,): {1: 1}})

    def turn(sent: Messages) -> tuple[str, FiniteTable] | None:
        if len(sent) == 2:
            return None
        return ("b", never) if not sent else ("a", shown if sent[0][1] else never)

    assert Talk({"a": BITS, "b": BITS}, turn).worst("a").ratio == 1


def test_a_count_of_parties_has_the_stated_error(seed: int) -> None:
    """Null: 200 sums of 4 noises, over their stated error: mean 0, mean square 1.

    The mean is beyond 8 standard errors with probability < 1e-14, the mean square out of 0.3..3
    with probability < 1e-15 (Chernoff, fourth moments up to 4). Noise of one party has 1/4 there.
    """
    values = np.arange(1000) % 3 == 0
    holders = np.arange(1000) % 4
    found = [count_by_parties(values, holders, 1.0, seed + i) for i in range(200)]
    errors = np.array([each.value - values.sum() for each in found]) / found[0].std_error
    assert found[0].parties == 4
    assert abs(errors.mean()) < 8 / 200**0.5
    assert 0.3 < (errors**2).mean() < 3


def test_errors_grow_with_the_root_of_the_number_of_parties() -> None:
    values = np.zeros(60, dtype=bool)
    one, six, every = (count_by_parties(values, np.arange(60) % k, 1.0, 1) for k in (1, 6, 60))
    assert six.std_error == pytest.approx(one.std_error * 6**0.5)
    assert every.std_error == pytest.approx(one.std_error * 60**0.5)
    # Alone with one row, randomized response has half of that variance.
    u = float(np.e)
    assert 2 * 60 * u / (u - 1) ** 2 == pytest.approx(every.std_error**2)


def test_parties_send_once_each(seed: int) -> None:
    totals = PartyTotal(["north", "south"])
    told = release(
        np.ones(5, dtype=bool), Count(), GeometricNoise(1.0), neighbours="replace", rng=seed
    )
    totals.take("north", told)
    assert totals.missing == ["south"]
    real = release(np.ones(5, dtype=bool), Count(), GeometricNoise(1.0), neighbours="replace")
    many = release(
        np.ones(5, dtype=int), Histogram(2), GeometricNoise(1.0), neighbours="replace", rng=1
    )
    wrong: list[tuple[Any, Any, str]] = [
        ("north", told, "must send once"),
        ("west", told, "those that were named"),
        ("south", real, "all be simulated"),
        ("south", many, "a number with an error"),
        ("south", 3.0, "Release"),
    ]
    for party, what, match in wrong:
        with pytest.raises(ReportError, match=match):
            totals.take(party, what)
    with pytest.raises(ReportError, match="1 are missing"):
        totals.total()
    totals.take("south", told)
    found = totals.total()
    assert found.value == 2 * told.value
    assert found.std_error == pytest.approx((told.std_error or 0) * 2**0.5)
    assert (found.parties, found.epsilon, found.simulated) == (2, 1.0, True)
    assert (found.delta, found.neighbours) == (0.0, Neighbours.REPLACE)


def test_a_total_has_the_largest_epsilon_and_the_largest_delta(seed: int) -> None:
    """A delta that is left out makes a pure promise of none, whoever sends it, and whenever."""
    by: list[Any] = [GaussianNoise(1.0, 0.5), GeometricNoise(2.0), GaussianNoise(0.5, 0.25)]
    for order in permutations(range(len(by))):
        totals = PartyTotal(order)
        for party in order:
            told = release([1, 0], Count(), by[party], neighbours="add-remove", rng=seed)
            totals.take(party, told)
        found = totals.total()
        assert (found.epsilon, found.delta) == (2.0, 0.5)
        assert found.neighbours is Neighbours.ADD_REMOVE


@pytest.mark.parametrize("first", Neighbours)
def test_promises_about_different_neighbours_have_no_total(first: Neighbours, seed: int) -> None:
    (other,) = set(Neighbours) - {first}
    totals = PartyTotal("abc")
    for party, pairs in (("a", first), ("b", first)):
        told = release([1, 0], Count(), GeometricNoise(1.0), neighbours=pairs, rng=seed)
        totals.take(party, told)
    wrong = release([1, 0], Count(), GeometricNoise(1.0), neighbours=other, rng=seed)
    with pytest.raises(ReportError, match="must be about the neighbours"):
        totals.take("c", wrong)
    assert totals.missing == ["c"]


def test_a_count_by_parties_says_which_rows_it_protects(seed: int) -> None:
    found = count_by_parties([1, 0], [0, 1], 1.0, seed)
    assert (found.delta, found.neighbours) == (0.0, Neighbours.REPLACE)


def test_a_total_that_takes_twice_is_seen(seed: int) -> None:
    """Planted: the second message of a party replaces the first, and the price is shown once."""
    totals = TakesTwice(["north"])
    for i in range(2):
        told = release([True], Count(), GeometricNoise(1.0), neighbours="replace", rng=seed + i)
        totals.take("north", told)
    assert totals.total().epsilon == 1.0


@pytest.mark.parametrize(
    ("values", "holders", "error"),
    [
        ([], [], DomainError),
        ([1, 0], [1], DomainError),
        ([1, 2], [0, 0], DomainError),
        ([[1]], [[0]], DomainError),
        ([0.5], [0], DomainError),
        ([1, 0], [0.5, float("nan")], DomainError),
        ([1, 0], ["a", None], DomainError),
        ([1, 0], ["a", 1], DomainError),
        ([1, 0], np.array(["a", 1], dtype=object), DomainError),
        ([1, 0], np.array([{}, {}], dtype=object), DomainError),
        ([1, 0], [["a"], "b"], DomainError),
        ([[1], [1, 0]], [0, 0], DomainError),
        (MASKED, [0, 1], DomainError),
        ([1, 0], MASKED, DomainError),
    ],
)
def test_bad_rows_are_refused(values: Any, holders: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        count_by_parties(values, holders, 1.0)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        count_by_parties([1], [0], -1.0)
    with pytest.raises(ParameterError, match="parties"):
        PartyTotal([])
    with pytest.raises(ParameterError, match="parties"):
        PartyTotal(["a", "a"])
    with pytest.raises(ParameterError, match="shares"):
        Talk({}, chatty)
    with pytest.raises(ParameterError, match="combinations"):
        Talk({i: shares(6) for i in range(3)}, chatty)
    with pytest.raises(ParameterError, match="party"):
        Talk({"a": BITS, "b": BITS}, chatty).worst("c")
    with pytest.raises(ParameterError, match="name one of the parties"):
        Talk({"a": BITS}, chatty).table()
    with pytest.raises(ParameterError, match="must end after 1024 messages"):
        Talk({"a": BITS}, endless).worst("a")
    with pytest.raises(ParameterError, match="table of the party's shares"):
        Talk({"a": [(0,), (7,)], "b": BITS}, chatty).worst("a")
