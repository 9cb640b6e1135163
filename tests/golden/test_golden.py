"""Every release reads what every earlier one wrote."""

from __future__ import annotations

import hashlib
import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ldp_verified import protocols as p
from ldp_verified.deploy import load_deployment
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.run.aggregate.arrow import read_reports
from tests.golden.plain import plain_reports, plain_state

HERE = Path(__file__).parent
RELEASES = sorted(each for each in HERE.iterdir() if (each / "expected.json").exists())
CASES = [(folder, each.stem) for folder in RELEASES for each in sorted(folder.glob("*.collector"))]


def expected(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def the_same(found: Any, said: Any) -> None:
    """Integers and flags exactly, numbers up to roundings of 2^-40."""
    if isinstance(said, dict):
        assert found.keys() == said.keys()
        for key, value in said.items():
            the_same(found[key], value)
    elif isinstance(said, list):
        assert len(found) == len(said)
        for one, other in zip(found, said, strict=True):
            the_same(one, other)
    elif isinstance(said, float):
        assert found == pytest.approx(said, rel=2**-40)
    else:
        assert type(found) is type(said)
        assert found == said


def test_there_are_golden_files() -> None:
    assert len(CASES) >= 16


def changed(here: Path) -> list[str]:
    """The golden files that are no longer there, or hold something else, or nobody listed."""
    lines = (here / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    kept = dict(line.split("  ")[::-1] for line in lines)
    found = {
        f"{folder.name}/{each.name}": hashlib.sha256(each.read_bytes()).hexdigest()
        for folder in here.iterdir()
        if (folder / "expected.json").exists()
        for each in folder.iterdir()
    }
    return sorted(name for name in kept | found if kept.get(name) != found.get(name))


def test_no_golden_file_was_written_again_or_removed() -> None:
    assert changed(HERE) == []


def test_what_was_written_again_or_removed_is_seen(tmp_path: Path) -> None:
    copied = tmp_path / "golden"
    shutil.copytree(HERE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    (folder,) = (copied / each.name for each in RELEASES[:1])
    (folder / "new").write_text("x")
    (folder / "grr.batch").unlink()
    with (folder / "grr.json").open("ab") as file:
        file.write(b"\n")
    names = [f"{folder.name}/{name}" for name in ("grr.batch", "grr.json", "new")]
    assert changed(copied) == names


@pytest.mark.parametrize(("folder", "name"), CASES, ids=lambda each: getattr(each, "name", each))
def test_reports_and_collectors_are_read(folder: Path, name: str) -> None:
    said = expected(folder)[name]
    deployment = load_deployment(folder / f"{name}.json")
    single = (folder / f"{name}.report").read_bytes()
    text = (folder / f"{name}.text").read_text()
    batch = (folder / f"{name}.batch").read_bytes()
    the_same(plain_reports(deployment.from_bytes(single)), said["report"])
    the_same(plain_reports(deployment.from_bytes(text)), said["report"])
    the_same(plain_reports(deployment.from_bytes(batch)), said["batch"])
    assert deployment.to_bytes(deployment.from_bytes(single)) == [single]
    counted = deployment.collector(simulated=True)
    counted.add(batch)
    for collector in (deployment.load_collector(folder / f"{name}.collector"), counted):
        states = collector.state if isinstance(collector.state, tuple) else (collector.state,)
        the_same([plain_state(state) for state in states], said["states"])


@pytest.mark.parametrize("folder", RELEASES, ids=lambda folder: folder.name)
def test_clients_give_the_same_permanent_answers(folder: Path) -> None:
    clients = sorted(folder.glob("*.client"))
    assert clients
    for each in clients:
        made: Any = load_deployment(folder / f"{each.stem}.json").mechanism
        kind: Any = p.RapporClient if isinstance(made, p.Rappor) else p.MemoClient
        client = kind.restore(each.read_text(), made)
        said = expected(folder)[each.name]
        six = ["a", "b", "a"] if kind is p.RapporClient else (made.categories or range(made.k))
        values = [six[i % len(six)] for i in range(len(said))]
        assert [client.permanent(value).tolist() for value in values] == said


@pytest.mark.parametrize("folder", RELEASES, ids=lambda folder: folder.name)
def test_states_tables_registries_counters_and_books_are_read(folder: Path) -> None:
    made: Any = load_deployment(folder / "grr.json").mechanism
    said = expected(folder)["real"]
    the_same(plain_state(made.load(folder / "real.state")), said["state"])
    (reports,) = read_reports(folder / "real.parquet")
    the_same(plain_reports(reports), said["reports"])
    users = p.Registry.load(folder / "users.registry").users
    assert users == {"u": (3, (1, 2)), "\u00e4": (1, ())}
    assert p.CounterFile(folder / "reports.counter").seen() == 17
    (entry,) = SpendingBook(folder / "user.book", "3/2").entries()
    assert entry == (Fraction(1, 3), "a report")
