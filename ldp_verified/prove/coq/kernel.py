"""Ask Coq's kernel about one mechanism, obligation by obligation."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field, replace

from ldp_verified.kinds import Key
from ldp_verified.language import Mechanism
from ldp_verified.prove.coq.algebra import TABLE
from ldp_verified.prove.coq.coqc import first_error, is_answer, run_coqc
from ldp_verified.prove.coq.expected import (
    assumptions_file,
    may_use_own,
    read_assumptions,
    read_axioms,
)
from ldp_verified.prove.coq.library import proofs_folder, taken_names, work_folder
from ldp_verified.prove.coq.printed_table import difference, small_points
from ldp_verified.prove.coq.printer import Printed, Unsupported, coq_print
from ldp_verified.prove.coq.reading import UnreadableError
from ldp_verified.prove.coq.scan import ScanFinding, escapes
from ldp_verified.prove.coq.shared_run import BESIDE, MOST_TEXT, NAME, SharedRun, placed

LIMIT_S = 240.0
"""Seconds for all that Coq is asked about one mechanism; what is not accepted by then is not."""

_STATED = re.compile(r"(?:Lemma|Theorem) (\w+)")


@dataclass(frozen=True)
class Kernel:
    """Coq's answers about one mechanism.

    Attributes:
        accepted: obligation -> the theorems that state it, all accepted by the kernel.
        refused: obligation -> why it was not printed, or not accepted.
        why: why there is no answer about an obligation that is in neither.
        rejected: the obligations whose printed text the kernel refused. What was not printed, or
            not answered in time, is none of them.
        rejects_rest: whether the table itself was refused: with it, all that is in neither.
        uncompared: why the printed table was not compared with the expanded one; empty where it
            was. conditional: of what every theorem speaks, where it is not of one table.
    """

    accepted: Mapping[Key, tuple[str, ...]] = field(default_factory=dict)
    refused: Mapping[Key, str] = field(default_factory=dict)
    why: str = "no theorem says it"
    rejected: frozenset[Key] = frozenset()
    rejects_rest: bool = False
    uncompared: str = ""
    conditional: str = ""

    @property
    def proviso(self) -> str:
        """Return the condition that all of Coq's theorems share; empty if there is none."""
        parts = [f"Coq's theorems speak of {self.conditional}"] if self.conditional else []
        if self.uncompared:
            parts.append(f"the table printed to Coq was not compared: {self.uncompared}")
        return "; ".join(parts)

    def theorems(self, key: Key) -> tuple[str, ...]:
        """The accepted theorems that state an obligation; none where it is not accepted."""
        return self.accepted.get(key, ())

    def reason(self, key: Key) -> str:
        """Why an obligation is not accepted."""
        return "" if key in self.accepted else self.refused.get(key, self.why)

    def refusal(self, key: Key) -> str:
        """Return the kernel's message on refusing a printed text; empty if it did not refuse it."""
        known = key in self.accepted or key in self.refused
        refuses = key in self.rejected or (self.rejects_rest and not known)
        return self.reason(key) if refuses else ""


class KernelRun:
    """A question to Coq that is answered while something else is done.

    As a context manager: on leaving it, what is still running is stopped.

    Args:
        mechanism: it and all its claims. limit: seconds.
        shared: another question for the same run of Coq, stopped with it.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        limit: float = LIMIT_S,
        shared: SharedRun | None = None,
    ) -> None:
        self._session = _Session(mechanism, limit, shared)
        self._pool = ThreadPoolExecutor(1)
        self._answer: Future[Kernel] = self._pool.submit(self._session.ask)

    def __enter__(self) -> KernelRun:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.stop.set()
        self._pool.shutdown()

    def answer(self) -> Kernel:
        """Wait for Coq's answers.

        Raises:
            SpecError: coqc or the theory is missing, or the theory does not compile.
        """
        return self._answer.result()


def ask_kernel(mechanism: Mechanism, limit: float = LIMIT_S) -> Kernel:
    """Print a mechanism and its claims, compile them, and look what they rest on.

    What the kernel rejects is left out and the rest compiled again.

    Raises:
        SpecError: coqc or the theory is missing, or the theory does not compile.
    """
    return _Session(mechanism, limit).ask()


class _Session:
    """Coq at work on one mechanism; printing happens where it is made, the rest in `ask`."""

    def __init__(
        self,
        mechanism: Mechanism,
        limit: float,
        shared: SharedRun | None = None,
    ) -> None:
        self.mechanism = mechanism
        self.limit = limit
        self.shared = shared
        self.stop = threading.Event() if shared is None else shared.stop
        self.answered, self.output = True, ""
        self.printed = coq_print(mechanism)

    def ask(self) -> Kernel:
        try:
            return self._asked()
        finally:
            if self.shared is not None:
                self.shared.tell(None)

    def _asked(self) -> Kernel:
        printed, taken = self._named_apart()
        if isinstance(printed, Unsupported):
            return Kernel(why=f"not printed because {printed.reason}")
        if taken:
            return Kernel(why=f"not printed because the library has the name {min(taken)}")
        answer = self._answer(printed)
        # Coq is not kept waiting for this.
        try:
            other = difference(self.mechanism, printed.text, small_points(self.mechanism))
        except UnreadableError as error:
            return replace(answer, uncompared=str(error))
        if other:
            return Kernel({}, {}, f"not accepted: {other}", frozenset(), rejects_rest=True)
        return answer

    def _answer(self, printed: Printed) -> Kernel:
        """Ask Coq about the printed text; leave out what it refuses, and ask again for the rest."""
        proofs = proofs_folder()
        allowed = read_axioms(proofs / "allowed_axioms.txt")
        rejected: dict[Key, str] = {}
        stopped: set[Key] = set()
        with work_folder(proofs) as self.build:
            self.end = time.monotonic() + self.limit
            both = self._both_accepted(printed, allowed)
            while (finding := None if both else self._compiled(printed)) is not None:
                key = _stage(printed, finding)
                if key in rejected:  # what is left out cannot fail again
                    key = TABLE
                said = "not accepted" if self.answered else "not answered"
                rejected[key] = f"{said}: {finding.message}"
                stopped |= set() if self.answered else {key}
                again = coq_print(self.mechanism, without={**printed.refused, **rejected})
                if key == TABLE or isinstance(again, Unsupported):
                    refuses = frozenset(rejected) - stopped
                    worded = _worded(printed, rejected)
                    return Kernel({}, worded, rejected[key], refuses, key not in stopped)
                printed = again
            refused = _worded(printed, rejected)
            accepted = dict(printed.settles)
            for key, extra in self._axioms(printed, allowed).items():
                refused[key] = extra
                accepted.pop(key, None)
                rejected |= {key: extra} if self.answered else {}
        return Kernel(
            accepted,
            refused,
            rejected=frozenset(rejected) - stopped,
            conditional=printed.conditional,
        )

    def _named_apart(self) -> tuple[Printed | Unsupported, frozenset[str]]:
        """Return the printed text, and those of its names that the library has.

        Where it has any, the mechanism is printed again under another name: `m` becomes `m_own`.
        """
        printed, taken = self.printed, _taken(self.printed)
        if taken:
            renamed = copy(self.mechanism)
            object.__setattr__(renamed, "name", f"{self.mechanism.name}_own")
            self.mechanism = renamed
            printed = coq_print(renamed)
            taken = _taken(printed)
        return printed, taken

    def _run(self, file: str) -> tuple[int, str]:
        return run_coqc(self.build, file, max(0.1, self.end - time.monotonic()), self.stop)

    def _both_accepted(self, printed: Printed, allowed: dict[str, frozenset[str] | None]) -> bool:
        """Ask about the statement too, if the kernel accepts all of both in one run."""
        if self.shared is None:
            return False
        text = self.shared.text() if len(printed.text) <= MOST_TEXT else ""
        accepted = (
            bool(text)
            and self._compiled(printed, text) is None
            and self._read(0) <= may_use_own("", allowed)
        )
        self.shared.tell(self.output if accepted else None)
        return accepted

    def _compiled(self, printed: Printed, beside: str = "") -> ScanFinding | None:
        """Return the error in the text, or None if the kernel accepted all of it."""
        file = f"generated/{printed.name}.v"
        (self.build / file).write_text(printed.text, encoding="utf-8")
        found = escapes(self.build / file, file)
        self.answered = True
        everything = sorted({name for names in printed.settles.values() for name in names})
        if beside:
            (self.build / BESIDE).write_text(beside, encoding="utf-8")
            found += escapes(self.build / BESIDE, BESIDE)
            everything.append(f"{NAME}.reflected")
        if found:
            return found[0]
        with (self.build / file).open("a", encoding="utf-8") as stream:
            stream.write(placed(beside) if beside else "")
            stream.write(assumptions_file("", [everything]))
        status, self.output = self._run(file)
        self.answered = status == 0 or is_answer(status, self.output)
        return None if status == 0 else first_error(file, self.output)

    def _axioms(
        self, printed: Printed, allowed: dict[str, frozenset[str] | None]
    ) -> dict[Key, str]:
        """The obligations whose theorems rest on more than they may, and on what.

        The compiled text ended with the question about all of its theorems at once; they are asked
        about one by one only where something is wrong.
        """
        keys: dict[tuple[str, ...], list[Key]] = {}
        for key, names in printed.settles.items():
            keys.setdefault(names, []).append(key)
        if self._read(0) <= may_use_own("", allowed):
            return {}
        wrong: dict[Key, str] = {}
        for names, found in zip(keys, self._rest_on(printed, list(keys)), strict=True):
            text = " ".join(_statement(printed, name) for name in names)
            extra = sorted(found - may_use_own(text, allowed))
            if extra:
                said = "not accepted" if self.answered else "not answered"
                message = f"{said}: it rests on {', '.join(extra)}"
                wrong |= dict.fromkeys(keys[names], message)
        return wrong

    def _rest_on(self, printed: Printed, groups: list[tuple[str, ...]]) -> list[set[str]]:
        """Return the assumptions of each group of theorems; a placeholder if coqc failed."""
        text = assumptions_file(f"Mechanisms.{printed.name}", groups)
        (self.build / "Assumptions.v").write_text(text, encoding="utf-8")
        status, output = self._run("Assumptions.v")
        if status:
            self.answered = self.answered and is_answer(status, output)
            return [{"what was not found out"} for _ in groups]
        return [self._read(number) for number in range(len(groups))]

    def _read(self, number: int) -> set[str]:
        """Return the assumptions of a group, as Coq wrote them down."""
        text = (self.build / f"assumptions_{number}.out").read_text(encoding="utf-8")
        return set(read_assumptions(text))


def _taken(printed: Printed | Unsupported) -> frozenset[str]:
    if isinstance(printed, Unsupported):
        return frozenset()
    return taken_names(printed.names, proofs_folder())


def _worded(printed: Printed, rejected: Mapping[Key, str]) -> dict[Key, str]:
    unprinted = {key: f"not printed because {why}" for key, why in printed.refused.items()}
    return {**unprinted, **rejected}


def _stage(printed: Printed, finding: ScanFinding) -> Key:
    """The obligation for which the lemma or theorem with a finding was printed."""
    before = printed.text.splitlines()[: finding.line]
    names = [found.group(1) for line in before if (found := _STATED.match(line))]
    return printed.stages.get(names[-1], TABLE) if names else TABLE


def _statement(printed: Printed, name: str) -> str:
    """Return the statement of a theorem, from its text."""
    _, _, rest = printed.text.partition(f"Theorem {name} :")
    return rest.partition("Proof.")[0]
