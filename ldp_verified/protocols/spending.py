"""A user's budget at run time: what was spent is on the disk before anything is drawn.

Epsilons of protocols that a user takes part in add up, each chosen perhaps in view of what came
before, as long as no history exceeds the budget (theorem `filter_ldp`, `proofs/lib/Protocols.v`).
"""

from __future__ import annotations

import os
import re
from fractions import Fraction
from typing import NamedTuple

from ldp_verified.errors import BudgetError, ParameterError, ReportError, printable
from ldp_verified.run.aggregate.files import check_one_name, checked_path, replacing
from ldp_verified.run.aggregate.sealed import seal, unseal
from ldp_verified.run.aggregate.shared import Turns
from ldp_verified.run.realize.parameters import number_or_text
from ldp_verified.scalars import utf8_of

KIND = "spending book"
MOST_DIGITS = 1000
"""Of a price or a budget, above and below the line: Python writes no more than 4300."""

MOST_DIGITS_LEFT = 4000
"""Of what was spent, and of what is left. Prices without a common divisor add up to long ones."""


class Spent(NamedTuple):
    """One entry: what it cost, and what it was for (public, as it is kept in the open)."""

    epsilon: Fraction
    purpose: str


class _ChangedMeanwhileError(Exception):
    """Another process wrote the book since it was read."""


class SpendingBook:
    """A file of one user's spending against a budget. Numbers are exact rationals.

    An entry is written, and put on the disk, before its report is drawn: after a crash between the
    two the book says that it was spent. A refusal depends on the book, the price and the budget
    only, never on a value. Threads may share a book; so may processes, but on Windows. Whoever sets
    the file back to an older copy sets back what was spent; that is not seen here.

    Args:
        path: of the file.
        budget: a number > 0: an int, a Fraction, a text such as "1/10" or "0.1", or a float, which
            is taken for the double that it is. Decimals add up to what they seem to as texts only.
        new: True to start a book where there is none. A book that is lost is no empty one.

    Raises:
        ParameterError: no path or budget; a new book where there is one; another budget than the
            book's; one of more than 1000 digits; or a book with hard links.
        ReportError: there is no book, or it is damaged.
        OSError: the file cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str], budget: object, *, new: bool = False) -> None:
        self._path = checked_path(path)
        self.budget = _positive("budget", budget)
        self._turns = Turns()
        if new is True:
            with replacing(self._path, self._refuse_to_overwrite) as part:
                part.write_text(self._text(()), encoding="ascii")
        self.entries()

    def entries(self) -> tuple[Spent, ...]:
        """All that was spent, in order.

        Raises:
            ReportError: there is no book, or it is damaged.
            ParameterError: it has another budget, or hard links, each of which would spend it all.
            OSError: it cannot be read.
        """
        check_one_name(self._path)
        try:
            state = unseal(KIND, self._path.read_bytes())
        except FileNotFoundError:
            rule = "must lead to a book; new=True starts one"
            raise ReportError("path", rule, str(self._path)) from None
        except ReportError as error:
            raise ReportError("path", error.rule, str(self._path)) from None
        try:
            budget = Fraction(state["budget"])
            found = tuple(Spent(Fraction(price), str(on)) for price, on in state["entries"])
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise ReportError("path", "holds no entries", str(self._path)) from None
        if budget != self.budget:
            raise ParameterError("budget", f"must be the book's, {budget}", str(self.budget))
        if any(each.epsilon <= 0 for each in found) or sum(e.epsilon for e in found) > budget:
            raise ReportError("path", "holds no entries within the budget", str(self._path))
        return found

    @property
    def left(self) -> Fraction:
        """The budget without what was spent."""
        return self.budget - sum((each.epsilon for each in self.entries()), Fraction(0))

    def spend(self, epsilon: object, purpose: str) -> Fraction:
        """Enter a price; when this returns it is on the disk, and its report may be drawn.

        Args:
            epsilon: as the budget. purpose: what for, in public words.

        Returns:
            What is left.

        Raises:
            ParameterError: no price or purpose, or a price after which what was spent or what is
                left had more than 4000 digits above or below the line.
            BudgetError: a price above what is left. Nothing is entered in either case.
            ReportError, OSError: as `entries`, and where it cannot be written.
        """
        price = _positive("epsilon", epsilon)
        if not isinstance(purpose, str) or not purpose:
            rule = "must be a text that is not empty"
            raise ParameterError("purpose", rule, purpose if purpose == "" else type(purpose))
        if utf8_of(purpose) is None:
            raise ParameterError("purpose", "must be a text that UTF-8 can hold")
        with self._turns.taken():
            while True:
                before = self.entries()
                left = self.budget - sum((each.epsilon for each in before), Fraction(0)) - price
                if left < 0:
                    rule = f"must be at most what is left of the budget, {_shown(left + price)}"
                    raise BudgetError("epsilon", rule, str(price))
                if not (_is_short(left) and _is_short(self.budget - left)):
                    rule = "must add up with what was spent to a fraction of at most "
                    raise ParameterError("epsilon", f"{rule}{MOST_DIGITS_LEFT} digits")
                try:
                    self._write(before, (*before, Spent(price, purpose)))
                except _ChangedMeanwhileError:
                    continue
                return left

    def _write(self, before: tuple[Spent, ...], after: tuple[Spent, ...]) -> None:
        def refuse_what_changed() -> None:
            if self.entries() != before:
                raise _ChangedMeanwhileError

        with replacing(self._path, refuse_what_changed) as part:
            part.write_text(self._text(after), encoding="ascii")

    def _text(self, entries: tuple[Spent, ...]) -> str:
        listed = [[str(each.epsilon), each.purpose] for each in entries]
        return seal(KIND, {"budget": str(self.budget), "entries": listed})

    def _refuse_to_overwrite(self) -> None:
        if self._path.exists():
            raise ParameterError("new", "must be False where there is a book", str(self._path))

    def __repr__(self) -> str:
        return f"<SpendingBook {str(self._path)!r} with a budget of {self.budget}>"

    def __str__(self) -> str:
        entries = self.entries()
        total = sum((each.epsilon for each in entries), Fraction(0))
        # Older versions took any text, and sums of any length.
        lines = [f"{each.epsilon}: {printable(each.purpose)}" for each in entries]
        spent, left = _shown(total), _shown(self.budget - total)
        return "\n".join([*lines, f"{spent} of {self.budget} spent, {left} left"])


def _is_short(number: Fraction) -> bool:
    limit: int = 10**MOST_DIGITS_LEFT
    return max(abs(number.numerator), number.denominator) < limit


def _shown(number: Fraction) -> str:
    return str(number) if _is_short(number) else f"about {float(number):.6g}"


def _positive(argument: str, value: object) -> Fraction:
    rule = f"must be a number of at most {MOST_DIGITS} digits, or a fraction of two such numbers"
    if isinstance(value, str):
        power = re.search(r"[eE][-+]?([\d_]+)", value)
        # It is not computed: 1e999999999 would take all memory.
        if len(value) > 3 * MOST_DIGITS or (power and int(power[1]) > MOST_DIGITS):
            raise ParameterError(argument, rule)
    number = number_or_text(value)
    if number is None or number <= 0:
        raise ParameterError(argument, "must be a number > 0", value)
    if max(number.numerator, number.denominator) >= 10**MOST_DIGITS:
        raise ParameterError(argument, rule)
    return number
