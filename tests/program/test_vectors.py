"""Vectors hold the words that are read, boundary words among them, and what they make."""

from __future__ import annotations

import pytest

from ldp_verified import GRR, OLH, OUE, Laplace, Warner
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.vectors import boundary_words, vectors_of


@pytest.mark.parametrize("made", [GRR(1.0, 16), OLH(1.0, 99, g=3), OUE(1.0, 70)], ids=repr)
def test_vectors_are_what_the_interpreter_says(made: GRR | OLH | OUE) -> None:
    program = made.program()
    vectors = vectors_of(program)
    assert vectors == vectors_of(program)
    for vector in vectors:
        assert interpret(program, vector.value, vector.words) == (vector.report, len(vector.words))
    assert {0, made.k // 2, made.k - 1} == {vector.value for vector in vectors}


def test_words_at_and_beside_each_threshold_are_tried() -> None:
    made = GRR(1.0, 16)
    (lie,) = made.thresholds
    tried = {word for vector in vectors_of(made.program()) for word in vector.words}
    assert {lie - 1, lie, 16 * lie - 1, 16 * lie, 0, 2**64 - 1} <= tried
    assert {lie - 1, lie} <= set(boundary_words(made.program()))


def test_of_very_many_boundary_words_some_are_tried() -> None:
    """Powers of a small decay have a thousand digits: the first word, the last and others."""
    program = Laplace(1.0).program()
    words = boundary_words(program)
    vectors = vectors_of(program)
    assert len(words) > 3000
    assert 1000 < len(vectors) < 5000
    tried = {vector.what.split()[-1] for vector in vectors if vector.what}
    assert {str(words[0]), str(words[-1])} <= tried


def test_cuts_in_tables_are_boundaries_too() -> None:
    made = Warner(0.25)
    (lie,) = made.thresholds
    truth = 2**64 - lie
    assert {lie - 1, lie, truth - 1, truth} <= set(boundary_words(made.program()))


def test_planes_are_tried_one_after_the_other() -> None:
    """For each plane some lane is decided by it, after all before left it undecided."""
    made = OUE(1.0, 70)
    program = made.program()
    tried = [v for v in vectors_of(program, 0, planes=True) if "plane" in v.what]
    planes = 64 - ((made.thresholds[1] & -made.thresholds[1]).bit_length() - 1)
    assert len(tried) == planes
    assert all(len(vector.words) >= 1 + planes for vector in tried)
