"""Writes the golden files of a release, once: `python -m tests.golden.write RELEASE`."""

from __future__ import annotations

import hashlib
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ldp_verified import protocols as p
from ldp_verified.deploy import Deployment
from ldp_verified.protocols.hashed_values import HashedValues
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.run import mechanisms as m
from ldp_verified.run.aggregate.arrow import write_reports
from ldp_verified.run.aggregate.reports import Reports
from tests.golden.plain import plain_reports, plain_state

HERE = Path(__file__).parent
DEPLOYED: dict[str, Deployment] = {
    "grr": Deployment(m.GRR(1.0, 3, categories=("a", "b", "\u00e4")), protocol="one", round=2),
    "oue": Deployment(m.OUE(1.0, 70)),
    "olh": Deployment(m.OLH(1.0, 20)),
    "subset": Deployment(m.SubsetSelection(1.0, 9)),
    "hrr": Deployment(m.HRR(1.0, 10)),
    "cms": Deployment(m.CMS(1.0, 20, buckets=8, rows=5)),
    "two_coins": Deployment(m.TwoCoins(Fraction(2, 3), Fraction(1, 4))),
    "duchi": Deployment(m.Duchi(1.0, (0, 10))),
    "laplace": Deployment(m.Laplace(1.0)),
    "vector": Deployment(p.DuchiVector(1.0, 5)),
    "she": Deployment(p.SHE(1.0, 3)),
    "sampled": Deployment(p.SampleOne(2.0, (3, 4))),
    "split": Deployment(p.Split(2.0, (3, 4))),
    "lgrr": Deployment(p.LGRR(4.0, 1.0, 3, categories=("x", "y", "z"))),
    "loloha": Deployment(p.LOLOHA(4.0, 1.0, 30)),
    "prefixes": Deployment(p.PrefixExtending(4.0, step=20)),
    "bit_reduction": Deployment(p.BitReduction(4.0, bits=3, cells=4)),
    "bit_groups": Deployment(p.BitGroups(4.0, bits=2, cells=4)),
    "signs": Deployment(p.SignMatrix(1.0)),
    "rappor": Deployment(p.Rappor(0.5, 0.25, 0.75, bits=16, hashes=2, cohorts=2)),
    "padded": Deployment(p.PaddedResponse(1.0, 9, 3)),
    "padded_hashed": Deployment(p.PaddedHashing(1.0, 20, 2)),
    "candidates": Deployment(p.CandidateCounts(1.0, 9, ((0, 1), (3,)), 2)),
    "sizes": Deployment(p.CandidateSizes(1.0, 9, ((0,), (3,), (2, 5)))),
    "regions": Deployment(p.SafeRegions({"all": ["in", "x"], "in": ["a", "b"]}, (0.5, 2.0))),
    "plane": Deployment(p.PlaneNoise(1.0, 40, 3)),
}
CLIENTS = ("lgrr", "loloha", "rappor")
IDS = (bytes(range(16)), bytes(range(16, 32)))


def device(deployment: Deployment) -> Any:
    """A client that a seed made, so that its secret is nobody's."""
    made = deployment.mechanism
    kind: Any = p.RapporClient if isinstance(made, p.Rappor) else p.MemoClient
    return kind(made, new_user=True, rng=7)


def values(deployment: Deployment) -> list[Any]:
    """A few values."""
    made = deployment.mechanism
    if isinstance(made, p.Rappor):
        return ["a", "b", "a"]
    if isinstance(made, p.PaddedSampling):
        return [[], [1], [2, 0], [0, 1, 2, 3]]
    if isinstance(made, p.PlaneNoise):
        return [[0, 2], [39, 0], [17, 1]]
    if isinstance(made, p.SafeRegions):
        return ["a", "b", "a", "x"]
    if hasattr(made, "sizes"):
        return [[j % size for size in made.sizes] for j in range(6)]
    if hasattr(made, "bounds"):
        low, high = made.bounds
        few = np.linspace(low, high, 6).tolist()
        return [[each] * made.d for each in few] if hasattr(made, "d") else few
    if isinstance(made, HashedValues):
        return [0, 1, 1, 2, 3, 1] * 9 if made.bits else ["a", "b"] * 20
    listed = made.categories or range(made.k)
    return [listed[i % made.k] for i in range(6)]


def choices(deployment: Deployment) -> dict[str, Any]:
    """What users choose beside their value."""
    if isinstance(deployment.mechanism, p.SafeRegions):
        return {"region": ["in", "in", "all", "all"], "epsilon": [0.5, 2.0, 0.5, 2.0]}
    return {}


def write(folder: Path) -> None:
    """Write all; there is no such folder yet."""
    folder.mkdir()
    expected: dict[str, Any] = {}
    for name, deployment in DEPLOYED.items():
        deployment.save(folder / f"{name}.json")
        collector = deployment.collector(simulated=True)
        if name in CLIENTS:
            client = device(deployment)
            reports = [client.report(value) for value in values(deployment)]
            (folder / f"{name}.client").write_text(client.save())
            permanent = [client.permanent(value).tolist() for value in values(deployment)]
            expected[f"{name}.client"] = permanent
        else:
            reports = deployment.mechanism.privatize(values(deployment), 7, **choices(deployment))
        single = deployment.to_bytes(reports)[0]
        batch = deployment.to_batch(reports, IDS[0])
        (folder / f"{name}.report").write_bytes(single)
        (folder / f"{name}.text").write_text(deployment.to_text(reports)[0])
        (folder / f"{name}.batch").write_bytes(batch)
        collector.add(batch)
        collector.save(folder / f"{name}.collector")
        states = collector.state if isinstance(collector.state, tuple) else (collector.state,)
        expected[name] = {
            "report": plain_reports(deployment.from_bytes(single)),
            "batch": plain_reports(deployment.from_bytes(batch)),
            "states": [plain_state(state) for state in states],
        }
    grr = DEPLOYED["grr"].mechanism
    batch_of = Reports(np.array([0, 2, 2, 1], np.uint8), grr.identity, simulated=False)
    state = grr.empty(simulated=False).update(batch_of, batch="monday")
    state.save(folder / "real.state")
    write_reports(folder / "real.parquet", batch_of)
    expected["real"] = {"state": plain_state(state), "reports": plain_reports(batch_of)}
    p.Registry({"u": (3, (1, 2)), "\u00e4": (1, ())}).save(folder / "users.registry")
    p.CounterFile(folder / "reports.counter").advance(17)
    book = SpendingBook(folder / "user.book", "3/2", new=True)
    book.spend("1/3", "a report")
    text = json.dumps(expected, indent=1, sort_keys=True) + "\n"
    (folder / "expected.json").write_text(text, encoding="utf-8")
    listed = "".join(
        f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {folder.name}/{each.name}\n"
        for each in sorted(folder.iterdir())
    )
    with (HERE / "SHA256SUMS").open("a", encoding="utf-8") as sums:
        sums.write(listed)


if __name__ == "__main__":
    write(HERE / sys.argv[1])
