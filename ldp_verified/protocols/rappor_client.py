"""RAPPOR's client: a permanent response for each value that is the same forever, and reports of it.

The permanent response is not written down. It is drawn from words that depend on a 32-byte secret,
the cohort and the value (HMAC-SHA-256, AES-256-CTR): the same whenever the value comes again, and
independent uniform words to whoever lacks the secret, as far as these are pseudorandom functions.
So the state to be kept is the secret, which says nothing about any value, and restoring an old
state gives the same permanent responses. Losing it does not: a client that starts afresh draws new
ones, which is a second permanent response and costs a second `epsilon_permanent`.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.kernels.bernoulli import randomize_bits
from ldp_verified.kernels.keyed import SECRET_BYTES, KeyedWords
from ldp_verified.kernels.randomness import word_source
from ldp_verified.protocols.rappor import WIDTH, Rappor
from ldp_verified.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.realize.randomizer import Rng

_ONE = 1 << WIDTH


@dataclass(frozen=True, eq=False)
class RapporReport:
    """What leaves the device.

    Attributes:
        deployment: what the report was made with. cohort: public. bits: packed, uint64 (blocks,).
        simulated: whether anything was drawn from a seed, so that it protects nobody.
    """

    deployment: Rappor
    cohort: int
    bits: NDArray[np.uint64]
    simulated: bool


class RapporClient:
    """One user's device.

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
        if new_user is not True:
            rule = "must be True to start afresh: a user who has reported before is to be restored"
            raise ParameterError("new_user", rule, new_user)
        self.deployment = deployment
        self._source = word_source(rng)
        self._secret = self._source.words(SECRET_BYTES // 8).astype("<u8").tobytes()
        self._simulated = bool(self._source.simulated)
        if cohort is None:
            cohort = self._uniform(deployment.cohorts)
        self.cohort = check_integer("cohort", cohort, 0, deployment.cohorts - 1)
        self.reports = 0

    def _uniform(self, count: int) -> int:
        """A uniform number below `count`, by rejection."""
        limit = _ONE - _ONE % count
        while True:
            word = int(self._source.words(1)[0])
            if word < limit:
                return word % count

    def permanent(self, value: str) -> NDArray[np.uint64]:
        """The permanent response to a value, packed: private, and never to be sent many times over.

        Raises:
            DomainError: `value` is no string.
        """
        encoded = self.deployment.encoder.encode(value, self.cohort)[np.newaxis]
        label = f"{self.cohort}:{value}".encode("utf-8", "surrogatepass")
        words = KeyedWords(self._secret, label, simulated=self._simulated)
        lie = self.deployment.thresholds[0]
        drawn = randomize_bits(encoded, self.deployment.bits, _ONE - lie, lie, words, WIDTH)
        kept: NDArray[np.uint64] = drawn[0]
        return kept

    def report(self, value: str) -> RapporReport:
        """One report, drawn from the permanent response.

        Raises:
            DomainError: `value` is no string.
        """
        _, low, high = self.deployment.thresholds
        permanent = self.permanent(value)[np.newaxis]
        bits = randomize_bits(permanent, self.deployment.bits, high, low, self._source, WIDTH)[0]
        self.reports += 1
        simulated = self._simulated or bool(self._source.simulated)
        bits.flags.writeable = False
        return RapporReport(self.deployment, self.cohort, bits, simulated)

    def save(self) -> str:
        """The state as JSON text. It holds the secret: keep it on the device."""
        shape = asdict(self.deployment)
        del shape["encoder"]
        for name in ("noise", "low", "high"):
            shape[name] = str(Fraction(shape[name]))
        return json.dumps(
            {
                "rappor": shape,
                "secret": base64.b64encode(self._secret).decode(),
                "cohort": self.cohort,
                "reports": self.reports,
                "simulated": self._simulated,
            }
        )

    @classmethod
    def restore(cls, text: str, deployment: Rappor, rng: Rng = None) -> RapporClient:
        """The client that `save` wrote.

        Raises:
            ReportError: the text is no such state, or of another deployment.
        """
        try:
            state: dict[str, Any] = json.loads(text)
            shape = dict(state["rappor"])
            for name in ("noise", "low", "high"):
                shape[name] = Fraction(shape[name])
            saved = Rappor(**shape)
            secret = base64.b64decode(state["secret"], validate=True)
            cohort, count, simulated = state["cohort"], state["reports"], state["simulated"]
            sound = len(secret) == SECRET_BYTES and type(simulated) is bool and type(count) is int
        except (ValueError, KeyError, TypeError) as error:
            raise ReportError("text", f"is no saved client: {type(error).__name__}") from None
        if not sound or count < 0:
            raise ReportError("text", "is no saved client")
        same = saved.thresholds == deployment.thresholds and saved.encoder == deployment.encoder
        if not same:
            raise ReportError("deployment", "is not the one that the client was saved with")
        client = cls(deployment, new_user=True, cohort=cohort, rng=rng)
        client._secret, client._simulated, client.reports = secret, simulated, count
        return client

    def __repr__(self) -> str:
        return f"<RapporClient in cohort {self.cohort} after {self.reports} reports>"
