"""A target that cannot be called at all is given up; one that fails now and then is audited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.check.audit.targets.failing import FIRST_CALLS, FirstCalls, failed, failure
from ldp_verified.check.audit.targets.forms import Formed
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.sessions import NoClientError
from ldp_verified.check.audit.targets.things import Consumed
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


def test_errors_of_sessions_are_looked_for_where_questions_are_asked() -> None:
    kind = NoClientError
    refused = Raised("NoClientError", "", f"{kind.__module__}.{kind.__qualname__}<target.py:3")

    def ask(batch: Any) -> list[Any]:
        return [1, *[refused] * (len(batch) - 1)]

    assert FirstCalls(ask, 4)(INDICES) == ask(INDICES)
    with pytest.raises(ParameterError, match="TARGET: must give a client"):
        FirstCalls(ask, 4, sessions=True)(INDICES)


@pytest.mark.parametrize(
    ("output", "share"),
    [
        (ERROR, 1.0),
        ((ERROR, ERROR), 1.0),
        (((ERROR, 1), (ERROR, ERROR)), 0.75),
        (Formed((ERROR, ERROR, 1, None), "read only"), 0.5),
        (Consumed("generator", (ERROR,)), 1.0),
        ((0, 1, "TypeError", (2, 3)), 0.0),
        ((), 0.0),
        ([None, 1.5], 0.0),
        (np.zeros(2), 0.0),
    ],
)
def test_the_share_of_an_output_that_failed(output: object, share: float) -> None:
    found, first = failed(output)
    assert found == share
    assert first == (ERROR if share else None)
    assert failure(output) == (ERROR if share >= 0.5 else None)


def test_sessions_that_all_fail_alike_are_refused_and_one_message_is_not() -> None:
    with pytest.raises(ParameterError, match="every call raised TypeError: f"):
        asked([(ERROR, ERROR)] * len(INDICES))
    mostly: list[Any] = [(ERROR, ERROR, None)] * len(INDICES)
    assert asked(mostly) == mostly


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


@pytest.mark.parametrize("name", ["never_works", "never_gives"])
def test_a_repeated_target_that_always_raises_is_bad_input(name: str) -> None:
    """It was consistent, as was an iterator that raises before its first item."""
    words = ("--inputs", "0..3", "--epsilon", 1, "--repeat", 2, "-n", 8000, "--no-checks")
    result = run("audit", f"tests.broken.audit.ending:{name}", *words)
    assert result.exit_code == 2
    assert "must answer some call: every call raised " in result.stderr


def test_one_that_fails_for_some_inputs_is_violated() -> None:
    words = ("--inputs", "0..3", "--epsilon", 1, "-n", 2000, "--level", "1e-9", "--json")
    found = document(run("audit", "tests.broken.audit.ending:odd_only", *words))
    assert found["verdict"] == "violated"
