"""A shuffler of messages: the bytes of a deployment in, batches of the same bytes out.

It hides users by the format of a report (docs/wire-format.md). All reports of a deployment are
equally long and have the same head, and every field of the payload is drawn anew by its user, or is
the user's public group. What names its sender is refused: a number that is the user's own, or the
reports of a device that remembers. Users of one group hide among each other only, so each group is
a batch of its own. Of a batch that comes in, id and order are dropped.

Ulfar Erlingsson and others (2019), Amplification by Shuffling.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.analysis.central.shuffled import ShuffledMessages
from ldp_verified.analysis.central.shuffler import MOST, uniform_order
from ldp_verified.deploy import Deployment, wire
from ldp_verified.deploy.plane_format import OnPlane
from ldp_verified.deploy.protocol_formats import Grouped, Placed, SignFormat
from ldp_verified.errors import ParameterError, ReplayError, ReportError, check_kind
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from typing import Any

    from ldp_verified.run.realize.randomizer import Rng

_SENDER = "must have reports that name no sender"


def refuse_named(deployment: Deployment) -> None:
    """Refuse a deployment whose reports name their sender, or do not cost one epsilon.

    Args:
        deployment: whose messages are to be shuffled.

    Raises:
        ParameterError: it is one.
    """
    check_kind("deployment", deployment, Deployment)
    named = type(deployment.mechanism).__name__
    if deployment.format.device is not None:
        rule = f"{_SENDER}: devices of this one remember, so their reports belong together"
        raise ParameterError("deployment", rule, named)
    if isinstance(deployment.format, SignFormat | Placed):
        rule = f"{_SENDER}: here each holds a public number that is its user's own"
        raise ParameterError("deployment", rule, named)
    if hasattr(deployment.mechanism, "delta"):
        raise ParameterError("deployment", "must have reports that cost no delta", named)
    if isinstance(deployment.format, OnPlane):
        rule = "must have reports of one epsilon, not of one for each step"
        raise ParameterError("deployment", rule, named)


class MessageShuffler:
    """Hold messages until there are enough, and give them out in a random order.

    Args:
        deployment: whose messages.
        least: a batch has at least so many reports, 2 or more, all of one public group.
        most: so many are held at most, which bounds the memory.
        rng: of the order. None for the secure source; a seed or a generator is for simulation.

    Raises:
        ParameterError: a deployment whose reports name their sender or do not cost one epsilon, or
            `least` and `most` out of range.
    """

    def __init__(
        self, deployment: Deployment, least: int, most: int = 1 << 20, rng: Rng = None
    ) -> None:
        refuse_named(deployment)
        self.deployment = deployment
        self.most = check_integer("most", most, 2, MOST)
        self.least = check_integer("least", least, 2, self.most)
        self._source = word_source(rng, "shuffle messages", deployment.tag)
        self._rows: wire.Octets = np.empty((self.most, deployment.payload_bytes), np.uint8)
        self._groups = np.zeros(self.most, np.uint8)
        self._held = 0
        self._simulated = False
        self._seen: set[bytes] = set()

    @property
    def held(self) -> int:
        """The number of reports that wait."""
        return self._held

    @property
    def in_groups(self) -> bool:
        """Return whether each report says the public group of its user."""
        shown = self.deployment.format
        return isinstance(shown, Grouped) and shown.made.in_group

    def add(self, data: bytes | str) -> int:
        """Take a report or a batch, all of it or nothing; its id and order are not kept.

        Args:
            data: bytes of either form, or JSON, as `Collector.add` takes them.

        Returns:
            Return the number of reports that were taken.

        Raises:
            ReportError: malformed, damaged, foreign, simulated among real ones, or more than there
                is room for.
            ReplayError: this batch was taken before. Single reports have no id: that each user
                sends one is for whoever knows the users to see to.
        """
        return self._take(*self.deployment.read(data))

    def add_rows(self, rows: wire.Octets) -> int:
        """Take many single reports at once, all of them or none.

        Args:
            rows: uint8 (n, bytes of a report), n > 0, as `Deployment.to_rows` gives them.

        Returns:
            Return n.

        Raises:
            ReportError: as in `add`, of any row.
        """
        return self._take(*self.deployment.of_rows(rows))

    def _take(self, reports: Any, batch: wire.WireBatch) -> int:
        count = len(batch.payload)
        if count > self.most - self._held:
            rule = f"must be at most {self.most - self._held}: release a batch first"
            raise ReportError("reports", rule, count)
        if self._held and batch.simulated != self._simulated:
            raise ReportError("reports", "must all be simulated, or all real", batch.simulated)
        if batch.id in self._seen:
            raise ReplayError("batch", "was taken already", batch.id.hex())
        if batch.id:
            if len(self._seen) == self.most:
                rule = f"must be among the first {self.most} of a shuffler: make a new one"
                raise ReportError("batch", rule)
            self._seen.add(batch.id)
        places = slice(self._held, self._held + count)
        self._rows[places] = batch.payload
        if self.in_groups:
            self._groups[places] = reports.groups[:: self.deployment.mechanism.reports_per_user]
        self._simulated = batch.simulated
        self._held += count
        return count

    def release(self) -> tuple[ShuffledMessages, ...]:
        """Give out each group that has enough reports, in a random order; hold the others.

        Returns:
            A batch for each of these groups, by number; one in all where there are no groups.

        Raises:
            ReportError: no group has as many reports as a batch; they stay where they are.
        """
        sizes = np.bincount(self._groups[: self._held])
        enough = np.flatnonzero(sizes >= self.least)
        if not len(enough):
            most = int(sizes.max()) if len(sizes) else 0
            raise ReportError("batch", f"must have at least {self.least} reports", most)
        order = uniform_order(self._held, self._source)
        rows, groups = self._rows[order], self._groups[order]
        found = tuple(self._batch(rows[groups == each], int(each)) for each in enough)
        kept = ~np.isin(groups, enough)
        self._rows[: self._held] = 0
        self._held = int(kept.sum())
        self._rows[: self._held], self._groups[: self._held] = rows[kept], groups[kept]
        self._groups[self._held :] = 0
        return found

    def _batch(self, rows: wire.Octets, group: int) -> ShuffledMessages:
        simulated = self._simulated or bool(self._source.simulated)
        batch = wire.WireBatch(rows, simulated, secrets.token_bytes(wire.ID_BYTES))
        return ShuffledMessages(
            wire.write_batch(batch, self.deployment.digest),
            len(rows),
            group if self.in_groups else None,
            self.deployment.mechanism.realized_epsilon,
        )
