"""The users' side of a deployment: values in, bytes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ldp_verified.deploy.device_formats import Messages
from ldp_verified.deploy.plane_format import OnPlane
from ldp_verified.deploy.protocol_formats import Grouped, Placed, SignFormat
from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.one_report import OnceClient
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.protocols.sphere_vector import SphereVector
from ldp_verified.run.aggregate.shared import Turns
from ldp_verified.run.realize.programmed import Programmed

if TYPE_CHECKING:
    from ldp_verified.deploy.deployment import Deployment
    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.realize.randomizer import Rng

_PUBLIC: Final[dict[type, dict[str, str]]] = {
    Grouped: {"group": ""},
    SignFormat: {"number": "it is public, and every user's own"},
    Placed: {
        "number": "it is public, and every user's own",
        "region": "it is public, and the user's choice",
        "epsilon": "it is public, and the user's choice",
    },
}
"""Public arguments that a protocol's client has, and why they must be given."""

Once = OnceClient[Any, Any]


class Client:
    """A client without memory: every report of a mechanism is drawn anew.

    In a protocol with clients of its own (`PrefixExtending`, `SignMatrix`, `PaddedResponse`, ...) a
    user reports once: a second report is refused.

    Args:
        deployment: whose.
        book: of the user, which each report is charged to before it is drawn.
        more: of a protocol's client: `group` of `GroupClient`, `number` of `SignClient`, or
            `number`, `region` and `epsilon` of `SafeRegionClient`.

    Raises:
        ParameterError: devices of this deployment remember: see `Deployment.device`; or there is a
            book and the mechanism's price has a delta or is one for each step of a grid; or `more`
            has what no client takes.
    """

    def __init__(
        self, deployment: Deployment, book: SpendingBook | None = None, **more: Any
    ) -> None:
        if deployment.format.device is not None:
            rule = "has devices that remember: make one with Deployment.device"
            raise ParameterError("deployment", rule, type(deployment.mechanism))
        if book is not None:
            check_kind("book", book, SpendingBook)
            if hasattr(deployment.mechanism, "delta"):
                raise ParameterError("book", "must be left out where a report costs a delta, too")
            if isinstance(deployment.format, OnPlane):
                rule = "must be left out where a report costs an epsilon for each step"
                raise ParameterError("book", rule, type(deployment.mechanism))
        self.deployment, self.book, self._more = deployment, book, more
        self._once: Once | None = None
        self._turns = Turns()
        takes = _PUBLIC.get(type(deployment.format), {})
        unknown = sorted(more.keys() - set(takes))
        if unknown:
            listed = f"must be one of {', '.join(takes)}" if takes else "must be left out"
            raise ParameterError(unknown[0], f"{listed}: no client of this deployment takes it")
        if _reports_once(deployment.mechanism):
            self._own(None)  # refuses a bad or missing argument before anybody reports

    def _own(self, rng: Rng) -> Once:
        for name, reason in _PUBLIC.get(type(self.deployment.format), {}).items():
            if reason and name not in self._more:
                raise ParameterError(name, f"must be given: {reason}")
        found: Once = self.deployment.mechanism.client(rng=rng, book=self.book, **self._more)
        return found

    def report(self, value: Any, rng: Rng = None) -> bytes:
        """One user's report. With a book its epsilon is entered first, whatever the value is.

        Args:
            value: what the mechanism's `privatize` takes for one user.
            rng: None for the secure source; else the report is marked as simulated.

        Raises:
            DomainError: no such value; nothing is drawn then.
            ParameterError: the book has not as much left, or the user of a protocol has reported
                already; nothing is drawn then.
            ReportError, OSError: the book cannot be read or written.
        """
        if _reports_once(self.deployment.mechanism):
            with self._turns.taken():
                once = self._once = self._once or self._own(rng)
            return self.deployment.to_bytes(once.report(value))[0]
        if self.book is not None:
            purpose = f"deployment {self.deployment.tag}, round {self.deployment.round}"
            self.book.spend(self.deployment.mechanism.epsilon, purpose)
        reports = self.deployment.mechanism.privatize([value], rng)
        return self.deployment.to_bytes(reports)[0]

    def batch(self, values: Any, rng: Rng = None, batch_id: bytes | None = None) -> bytes:
        """Reports of many users in one piece.

        Args:
            values: what `privatize` takes, one for each user. Where users have numbers, theirs are
                this client's and those that follow it. rng: as in `report`.
            batch_id: as in `Deployment.to_batch`.

        Raises:
            DomainError: a value outside the domain; nothing is drawn then.
            ReportError: `batch_id` is no 16 bytes.
            ParameterError: there is a book, which is one user's, or a group, which is drawn for
                each user of a batch.
        """
        if self.book is not None:
            raise ParameterError("book", "must be left out for reports of many users")
        if "group" in self._more:
            raise ParameterError("group", "must be left out for reports of many users")
        more = {"first" if name == "number" else name: each for name, each in self._more.items()}
        reports = self.deployment.mechanism.privatize(values, rng, **more)
        return self.deployment.to_batch(reports, batch_id)


def _reports_once(made: Any) -> bool:
    """Return whether a protocol has clients of its own; those of a mechanism draw any number."""
    return hasattr(made, "client") and not isinstance(made, Programmed | SphereVector)


class Device:
    """One user's device, which remembers: permanent answers, or what it said on earlier days.

    Args:
        deployment: whose.
        client: what draws its reports: a `MemoClient`, `RapporClient`, `TreeClient` or
            `VotingClient`.
    """

    def __init__(self, deployment: Deployment, client: Any) -> None:
        self.deployment = deployment
        self.client = client

    @classmethod
    def made(
        cls,
        deployment: Deployment,
        *,
        new_user: bool,
        saved: str | bytes | None,
        seen: int,
        **more: Any,
    ) -> Device:
        """See `Deployment.device`."""
        kind = deployment.format.device
        if kind is None:
            rule = "has no memory: Deployment.client makes a client"
            raise ParameterError("deployment", rule, type(deployment.mechanism))
        if saved is None:
            return cls(deployment, kind(deployment.mechanism, new_user=new_user, **more))
        if new_user is not False:
            raise ParameterError("new_user", "must be False for a user who has a saved state")
        client = kind.restore(saved, deployment.mechanism, seen=seen, **more)
        return cls(deployment, client)

    def report(self, value: Any) -> bytes:
        """One report, drawn from the permanent answer to the value.

        Raises:
            DomainError: no such value.
            ParameterError: a report of this protocol is not one message: see `messages`.
        """
        if isinstance(self.deployment.format, Messages):
            rule = "has days of several messages or none: call `messages`"
            raise ParameterError("deployment", rule, type(self.deployment.mechanism))
        return self.deployment.to_bytes(self.client.report(value))[0]

    def messages(self, reports: Reports) -> list[bytes]:
        """Turn what the client gave for one day into bytes to be sent: a piece for each message.

        Args:
            reports: `device.client.report(bit)` of a `TreeClient`; `vote(...)` or `answer()` of a
                `VotingClient`.

        Raises:
            ReportError: they are none of this deployment.
        """
        return self.deployment.to_bytes(reports)

    def save(self) -> str:
        """The state of the device, which holds its secret: keep it there, after every report."""
        found: str = self.client.save()
        return found
