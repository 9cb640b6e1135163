"""The client of a memoised frequency oracle: permanent answers that are the same forever."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ldp_verified.aggregate.reports import Reports
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.kernels.seeds import word_source
from ldp_verified.protocols.keepsake import Keepsake, require_new_user
from ldp_verified.protocols.longitudinal import Choice, Longitudinal
from ldp_verified.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.realize.randomizer import Rng

Deployment = TypeVar("Deployment", bound=Longitudinal)


@dataclass(frozen=True)
class MemoReport:
    """What leaves the device.

    Attributes:
        reports: one report, which says what it was made with.
        choice: the client's public choice.
        number: of the report, from 1; for the server's `Registry`, where it knows its users.
    """

    reports: Reports
    choice: Choice
    number: int


class MemoClient(Generic[Deployment]):
    """One user's device.

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
        self.deployment = deployment
        self._source = word_source(rng, "device", *deployment.identity.named)
        self._kept = Keepsake.drawn(self._source)
        drawn = deployment.draw_choice(self._source) if choice is None else choice
        self.choice = deployment.check_choice(drawn)

    @property
    def reports(self) -> int:
        """How many reports have been made."""
        return self._kept.reports

    @property
    def answers(self) -> int:
        """How many permanent answers they were drawn from."""
        return self._kept.answers

    @property
    def epsilon_spent(self) -> float:
        """Realized epsilon of those permanent answers together.

        It bounds what is learnt of the values if it is known when they changed.
        """
        return self.answers * self.deployment.realized_permanent

    def _label(self, value: int) -> tuple[str, int]:
        try:
            checked = check_integer("value", value, 0, self.deployment.k - 1)
        except ParameterError:
            rule = f"must be an integer in 0..{self.deployment.k - 1}"
            raise DomainError("value", rule) from None
        memory = self.deployment.memory(checked, self.choice)
        return f"{','.join(map(str, self.choice))}:{memory}", memory

    def permanent(self, value: int) -> NDArray[Any]:
        """The permanent answer to a value: private, and never to be sent many times over.

        Raises:
            DomainError: no such value.
        """
        label, memory = self._label(value)
        return self.deployment.permanent(memory, self.choice, self._kept.words(label))

    def report(self, value: int) -> MemoReport:
        """One report, drawn from the permanent answer.

        Raises:
            DomainError: no such value.
        """
        answer = self.permanent(value)
        data = self.deployment.instantaneous(answer, self.choice, self._source)
        number = self._kept.note(self._label(value)[0])
        simulated = self._kept.simulated or bool(self._source.simulated)
        return MemoReport(Reports(data, self.deployment.identity, simulated), self.choice, number)

    def save(self) -> str:
        """The state as JSON text. It holds the secret: keep it on the device."""
        identity = self.deployment.identity
        return json.dumps(
            {
                "mechanism": identity.mechanism,
                "parameters": identity.parameters,
                "thresholds": identity.thresholds,
                "choice": self.choice,
                **self._kept.state(),
            }
        )

    @classmethod
    def restore(
        cls, text: str, deployment: Deployment, rng: Rng = None, *, seen: int = 0
    ) -> MemoClient[Deployment]:
        """The client that `save` wrote.

        Args:
            text: what it wrote.
            deployment: the one it was of.
            rng: as in the class.
            seen: how many reports are known to have been made, from a counter that is not restored
                together with the text (`CounterFile`, the server's `Registry`).

        Raises:
            ReportError: the text is no such state, or of another deployment.
            ReplayError: it is an older copy than `seen` says.
        """
        try:
            state: dict[str, Any] = json.loads(text)
            known = (state["mechanism"], state["parameters"], tuple(state["thresholds"]))
            choice = tuple(state["choice"])
        except (ValueError, KeyError, TypeError) as error:
            raise ReportError("text", f"is no saved client: {type(error).__name__}") from None
        mine = deployment.identity
        if known != (mine.mechanism, mine.parameters, mine.thresholds):
            raise ReportError("deployment", "is not the one that the client was saved with")
        kept = Keepsake.of_state(state, seen)
        source = word_source(rng, "device after reports", *mine.named, kept.reports)
        try:
            client = cls(deployment, new_user=True, choice=choice, rng=source)
        except ParameterError as error:
            raise ReportError("text", f"is no saved client: {error.argument}") from None
        client._kept = kept
        return client

    def __repr__(self) -> str:
        return f"<MemoClient of {type(self.deployment).__name__} after {self.reports} reports>"
