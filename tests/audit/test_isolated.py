"""Targets in processes of their own: what they do there is an output, and ours goes on.

Level 1e-9 where a clean twin is audited. What a broken one does never varies for one input, so that
the power is 1 but for a rounding.
"""

from __future__ import annotations

import json
from contextlib import closing

import pytest

from ldp_verified.check.audit.assertion import assert_ldp
from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets import isolated, wire
from ldp_verified.check.audit.targets.channel import EndedError
from ldp_verified.check.audit.targets.isolated import MOST_HANGS, OWN_SECONDS, Isolated
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.whole_audit import audit_target
from ldp_verified.errors import ParameterError
from tests.broken.audit import ending
from tests.cli.running import document, process, run

HOME = "tests.broken.audit.ending:"
LEVEL = 1e-9


def audited(name: str, n: int = 12_000, **options: object) -> AuditResult:
    target = Target("callable", HOME + name, (0, 1, 2, 3), **options)  # type: ignore[arg-type]  # per test
    return audit_target(target, Claim(1.0, level=LEVEL, n=n), checks=False, seed=1)


@pytest.mark.parametrize("name", ["exits", "interrupts", "exhausts", "endless"])
def test_what_would_end_a_process_is_an_output(name: str) -> None:
    found = audited(name)
    assert found.verdict is AuditVerdict.VIOLATED
    assert "LDP004" in [each.rule for each in found.findings]


@pytest.mark.parametrize("name", ["ends", "killed", "closes"])
def test_an_end_for_one_input_is_a_violation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sampling stops early, and the bounds are those that hold at every time.

    The first `MOST_ENDS` ends are enough for that, whatever time is left after them.
    """
    monkeypatch.setattr(isolated, "MOST_SECONDS", 0.5)
    found = audited(name, n=2000)
    assert found.verdict is AuditVerdict.VIOLATED
    assert any("ended its process" in note for note in found.notes)


def test_each_end_is_the_output_of_its_own_call() -> None:
    with closing(Target("callable", HOME + "ends").asked()) as asked:
        found = asked.each([0, 1, 2, 3, 2, 2, 1])
    assert [isinstance(one, Raised) for one in found] == [v == 2 for v in (0, 1, 2, 3, 2, 2, 1)]
    assert found[2] == Raised("NoAnswer", "exit code 0")


@pytest.mark.parametrize("name", ["told", "fails_at_random", "chatters", "branches"])
def test_what_tells_nothing_is_no_violation(name: str) -> None:
    assert audited(name).verdict is not AuditVerdict.VIOLATED


def verdict_or_refusal(name: str, n: int) -> str:
    """Either is right for a target that works now and then."""
    try:
        return audited(name, n=n).verdict
    except ParameterError as refused:
        return str(refused)


def test_a_target_that_hardly_ever_works_is_not_consistent() -> None:
    """A client whose library is missing raises for every value alike."""
    with pytest.raises(ParameterError, match="every call raised ImportError: no module named 0"):
        audited("never_works")
    said = verdict_or_refusal("seldom_works", n=4000)
    refused = "every call raised ConnectionError" in said  # the first hundred, 9 times of 10
    assert refused or said in {*AuditVerdict} - {AuditVerdict.CONSISTENT}


def test_a_target_cannot_change_the_verdict() -> None:
    for name in ("forges", "patches"):
        assert audited(name, n=2000).verdict is AuditVerdict.VIOLATED
    found = audited("writes_everywhere", n=200)
    assert found.verdict is not AuditVerdict.CONSISTENT


def test_a_target_that_ends_the_process_that_watches_it_is_refused() -> None:
    with pytest.raises(ParameterError, match="leave other processes alone"):
        audited("kills_its_parent", n=200)


def test_a_call_that_does_not_return_is_an_output() -> None:
    with closing(Target("callable", "time:sleep", timeout=0.5).asked()) as asked:
        assert asked.each([0, 5, 0]) == [None, Raised("NoAnswer", "no answer in time"), None]


def test_a_target_that_never_returns_costs_one_allowance_of_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Named checks are left out, and say so; jobs that hang are ended too."""
    target = Target("callable", HOME + "never_returns", (0, 1, 2, 3), timeout=0.2)
    found = audit_target(target, Claim(1.0, level=LEVEL, n=2000), seed=1)
    assert found.verdict is AuditVerdict.INCONCLUSIVE
    assert found.calls <= MOST_HANGS + 1
    assert found.skipped["LDP012"] == "the target does not answer in time"
    with closing(target.asked()) as asked:
        assert isinstance(asked, Isolated)
        asked.each([0])
        assert asked.enough(4) < OWN_SECONDS + 1
        monkeypatch.setattr(isolated, "OWN_SECONDS", 0.1)  # a whole one is a wait for nothing
        job = ("ldp_verified.check.audit.rules.shared", "beside", "global_state", 0)
        with pytest.raises(EndedError, match="no answer in time"):
            asked.job(*job, calls=2, named=True)


def test_hanging_as_often_for_every_value_is_no_violation() -> None:
    found = audited("hangs_at_random", n=600, timeout=0.1)
    assert found.verdict is not AuditVerdict.VIOLATED


def test_state_lives_as_long_as_the_process_and_no_longer() -> None:
    with closing(Target("callable", "itertools:count().__next__.__call__").asked()) as asked:
        assert isinstance(asked, Isolated)
    with closing(Target("callable", "tests.broken.audit.targets:stuttering()").asked()) as asked:
        first = asked.each([0, 0, 0, 0])
        asked.fresh()
        second = asked.each([0, 0])
    assert first[0] == first[1] != first[2] == first[3]
    assert second[0] == second[1]
    assert second[0] not in first


def test_no_two_processes_have_one_generator() -> None:
    with closing(Target("callable", HOME + "told").asked()) as asked:
        runs = []
        for _ in range(2):
            runs.append(asked.each([0] * 200))
            asked.fresh()
    assert runs[0] != runs[1]  # equal by chance with probability below 1e-40


@pytest.mark.parametrize("target", ["sys:exit(0)", "os:_exit(0)", "no.such:f", "math:pi"])
def test_a_target_that_ends_while_it_loads_is_refused(target: str) -> None:
    done = process("audit", target, "--epsilon", 1, "--inputs", "0,1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "TARGET" in done.stderr


def test_the_command_line_goes_on_and_its_document_is_whole() -> None:
    options = ["--epsilon", 1, "--inputs", "0..3", "-n", 3000, "--no-checks", "--json"]
    found = document(run("audit", f"{HOME}exits", *options))
    assert (found["exit_code"], found["verdict"]) == (1, "violated")
    found = document(run("audit", f"{HOME}chatters", *options, "--level", 1e-9))
    assert any("standard streams" in note for note in found["notes"])
    done = process("audit", f"{HOME}chatters", *options, "--level", 1e-9, "--in-process")
    assert json.loads(done.stdout)["exit_code"] == done.returncode


def test_a_closure_is_audited_in_a_copy_of_the_process() -> None:
    """An end there fails the test; in this process only an exception can be seen."""
    kept = [ending.ends]

    def leaves(value: int) -> int:
        return kept[0](value)

    with pytest.raises(AssertionError, match="ended its process: exit code 0"):
        assert_ldp(leaves, epsilon=1.0, inputs=range(4), n=400)
    with pytest.raises(AssertionError, match="eps >="):
        assert_ldp(ending.exits, epsilon=1.0, inputs=range(4), n=4000, in_process=True)
    found = assert_ldp(ending.told, epsilon=1.0, inputs=range(4), in_process=True)
    assert any("own process" in note for note in found.notes)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"cos\nsystem\n(S'true'\ntR.",
        b"\x80\x04}\x94.",
        b"\x80\x04\x95",
        b"N",
        b"\x80\x04K\x01",
    ],
)
def test_bytes_that_are_no_output_are_refused(data: bytes) -> None:
    with pytest.raises(wire.FrameError):
        wire.unpacked(data)
