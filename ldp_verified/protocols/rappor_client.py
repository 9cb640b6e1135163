"""RAPPOR's client: a permanent response for each value that is the same forever, and reports of it.

The permanent response is not written down but drawn from a secret, the cohort and the value
(`Keepsake`), so restoring an old state gives the same permanent responses. Losing it does not: a
client that starts afresh draws new ones, which is a second permanent response and costs a second
`epsilon_permanent`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols.keepsake import MOST_HELD, Keepsake, require_new_user
from ldp_verified.protocols.rappor import WIDTH, Rappor
from ldp_verified.protocols.rappor_report import RapporReport
from ldp_verified.protocols.uniform import uniform_below
from ldp_verified.run.aggregate.sealed import seal, unseal
from ldp_verified.run.kernels.bernoulli import randomize_bits
from ldp_verified.run.kernels.compiled import has_compiler
from ldp_verified.run.kernels.permanent_bits import permanent_blocks
from ldp_verified.run.kernels.randomness import SecureWords
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.drawn_ahead import bits_report
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Answering = Callable[["NDArray[np.uint64]"], "NDArray[np.uint64]"]

    from ldp_verified.run.realize.randomizer import Rng

_ONE = 1 << WIDTH


class RapporClient:
    """One user's device.

    It holds the permanent responses that it reported on last, as a `MemoClient` does.

    Args:
        deployment: the parameters.
        new_user: must be True to start without a saved state; to go on from one, use `restore`.
        cohort: one of the deployment's; drawn uniformly, without looking at any value, by default.
        rng: None for the secure source; a seed or a numpy Generator is for simulation.

    Raises:
        ParameterError: `new_user` is not True, no such cohort, or a bad `rng`.
    """

    def __init__(
        self, deployment: Rappor, *, new_user: bool, cohort: int | None = None, rng: Rng = None
    ) -> None:
        require_new_user(new_user)
        _made_with(deployment)
        self.deployment = deployment
        self._source = word_source(rng, "device", *deployment.named)
        self._kept = Keepsake.drawn(self._source)
        if cohort is None:
            cohort = uniform_below(deployment.cohorts, self._source)
        self.cohort = check_integer("cohort", cohort, 0, deployment.cohorts - 1)
        self._held: dict[str, tuple[str, NDArray[np.uint64]]] = {}
        self._answering: Answering | None = None

    @property
    def reports(self) -> int:
        """Return how many reports have been made."""
        return self._kept.reports

    @property
    def answers(self) -> int:
        """Return how many permanent responses the reports were drawn from."""
        return self._kept.answers

    @property
    def epsilon_spent(self) -> float:
        """Realized epsilon of all permanent responses together.

        It bounds what is learnt of the values if it is known when they changed.
        """
        return self.answers * self.deployment.epsilon_permanent

    def _label(self, value: str) -> str:
        return f"{self.cohort}:{value}"

    def permanent(self, value: str) -> NDArray[np.uint64]:
        """The permanent response to a value, packed: private, and never to be sent many times over.

        Raises:
            DomainError: `value` is no string.
        """
        # Refuses what is no string.
        encoded = self.deployment.encoder.encode(value, self.cohort)[np.newaxis]
        words = self._kept.words(self._label(value))
        lie = self.deployment.thresholds[0]
        bits = self.deployment.bits
        drawn = randomize_bits(encoded, bits, _ONE - lie, lie, words, WIDTH, permanent_blocks)
        kept: NDArray[np.uint64] = drawn[0]
        return kept

    def report(self, value: str) -> RapporReport:
        """One report, drawn from the permanent response.

        Args:
            value: the user's own.

        Raises:
            DomainError: `value` is no string.
        """
        held = self._held.get(value) if type(value) is str else None
        tag, permanent = self._hold(value) if held is None else held
        answering = self._answering
        bits = (self._draws() if answering is None else answering)(permanent)[0]
        number = self._kept.note(tag)
        simulated = self._kept.simulated or bool(self._source.simulated)
        bits.flags.writeable = False
        return RapporReport(self.deployment, self.cohort, bits, simulated, number)

    def _hold(self, value: str) -> tuple[str, NDArray[np.uint64]]:
        """Draw a permanent response and hold it, for the reports to come of this object."""
        permanent = self.permanent(value)[np.newaxis]
        if len(self._held) >= MOST_HELD:
            self._held.clear()
        held = self._held[value] = self._kept.tag(self._label(value)), permanent
        return held

    def _draws(self) -> Answering:
        """Set up and return the function that draws a report from a permanent response."""
        source, bits, (_, low, high) = (
            self._source,
            self.deployment.bits,
            self.deployment.thresholds,
        )
        if isinstance(source, SecureWords) and has_compiler():
            self._answering = bits_report(bits, high, low)
        else:
            self._answering = lambda kept: randomize_bits(kept, bits, high, low, source, WIDTH)
        return self._answering

    def __getstate__(self) -> dict[str, Any]:
        # A copy draws with its own source.
        return {**self.__dict__, "_answering": None}

    def save(self) -> str:
        """The state as text with a checksum (`run.aggregate.sealed`).

        It holds the secret: keep it on the device.
        """
        made_with = {"rappor": _made_with(self.deployment), "cohort": self.cohort}
        return seal("RAPPOR client", {**made_with, **self._kept.state()})

    @classmethod
    def restore(
        cls,
        text: str | bytes,
        deployment: Rappor,
        rng: Rng = None,
        *,
        seen: int = 0,
        unsealed: bool = False,
    ) -> RapporClient:
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
        state = unseal("RAPPOR client", text, unsealed=unsealed)
        made_with, cohort = state.get("rappor"), state.get("cohort")
        if not isinstance(made_with, dict):
            raise ReportError("text", "is no saved client")
        if made_with not in (_made_with(deployment), _made_with_unsealed(deployment)):
            raise ReportError("deployment", "is not the one that the client was saved with")
        kept = Keepsake.of_state(state, seen)
        if type(cohort) is not int or not 0 <= cohort < deployment.cohorts:
            raise ReportError("text", "is no saved client: cohort")
        source = word_source(rng, "device after reports", *deployment.named, kept.reports)
        client = cls(deployment, new_user=True, cohort=cohort, rng=source)
        client._kept = kept
        return client

    def __repr__(self) -> str:
        return f"<RapporClient in cohort {self.cohort} after {self.reports} reports>"


def _made_with(deployment: Rappor) -> dict[str, Any]:
    """Return the values of the deployment that reports depend on, as JSON for a saved client."""
    if not isinstance(deployment, Rappor):
        raise ParameterError("deployment", "must be a Rappor", type(deployment))
    encoder = deployment.encoder
    sizes = {"bits": encoder.bits, "hashes": encoder.hashes, "cohorts": encoder.cohorts}
    return {"thresholds": list(deployment.thresholds), **sizes}


def _made_with_unsealed(deployment: Rappor) -> dict[str, Any]:
    """The description of a deployment as version 0.1.0 wrote it."""
    shares = {name: str(Fraction(getattr(deployment, name))) for name in ("noise", "low", "high")}
    sizes = {name: getattr(deployment, name) for name in ("bits", "hashes", "cohorts")}
    return shares | sizes
