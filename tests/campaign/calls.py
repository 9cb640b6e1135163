"""Constructors, values and reports: what is odd is refused by the package's own errors."""

from __future__ import annotations

import copy
import json
import pickle
import signal
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ldp_verified import protocols
from ldp_verified.deploy import Deployment
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.serial import identity_record
from ldp_verified.run.mechanisms import GRR
from tests.campaign.made import LISTED, MADE, TREE, WIDE
from tests.campaign.odd import each_odd, odd
from tests.campaign.outcome import Outcome
from tests.mechanisms.parameters import CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 20
"""Seconds of one call before it counts as lost."""


@contextmanager
def in_time() -> Iterator[None]:
    """A call that takes too long ends in an error that is nobody's own."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def constructors(rng: np.random.Generator, count: int) -> Outcome:
    """Each odd value for each argument alone, then random pairs of them.

    What is made all the same can be said, sent and copied.
    """
    outcome = Outcome("constructors")
    for name, (_made, given) in MADE.items():
        for argument in given:
            for never, value in each_odd():
                _construct(outcome, name, {argument: (never, value)})
    names = sorted(name for name, (_made, given) in MADE.items() if len(given) > 1)
    for _ in range(count):
        name = names[int(rng.integers(len(names)))]
        pair = sorted(rng.choice(sorted(MADE[name][1]), size=2, replace=False).tolist())
        _construct(outcome, name, {argument: odd(rng) for argument in pair})
    return outcome


def _construct(outcome: Outcome, name: str, odd_ones: dict[str, tuple[bool, Any]]) -> None:
    """Make one object with usual arguments except some: (whether it is never one, a value)."""
    made, given = MADE[name]
    arguments = given | {argument: value for argument, (_never, value) in odd_ones.items()}
    never = any(
        odd_one and not _may_be(argument, value) for argument, (odd_one, value) in odd_ones.items()
    )

    def what() -> str:
        return f"{name}({arguments!r:.300})"

    with in_time():
        good, found = outcome.call(what, partial(made, **arguments))
        if good and never:
            outcome.fail("accepted", what())
        if good:
            outcome.call(what, partial(travelled, found))


def _may_be(argument: str, value: Any) -> bool:
    """Whether an odd value is right here: a number, a list of candidates, labels of attributes."""
    if argument in LISTED:
        return True
    if argument == "sizes" and repr(value) == "[[1, 2], 3]":
        return True
    return isinstance(value, int | np.integer | None) and not isinstance(value, bool)


def travelled(made: Any) -> None:
    """Check that an object has a text, an identity of JSON values, and equal copies."""
    repr(made)
    identity = getattr(made, "identity", None)
    if identity is not None:
        json.dumps(identity_record(identity), allow_nan=False)
    if pickle.loads(pickle.dumps(made)) != made:
        raise AssertionError("another after pickling")


def takers() -> dict[str, Any]:
    """Calls that take private values."""
    found = {
        name: made(**given).privatize for name, (made, given) in MADE.items() if name in CLASSES
    }
    plain = ["DuchiVector", "SphereVector", "Gaussian", "SHE"]
    plain += ["Split", "SampleOne", "SampleAmongFakes"]
    found |= {n: MADE[n][0](**MADE[n][1]).privatize for n in (*plain, "PlaneNoise", *WIDE)}
    for name in WIDE:
        found[f"words of {name}"] = MADE[name][0](4.0).privatize
        found[f"candidates of {name}"] = counted_words(MADE[name][0](4.0)).estimate
    places = protocols.SafeRegions(TREE, (1.0,))
    found["SafeRegions"] = partial(places.privatize, region="east", epsilon=1.0)
    found["client of SafeRegions"] = places.client("east", 1.0, 1).report
    labelled = GRR(1.0, 3, categories=["a", "b", "c"])
    found["labelled"] = labelled.privatize
    found["in threads"] = lambda values: labelled.privatize_in_threads(values, 2)
    found["numbers in threads"] = lambda values: GRR(1.0, 3).privatize_in_threads(values, 2)
    found["simulated"] = lambda values: GRR(1.0, 3).simulate_counts(values, 1)
    found["pmf"] = lambda value: GRR(1.0, 3).pmf(0, value)
    found["variance"] = MADE["Duchi"][0](1.0).variance
    for name in ("LGRR", "LOLOHA", "LSUE", "DBitFlip"):
        made, given = MADE[name]
        found[f"client of {name}"] = protocols.MemoClient(made(**given), new_user=True).report
    lettered = protocols.LGRR(2.0, 1.0, 3, categories=("a", "b", "c"))
    found["labelled client"] = protocols.MemoClient(lettered, new_user=True).report
    rappor = protocols.Rappor(0.5, 0.25, 0.75, 32, 2, 4)
    strings = protocols.RapporPopulation(rappor, ("a", "b"))
    found["RAPPOR"] = strings.first_reports
    found["RAPPOR with a memory"] = protocols.RapporMemoPopulation(strings, 3, 1).report
    flips = protocols.MemoPopulation(MADE["DBitFlip"][0](**MADE["DBitFlip"][1]), 3, 1)
    found["DBitFlip with a memory"] = flips.report
    return found


def values() -> Outcome:
    """Each odd value of a user for each call; errors hold none of them."""
    outcome = Outcome("values", private=True)
    for name, taken in takers().items():
        for never, value in each_odd():

            def what(name: str = name, value: Any = value) -> str:
                return f"{name}({value!r:.300})"

            with in_time():
                good, _found = outcome.call(what, partial(taken, value))
            if good and never and not (_may_be_words(name, value) or _are_own(name, value)):
                outcome.fail("accepted", what())
    return outcome


def _may_be_words(name: str, value: Any) -> bool:
    """Whether a value is several texts, for a call that takes texts of any length up to 15."""
    wanted = name.startswith(("words of", "candidates of"))
    return (
        wanted
        and isinstance(value, np.ndarray | pa.Array)
        and all(isinstance(each, str) for each in value.tolist())
    )


def _are_own(name: str, value: Any) -> bool:
    """Whether a value is an array of objects that are the class's own values, or their numbers."""
    own = getattr(CLASSES.get(name), "own_labels", None)
    return (
        own is not None
        and isinstance(value, np.ndarray)
        and value.dtype == object
        and all(type(each) is int and each in (*own, 0, 1) for each in value.ravel().tolist())
    )


def counted_words(made: Any) -> Any:
    """A state of a protocol that has seen three words."""
    return Deployment(made).format.empty().update(made.privatize(["a", "b", "c"]))


def counters() -> dict[str, tuple[Any, Any]]:
    """(What wraps and counts reports, an empty state of it)."""
    names = [*CLASSES, "DuchiVector", "SphereVector", "Gaussian", "SHE"]
    made = {name: MADE[name][0](**MADE[name][1]) for name in names}
    return {name: (each, each.empty()) for name, each in made.items()}


def odd_rows(rng: np.random.Generator, right: np.ndarray[Any, Any]) -> Any:
    """Right reports with something wrong, or something else."""
    rows = right.copy()
    match int(rng.integers(10)):
        case 0:
            return odd(rng)[1]
        case 1:
            return np.ma.array(rows, mask=rng.random(rows.shape) < 0.5)
        case 2:
            return rows.astype(float)
        case 3:
            return rows[np.newaxis]
        case 4:
            return rows.reshape(-1)[:-1]
        case 5:
            return rows.astype(object)
        case 6:
            return -1 - rows.astype(np.int64)
        case 7:
            rows.reshape(-1)[int(rng.integers(rows.size))] = np.iinfo(rows.dtype).max
            return rows
        case 8:
            flat = rows.view(np.uint8).reshape(-1)
            flat[int(rng.integers(len(flat)))] ^= np.uint8(1 << int(rng.integers(8)))
            return rows
        case _:
            return rows.tolist()


def rows(rng: np.random.Generator, count: int) -> Outcome:
    """Odd arrays for reports: refused, or counted each once."""
    outcome = Outcome("report rows")
    held = counters()
    right = {}
    for name, (made, _state) in held.items():
        many = hasattr(made, "k")
        shape = (4, made.d) if hasattr(made, "d") else (4,)
        low, high = (0, 1) if many else getattr(made, "bounds", (-1, 1))
        given = low + (high - low) * rng.random(shape)
        if many:
            given = np.asarray(getattr(made, "labels", range(made.k)))[rng.integers(0, made.k, 4)]
        right[name] = np.asarray(made.privatize(given, 1).data)
    names = sorted(held)
    for _ in range(count):
        name = names[int(rng.integers(len(names)))]
        made, empty = held[name]
        array = odd_rows(rng, right[name])

        def what(name: str = name, array: Any = array) -> str:
            return f"{name}.reports({array!r:.300})"

        good, wrapped = outcome.call(what, partial(made.reports, array, simulated=False))
        if good and (isinstance(array, np.ma.MaskedArray) or len(wrapped) != len(array)):
            outcome.fail("accepted", what())
        if not isinstance(array, np.ndarray):
            continue

        def counted(made: Any = made, empty: Any = empty, array: Any = array) -> Any:
            return copy.copy(empty).update(Reports(array, made.identity))

        good_too, state = outcome.call(what, counted)
        if good_too and (not good or state.n != len(array)):
            outcome.fail("accepted", f"counted: {what()}")
    return outcome


def columns(rng: np.random.Generator, count: int) -> Outcome:
    """Odd arrays in the reports of protocols: refused, or counted each once."""
    outcome = Outcome("report columns")
    held = {name: MADE[name][0](**MADE[name][1]) for name in (*WIDE, "BitReduction")}
    right = {name: made.privatize([0, 1, 2, 3]) for name, made in held.items()}
    names = sorted(held)
    for _ in range(count):
        name = names[int(rng.integers(len(names)))]
        reports = right[name]
        named = [field.name for field in fields(reports)]
        chosen = named[int(rng.integers(len(named)))]
        given = getattr(reports, chosen)
        other = odd_rows(rng, given) if isinstance(given, np.ndarray) else odd(rng)[1]
        state = Deployment(held[name]).format.empty()

        def what(name: str = name, chosen: str = chosen, other: Any = other) -> str:
            return f"{name}, {chosen} = {other!r:.300}"

        def counted(
            state: Any = state, reports: Any = reports, chosen: str = chosen, other: Any = other
        ) -> Any:
            return state.update(replace(reports, **{chosen: other}))

        good, _found = outcome.call(what, counted)
        if state.rows != (len(reports) if good else 0):
            outcome.fail("accepted", what())
    return outcome
