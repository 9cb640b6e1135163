"""Several mechanisms are decided at a time, with the verdicts that each has alone."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.errors import ContradictionError, ParameterError, SpecError
from ldp_verified.language import LDP, Matrix, Mechanism, Unbiased, exp, load, real
from ldp_verified.prove import STAGES, Status, verify, verify_several

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

several = import_module("ldp_verified.prove.several")
eps = real("eps", above=0)
u = exp(eps)
WRONG = Mechanism(
    "half_of_it",
    title="A claim that is half of the truth",
    parameters=[eps],
    table=Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]]),
    claims=[LDP(eps / 2), Unbiased()],
)
THREE = [*load("warner"), WRONG, *load("binary_rr")]
SEED = "00112233445566778899aabbccddeeff"


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_each_has_the_verdicts_that_it_has_alone(processes: int) -> None:
    found = verify_several(THREE, coq=False, points_seed=SEED, processes=processes)
    alone = [verify(mechanism, coq=False, points_seed=SEED) for mechanism in THREE]
    assert [replace(each, seconds=0) for each in found] == [replace(a, seconds=0) for a in alone]
    assert [each.status is Status.REFUTED for each in found] == [False, True, False]


@pytest.mark.parametrize("processes", [1, 2])
def test_progress_grows_to_all_stages(processes: int) -> None:
    seen: list[tuple[str, int, int]] = []
    verify_several(THREE, coq=False, processes=processes, progress=lambda *told: seen.append(told))
    done = [count for _, count, _ in seen]
    assert done == sorted(done)
    assert done[-1] == len(THREE) * len(STAGES)
    assert {total for _, _, total in seen} == {len(THREE) * len(STAGES)}
    names = {m.name for m in THREE}
    assert {what.split(":")[0] for what, _, _ in seen} == names
    assert {f"{name}: decided" for name in names} <= {what for what, _, _ in seen}


def test_nothing_is_decided_of_nothing() -> None:
    assert verify_several([]) == []


@pytest.fixture
def deciding(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], Any]], None]:
    """Puts another `verify` in the place of ours, in the processes too: they are forked."""

    def put(act: Callable[[str], Any]) -> None:
        monkeypatch.setattr(several, "verify", lambda mechanism, **_: act(mechanism.name))

    return put


@pytest.mark.parametrize(
    "error",
    [
        ContradictionError("a statement", "what helps"),
        SpecError("half_of_it", "must not be this", 3),
        ParameterError("points_seed", "must be hexadecimal digits"),
    ],
)
def test_an_error_in_a_process_is_that_error_here(
    deciding: Callable[[Callable[[str], Any]], None], error: Exception
) -> None:
    def act(name: str) -> str:
        if name == WRONG.name:
            raise error
        return name

    deciding(act)
    with pytest.raises(type(error)) as caught:
        verify_several(THREE, processes=2)
    assert str(caught.value) == str(error)
    assert vars(caught.value) == vars(error)


def test_a_process_that_is_killed_is_said(
    deciding: Callable[[Callable[[str], Any]], None],
) -> None:
    deciding(lambda name: os._exit(9) if name == WRONG.name else name)
    with pytest.raises(SpecError, match="one of its processes was killed"):
        verify_several(THREE, processes=2)


def test_what_else_is_being_decided_is_stopped(
    deciding: Callable[[Callable[[str], Any]], None], tmp_path: Path
) -> None:
    """The other process is interrupted, so that it can stop what it has started, and ends."""

    def act(name: str) -> str:
        if name != WRONG.name:
            try:
                (tmp_path / "begun").touch()
                time.sleep(3600)
            finally:
                (tmp_path / "stopped").touch()
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        raise SpecError(name, "is wrong")

    deciding(act)
    with pytest.raises(SpecError, match="is wrong"):
        verify_several(THREE[:2], processes=2)
    assert (tmp_path / "stopped").exists()
