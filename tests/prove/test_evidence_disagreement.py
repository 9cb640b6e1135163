"""Checkers that refuse, and checkers that contradict: nobody is outvoted, nothing is hidden."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.errors import ContradictionError
from ldp_verified.language import LDP, Matrix, Mechanism, Rational, Unbiased, log
from ldp_verified.prove import Status, verify
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.coq.coqc import is_answer
from ldp_verified.prove.coq.kernel import Kernel
from ldp_verified.prove.coq.reflection import TABLE, Reflected
from ldp_verified.prove.enumeration.witnesses import PointFinding
from ldp_verified.prove.smt import SolverAnswer
from ldp_verified.prove.verdicts import Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

evidence = import_module("ldp_verified.prove.evidence")
verifying = import_module("ldp_verified.prove.verify")

keep = Rational(3, 4)
COINS = Matrix([[keep, 1 - keep], [1 - keep, keep]])
TRUE = Mechanism("coins", parameters=[], table=COINS, claims=[LDP(log(3), tight=True), Unbiased()])
FALSE = Mechanism("coins", parameters=[], table=COINS, claims=[LDP(log(2))])
KEYS: tuple[tuple[int | None, str], ...] = (
    (None, "nonnegative"),
    (None, "sums_to_one"),
    (None, "equal_support"),
    (None, "class_counts"),
    (None, "free_cells"),
    (0, "ratio"),
    (0, "tight"),
    (1, "unbiased"),
    (2, "variance"),
)
ACCEPTED = Kernel({key: (f"coins_{key[1]}",) for key in KEYS})


class Fake:
    """A Coq that answers at once what it is told to."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __call__(self, *_: object, **__: object) -> Fake:
        return self

    def __enter__(self) -> Fake:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def answer(self) -> Kernel:
        return self.kernel


@pytest.fixture
def with_kernel(monkeypatch: pytest.MonkeyPatch) -> Callable[[Kernel], None]:
    def put(kernel: Kernel) -> None:
        monkeypatch.setattr(verifying, "coqc_available", lambda: True)
        monkeypatch.setattr(verifying, "coq_version", lambda: "fake")
        monkeypatch.setattr(verifying, "KernelRun", Fake(kernel))
        monkeypatch.setattr(verifying, "reflection", lambda *_, **__: Reflected())

    return put


def said(mechanism: Mechanism, **options: Any) -> Mapping[tuple[int | None, str], Any]:
    found = verify(mechanism, 3, smt=options.pop("smt", False), **options)
    return {(v.claim, v.obligation): v for v in found.verdicts}


def test_both_groups_together_prove(with_kernel: Callable[[Kernel], None]) -> None:
    with_kernel(ACCEPTED)
    assert {v.status for v in said(TRUE).values()} == {Status.PROVED}


def test_the_checker_inside_the_kernel_is_of_the_certificates_group(
    with_kernel: Callable[[Kernel], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads the same statement: with the certificate it is one group, and is shown beside it."""
    with_kernel(Kernel(why="not printed because it is large"))
    shown = frozenset([TABLE, (0, "ratio")])
    monkeypatch.setattr(verifying, "reflection", lambda *_, **__: Reflected(shown))
    found = said(TRUE)
    by = {key for key, verdict in found.items() if "kernel checker" in verdict.checkers}
    assert by == {(None, "nonnegative"), (None, "sums_to_one"), (0, "ratio")}
    assert {v.status for v in found.values()} == {Status.ONE_GROUP}
    assert found[0, "ratio"].groups == ("algebra",)


def test_a_kernel_that_rejects_the_file_is_not_outvoted(
    with_kernel: Callable[[Kernel], None],
) -> None:
    """So it was with a singularity that cancels: all proved, while Coq rejected the file."""
    why = "not accepted: Error: No applicable tactic."
    with_kernel(Kernel(why=why, rejects_rest=True))
    found = said(TRUE)
    assert {v.status for v in found.values()} == {Status.OPEN}
    assert found[0, "ratio"].refusals == {"coq": why}
    assert f"coq refuses what certificate proves: {why}" in found[0, "ratio"].detail


def test_one_rejected_theorem_takes_what_rests_on_it_and_no_more(
    with_kernel: Callable[[Kernel], None],
) -> None:
    key = (0, "ratio")
    others = {k: names for k, names in ACCEPTED.accepted.items() if k != key}
    with_kernel(Kernel(others, {key: "not accepted: no"}, rejected=frozenset([key])))
    found = said(TRUE)
    assert found[0, "ratio"].status is found[0, "tight"].status is Status.OPEN
    assert found[1, "unbiased"].status is Status.PROVED


@pytest.mark.parametrize(
    "kernel",
    [
        Kernel(why="not printed because it is large"),
        Kernel(why="not answered: took more than 240 s"),
        Kernel(refused=dict.fromkeys(KEYS, "not printed because of a sign"), rejects_rest=True),
    ],
)
def test_what_is_not_printed_or_not_answered_is_no_refusal(
    kernel: Kernel, with_kernel: Callable[[Kernel], None]
) -> None:
    with_kernel(kernel)
    found = said(TRUE)
    assert {v.status for v in found.values()} == {Status.ONE_GROUP}
    assert all(not v.refusals for v in found.values())


@pytest.mark.parametrize(
    "status, output, expected",
    [
        (1, "Error: Unable to unify.", True),
        (1, "", True),
        (124, "took more than 3 s", False),
        (-9, "", False),
        (137, "", False),
        (1, "Error: Out of memory.", False),
        (1, "Error: Cannot find a physical path bound to logical path LDP.", False),
    ],
)
def test_which_failures_of_coqc_are_answers(status: int, output: str, expected: bool) -> None:
    assert is_answer(status, output) is expected


def _every_solver_says(text: str) -> Callable[..., dict[str, list[SolverAnswer]]]:
    def answers(this: Any) -> dict[str, list[SolverAnswer]]:
        asked = evidence.queries(this.obligations, this.certificate["proofs"])
        return {name: [SolverAnswer(q, text)] for q in asked for name in q.obligations}

    return answers


def test_a_solver_that_says_sat_against_a_certificate_is_not_outvoted(
    monkeypatch: pytest.MonkeyPatch, with_kernel: Callable[[Kernel], None]
) -> None:
    with_kernel(ACCEPTED)
    monkeypatch.setattr(verifying, "solver_answers", _every_solver_says("sat"))
    found = said(TRUE, smt=True)
    assert found[0, "ratio"].status is Status.OPEN
    assert "against its certificate" in found[0, "ratio"].refusals["smt"]


def test_a_solver_that_gives_up_is_no_refusal(
    monkeypatch: pytest.MonkeyPatch, with_kernel: Callable[[Kernel], None]
) -> None:
    with_kernel(ACCEPTED)
    monkeypatch.setattr(verifying, "solver_answers", _every_solver_says("unknown"))
    assert said(TRUE, smt=True)[0, "ratio"].status is Status.PROVED


def test_a_certificate_whose_sides_differ_is_not_outvoted_by_coq(
    monkeypatch: pytest.MonkeyPatch, with_kernel: Callable[[Kernel], None]
) -> None:
    with_kernel(ACCEPTED)
    right = checker.check

    def wrong(*arguments: Any) -> list[checker.CheckerOutcome]:
        def spoil(one: checker.CheckerOutcome) -> checker.CheckerOutcome:
            if one.obligation.kind != "unbiased":
                return one
            return replace(one, shown=False, reason="the two sides differ", refused=True)

        return [spoil(one) for one in right(*arguments)]

    monkeypatch.setattr(checker, "check", wrong)
    found = said(TRUE)
    assert found[1, "unbiased"].status is Status.OPEN
    assert found[1, "unbiased"].refusals["certificate"].endswith("the two sides differ")
    assert found[0, "ratio"].status is Status.PROVED


def test_a_missing_certificate_is_no_refusal(
    monkeypatch: pytest.MonkeyPatch, with_kernel: Callable[[Kernel], None]
) -> None:
    with_kernel(ACCEPTED)
    right = checker.check
    monkeypatch.setattr(
        checker,
        "check",
        lambda *arguments: [
            replace(one, shown=False, reason="the certificate holds no proof of it")
            for one in right(*arguments)
        ],
    )
    ratio = said(TRUE)[0, "ratio"]
    assert (ratio.status, ratio.groups) == (Status.ONE_GROUP, ("coq",))


def test_a_fake_theorem_beside_a_witness_is_an_error_of_ours(
    with_kernel: Callable[[Kernel], None],
) -> None:
    with_kernel(ACCEPTED)
    with pytest.raises(ContradictionError, match="coins: ratio") as caught:
        said(FALSE)
    for part in ("coins_ratio", "claimed e^eps = 2", "P(y|x)", "python", "sympy"):
        assert part in caught.value.details


def test_a_fake_certificate_beside_a_witness_is_an_error_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = checker.check
    monkeypatch.setattr(
        checker,
        "check",
        lambda *arguments: [checker.CheckerOutcome(o.obligation, True) for o in right(*arguments)],
    )
    with pytest.raises(ContradictionError, match="coins: ratio"):
        said(FALSE, coq=False)


def test_a_fake_witness_beside_a_proof_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    right = verifying.enumerate_obligations
    witness = Witness({}, {}, "it is said to fail")
    monkeypatch.setattr(
        verifying,
        "enumerate_obligations",
        lambda *arguments, **named: [
            replace(f, holds=False, witness=witness) if f.obligation == "sums_to_one" else f
            for f in right(*arguments, **named)
        ],
    )
    with pytest.raises(ContradictionError, match="coins: sums_to_one"):
        said(TRUE, coq=False)


def test_counts_that_are_proved_and_refuted_are_an_error_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counting = import_module("ldp_verified.prove.designs.counts")
    against = PointFinding(None, "rows", False, "k = 2", Witness({}, {}, "it is said to fail"))
    monkeypatch.setattr(counting, "rows_match", lambda *_: against)
    with pytest.raises(ContradictionError, match="coins: class_counts"):
        said(TRUE, coq=False)
