"""Sets of items from a file, one user's set a line, and a protocol that mines them.

All lines are checked before anything is drawn. A line that breaks a rule is named by its number:
whoever reads the message learns that about this line, and not what stands there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.deploy.collect.choose import AUTO
from ldp_verified.deploy.collect.lines import lists
from ldp_verified.deploy.collect.run import chunk_rows
from ldp_verified.deploy.collect.survey import Progress, silent
from ldp_verified.deploy.collect.table import TableError, at
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import (
    SVIM,
    SVSM,
    ItemSets,
    LDPMiner,
    PaddedHashing,
    PaddedResponse,
    SamplingRappor,
    SamplingSuccinctHistogram,
    padded_sampling,
)
from ldp_verified.protocols.candidates import within
from ldp_verified.protocols.padding import MOST_PLACES, PaddedSampling
from ldp_verified.protocols.set_mining import SetMining
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.kernels.seeds import checked_seed, word_source
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.spellings import meant

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from ldp_verified.deploy.collect.domain import ColumnDomain
    from ldp_verified.run.aggregate.tabulated import Tabulated

Miner = SetMining | PaddedSampling
Itemset = tuple[int, ...]

_WITHOUT_LENGTH: Final[Mapping[str, Callable[[float, int, int], Miner]]] = {
    "svim": lambda epsilon, k, top: SVIM(epsilon, k, min(top, k)),
    "svsm": SVSM,
}
_WITH_LENGTH: Final[Mapping[str, Callable[[float, int, int, int], Miner]]] = {
    "ldpminer": LDPMiner,
    "padding": lambda epsilon, k, length, _: padded_sampling(epsilon, k, length),
    "paddedresponse": lambda epsilon, k, length, _: PaddedResponse(epsilon, k, length),
    "paddedhashing": lambda epsilon, k, length, _: PaddedHashing(epsilon, k, length),
    "samplingsuccincthistogram": lambda epsilon, k, length, _: SamplingSuccinctHistogram(
        epsilon, k, length
    ),
    "samplingrappor": lambda epsilon, k, length, _: SamplingRappor(epsilon, k, length),
}


def miners() -> tuple[str, ...]:
    """The names that `miner` takes."""
    return (*_WITHOUT_LENGTH, *_WITH_LENGTH)


def miner(name: str, epsilon: float, k: int, length: int | None, top: int) -> Miner:
    """A protocol on sets by its name.

    Args:
        name: one of `miners()` in letters of either case, or "auto" for SVIM; "padding" is the
            better one of PaddedResponse and PaddedHashing.
        epsilon: of a user's whole transcript. k: how many items there are, at least 2.
        length: to how many items sets are padded or cut; None where the protocol finds it.
        top: how many items, or sets of items, are named.

    Raises:
        ParameterError: no such name, no length where one is needed, or one is out of range.
    """
    wanted = "svim" if name == AUTO else meant(name, miners())
    if wanted is None:
        raise ParameterError("--mechanism", f"must be one of {', '.join(miners())} for sets", name)
    if wanted in _WITHOUT_LENGTH:
        return _WITHOUT_LENGTH[wanted](epsilon, k, top)
    if length is None:
        rule = f"must be given: to how many items {name} pads a set"
        raise ParameterError("--length", rule)
    return _WITH_LENGTH[wanted](epsilon, k, length, top)


def read_sets(
    path: Path,
    domain: ColumnDomain,
    *,
    length: int | None = None,
    cut: bool = False,
    empty: bool = False,
    progress: Progress = silent,
) -> ItemSets:
    """The sets of a file, one user's set a line: a JSON list, or the cells of CSV.

    Args:
        path: a text file, plain or packed like those of `open_column`; see `lines.lists`.
        domain: the public items; with `other`, all items that are not in it count as that one.
        length: how many items a set may have; None for any number.
        cut: whether longer ones are let through, which a protocol will cut.
        empty: whether a set may have no item.
        progress: told of the lines done.

    Raises:
        TableError: the file cannot be read, or holds no line.
        DomainError: a set is empty, longer, has an item twice or one outside the domain. The
            message has the number of the line, and not the item.
        ParameterError: length is out of range.
    """
    if length is not None:
        check_integer("length", length, 1, MOST_PLACES)
    number = {value: place for place, value in enumerate(domain.values)}
    elsewhere = None if domain.other is None else len(domain.values)
    items, sizes = array("q"), array("q")
    for line, listed in lists(path):
        own = set(listed)
        if not listed and not empty:
            _refuse(path, line, "must hold an item or more; --empty lets users hold none")
        if len(own) < len(listed):
            _refuse(path, line, "must not hold an item twice")
        if length is not None and len(own) > length and not cut:
            rule = f"must hold at most {length} items, as --length says; --cut cuts longer sets"
            _refuse(path, line, rule)
        places = {number.get(item, elsewhere) for item in listed}
        if None in places:
            rule = f"must hold items of the domain alone ({len(number):,} in {domain.origin}); "
            _refuse(path, line, rule + "--unknown other counts all others as one more item")
        items.extend(sorted(place for place in places if place is not None))
        sizes.append(len(places))
        if not len(sizes) % 100_000:
            progress("reading", len(sizes), None)
    if not sizes:
        raise TableError(str(path), "must hold at least one line, the set of one user")
    return ItemSets(np.array(items, dtype=np.int64), np.array(sizes, dtype=np.int64))


def _refuse(path: Path, line: int, rule: str) -> None:
    raise DomainError(at(path, line), f"{rule}. Nothing was randomized")


@dataclass(frozen=True)
class MinedFile:
    """The sets of items that a protocol found in a file.

    Attributes:
        path: of the file. domain: of the items. users: how many sets there were.
        protocol: that mined them. cut: whether it may have cut sets.
        found: the sets of items, with labels; of padding, all items.
        itemsets: the items of each of them by number.
        level: of intervals. seed: of a simulation; None for secure randomness.
        truth: how many users hold each of them, where it was asked for; int64 (sets,).
    """

    path: Path
    domain: ColumnDomain
    users: int
    protocol: Miner
    cut: bool
    found: Tabulated
    itemsets: tuple[Itemset, ...]
    level: float
    seed: int | None
    truth: NDArray[np.int64] | None


def mine_file(
    path: Path,
    domain: ColumnDomain,
    *,
    epsilon: float,
    mechanism: str = AUTO,
    length: int | None = None,
    cut: bool = False,
    empty: bool = False,
    top: int = 20,
    compare: bool = False,
    level: float = 0.95,
    seed: int | None = None,
    progress: Progress = silent,
) -> MinedFile:
    """Mine the sets of a file: each line is one user, who reports as the protocol says.

    Args:
        path, domain, length, cut, empty, progress: as in `read_sets`.
        epsilon, mechanism, top: as in `miner`.
        compare: count the users who hold what is named. The result is private no more.
        level: of intervals.
        seed: None for secure randomness; an integer for a simulation that can be repeated and
            protects nobody.

    Raises:
        TableError, DomainError: as `read_sets`.
        ParameterError: a parameter is out of range.
    """
    check_level(level, "--level")
    if seed is not None:
        checked_seed(seed, name="--seed")
    protocol = miner(mechanism, epsilon, domain.k, length, top)
    if cut and not isinstance(protocol, PaddedSampling | LDPMiner):
        rule = f"does not go with {type(protocol).__name__}, which finds the length by itself"
        raise ParameterError("--cut", rule)
    sets = read_sets(path, domain, length=length, cut=cut, empty=empty, progress=progress)
    found, itemsets = _mined(protocol, sets, domain, seed)
    truth = holders_of(sets, itemsets) if compare else None
    return MinedFile(path, domain, len(sets), protocol, cut, found, itemsets, level, seed, truth)


def _mined(
    protocol: Miner, sets: ItemSets, domain: ColumnDomain, seed: int | None
) -> tuple[Tabulated, tuple[Itemset, ...]]:
    source = word_source(seed, "collect", repr(protocol))
    if isinstance(protocol, SetMining):
        found = protocol.mine(sets, source).labelled(domain.labels)
        return found, found.sets
    state = protocol.empty(simulated=seed is not None)
    step = chunk_rows(protocol.bits_per_report)
    for begin in range(0, len(sets), step):
        own = sets.taken(np.arange(begin, min(begin + step, len(sets))))
        state.update(protocol.privatize(own, source))
    counts = protocol.estimate(state).labelled(domain.labels)
    return counts, tuple((item,) for item in range(domain.k))


def holders_of(sets: ItemSets, itemsets: tuple[Itemset, ...]) -> NDArray[np.int64]:
    """Count the users who hold all items of each of some sets, int64 (sets,)."""
    if not itemsets:
        return np.zeros(0, dtype=np.int64)
    return np.bincount(within(sets, itemsets).items, minlength=len(itemsets)).astype(np.int64)
