"""What is printed is the table that Python has, and changes with the spec."""

from __future__ import annotations

import itertools
import math
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy

from ldp_verified.language import (
    LDP,
    Density,
    Design,
    Matrix,
    Mechanism,
    Piece,
    Rational,
    SmallerWorst,
    Unbiased,
    catalogue_folder,
    exp,
    load_catalogue,
    real,
)
from ldp_verified.prove.coq import Unsupported, coq_drift, coq_text, write_coq
from ldp_verified.prove.coq.drift import read_without
from ldp_verified.prove.coq.printer import Printed, coq_print
from ldp_verified.prove.expand import evaluate, expand
from tests.finite import FINITE, LINES
from tests.prove.coq.own import EXPECTED, OWN
from tests.prove.coq.reading import (
    Reader,
    Value,
    blocks_of,
    definition,
    family_size,
    hashes,
    points_of,
    tuples,
)

PROOFS = catalogue_folder().parent / "proofs"
CATALOGUE = {m.name: m for m in FINITE}

eps = real("eps", above=0)
x = real("x", at_least=0, at_most=1)
u = exp(eps)


def printed(mechanism: Mechanism) -> str:
    text = coq_text(mechanism)
    assert isinstance(text, str), text
    return text


def determined(mechanism: Mechanism) -> Any:
    """The symbol for a number that the sizes of the structure determine, or None."""
    table = mechanism.table
    structure = getattr(table, "structure", None) or getattr(table, "encoder", None)
    return getattr(structure, "determined", None)


def drawn_point(mechanism: Mechanism, draw: random.Random) -> dict[Any, Fraction]:
    """A rational point of the domain; integers small enough to expand."""
    point: dict[Any, Fraction] = {}
    for symbol, domain in mechanism.variables.items():
        low = evaluate(domain.lower, point)
        if domain.upper is not None and domain.integer:
            point[symbol] = Fraction(draw.randint(int(low), int(evaluate(domain.upper, point))))
        elif domain.upper is not None:
            share = Fraction(draw.randrange(1, 97), 97)
            point[symbol] = low + share * (evaluate(domain.upper, point) - low)
        elif domain.integer:
            # Bloom encodings of more than five bits are too many to write out.
            sizes = 2 if symbol.name == "m" else 4
            point[symbol] = low + draw.randrange(sizes)
        elif low < 1:
            point[symbol] = Fraction(draw.randrange(101, 900), 100)
        else:
            point[symbol] = low + Fraction(draw.randrange(1, 800), 100)
    return point


def random_point(mechanism: Mechanism, draw: random.Random) -> dict[Any, Fraction]:
    """The same, of sizes that the structure has."""
    structure = getattr(mechanism.table, "structure", None)
    while True:
        point = drawn_point(mechanism, draw)
        if structure is None or structure.admits(
            {name: evaluate(size, point) for name, size in structure.sizes.items()}
        ):
            return point


def reader(mechanism: Mechanism, point: dict[Any, Fraction], text: str) -> Reader:
    generator = mechanism.generator
    values = {s.name: v for s, v in point.items() if s != generator.symbol}
    # A parameter with the name of a cell is printed with an underscore.
    values |= {f"{name}_": v for name, v in values.items()}
    return Reader(values, point.get(generator.symbol, Fraction(1)), generator.root, text)


def coq_table(mechanism: Mechanism, read: Reader) -> dict[Any, list[tuple[Fraction, bool]]]:
    """Output -> (probability, does it support x) for every input x, as the definitions say."""
    name = mechanism.name

    def number(suffix: str) -> Fraction:
        value = read.real(definition(read.definitions, f"{name}_{suffix}"))
        assert isinstance(value, Fraction)
        return value

    words = definition(read.definitions, name).split()
    k = int(read.values.get(words[1], 0)) if not words[1].isdigit() else int(words[1])
    match words[0]:
        case "matrix":
            rows = read.real(definition(read.definitions, f"{name}_rows"))
            assert isinstance(rows, list)
            cells = [row for row in rows if isinstance(row, list)]
            return {
                y: [(p, x == y) for x, row in enumerate(cells) if isinstance(p := row[y], Fraction)]
                for y in range(len(cells[0]))
            }
        case "one_hot_bits":
            one, zero = number("one"), number("zero")
            table: dict[Any, list[tuple[Fraction, bool]]] = {}
            for y in itertools.product((False, True), repeat=k):
                row = []
                for x in range(k):
                    p = Fraction(1)
                    for v, bit in enumerate(y):
                        chance = one if v == x else zero
                        p *= chance if bit else 1 - chance
                    row.append((p, y[x]))
                table[y] = row
            return table
        case "hashed_bits":
            one, zero = number("one"), number("zero")
            m = int(read.values[words[2]])
            family = hashes(k, m)
            return {
                (h, y): [
                    (
                        math.prod(
                            (
                                (one if b == bucket else zero)
                                if bit
                                else 1 - (one if b == bucket else zero)
                                for b, bit in enumerate(y)
                            ),
                            start=Fraction(1, len(family)),
                        ),
                        y[bucket],
                    )
                    for bucket in buckets
                ]
                for h, buckets in family
                for y in itertools.product((False, True), repeat=m)
            }
        case "bloom_bits":
            one, zero = number("one"), number("zero")
            most = int(words[2])
            sets = [
                ones
                for size in range(1, most + 1)
                for ones in itertools.combinations(range(k), size)
            ]
            return {
                y: [
                    (
                        math.prod(
                            (
                                (one if v in ones else zero)
                                if bit
                                else 1 - (one if v in ones else zero)
                                for v, bit in enumerate(y)
                            ),
                            start=Fraction(1),
                        ),
                        False,
                    )
                    for ones in sets
                ]
                for y in itertools.product((False, True), repeat=k)
            }
        case "design":
            inside, outside = number("inside"), number("outside")
            found = re.search(r"\((\w+)((?: \w+)+)\)", " ".join(words))
            assert found is not None
            sizes = [int(w) if w.isdigit() else int(read.values[w]) for w in found[2].split()]
            blocks = blocks_of(found[1], sizes)
            return {y: [(inside if i else outside, i) for i in has] for y, has in blocks}
    raise AssertionError(words)


@pytest.mark.parametrize("name", ["grr", "olh", "blh", "hash_cohorts", "hrr", "hcms", "pgr"])
def test_printed_counts_and_cells_are_those_of_the_spec(name: str, run_seed: int) -> None:
    mechanism = CATALOGUE[name]
    assert isinstance(mechanism.table, Design)
    text = printed(mechanism)
    draw = random.Random(run_seed)
    for _ in range(20):
        point = random_point(mechanism, draw)
        size = next((s for s in point if s.name == "M"), None)
        if size is not None:
            values = {s.name: v for s, v in point.items()}
            buckets = values.get("g", values.get("buckets", Fraction(2)))
            point[size] = Fraction(family_size(int(values["k"]), int(buckets)))
        vectors = next((s for s in point if s.name == "Q"), None)
        if vectors is not None:
            k, q = (int(v) for s, v in point.items() if s.name in {"k", "q"})
            point[vectors] = Fraction(q ** len(points_of(k, q)[0]))
        read = reader(mechanism, point, text)
        put = {s: sympy.Rational(v.numerator, v.denominator) for s, v in point.items()}
        put[mechanism.generator.eps] = sympy.log(put.pop(mechanism.generator.symbol))
        for suffix in ("blocks", "containing", "together", "inside", "outside"):
            wanted = sympy.simplify(getattr(mechanism.table, suffix).subs(put))
            got = read.real(definition(text, f"{name}_{suffix}"))
            assert got == Fraction(int(wanted.p), int(wanted.q)), (suffix, point, got, wanted)


WITHOUT = read_without(PROOFS / "not_in_coq.txt")


@pytest.mark.evidence(of="name")
@pytest.mark.parametrize("name", sorted(CATALOGUE.keys() - WITHOUT.keys()))
def test_printed_randomizer_is_the_expanded_table(name: str, run_seed: int) -> None:
    mechanism = CATALOGUE[name]
    text = printed(mechanism)
    draw = random.Random(run_seed + 1)
    for _ in range(4):
        size = determined(mechanism)
        point = {s: v for s, v in random_point(mechanism, draw).items() if s != size}
        table = coq_table(mechanism, reader(mechanism, point, text))
        full = expand(mechanism, point)
        assert len(table) == full.outputs
        # A table may say nothing of which values an output supports.
        declared = any(column.supports is not None for column in full.columns)
        found = sorted(
            (tuple(p for p, _ in row), tuple(s and declared for _, s in row))
            for row in table.values()
        )
        wanted = sorted(
            (
                tuple(full.probability(column, x) for x in range(len(full.inputs))),
                tuple(x in (column.supports or ()) for x in range(len(full.inputs))),
            )
            for column in full.columns
            for _ in range(column.multiplicity)
        )
        assert found == wanted, point


def line_lists(
    mechanism: Mechanism, read: Reader, prefix: str = ""
) -> tuple[list[list[Value]], list[list[Value]]]:
    """Intervals and atoms, as the definitions say."""

    def entries(kind: str) -> list[list[Value]]:
        body = definition(read.definitions, f"{mechanism.name}_{prefix}{kind}")
        return [[read.real(term) for term in entry] for entry in tuples(body)]

    return entries("steps"), entries("atoms")


def stated_lists(
    mechanism: Mechanism, form: Density, point: dict[Any, Fraction]
) -> tuple[list[list[Value]], list[list[Value]]]:
    """The same, as the spec has them."""

    def value(expression: Any) -> Value:
        return evaluate(mechanism.algebraic("table", expression), point)

    return (
        [[value(p.low), value(p.high), value(p.level)] for p in form.pieces],
        [[value(a.location), value(a.mass)] for a in form.atoms],
    )


DENSITIES = {m.name: m for m in LINES if m.name not in WITHOUT}


@pytest.mark.parametrize("name", sorted(DENSITIES))
def test_printed_density_is_that_of_the_spec(name: str, run_seed: int) -> None:
    mechanism = DENSITIES[name]
    form = mechanism.table
    assert isinstance(form, Density)
    text = printed(mechanism)
    low, high = (
        Fraction(int(b.p), int(b.q)) for b in (form.value.domain.lower, form.value.domain.upper)
    )
    draw = random.Random(run_seed + 2)
    for _ in range(4):
        point = drawn_point(mechanism, draw)
        point[form.value] = low + Fraction(draw.randrange(98), 97) * (high - low)
        read = reader(mechanism, point, text)
        read.values["x"] = point[form.value]
        assert line_lists(mechanism, read) == stated_lists(mechanism, form, point), point
        ends = re.match(r"Line \(fun x => (.*?) <= x /\\ x <= (.*?)\) ", definition(text, name))
        assert ends is not None
        assert [read.real(end) for end in ends.groups()] == [low, high]
        others = [c.table for c in mechanism.claims if isinstance(c, SmallerWorst)]
        for number, other in enumerate(others, start=1):
            prefix = "other_" if number == 1 else f"other_{number}_"
            assert other is not None
            assert other.value == form.value
            wanted = stated_lists(mechanism, other, point)
            assert line_lists(mechanism, read, prefix) == wanted, point


def test_a_density_that_moves_is_not_printed() -> None:
    """The outputs of one input are not those of another: no epsilon at all."""
    moving = Density(x, [Piece(x, x + 1, Rational(1))])
    text = coq_text(Mechanism("own", parameters=[eps], table=moving, claims=[LDP(eps)]))
    assert isinstance(text, Unsupported)
    assert "the interval of the outputs depends on the input" in str(text)


def test_committed_files_are_current() -> None:
    assert coq_drift(load_catalogue(), PROOFS / "generated") == []


def test_drift_is_seen(tmp_path: Path) -> None:
    mechanisms = [CATALOGUE["grr"], CATALOGUE["oue"]]
    write_coq(mechanisms, tmp_path)
    assert coq_drift(mechanisms, tmp_path) == []
    grr = tmp_path / "grr.v"
    text = grr.read_text()
    stale = text.replace(CATALOGUE["grr"].spec_hash, "0" * 64)
    grr.write_text(stale)
    assert "another version" in coq_drift(mechanisms, tmp_path)[0]
    grr.write_text(text.replace("INR k + exp eps - 1", "INR k + exp eps"))
    assert "is not what the spec gives" in coq_drift(mechanisms, tmp_path)[0]
    grr.unlink()
    assert coq_drift(mechanisms, tmp_path) == [f"{grr}: missing"]
    assert "belongs to no mechanism" in coq_drift(mechanisms[:1], tmp_path)[-1]


def test_symbols_are_printed_as_they_stand() -> None:
    text = printed(CATALOGUE["oue"])
    assert definition(text, "oue_one") == "1 / 2"
    assert definition(text, "oue_zero") == "1 / (exp eps + 1)"
    assert definition(printed(CATALOGUE["sue"]), "sue_one") == "exp (eps / 2) / (exp (eps / 2) + 1)"


@pytest.mark.parametrize(
    ("table", "claims", "why"),
    [
        (Matrix([[1, 0], [0, 1]]), [LDP(eps)], "1 <= u * 0"),
        (Matrix([[u / (u + 1), 1 / (u + 1)]] * 2), [LDP(eps), Unbiased()], "rank 1"),
        (
            Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]]),
            [LDP(eps / 2)],
            "the difference is",
        ),
    ],
)
def test_what_is_not_supported_says_why(table: Any, claims: list[Any], why: str) -> None:
    text = coq_text(Mechanism("own", parameters=[eps], table=table, claims=claims))
    assert isinstance(text, Unsupported)
    assert why in str(text)


@pytest.mark.parametrize("mechanism", OWN, ids=lambda m: m.name)
def test_own_mechanisms_are_printed(mechanism: Mechanism) -> None:
    text = printed(mechanism)
    for theorem in ("stochastic", "equal_support", *EXPECTED[mechanism.name]):
        assert f"Theorem {mechanism.name}_{theorem} :" in text


def test_what_cannot_be_printed_leaves_the_rest() -> None:
    table = Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]])
    claims: list[Any] = [LDP(eps / 2), Unbiased(), LDP(2 * eps)]
    found = coq_print(Mechanism("own", parameters=[eps], table=table, claims=claims))
    assert isinstance(found, Printed)
    assert set(found.refused) == {(0, "ratio")}
    assert found.settles[(1, "unbiased")] == ("own_unbiased",)
    assert found.settles[(2, "ratio")] == ("own_ldp",)
    assert (0, "ratio") not in found.settles
