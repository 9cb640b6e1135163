"""A mean that is asked for again only when users vote that it has changed.

Days come in epochs. At the end of each epoch a user compares the mean of their own bits with the
mean that was published last, and sends a vote: randomized response on "it is elsewhere". Only
`votes` of a user's votes may be yes; afterwards all are no. If more votes come than noise explains,
the server asks for the mean. Every user sends randomized response on a bit that is 1 with the
chance of their own mean, and the server publishes the average. It asks `updates` times at most.

What one user's whole transcript costs: when the server asks depends on what is published, so two
values are asked together, and `updates` answers cost b each. Two values vote differently in at most
2 `votes` epochs, at a each; elsewhere both vote no. So it is 2 votes a + updates b, whatever the
server publishes, true or made up, and however many epochs there are.
`tests/protocols/test_voting.py` enumerates the running client over all its coins and all that may
be published, for tiny sizes.

What is published is right in the epochs that are asked. A mean that moves by less than `margin`, or
for a few users only, may find no votes enough, and then the published mean is out of date.

Matthew Joseph, Aaron Roth, Jonathan Ullman, Bo Waggoner (2018), Local Differential Privacy for
Evolving Data. This is the protocol for bits. A single margin stands for the paper's scale of them,
the threshold of votes is by Hoeffding's inequality, and the budget is the enumerated one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols.message_counts import told_messages, wrapped_messages
from ldp_verified.protocols.second_step import epsilon_of
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.protocols.voting_state import VotingState
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.mechanisms import BinaryRR
from ldp_verified.run.program.days import vote_values, votes_and_answers
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.values import integer_rows
from ldp_verified.scalars import is_number, nearest_float

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng

    Integers = NDArray[np.int64]

MOST_EPOCHS = 1 << 16
MOST_ANSWERS = 64
MOST_DAYS = 1 << 20


@dataclass(frozen=True)
class VotedMean:
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's whole transcript of all epochs, a number > 0.
        epochs: how many there are. days: bits of a user in an epoch.
        updates: how often the mean may be asked for, 1..64.
        votes: how many of a user's votes may be yes, 1..64.
        margin: a user votes yes if their own mean is farther than this from the published one.
        vote_share: the share of epsilon that votes may cost, between 0 and 1.
        false_alarm: the chance, over all epochs, that the mean is asked for where nobody votes yes.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    epochs: int
    days: int = 1
    updates: int = 1
    votes: int = 1
    margin: float = 0.5
    vote_share: float = 0.5
    false_alarm: float = 0.01

    law_sha256: ClassVar[str] = "767f6c593a27f23ee86c049c51e0781de5924e7fa77b6f9f86ee949e1100ea2d"
    """The hash of the law of each randomized response.

    The name and the sizes tell the protocol apart.
    """

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        for name, most in (
            ("epochs", MOST_EPOCHS),
            ("days", MOST_DAYS),
            ("updates", MOST_ANSWERS),
            ("votes", MOST_ANSWERS),
        ):
            object.__setattr__(self, name, check_integer(name, getattr(self, name), 1, most))
        for name in ("margin", "vote_share", "false_alarm"):
            value = getattr(self, name)
            check_level(value, name)
            object.__setattr__(self, name, float(value))
        self.realized_epsilon  # noqa: B018  (what cannot be realized is refused here)

    @property
    def apart(self) -> int:
        """The number of epochs in which two values may vote differently."""
        return min(2 * self.votes, self.epochs)

    @cached_property
    def vote(self) -> BinaryRR:
        """The randomized response of one vote."""
        return BinaryRR(_below(self.epsilon * self.vote_share / self.apart))

    @cached_property
    def answer(self) -> BinaryRR:
        """The randomized response of one answer to the server's question."""
        asked = min(self.updates, self.epochs)
        return BinaryRR(_below(self.epsilon * (1 - self.vote_share) / asked))

    @cached_property
    def realized_epsilon(self) -> float:
        """Realized epsilon of one user's whole transcript, rounded up."""
        vote, answer = self.vote, self.answer
        asked = min(self.updates, self.epochs)
        return epsilon_of((vote.p / vote.q) ** self.apart * (answer.p / answer.q) ** asked)

    def influence(self) -> Influence:
        """Return what one answer, honest or not, can add to the sum of the users' means: attained.

        It is of an epoch in which the mean is asked for. Votes only decide when that is.
        """
        p, q = self.answer.p, self.answer.q
        return Influence(-q / (p - q), (1 - q) / (p - q))

    @property
    def codes(self) -> int:
        """The number of messages: no and yes of each epoch, then 0 and 1 of each."""
        return 4 * self.epochs

    @property
    def bits_per_report(self) -> int:
        """Bits that one message needs."""
        return (self.codes - 1).bit_length()

    @cached_property
    def identity(self) -> Identity:
        """Return the identity that reports must carry to be counted."""
        items = {name: getattr(self, name) for name in self.__dataclass_fields__}
        thresholds = (*self.vote.thresholds, *self.answer.thresholds)
        return Identity("VotedMean", tuple(sorted(items.items())), self.law_sha256, thresholds)

    def differs(self, ones: Integers, published: float) -> NDArray[np.bool_]:
        """Return whether users' own means are farther than the margin from the published one.

        Args:
            ones: how many of each user's bits of the epoch are 1. published: the mean; nan before
                there is one, when nobody has to vote: the server asks anyway.
        """
        return np.asarray(np.abs(ones / self.days - published) > self.margin)

    def near(self, published: float) -> tuple[int, int]:
        """First and end of the numbers of ones that do not differ: first <= ones < end.

        The server publishes these two integers beside the mean, for clients in other languages.

        Args:
            published: as for `differs`.

        Raises:
            ParameterError: it is no number.
        """
        if not is_number(published):
            raise ParameterError("published", "must be a number", type(published))
        mean = nearest_float(published)
        same = np.flatnonzero(~self.differs(np.arange(self.days + 1), mean))
        return (int(same[0]), int(same[-1]) + 1) if len(same) else (0, 0)

    @property
    def program_value(self) -> str:
        """Say what the value of a client in another language is, and what its report."""
        _, ends, ones, question = vote_values(self.days)
        return (
            f"A value is one integer: for a vote (first * {ends} + end) * {ones} + ones, with the "
            "number of the user's own bits of the epoch that are 1, and the two numbers that the "
            f"server publishes beside the mean; {question} for the answer to its question. A "
            "report is a message plus 1, or 0 where there is none to send."
        )

    def program(self) -> Program:
        """The program of a client in another language: a report is a vote, or an answer.

        It keeps what `VotingClient` keeps. A program reads no floating-point number, so it does not
        see the published mean, but the two integers of `near`, which are as public. They are part
        of the value, so that one client serves all epochs, and is known before the first mean is;
        with programs for each mean, as `PrefixRound.program` gives them for each round, there would
        be a client for each epoch. `reports_of` reads its numbers.
        """
        lies = (self.vote.thresholds[0], self.answer.thresholds[0])
        limits = (self.votes, self.updates)
        return votes_and_answers("voted_mean", self.epochs, self.days, limits, lies)

    def reports_of(self, numbers: object, simulated: bool = False) -> Reports:
        """The messages that programs gave as numbers.

        Args:
            numbers: integers, shape (n, 1): a row for each report of each user. simulated: whether
                they are simulated, and protect nobody.

        Raises:
            ReportError: these are no such numbers. ParameterError: `simulated` is no bool.
        """
        return told_messages(self, numbers, (range(self.codes),), simulated)

    def voted(self, epoch: int, yes: NDArray[np.bool_], source: WordSource) -> Integers:
        """The messages of users who would vote so."""
        drawn = self.vote.sampler().draw(yes.astype(np.int64), source)
        return np.asarray(2 * epoch + drawn.astype(np.int64))

    def answered(self, epoch: int, ones: Integers, source: WordSource) -> Integers:
        """The messages of users with so many bits 1 in the epoch."""
        several = self.days > 1  # of one bit nothing is drawn
        bits = (uniform_numbers(len(ones), self.days, source) if several else 0) < ones
        drawn = self.answer.sampler().draw(bits.astype(np.int64), source)
        return np.asarray(2 * (self.epochs + epoch) + drawn.astype(np.int64))

    def reports(self, data: object, *, simulated: bool) -> Reports:
        """Wrap an array of messages that came from somewhere else.

        Args:
            data: integers, one axis. simulated: whether they are simulated, and protect nobody.

        Raises:
            ReportError: these are no messages of this protocol. ParameterError: `simulated` is no
                bool.
        """
        return wrapped_messages(self, data, simulated)

    def empty(self, simulated: bool = False) -> VotingState:
        """The state that has seen nothing.

        Args:
            simulated: whether it counts simulated messages, which protect nobody, or real ones.
        """
        return VotingState(self, (0,) * self.codes, simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> VotingState:
        """A state of this protocol that `VotingState.save` wrote: see `Saved.load`."""
        return VotingState.load(path, self, implausible=implausible)

    def simulate(self, ones: Any, rng: Rng = None) -> VotingState:
        """The server's state after all epochs of many users, for experiments.

        Args:
            ones: how many of the bits of each epoch are 1, integers 0..days, shape (users, epochs).
            rng: a seed or a numpy Generator; None for the secure source. The state is marked as
                simulated in any case.

        Raises:
            DomainError: another shape, or other numbers; nothing is drawn then.
        """
        given = integer_rows(ones, self.epochs, "ones")
        if given.size and not ((given >= 0) & (given <= self.days)).all():
            raise DomainError("ones", f"must be in 0..{self.days}")
        source = word_source(rng, "population", *self.identity.named)
        left = np.full(len(given), self.votes)
        state = self.empty(simulated=True)
        for epoch in range(self.epochs):
            own = given[:, epoch].astype(np.int64)
            yes = self.differs(own, state.published(epoch)) & (left > 0)
            left -= yes
            state = state.update(self.reports(self.voted(epoch, yes, source), simulated=True))
            if state.wanted(epoch):
                state = state.ask(epoch).update(
                    self.reports(self.answered(epoch, own, source), simulated=True)
                )
        return state


def _below(value: float) -> float:
    """A little less than a price, so that several together do not cost more than the budget."""
    return value * (1 - 2.0**-40) if math.isfinite(value) else value
