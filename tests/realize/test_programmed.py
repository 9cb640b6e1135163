"""The program and the client of a mechanism have its thresholds and its domain."""

from __future__ import annotations

from ldp_verified import GRR, OLH, OUE, TwoCoins
from ldp_verified.run.realize.programmed import Programmed
from tests.mechanisms.parameters import CLASSES


def test_a_client_runs_the_mechanisms_program() -> None:
    for made in (GRR(1.0, 5), OLH(1.0, 5), OUE(1.0, 5)):
        assert made.client().program == made.program()
        assert made.program().inputs == made.k
        assert made.program().name == made.name


def test_a_program_follows_the_realization_that_is_asked_for() -> None:
    made = GRR(1.0, 3)
    narrow, *_ = made.realizations(5)
    assert made.program(narrow).width == 5
    assert made.program(narrow) != made.program()


def test_every_class_of_the_catalogue_has_a_program() -> None:
    assert len(CLASSES) > 20
    assert all(issubclass(each, Programmed) for each in CLASSES.values())


def test_a_table_client_takes_labels() -> None:
    client = TwoCoins(0.5, 0.25, categories=("no", "yes")).client()
    assert {client.report("yes") for _ in range(300)} == {0, 1}
