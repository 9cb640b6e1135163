"""Obligations as SMT-LIB, decided by z3 or cvc5 in a subprocess that is killed in time.

The solver sees polynomials over the reals only: e^eps is the generator symbol. Denominators are
cleared and shown to be non-zero by queries of their own (division is total in SMT-LIB, so it must
not occur). A claim is proved if the negation of every obligation is `unsat` with nothing else
printed. Anything else is no proof. It reads the same obligations as the certificate, so it is a
second checker of the algebra, not of the rows.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ldp_verified.errors import SpecError
from ldp_verified.prove.certificates.checker import occurring
from ldp_verified.prove.certificates.domains import DomainVariable, conditions
from ldp_verified.prove.certificates.parsed_statement import Obligation
from ldp_verified.prove.certificates.polynomials import (
    ExpressionError,
    Poly,
    Ring,
    dense,
    multiply,
    power,
)

QUERY_LIMIT_MS = 2_000
"""Milliseconds after which the solver itself gives up on one query.

z3 answers every query of the catalogue within 0.2 s, and what takes it longer is rarely decided in
20 s, while a person waits. cvc5 needs more than this for some, which it leaves undecided.
"""

MOST_ASKED = 2**18
"""Monomials of no higher degree in any variable, in a polynomial that the solver is asked about."""

TIME_LIMIT_S = 60.0
"""Seconds for one file before the solver is killed."""


@dataclass(frozen=True)
class Query:
    """One satisfiability question whose answer must be `unsat`.

    Attributes:
        obligations: names of the obligations that need it.
        title: what it asks, one line.
        variables: the reals that occur, with their domains.
        negation: the negated fact as an SMT-LIB term.
    """

    obligations: tuple[str, ...]
    title: str
    variables: tuple[DomainVariable, ...]
    negation: str


@dataclass(frozen=True)
class SolverAnswer:
    """The solver's answer to one query.

    Attributes:
        query: the question. text: `unsat`, `sat`, `unknown` or an error.
    """

    query: Query
    text: str


CHOICE = "LDP_VERIFIED_SMT"
"""The environment variable that names the solver: z3, which it is without it, or cvc5."""

CVC5 = Path(__file__).with_name("cvc5_process.py")


def solver() -> str | None:
    """Path of z3: the program beside this Python (the wheel z3-solver), else on the PATH.

    Where the environment chooses cvc5: of what runs the wheel cvc5.

    Raises:
        SpecError: the environment names another solver, or cvc5 and it is not installed.
    """
    chosen = os.environ.get(CHOICE, "z3")
    if chosen == "cvc5":
        if find_spec("cvc5") is None:
            raise SpecError(
                CHOICE, "names a solver that is not installed: pip install cvc5", chosen
            )
        return str(CVC5)
    if chosen != "z3":
        raise SpecError(CHOICE, "must be z3 or cvc5", chosen)
    beside = Path(sys.executable).parent / "z3"
    return str(beside) if beside.is_file() else shutil.which("z3")


def term(ring: Ring, poly: Poly) -> str:
    """A polynomial as an SMT-LIB term."""
    summands = []
    for exponents, coefficient in sorted(poly.items(), reverse=True):
        factors = [name for name, e in zip(ring.names, exponents, strict=True) for _ in range(e)]
        number = str(coefficient) if coefficient >= 0 else f"(- {-coefficient})"
        head = [] if coefficient == 1 and factors else [number]
        summands.append(_apply("*", [*head, *factors]))
    return _apply("+", summands) if summands else "0"


def _apply(operator: str, arguments: Sequence[str]) -> str:
    return arguments[0] if len(arguments) == 1 else f"({operator} {' '.join(arguments)})"


def queries(
    obligations: Iterable[Obligation], proofs: Mapping[str, Any] | None = None
) -> list[Query]:
    """The questions that decide the obligations; divisors are asked about once per domain.

    Obligations that cannot be stated (`relation` "impossible") are left out: nothing shows them. So
    are those of a high degree in many variables, on which the solver spends its time in vain.

    Args:
        obligations: what has to be shown.
        proofs: the factorisations of a certificate. One that multiplies out to its obligation makes
            the question smaller: an even power is not negative, so the odd part decides.
    """
    found: dict[tuple[str, str], Query] = {}
    for o in obligations:
        top = o.value.numerator
        if o.relation == "impossible" or (top and dense(top) > MOST_ASKED):
            continue
        ring = Ring([v.name for v in o.variables])
        top, vanishing = _odd_part(ring, o, (proofs or {}).get(o.name))
        product = top
        for key, exponent in o.value.denominator.items():
            factor = dict(key)
            text = term(ring, factor)
            _ask(found, o, (o.domain, text), f"{ring.show(factor)} != 0", factor, f"(= {text} 0)")
            if exponent % 2:
                product = multiply(product, factor)
        text = term(ring, product)
        negation = {
            ">=": f"(< {text} 0)",
            ">": f"(<= {text} 0)",
            "==": f"(distinct {text} 0)",
            "!=": f"(= {text} 0)",
        }
        parts = [negation[o.relation]]
        if o.relation in (">", "!="):
            parts += [f"(= {term(ring, factor)} 0)" for factor in vanishing]
        whole = product
        for factor in vanishing:
            whole = multiply(whole, factor)
        _ask(found, o, (o.domain, o.name), o.name, whole, _apply("or", parts))
    return list(found.values())


def _odd_part(ring: Ring, o: Obligation, proof: Any) -> tuple[Poly, list[Poly]]:
    """(numerator without its even powers, the factors left out), if the factorisation is right."""
    whole = o.value.numerator
    if proof is None or o.relation == "==":
        return whole, []
    product: Poly = {(0,) * ring.size: proof["constant"]}
    odd, left_out = dict(product), []
    for text, exponent in proof["factors"]:
        try:
            factor = ring.parse(text).numerator
        except ExpressionError:  # It has more terms than can be read.
            return whole, []
        product = multiply(product, power(factor, exponent, ring.size))
        if exponent % 2:
            odd = multiply(odd, factor)
        else:
            left_out.append(factor)
    return (odd, left_out) if product == whole else (whole, [])


def _ask(
    found: dict[tuple[str, str], Query],
    o: Obligation,
    at: tuple[str, str],
    title: str,
    poly: Poly,
    negation: str,
) -> None:
    names = [v.name for v in o.variables]
    known = found.get(at)
    needed = (*(known.obligations if known else ()), o.name)
    kept = tuple(occurring(o.variables, names, poly))
    found[at] = Query(needed, title, kept, negation)


def script(asked: Sequence[Query], spec_hash: str, mechanism: str, *, afresh: bool = False) -> str:
    """An SMT-LIB file that asks every query in a scope of its own.

    Args:
        asked: the questions. spec_hash, mechanism: for the file's header.
        afresh: whether the solver forgets everything between two queries. z3 looks at a query in a
            scope with another tactic, which gives up on some that it decides at once afresh.
    """
    settings = [f"(set-option :timeout {QUERY_LIMIT_MS})", "(set-logic QF_NRA)"]
    lines = [
        f"; {mechanism}: every query must answer unsat.",
        f"; spec sha256 {spec_hash}",
        "; Command: ldp-verified verify --write-smt DIR",
        *settings,
    ]
    begin, end = ("", ["(reset)", *settings]) if afresh else ("(push 1) ", ["(pop 1)"])
    for query in asked:
        lines.append(f"{begin}; {query.title}")
        ring = Ring([v.name for v in query.variables])
        lines += [f"(declare-const {v.name} Real)" for v in query.variables]
        for v in query.variables:
            lines += _bounds(ring, v)
        lines += [f"(assert {query.negation})", "(check-sat)", *end]
    return "\n".join(lines) + "\n"


def _run(text: str, limit_s: float) -> tuple[list[str], str]:
    """(lines, complaint) of the solver over a script; what it said before it was killed."""
    program = solver()
    if program is None:
        raise FileNotFoundError("z3: install the package z3-solver")
    command = [program, "-smt2", "-in"]
    if program == str(CVC5):
        command = [sys.executable, "-P", program]  # -P: its own folder is not where it imports from
    try:
        run = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        partial = expired.stdout or b""
        said = partial.decode() if isinstance(partial, bytes) else partial
        return said.split("\n"), ""
    return run.stdout.split("\n"), run.stderr.strip()


def model(query: Query, limit_s: float = 10.0) -> dict[str, Fraction] | None:
    """A rational counterexample to a query, integer parameters being integers; None without one.

    The values are the solver's word only: nobody sees them before they are evaluated exactly.
    """
    names = [v.name for v in query.variables]
    said = _with_integers(query, [f"(get-value ({' '.join(names)}))"], limit_s)
    if not said or said[0].strip() != "sat":
        return None
    values: dict[str, Fraction] = {}
    for name in names:
        found = re.search(rf"\({re.escape(name)} (\(.*?\)+|[-0-9.]+)\)", " ".join(said[1:]))
        value = None if found is None else _number(found.group(1))
        if value is None:
            return None
        values[name] = value
    return values


def only_between_integers(query: Query, limit_s: float = 10.0) -> bool:
    """Whether the solver says that no counterexample has integers for integer parameters."""
    if not any(v.integer for v in query.variables):
        return False
    said = _with_integers(query, [], limit_s)
    return bool(said) and said[0].strip() == "unsat"


def _with_integers(query: Query, more: list[str], limit_s: float) -> list[str]:
    """The lines of the solver over one query, integer parameters being integers; none if it erred.

    `more` is asked after it.
    """
    ring = Ring([v.name for v in query.variables])
    lines = [f"(declare-const {v.name} {'Int' if v.integer else 'Real'})" for v in query.variables]
    for v in query.variables:
        lines += _bounds(ring, v)
    lines += [f"(assert {query.negation})", "(check-sat)", *more]
    said, complaint = _run("\n".join(lines) + "\n", limit_s)
    return [] if complaint else said


def _number(text: str) -> Fraction | None:
    """An SMT-LIB numeral, decimal, (- x) or (/ x y).

    None for anything else (an algebraic number).
    """
    words = text.replace("(", " ( ").replace(")", " ) ").split()

    def read(at: int) -> tuple[Fraction | None, int]:
        if words[at] != "(":
            try:
                return Fraction(words[at]), at + 1
            except ValueError:
                return None, at + 1
        operator, at = words[at + 1], at + 2
        arguments: list[Fraction | None] = []
        while at < len(words) and words[at] != ")":
            value, at = read(at)
            arguments.append(value)
        known = [a for a in arguments if a is not None]
        if len(known) != len(arguments):
            return None, at + 1
        if operator == "-" and len(known) == 1:
            return -known[0], at + 1
        if operator == "/" and len(known) == 2 and known[1] != 0:
            return known[0] / known[1], at + 1
        return None, at + 1

    return read(0)[0]


def _bounds(ring: Ring, variable: DomainVariable) -> Iterable[str]:
    """Assertions for the domain of a variable, and for its further conditions.

    A bound's own denominator is positive on the domain and multiplied out.
    """
    for bound, relation, is_open in (
        (variable.lower, ">", variable.lower_open),
        (variable.upper, "<", variable.upper_open),
    ):
        if bound is not None:
            parsed = ring.parse(bound)
            below: Poly = {(0,) * ring.size: parsed.scale}
            for key, exponent in parsed.denominator.items():
                for _ in range(exponent):
                    below = multiply(below, dict(key))
            left = multiply(ring.variable(variable.name).numerator, below)
            symbol = relation if is_open else f"{relation}="
            yield f"(assert ({symbol} {term(ring, left)} {term(ring, parsed.numerator)}))"
    for margin, strict in conditions(ring, variable):
        yield f"(assert ({'>' if strict else '>='} {term(ring, margin)} 0))"


def ask(
    asked: Sequence[Query], spec_hash: str, mechanism: str, limit_s: float = TIME_LIMIT_S
) -> list[SolverAnswer]:
    """Run the solver over all queries.

    Args:
        asked: the questions. spec_hash, mechanism: for the file's header.
        limit_s: wall seconds, after which the process is killed and unanswered queries are
            `unknown`.

    Returns:
        One answer per query. An error, a warning or an unexpected line makes every answer of the
        run an error.

    Raises:
        FileNotFoundError: no solver is installed.
    """
    afresh = solver() != str(CVC5)
    # Many obligations are one question under several names: equal cells make equal inequalities.
    # Each is asked in a scope of its own, so its answer holds under every name.
    first: dict[tuple[Any, ...], Query] = {}
    for query in asked:
        first.setdefault((query.variables, query.negation), query)
    distinct = list(first.values())
    lines, complaint = _run(script(distinct, spec_hash, mechanism, afresh=afresh), limit_s)
    said = [line.strip() for line in lines if line.strip()]
    strange = [line for line in said if line not in ("sat", "unsat", "unknown")]
    if complaint or strange or len(said) > len(distinct):
        problem = f"error: {(strange or [complaint or 'too many answers'])[0]}"
        return [SolverAnswer(query, problem) for query in asked]
    said += ["unknown"] * (len(distinct) - len(said))
    texts = dict(zip(first, said, strict=True))
    return [SolverAnswer(query, texts[query.variables, query.negation]) for query in asked]
