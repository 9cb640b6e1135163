"""A client learns of its words by questions only: so every 64-bit word is tried, in classes.

In place of a word the client is given a `TracedWord`, which stands for a class of words. The client
can ask for a comparison, a remainder, some bits, or a quotient that has few values. Each question
splits the class by the answer; the parts are counted exactly, and the client is run with each
answer. So the classes of words follow from the run of the client, and together they are all words.
A word that is used in another way is an error, never an answer.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from ldp_verified.check.conformance.word_classes import (
    WORDS,
    WordClass,
    least,
    residues,
    with_bits,
)
from ldp_verified.errors import LdpError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MOST_ANSWERS: Final = 1 << 12
"""Answers to one question, at most."""


class Path:
    """One run of a client: an answer to each of its questions, and what is known of each word.

    Args:
        script: the number of the answer to each question; the first one where it ends.
    """

    def __init__(self, script: tuple[int, ...]) -> None:
        self._script = script
        self._trail: list[tuple[int, int]] = []
        self.classes: list[WordClass] = []
        self.asked: list[set[tuple[str, int]]] = []
        self.misused: LdpError | None = None

    def new_word(self) -> TracedWord:
        """A word of which nothing is known."""
        self.classes.append(WordClass())
        self.asked.append(set())
        return TracedWord(self, len(self.classes) - 1)

    def know(self, classes: Sequence[WordClass]) -> None:
        """Take over what is known of some words."""
        self.classes = list(classes)
        self.asked = [set() for _ in classes]

    def ask(self, index: int, questions: set[tuple[str, int]]) -> WordClass:
        """Ask what was asked of other words, and return the class that the answers leave."""
        word = TracedWord(self, index)
        for name, constant in sorted(questions):
            _QUESTIONS[name](word, constant)
        return self.classes[index]

    def next_script(self) -> tuple[int, ...] | None:
        """Give the answers of the next run; None if all were given."""
        for last in reversed(range(len(self._trail))):
            taken, count = self._trail[last]
            if taken + 1 < count:
                return (*(each for each, _ in self._trail[:last]), taken + 1)
        return None

    def answer(self, index: int, options: Iterator[tuple[Any, WordClass]]) -> Any:
        """Take one of the answers that some word gives.

        Raises:
            LdpError: there are too many.
        """
        before, kept = self.classes[index].size, []
        for option in options:
            if option[1].size:
                kept.append(option)
            if len(kept) > MOST_ANSWERS:
                self.misuse(f"are asked a question with more than {MOST_ANSWERS} answers")
        if sum(each.size for _, each in kept) != before:
            self.misuse("are asked what does not split them")
        return self.take(index, kept)

    def take(self, index: int, kept: Sequence[tuple[Any, WordClass]]) -> Any:
        """Take one of these answers, which split the class of a word."""
        taken = 0
        if len(kept) > 1:
            place = len(self._trail)
            taken = self._script[place] if place < len(self._script) else 0
            self._trail.append((taken, len(kept)))
        found, self.classes[index] = kept[taken]
        return found

    def misuse(self, how: str) -> NoReturn:
        """Note that words are used in a way that is not followed, also where it is caught.

        Raises:
            LdpError: always.
        """
        self.misused = LdpError("program", f"must use its words as can be followed; they {how}")
        raise self.misused


class TracedWord:
    """A word, or a number that rises with it: shifted down, multiplied, divided, moved.

    Args:
        path: the run. index: which word. steps: what was done to it, each with its constant.
    """

    __slots__ = ("index", "path", "steps")

    def __init__(self, path: Path, index: int, steps: tuple[tuple[str, int], ...] = ()) -> None:
        self.path, self.index, self.steps = path, index, steps

    @property
    def set_bits(self) -> int:
        """Bits that the word does not have and that were set first; 0 where none were."""
        name, constant = self.steps[0] if self.steps else ("", 0)
        return constant if name == "|" else 0

    @property
    def _class(self) -> WordClass:
        return self.path.classes[self.index]

    def _at(self, word: int) -> int:
        for name, constant in self.steps:
            word = _STEPS[name](word, constant)
            if not 0 <= word < WORDS:
                self.path.misuse("leave the 64 bits in which they are computed with")
        return word

    def _then(self, name: str, other: Any) -> Any:
        constant = _number(self.path, other)
        made = TracedWord(self.path, self.index, (*self.steps, (name, constant)))
        if constant < (1 if name in ("*", "//") else 0):
            self.path.misuse("meet a negative number or 0")
        made._at(self._class.word())  # within 64 bits at both ends, so in between
        made._at(self._class.word(last=True))
        return made

    def __rshift__(self, other: Any) -> Any:
        return self._then(">>", other)

    def __mul__(self, other: Any) -> Any:
        return self._then("*", other) if _number(self.path, other) else 0

    __rmul__ = __mul__

    def __add__(self, other: Any) -> Any:
        return self._then("+", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._then("-", other)

    def __floordiv__(self, other: Any) -> Any:
        return self._then("//", other)

    def __lshift__(self, other: Any) -> Any:
        return self._then("*", 1 << _number(self.path, other))

    def __or__(self, other: Any) -> Any:
        """The number with bits set: a word stays one, and it is known which bits it had."""
        constant = _number(self.path, other)
        if self.steps:
            return int(self) | constant
        missing = constant & ~(self & constant)
        return TracedWord(self.path, self.index, (("|", missing),)) if missing else self

    __ror__ = __or__

    def __xor__(self, other: Any) -> int:
        return int(self) ^ _number(self.path, other)

    __rxor__ = __xor__

    def __mod__(self, other: Any) -> int:
        modulus = _number(self.path, other)
        if not 1 <= modulus <= MOST_ANSWERS or self.steps:
            self.path.misuse("are divided with a remainder in a way that is not followed")
        now = self._class
        if now.modulus == modulus:
            return now.residue
        if now.modulus > 1 or now.mask:
            self.path.misuse("are asked for two remainders, or for one and for bits")
        self.path.asked[self.index].add(("%", modulus))
        return int(self.path.take(self.index, residues(now, modulus)))

    def __and__(self, other: Any) -> int:
        constant = _number(self.path, other)
        shifts = self.steps[1:] if self.set_bits else self.steps
        if any(name != ">>" for name, _ in shifts):
            return int(self) & constant
        if constant < 0:
            self.path.misuse("are asked for bits beyond the 64")
        down = sum(by for _, by in shifts)
        given = self.set_bits & constant << down
        mask = constant << down & WORDS - 1 & ~self.set_bits
        if not mask:
            return given >> down
        now = self._class
        new = mask & ~now.mask
        if now.modulus > 1:
            self.path.misuse("are asked for a remainder and for bits")
        if new.bit_count() > MOST_ANSWERS.bit_length() - 1:
            self.path.misuse("are asked for too many bits")
        self.path.asked[self.index].add(("&", mask))
        self.path.take(self.index, with_bits(now, new))
        return (self._class.bits & mask | given) >> down

    __rand__ = __and__

    def _from(self, other: Any) -> bool:
        """Return whether this number is at least another one."""
        limit = _number(self.path, other)
        now = self._class
        cut = _cut(self.steps, now.low, now.high, limit)
        if not now.low < cut < now.high:
            return cut <= now.low
        self.path.asked[self.index].add((">=", cut))
        parts = ((True, replace(now, low=cut)), (False, replace(now, high=cut)))
        return bool(self.path.answer(self.index, iter(parts)))

    def __ge__(self, other: Any) -> bool:
        return self._from(other)

    def __lt__(self, other: Any) -> bool:
        return not self._from(other)

    def __gt__(self, other: Any) -> bool:
        return self._from(_number(self.path, other) + 1)

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __eq__(self, other: object) -> bool:
        limit = _number(self.path, other)
        return self._from(limit) and not self._from(limit + 1)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return self != 0

    def __index__(self) -> int:
        """The number itself, where it has few values."""
        now = self._class
        parts: list[tuple[int, WordClass]] = []
        low = now.low
        while low < now.high:
            value = self._at(low)
            end = _cut(self.steps, low, now.high, value + 1)
            parts.append((value, replace(now, low=low, high=end)))
            if len(parts) > MOST_ANSWERS:
                self.path.misuse(f"are taken as a number with more than {MOST_ANSWERS} values")
            low = end
        self.path.asked[self.index] |= {(">=", each.low) for _, each in parts[1:]}
        return int(self.path.answer(self.index, iter(parts)))

    __int__ = __index__

    def __repr__(self) -> str:
        self.path.misuse("are written out")

    __str__ = __repr__

    def __format__(self, _: str) -> str:
        self.path.misuse("are written out")

    def __hash__(self) -> int:
        return self.path.misuse("are hashed")

    def __reduce__(self) -> str:
        self.path.misuse("are copied or saved")


_STEPS: Final[dict[str, Callable[[int, int], int]]] = {
    ">>": operator.rshift,
    "*": operator.mul,
    "+": operator.add,
    "-": operator.sub,
    "//": operator.floordiv,
    "|": operator.or_,
}
"""Each rises, or stays, with its first number: bits are set that no word of the class has."""


@lru_cache(maxsize=1 << 16)
def _cut(steps: tuple[tuple[str, int], ...], low: int, high: int, limit: int) -> int:
    """The least word in low..high - 1 of which these steps make at least the limit, or `high`."""

    def reaches(word: int) -> bool:
        for name, constant in steps:
            word = _STEPS[name](word, constant)
        return word >= limit

    return least(reaches, low, high)


_QUESTIONS: Final[dict[str, Callable[[Any, int], object]]] = {
    "%": operator.mod,
    "&": operator.and_,
    ">=": operator.ge,
}
"""What splits words."""


def _number(path: Path, other: Any) -> int:
    """A whole number that a word meets; that of another word where it has few values."""
    if isinstance(other, TracedWord | int | np.integer):
        return operator.index(other)
    return path.misuse(f"meet {type(other).__name__}, which is no whole number")
