"""The budget of a user at run time: entered before anything is drawn, and never exceeded."""

from __future__ import annotations

import os
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ldp_verified.errors import BudgetError, DomainError, ParameterError, ReportError
from ldp_verified.protocols.prefix_extending import PrefixExtending
from ldp_verified.protocols.spending import KIND, SpendingBook, Spent
from ldp_verified.run.aggregate.sealed import seal
from ldp_verified.run.kernels.randomness import ReplayWords

SMALL = PrefixExtending(1.0, bits=12, step=5, g=4)


def book(folder: Path, budget: object = "0.3") -> SpendingBook:
    return SpendingBook(folder / "book", budget, new=True)


def test_numbers_add_up_exactly_and_it_says_what_went_where(tmp_path: Path) -> None:
    mine = book(tmp_path)
    assert mine.spend("0.1", "words") == Fraction(1, 5)
    assert mine.spend(Fraction(1, 10), "flights") == Fraction(1, 10)
    assert mine.spend("1/10", "words again") == mine.left == 0
    assert str(mine) == (
        "1/10: words\n1/10: flights\n1/10: words again\n3/10 of 3/10 spent, 0 left"
    )
    with pytest.raises(BudgetError, match=r"epsilon: must be at most what is left .*, 0, got"):
        mine.spend(Fraction(1, 10**30), "a little")
    again = SpendingBook(tmp_path / "book", Fraction(3, 10))
    assert again.entries() == mine.entries()
    assert again.entries()[1] == Spent(Fraction(1, 10), "flights")


def test_floats_are_the_doubles_that_they_are(tmp_path: Path) -> None:
    mine = book(tmp_path, 0.3)
    for _ in range(2):
        mine.spend(0.1, "words")
    with pytest.raises(BudgetError, match="what is left"):
        mine.spend(0.1, "three times the double 0.1 is more than the double 0.3")


@pytest.mark.parametrize("wrong", [0, -1, float("inf"), float("nan"), True, "x", "1/0", None])
def test_what_is_no_price_is_refused(wrong: object, tmp_path: Path) -> None:
    mine = book(tmp_path)
    with pytest.raises(ParameterError, match="epsilon: must be a number > 0") as caught:
        mine.spend(wrong, "words")
    assert type(caught.value) is ParameterError  # no overspending: see BudgetError
    with pytest.raises(ParameterError, match="budget: must be a number > 0"):
        SpendingBook(tmp_path / "other", wrong, new=True)
    assert mine.entries() == ()


@pytest.mark.parametrize(
    "wrong",
    ["1e5000", "1e-5000", "1e1_001", "1e999999999", "9" * 5000, "1/" + "9" * 4000, 10**1000],
    ids=lambda value: str(value)[:12],
)
def test_a_number_that_could_not_be_written_is_refused(wrong: object, tmp_path: Path) -> None:
    mine = book(tmp_path)
    with pytest.raises(ParameterError, match="epsilon: must be a number of at most 1000 digits"):
        mine.spend(wrong, "words")
    with pytest.raises(ParameterError, match="budget: must be a number of at most 1000 digits"):
        SpendingBook(tmp_path / "other", wrong, new=True)
    assert mine.entries() == ()
    assert SpendingBook(tmp_path / "large", "1e999", new=True).left == 10**999


def test_a_lost_book_is_no_empty_one(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="must lead to a book"):
        SpendingBook(tmp_path / "book", 1)
    mine = book(tmp_path, 1)
    mine.spend(1, "words")
    with pytest.raises(ParameterError, match="new: must be False"):
        book(tmp_path, 1)
    with pytest.raises(ParameterError, match="budget: must be the book's"):
        SpendingBook(tmp_path / "book", 2)
    (tmp_path / "book").write_bytes((tmp_path / "book").read_bytes().replace(b'"1"', b'"2"'))
    with pytest.raises(ReportError, match=r"^path: is no saved spending book, or damaged.*/book'$"):
        mine.spend(1, "words")


def test_the_report_is_drawn_after_the_entry_is_on_the_disk(tmp_path: Path) -> None:
    """A source of words that looks at the book when it is asked for the first report's words."""
    mine = book(tmp_path, 2)
    seen: list[tuple[Spent, ...]] = []

    class Looking(ReplayWords):
        def fill(self, out: Any) -> None:
            seen.append(SpendingBook(tmp_path / "book", 2).entries())
            super().fill(out)

    client = SMALL.client(group=1, rng=Looking([5] * 20), book=mine)
    assert seen == []
    client.report(7)
    assert seen
    assert all(each == (Spent(Fraction(1), "PrefixExtending, group 1"),) for each in seen)


def test_a_crash_while_drawing_leaves_it_spent(tmp_path: Path) -> None:
    mine = book(tmp_path, 2)
    client = SMALL.client(group=1, rng=ReplayWords([]), book=mine)
    with pytest.raises(Exception, match="to be replayed"):
        client.report(7)
    assert SpendingBook(tmp_path / "book", 2).left == 1


def test_a_crash_while_writing_draws_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = book(tmp_path, 2)
    client = SMALL.client(group=1, rng=ReplayWords([]), book=mine)

    def fail(_: int) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="full"):
            client.report(7)
    assert mine.left == 2
    assert [each.name for each in tmp_path.iterdir()] == ["book"]


def test_a_second_protocol_enters_the_same_book(tmp_path: Path) -> None:
    mine = book(tmp_path, "3/2")
    SMALL.client(book=mine).report(7)
    other = PrefixExtending(1.0, bits=None).client(rng=ReplayWords([]), group=0, book=mine)
    for value in ("a", "b"):  # refused whatever the value is, and before any word is read
        with pytest.raises(BudgetError, match=r"epsilon: must be at most what is left .* 1/2"):
            other.report(value)
    with pytest.raises(DomainError):
        other.report("a" * 16)
    assert mine.left == Fraction(1, 2)


def test_a_book_with_two_names_is_refused(tmp_path: Path) -> None:
    """What is spent under one name would be left under the other."""
    mine = book(tmp_path)
    mine.spend("0.1", "first")
    (tmp_path / "other").hardlink_to(tmp_path / "book")
    for use in (
        lambda: mine.spend("0.2", "second"),
        lambda: mine.left,
        lambda: SpendingBook(tmp_path / "other", "0.3"),
    ):
        with pytest.raises(ParameterError, match="path: must lead to a file with one name"):
            use()
    (tmp_path / "other").unlink()
    (tmp_path / "soft").symlink_to(tmp_path / "book")
    assert SpendingBook(tmp_path / "soft", "0.3").spend("0.2", "second") == 0
    assert mine.left == 0


def test_threads_do_not_overspend(tmp_path: Path) -> None:
    mine = book(tmp_path, 5)
    refused: list[ParameterError] = []

    def spend() -> None:
        own = SpendingBook(tmp_path / "book", 5)
        for _ in range(4):
            try:
                own.spend(1, "words")
            except ParameterError as error:
                refused.append(error)

    threads = [threading.Thread(target=spend) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert mine.left == 0
    assert len(mine.entries()) == 5
    assert len(refused) == 7


def coprime(count: int, digits: int = 999) -> list[Fraction]:
    """Prices whose sum has about as many digits below the line as all of them together."""
    return [Fraction(1, 10**digits - 2 * i - 1) for i in range(count)]


def test_no_sum_is_longer_than_can_be_shown(tmp_path: Path) -> None:
    """Four of these prices can be written; with a fifth neither rest nor book could."""
    mine = book(tmp_path, "1")
    for price in coprime(4):
        mine.spend(price, "a little")
    before = mine.entries()
    for price in coprime(6)[4:]:
        with pytest.raises(ParameterError, match=r"epsilon: must add up .* 4000 digits$") as found:
            mine.spend(price, "a little")
        assert type(found.value) is ParameterError
    for _ in range(2):
        with pytest.raises(BudgetError, match="at most what is left of the budget"):
            mine.spend(2, "too much")
    assert mine.entries() == before
    assert str(mine).endswith(f"{mine.left} left")
    assert mine.spend(before[0].epsilon, "one more of these") == mine.left


def test_a_rest_may_be_long_where_what_was_spent_is_not(tmp_path: Path) -> None:
    """The budget has a divisor of its own."""
    mine = book(tmp_path, 1 + Fraction(1, 10**998 + 1))
    for price in coprime(3):
        mine.spend(price, "a little")
    with pytest.raises(ParameterError, match="4000 digits"):
        mine.spend(coprime(5)[4], "a little")
    assert len(str(mine.left)) < 9000


def test_books_of_older_versions_are_shown(tmp_path: Path) -> None:
    """They may hold sums of any length, and texts that UTF-8 cannot hold."""
    entries = [[str(price), "\ud800"] for price in coprime(6)]
    text = seal(KIND, {"budget": "1", "entries": entries})
    (tmp_path / "book").write_text(text, encoding="ascii")
    mine = SpendingBook(tmp_path / "book", "1")
    shown = str(mine)
    assert shown.encode().endswith(b" of 1 spent, about 1 left")
    assert ": \\ud800\n" in shown
    assert 0 < 1 - mine.left < Fraction(1, 10**990)
    with pytest.raises(BudgetError, match="left of the budget, about 1, got '2'"):
        mine.spend(2, "too much")


def test_a_purpose_makes_no_line_of_its_own(tmp_path: Path) -> None:
    mine = book(tmp_path)
    mine.spend("0.1", "a\n0.2: b\x1b[2J")
    assert str(mine).splitlines()[0] == "1/10: a\\n0.2: b\\x1b[2J"
    assert mine.entries()[0].purpose == "a\n0.2: b\x1b[2J"


@pytest.mark.parametrize("purpose", ["\ud800", "words \udfff", "", None, b"x"])
def test_a_purpose_that_cannot_be_written_is_refused(purpose: Any, tmp_path: Path) -> None:
    mine = book(tmp_path)
    with pytest.raises(ParameterError, match="purpose: must be "):
        mine.spend("0.1", purpose)
    assert mine.entries() == ()
    mine.spend("0.1", "\U0001f600")
    assert "\U0001f600" in str(mine)
