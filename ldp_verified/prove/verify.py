"""`verify`: every law and claim of a mechanism through every checker, and their joint verdict."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from ldp_verified.derive import SolvedParameter, free_cells, solve_parameter
from ldp_verified.errors import SpecError
from ldp_verified.kinds import PAIRS, Key, Kind
from ldp_verified.language import Line, Matrix, Mechanism
from ldp_verified.language.floors import floors_written
from ldp_verified.language.forms import form_of
from ldp_verified.prove.addition import Asked, voices
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.certificates.parsed_statement import CERTIFICATE
from ldp_verified.prove.coq.coqc import coq_version, coqc_available
from ldp_verified.prove.coq.kernel import Kernel, KernelRun
from ldp_verified.prove.coq.reflection import Reflected, reflection
from ldp_verified.prove.coq.shared_run import SharedRun
from ldp_verified.prove.designs.counts import ClassCounts
from ldp_verified.prove.enumeration.drawn import DrawnPoints, PointDrawing, drawing, look
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.witnesses import Places
from ldp_verified.prove.evidence import Said, asked_of_added, made, solver_answers, verdict
from ldp_verified.prove.inside import require_inside
from ldp_verified.prove.needs import agreement, undefined
from ldp_verified.prove.others import Others, others
from ldp_verified.prove.prepared import Prepared, case, derived_texts
from ldp_verified.prove.registry import proving
from ldp_verified.prove.smt import solver
from ldp_verified.prove.statements.variance_region import reported
from ldp_verified.prove.verdict_algebra import Evidence, bases, rested, weakest
from ldp_verified.prove.verdicts import Status, Verdict, Verification
from ldp_verified.prove.winners import EpsilonRange, ranges

SOLVED = 4
"""Structures at a wanted epsilon are enumerated up to this size: the table was, up to its own."""

RANGES = "derived: the tight epsilon is "
"""How a verdict begins that says in which range it is which formula."""

STAGES = (
    "deriving",
    "finding certificates",
    "checking certificates",
    "asking the solver",
    "enumerating tables",
    "comparing classes",
    "freeing the cells",
    "solving for epsilon",
    "waiting for Coq",
)
"""What `verify` does, in order."""

Tell = Callable[[str], None]
Document = Mapping[str, Any]
Reflect = Callable[[str, Document, Document, list[checker.CheckerOutcome]], Future[Reflected]]


def verify(
    mechanism: Mechanism,
    largest: int = 8,
    *,
    smt: bool | None = None,
    coq: bool | None = None,
    progress: Tell | None = None,
    derived: bool = True,
    points_seed: str | None = None,
    draw_points: bool = True,
) -> Verification:
    """Recompute everything and decide every obligation.

    Writes nothing, but for the user's cache of Coq's compiled library.

    Args:
        mechanism: the declaration; it may claim nothing, then what is derived is checked.
        largest: structures are enumerated up to this size.
        smt: whether z3 is asked too; by default if it is installed.
        coq: whether Coq's kernel is asked too; by default if coqc is installed.
        progress: called with each of `STAGES` when it begins.
        derived: whether what is derived beyond the mechanism's claims is decided too, and said.
            Without it only laws, class counts and claims are decided, by the same checkers.
        points_seed: the drawn points of an earlier run, which named this seed: hexadecimal digits.
            None draws others, from the operating system's randomness.
        draw_points: whether the table is looked at in drawn points too, which only refute.

    Raises:
        ParameterError: `points_seed` is no such seed.
        FileNotFoundError: `smt` is true and z3 is not installed.
        SpecError: `coq` is true and coqc is not installed, or cannot compile the library.
        ContradictionError: something is proved, and there is a witness against it: this package is
            wrong.
    """
    start = time.perf_counter()
    source = drawing(points_seed) if draw_points else None
    if coq:
        coq_version()
    tell = progress or (lambda _: None)
    tell("deriving")
    this = case(mechanism, derived=derived)
    verdicts, drawn = _verdicts(this, largest, smt, coq, tell, source)
    facts = {**_in_ranges(verdicts), **derived_texts(this)} if derived else {}
    found = facts if derived else reported(mechanism, this.completed)
    write = floors_written(mechanism.parameters)
    return Verification(
        mechanism.name,
        mechanism.title,
        mechanism.spec_hash,
        tuple(verdict.written(write) for verdict in verdicts),
        {name: write(text) for name, text in found.items()},
        time.perf_counter() - start,
        "" if drawn is None or not drawn.points else write(drawn.text),
    )


def _in_ranges(verdicts: tuple[Verdict, ...]) -> dict[str, str]:
    """The tight epsilon by ranges, where it is shown."""
    shown = [v.statement.removeprefix(RANGES) for v in verdicts if v.obligation == Kind.AT_RANGE]
    return {"tight epsilon": shown[0]} if shown else {}


@contextlib.contextmanager
def _reflecting(shared: SharedRun) -> Iterator[Reflect]:
    """The checker inside Coq, asked while something else is done; stopped on the way out."""
    with ThreadPoolExecutor(1) as pool:
        try:
            yield lambda name, said, by, found: pool.submit(
                reflection, name, said, by, found, shared
            )
        finally:
            shared.stop.set()


def _kernel(asking: KernelRun | None, coq: bool | None) -> Kernel | None:
    """Coq's answers; nobody who did not ask for them has to have a Coq that works."""
    if asking is None:
        return None
    try:
        return asking.answer()
    except SpecError as error:
        if coq:
            raise
        return Kernel(why=str(error))


def _verdicts(
    this: Prepared,
    largest: int,
    smt: bool | None,
    coq: bool | None,
    tell: Tell,
    source: PointDrawing | None = None,
) -> tuple[tuple[Verdict, ...], DrawnPoints | None]:
    """All verdicts, each met with what it rests on, and what was seen at points of a source.

    `coq`: None asks only if coqc is there.
    """
    with contextlib.ExitStack() as stack:
        asked = coq or (coq is None and coqc_available())
        # One run of Coq asks both, where the checker inside it reads the table.
        shared = SharedRun() if isinstance(this.mechanism.table, Matrix) else None
        asking = KernelRun(this.completed, shared=shared) if asked else None
        if asking is not None:
            stack.enter_context(asking)
        kernel = partial(_kernel, asking, coq)
        reflect = stack.enter_context(_reflecting(shared)) if asking and shared else None
        beside = others(
            this.completed,
            lambda each: _verdicts(each, min(largest, SOLVED), smt, coq, lambda _: None)[0],
        )
        alone, drawn = _alone(this, largest, smt, coq, kernel, reflect, tell, source, beside)
        return rested(alone, beside), drawn


def _alone(
    this: Prepared,
    largest: int,
    smt: bool | None,
    coq: bool | None,
    kernel: Callable[[], Kernel | None],
    reflect: Reflect | None,
    tell: Tell,
    source: PointDrawing | None,
    beside: Others,
) -> tuple[tuple[Verdict, ...], DrawnPoints | None]:
    """The verdicts on the evidence of each obligation alone, and what was seen at drawn points."""
    statement = this.statement
    tell("finding certificates")
    certificate = this.certificate
    tell("checking certificates")
    outcomes = checker.check(statement, certificate)
    reflecting = None
    if reflect is not None:
        reflecting = reflect(this.mechanism.name, statement, certificate, outcomes)
    tell("asking the solver")
    asked = solver() is not None if smt is None else smt
    answers = solver_answers(this) if asked else {}
    tell("enumerating tables")
    places = Places(this.completed)
    findings = {
        (found.claim, found.obligation): found
        for found in enumerate_obligations(this.completed, largest, places=places)
    }
    drawn = None if source is None else look(this.completed, source, largest, places)
    for key, seen in ({} if drawn is None else drawn.against).items():
        if key not in findings or findings[key].holds:
            findings[key] = seen
    needed = [o for o in outcomes if o.obligation.kind is Kind.DEFINED]
    looked_at = undefined(this.mechanism, this.needs)
    defined = all(o.shown for o in needed)
    if needed and looked_at is None and defined:
        looked_at = agreement(this.needs)
    if looked_at is not None:
        findings[None, Kind.DEFINED] = looked_at
    groups: dict[Key, list[checker.CheckerOutcome]] = {}
    for outcome in outcomes:
        o = outcome.obligation
        groups.setdefault((o.claim, o.kind), []).append(outcome)
    for key in findings:
        groups.setdefault(key, [])
    for position, claim in enumerate(this.completed.claims):
        for kind in claim.kinds:  # What no route has a rule for is said to be open.
            groups.setdefault((position, kind), [])
    tell("comparing classes")
    finite = not isinstance(this.mechanism.table, Line)
    counts = ClassCounts(this, largest, drawn, places) if finite else None
    tell("freeing the cells")
    free = free_cells(this.mechanism) if this.derived else None
    freed = None if free is None or not free.claims else _checked(free)
    tell("solving for epsilon")
    solved = solve_parameter(this.mechanism, this.facts) if this.derived else None
    at_epsilon = [] if solved is None else [_solved_verdict(solved, largest, smt, coq)]
    split = ranges(this.mechanism, this.facts) if this.derived else ()
    by_range = [_range_verdict(split, largest, smt, coq)] if split else []
    # Nobody claimed what was derived: what is not shown is not said.
    at_epsilon += [v for v in by_range if v.status.for_all]
    tell("waiting for Coq")
    said = kernel()
    reflected = None if reflecting is None else reflecting.result()
    rows_hold = counts.hold_at if counts is not None else lambda _: None
    shaken = {at for at, one in findings.items() if one.witness is not None}
    fallen = {at for at, laws in beside.items() if any(not v.status.for_all for v in laws)}
    verdicts: list[Verdict] = []
    # Laws come before what rests on them.
    for key, group in sorted(groups.items(), key=lambda item: _order(item[0])):
        found = Said(
            group,
            answers if asked else None,
            findings.get(key),
            said,
            rows_hold,
            defined and not any(at in shaken for at in bases(key)) and key[0] not in fallen,
            reflected,
            asked_of_added(this, key),
        )
        verdicts.append(verdict(this, key, found))
        if verdicts[-1].refusals or verdicts[-1].witness is not None:
            shaken.add(key)
    if counts is not None:
        verdicts.append(counts.verdict(said))
    if free is not None and freed is not None:
        verdicts.append(_free_verdict(free, freed, said))
    require_inside(this.mechanism, verdicts)
    return (*verdicts, *at_epsilon), drawn


def _order(key: Key) -> tuple[int, int]:
    claim, kind = key
    return (-1 if claim is None else claim, Kind(kind).order)


@CERTIFICATE.rule((Kind.FREE_CELLS,), PAIRS)
def _checked(free: Mechanism) -> list[checker.CheckerOutcome]:
    this = case(free)
    return checker.check(this.statement, this.certificate)


def _solved_verdict(
    solved: SolvedParameter, largest: int, smt: bool | None, coq: bool | None
) -> Verdict:
    """The table at the solution has eps as its tight epsilon, and the solution is admissible."""
    inner, _ = _verdicts(case(solved.mechanism), min(largest, SOLVED), smt, coq, lambda _: None)
    needed = [v for v in inner if v.obligation not in (Kind.CLASS_COUNTS, Kind.FREE_CELLS)]
    return _joint(needed, f"any eps > 0 is the tight epsilon at {solved.text}", Kind.AT_EPSILON)


def _range_verdict(
    found: tuple[EpsilonRange, ...], largest: int, smt: bool | None, coq: bool | None
) -> Verdict:
    """The tight epsilon, formula by formula, in ranges that cover the domain."""
    needed = [
        v
        for each in found
        for v in _verdicts(
            case(each.mechanism, derived=False), min(largest, SOLVED), smt, coq, lambda _: None
        )[0]
        if v.obligation in (Kind.RATIO, Kind.TIGHT)
    ]
    said = ", ".join(f"{each.epsilon} where {each.where}" for each in found)
    return _joint(needed, RANGES + said, Kind.AT_RANGE)


def _joint(needed: list[Verdict], text: str, kind: str) -> Verdict:
    """One verdict on the conjunction of several."""
    short = [v for v in needed if v.status is not Status.PROVED]
    refuted = next((v for v in short if v.status is Status.REFUTED), None)
    status = weakest([v.status for v in needed])
    names = [name for name in needed[0].checkers if all(name in v.checkers for v in needed)]
    groups = [name for name in needed[0].groups if all(name in v.groups for v in needed)]
    return Verdict(
        None,
        text,
        kind,
        status,
        tuple(names),
        "; ".join(f"{v.obligation}: {v.detail or v.status.value}" for v in short),
        None if refuted is None else refuted.witness,
        assumptions=tuple(dict.fromkeys(text for v in needed for text in v.assumptions)),
        groups=tuple(groups),
    )


def _free_verdict(
    free: Mechanism, outcomes: list[checker.CheckerOutcome], kernel: Kernel | None
) -> Verdict:
    key: Key = (None, Kind.FREE_CELLS)
    text = "estimator unbiased, variance as derived, for free cells (so for the realized table)"
    missing = [o for o in outcomes if not o.shown]
    false = next((o for o in missing if o.refused), None)
    added = voices(
        Asked(free, None, Kind.FREE_CELLS, lambda: case(free).statement), form_of(free.table)
    )
    proves = {
        "certificate": not missing,
        "coq": kernel is not None and bool(kernel.theorems(key)),
        **dict.fromkeys(added.proves, True),
    }
    refuses = {} if false is None else {"certificate": f"{false.obligation.name}: {false.reason}"}
    if kernel is not None and kernel.refusal(key):
        refuses["coq"] = kernel.refusal(key)
    refuses |= added.refuses
    detail = ", ".join(d.describe(str(s)) for s, d in free.variables.items())
    if missing:
        detail = f"no certificate: {missing[0].obligation.name}: {missing[0].reason}"
    evidence = Evidence(proving(proves), added.agrees, refuses)
    return made(None, text, key[1], evidence, detail, kernel=kernel)
