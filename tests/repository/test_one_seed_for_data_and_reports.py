"""A simulation that seeds its data and its reports alike is right, whatever draws the reports.

The experiment is the one that went wrong once: data from `default_rng(s)`, reports with `rng=s`,
with `default_rng(s)`, and with the very generator that drew the data. Every public class that draws
goes through it, in every way that it draws; and sources that are wrong do not pass.
"""

from __future__ import annotations

import ast
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR, BinaryRR, FairCoins, KeepOrUniform, Warner
from ldp_verified.protocols import Split
from ldp_verified.run.kernels import seeds
from ldp_verified.run.kernels.keyed import KeyedWords
from ldp_verified.run.realize import simulate
from tests.broken import seeds as planted
from tests.repository import seeded, seeded_places
from tests.repository.test_corners import USUAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
BULK = seeded.bulk() | seeded_places.bulk()
DEVICES = seeded.devices() | seeded_places.devices()

LIMIT = 8.0
"""Standard errors. A normal variable is beyond with probability 1.3e-15."""

USERS = 5000
SHARE = 0.7

DATA: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "random": lambda rng, n: rng.random(n) < SHARE,
    "integers": lambda rng, n: rng.integers(0, 2, n),
    "choice": lambda rng, n: rng.choice(2, n, p=[1 - SHARE, SHARE]),
    "random_raw": lambda rng, n: rng.bit_generator.random_raw(n) >> 63,
}


def held(how: str, rng: np.random.Generator, n: int) -> NDArray[np.int64]:
    """Return which of two values each user holds."""
    return np.asarray(DATA[how](rng, n)).astype(np.int64)


@pytest.mark.parametrize("name", BULK)
def test_estimates_are_right_where_data_and_reports_have_one_seed(name: str, seed: int) -> None:
    """Null: given the data, each estimate is normal around the truth with its standard error.

    n = 5000 users, some 140 ways to draw, 8 pairs of data and `rng` (3 where the code is shared
    with `privatize`), at most 8 values: 1.3e-15 each, 2e-11 together. What shares a word for each
    report with the data is off by 14 standard errors or more (below), an estimate that is off by 12
    is missed with probability < 1e-4.
    """
    for how in DATA if name.endswith(".privatize") else ["random"]:
        used = np.random.default_rng(seed)
        bits = held(how, used, USERS)
        sources: list[Any] = [seed]
        if how.startswith("random"):
            sources += [np.random.default_rng(seed), used]
        for rng in sources:
            worst = float(np.abs(BULK[name](bits, rng)).max())
            assert worst < LIMIT, (how, type(rng).__name__)


@pytest.mark.parametrize("name", DEVICES)
def test_devices_with_seeds_that_follow_each_other_are_right(name: str, seed: int) -> None:
    """As above, with n = 200 devices of which number i has the seed s + i, or one generator.

    The data are of the seed s, or of number i's own seed. 10 ways, 3 pairs: 4e-13 together.
    """
    users = 200
    used = np.random.default_rng(seed)
    bits = held("random", used, users)
    own = [held("random", np.random.default_rng(seed + i), 1)[0] for i in range(users)]
    for data, rng in ((bits, seed), (np.array(own), seed), (bits, used)):
        assert float(np.abs(DEVICES[name](data, rng)).max()) < LIMIT


ONE_WORD = ["BinaryRR", "FairCoins", "GRR", "Grades", "HalfPlus", "KeepOrUniform", "Split"]
ONE_WORD += ["TwoCoins", "Warner"]
"""Classes that take one word for each report, so that a shared stream shows in the estimate."""


@pytest.mark.parametrize("name", ONE_WORD)
def test_the_experiment_rejects_the_words_of_a_generator(name: str, seed: int) -> None:
    """Planted: the words that drew the data draw the reports as well."""
    for s in range(seed, seed + 5):
        bits = held("random", np.random.default_rng(s), USERS)
        assert float(np.abs(BULK[f"{name}.privatize"](bits, planted.raw(s))).max()) > LIMIT


def test_the_experiment_rejects_devices_with_the_words_of_their_data(seed: int) -> None:
    """Planted: each user's value and report are of one stream, one user after the other."""
    bits, lies = [], []
    for s in range(seed, seed + 2000):
        bits.append(held("random", np.random.default_rng(s), 1)[0])
        report = Warner(0.25).privatize(bits[-1:], planted.raw(s))
        lies.append(int(report.data[0]) != bits[-1])
    assert abs(correlation(np.array(bits), np.array(lies))) * 2000**0.5 > LIMIT


def simulated(name: str, seed: int) -> tuple[list[int], list[float]]:
    """For 400 seeds: how many of 40 users hold the second value, and the error of the first.

    So few that numpy finds a binomial number by one uniform one.
    """
    truths, errors = [], []
    for s in range(seed, seed + 400):
        truths.append(int(np.random.default_rng(s).binomial(40, 0.5)))
        bits = (np.arange(40) < truths[-1]).astype(np.int64)
        errors.append(float(BULK[name](bits, s)[0]))
    return truths, errors


def correlation(a: Any, b: Any) -> float:
    """Pearson's."""
    return float(np.corrcoef(np.asarray(a, dtype=float), np.asarray(b, dtype=float))[0, 1])


@pytest.mark.parametrize("name", ["GRR.simulate_counts", "RapporPopulation.simulate_counts"])
def test_errors_of_simulated_counts_say_nothing_of_the_data(name: str, seed: int) -> None:
    """Null: no correlation over 400 seeds; sqrt(n) r is beyond 8 with probability < 1e-14."""
    assert abs(correlation(*simulated(name, seed))) * 20 < LIMIT


def test_that_rejects_a_generator_of_the_seed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "numpy_generator", planted.raw_generator)
    assert abs(correlation(*simulated("GRR.simulate_counts", seed))) * 20 > LIMIT


def recorded(
    name: str, seed: Any, monkeypatch: pytest.MonkeyPatch, kind: type[KeyedWords] = KeyedWords
) -> dict[bytes, list[int]]:
    """By label, the first words of every source that a few users' values are drawn from."""
    found: dict[bytes, list[int]] = {}
    numbers = seeds.numpy_generator

    def words(secret: bytes, label: bytes, *, simulated: bool = False) -> KeyedWords:
        found[label] = kind(secret, label, simulated=simulated).words(20).tolist()
        return kind(secret, label, simulated=simulated)

    def numpy_generator(rng: Any, *domain: Any) -> np.random.Generator:
        found[repr(domain).encode()] = numbers(rng, *domain).bit_generator.random_raw(20).tolist()
        return numbers(rng, *domain)

    with monkeypatch.context() as patched:
        patched.setattr(seeds, "KeyedWords", words)
        patched.setattr(simulate, "numpy_generator", numpy_generator)
        {**BULK, **DEVICES}[name](np.arange(20) % 2, seed)
    return found


def shared(
    seed: int, monkeypatch: pytest.MonkeyPatch, kind: type[KeyedWords] = KeyedWords
) -> list[str]:
    """Return the ways of drawing that share words with data or another way, at one seed."""
    owners: dict[int, str] = {}
    of_data = [np.random.default_rng(seed)]
    of_data += map(np.random.default_rng, np.random.SeedSequence(seed).spawn(4))
    for generator in of_data:
        owners |= dict.fromkeys(generator.bit_generator.random_raw(1000).tolist(), "data")
    found = []
    for name in [*BULK, *DEVICES]:
        # Chunk after chunk is the same as all at once; a device is restored after it was new;
        # `PrefixRounds.mine` reads what `simulate` gives at the same seed; and what is planted for
        # this test counts the sources of one way once.
        owner = name.replace("_stream", "").replace(".restore", ".report")
        owner = owner.replace("PrefixRounds.mine", "PrefixRounds.simulate")
        drawn = {*itertools.chain.from_iterable(recorded(name, seed, monkeypatch, kind).values())}
        assert drawn, name
        if {owners.get(word, owner) for word in drawn} != {owner}:
            found.append(name)
        owners |= dict.fromkeys(drawn - owners.keys(), owner)
    return found


def test_one_seed_gives_no_two_of_them_the_same_words(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some 20,000 words of 64 bits: two are equal by chance with probability < 2e-11."""
    assert shared(seed, monkeypatch) == []


@pytest.mark.parametrize("kind", [planted.WithoutDomain, planted.WithoutParameters])
def test_a_hash_of_too_little_is_seen(
    kind: type[KeyedWords], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shared(seed, monkeypatch, kind)


LIARS: dict[str, Any] = {
    "GRR(1, 5)": GRR(1.0, 5),
    "GRR(2, 5)": GRR(2.0, 5),
    "GRR(1, 6)": GRR(1.0, 6),
    "KeepOrUniform(1, 5)": KeepOrUniform(1.0, 5),
    "BinaryRR(1)": BinaryRR(1.0),
    "FairCoins()": FairCoins(),
    "Warner(1/4)": Warner(0.25),
}


def lies(made: Any, rng: Any, n: int = USERS) -> NDArray[np.bool_]:
    """Whose report is not the value, where all hold 0."""
    values = np.zeros(n, dtype=np.int64)
    return np.asarray(made.privatize(values, rng).data != values)


def related(rows: list[NDArray[np.bool_]]) -> float:
    """The largest correlation of two rows, times sqrt(n): normal where there is none."""
    pairs = itertools.combinations(rows, 2)
    return max(abs(correlation(a, b)) * float(np.sqrt(len(a))) for a, b in pairs)


def test_lies_of_one_seed_are_independent_between_mechanisms(seed: int) -> None:
    """Null: no correlation; n = 5000, 21 pairs and two kinds of `rng`: 6e-14 together."""
    assert related([lies(made, seed) for made in LIARS.values()]) < LIMIT
    alike = [lies(made, np.random.default_rng(seed)) for made in LIARS.values()]
    assert related(alike) < LIMIT


def test_lies_of_neighbouring_seeds_and_of_one_generator_are_independent(seed: int) -> None:
    """As above: 28 pairs each."""
    made, one = LIARS["GRR(1, 5)"], np.random.default_rng(seed)
    following = [seed + i for i in range(4)] + [seed + (i << 64) for i in range(1, 5)]
    assert related([lies(made, s) for s in following]) < LIMIT
    assert related([lies(made, one) for _ in range(8)]) < LIMIT
    assert related([lies(made, seed), lies(made, np.random.default_rng(seed))]) < LIMIT


def test_lies_about_several_attributes_are_independent(seed: int) -> None:
    """As above: 3 pairs each; attributes of one size have one and the same mechanism."""
    values = np.zeros((USERS, 3), dtype=np.int64)
    for rng in (seed, np.random.default_rng(seed)):
        sent = Split(3.0, (5, 5, 5)).privatize(values, rng)
        assert related([reports.data != 0 for reports in sent]) < LIMIT


@pytest.mark.parametrize("source", [planted.secret_of_the_state, planted.secret_of_few_bits])
def test_a_secret_of_too_little_is_seen(
    source: Callable[..., bytes], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeds, "_secret", source)
    made, one = LIARS["GRR(1, 5)"], np.random.default_rng(seed)
    same = [lies(made, one), lies(made, one)], [lies(made, seed), lies(made, seed + (1 << 64))]
    assert max(map(related, same)) > LIMIT


@pytest.mark.parametrize("kind", [planted.WithoutDomain, planted.WithoutParameters])
def test_lies_under_a_hash_of_too_little_are_seen(
    kind: type[KeyedWords], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeds, "KeyedWords", kind)
    assert related([lies(made, seed) for made in LIARS.values()]) > LIMIT


@pytest.mark.parametrize("name", [*BULK, *DEVICES])
def test_a_seed_gives_the_same_again(name: str, seed: int) -> None:
    """Twice the same seed, or generators in the same state; it is what seeds are for."""
    run, bits = {**BULK, **DEVICES}[name], np.arange(40) % 2
    np.testing.assert_array_equal(run(bits, seed), run(bits, seed))
    one, other = (run(bits, np.random.default_rng(seed)) for _ in range(2))
    np.testing.assert_array_equal(one, other)


TRIED = {
    "AmongFakes.privatize",
    "Attributes.privatize",
    "BoundedRandomizer.privatize",
    "BoundedRandomizer.privatize_stream",
    "ChangeTree.privatize",
    "ClippedMean.simulate",
    "DayClient.__init__",
    "DayClient.restore",
    "DeclaredClient.__init__",
    "DeclaredProtocol.client",
    "DeclaredProtocol.privatize",
    "DuchiVector.privatize",
    "GroupClient.__init__",
    "GroupedHashing.client",
    "GroupedHashing.privatize",
    "GroupedHashing.simulate",
    "KeyValues.client",
    "KeyValues.privatize",
    "MemoClient.__init__",
    "MemoClient.restore",
    "MemoPopulation.__init__",
    "MessageShuffler.__init__",
    "OfNumbers.privatize",
    "OnePart.privatize",
    "PaddedSampling.client",
    "PaddedSampling.privatize",
    "PaddedSampling.simulate",
    "PaidClient.__init__",
    "PlaneNoise.privatize",
    "PrefixRound.privatize",
    "PrefixRoundClient.__init__",
    "PrefixRounds.client",
    "PrefixRounds.mine",
    "PrefixRounds.simulate",
    "QueryClient.__init__",
    "Randomizer.privatize",
    "Randomizer.privatize_in_threads",
    "Randomizer.privatize_stream",
    "Randomizer.simulate_counts",
    "RangeGrid.privatize",
    "RangeProtocol.client",
    "RapporClient.__init__",
    "RapporClient.restore",
    "RapporMemoPopulation.__init__",
    "RapporPopulation.first_reports",
    "RapporPopulation.simulate_counts",
    "SHE.privatize",
    "SafeRegionClient.__init__",
    "SafeRegions.client",
    "SafeRegions.privatize",
    "SafeRegions.simulate",
    "SampleOne.privatize",
    "SetClient.__init__",
    "SetMining.client",
    "SetMining.mine",
    "SetMining.simulate",
    "Shuffler.__init__",
    "SignClient.__init__",
    "SignMatrix.client",
    "SignMatrix.privatize",
    "SignMatrix.simulate",
    "SphereVector.privatize",
    "Split.privatize",
    "TextSketch.privatize",
    "TreeClient.__init__",
    "VotedMean.simulate",
    "VotingClient.__init__",
}
"""What takes `rng`: each is in `BULK` or `DEVICES`, under the names of its classes."""


def test_everything_that_takes_a_seed_is_tried() -> None:
    found = {
        f"{owner.name}.{method.name}"
        for folder in ("run", "protocols", "analysis/central", "analysis/interaction")
        for path in (ROOT / "ldp_verified" / folder).rglob("*.py")
        for owner in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(owner, ast.ClassDef)
        for method in owner.body
        if isinstance(method, ast.FunctionDef)
        if method.name == "__init__" or not method.name.startswith("_")
        if "rng" in {each.arg for each in [*method.args.args, *method.args.kwonlyargs]}
    }
    assert found == TRIED
    names = {name.split(".")[0] for name in [*BULK, *DEVICES]}
    for prefix in ("MemoClient of ", "MemoPopulation of "):
        names |= {name.removeprefix(prefix) for name in names}
    assert USUAL.keys() - names == {"BloomFilter", "Rappor"}, "functions, and what clients run"
