"""The client of a memoised frequency oracle: permanent answers that are the same forever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols.keepsake import MOST_HELD, Keepsake, require_new_user
from ldp_verified.protocols.longitudinal import Choice, Longitudinal, choice_said
from ldp_verified.run.aggregate.reports import Reports, SentAlone, drawn_reports
from ldp_verified.run.aggregate.sealed import seal, unseal
from ldp_verified.run.kernels.randomness import SecureWords
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from collections.abc import Callable

    Answering = Callable[["NDArray[Any]"], "NDArray[Any]"]

    from numpy.typing import NDArray

    from ldp_verified.run.realize.randomizer import Rng

Deployment = TypeVar("Deployment", bound=Longitudinal)


@dataclass(frozen=True)
class MemoReport(SentAlone):
    """The report that leaves the device.

    Attributes:
        reports: one report, which says what it was made with.
        choice: the client's public choice.
        number: of the report, from 1; for the server's `Registry`, where it knows its users.

    Raises:
        ReportError: it is not one report, or says another choice than `choice`.
    """

    reports: Reports
    choice: Choice
    number: int

    def __post_init__(self) -> None:
        """Hold the choice to what the report says."""
        check_said(self.reports, self.choice)


def check_said(reports: object, choice: object) -> None:
    """Refuse a choice that is not the one in the report's own data.

    Raises:
        ReportError: it is another one, or these are no reports, or not one report.
    """
    if not isinstance(reports, Reports):
        raise ReportError("reports", "must be Reports", type(reports))
    if not isinstance(choice, tuple) or not all(type(each) is int for each in choice):
        raise ReportError("choice", "must be a tuple of integers", type(choice))
    said = choice_said(reports)
    if said is not None and choice != said:
        raise ReportError("choice", f"must be the one in the report's own data, {said}", choice)


def _sent(reports: Reports, choice: Choice, number: int) -> MemoReport:
    """A report of the choice that it was drawn with."""
    made = object.__new__(MemoReport)
    made.__dict__.update(reports=reports, choice=choice, number=number)
    return made


class MemoClient(Generic[Deployment]):
    """One user's device.

    It holds the permanent answers that it reported on last, so the first report on one takes longer
    than the next. Who can time reports sees when the value goes to another permanent answer, which
    `epsilon_spent` takes to be known.

    Args:
        deployment: what it agrees on with the server.
        new_user: must be True to start without a saved state; to go on from one, use `restore`.
        choice: the public choice; drawn uniformly, without looking at any value, by default.
        rng: None for the secure source; a seed or a numpy Generator is for simulation.

    Raises:
        ParameterError: `new_user` is not True, no such choice, or a bad `rng`.
    """

    def __init__(
        self,
        deployment: Deployment,
        *,
        new_user: bool,
        choice: Choice | None = None,
        rng: Rng = None,
    ) -> None:
        require_new_user(new_user)
        _made_with(deployment)
        self.deployment = deployment
        self._source = word_source(rng, "device", *deployment.identity.named)
        self._kept = Keepsake.drawn(self._source)
        drawn = deployment.draw_choice(self._source) if choice is None else choice
        self.choice = deployment.check_choice(drawn)
        self._held: dict[int, tuple[str, NDArray[Any]]] = {}
        self._answering: Answering | None = None

    def _draws(self) -> Answering:
        """Set up and return the function that draws a report from a permanent answer."""
        source, choice = self._source, self.choice
        if isinstance(source, SecureWords):
            self._answering = self.deployment.answering(choice)
        else:
            self._answering = lambda a: self.deployment.instantaneous(a, choice, source)
        return self._answering

    def __getstate__(self) -> dict[str, Any]:
        # A copy draws with its own source.
        return {**self.__dict__, "_answering": None}

    @property
    def reports(self) -> int:
        """Return how many reports have been made."""
        return self._kept.reports

    @property
    def answers(self) -> int:
        """Return how many permanent answers the reports were drawn from."""
        return self._kept.answers

    @property
    def epsilon_spent(self) -> float:
        """Realized epsilon of all permanent answers together.

        It bounds what is learnt of the values if it is known when they changed.
        """
        return self.answers * self.deployment.realized_permanent

    def _memory(self, value: int | str) -> tuple[str, int]:
        """The permanent answer that stands for a value: its label and its number."""
        memory = self.deployment.memory(self.deployment.value(value), self.choice)
        return f"{','.join(map(str, self.choice))}:{memory}", memory

    def permanent(self, value: int | str) -> NDArray[Any]:
        """The permanent answer to a value: private, and never to be sent many times over.

        Args:
            value: an integer 0..k-1, or a label where the deployment has `categories`.

        Raises:
            DomainError: no such value.
        """
        label, memory = self._memory(value)
        return self.deployment.permanent(memory, self.choice, self._kept.words(label))

    def report(self, value: int | str) -> MemoReport:
        """One report, drawn from the permanent answer.

        Args:
            value: as in `permanent`.

        Raises:
            DomainError: no such value.
        """
        deployment, kept = self.deployment, self._kept
        memory = deployment.memory(deployment.value(value), self.choice)
        held = self._held.get(memory)
        if held is None:
            held = self._hold(value)
        tag, answer = held
        answering = self._answering
        data = (self._draws() if answering is None else answering)(answer)
        simulated = kept.simulated or bool(self._source.simulated)
        reports = drawn_reports(data, deployment.identity, simulated)
        return _sent(reports, self.choice, kept.note(tag))

    def _hold(self, value: int | str) -> tuple[str, NDArray[Any]]:
        """Draw a permanent answer and hold it, for the reports to come of this object."""
        label, memory = self._memory(value)
        if len(self._held) >= MOST_HELD:
            self._held.clear()
        held = self._held[memory] = self._kept.tag(label), self.permanent(value)
        return held

    def save(self) -> str:
        """The state as text with a checksum (`run.aggregate.sealed`).

        It holds the secret: keep it on the device.
        """
        made_with = _made_with(self.deployment)
        return seal("client", {**made_with, "choice": list(self.choice), **self._kept.state()})

    @classmethod
    def restore(
        cls,
        text: str | bytes,
        deployment: Deployment,
        rng: Rng = None,
        *,
        seen: int = 0,
        unsealed: bool = False,
    ) -> MemoClient[Deployment]:
        """The client that `save` wrote.

        Args:
            text: what it wrote.
            deployment: the one it was of.
            rng: as in the class.
            seen: how many reports are known to have been made, from a counter that is not restored
                together with the text (`CounterFile`, the server's `Registry`).
            unsealed: whether to take what version 0.1.0 saved, too: nothing shows if that was
                damaged, and damage may cost another epsilon_permanent.

        Raises:
            ParameterError: an argument other than the text is none.
            ReportError: the text is no such state, damaged, or of another deployment.
            ReplayError: it is an older copy than `seen` says.
        """
        state = unseal("client", text, unsealed=unsealed)
        made_with = _made_with(deployment)
        if any(state.get(name) != value for name, value in made_with.items()):
            rule = "is not the one that the client was saved with"
            known = set(made_with) <= set(state)
            raise ReportError(*(("deployment", rule) if known else ("text", "is no saved client")))
        kept = Keepsake.of_state(state, seen)
        named = deployment.identity.named
        source = word_source(rng, "device after reports", *named, kept.reports)
        choice = state.get("choice")
        try:
            chosen = deployment.check_choice(tuple(choice) if isinstance(choice, list) else None)
        except ParameterError as error:
            raise ReportError("text", f"is no saved client: {error.argument}") from None
        client = cls(deployment, new_user=True, choice=chosen, rng=source)
        client._kept = kept
        return client

    def __repr__(self) -> str:
        return f"<MemoClient of {type(self.deployment).__name__} after {self.reports} reports>"


def _made_with(deployment: Longitudinal) -> dict[str, Any]:
    """Return a saved client's description of its deployment, as JSON values."""
    if not isinstance(deployment, Longitudinal):
        raise ParameterError("deployment", "must be one of these protocols", type(deployment))
    identity = deployment.identity
    return {
        "mechanism": identity.mechanism,
        "parameters": identity.parameters,
        "thresholds": list(identity.thresholds),
    }
