"""The table that is printed is read back and is the declared one; any other one is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import Rational

from ldp_verified.language import (
    LDP,
    Blocks,
    Design,
    Matrix,
    Mechanism,
    catalogue_folder,
    exp,
    real,
)
from ldp_verified.prove.coq import kernel as asking
from ldp_verified.prove.coq.drift import read_without
from ldp_verified.prove.coq.kernel import ask_kernel
from ldp_verified.prove.coq.printed_table import difference, small_points
from ldp_verified.prove.coq.printer import Printed, coq_print
from ldp_verified.prove.coq.reading import UnreadableError
from ldp_verified.prove.enumeration.expand import complete
from ldp_verified.prove.mutation.expression_changes import variant
from tests.finite import FINITE, LINES

PROOFS = catalogue_folder().parent / "proofs"
WITHOUT = read_without(PROOFS / "not_in_coq.txt")
PRINTED = {m.name: m for m in (*FINITE, *LINES) if m.name not in WITHOUT}

eps = real("eps", above=0)
u = exp(eps)
FANO = ((0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5))
PLANES = Mechanism(
    "own",
    parameters=[eps],
    table=Design(7, 3, 1, u / (3 * u + 4), 1 / (3 * u + 4), structure=Blocks(7, FANO)),
    claims=[LDP(eps)],
)


def text_of(mechanism: Mechanism) -> str:
    found = coq_print(mechanism)
    assert isinstance(found, Printed), found
    return found.text


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_what_is_printed_of_the_catalogue_is_its_table(name: str, run_seed: int) -> None:
    mechanism = PRINTED[name]
    at = small_points(mechanism, f"{run_seed:x}"[:32])
    assert difference(mechanism, text_of(mechanism), at) == ""


WRONG: dict[str, tuple[Mechanism, str, str, str]] = {
    "a number": (PRINTED["grr"], "(INR k + exp eps - 1)", "(INR k + exp eps)", "inside is"),
    "a number, above size 3": (
        PRINTED["grr"],
        "grr_outside (eps : R) (k : nat) : R :=\n  1 / (INR k + exp eps - 1)",
        (
            "grr_outside (eps : R) (k : nat) : R :=\n"
            "  1 / (INR k + exp eps - 1 + (INR k - 2) * (INR k - 3))"
        ),
        "outside is",
    ),
    "a power": (PRINTED["sue"], "exp (eps / 2)", "exp eps", "has the probabilities"),
    "a structure": (PRINTED["olh"], "(hash_blocks k g)", "(hash_blocks k k)", "outputs in place"),
    "cells": (
        PRINTED["oue"],
        "one_hot_bits k (oue_one",
        "one_hot_bits k (oue_zero",
        "its cells are not",
    ),
    "cells exchanged": (
        PRINTED["grr"],
        "(grr_inside eps k) (grr_outside eps k)",
        "(grr_outside eps k) (grr_inside eps k)",
        "its cells are not",
    ),
    "other parameters": (
        PRINTED["cms"],
        "Definition cms_one (eps : R) (k : nat) (buckets : nat)",
        "Definition cms_one (eps : R) (buckets : nat) (k : nat)",
        "cms_one has other parameters",
    ),
    "a parameter twice": (PRINTED["cms"], "(cms_zero eps k buckets)", "(cms_zero eps k k)", ""),
    "a cell": (PRINTED["warner"], "[[gamma + 1 / 2", "[[gamma + 2 / 2", "has the probabilities"),
    "a row": (PRINTED["warner"], ";\n   [1 / 2 - gamma; gamma + 1 / 2]", "", ""),
    "a block": (PLANES, "[1; 3; 5]", "[1; 3; 4]", ""),
    "lists of another density": (
        PRINTED["hybrid"],
        "(hybrid_steps eps) (hybrid_atoms eps)",
        "(hybrid_other_steps eps) (hybrid_atoms eps)",
        "its cells are not",
    ),
    "a name": (PRINTED["grr"], "exp eps /", "exp epsilon /", ""),
    "the scale of noise": (PRINTED["laplace"], "R :=\n  b.", "R :=\n  2 * b.", "scale is not"),
    "inputs of noise": (PRINTED["laplace"], "_noise (- 1) 1", "_noise 0 1", "an end of its inputs"),
    "the scale of normal noise": (
        PRINTED["gaussian"],
        "scale (sigma : R) : R :=\n  sigma.",
        "scale (sigma : R) : R :=\n  sigma ^ 2.",
        "scale is not",
    ),
    "the curve of another law": (
        PRINTED["gaussian"],
        "additive_curve (gaussian sigma)",
        "additive_curve (gaussian (2 * sigma))",
        "a theorem is about",
    ),
    "a step of noise": (PRINTED["staircase"], "(2 * g, 2,", "(2 * g, 3,", "steps are others"),
    "the period of noise": (
        PRINTED["staircase"],
        "period (eps : R) (g : R) : R :=\n  2.",
        "period (eps : R) (g : R) : R :=\n  1.",
        "period is not",
    ),
    "the decay of noise": (
        PRINTED["staircase"],
        "decay (eps : R) (g : R) : R :=\n  1 / exp eps.",
        "decay (eps : R) (g : R) : R :=\n  1 / exp (2 * eps).",
        "decay is not",
    ),
    "steps of other parameters": (
        PRINTED["staircase"],
        "Definition staircase_steps (eps : R) (g : R)",
        "Definition staircase_steps (g : R) (eps : R)",
        "staircase_steps has other parameters",
    ),
    "integers of noise": (
        PRINTED["geometric"],
        "lattice_noise (0)%Z (Z.of_nat m)%Z",
        "lattice_noise (0)%Z (1)%Z",
        "an end of its inputs",
    ),
    "an end": (PRINTED["she_grid"], "(- (Z.of_nat L))%Z", "(Z.of_nat L)%Z", "an end of"),
    "what an end is read as": (
        PRINTED["truncated_geometric"],
        "- INR L - alpha / (1 - alpha)",
        "- INR L - alpha",
        "low_report is not",
    ),
    "another law": (PRINTED["laplace"], "exponential_noise", "lattice_noise", ""),
    "noise of fewer numbers": (PRINTED["she"], "(she b k) 0 1 k", "(she b k) 0 1 1", "vectors of"),
    "noise on bits that are alike": (
        PRINTED["she_lattice"],
        "noisy_bits_ldp (she_lattice alpha m k) (0)%Z (Z.of_nat m)",
        "noisy_bits_ldp (she_lattice alpha m k) (0)%Z (0)%Z",
        "vectors of",
    ),
    "one number in place of the vector": (
        PRINTED["she"],
        "noisy_bits_ldp (she b k) 0 1 k",
        "additive_ldp (she b k)",
        "a theorem is about",
    ),
    "a level": (PRINTED["square_wave"], "exp eps", "exp (2 * eps)", "the density of the input"),
}


@pytest.mark.parametrize("name", WRONG)
def test_another_table_is_seen(name: str) -> None:
    mechanism, old, new, said = WRONG[name]
    text = text_of(mechanism)
    assert old in text
    at = small_points(mechanism, "5eed")
    try:
        found = difference(mechanism, text.replace(old, new, 1), at)
    except UnreadableError as error:
        found = f"not read: {error}"
    assert found
    assert said in found


def test_what_is_wrong_at_one_drawn_point_only_is_seen() -> None:
    """The printed cell differs by a product that vanishes at all points but the last one."""
    gamma = real("gamma", above=0, below=Rational(1, 2))
    table = Matrix([[1 - gamma, gamma], [gamma, 1 - gamma]])
    own = Mechanism("own", parameters=[gamma], table=table, claims=[])
    text = text_of(own)
    at = small_points(own, "5eed")
    values = [next(iter(complete(table, point).values())) for point in at]
    hidden = " * ".join(f"(gamma - {v.numerator} / {v.denominator})" for v in values[:-1])
    wrong = text.replace("[[1 - gamma;", f"[[1 - gamma + {hidden};", 1)
    assert wrong != text
    assert difference(own, wrong, at[:-1]) == ""
    assert str(values[-1]) in difference(own, wrong, at)


def test_a_definition_in_a_comment_is_none() -> None:
    warner = PRINTED["warner"]
    text = text_of(warner)
    begin = text.index("Definition warner_rows")
    end = text.index(".\n", begin) + 2
    wrong = f"{text[:begin]}(*\n{text[begin:end]}*)\n" + text[begin:end].replace("+", "-", 1)
    assert difference(warner, wrong + text[end:], small_points(warner, "5eed"))


def test_the_kernel_is_not_asked_about_another_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof about another table is of no interest: everything is refused."""

    def spoiled(mechanism: Mechanism, **options: Any) -> Any:
        printed = coq_print(mechanism, **options)
        assert isinstance(printed, Printed)
        wrong = printed.text.replace("gamma + 1 / 2", "gamma + 1 / 3")
        return Printed(printed.name, wrong, printed.settles, printed.refused, printed.stages)

    monkeypatch.setattr(asking, "coq_print", spoiled)
    said = ask_kernel(PRINTED["warner"])
    assert not said.accepted
    assert "the printed table is not the declared one at gamma" in said.refusal((0, "ratio"))


def test_theorems_of_any_structure_say_so() -> None:
    pgr = PRINTED["pgr"]
    assert isinstance(pgr.table, Design)
    bare = variant(pgr, table=replace(pgr.table, structure=None))
    found = coq_print(bare)
    assert isinstance(found, Printed)
    assert "that there is one is no theorem" in found.conditional
    said = asking.Kernel(conditional=found.conditional, uncompared="it is too large")
    assert said.proviso.startswith("Coq's theorems speak of every structure")
    assert said.proviso.endswith("was not compared: it is too large")
    grr = coq_print(PRINTED["grr"])
    assert isinstance(grr, Printed)
    assert not grr.conditional
