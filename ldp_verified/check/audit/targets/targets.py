"""A target as it is written down, so that it can be opened again for a replay."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ldp_verified
from ldp_verified.check.audit.events.rounding import MOST_DECIMALS
from ldp_verified.check.audit.targets.called import Called, parted, place, resolve
from ldp_verified.check.audit.targets.files import Recorded
from ldp_verified.check.audit.targets.isolated import Asked, Here, from_name
from ldp_verified.check.audit.targets.process import TIMEOUT, from_program
from ldp_verified.check.audit.targets.sources import from_asked
from ldp_verified.check.audit.targets.web import CONCURRENCY, check, from_http
from ldp_verified.commandtext import command_words
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.check.audit.budget import Budget
    from ldp_verified.check.audit.targets.our_mechanisms import Own
    from ldp_verified.check.audit.targets.sources import Source

KINDS = ("callable", "program", "file", "http")
FORMS, MOST_VALUES = "0..9, or a,b,c, or a JSON list", 1_000_000
"""How values are written on a command line, and how many of a range there may be."""

SUFFIXES = (".csv", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".har")


@dataclass(frozen=True)
class Target:
    """The target of an audit.

    Attributes:
        kind: one of `KINDS`.
        reference: `package.module:expression`, a command line, a path, or a URL.
        inputs: the inputs; None for all of a file or of one of this package's mechanisms.
        bulk: the callable takes a sequence of inputs.
        rows: the callable takes a column; it is given columns of one row.
        repeat: reports of the same input that make one output.
        fresh: evaluate the expression anew for each output, as for a new user.
        questions: what a client of one user is asked in one session (see `sessions.asker`).
        bare: write text inputs to a program without quotes.
        timeout: seconds to wait for an answer.
        echo: a program's answers begin with the numbers of their questions.
        in_process: call a Python target in the audit's own process.
        column, output: of a file.
        decimals: floats in outputs are rounded to so many before they are judged; None: not at all.
        outside: values outside the domain that can occur.
        timing: look at durations too. beside: at streams, headers and sizes of answers.
        body: of a request; None for a GET. concurrency: requests at a time.
    """

    kind: str
    reference: str
    inputs: tuple[Any, ...] | None = None
    bulk: bool = False
    rows: bool = False
    repeat: int = 1
    fresh: bool = False
    questions: str | None = None
    bare: bool = False
    timeout: float = TIMEOUT
    echo: bool = False
    in_process: bool = False
    column: str = "input"
    output: str = "output"
    decimals: int | None = None
    outside: tuple[Any, ...] = ()
    timing: bool = False
    beside: bool = False
    body: str | None = None
    concurrency: int = CONCURRENCY

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
        if self.questions is not None and (self.kind != "callable" or self.bulk):
            rule = "must come with a Python callable: value -> client, question -> message"
            raise ParameterError("--questions", rule, self.reference)
        given, most = self.decimals, MOST_DECIMALS
        if given is not None and (isinstance(given, bool) or not 0 <= given <= most):
            raise ParameterError("--round", f"must be from 0 to {most}", given)
        if given is not None and self.kind == "file":
            raise ParameterError("--round", "must be left out for a file: round its column", given)
        if self.outside and (self.kind != "callable" or self.bulk):
            rule = "must come with a Python callable of one value"
            raise ParameterError("--outside", rule, self.reference)
        if self.timing and (self.kind == "file" or self.bulk):
            rule = "must be left out: a file or a batch has no durations of its own"
            raise ParameterError("--timing", rule)
        if self.beside and (self.kind == "file" or self.bulk or self.in_process):
            rule = "must be left out for a file, a batch and --in-process: one call is heard alone"
            raise ParameterError("--beside", rule)
        if self.kind == "callable":
            parted(self.reference)
        if self.kind == "http":
            check(self.reference, self.body, self.concurrency)
        elif self.body is not None:
            raise ParameterError("--body", "must come with --http", self.body)
        if not self.timeout > 0:
            raise ParameterError("--timeout", "must be above 0", self.timeout)

    def document(self) -> dict[str, Any]:
        """All attributes, for JSON."""
        found = asdict(self)
        found["inputs"] = None if self.inputs is None else list(self.inputs)
        found["outside"] = list(self.outside)
        return found

    @property
    def called(self) -> Called:
        """How a Python target is called."""
        several = (self.bulk, self.rows, self.repeat, self.fresh, self.questions)
        return Called(self.reference, *several)

    def asked(self, budget: Budget | None = None) -> Asked:
        """A Python target, in a process of its own unless it was asked for in this one."""
        called = self.called
        if not self.in_process:
            return from_name(called, self.timeout, budget)
        function = called.function()
        whole = called.whole() if self.bulk else None
        return Here(function, whole, place(self.reference, whole or function), budget)

    def function(self) -> Callable[[Any], Any]:
        """The callable as the audit calls it: one private value in, one output out."""
        return self.called.function()

    def open(self, asked: Asked | None = None, budget: Budget | None = None) -> Source:
        """Open the source of the target's samples.

        Args:
            asked: the Python target, where it is running already.
            budget: what may be asked of it.

        Raises:
            ParameterError: it cannot be opened, or needs inputs that are not given.
        """
        if self.kind == "file":
            return Recorded(Path(self.reference), self.column, self.output, self.inputs)
        if self.kind == "http":
            return from_http(
                self.reference,
                self._needed(),
                body=self.body,
                timeout=self.timeout,
                concurrency=self.concurrency,
                budget=budget,
            )
        if self.kind == "program":
            return from_program(
                command_words(self.reference, "--command"),
                self._needed(),
                timeout=self.timeout,
                bare=self.bare,
                echo=self.echo,
                budget=budget,
            )
        own = self.own()
        if own is not None:
            from ldp_verified.check.audit.targets.our_mechanisms import from_mechanism

            return from_mechanism(own, self.inputs)
        asked = asked or self.asked(budget)
        return from_asked(asked, self._needed(), self.reference, bulk=self.bulk)

    def own(self) -> Own | None:
        """Return the object of this package that a plain call names; None where it is other code.

        No code but that of this package is run here.
        """
        used = self.fresh or self.rows or self.repeat > 1 or self.questions is not None
        if self.kind != "callable" or used:
            return None
        from ldp_verified.check.audit.targets.our_mechanisms import Own

        found = resolve(self.reference) if self.in_process or _ours(self.reference) else None
        return found if isinstance(found, Own) else None

    def _needed(self) -> tuple[Any, ...]:
        if self.inputs is None:
            raise ParameterError("--inputs", "must be given: which private values may there be?")
        return self.inputs


def _ours(reference: str) -> bool:
    """Return whether this is a plain call `ldp_verified:NAME(constants)` of this package."""
    module, _, expression = reference.partition(":")
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return False
    if module.partition(".")[0] != "ldp_verified" or not isinstance(tree, ast.Call):
        return False
    plain = (ast.Name, ast.Call, ast.Constant, ast.keyword, ast.UnaryOp, ast.USub, ast.Load)
    several = (ast.List, ast.Tuple, ast.Dict)
    return all(isinstance(node, plain + several) for node in ast.walk(tree)) and all(
        node.id in ldp_verified.__all__ for node in ast.walk(tree) if isinstance(node, ast.Name)
    )


def read_target(document: Mapping[str, Any]) -> Target:
    """A target that was written down.

    Raises:
        ParameterError: it is none.
    """
    try:
        given = dict(document)
        inputs = given.pop("inputs")
        given["outside"] = tuple(map(_frozen, given.get("outside", ())))
        return Target(**given, inputs=None if inputs is None else tuple(map(_frozen, inputs)))
    except (KeyError, TypeError) as error:
        raise ParameterError("target", f"must be the target of a finding ({error})") from None


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def parse_inputs(text: str, option: str = "--inputs", least: int = 2) -> tuple[Any, ...]:
    """`0..9` or `a,b,3`: whole numbers from..to, or values, each JSON where it is, else text.

    A JSON list gives values with commas in them.

    Raises:
        ParameterError: fewer than `least`, a range from a larger number to a smaller one, or more
            than `MOST_VALUES`.
    """
    first, dots, last = text.partition("..")
    found: Sequence[Any]
    if dots and _whole(first) and _whole(last):
        found = range(int(first), int(last) + 1)
        if not found:
            raise ParameterError(option, "must go from a whole number to a larger one", text)
        if len(found) > MOST_VALUES:
            raise ParameterError(option, f"must be at most {MOST_VALUES:,} values", text)
    elif text.lstrip().startswith("["):
        try:
            found = json.loads(text)
        except ValueError as error:
            raise ParameterError(option, f"must be a JSON list ({error})", text) from None
    else:
        found = [_value(part.strip()) for part in text.split(",")]
    if len(found) < least:
        rule = f"must be at least {('one value', 'two values')[least - 1]}: {FORMS}"
        raise ParameterError(option, rule, text)
    return tuple(map(_frozen, found))


def _whole(text: str) -> bool:
    return text.strip().removeprefix("-").isdigit()


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
