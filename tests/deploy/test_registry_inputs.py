"""A registry is where its name says, and takes reports in any list, as bytes of any type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.deploy import registry as module
from ldp_verified.deploy.registry import PeriodRegistry, Sent
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.mechanisms import OUE
from tests.deploy.crashing import DEPLOYMENT, KEY
from tests.deploy.test_registry import drawn, opened

if TYPE_CHECKING:
    from pathlib import Path


def test_a_view_that_was_released_is_refused_alone(tmp_path: Path) -> None:
    registry, (first, second, third) = opened(tmp_path), drawn(3)
    gone: Any = memoryview(second)
    gone.release()
    answers = registry.accept_all([("a", "1", first), ("b", "1", gone), ("c", "1", third)])
    assert [each is True for each in answers] == [True, False, True]
    assert isinstance(answers[1], ReportError)
    assert registry.collector("1").n == 2
    with pytest.raises(ReportError, match="data"):
        registry.accept("b", "1", gone)
    with pytest.raises(ReportError, match="data: must be no view that was released"):
        DEPLOYMENT.collector().add(gone)
    with pytest.raises(ReportError, match="data: must be no view that was released"):
        State.from_bytes(gone, DEPLOYMENT.mechanism.oracle)


@pytest.mark.parametrize("name", [":memory:", "file:x?mode=memory", "file::memory:", "file:y.db"])
def test_a_name_that_means_something_to_sqlite_is_a_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was acknowledged is there when the registry is opened again, from another folder too."""
    monkeypatch.chdir(tmp_path)
    registry = PeriodRegistry(name, DEPLOYMENT, KEY, new=True)
    assert registry.accept("ann", "1", drawn(1)[0]) is True
    registry.close()
    assert (tmp_path / name).stat().st_size > 0
    assert [each.name for each in tmp_path.iterdir()] == [name]
    monkeypatch.chdir("/")
    assert PeriodRegistry(tmp_path / name, DEPLOYMENT, KEY).collector("1").n == 1


def test_what_comes_once_is_counted(tmp_path: Path) -> None:
    """Generators, plain tuples, lists, and bytes of other types are as `Sent` in a list."""
    registry, reports = opened(tmp_path), drawn(6)
    names = [f"u{place}" for place in range(6)]
    listed = [*zip(names, ["1"] * 6, reports, strict=True)]
    assert registry.accept_all(Sent(*each) for each in listed[:2]) == [True, True]
    assert registry.accept_all(iter(listed[:3])) == [False, False, True]
    assert registry.accept_all((listed[3], [*listed[4]])) == [True, True]  # type: ignore[arg-type]  # a list
    for again, kind in ((False, bytearray), (True, memoryview)):
        other: Any = kind(reports[5])
        assert registry.accept("u5", "1", other) is not again
    assert registry.collector("1").n == 6
    assert module.readable(DEPLOYMENT, (each for each in reports)) == [True] * 6
    damaged: Any = [reports[0], bytearray(reports[1])[:-1], memoryview(reports[2])]
    answers = module.readable(DEPLOYMENT, iter(damaged))
    assert [each is True for each in answers] == [True, False, True]


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        (None, "sent"),
        (3, "sent"),
        ([None], r"sent\[0\]"),
        ("abc", r"sent\[0\]"),
        ([("ann", "1")], r"sent\[0\]"),
        ([b"abc"], r"sent\[0\]"),
    ],
)
def test_what_is_no_report_with_its_names_is_refused(
    given: Any, argument: str, tmp_path: Path
) -> None:
    """All of it, before anything is counted, whatever comes before."""
    registry = opened(tmp_path)
    with pytest.raises(ParameterError, match=f"{argument}: must be reports: for each a user"):
        registry.accept_all(given)
    good = Sent("ann", "1", drawn(1)[0])
    with pytest.raises(ParameterError, match=r"sent\[1\]"):
        registry.accept_all([good, None])  # type: ignore[list-item]  # no report
    assert registry.collector("1").n == 0
    assert registry.accept_all([("ann", 1, "text")])[0] is not True  # type: ignore[list-item]  # a text


def test_an_empty_batch_as_long_as_a_report_is_none(tmp_path: Path) -> None:
    """It was acknowledged as a report that was counted before; nothing was counted."""
    wide = Deployment(OUE(1.0, 680))
    empty = wide.to_batch(wide.mechanism.privatize([]))
    assert len(empty) == wide.report_bytes
    registry = PeriodRegistry(tmp_path / "wide.db", wide, KEY, new=True)
    (report,) = wide.to_bytes(wide.mechanism.privatize([3]))
    answers = module.readable(wide, [empty, report])
    assert [each is True for each in answers] == [False, True]
    with pytest.raises(ReportError, match="data"):
        registry.accept("ann", "1", empty)
    assert registry.accept("ann", "1", report) is True
    assert registry.collector("1").n == 1
