"""Values that several threads may change together."""

from __future__ import annotations

import os
import threading
from copy import copy
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Self

T = TypeVar("T")


class Turns:
    """One thread of a process at a time; a copy, a pickle and a forked child have turns anew.

    A child that was forked while another thread had its turn does not wait for that thread, which
    it does not have: each process has a lock of its own.
    """

    def __init__(self) -> None:
        self._locks: dict[int, threading.Lock] = {}

    def taken(self) -> AbstractContextManager[object]:
        """The block runs when no other thread is in one."""
        process = os.getpid()
        try:
            return self._locks[process]
        except KeyError:
            return self._locks.setdefault(process, threading.Lock())

    def __reduce__(self) -> tuple[type[Turns], tuple[()]]:
        return Turns, ()


class MadeOnce(Generic[T]):
    """A part of an object, made when it is first asked for: every thread gets the one that is kept.

    It is like `functools.cached_property`, which may give two threads a part each.

    Args:
        make: returns the part of an object; of two threads that call it together, one is kept.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> MadeOnce[T]: ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object | None, kind: type) -> MadeOnce[T] | T:
        """Return the part, which the object's own attribute of this name holds from then on."""
        if owner is None:
            return self
        found: T = vars(owner).setdefault(self._make.__name__, self._make(owner))
        return found


class Shared(Generic[T]):
    """A record that many threads read, and that one thread at a time changes.

    `change` replaces the record as a whole, so a thread that reads `now` once never sees half of a
    change. A part of the record may also grow in place, if each addition is a single step (as the
    bytes of a `State`'s waiting reports do); whoever adds to it takes a turn, as `change` does.

    Args:
        record: the first record.

    Attributes:
        now: the record.
        turns: a thread takes one to replace the record, or to add to it in place.
    """

    def __init__(self, record: T) -> None:
        self.now = record
        self.turns = Turns()

    def change(self, step: Callable[[T], T]) -> T:
        """Replace the record by what `step` makes of it, and return that; no change is lost.

        What `step` raises leaves the record as it was.
        """
        with self.turns.taken():
            self.now = step(self.now)
            return self.now


class InPlace:
    """A record of several fields that an update replaces as a whole, in the same object.

    A subclass is a frozen dataclass. It has no hash, since its content changes. Its methods that
    read several fields run on a copy, so that none of them sees half of another thread's update.
    """

    _read: ClassVar[tuple[str, ...]] = ("estimate", "honesty", "merge", "to_bytes")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__hash__ = None  # type: ignore[assignment]  # so that a dataclass makes none
        for name in cls._read:
            if name in vars(cls):
                setattr(cls, name, _on_copies(vars(cls)[name]))

    @MadeOnce
    def _turns(self) -> Turns:
        return Turns()

    def _become(self, step: Callable[[Self], Self]) -> Self:
        """Take over the content of what `step` makes of this record, and return this record.

        No update is lost. What `step` raises leaves the content as it was.
        """
        with self._turns.taken():
            vars(self).update(vars(step(self)))
        return self


def _on_copies(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, called with copies of the records that it is given."""

    @wraps(method)
    def called(*given: Any, **named: Any) -> Any:
        names = {name: _copied(each) for name, each in named.items()}
        return method(*map(_copied, given), **names)

    return called


def _copied(given: Any) -> Any:
    return copy(given) if isinstance(given, InPlace) else given
