"""Targets that try to pass are found out, and those that only make a noise are not called broken.

Clean ones: level 1e-9. The others leak in clear, so that they are missed by a rounding only; level
0.01 where each leak costs a start of the process (75 of 300 calls, half of them tested: the bound
is above 1 from 20 on).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from ldp_verified.check.audit.budget import SpentError
from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets import channel
from ldp_verified.check.audit.targets.isolated import from_copy
from ldp_verified.check.audit.targets.sources import from_asked
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.whole_audit import audit_target
from ldp_verified.errors import ParameterError, printable
from tests.broken.audit import hostile
from tests.cli.running import run

HOME = "tests.broken.audit.hostile:"


def audited(name: str, n: int = 4000, level: float = 1e-9) -> AuditResult:
    target = Target("callable", HOME + name, (0, 1, 2, 3), timeout=3)
    return audit_target(target, Claim(1.0, level=level, n=n), checks=False, seed=1)


@pytest.mark.parametrize(
    "name",
    ["executes", "dies_later", "ends_from_a_thread", "generates", "writes_its_own_memory"],
)
def test_whatever_ends_the_process_for_one_value_is_found(name: str) -> None:
    assert audited(name, 300, 0.01).verdict is AuditVerdict.VIOLATED


@pytest.mark.parametrize(
    "name",
    [
        *("payload", "signed_zero", "number_or_truth", "numbers_of_two_kinds", "surrogates"),
        *("odd", "awaited", "seeds_with_it", "fixes_the_generator", "interrupts_later"),
    ],
)
def test_wherever_the_value_is_put_it_is_found(name: str) -> None:
    assert audited(name).verdict is AuditVerdict.VIOLATED


@pytest.mark.parametrize("name", ["masking()", "masked_late()", "walks()", "masks_bits()"])
def test_what_only_two_reports_tell_is_found(name: str) -> None:
    """Each report alone is noise; the rule says that it takes two."""
    found = audited(name)
    assert found.verdict is AuditVerdict.VIOLATED
    assert [each.rule for each in found.findings] == ["LDP013"]
    assert "two reports in a row" in found.findings[0].message


def test_a_difference_in_the_middle_of_much_is_found() -> None:
    assert audited("hidden_in_much", 400, 0.01).verdict is AuditVerdict.VIOLATED


@pytest.mark.parametrize("name", ["outlives", "at_its_end", "fair_surrogates", "prints_off"])
def test_what_tells_nothing_is_no_violation(name: str) -> None:
    """Threads and handlers that would go on for eleven days do not hold the audit up."""
    assert audited(name).verdict is not AuditVerdict.VIOLATED


def test_where_no_report_can_be_read_there_is_no_verdict() -> None:
    with pytest.raises(ParameterError, match="every call raised ModuleNotFoundError: import of"):
        audited("loses_numpy")


def test_large_reports_are_held_by_their_ends() -> None:
    assert audited("huge", 600).verdict is not AuditVerdict.VIOLATED


def test_more_than_can_be_held_ends_the_sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "MOST_HELD", 200_000)
    source = from_asked(from_copy(partial(_large, 3000), (0, 1)), (0, 1), "large")
    asked = source.ask
    with pytest.raises(SpentError, match="reports at once are more than can be held") as spent:
        asked(np.zeros(500, dtype=np.int64))
    assert 0 < len(spent.value.outputs) < 100
    source.close()


def _large(size: int, _: int) -> list[int]:
    return [10**9] * size


@pytest.mark.parametrize("name", ["unread_show_off", "prints_off"])
def test_a_target_cannot_write_our_headline(name: str, tmp_path: Path) -> None:
    """Names and texts of the target are shown with what a terminal would obey written out."""
    junit = tmp_path / "junit.xml"
    options = ("--epsilon", 1, "--inputs", "0..3", "-n", 2000, "--level", 1e-9, "--junit", junit)
    done = run("audit", HOME + name, *options)
    assert done.exit_code == 3
    assert "\x1b" not in done.output
    assert not any(line.startswith("consistent") for line in done.output.splitlines())
    ET.parse(junit)


def test_a_target_that_is_given_up_cannot_write_our_headline() -> None:
    """The name of its exception stands in our error: in one line, and nothing that acts."""
    done = run("audit", HOME + "shows_off", "--epsilon", 1, "--inputs", "0..3", "-n", 2000)
    assert done.exit_code == 2
    assert "every call raised \\n\\x1b[2Jconsistent with eps = 1.0\\n: 0" in done.stderr
    assert "\x1b" not in done.output
    assert not any(line.startswith("consistent") for line in done.output.splitlines())


def test_text_is_written_out() -> None:
    assert printable("é = 1") == "é = 1"
    assert printable("a\n\x1b[2J\ud800") == "a\\n\\x1b[2J\\ud800"


def test_all_targets_are_tried() -> None:
    """No hostile target stands there unused."""
    text = Path(__file__).read_text(encoding="utf-8")
    own = [
        name
        for name, each in vars(hostile).items()
        if getattr(each, "__module__", "") == hostile.__name__
    ]
    assert [name for name in own if name not in text and name != "Odd"] == []
