"""Theorems about all randomizers: what Coq's kernel says of the hand-written library, now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.check.claims.rulings import Ruling, RulingKind, open_because
from ldp_verified.errors import SpecError
from ldp_verified.prove.coq.coqc import coqc_available, first_error, run_coqc
from ldp_verified.prove.coq.expected import (
    Expected,
    assumptions_file,
    check_file,
    may_use,
    read_assumptions,
    read_axioms,
    read_expected,
)
from ldp_verified.prove.coq.library import proofs_folder, work_folder

if TYPE_CHECKING:
    from ldp_verified.check.claims.context import Context

LIMIT_S = 120.0
ACCEPTED = ""
NO_COQ = "coqc is not installed, so Coq's kernel was not asked"


def accepted_theorems(names: Sequence[str]) -> dict[str, str]:
    """Qualified name -> empty where the kernel accepts it, as listed, with allowed axioms only.

    Else the reason why not. Their statements in proofs/expected_theorems, and every definition
    listed there, are checked by the kernel in the same run. The library is compiled unless a
    compiled form of just these sources is kept (see `work_folder`).
    """
    if not names:
        return {}
    if not coqc_available():
        return dict.fromkeys(names, NO_COQ)
    proofs = proofs_folder()
    listed = [e for e in read_expected(proofs) if _of_library(e)]
    places = {entry.qualified: i for i, entry in enumerate(listed) if entry.kind == "theorem"}
    found = dict.fromkeys(names, "it is not in proofs/expected_theorems")
    asked = [name for name in names if name in places]
    others = {i for name, i in places.items() if name not in asked}
    try:
        with work_folder(proofs) as build:
            (build / "Expected.v").write_text(check_file(listed, others)[0], encoding="utf-8")
            status, output = run_coqc(build, "Expected.v", LIMIT_S)
            if status:
                finding = first_error("proofs/expected_theorems", output)
                return dict.fromkeys(names, f"coqc: {finding.message}")
            allowed = read_axioms(proofs / "allowed_axioms.txt")
            rests = _rests_on(build, [[places[name] for name in asked]])
            if set(rests[0]) <= {axiom for axiom, who in allowed.items() if who is None}:
                # Together they rest on what every theorem may rest on; so does each.
                return found | dict.fromkeys(asked, ACCEPTED)
            each = _rests_on(build, [[places[name]] for name in asked])
            for name, axioms in zip(asked, each, strict=True):
                extra = set(axioms) - may_use(listed[places[name]], allowed)
                found[name] = f"it rests on {', '.join(sorted(extra))}" if extra else ACCEPTED
    except SpecError as error:
        return dict.fromkeys(names, str(error))
    return found


def _rests_on(build: Path, groups: Sequence[Sequence[int]]) -> list[list[str]]:
    """The axioms under each group of theorems of Expected.v, as Coq's kernel prints them.

    Raises:
        SpecError: coqc fails.
    """
    text = assumptions_file("Expected", [[f"expected_{i}" for i in group] for group in groups])
    (build / "Assumptions.v").write_text(text, encoding="utf-8")
    status, output = run_coqc(build, "Assumptions.v", LIMIT_S)
    if status:
        raise SpecError("coqc", "must print the axioms", " ".join(output.split())[:200])
    printed = [build / f"assumptions_{number}.out" for number in range(len(groups))]
    return [read_assumptions(path.read_text(encoding="utf-8")) for path in printed]


def _of_library(entry: Expected) -> bool:
    return entry.module.startswith("LDP.")


HEAD = """From Coq Require Import Reals List Arith Bool Lra Lia.
Import ListNotations.
Open Scope R_scope.
Require Import LDP.Sums LDP.Randomizer LDP.Combine LDP.Restricted LDP.Approximate LDP.Central.
Definition one_more {Z : Type} (a b : list Z) := exists l r z,
  (a = l ++ r /\\ b = l ++ z :: r) \\/ (b = l ++ r /\\ a = l ++ z :: r).
Definition replaced {Z : Type} (a b : list Z) := exists l r y z,
  a = l ++ y :: r /\\ b = l ++ z :: r.
"""
"""Databases are lists of records; neighbours have a record more, or one replaced."""


@dataclass(frozen=True)
class Stated:
    """A statement in Coq, perhaps one that is to follow from a theorem of the library.

    The kernel decides whether it does, so a statement that is not the theorem's stays open.

    Attributes:
        statement: a closed proposition. script: the proof, with `{theorem}` where the theorem is
            used. theorem: qualified name; empty where none is needed.
    """

    statement: str
    script: str
    theorem: str = ""

    def says(self) -> str:
        """The statement, as the kernel checks it."""
        return self.statement

    def announce(self, context: Context) -> None:
        """Ask for the statement together with the others, and for the theorem."""
        if self.theorem:
            context.announce_theorem(self.theorem)
        context.announce_statement(self)

    def decide(self, context: Context) -> Ruling:
        """Rule proved where the kernel accepts both the theorem and the step from it."""
        known = context.theorem(self.theorem) if self.theorem else ACCEPTED
        reason = known or context.statement(self)
        if reason == ACCEPTED:
            source = f"from theorem {self.theorem}" if self.theorem else "with a proof of its own"
            return Ruling(RulingKind.PROVED, ("coq",), f"the kernel accepts it {source}")
        return open_because(f"the kernel does not accept it: {reason}")


def accepted_statements(stated: Sequence[Stated]) -> dict[Stated, str]:
    """Statement -> empty where the kernel takes it from its theorem, else the reason why not."""
    if not stated:
        return {}
    if not coqc_available():
        return dict.fromkeys(stated, NO_COQ)
    proofs = proofs_folder()
    allowed = read_axioms(proofs / "allowed_axioms.txt")
    common = {axiom for axiom, who in allowed.items() if who is None}
    found = {}
    try:
        with work_folder(proofs) as build:
            for each in stated:
                found[each] = _follows(build, each, common)
    except SpecError as error:
        return dict.fromkeys(stated, str(error))
    return found


def _follows(build: Path, stated: Stated, allowed: set[str]) -> str:
    script = stated.script.format(theorem=stated.theorem)
    said = f"Lemma expected_0 : {stated.statement}.\nProof. {script}. Qed.\n"
    (build / "Stated.v").write_text(HEAD + said, encoding="utf-8")
    status, output = run_coqc(build, "Stated.v", LIMIT_S)
    if status:
        return f"coqc: {first_error('the statement', output).message}"
    text = assumptions_file("Stated", [["expected_0"]])
    (build / "Assumptions.v").write_text(text, encoding="utf-8")
    status, output = run_coqc(build, "Assumptions.v", LIMIT_S)
    if status:
        return "coqc: the axioms were not printed"
    printed = (build / "assumptions_0.out").read_text(encoding="utf-8")
    extra = set(read_assumptions(printed)) - allowed
    return f"it rests on {', '.join(sorted(extra))}" if extra else ACCEPTED


@lru_cache(maxsize=1)
def pinned_statements() -> dict[str, str]:
    """Qualified name -> statement, of every theorem of the library that the kernel is held to."""
    listed = read_expected(proofs_folder())
    return {e.qualified: " ".join(e.text.split()) for e in listed if e.kind == "theorem"}


@dataclass(frozen=True)
class Theorem:
    """A statement about all finite randomizers that the library proves.

    Attributes:
        name: qualified ("LDP.Combine.post_ldp"); its statement is pinned in
            proofs/expected_theorems.
    """

    name: str

    def says(self) -> str:
        """The theorem's own statement, as the kernel checks it."""
        return f"theorem {self.name}: {pinned_statements().get(self.name, 'not listed')}"

    def announce(self, context: Context) -> None:
        """Ask for the theorem together with the others."""
        context.announce_theorem(self.name)

    def decide(self, context: Context) -> Ruling:
        """Rule proved where the kernel accepts the theorem."""
        reason = context.theorem(self.name)
        if reason == ACCEPTED:
            return Ruling(RulingKind.PROVED, ("coq",), f"theorem {self.name}")
        return open_because(f"theorem {self.name}: {reason}")
