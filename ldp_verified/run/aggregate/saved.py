"""Every state can do this: become bytes, be saved and be loaded again, after it was checked."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.serial import identity_of

if TYPE_CHECKING:
    import os
    from typing import Self

Named = TypeVar("Named")

IMPLAUSIBLE = 100
"""Honest reports give what is called implausible with a chance below 2 to the minus this."""


class Saved(ABC):
    """A state that can be kept."""

    __slots__ = ()

    def __repr__(self) -> str:
        found, kind = getattr(self, "n", None), type(self).__name__
        simulated = "simulated " if getattr(self, "simulated", False) else ""
        return f"<{kind}>" if found is None else f"<{kind} of {found} {simulated}reports>"

    @abstractmethod
    def to_bytes(self) -> bytes:
        """The state as bytes, for another process or a disk: format of `run.aggregate.serial`."""

    @classmethod
    @abstractmethod
    def from_bytes(cls, data: bytes, made: Any, /, *, implausible: bool = False) -> Self:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave.
            made: what the reports are made with.
            implausible: whether to take what honest reports give with a chance below 2^-100 only,
                as reports that somebody made up may.

        Raises:
            ReportError: the bytes are damaged, the state belongs to another mechanism, parameters,
                law or thresholds, or no reports add up to it (honest ones hardly ever do).
            ParameterError: `made` is nothing that reports are made with.
        """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_bytes` to a file, which holds what it held until all is written.

        Args:
            path: of the file.

        Raises:
            OSError: the file cannot be written.
        """
        from ldp_verified.run.aggregate.files import replacing  # no client of one value pays for it

        with replacing(path) as part:
            part.write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str], made: Any, /, *, implausible: bool = False) -> Self:
        """The state in a file that `save` wrote.

        Args:
            path: of the file. made, implausible: as in `from_bytes`.

        Raises:
            OSError: the file cannot be read.
            ParameterError: `path` is no path.
            ReportError: as `from_bytes`.
        """
        from ldp_verified.run.aggregate.files import checked_path

        data = checked_path(path).read_bytes()
        return cls.from_bytes(data, made, implausible=implausible)


def identity_made(made: object) -> Identity:
    """The identity of what the reports of a state are made with.

    Args:
        made: a mechanism or a protocol.

    Raises:
        ParameterError: it is none.
    """
    return named_made(made, "identity", Identity)


def named_made(made: object, name: str, kind: type[Named]) -> Named:
    """What tells that which the reports of a state are made with from all else.

    Args:
        made: a mechanism, a protocol or a deployment. name: the attribute that tells.
        kind: its class.

    Raises:
        ParameterError: there is no such attribute, or it is of another class.
    """
    found = getattr(made, name, None)
    if not isinstance(found, kind):
        raise ParameterError("made", "must be what the reports are made with", type(made))
    return found


def check_identity(mine: Identity, header: dict[str, Any]) -> None:
    """Refuse the header of a state of others.

    Raises:
        ReportError: it names none, or another one.
    """
    difference = mine.difference(identity_of(header))
    if difference is not None:
        raise ReportError("data", f"is foreign: {difference}")


def check_mean(
    what: str,
    n: int,
    total: Fraction,
    reports: tuple[Fraction, Fraction],
    means: tuple[Fraction, Fraction],
    looks: int = 1,
) -> None:
    """Refuse a sum of reports that honest ones hardly ever have.

    The mean of n independent numbers within (low, high) is farther than t from what it should be
    with a chance of at most 2 e^(-2 n t^2/(high - low)^2) (Hoeffding, 1963).

    Args:
        what: is summed, for the message. n: how many reports. total: their sum.
        reports: the smallest and the largest number that one stands for.
        means: the smallest and the largest mean of a report, whatever the input.
        looks: how many sums are looked at in all.

    Raises:
        ReportError: the chance is below 2^-100.
    """
    if n == 0:
        return
    off = max(means[0] - total / n, total / n - means[1], Fraction(0))
    limit = (IMPLAUSIBLE * math.log(2) + math.log(2 * looks)) / 2
    if off**2 * n > Fraction(limit) * (reports[1] - reports[0]) ** 2:
        rule = f"is read with implausible=True only: the mean of {n} reports of {what} is"
        raise ReportError("data", f"{rule} {float(total / n):.6g}, beyond what inputs give")
