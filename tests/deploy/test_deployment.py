"""Deployments of everything: descriptors, reports, collectors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.deploy import Deployment, load_deployment
from ldp_verified.deploy import deployment as deployment_module
from ldp_verified.deploy.descriptor import CLASSES
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import (
    LOLOHA,
    ChangeTree,
    PaddedSampling,
    PlaneNoise,
    SafeRegions,
    SampleOne,
    Split,
    VotedMean,
)
from ldp_verified.protocols.hashed_values import HashedValues
from ldp_verified.run.aggregate.files import replacing
from ldp_verified.run.aggregate.kept import KeptReports
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.mechanisms import GRR, OUE, Duchi, Piecewise
from tests.deploy.deployed import (
    DEPLOYMENTS,
    MADE,
    has_memory,
    is_numbered,
    name_of,
    reports_of,
    same,
)

ROOT = Path(__file__).parents[2]


def test_everything_is_deployed_here() -> None:
    assert {type(made).__name__ for made in MADE} == set(CLASSES)


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_a_descriptor_is_the_deployment(deployment: Deployment, tmp_path: Path) -> None:
    deployment.save(tmp_path / "d.json")
    again = load_deployment(tmp_path / "d.json")
    assert (again, again.text, again.digest) == (deployment, deployment.text, deployment.digest)
    assert deployment.text.isascii()
    record = json.loads(deployment.text)
    numbers = 32 if is_numbered(deployment.mechanism) else 0
    assert record["payload_bits"] == deployment.mechanism.bits_per_report + numbers


def test_a_descriptor_in_use_is_not_replaced(tmp_path: Path) -> None:
    """Its reports are in the field, and nobody can read them without it."""
    path = tmp_path / "deployment.json"
    first = Deployment(GRR(1.0, 5))
    first.save(path)
    first.save(path)
    with pytest.raises(ParameterError, match="path: must not replace another file"):
        Deployment(GRR(1.0, 6)).save(path)
    assert load_deployment(path).tag == first.tag


def test_a_descriptor_that_another_writer_was_faster_with_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deployment.json"
    first = Deployment(GRR(1.0, 5))

    @contextmanager
    def slowly(place: Path, check: Callable[[], None] | None = None) -> Iterator[Path]:
        with replacing(place, check) as part:
            yield part
            monkeypatch.undo()
            first.save(path)

    monkeypatch.setattr(deployment_module, "replacing", slowly)
    with pytest.raises(ParameterError, match="path: must not replace another file"):
        Deployment(GRR(1.0, 6)).save(path)
    assert load_deployment(path).tag == first.tag
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
@pytest.mark.parametrize("seed", [None, 1])
def test_reports_travel(deployment: Deployment, seed: int | None) -> None:
    reports = reports_of(deployment.mechanism, seed)
    batch = deployment.to_batch(reports)
    assert same(deployment.from_bytes(batch), reports)
    singles = deployment.to_bytes(reports)
    assert {len(each) for each in singles} == {12 + deployment.payload_bytes}
    direct = deployment.format.counted(deployment.format.empty(seed is not None), reports)
    for pieces in ([batch], singles, deployment.to_text(reports)):
        collector = deployment.collector(simulated=seed is not None)
        counted = [collector.add(each) for each in pieces]
        assert counted == ([len(singles)] if pieces == [batch] else [1] * len(singles))
        assert collector.n == len(singles)
        assert _counts(direct) == _counts(collector.state)


def _counts(state: Any) -> Any:
    if isinstance(state, tuple):
        return [_counts(each) for each in state]
    if isinstance(state, KeptReports):
        return [column.tolist() for column in state.columns], state.simulated
    if hasattr(state, "ones") and isinstance(state.ones, np.ndarray):
        return state.reports.tolist(), state.ones.tolist(), state.simulated
    return state


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_simulated_reports_are_refused_unless_asked_for(deployment: Deployment) -> None:
    collector = deployment.collector()
    for data in (
        deployment.to_batch(reports_of(deployment.mechanism, 1)),
        deployment.to_bytes(reports_of(deployment.mechanism, 1))[0],
    ):
        with pytest.raises(ReportError, match="simulated"):
            collector.add(data)
    assert collector.n == 0


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_reports_of_others_are_neither_written_nor_read(deployment: Deployment) -> None:
    other = Deployment(deployment.mechanism, round=1)
    assert other.digest != deployment.digest
    reports = reports_of(deployment.mechanism)
    for data in (deployment.to_batch(reports), *deployment.to_bytes(reports)):
        with pytest.raises(ReportError, match="foreign"):
            other.from_bytes(data)
    foreign = GRR(2.0, 7).privatize(1)
    for wrong in ("text", None, 7, np.zeros(3, np.uint8), [b"a"], foreign):
        with pytest.raises(ReportError):
            deployment.to_batch(wrong)


def test_what_was_wrapped_by_anyone_is_checked_before_it_is_sent() -> None:
    made = GRR(1.0, 50)
    with pytest.raises(ReportError, match=r"0\.\.49"):
        Deployment(made).to_bytes(Reports(np.array([50], np.uint8), made.identity))
    bits = OUE(1.0, 3)
    with pytest.raises(ReportError, match="bit 3"):
        Deployment(bits).to_bytes(Reports(np.array([[8]], np.uint64), bits.identity))
    number = Duchi(1.0)
    with pytest.raises(ReportError, match="0"):
        Deployment(number).to_bytes(Reports(np.array([9], np.uint8), number.identity))
    split = Split(2.0, (3, 4))
    wrong = tuple(Reports(np.array([3], np.uint8), part.identity) for part in split.parts)
    with pytest.raises(ReportError, match=r"0\.\.2"):
        Deployment(split).to_batch(wrong)
    uneven = (split.parts[0].privatize([0]), split.parts[1].privatize([0, 1]))
    with pytest.raises(ReportError, match="as many users"):
        Deployment(split).to_batch(uneven)


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_all_reports_have_bytes_of_their_own(deployment: Deployment) -> None:
    """One report of a device alone, all others as a batch; a tuple has no methods of its own."""
    reports = reports_of(deployment.mechanism)
    if isinstance(reports, tuple):
        return
    first = reports[0] if isinstance(reports, list) else reports
    data = first.to_bytes(deployment)
    assert (len(data) == 12 + deployment.payload_bytes) == isinstance(reports, list)
    assert same(type(first).from_bytes(data, deployment), first)
    assert deployment.collector().add(data) == (
        1 if isinstance(reports, list) else len(deployment.to_bytes(reports))
    )
    with pytest.raises(ReportError, match="foreign"):
        first.from_bytes(data, Deployment(deployment.mechanism, round=1))
    with pytest.raises(ReportError):
        first.from_bytes(data[:-1], deployment)


def test_reports_have_bytes_of_their_own() -> None:
    deployment = Deployment(GRR(1.0, 50))
    reports = deployment.mechanism.privatize([1, 2, 3])
    assert Reports.from_bytes(reports.to_bytes(deployment), deployment) == reports
    tuples = Deployment(SampleOne(2.0, (3, 4)))
    data = tuples.to_batch(reports_of(tuples.mechanism))
    with pytest.raises(ReportError, match="whose reports are Reports"):
        Reports.from_bytes(data, tuples)


def test_the_client_of_the_page_is_one(tmp_path: Path) -> None:
    """Somebody else's client, from the page alone: the law of its reports is that of the class."""
    page = (ROOT / "docs" / "wire-format.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    program = page.split("## A client of k-ary response")[1].split("```python")[1]
    exec(program.split("```")[0], names)
    assert names["crc24"](b"123456789") == 0x21CF02
    deployment = Deployment(GRR(1.0, 50))
    assert page.split("```json")[1].split("```")[0].strip() == deployment.text
    deployment.save(tmp_path / "d.json")
    published = (tmp_path / "d.json").read_bytes()
    collector = deployment.collector()
    drawn = iter([0, 356677434391466043, 356677434391466044, 2**64 - 1])
    names["secrets"] = type("Tape", (), {"randbits": lambda _: next(drawn)})
    for _ in range(4):
        collector.add(names["report"](published, 7))
    assert collector.state.counts[[0, 1, 7]].tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"mechanism": 5}, "mechanism: must be a mechanism"),
        ({"mechanism": GRR(1.0, 5), "round": -1}, "round"),
        ({"mechanism": GRR(1.0, 5), "round": True}, "round"),
        ({"mechanism": GRR(1.0, 5), "protocol": ""}, "protocol"),
        ({"mechanism": GRR(1.0, 5), "protocol": "a\nb"}, "protocol"),
        ({"mechanism": GRR(1.0, 5), "protocol": 3}, "protocol"),
        ({"mechanism": GRR(1.0, 5), "accepts": ()}, "accepts"),
        ({"mechanism": GRR(1.0, 5), "accepts": (1,)}, "accepts"),
        ({"mechanism": GRR(1.0, 5), "accepts": (1, 0)}, "accepts"),
        ({"mechanism": Split(1.0, (2, 3), lambda eps, k: OUE(eps / 2, k))}, "make"),
    ],
)
def test_what_cannot_be_deployed_is_refused(arguments: dict[str, Any], error: str) -> None:
    with pytest.raises(ParameterError, match=error):
        Deployment(**arguments)


def test_a_class_of_ones_own_is_refused() -> None:
    class Mine(GRR):
        pass

    with pytest.raises(ParameterError, match="must be a mechanism of the catalogue"):
        Deployment(Mine(1.0, 5))


def test_the_telemetry_example_runs(tmp_path: Path) -> None:
    """Two days of three users: at most 30 lines of a side, empty ones apart, and a kept device."""
    folder = ROOT / "examples" / "telemetry"
    made = {
        "browser": GRR(1.0, 4),
        "minutes": Piecewise(2.0, (0, 60)),
        "language": LOLOHA(2, 1, 3, categories=("de", "en", "fr")),
    }
    published = tmp_path / "deployments"
    published.mkdir()
    for name, each in made.items():
        Deployment(each).save(published / f"{name}.json")

    def ran(script: str, *arguments: object) -> str:
        lines = (folder / script).read_text(encoding="utf-8").splitlines()
        assert sum(map(bool, lines)) <= 30
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, str(folder / script), *map(str, arguments)]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=120, env=environment
        ).stdout

    for day in (1, 2):
        sent = [ran("device.py", published, tmp_path / f"u{u}", u, 9.5, "de") for u in range(3)]
        arrived = tmp_path / f"day{day}"
        arrived.write_text("".join(sent) + "browser 00\nnobody 00\n", encoding="ascii")
        shown = ran("server.py", published, tmp_path / "counted", arrived)
        assert shown.count("refused: ") == 2
    for name, each in made.items():
        assert Deployment(each).load_collector(tmp_path / "counted" / name).n == 6


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_a_batch_of_nobody_is_one(deployment: Deployment) -> None:
    made = deployment.mechanism
    nobody: Any = []
    if isinstance(made, PaddedSampling):
        nobody = made.reports(made.privatize([[]]).data[:0], simulated=False)
    elif isinstance(made, PlaneNoise):
        nobody = made.reports(np.empty((0, 2), int), simulated=False)
    elif isinstance(made, HashedValues | SafeRegions):
        some = reports_of(made)
        columns = {f.name: getattr(some, f.name)[:0] for f in fields(some)[1:-1]}
        nobody = replace(some, **columns)
    elif isinstance(made, ChangeTree | VotedMean):
        nobody = made.reports(np.empty(0, int), simulated=False)
    elif not has_memory(made):
        nobody = made.privatize(
            np.empty((0, len(made.sizes)), int) if hasattr(made, "sizes") else []
        )
    collector = deployment.collector()
    assert collector.add(deployment.to_batch(nobody)) == collector.n == 0
    assert deployment.to_bytes(nobody) == []
