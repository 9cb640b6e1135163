"""Rules LDP007 and LDP012 test what a target does with generators that others share.

LDP012 finds noise that comes from where public values come from. Reports of local hashing, cohorts
or sketches carry public values: a seed, an index. A generator whose output is published can be run
back (Mersenne Twister after 624 words) and then gives the noise as well; a generator that is seeded
with the public value gives it at once. The rule looks twice:

- It starts every call from the same state of the generators that can be reached (those of `random`
  and `numpy.random`, and what a copy of the target holds). Where the whole output is then fixed,
  and some part of it is the same for every input but varies with the state, that part is public
  and comes from the generator of the noise.
- It watches the seeds of new generators during calls (`random.Random`, `numpy.random.seed`,
  `RandomState`, `default_rng`). One that stands in the output is public.

Neither is statistics. Generators inside compiled code, and functions of numpy that were imported by
name before, are not seen.

M. Matsumoto, T. Nishimura (1998), Mersenne Twister.
"""

from __future__ import annotations

import copy
import random
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from ldp_verified.check.audit.rules.rules import Finding, told
from ldp_verified.check.audit.targets.keys import items, key
from ldp_verified.check.audit.targets.outputs import call
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

STATES = 24
CALLS = 60
LOOKED_AT = 6
"""Inputs whose outputs are compared."""

SMALLEST = 256
"""Seeds below this are not looked for in outputs: small numbers stand there by chance."""


@contextmanager
def kept_state() -> Iterator[None]:
    """The shared generators are put back."""
    old: Any = random.getstate(), np.random.get_state()  # noqa: NPY002  (the state that others use)
    try:
        yield
    finally:
        random.setstate(old[0])
        np.random.set_state(old[1])  # noqa: NPY002  (as above)


def global_state(function: Callable[[Any], Any], value: Any) -> list[Finding]:
    """LDP007: the shared generators end in a state that does not depend on where they were."""
    old = random.getstate(), np.random.get_state()  # noqa: NPY002  (the state that others share)
    found = []
    try:
        after = []
        for start in (1, 2):
            random.seed(start)
            np.random.seed(start)  # noqa: NPY002  (as above)
            call(function, value)
            state: Any = np.random.get_state()  # noqa: NPY002  (as above)
            after.append((random.getstate(), (state[1].tobytes(), state[2])))
        for name, position in (("random", 0), ("numpy.random", 1)):
            if after[0][position] == after[1][position]:
                words = f"a call sets the global state of {name} to a fixed one"
                found.append(Finding("LDP007", words, {"generator": name}))
    finally:
        random.setstate(old[0])
        np.random.set_state(old[1])  # noqa: NPY002  (as above)
    return found


def beside(function: Callable[[Any], Any], name: str, about: Any) -> list[Any]:
    """Run one of the looks of this module beside the target, in its process.

    Args:
        function: the target.
        name: of the look.
        about: an input, or all of them.
    """
    looks: dict[str, Any] = {"global_state": global_state, "shared_generator": shared_generator}
    return told(looks[name](function, about))


def calls(inputs: int) -> int:
    """The calls that `shared_generator` makes at most, for so many inputs."""
    return STATES * (1 + 2 * min(inputs, LOOKED_AT)) + CALLS


def shared_generator(function: Callable[[Any], Any], inputs: Sequence[Any]) -> list[Finding]:
    """Return the findings of both looks at a shared generator."""
    with kept_state():
        found = _from_one_state(function, inputs[:LOOKED_AT])
        seeded = _published_seed(function, inputs[0])
    return found + seeded


def _from_one_state(function: Callable[[Any], Any], inputs: Sequence[Any]) -> list[Finding]:
    """Public items, where the same state always gives the same output."""
    rows: list[list[list[Any]]] = []
    for state in range(STATES):
        row = []
        call(function, inputs[0])  # so that what the target holds is in another state each time
        for value in inputs:
            twice = []
            for _ in range(2):
                try:
                    own = copy.deepcopy(function)
                except Exception:  # some hold locks or files: what is shared is still put back
                    own = function
                random.seed(state)
                np.random.seed(state)  # noqa: NPY002  (as above)
                twice.append(call(own, value))
            if key(twice[0]) != key(twice[1]):
                return []
            parts = items(twice[0])
            if parts is None or len(parts) < 2:
                return []
            row.append(parts)
        rows.append(row)
    width = min(len(parts) for row in rows for parts in row)
    public, noisy = [], False
    for i in range(width):
        columns = [{key(parts[i]) for parts in row} for row in rows]
        seen = set().union(*columns)
        if all(len(column) == 1 for column in columns):
            public += [i] if len(seen) > STATES // 2 else []
        else:
            noisy = True
    if not public or not noisy:
        return []
    words = (
        f"items {public} of the output do not depend on the input and come from the same "
        "generator as the rest: whoever reads enough of them can run it back"
    )
    return [Finding("LDP012", words, {"items": public})]


def _published_seed(function: Callable[[Any], Any], value: Any) -> list[Finding]:
    """A generator that is seeded with a number of its own output, in every call."""
    found = 0
    for _ in range(CALLS):
        seeds: set[int] = set()
        with _watched(seeds):
            output = call(function, value)
        numbers = _numbers(output)
        found += any(abs(seed) >= SMALLEST and seed in numbers for seed in seeds)
    if found < CALLS // 2:
        return []
    words = (
        f"in {found} of {CALLS} calls a generator is seeded with a number that stands in the "
        "output: noise that comes from it is known to whoever reads the report"
    )
    return [Finding("LDP012", words, {"calls": found})]


def _numbers(output: Any) -> set[int]:
    parts = items(output) or [output]
    return {int(p) for p in parts if is_integer(p)}


@contextmanager
def _watched(seeds: set[int]) -> Iterator[None]:
    """Seeds that are given to new generators, as far as they are whole numbers."""

    def noting(original: Any) -> Any:
        def seeding(*given: Any, **named: Any) -> Any:
            for each in (*given, *named.values()):
                if is_integer(each):
                    seeds.add(int(each))
            return original(*given, **named)

        return seeding

    old = random.Random.seed

    def seed(self: random.Random, *given: Any, **named: Any) -> None:
        noting(lambda *a, **k: old(self, *a, **k))(*given, **named)

    places = [(np.random, name) for name in ("seed", "RandomState", "default_rng")]
    with mock.patch.object(random.Random, "seed", seed):
        patches = [mock.patch.object(at, name, noting(getattr(at, name))) for at, name in places]
        for patch in patches:
            patch.start()
        try:
            yield
        finally:
            for patch in patches:
                patch.stop()
