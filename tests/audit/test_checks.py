"""The named checks: each planted flaw is found, its clean twin is not.

Null of a clean twin: outputs are independent. Two tests of level 1e-6 are run over clean twins that
are not certain to pass: neighbours of `Client`, and its runs in two processes, which would have to
be equal 256 times (probability below 1e-40). The first is repeated only
where it alarms: two alarms in a row have probability 1e-12.
"""

from __future__ import annotations

import random
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.rules import checks
from ldp_verified.check.audit.rules.checks import edges, neighbours, same_run, same_run_of_program
from ldp_verified.check.audit.rules.shared import global_state, shared_generator
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.isolated import asked_here
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.whole_audit import audit_target
from tests.broken.audit import targets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pytest

HOME = "tests.broken.audit.targets:"
LEVEL = 1e-9


def target(name: str, **options: object) -> Target:
    return Target("callable", HOME + name, (0, 1), **options)  # type: ignore[arg-type]  # per test


def each(function: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """A function as the checks ask it."""
    return asked_here(function).each


def named(asked: Target, claim: Claim) -> list[str]:
    """The rules that the named checks find to be broken."""
    with closing(asked.asked()) as running:
        inputs = asked.inputs or ()
        full = {w.rule: w.most for w in checks.wants(asked, len(inputs), running=True)}
        found = checks.checked(asked, running, inputs, claim, 1, full)
    assert not found.skipped
    return [finding.rule for finding in found.findings]


def shared_state() -> object:
    state: Any = np.random.get_state()  # noqa: NPY002  (the state that others share)
    return random.getstate(), state[1].tobytes(), state[2]


def test_a_fixed_seed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "PAIRS", 1000)
    found = same_run(target("seeded"), (0, 1))
    assert [f.rule for f in found] == ["LDP005"]
    clean = target("Client(1.0, 2).privatise")
    assert same_run(clean, (0, 1)) == []
    assert same_run(target("abs"), (0, 1)) == []  # one possible output is no seed
    assert same_run(target("counting()"), (0, 1)) == []  # it never looks at its input


def test_a_fixed_seed_of_a_program_is_found(tmp_path: Path) -> None:
    seeded, none = "random.seed(5)", list[str]()
    for body, looks, rules in (
        (seeded, " ^ int(line)", ["LDP005"]),
        (seeded, "", none),  # it never looks at its input
        ("pass", " ^ int(line)", none),
    ):
        path = tmp_path / "client.py"
        path.write_text(
            f"import random, sys\n{body}\n"
            "for line in sys.stdin:\n    print(int(random.random() < 0.5)"
            f"{looks}, flush=True)\n"
        )
        found = same_run_of_program(Target("program", f"{sys.executable} {path}", (0, 1)), (0, 1))
        assert [f.rule for f in found] == rules


def test_repeated_noise_is_found() -> None:
    """Level 1e-12 of the clean twin; power 1: every second report repeats the one before."""
    assert [f.rule for f in neighbours(each(targets.stuttering()), 0)] == ["LDP006"]
    clean = each(targets.Client(1.0, 5).privatise)
    assert neighbours(clean, 0) == [] or neighbours(clean, 0) == []
    assert neighbours(each(lambda _: 7), 0) == []


def test_a_disturbed_global_state_is_found_and_restored() -> None:
    before = shared_state()
    found = global_state(targets.reseeding, 0)
    assert [f.replay["generator"] for f in found] == ["random", "numpy.random"]
    assert global_state(targets.unchecked, 0) == []
    assert shared_state() == before


def test_values_outside_the_domain_are_told_from_the_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checks, "EDGES", (None, float("nan"), 10**30))
    monkeypatch.setattr(checks, "EDGE_SAMPLES", 2000)
    claim = Claim(1.0)
    found = edges(each(targets.unchecked), (0, 1), claim, 1)
    assert [f.rule for f in found] == ["LDP008"]
    assert "None" in found[0].message
    assert "nan" in found[0].message
    # A client that refuses all of them alike says nothing about values of its domain.
    assert edges(each(targets.Client(1.0, 2).privatise), (0, 1), claim, 1) == []


def test_repeated_reports_break_the_claim_unless_the_answer_is_kept() -> None:
    """Five fresh reports of eps = 1 each are eps = 5 together; level 1e-9, power 1 - 1e-9."""
    claim = Claim(1.0, n=4000, level=LEVEL)
    fresh = target("Client(1.0, 2).privatise", repeat=5)
    found = audit_target(fresh, claim, checks=False, seed=1)
    assert found.verdict is AuditVerdict.VIOLATED
    assert "LDP009" in [f.rule for f in found.findings]
    kept = target("Memoised(1.0, 2).privatise", repeat=5, fresh=True)
    found = audit_target(kept, claim, checks=False, seed=1)
    assert found.verdict is not AuditVerdict.VIOLATED
    assert found.findings == ()


def test_a_domain_found_in_the_data_is_found() -> None:
    claim = Claim(1.5, n=4000, level=LEVEL)
    found = audit_target(target("column", rows=True), claim, checks=False, seed=1)
    assert found.verdict is AuditVerdict.VIOLATED
    assert "LDP011" in [f.rule for f in found.findings]
    found = audit_target(target("declared_column", rows=True), claim, checks=False, seed=1)
    assert found.verdict is not AuditVerdict.VIOLATED


def test_noise_from_a_generator_that_public_values_give_away_is_found() -> None:
    """No statistics: the clean twins draw seed and noise from the system."""
    for noise, words in (("own", "run it back"), ("shared", "run it back"), ("seed", "seeded")):
        found = shared_generator(targets.Hashing(noise).privatise, (0, 1, 2, 3))
        assert [f.rule for f in found] == ["LDP012"], noise
        assert words in found[0].message
    assert shared_generator(targets.Hashing("system").privatise, (0, 1, 2, 3)) == []
    assert shared_generator(targets.Client(1.0, 4).privatise, (0, 1, 2, 3)) == []
    client = targets.Hashing("shared")
    before = shared_state()
    shared_generator(client.privatise, (0, 1))
    assert shared_state() == before


def test_functions_of_many_values_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """`seeded_column` gives one output for ever in batches of one: neighbours in one batch tell."""
    monkeypatch.setattr(checks, "PAIRS", 1000)
    monkeypatch.setattr(checks, "EDGE_SAMPLES", 1000)
    claim = Claim(1.0)
    rules = named(target("seeded_column", bulk=True, timeout=120.0), claim)
    assert "LDP005" in rules
    rules = named(target("bulk", bulk=True, timeout=120.0), claim)
    assert "LDP005" not in rules
    assert "LDP006" not in rules


def test_a_batch_that_gives_no_answer_is_a_check_that_did_not_run() -> None:
    name = "tests.broken.audit.ending:never_returns"
    with closing(Target("callable", name, (0, 1), bulk=True, timeout=0.1).asked()) as asked:
        found = checks.CheckedRule()
        found.look("LDP005", lambda: checks.same_batch(asked, (0, 1), 20))
    assert found.findings == []
    assert found.skipped == {"LDP005": "did not come to its end: no answer in time"}


def test_an_object_of_this_package_breaks_no_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """LDP006 has level 1e-6, and is repeated where it alarms: 1e-12."""
    monkeypatch.setattr(checks, "EDGES", (None, float("nan"), 10**30))
    own = Target("callable", "ldp_verified:OLH(1.0, 8)", tuple(range(8)))
    once, again = (named(own, Claim(1.0)) for _ in range(2))
    assert once == [] or again == []
