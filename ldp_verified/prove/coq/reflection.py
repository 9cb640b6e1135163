"""The checker inside the kernel: Coq reads the statement's own bytes and checks them by itself.

`proofs/lib/ReflectChecker.v` has a function `judge` of the bytes of a statement and of a
certificate, and a theorem that what it answers `Shown` to holds of the table that the bytes denote.
Here bytes and certificate are written into a Coq file, and Coq computes the answers. Neither our
verifier nor our printer of theorems is trusted for them: the bytes are the statement as canonical
JSON, and a certificate that was translated wrongly can only show less.

It reads explicit tables (`Matrix` with pair tables), with claims of eps-LDP without a delta, tight
or not, unbiasedness, variance at every share, and relations between parameters.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_verified.errors import SpecError
from ldp_verified.kinds import Key, Kind, TableForm
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.certificates.obligations import obligations
from ldp_verified.prove.certificates.parsed_statement import Obligation
from ldp_verified.prove.certificates.polynomials import Poly, Ring
from ldp_verified.prove.contradiction import refuse_disagreement
from ldp_verified.prove.coq.coqc import first_error, run_coqc
from ldp_verified.prove.coq.expected import may_use_own, read_assumptions, read_axioms
from ldp_verified.prove.coq.library import proofs_folder, work_folder
from ldp_verified.prove.coq.scan import escapes
from ldp_verified.prove.coq.shared_run import BESIDE, IMPORTS, SharedRun
from ldp_verified.prove.registry import Rules

NAME = "kernel checker"
LIMIT_S = 240.0
TABLE: Key = (None, "stochastic")
"""The laws of a table: probabilities >= 0, rows that sum to 1, and no division by 0."""

TABLES_ONLY = "it reads explicit tables with pair tables only"

KERNEL_CHECKER: Rules[str] = Rules(NAME)
"""The parts of a statement that Coq reads, by what the statement calls the claim."""

KERNEL_CHECKER.rule(
    (
        *(Kind.DEFINED, Kind.NONNEGATIVE, Kind.SUMS_TO_ONE),
        *(Kind.UNBIASED, Kind.VARIANCE, Kind.HOLDS),
    ),
    (TableForm.MATRIX,),
)("read")
KERNEL_CHECKER.rule((Kind.RATIO, Kind.TIGHT), (TableForm.MATRIX,), words=("ldp",))("read")
NOT_READ = "Coq does not read it"
KERNEL_CHECKER.leave_open((Kind.SAME_TABLE, Kind.BETTER), (TableForm.MATRIX,), NOT_READ)
KERNEL_CHECKER.leave_open(
    (Kind.OPTIMAL,), (TableForm.MATRIX,), NOT_READ, words=("optimal_parameter", "optimal_bits")
)
_ANSWER = re.compile(r"\b(Shown|NotShown|NotRead)\b")
TYPE = ": option (list answer)"
"""The type with which Coq ends its answers."""

_USERS = 2
"""How many variables the verifier's ring has beyond the statement's: n and f, the last two."""


@dataclass(frozen=True)
class Reflected:
    """The answers of the checker inside the kernel about one statement.

    Attributes:
        shown: what it shows of the table that the bytes denote, by a theorem of Coq.
        not_shown: what it read, and did not show.
        why: why there is no answer about anything else.
        seconds: how long coqc took.
    """

    shown: frozenset[Key] = frozenset()
    not_shown: frozenset[Key] = frozenset()
    why: str = ""
    seconds: float = 0.0

    def shows(self, part: Key) -> bool:
        """Return whether the checker shows all obligations of a claim and kind, or of a law."""
        of_table = part in ((None, Kind.NONNEGATIVE), (None, Kind.SUMS_TO_ONE))
        return (TABLE if of_table else part) in self.shown


def canonical(statement: Mapping[str, Any]) -> str:
    """The bytes of a statement: JSON in ASCII, sorted, without white space.

    Raises:
        ValueError: reading them does not give the statement back.
    """
    text = json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    if json.loads(text) != statement:
        raise ValueError("the statement is not what its JSON text says")
    return text


def parts(statement: Mapping[str, Any]) -> list[Key]:
    """Return the parts that a statement asserts, in the order of Coq's answers."""
    found: list[Key] = [TABLE, (None, Kind.DEFINED)]
    for position, claim in enumerate(statement["claims"]):
        kinds = KERNEL_CHECKER.kinds_of(claim["kind"])
        found += [(position, kind) for kind in kinds]
    return found


def ask_reflection(
    build: Path,
    statement: Mapping[str, Any],
    certificate: Mapping[str, Any],
    limit: float = LIMIT_S,
    stop: threading.Event | None = None,
    made: str = "",
) -> Reflected:
    """Let Coq read a statement and check a certificate of it.

    Args:
        build: a work folder with the compiled theory; see `library.work_folder`.
        statement, certificate: see `obligations` and `checker`; the certificate may be wrong.
        limit: seconds. stop: once it is set, Coq is stopped and there is no answer.
        made: their `source`, where the caller has it.
    """
    if not statement.get("pair_tables"):
        return Reflected(why=TABLES_ONLY)
    made = made or source(canonical(statement), certificate)
    return read_answers(build, made, parts(statement), limit, stop)


def read_answers(
    build: Path,
    made: str,
    asked: Sequence[Key],
    limit: float,
    stop: threading.Event | None = None,
) -> Reflected:
    """Let Coq check the source `made`, whatever it reads; `asked` is what it should assert."""
    start = time.monotonic()
    file = BESIDE
    (build / file).write_text(made, encoding="utf-8")
    found = escapes(build / file, file)
    if found:
        return Reflected(why=str(found[0]))
    with (build / file).open("a", encoding="utf-8") as stream:
        stream.write(PRINTS)
    status, output = run_coqc(build, file, limit, stop)
    seconds = time.monotonic() - start
    if status:
        return Reflected(why=first_error(file, output).message, seconds=seconds)
    computed, _, axioms = output.partition(TYPE)
    allowed = read_axioms(proofs_folder() / "allowed_axioms.txt")
    extra = sorted(set(read_assumptions(axioms)) - may_use_own("", allowed))
    if extra:
        return Reflected(why=f"it rests on {', '.join(extra)}", seconds=seconds)
    return answered(computed, asked, seconds)


def answered(computed: str, asked: Sequence[Key], seconds: float) -> Reflected:
    """Read the answers that Coq printed, one for each part that was asked about.

    The caller has checked that the theorem about them rests on nothing that it may not.

    Args:
        computed: what it printed. asked: what was asked. seconds: how long it took.
    """
    _, _, printed = computed.rpartition("answers =")
    answers = _ANSWER.findall(printed.partition(TYPE)[0])
    if len(answers) != len(asked):
        why = "it is no statement about an explicit table that Coq reads"
        return Reflected(why=why, seconds=seconds)
    said = list(zip(asked, answers, strict=True))
    return Reflected(
        frozenset(part for part, answer in said if answer == "Shown"),
        frozenset(part for part, answer in said if answer == "NotShown"),
        "it does not read this claim",
        seconds,
    )


PRINTS = "\nPrint answers.\n\nPrint Assumptions reflected.\n"
"""The commands that are added to a file once it was found to do nothing but prove."""


def source(text: str, certificate: Mapping[str, Any]) -> str:
    """The Coq file: the bytes, the certificate, the answers, and what follows from them."""
    statement = certificate.get("statement", {})
    try:
        todo = obligations(statement)
    except (KeyError, TypeError, ValueError):
        todo = []
    main, own = (_factorisations(todo, certificate, domain) for domain in ("main", "defined"))
    quoted = text.replace('"', '""')
    return f"""{IMPORTS}
(** The bytes of the statement, as the verifier reads them. *)
Definition bytes : string := "{quoted}"%string.

Definition table_certificate : certificate := ({main})%Z.

Definition needs_certificate : certificate := ({own})%Z.

Definition answers : option (list answer) :=
  Eval vm_compute in judge bytes table_certificate needs_certificate.

Theorem computed : judge bytes table_certificate needs_certificate = answers.
Proof. vm_cast_no_check (eq_refl answers). Qed.

Theorem reflected : forall shown, answers = Some shown ->
  exists s, read bytes = Some s /\\ forall i a,
    nth_error (assertions s) i = Some a -> nth_error shown i = Some Shown -> true_of s a.
Proof. intros shown E. rewrite <- computed in E. exact (judge_sound _ _ _ _ E). Qed.
"""


def _factorisations(todo: Iterable[Obligation], certificate: Mapping[str, Any], domain: str) -> str:
    """Every product that the certificate writes for a domain, each once, as a Coq list."""
    of_domain = {o.name: o for o in todo if o.domain == domain}
    if not of_domain:
        return "[]"
    names = [v.name for v in next(iter(of_domain.values())).variables]
    extra = _USERS if domain == "main" else 0
    written = [
        *(proof for name, proof in certificate["proofs"].items() if name in of_domain),
        *certificate["denominators"].get(domain, {}).values(),
    ]
    found: dict[str, None] = {}
    for proof in written:
        factors = _factors(Ring(names), proof, extra)
        if factors is not None:
            found[factors] = None
    return "[" + ";\n  ".join(found) + "]"


def _factors(ring: Ring, proof: Mapping[str, Any], extra: int) -> str | None:
    """The factors of one product; None where one holds n or f, or cannot be read."""
    shown = []
    for text, exponent in proof["factors"]:
        try:
            poly = ring.parse(text).numerator
        except ValueError:
            return None
        if any(any(e[len(e) - extra :]) for e in poly):
            return None
        shown.append(f"({_poly(poly, extra)}, {int(exponent)}%nat)")
    return f"[{'; '.join(shown)}]" if shown else None


def _poly(poly: Poly, extra: int) -> str:
    """A polynomial with the last variable first."""
    terms = []
    for exponents, coefficient in poly.items():
        kept = exponents[: len(exponents) - extra][::-1]
        terms.append(f"([{'; '.join(f'{e}%nat' for e in kept)}], {coefficient})")
    return f"[{'; '.join(terms)}]"


def disagreements(
    statement: Mapping[str, Any], outcomes: Sequence[checker.CheckerOutcome], said: Reflected
) -> list[str]:
    """Return where the verifier and the checker inside the kernel differ about one certificate.

    Conditions between parameters are hypotheses for Coq, which it does not use: where there are
    any, it may show less. So it may of what was not claimed (that a bound is reached).
    """
    conditions = any(entry.get("also") for entry in statement["variables"])
    found = []
    for part in sorted(said.shown | said.not_shown, key=str):
        claim, kind = part
        if kind == Kind.TIGHT and not statement["claims"][claim]["tight"]:
            continue
        verified = all(_verified(outcomes, needed) for needed in _needed(statement, part))
        if part in said.shown and not verified:
            found.append(f"{kind} of {_of(claim)}: shown by the {NAME}, not by the verifier")
        elif part in said.not_shown and verified and not conditions:
            found.append(f"{kind} of {_of(claim)}: shown by the verifier, not by the {NAME}")
    return found


def _of(claim: int | None) -> str:
    return "the table" if claim is None else f"claim {claim}"


def _needed(statement: Mapping[str, Any], part: Key) -> list[Key]:
    """Return the parts that the verifier must have shown if the kernel shows this one."""
    kind = part[1]
    laws: list[Key] = [(None, Kind.NONNEGATIVE), (None, Kind.SUMS_TO_ONE)]
    if part == TABLE:
        return laws
    if kind in (Kind.DEFINED, Kind.HOLDS):
        return [part]
    if kind != Kind.VARIANCE:
        return [*laws, part]
    # Coq's theorem about the variance is about weights that are unbiased.
    means: list[Key] = [
        (position, Kind.UNBIASED)
        for position, each in enumerate(statement["claims"])
        if each["kind"] == Kind.UNBIASED and each["supported"] is None
    ]
    return [*laws, part, *means]


def _verified(outcomes: Sequence[checker.CheckerOutcome], part: Key) -> bool:
    return all(o.shown for o in outcomes if (o.obligation.claim, o.obligation.kind) == part)


def reflection(
    name: str,
    statement: Mapping[str, Any],
    certificate: Mapping[str, Any],
    outcomes: Sequence[checker.CheckerOutcome],
    shared: SharedRun | None = None,
) -> Reflected:
    """Return the in-kernel checker's answers, after checking that the verifier agrees.

    Args:
        name: of the mechanism. statement, certificate: see `ask_reflection`.
        outcomes: the verifier's, of the same statement and certificate.
        shared: the run of Coq about the mechanism's theorems, which may ask this too; with it this
            is stopped.

    Raises:
        ContradictionError: they differ.
    """
    if not statement.get("pair_tables"):
        if shared is not None:
            shared.ask("")
        return Reflected(why=TABLES_ONLY)
    start = time.monotonic()
    made = source(canonical(statement), certificate)
    printed = shared and shared.ask(made)
    stop = shared.stop if shared is not None else None
    if printed:
        said = answered(printed, parts(statement), time.monotonic() - start)
    else:
        try:
            with work_folder() as build:
                said = ask_reflection(build, statement, certificate, stop=stop, made=made)
        except SpecError as error:
            return Reflected(why=str(error))
    found = disagreements(statement, outcomes, said)
    if found:
        refuse_disagreement(name, found)
    return said
