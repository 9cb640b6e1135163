"""One law in many spellings, and neighbours that are other laws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ldp_verified import protocols
from ldp_verified.language import Mechanism, load, load_catalogue, load_file
from ldp_verified.language.law import law_text

HEAD = """
from ldp_verified.language import *
from ldp_verified.language import Atom, Blocks, Matrix, Piece, OneHot, Rational, Singletons
eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
"""

DESIGN = """
mine = Mechanism("mine", parameters=[eps, k], table=Design(
    blocks=k, containing=1, together=0,
    inside=u / (u + k - 1), outside=1 / (u + k - 1), structure=Singletons(k)))
"""

RESTYLED = '''
"""Other prose, and the formulas written another way."""
t = exp(-eps)  # a comment

def of(share):
    return share / (1 + (k - 1) * t)

mine = Mechanism(
    "mine", title="Another title", prefer="Never.", parameters=[k, eps],
    table=Design(
        blocks=2 * k / 2, containing=k - (k - 1), together=0,
        inside=of(1), outside=of(t), structure=Singletons(k),
    ),
    claims=[LDP(eps, tight=True), LDP(3 * eps / 2)],
)
'''

MATRIX = """
p = real("p", above=Rational(1, 2), below=1)
mine = Mechanism("mine", parameters=[p], table=Matrix([[p, 1 - p], [1 - p, p]]))
"""

DENSITY = """
x = real("x", at_least=-1, at_most=1)
s = exp(eps / 2)
C = (s + 1) / (s - 1)
left = (C + 1) * x / 2 - (C - 1) / 2
right = left + C - 1
high = (s**2 - s) / (2 * s + 2)
low = (s - 1) / (2 * s**2 + 2 * s)
mine = Mechanism("mine", parameters=[eps], table=Density(
    value=x, pieces=[Piece(-C, left, low), Piece(left, right, high), Piece(right, C, low)]))
"""

BITS = """
mine = Mechanism("mine", parameters=[eps, k], table=Bits(
    one=Rational(1, 2), zero=1 / (u + 1), encoder=OneHot(k)))
"""

BLOCKS = """
t = real("t", above=0, below=Rational(1, 3))
mine = Mechanism("mine", parameters=[t], assuming=[t >= Rational(1, 9)], table=Design(
    blocks=3, containing=2, together=1, inside=t, outside=1 - 2 * t,
    structure=Blocks(3, [{0, 1}, {1, 2}, {0, 2}])))
"""


def declared(folder: Path, text: str, head: str = HEAD) -> Mechanism:
    file = folder / f"spec_{abs(hash(text))}.py"
    file.write_text(head + text)
    return load_file(file)[0]


def test_prose_style_claims_and_order_are_no_part_of_the_law(tmp_path: Path) -> None:
    one, other = declared(tmp_path, DESIGN), declared(tmp_path, RESTYLED)
    assert one.spec_hash != other.spec_hash
    assert law_text(one) == law_text(other)
    assert one.law_hash == other.law_hash == load("grr")[0].law_hash


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        # The spelling of cells, sizes and bounds.
        (MATRIX, "[1 - p, p]", "[-(p - 1), p * (1 + p) / (p + 1)]"),
        (MATRIX, "Rational(1, 2)", "1 - Rational(2, 4)"),
        (DENSITY, "s = exp(eps / 2)", "s = 1 / exp(-eps / 2)"),
        (DENSITY, "C = (s + 1) / (s - 1)", "C = 1 + 2 / (s - 1)"),
        (BITS, "1 / (u + 1)", "exp(-eps) / (1 + exp(-eps))"),
        # The name of an input on the line, and the order of pieces.
        (DENSITY, 'real("x"', 'real("z"'),
        (
            DENSITY,
            "Piece(-C, left, low), Piece(left, right, high)",
            "Piece(left, right, high), Piece(-C, left, low)",
        ),
        # A parameter that the table does not mention; a claim that needs a finer generator.
        (BITS, "[eps, k]", '[eps, k, real("more", above=0)]'),
        (BITS, "[eps, k]", "[eps, k], claims=[LDP(eps / 3)]"),
        (BLOCKS, "t >= Rational(1, 9)", "Rational(1, 9) <= t"),
    ],
)
def test_another_spelling_is_the_same_law(tmp_path: Path, text: str, old: str, new: str) -> None:
    assert old in text
    changed = text.replace(old, new)
    assert law_text(declared(tmp_path, changed)) == law_text(declared(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (DESIGN, "inside=u / (u + k - 1)", "inside=u / (u + k)"),
        (DESIGN, "outside=1 /", "outside=2 /"),
        (DESIGN, "containing=1", "containing=2"),
        (DESIGN, "together=0", "together=1"),
        (DESIGN, ", structure=Singletons(k)", ""),
        (MATRIX, "[1 - p, p]", "[p, 1 - p]"),
        (MATRIX, "[1 - p, p]])", "[1 - p, p]], support=[{1}, {0}])"),
        (MATRIX, "[1 - p, p]])", '[1 - p, p]], inputs=["no", "yes"])'),
        (MATRIX, "[1 - p, p]])", '[1 - p, p]], inputs=["0", "1"])'),
        (MATRIX, "[1 - p, p]])", "[1 - p, p]], outputs=[1, 0])"),
        (MATRIX, "Rational(1, 2)", "Rational(1, 3)"),
        (MATRIX, "above=", "at_least="),
        (MATRIX, "below=1)", "at_most=1)"),
        (MATRIX, 'real("p"', 'real("q"'),
        (DENSITY, "at_least=-1", "at_least=-2"),
        (DENSITY, "Piece(right, C, low)", "Piece(right, C, 2 * low)"),
        (DENSITY, "Piece(right, C, low)", "Piece(right, C + 1, low)"),
        (DENSITY, "eps / 2", "eps"),
        (BITS, "Rational(1, 2), zero", "Rational(1, 3), zero"),
        (BITS, "OneHot(k)", "OneHot(k + 1)"),
        (BLOCKS, "{1, 2}, {0, 2}", "{0, 2}, {1, 2}"),
        (BLOCKS, "Rational(1, 9)", "Rational(1, 10)"),
        (BLOCKS, "Rational(1, 9)", "Rational(1, 9), 4 * t**2 >= t"),
    ],
)
def test_a_neighbour_is_another_law(tmp_path: Path, text: str, old: str, new: str) -> None:
    assert old in text
    changed = text.replace(old, new)
    assert declared(tmp_path, changed).law_hash != declared(tmp_path, text).law_hash


def test_a_domain_is_part_of_the_law(tmp_path: Path) -> None:
    one = declared(tmp_path, DESIGN).law_hash
    for old, new in (("at_least=2", "at_least=3"), ("above=0", "above=0, below=9")):
        assert declared(tmp_path, DESIGN, HEAD.replace(old, new)).law_hash != one
    # A domain that the table does not mention is none of it.
    wider = HEAD.replace("at_least=2", "at_least=7")
    assert declared(tmp_path, MATRIX).law_hash == declared(tmp_path, MATRIX, wider).law_hash


def test_mechanisms_share_a_law_only_where_they_share_a_table() -> None:
    found: dict[str, list[str]] = {}
    for mechanism in load_catalogue():
        found.setdefault(mechanism.law_hash, []).append(mechanism.name)
    shared = sorted(sorted(names) for names in found.values() if len(names) > 1)
    assert shared == [["grr", "keep_or_uniform"], ["oue", "the_at_one"]]


def test_the_spelling_is_fixed_for_good() -> None:
    """Reports in files name this hash: it must not follow a version of sympy."""
    assert json.loads(law_text(load("oue")[0])) == {
        "symbols": {
            "eps": {"integer": False, "lower": "0", "open": [True, False], "upper": None},
            "k": {"integer": True, "lower": "2", "open": [False, False], "upper": None},
        },
        "table": [
            "Bits",
            {
                "encoder": ["OneHot", {"values": "(1*k^1)/(1)"}],
                "one": "1/2",
                "zero": "(1)/(1 + 1*exp(eps/1)^1)",
            },
        ],
        "version": 1,
        "where": [],
    }
    known = "7f1e91ee79"
    assert load("oue")[0].law_hash.startswith(known)


def test_protocols_name_the_present_laws() -> None:
    """They are written by hand, so that a client needs no sympy."""
    laws = {mechanism.name: mechanism.law_hash for mechanism in load_catalogue()}
    assert {
        "l_grr": protocols.LGRR.law_sha256,
        "l_sue": protocols.LSUE.law_sha256,
        "l_osue": protocols.LOSUE.law_sha256,
        "l_oue": protocols.LOUE.law_sha256,
        "l_soue": protocols.LSOUE.law_sha256,
        "loloha": protocols.LOLOHA.law_sha256,
        "sampled_bit": protocols.DBitFlip.law_sha256,
        "she_grid": protocols.SHE.law_sha256,
        "duchi_coordinate": protocols.DuchiVector.law_sha256,
        "gaussian": protocols.Gaussian.law_sha256,
    }.items() <= laws.items()
    made = protocols.LOLOHA(4.0, 1.0, 9)
    assert made.identity.law_hash == laws["loloha"]
