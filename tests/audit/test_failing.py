"""A target that cannot be called at all is given up; one that fails now and then is audited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.check.audit.targets.failing import FIRST_CALLS, FirstCalls
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.errors import ParameterError
from tests.cli.running import document, run

ERROR = Raised("TypeError", "f() takes 1 argument\nnotes", "builtins.TypeError lib.py:3 f")
INDICES = np.arange(2 * FIRST_CALLS, dtype=np.int64) % 4


def asked(outputs: list[Any], indices: Any = INDICES) -> list[Any]:
    """What comes of these outputs, which are asked for in batches of 30."""
    left = iter(outputs)
    first = FirstCalls(lambda batch: [next(left) for _ in batch], 4)
    return [output for at in range(0, len(indices), 30) for output in first(indices[at : at + 30])]


def test_calls_that_all_fail_alike_are_too_many_after_a_hundred() -> None:
    with pytest.raises(ParameterError, match=r"every call raised TypeError: f\(\) takes 1") as said:
        asked([ERROR] * len(INDICES))
    assert str(said.value).endswith("argument; did you mean a method of it?")
    assert "notes" not in str(said.value)


@pytest.mark.parametrize(
    "other",
    [7, Raised("TypeError", "f() takes 2", ERROR.place), Raised("TypeError", ERROR.message, "x")],
    ids=["an answer", "another text", "another place"],
)
def test_one_that_differs_is_left_to_the_audit(other: object) -> None:
    outputs: list[Any] = [ERROR] * len(INDICES)
    outputs[FIRST_CALLS - 1] = other
    assert asked(outputs) == outputs


def test_an_ended_process_and_an_input_that_was_not_tried_are_left_to_the_audit() -> None:
    ended: list[Any] = [Raised("NoAnswer", "exit code 1")] * len(INDICES)
    assert asked(ended) == ended
    failed: list[Any] = [ERROR] * len(INDICES)
    assert asked(failed, INDICES % 3) == failed


def test_a_class_in_place_of_a_method_is_bad_input() -> None:
    """It took half a minute, and was inconclusive."""
    result = run("audit", "tests.broken.audit.ending:Unmade", "--inputs", "0..3", "--epsilon", 1)
    assert result.exit_code == 2
    assert "every call raised TypeError: Unmade.__init__() takes 1" in result.stderr
    assert "did you mean a method of it?" in " ".join(result.stderr.split())


def test_one_that_fails_for_some_inputs_is_violated() -> None:
    words = ("--inputs", "0..3", "--epsilon", 1, "-n", 2000, "--level", "1e-9", "--json")
    found = document(run("audit", "tests.broken.audit.ending:odd_only", *words))
    assert found["verdict"] == "violated"
