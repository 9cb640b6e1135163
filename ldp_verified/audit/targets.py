"""A target as it is written down, so that it can be opened again for a replay."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.audit.files import Recorded
from ldp_verified.audit.process import TIMEOUT, from_program
from ldp_verified.audit.sources import call, from_bulk, from_callable, resolve
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.audit.sources import Source

KINDS = ("callable", "program", "file")
SUFFIXES = (".csv", ".parquet", ".pq", ".arrow", ".feather", ".ipc")


@dataclass(frozen=True)
class Target:
    """What is audited.

    Attributes:
        kind: one of `KINDS`.
        reference: `package.module:expression`, a command line, or a path.
        inputs: the inputs; None for all of a file or of one of this package's mechanisms.
        bulk: the callable takes a sequence of inputs.
        rows: the callable takes a column; it is given columns of one row.
        repeat: reports of the same input that make one output.
        fresh: evaluate the expression anew for each output, as for a new user.
        bare: write text inputs to a program without quotes.
        timeout: seconds to wait for a program's line.
        column, output: of a file.
    """

    kind: str
    reference: str
    inputs: tuple[Any, ...] | None = None
    bulk: bool = False
    rows: bool = False
    repeat: int = 1
    fresh: bool = False
    bare: bool = False
    timeout: float = TIMEOUT
    column: str = "input"
    output: str = "output"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError("target", f"must be one of {', '.join(KINDS)}", self.kind)
        if isinstance(self.repeat, bool) or self.repeat < 1:
            raise ParameterError("--repeat", "must be at least 1", self.repeat)
        if self.kind != "callable" and (self.bulk or self.rows or self.fresh or self.repeat > 1):
            raise ParameterError(
                "TARGET", "must be a Python callable for --bulk, --rows, --fresh and --repeat"
            )
        if self.bulk and (self.rows or self.fresh or self.repeat > 1):
            raise ParameterError("--bulk", "must stand without --rows, --fresh and --repeat")
        if not self.timeout > 0:
            raise ParameterError("--timeout", "must be above 0", self.timeout)

    def document(self) -> dict[str, Any]:
        """All attributes, for JSON."""
        found = asdict(self)
        found["inputs"] = None if self.inputs is None else list(self.inputs)
        return found

    def function(self) -> Callable[[Any], Any]:
        """The callable as the audit calls it: one private value in, one output out."""
        made = None if self.fresh else self._made()

        def once(value: Any) -> Any:
            own = made or self._made()
            if self.bulk:
                return _alone(own, value)
            given = [value] if self.rows else value
            if self.repeat == 1:
                return own(given)
            return tuple(call(own, given) for _ in range(self.repeat))

        return once

    def whole(self) -> Callable[[Any], Any]:
        """The callable as it is, of many values where it is one of those."""
        return _callable(resolve(self.reference), self.reference)

    def copied(self) -> Callable[[Any], Any]:
        """As `function`, but an object whose copy has a state of its own, where there is one."""
        plain = not (self.bulk or self.rows or self.fresh or self.repeat > 1)
        return self._made() if plain else self.function()

    def _made(self) -> Callable[[Any], Any]:
        """The callable; a mechanism of this package gives one row of its reports."""
        found = resolve(self.reference)
        from ldp_verified.audit.own import Own, single

        if isinstance(found, Own) and not (self.bulk or self.rows):
            return single(found)
        return _callable(found, self.reference)

    def open(self) -> Source:
        """The source of its samples.

        Raises:
            ParameterError: it cannot be opened, or needs inputs that are not given.
        """
        if self.kind == "file":
            return Recorded(Path(self.reference), self.column, self.output, self.inputs)
        if self.kind == "program":
            return from_program(
                shlex.split(self.reference), self._needed(), timeout=self.timeout, bare=self.bare
            )
        if self.fresh or self.repeat > 1 or self.rows:
            return from_callable(self.function(), self._needed(), self.reference)
        found = resolve(self.reference)
        from ldp_verified.audit.own import Own, from_mechanism

        if isinstance(found, Own):
            return from_mechanism(found, self.inputs)
        make = from_bulk if self.bulk else from_callable
        return make(_callable(found, self.reference), self._needed(), self.reference)

    def _needed(self) -> tuple[Any, ...]:
        if self.inputs is None:
            raise ParameterError("--inputs", "must be given: which private values may there be?")
        return self.inputs


def _alone(function: Callable[[Any], Any], value: Any) -> Any:
    """What a function of many values gives for one, as a batch of one."""
    given = np.array([value]) if type(value) is int and abs(value) < 1 << 62 else [value]
    found = function(given)
    return found[0] if len(found) == 1 else found


def _callable(found: Any, reference: str) -> Callable[[Any], Any]:
    if not callable(found):
        raise ParameterError("TARGET", "must be callable", reference)
    return found  # type: ignore[no-any-return]  # what the line above has checked


def read_target(document: Mapping[str, Any]) -> Target:
    """A target that was written down.

    Raises:
        ParameterError: it is none.
    """
    try:
        given = dict(document)
        inputs = given.pop("inputs")
        return Target(**given, inputs=None if inputs is None else tuple(map(_frozen, inputs)))
    except (KeyError, TypeError) as error:
        raise ParameterError("target", f"must be the target of a finding ({error})") from None


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def parse_inputs(text: str, option: str = "--inputs") -> tuple[Any, ...]:
    """`0..9` or `a,b,3`: whole numbers from..to, or values, each JSON where it is, else text.

    A JSON list gives values with commas in them.

    Raises:
        ParameterError: fewer than two.
    """
    first, dots, last = text.partition("..")
    found: Sequence[Any]
    if dots and _whole(first) and _whole(last):
        found = range(int(first), int(last) + 1)
    elif text.lstrip().startswith("["):
        try:
            found = json.loads(text)
        except ValueError as error:
            raise ParameterError(option, f"must be a JSON list ({error})", text) from None
    else:
        found = [_value(part.strip()) for part in text.split(",")]
    if len(found) < 2:
        raise ParameterError(option, "must be at least two", text)
    return tuple(map(_frozen, found))


def _whole(text: str) -> bool:
    return text.strip().removeprefix("-").isdigit()


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
