"""A reading says which inputs an output speaks for.

A reading is a name, so that a finding can be replayed.

    same            the output is one of the inputs, and speaks for it
    same:I          item I of the output is
    bits            item v of the output is true: it speaks for value v
    set             the output is a collection of inputs, and speaks for each
    hash:MOD:FUNC   the output is (seed, bucket); it speaks for every v with FUNC(seed, v) = bucket
    says:MOD:FUNC   FUNC(output, v) says so
    digits:B,G      the output is m coefficients a and a bucket b; it speaks for every integer v
                    with sum of a_i times digit i of v in base B = b mod G (as this package hashes)
    column          the output is a column of Sylvester's Hadamard matrix (see `structures`)
    sign            the output is 2 j + s: a column and a sign; or a pair (j, +1 or -1)
    bucket:G        the output is a G + b: the number of a linear hash function and a bucket
    orthogonal:Q    the output is a point of a projective space over the field of Q elements
    blocks:L        the output is the index of a block of values: blocks:0.1.3,1.2.4,...
    xxh32:G         the output holds a seed and a bucket below G, in either order; it speaks for
                    every v with xxHash32 of v's text and that seed = bucket mod G; with xxh32:G,-1
                    or G,+1 the text of a number that is one less or more, with G,index of v's place
    noisy:M         item v of the output is a noisy number, M for the own value and 0 for others; it
                    speaks for v against w where item v is M or more and item w at most 0
    cms:MOD:FUNC    the output is (row, bits); it speaks for every v whose bit FUNC(row, v) is set
    hcms:MOD:FUNC   the output is (row, l, sign); for every v with that sign in row l of Sylvester's
                    matrix, column FUNC(row, v)
    own-cms:K,G,ROWS,SEED, own-hcms:...   reports of this package's sketches; ROWS 0 for all
    learnt:JSON     {"feature": a feature, "speaks": {its value: [indices of inputs]}}: as samples
                    that took no part in the test have shown (see `learn`)
    rare:JSON       exits, exceptions and other rare outputs, all of them at once (see `rare`)
    votes:D;READING several reports, each read so; v against w by D votes at least (see `votes`)
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.events import features, rare, sketches, structures, votes
from ldp_verified.check.audit.events.hashes import CONVENTIONS, hashed_text, hashed_to
from ldp_verified.check.audit.targets.called import resolve
from ldp_verified.check.audit.targets.keys import Raised, items, plain
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.check.audit.targets.batch import Batch

NUMBERED = ("column", "sign", "bucket", "orthogonal", "blocks")
OF_FUNCTION = ("hash", "says", "cms", "hcms")
OF_NUMBERS = {"digits": 2, "own-cms": 4, "own-hcms": 4}
WITH_PART = (
    *OF_FUNCTION,
    *OF_NUMBERS,
    "bucket",
    "orthogonal",
    "blocks",
    "xxh32",
    "noisy",
    "learnt",
    rare.HEAD,
    votes.HEAD,
)
NAMES = ("same", "bits", "set", "column", "sign", *WITH_PART)


def function(reference: str) -> Callable[..., Any]:
    """`package.module:name`, found as a target is; what it raises is an error of the reading.

    Raises:
        ParameterError: there is no such function.
    """
    found = resolve(reference, "--reading")
    if not callable(found):
        raise ParameterError("--reading", "must name a function", reference)

    def called(*arguments: Any) -> Any:
        try:
            return found(*arguments)
        except (Exception, SystemExit) as error:
            problem = f"must read every report ({type(error).__name__}: {error})"
            raise ParameterError("--reading", problem, reference) from None

    return called


@dataclass(frozen=True)
class OutputReading:
    """How to read outputs.

    Attributes:
        name: see the module.
        inputs: the audited inputs, whose indices are values.
    """

    name: str
    inputs: tuple[Any, ...] = field(hash=False)  # which may be dictionaries or hold lists

    @property
    def single(self) -> bool:
        """Return whether an output speaks for at most one input."""
        return self.name.partition(":")[0] in ("same", rare.HEAD)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The index of each input by its text."""
        return {plain(label): i for i, label in enumerate(self.inputs)}

    @cached_property
    def _slots(self) -> NDArray[np.int64]:
        """Return the bit vector's index of each input: the input itself if all are integers."""
        if all(isinstance(label, int) and 0 <= label < 1 << 62 for label in self.inputs):
            return np.array(self.inputs, dtype=np.int64)
        return np.arange(len(self.inputs))

    @cached_property
    def _learnt(self) -> tuple[str, dict[str, frozenset[int]]]:
        """The feature, and which inputs its values speak for."""
        held = json.loads(self.name.partition(":")[2])
        return held["feature"], {k: frozenset(v) for k, v in held["speaks"].items()}

    @cached_property
    def _function(self) -> Callable[..., Any]:
        return function(self.name.partition(":")[2])

    def guesses(self, batch: Batch) -> NDArray[np.int64]:
        """The input that each output speaks for, -1 for none."""
        head, _, rest = self.name.partition(":")
        if head == rare.HEAD:
            return rare.guesses(rest, self.positions, batch.outputs)
        outputs, column = batch.outputs, None
        if rest and batch.matrix is not None and batch.matrix[0].dtype.kind in "iub":
            matrix = batch.matrix[0]
            if not -matrix.shape[1] <= int(rest) < matrix.shape[1]:
                return np.full(len(batch), -1, dtype=np.int64)
            column = matrix[:, int(rest)]
        elif not rest and isinstance(outputs, np.ndarray) and outputs.ndim == 1:
            column = outputs
        if column is not None:
            found, codes = np.unique(column, return_inverse=True)
            table = [self.positions.get(plain(value), -1) for value in found.tolist()]
            return np.array(table, dtype=np.int64)[codes.ravel()]
        positions = self.positions
        if not rest:
            return np.array([positions.get(plain(o), -1) for o in outputs], dtype=np.int64)
        at = int(rest)
        parts = (part or () for part in batch.parts)
        return np.array(
            [positions.get(plain(p[at]), -1) if -len(p) <= at < len(p) else -1 for p in parts],
            dtype=np.int64,
        )

    def supports(self, batch: Batch, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether each output speaks for the input at the index chosen for it."""
        head = self.name.partition(":")[0]
        if self.single:
            return np.asarray(self.guesses(batch) == chosen)
        if head == "digits":
            return self._digits(batch, chosen)
        if head in NUMBERED:
            return self._numbered(batch, self._slots[chosen])
        if head == "xxh32":
            g, _, convention = self.name.partition(":")[2].partition(",")
            texts = [hashed_text(self.inputs[i], i, convention) for i in chosen.tolist()]
            return hashed_to(batch.outputs, texts, int(g))
        if head == "bits":
            return self._bits(batch, self._slots[chosen])
        if head == "noisy":
            most = float(self.name.partition(":")[2])
            return np.asarray(self._noisy(batch, self._slots[chosen]) >= most)
        if head == votes.HEAD:
            margin, _ = votes.parted(self.name.partition(":")[2])
            return np.asarray(self._votes(batch, chosen) >= margin)
        if "cms" in head:
            return self._sketch(batch, chosen)
        if head == "learnt":
            codes, table = self.learnt_table(batch)
            return np.asarray(table[codes, chosen])
        if head == "set":
            wanted = [plain(label) for label in self.inputs]
            return np.array(
                [wanted[i] in held for held, i in zip(batch.held, chosen.tolist(), strict=True)],
                dtype=np.bool_,
            )
        says: Callable[[Any, Any], bool] = self._hashed if head == "hash" else self._says
        return np.array(
            [
                says(output, self.inputs[i])
                for output, i in zip(batch.outputs, chosen.tolist(), strict=True)
            ],
            dtype=np.bool_,
        )

    def against(
        self, batch: Batch, own: NDArray[np.int64], other: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """1 where an output speaks for `own` and not for `other`, -1 the other way, else 0."""
        head = self.name.partition(":")[0]
        if head == votes.HEAD:
            margin, _ = votes.parted(self.name.partition(":")[2])
            ahead = self._votes(batch, own) - self._votes(batch, other)
            return np.asarray(np.sign(ahead) * (np.abs(ahead) >= margin), dtype=np.int64)
        (mine, not_mine), (theirs, not_theirs) = (self.sides(batch, at) for at in (own, other))
        for_own = (mine & not_theirs).astype(np.int64)
        return np.asarray(for_own - (theirs & not_mine), dtype=np.int64)

    def sides(
        self, batch: Batch, chosen: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return whether each output speaks for the input chosen for it, and whether against it."""
        if self.name.partition(":")[0] != "noisy":
            held = self.supports(batch, chosen)
            return held, ~held
        found = self._noisy(batch, self._slots[chosen])
        most = float(self.name.partition(":")[2])
        return np.asarray(found >= most), np.asarray(found <= 0)

    def learnt_table(self, batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The row of each output, and the inputs that each row speaks for: of `learnt` readings."""
        name, speaks = self._learnt
        coded = features.values(name, batch)
        none: frozenset[int] = frozenset()
        table = np.zeros((len(coded.labels), len(self.inputs)), dtype=np.bool_)
        for row, label in zip(table, coded.labels, strict=True):
            row[list(speaks.get(label, none))] = True
        return coded.codes, table

    def _votes(self, batch: Batch, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        def supports(name: str, several: Batch, indices: NDArray[np.int64]) -> NDArray[np.bool_]:
            return OutputReading(name, self.inputs).supports(several, indices)

        _, reading = votes.parted(self.name.partition(":")[2])
        return votes.counted(batch, reading, chosen, supports)

    def _noisy(self, batch: Batch, slots: NDArray[np.int64]) -> NDArray[np.float64]:
        """The item of each output at its slot, NaN where it is no number."""
        if batch.matrix is not None:
            matrix = batch.matrix[0]
            inside = slots < matrix.shape[1]
            found = matrix[np.arange(len(batch)), np.where(inside, slots, 0)]
            return np.where(inside, found.astype(np.float64), np.nan)
        rows = []
        for output, slot in zip(batch.outputs, slots.tolist(), strict=True):
            part = (items(output) or [])[slot : slot + 1]
            number = bool(part) and isinstance(part[0], int | float | np.number)
            rows.append(float(part[0]) if number else np.nan)
        return np.array(rows, dtype=np.float64)

    def _sketch(self, batch: Batch, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        head, _, rest = self.name.partition(":")
        if head in OF_FUNCTION:
            values = [self.inputs[i] for i in chosen.tolist()]
            read = sketches.bits if head == "cms" else sketches.signs
            return read(batch.outputs, values, self._function)
        k, g, rows, seed = map(int, rest.split(","))
        table = sketches.own_table(k, g, rows, seed)
        if head == "own-hcms":
            numbers = _whole_numbers(batch, signed=False)
            return sketches.own_sign(np.maximum(numbers, 0), self._slots[chosen], table, g)
        if batch.matrix is None:
            return np.zeros(len(batch), dtype=np.bool_)
        return sketches.own_bits(batch.matrix[0], self._slots[chosen], table)

    def _bits(self, batch: Batch, slots: NDArray[np.int64]) -> NDArray[np.bool_]:
        if batch.matrix is not None:
            matrix = batch.matrix[0]
            inside = slots < matrix.shape[1]
            found = matrix[np.arange(len(batch)), np.where(inside, slots, 0)]
            return np.asarray((found > 0) & inside)
        rows = []
        for output, slot in zip(batch.outputs, slots.tolist(), strict=True):
            parts = items(output) or ()
            rows.append(slot < len(parts) and _set(parts[slot]))
        return np.array(rows, dtype=np.bool_)

    def _digits(self, batch: Batch, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        if batch.matrix is None:
            return np.zeros(len(batch), dtype=np.bool_)
        base, buckets = (int(part) for part in self.name.partition(":")[2].split(","))
        rows = batch.matrix[0].astype(np.int64)
        return structures.digits(rows, self._slots[chosen], base, buckets)

    def _numbered(self, batch: Batch, values: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Outputs that are no whole numbers speak for nothing."""
        head, _, rest = self.name.partition(":")
        found = structures.of_number(head, rest)
        numbers = _whole_numbers(batch, signed=head == "sign")
        if found is None:
            raise ParameterError("reading", "must be one of numbers", self.name)
        fits = numbers >= 0
        return found(np.where(fits, numbers, 0), values) & fits

    def _hashed(self, output: Any, value: Any) -> bool:
        parts = items(output) or ()
        return len(parts) == 2 and bool(self._function(parts[0], value) == parts[1])

    def _says(self, output: Any, value: Any) -> bool:
        return not isinstance(output, Raised) and bool(self._function(output, value))


def _set(part: Any) -> bool:
    """Return whether an item of a vector stands for a one; an array is none."""
    return not isinstance(part, np.ndarray) and part not in (0, "0", False, -1, "")


def _whole_numbers(batch: Batch, *, signed: bool) -> NDArray[np.int64]:
    """Outputs as numbers >= 0, -1 where they are none; a pair (j, +-1) as 2 j + (sign is -1)."""
    outputs = batch.outputs
    if isinstance(outputs, np.ndarray) and outputs.ndim == 1 and outputs.dtype.kind in "iu":
        if outputs.dtype == np.uint64:
            return np.minimum(outputs, np.uint64((1 << 62) - 1)).astype(np.int64)
        return outputs.astype(np.int64)

    def one(output: Any) -> int:
        if signed and (parts := items(output)) is not None and len(parts) == 2:
            j, side = (_number(part) for part in parts)
            return 2 * j + (side == -1) if j >= 0 and side in (-1, 1) else -1
        return _number(output)

    return np.array([one(output) for output in outputs], dtype=np.int64)


def _number(value: Any) -> int:
    """A whole number of at most 62 bits; -2 for anything else."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if type(value) is int and abs(value) < 1 << 61 else -2


def _part_rule(head: str, rest: str) -> bool:
    """Return whether the part of a reading is what its head needs."""
    if (head in WITH_PART) != bool(rest):
        return head == "same"
    try:
        if head in NUMBERED:
            structures.of_number(head, rest)
        if head == "xxh32":
            g, comma, convention = rest.partition(",")
            return int(g) >= 2 and (not comma or convention in CONVENTIONS)
        if head in ("bucket", "orthogonal"):
            return int(rest) >= 2
        if head in OF_NUMBERS:
            return len([int(part) for part in rest.split(",")]) == OF_NUMBERS[head]
        if head == "noisy":
            return float(rest) > 0
        if head == "learnt":
            return set(json.loads(rest)) == {"feature", "speaks"}
        if head == rare.HEAD:
            return rare.fits(rest)
        if head == votes.HEAD:
            check(votes.parted(rest)[1])
    except ValueError:
        return False
    return head not in OF_FUNCTION or ":" in rest


def check(name: str) -> None:
    """Refuse a name that is no reading."""
    head, _, rest = name.partition(":")
    if head not in NAMES or not _part_rule(head, rest):
        raise ParameterError("reading", f"must be one of {', '.join(NAMES)} with its part", name)
    if head in OF_FUNCTION:
        function(rest)


def learnt(feature: str, speaks: dict[str, list[int]]) -> str:
    """The name of a reading that was learnt."""
    return "learnt:" + json.dumps({"feature": feature, "speaks": speaks}, sort_keys=True)


def shown(name: str, most: int = 60) -> str:
    """A reading in a message."""
    if name.startswith("learnt:"):
        held = json.loads(name.partition(":")[2])
        return f"learnt from {held['feature'].partition(':')[0]}, {len(held['speaks'])} values"
    if name.startswith(f"{rare.HEAD}:"):
        return rare.shown(name.partition(":")[2])
    return name if len(name) <= most else name[: most - 3] + "..."
