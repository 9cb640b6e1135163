"""The transcript tree of a client at its own width: all sequences of 64-bit words, in classes.

The classes are not given: they follow from what the client asks of its words
(`check.conformance.traced`). Words that are sent as they are, such as the seed of a function, stand
in a transcript as classes whose words are all alike to all clients under all histories. In each
class the client is run again, on its first and last words as plain numbers: what the traced run
says must come out there, which ties it to the code that runs.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import numpy as np

from ldp_verified.check.conformance.traced import Path, TracedWord
from ldp_verified.check.conformance.transcripts import (
    MOST_MESSAGES,
    MOST_RUNS,
    REFUSED,
    MoreWords,
    TranscriptCheck,
    TranscriptLaw,
    check_arguments,
    judged,
    run_on,
)
from ldp_verified.check.conformance.word_classes import WORDS, WordClass
from ldp_verified.errors import LdpError
from ldp_verified.run.kernels import draw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.transcripts import Laws, Program, Transcript

    Questions = dict[int, set[tuple[str, int]]]
    """What is asked of the first word that is sent, of the second, ..."""

    Declared = Callable[[Any, tuple[Any, ...], Transcript], Fraction]
    """(value, history, transcript) -> the chance that the declaration states."""

_NOT_AS_RUN: Final = "must send the same on plain words as on words that note what they are asked"


@dataclass(frozen=True)
class SentWord:
    """A word that is sent as it is: any of a class.

    Attributes:
        number: which of the words that the transcript shows, from 0. words: the class.
    """

    number: int
    words: WordClass

    @property
    def share(self) -> Fraction:
        """The share of the class among all words."""
        return Fraction(self.words.size, WORDS)


def check_every_word(
    program: Program,
    values: Sequence[Any],
    published: Sequence[Sequence[Any]],
    bound: Fraction,
    horizon: int,
    declared: Declared | None = None,
) -> TranscriptCheck:
    """Compare the exact law of a client over all 64-bit words with the ledger and the declaration.

    A client that draws again after words that it leaves out has no finite tree. Runs of it end at
    some numbers of words, of which the last two are looked at; the next one, as far on, must lie
    beyond what is followed. Both have to add to all probabilities in the same proportions, and the
    last one no less than what had not ended. Then that is shared out in these proportions:
    `unresolved` is its mass, and no probability is off by more.

    Args:
        program: as in `transcripts.transcript_law`. It sends whole numbers, texts, and tuples.
        values: every value of the domain, two or more.
        published: the type of what is published after each message, as the list of its elements.
        bound: as in `transcripts.check_transcripts`.
        horizon: the most words that are followed.
        declared: the chance of a transcript, in which words stand as `SentWord`.

    Raises:
        ParameterError: as in `check_transcripts`.
        LdpError: words are used in a way that is not followed, there are too many runs, or the
            client sends something else on plain words.
    """
    check_arguments(values, published, bound)
    histories = list(itertools.product(*published))
    leaves: dict[Any, list[_Leaf]] = {}
    for history, (place, value) in itertools.product(histories, enumerate(values)):
        first = next(i for i, other in enumerate(values) if other is value)
        leaves[history, place] = leaves.get((history, first)) or _leaves(
            program, value, history, horizon
        )
    questions: Questions = defaultdict(set)
    for leaf in itertools.chain.from_iterable(leaves.values()):
        for number, index in enumerate(leaf.sent):
            questions[number] |= leaf.path.asked[index]
    unfinished = Fraction(0)
    laws: Laws = {history: [] for history in histories}
    for (history, _), found in leaves.items():
        ends = list(_ends(found, questions))
        law = _law(ends, horizon)
        unfinished = max(unfinished, law.unresolved)
        if law.unresolved:
            law = _given_an_end(ends, law, horizon)
        laws[history].append(law)
    differs = None
    if declared is not None and not any(law.unresolved for of in laws.values() for law in of):
        differs = next(
            (
                (x, history, transcript)
                for history, of_values in laws.items()
                for x, law in zip(values, of_values, strict=True)
                # They sum to 1, so that nothing else is likely where all these are as declared.
                for transcript, chance in law.probabilities.items()
                if declared(x, history, transcript) != chance
            ),
            None,
        )
    return replace(judged(laws, values, bound, differs), unresolved=unfinished)


def _given_an_end(
    ends: Sequence[tuple[int, Transcript | None, Fraction]], law: TranscriptLaw, horizon: int
) -> TranscriptLaw:
    """The law with what had not ended shared out as the last words were, if both were alike."""
    added: dict[int, dict[Transcript, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for words, said, mass in ends:
        if said is not None:
            added[words][said] += mass
    if len(added) < 2:
        return law
    *_, (earlier, before), (latest, last) = sorted(added.items())
    grown, more = sum(before.values()), sum(last.values())
    # Where more is left than was added last, some runs are only longer than others; so they are
    # where none ended at the number of words that was next.
    if (
        2 * latest - earlier <= horizon
        or law.unresolved > more
        or any(before.get(t, 0) * more != last.get(t, 0) * grown for t in law.probabilities)
    ):
        return law
    shared = {t: p + last[t] * law.unresolved / more for t, p in law.probabilities.items()}
    return TranscriptLaw(shared, Fraction(0), whole=True)


@dataclass(frozen=True)
class _Leaf:
    """The end of a run: what was sent, None where words did not suffice, and what is known."""

    said: Transcript | None
    path: Path

    @property
    def sent(self) -> list[int]:
        """The words that are sent, by their index, in the order in which they are seen."""
        return list(dict.fromkeys(_indices(self.said)))


def _leaves(program: Program, value: Any, history: tuple[Any, ...], horizon: int) -> list[_Leaf]:
    """The ends of all runs, each held to two runs on plain words."""
    leaves: list[_Leaf] = []
    script: tuple[int, ...] | None = ()
    while script is not None:
        if len(leaves) == MOST_RUNS:
            raise LdpError("program", f"must ask so little that {MOST_RUNS} runs are enough")
        path = Path(script)
        said = _run(program, value, history, path, horizon)
        for last in (False, True):
            words = tuple(each.word(last) for each in path.classes)
            plain = run_on(program, value, history, words)
            if plain != (None if said is None else _plain(said, words)):
                raise LdpError("program", _NOT_AS_RUN)
        leaves.append(_Leaf(said, path))
        script = path.next_script()
    if sum((_mass(leaf.path.classes) for leaf in leaves), Fraction(0)) != 1:
        raise LdpError("program", "must draw from its source alone and keep nothing")
    return leaves


def _mass(classes: Sequence[WordClass]) -> Fraction:
    """The chance of words in these classes."""
    return math.prod((Fraction(each.size, WORDS) for each in classes), start=Fraction(1))


def _ends(
    leaves: Sequence[_Leaf], questions: Questions
) -> Iterator[tuple[int, Transcript | None, Fraction]]:
    """(words, transcript, mass) of all ends; sent words are split by all questions."""
    for leaf in leaves:
        words = len(leaf.path.classes)
        if leaf.said is None:
            yield words, None, _mass(leaf.path.classes)
            continue
        script: tuple[int, ...] | None = ()
        while script is not None:
            path = Path(script)
            path.know(leaf.path.classes)
            labels = {
                index: SentWord(number, path.ask(index, questions[number]))
                for number, index in enumerate(leaf.sent)
            }
            yield words, _labelled(leaf.said, labels), _mass(path.classes)
            script = path.next_script()


def _law(ends: Iterable[tuple[int, Transcript | None, Fraction]], horizon: int) -> TranscriptLaw:
    """The law of transcripts of at most so many words."""
    masses: dict[Transcript, Fraction] = defaultdict(Fraction)
    unresolved = Fraction(0)
    for words, said, mass in ends:
        if said is None or words > horizon:
            unresolved += mass
        else:
            masses[said] += mass
    return TranscriptLaw(dict(masses), unresolved, whole=True)


@dataclass(frozen=True)
class _Word:
    """Stands for a word in a message, by its index, with bits that it lacks and that were set."""

    index: int
    set_bits: int = 0

    def sent(self, own: SentWord) -> SentWord:
        """The class of what is sent, for a class of the word.

        Raises:
            LdpError: more is known of the word than bits, which other bits would change.
        """
        words = own.words
        if not self.set_bits:
            return own
        if words != WordClass(mask=words.mask, bits=words.bits):
            raise LdpError("program", "must ask words in which it sets bits for bits alone")
        return replace(own, words=replace(words, bits=words.bits | self.set_bits))


class _Traced:
    """A source of traced words, up to a horizon."""

    def __init__(self, path: Path, horizon: int) -> None:
        self._path, self._horizon = path, horizon
        self.short = False

    @property
    def simulated(self) -> bool:
        """True."""
        return True

    def words(self, count: int) -> NDArray[Any]:
        """The next words, as an array of objects."""
        if len(self._path.classes) + count > self._horizon:
            self.short = True
            raise MoreWords
        out = np.empty(count, dtype=object)
        for place in range(count):
            out[place] = self._path.new_word()
        return out

    def fill(self, out: NDArray[Any]) -> None:
        """Overwrite `out`, an array of objects, with the next words."""
        if out.dtype != object:
            self._path.misuse("are put into memory that does not note what they are asked")
        out[...] = self.words(len(out))


def _run(
    program: Program, value: Any, history: tuple[Any, ...], path: Path, horizon: int
) -> Transcript | None:
    """The transcript of one run; None where words did not suffice."""
    messages: list[Any] = []
    source: Any = _Traced(path, horizon)
    with mock.patch.object(draw, "buffer_for", _objects):
        try:
            client = program(value, source)
            messages.append(_said(next(client), path))
            while len(messages) <= MOST_MESSAGES:
                place = len(messages) - 1
                sent = client.send(history[place] if place < len(history) else None)
                messages.append(_said(sent, path))
        except LdpError:
            messages.append(REFUSED)
        except (StopIteration, MoreWords):
            pass
    if path.misused is not None:
        raise path.misused
    if len(messages) > MOST_MESSAGES:
        raise LdpError("program", f"must send no more than {MOST_MESSAGES} messages")
    return None if source.short else tuple(messages)


def _objects(words: int) -> NDArray[Any]:
    """Memory for words, in which they stay what they are."""
    return np.empty(words, dtype=object)


def _said(message: Any, path: Path) -> Any:
    """A message in which words that are sent as they are stand as such; else numbers."""
    if isinstance(message, tuple):
        return tuple(_said(each, path) for each in message)
    if isinstance(message, TracedWord):
        as_it_is = not message.steps or (message.set_bits and len(message.steps) == 1)
        return _Word(message.index, message.set_bits) if as_it_is else int(message)
    if message is not None and not isinstance(message, str | int | np.integer):
        path.misuse(f"are sent, or may be, in a {type(message).__name__}")
    return message


def _indices(message: Any) -> list[int]:
    """The words in a message, in their order."""
    if isinstance(message, tuple):
        return [index for each in message for index in _indices(each)]
    return [message.index] if isinstance(message, _Word) else []


def _labelled(message: Any, labels: dict[int, SentWord]) -> Any:
    """The message with the classes of its words."""
    if isinstance(message, tuple):
        return tuple(_labelled(each, labels) for each in message)
    return message.sent(labels[message.index]) if isinstance(message, _Word) else message


def _plain(message: Any, words: Sequence[int]) -> Any:
    """The message with its words as numbers."""
    if isinstance(message, tuple):
        return tuple(_plain(each, words) for each in message)
    return words[message.index] | message.set_bits if isinstance(message, _Word) else message
