"""The transcript tree: a client program run over all its words and all that may be published.

A transcript is everything that reaches the server from one user: group, messages, that a message is
missing, a refusal, and how many messages there were. The program is run with the words that it asks
for, each of them in turn, so its law is exact. What the server publishes is any element of a
declared type, as a malicious server would choose it. The likelihood of a transcript depends on what
was published before each message only, so a server that adapts makes up no history but these.

A ledger proves a bound for the protocol as declared. This looks at the program, at one size.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from ldp_verified.errors import LdpError, ParameterError
from ldp_verified.prove.verdicts import Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource

    Transcript = tuple[Hashable, ...]
    Program = Callable[[Any, WordSource], Generator[Hashable, Any, None]]
    """(value, source) -> a generator of messages, to which what is published is sent."""
    Laws = dict[tuple[Any, ...], list["TranscriptLaw"]]
    Differs = tuple[Any, tuple[Any, ...], Transcript]

REFUSED: Final = "refused"
"""Stands in a transcript where the client raised an error of this package: nothing more came."""

MOST_RUNS: Final = 1 << 18
"""Runs of the program for one value and history, after which the enumeration is given up."""

MOST_MESSAGES: Final = 64
"""Messages of one user, at most."""


@dataclass(frozen=True)
class Alphabet:
    """The words tried at one place, and how likely each is.

    Attributes:
        words: (64-bit word, probability), at least one.
        whole: whether these are all the words that the program can be given. Where they stand for
            others, which is the caller's assumption, nothing is enumerated.
    """

    words: tuple[tuple[int, Fraction], ...]
    whole: bool = False

    def __post_init__(self) -> None:
        """Check the words and that they have a distribution.

        Raises:
            ParameterError: a word or a probability is none, or they do not sum to 1.
        """
        if any(not 0 <= word < 1 << 64 or share <= 0 for word, share in self.words):
            raise ParameterError("words", "must be 64-bit words with positive probabilities")
        if sum((share for _, share in self.words), Fraction(0)) != 1:
            raise ParameterError("words", "must have probabilities that sum to 1")


def every_word(width: int) -> Alphabet:
    """All words of a width, in the top bits of the 64, where a kernel of that width reads them.

    Raises:
        ParameterError: the width is not in 1..16.
    """
    if isinstance(width, bool) or not isinstance(width, int) or not 1 <= width <= 16:
        raise ParameterError("width", "must be an integer in 1..16", width)
    share = Fraction(1, 1 << width)
    return Alphabet(tuple((word << 64 - width, share) for word in range(1 << width)), whole=True)


def between_cuts(cuts: Sequence[int]) -> Alphabet:
    """The first and the last 64-bit word of each interval between cuts, half its weight each.

    That all words of an interval are alike is assumed.

    Args:
        cuts: rising, each the first word of an interval, in 1..2^64 - 1.

    Raises:
        ParameterError: they do not rise, or one is out of range.
    """
    ends = [0, *cuts, 1 << 64]
    if any(a >= b for a, b in itertools.pairwise(ends)):
        raise ParameterError("cuts", "must rise, in 1..2^64 - 1", list(cuts))
    halves = (((a, b - 1), Fraction(b - a, 1 << 65)) for a, b in itertools.pairwise(ends))
    return Alphabet(tuple((word, share) for pair, share in halves for word in pair))


@dataclass(frozen=True)
class TranscriptLaw:
    """The law of one user's transcript, for one value and one history.

    Attributes:
        probabilities: transcript to probability; zero where absent.
        unresolved: mass of the sequences of words that did not suffice for a transcript.
        whole: whether all words were tried, at every place that was read.
    """

    probabilities: Mapping[Transcript, Fraction]
    unresolved: Fraction
    whole: bool


@dataclass(frozen=True)
class Leak:
    """A transcript that tells more of the value than the bound allows.

    Attributes:
        value, other: the two values. history: what was published. transcript: what came.
        probability, other_probability: of the transcript under each, exactly.
    """

    value: Any
    other: Any
    history: tuple[Any, ...]
    transcript: Transcript
    probability: Fraction
    other_probability: Fraction


@dataclass(frozen=True)
class TranscriptCheck:
    """The result of enumerating the tree of a program's transcripts.

    Attributes:
        status: `enumerated`: the bound holds for the values, histories and words that were given;
            `assumed`: it does if words that were not tried are like those that were; `refuted`:
            with a leak, or, with `differs`, another law than declared; `open`: words ran out,
            or nothing but refusals came.
        bound: the largest ratio that is allowed. largest: the largest found; None if infinite.
        leak: a transcript beyond the bound, of the worst ratio; None where there is none.
        differs: where the law is another than declared: (value, history, transcript).
        histories: how many were tried. transcripts: how many different ones came.
        refusals: how many of these end with a refusal.
        unresolved: the largest mass of words that did not suffice.
    """

    status: Status
    bound: Fraction
    largest: Fraction | None
    leak: Leak | None
    differs: Differs | None
    histories: int
    transcripts: int
    refusals: int
    unresolved: Fraction

    def __str__(self) -> str:
        found = "infinite" if self.largest is None else str(self.largest)
        found = found if self.transcripts else "not known"
        text = (
            f"{self.status}: {self.transcripts} transcripts ({self.refusals} refusals) under "
            f"{self.histories} histories, largest ratio {found}, bound {self.bound}"
        )
        if self.leak is not None:
            leak = self.leak
            text += (
                f". After {leak.history} was published, {leak.transcript} has probability "
                f"{leak.probability} for {leak.value!r} and {leak.other_probability} for "
                f"{leak.other!r}"
            )
        if self.differs is not None:
            text += f". Another law than declared at (value, history, transcript) {self.differs}"
        if self.unresolved:
            text += f". Words did not suffice with probability {self.unresolved}"
        return text


def transcript_law(
    program: Program,
    value: Any,
    history: Sequence[Any],
    words_at: Callable[[int], Alphabet],
    horizon: int,
) -> TranscriptLaw:
    """The law of the transcript of `value`, by running the program on all words.

    Args:
        program: called afresh for every sequence of words; it must keep nothing between calls.
        value: private. history: what is published after each message; None after these.
        words_at: the words tried at each place that the program reads, from its index.
        horizon: the most words that are followed.

    Raises:
        LdpError: a second run on the same words differs, so something else is drawn from or kept;
            or there are too many runs or messages. What else the program raises is passed on.
    """
    masses: Counter[Transcript] = Counter()
    unresolved, whole, runs = Fraction(0), True, 0
    open_prefixes: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while open_prefixes:
        words, mass = open_prefixes.pop()
        runs += 1
        if runs > MOST_RUNS:
            raise LdpError("words_at", f"must leave no more than {MOST_RUNS} runs to enumerate")
        found = run_on(program, value, history, words)
        if found != run_on(program, value, history, words):
            raise _not_alone()
        if found is not None:
            masses[found] += mass  # type: ignore[assignment]  # a Counter of fractions
        elif len(words) == horizon:
            unresolved += mass
        else:
            alphabet = words_at(len(words))
            whole = whole and alphabet.whole
            open_prefixes += [((*words, word), mass * share) for word, share in alphabet.words]
    return TranscriptLaw({t: Fraction(p) for t, p in masses.items()}, unresolved, whole)


def check_transcripts(
    program: Program,
    values: Sequence[Any],
    published: Sequence[Sequence[Any]],
    bound: Fraction,
    words_at: Callable[[int], Alphabet],
    horizon: int,
    declared: Callable[[Any, tuple[Any, ...]], Mapping[Transcript, Fraction]] | None = None,
) -> TranscriptCheck:
    """Compare the program's exact law with the ledger, and with the declaration where it is given.

    Args:
        program: as in `transcript_law`.
        values: every value of the domain, two or more.
        published: the type of what is published after each message, as the list of its elements.
        bound: the ratio that the ledger allows, for the thresholds in use: e^eps exactly, >= 1.
        words_at, horizon: as in `transcript_law`.
        declared: (value, history) -> the law that is stated; not used if words did not suffice.

    Raises:
        ParameterError: fewer than two values, a type without elements, or a bound that is no
            fraction of at least 1.
        LdpError: as in `transcript_law`.
    """
    check_arguments(values, published, bound)
    laws: Laws = {
        history: [transcript_law(program, x, history, words_at, horizon) for x in values]
        for history in itertools.product(*published)
    }
    ended = not any(law.unresolved for of_values in laws.values() for law in of_values)
    differs = None if declared is None or not ended else _different(laws, values, declared)
    return judged(laws, values, bound, differs)


def judged(
    laws: Laws, values: Sequence[Any], bound: Fraction, differs: Differs | None
) -> TranscriptCheck:
    """Hold the laws of each history's values, in their order, to the bound."""
    every = [law for of_values in laws.values() for law in of_values]
    seen = {transcript for law in every for transcript in law.probabilities}
    unresolved = max(law.unresolved for law in every)
    whole = all(law.whole for law in every)
    leak, largest = _worst(laws, values)
    beyond = leak is not None and leak.probability > bound * (leak.other_probability + unresolved)
    if beyond or differs is not None:
        status = Status.REFUTED
    elif unresolved or seen == {(REFUSED,)}:
        status = Status.OPEN
    else:
        status = Status.ENUMERATED if whole else Status.ASSUMED
    return TranscriptCheck(
        status=status,
        bound=Fraction(bound),
        largest=largest,
        leak=leak if beyond else None,
        differs=differs,
        histories=len(laws),
        transcripts=len(seen),
        refusals=sum(transcript[-1:] == (REFUSED,) for transcript in seen),
        unresolved=unresolved,
    )


def check_arguments(
    values: Sequence[Any], published: Sequence[Sequence[Any]], bound: Fraction
) -> None:
    """Refuse what `check_transcripts` does."""
    if len(values) < 2:
        raise ParameterError("values", "must be two or more: a ratio compares them", len(values))
    if any(not len(elements) for elements in published):
        raise ParameterError("published", "must have an element in every type")
    if not isinstance(bound, Fraction | int) or isinstance(bound, bool) or bound < 1:
        raise ParameterError("bound", "must be a fraction of at least 1", bound)


class MoreWords(BaseException):
    """The words do not suffice: no error, so that clients do not catch it as one."""


class _Given:
    """A source of the given words, and no more."""

    def __init__(self, words: tuple[int, ...]) -> None:
        self._words = words
        self._next = 0
        self.short = False

    @property
    def left(self) -> int:
        """Return the number of words that were not read."""
        return len(self._words) - self._next

    @property
    def simulated(self) -> bool:
        """True."""
        return True

    def fill(self, out: NDArray[np.uint64]) -> None:
        """Overwrite `out` with the next words."""
        end = self._next + len(out)
        if end > len(self._words):
            self.short = True
            raise MoreWords
        out[...] = self._words[self._next : end]
        self._next = end

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words, as a new array."""
        import numpy as np

        out = np.empty(count, dtype=np.uint64)
        self.fill(out)
        return out


def run_on(
    program: Program, value: Any, history: Sequence[Any], words: tuple[int, ...]
) -> Transcript | None:
    """The transcript on these words; None where they do not suffice."""
    messages: list[Hashable] = []
    source = _Given(words)
    try:
        client = program(value, source)
        messages.append(next(client))
        while len(messages) <= MOST_MESSAGES:
            place = len(messages) - 1
            messages.append(client.send(history[place] if place < len(history) else None))
    except LdpError:
        messages.append(REFUSED)
    except (StopIteration, MoreWords):
        pass
    if len(messages) > MOST_MESSAGES:
        raise LdpError("program", f"must send no more than {MOST_MESSAGES} messages")
    if source.short:  # also where the client caught everything
        return None
    if source.left:  # with fewer words it asked for more
        raise _not_alone()
    return tuple(messages)


def _not_alone() -> LdpError:
    rule = "must draw from its source alone and keep nothing: two runs on the same words differ"
    return LdpError("program", rule)


def _worst(laws: Laws, values: Sequence[Any]) -> tuple[Leak | None, Fraction | None]:
    """The transcript of the largest ratio, and that ratio; None for an infinite one."""
    worst: Leak | None = None
    for history, of_values in laws.items():
        for (x, law), (other, against) in itertools.permutations(
            zip(values, of_values, strict=True), 2
        ):
            for transcript, p in law.probabilities.items():
                q = against.probabilities.get(transcript, Fraction(0))
                if (
                    worst is None
                    # p/q above the worst so far, without dividing by zero.
                    or p * worst.other_probability > worst.probability * q
                    or (q == worst.other_probability == 0 and p > worst.probability)
                ):
                    worst = Leak(x, other, history, transcript, p, q)
    if worst is None or not worst.other_probability:
        return worst, None
    return worst, worst.probability / worst.other_probability


def _different(
    laws: Laws,
    values: Sequence[Any],
    declared: Callable[[Any, tuple[Any, ...]], Mapping[Transcript, Fraction]],
) -> Differs | None:
    """Find a transcript whose law is not the declared one."""
    for history, of_values in laws.items():
        for x, law in zip(values, of_values, strict=True):
            wanted = declared(x, history)
            for transcript in dict.fromkeys((*law.probabilities, *wanted)):
                if law.probabilities.get(transcript, 0) != wanted.get(transcript, 0):
                    return x, history, transcript
    return None
