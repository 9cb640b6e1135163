"""What is audited: every client of every package, at its claim, by name where it has one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.environments import OPENDP, PEERS, Package

HERE = Path(__file__).resolve().parent
K, EPSILON = 8, 1.0

OLD = Package("pure-ldp-1.1.2", "", ("pure-ldp==1.1.2", "xxhash<4", "scikit-learn", "statsmodels"))
PURE = PEERS[0]
# Its histogram encoding imports scipy, which the package does not declare.
MULTI = Package("multi-freq-ldpy-audit", "", ("multi-freq-ldpy==0.2.5", "xxhash<4", "scipy"))
# It imports a name that scikit-learn 1.5 has no more.
DIFFPRIVLIB = Package("diffprivlib", "", ("diffprivlib==0.6.6", "scikit-learn<1.5"))
PYDP = Package("python-dp", "", ("python-dp==1.1.5",))
NPM = ("@stdlib/random-base-laplace@0.2.2", "jstat@1.9.6", "d3-random@3.0.2")

HASHES = "says:examples.audits.hashes:supports_"
NAMED = {
    "DE": ("grr", "same"),
    "GRR": ("grr", "same"),
    "SUE": ("sue", "bits"),
    "OUE": ("oue", "bits"),
    "BLH": ("olh", f"{HASHES}2"),
    "OLH": ("olh", f"{HASHES}4"),
    "HR": ("hadamard_response", "column"),
    "SS": ("subset_selection", "set"),
    "randomized_response": ("grr", "same"),
}
PURE_NAMES = [
    "DE",
    "SUE",
    "OUE",
    "BLH",
    "OLH",
    "FastLH",
    "HE",
    "HR",
    "HM",
    "CMS",
    "HCMS",
    "PCS",
    "SketchResponse",
    "RAPPOR",
]
SINGLE = ["GRR", "SUE", "OUE", "BLH", "OLH", "SS", "HE", "ADP"]
LONG = ["L-GRR", "L-SUE", "L-OUE", "L-OSUE", "L-SOUE", "L-ADP", "L-OLH", "L-BLH", "dBitFlipPM"]
TUPLES = [f"{how}-{name}" for how in ("SPL", "SMP") for name in ("GRR", "UE", "LH", "SS", "ADP")]
TUPLES += [f"RSpFD-{name}" for name in ("GRR", "UE_zero", "UE_rnd", "ADP")]
TUPLES += [
    f"L-{how}-{name}"
    for how in ("SPL", "SMP")
    for name in ("GRR", "SUE", "OUE", "OSUE", "SOUE", "ADP")
]
NOISES = [
    "Laplace",
    "LaplaceTruncated",
    "LaplaceFolded",
    "LaplaceBoundedDomain",
    "Geometric",
    "GeometricTruncated",
    "GeometricFolded",
    "Snapping",
    "Staircase",
]
CHOICES = ["ExponentialCategorical", "ExponentialHierarchical", "Exponential", "PermuteAndFlip"]
WITH_DELTA = ["LaplaceBoundedNoise", "Gaussian", "GaussianAnalytic", "GaussianDiscrete"]
DELTA = 1e-3


@dataclass(frozen=True)
class Case:
    """One audit.

    Attributes:
        name: package, version and mechanism.
        command: the program; names in braces stand for interpreters and programs that are made.
        mechanism, reading, parameters: what it is said to be; None for a blind search.
        inputs: the values; the two ends of the domain for noise on numbers, which tell most.
        epsilon, delta: the claim.
        decimals: numbers are rounded to so many before they are judged; None: not at all.
    """

    name: str
    command: str
    mechanism: str | None = None
    reading: str | None = None
    parameters: dict[str, object] = field(default_factory=dict)
    inputs: tuple[int, ...] = tuple(range(K))
    epsilon: float = EPSILON
    delta: float = 0.0
    decimals: int | None = None


def _of(package: Package, module: str, name: str, **claim: float) -> Iterator[Case]:
    version = package.requirements[0].replace("==", " ")
    epsilon = claim.get("epsilon", EPSILON)
    made = epsilon or EPSILON  # mechanisms of delta alone take no eps
    inputs = (0, K - 1) if claim.get("ends") else tuple(range(int(claim.get("values", K))))
    words = f'{{{package.name}}} {HERE / "peer.py"} {module} "{name}" {made} {max(inputs) + 1}'
    delta = claim.get("delta", 0.0)
    if name in NAMED:
        mechanism, reading = NAMED[name]
        buckets: dict[str, object] = {"g": {"BLH": "2", "OLH": "4"}[name]} if "LH" in name else {}
        yield Case(f"{version} as {name}", words, mechanism, reading, buckets)
    yield Case(f"{version} {name}", words, inputs=inputs, epsilon=epsilon, delta=delta)
    if "decimals" in claim:
        rounded = int(claim["decimals"])
        name = f"{version} {name}, rounded to {rounded}"
        yield Case(name, words, inputs=inputs, epsilon=epsilon, delta=delta, decimals=rounded)


def cases() -> Iterator[Case]:
    """All of them; those that have a name are also searched blindly."""
    for package in (OLD, PURE):
        names = PURE_NAMES if package is PURE else PURE_NAMES[:8]
        for name in names:
            yield from _of(package, "pure_ldp", name, **({"decimals": 6} if name == "HE" else {}))
    for name in ("PEM", "SFP", "TreeHist"):
        yield from _of(PURE, "pure_ldp", name)
    for name in (*SINGLE, *LONG, *TUPLES):
        extra = {"decimals": 6} if name == "HE" else {}
        yield from _of(MULTI, "multi_freq_ldpy", name, **extra)
    for name in (*NOISES, *CHOICES):
        floats = {"decimals": 6} if name.startswith(("Laplace", "Staircase")) else {}
        ends = {"ends": True} if name in NOISES else {}
        yield from _of(DIFFPRIVLIB, "diffprivlib", name, **floats, **ends)
    yield from _of(DIFFPRIVLIB, "diffprivlib", "Binary", values=2)
    yield from _of(DIFFPRIVLIB, "diffprivlib", "Bingham", decimals=6)
    for name in WITH_DELTA:
        yield from _of(DIFFPRIVLIB, "diffprivlib", name, delta=DELTA, ends=True)
    yield from _of(DIFFPRIVLIB, "diffprivlib", "Uniform", epsilon=0.0, delta=0.5, ends=True)
    yield from _of(OPENDP, "opendp", "randomized_response_bool", values=2)
    for name in ("randomized_response", "randomized_response_bitvec"):
        yield from _of(OPENDP, "opendp", name)
    for name in ("laplace float", "laplace int", "geometric"):
        yield from _of(OPENDP, "opendp", name, ends=True)
    for name in ("gaussian float", "gaussian int"):
        yield from _of(OPENDP, "opendp", name, delta=DELTA, ends=True)
    for name in ("Laplace float", "Laplace int"):
        yield from _of(PYDP, "pydp", name, ends=True)
    yield from _of(PYDP, "pydp", "Gaussian", delta=DELTA, ends=True)
    for name in ("stdlib", "jstat", "d3"):
        parts = next(each for each in NPM if name in each).rpartition("@")
        words = f"node {HERE / 'noise.js'} {{npm}} {name}"
        said = f"{parts[0]} {parts[2]}"
        inputs = tuple(range(K)) if name == "d3" else (0, K - 1)
        yield Case(said, words, inputs=inputs)
        if name != "d3":
            yield Case(f"{said}, rounded to 6", words, inputs=inputs, decimals=6)
    for leak in ("leaky", "mended"):
        five = tuple(range(5))
        yield Case(f"client.js {leak}", f"node {HERE / 'client.js'} {leak}", inputs=five)
        yield Case(f"client.c {leak}", f"{{{leak}}}")
