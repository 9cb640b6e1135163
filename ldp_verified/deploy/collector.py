"""The server's side of a deployment: bytes in, counts and estimates out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldp_verified.aggregate.shared import Turns
from ldp_verified.errors import ParameterError, ReplayError, ReportError, check_kind

if TYPE_CHECKING:
    from ldp_verified.deploy.deployment import Deployment

REPEATED = ("refuse", "ignore")


class Collector:
    """What has been received so far. Threads may share one: every report is counted, once.

    Args:
        deployment: whose reports are counted.
        simulated: whether simulated ones are; they are refused otherwise.
    """

    def __init__(self, deployment: Deployment, *, simulated: bool = False) -> None:
        check_kind("simulated", simulated, bool)
        self.deployment = deployment
        self.simulated = simulated
        self._state = deployment.format.empty()
        self._batches: set[bytes] = set()
        self._n = 0
        self._turns = Turns()

    @property
    def n(self) -> int:
        """How many reports were counted."""
        return self._n

    @property
    def state(self) -> Any:
        """The state of the mechanism; a tuple of them where each attribute has one."""
        return self._state

    @property
    def batches(self) -> frozenset[bytes]:
        """The ids of the batches that were counted."""
        with self._turns.taken():
            return frozenset(self._batches)

    def add(self, data: bytes | str, repeated: str = "refuse") -> int:
        """Count a report, or a batch: all of it or nothing.

        Args:
            data: what a client sent: bytes of either form, or JSON.
            repeated: what happens to a batch whose id was counted already: "refuse" raises,
                "ignore" counts nothing. Single reports have no id.

        Returns:
            How many reports were counted.

        Raises:
            ReportError: malformed, damaged, foreign, or simulated where that was not asked for.
            ReplayError: the batch was counted already.
            ParameterError: `repeated` is something else.
        """
        if repeated not in REPEATED:
            raise ParameterError("repeated", f"must be one of {', '.join(REPEATED)}", repeated)
        reports, batch = self.deployment.read(data)
        if batch.simulated and not self.simulated:
            rule = "are simulated and protect nobody: they are counted with simulated=True only"
            raise ReportError("reports", rule)
        with self._turns.taken():
            if batch.id in self._batches:
                if repeated == "refuse":
                    raise ReplayError("batch", "was counted already", batch.id.hex())
                return 0
            self._state = self.deployment.format.counted(self._state, reports)
            if batch.id:
                self._batches.add(batch.id)
            self._n += len(batch.payload)
        return len(batch.payload)

    def estimate(self) -> Any:
        """The state's estimate; a tuple of them where each attribute has one.

        Raises:
            ParameterError: this kind of state has other methods: see `state`.
        """
        if isinstance(self._state, tuple):
            return tuple(each.estimate() for each in self._state)
        if not hasattr(self._state, "estimate"):
            raise ParameterError("state", "has no estimate of its own", type(self._state))
        return self._state.estimate()
