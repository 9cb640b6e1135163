"""Programs as targets: the protocol, hanging, dying, and what they are taken to say."""

from __future__ import annotations

import fcntl
import sys
from pathlib import Path

import numpy as np
import pytest

from ldp_verified.check.audit.targets.keys import Raised, key
from ldp_verified.check.audit.targets.process import ProgramTarget, from_program
from ldp_verified.errors import ParameterError

ECHO = """
import json, sys
for line in sys.stdin:
    value = json.loads(line)
    {body}
    sys.stdout.flush()
"""


def program(tmp_path: Path, body: str) -> tuple[str, ...]:
    path = tmp_path / "client.py"
    path.write_text(ECHO.format(body=body), encoding="utf-8")
    return (sys.executable, str(path))


def test_answers_come_in_order_and_as_json(tmp_path: Path) -> None:
    command = program(tmp_path, "print(json.dumps([value, value + 1]))")
    source = from_program(command, range(5))
    batch = next(source.batches(300, np.random.default_rng(1), 0))
    assert [*batch.outputs] == [[i, i + 1] for i in batch.inputs.tolist()]
    source.close()


def test_a_byte_and_the_text_of_its_escape_are_two_outputs(tmp_path: Path) -> None:
    body = 'sys.stdout.buffer.write([b"\\xff\\n", b"\\\\xff\\n"][value])'
    asked = ProgramTarget(program(tmp_path, body))
    first, second = asked.answers(["0", "1"])
    asked.close()
    assert (key(first), key(second)) == (r"str '\udcff'", r"str '\\xff'")


def test_a_program_that_dies_is_started_again(tmp_path: Path) -> None:
    """The input that killed it has an output too: no answer."""
    command = program(tmp_path, "sys.exit(3) if value == 7 else print(value)")
    running = ProgramTarget(command, timeout=5)
    found = running.answers(["1", "7", "2", "3"])
    running.close()
    assert found == [1, Raised("NoAnswer", "exit code 3"), 2, 3]
    assert running.failures == 1


def test_a_program_that_hangs_is_killed(tmp_path: Path) -> None:
    command = program(tmp_path, "import time; time.sleep(60) if value == 7 else print(value)")
    running = ProgramTarget(command, timeout=1.5)
    found = running.answers(["1", "7", "2"])
    running.close()
    assert found == [1, Raised("NoAnswer", "no line in time"), 2]


def test_a_program_that_always_dies_is_given_up(tmp_path: Path) -> None:
    running = ProgramTarget(program(tmp_path, "sys.exit(1)"), timeout=5, restarts=2)
    with pytest.raises(ParameterError, match="more than 2 times"):
        running.answers(["1"] * 10)
    running.close()


def test_a_program_that_is_not_there_is_refused() -> None:
    with pytest.raises(ParameterError, match="must run"):
        ProgramTarget(("no-such-program-anywhere",)).answers(["1"])


def test_more_lines_than_a_pipe_holds(tmp_path: Path) -> None:
    """It answers while it is still being written to: nobody waits for the other."""
    running = ProgramTarget(program(tmp_path, "print('x' * 2000)"), timeout=20)
    found = running.answers(["1" * 500] * 2000)
    running.close()
    assert len(found) == 2000


@pytest.mark.parametrize(
    "first,each",
    [
        ("print('Welcome', flush=True)", "print(value)"),
        ("pass", "print(value); print('debug') if value == 2 else None"),
        ("pass", "print(value); print()"),
        ("import atexit; atexit.register(lambda: print('bye'))", "print(value)"),
    ],
)
def test_a_line_that_was_not_asked_for_is_an_error(tmp_path: Path, first: str, each: str) -> None:
    """Read as an answer it would put every later one a question late, the truth too."""
    path = tmp_path / "client.py"
    path.write_text(first + "\n" + ECHO.format(body=each), encoding="utf-8")
    running = ProgramTarget((sys.executable, str(path)), timeout=10)

    def asked() -> None:
        running.answers([str(i % 4) for i in range(300)])
        running.close()

    with pytest.raises(ParameterError, match="one line for each question and no other"):
        asked()


def test_a_program_that_is_silent_for_one_input_owes_that_answer(tmp_path: Path) -> None:
    """It goes on with the next question: its answers stay with their questions."""
    running = ProgramTarget(program(tmp_path, "print(value) if value != 7 else None"), timeout=1.5)
    found = running.answers(["1", "7", "2"])
    running.close()
    assert found == [1, Raised("NoAnswer", "no line in time"), 2]


def test_a_start_takes_its_time_however_often_it_has_hung(tmp_path: Path) -> None:
    """A process that hangs is started anew, and the next answer waits for its start too."""
    path = tmp_path / "client.py"
    body = "time.sleep(60) if value == 7 else print(value)"
    path.write_text("import time; time.sleep(1)\n" + ECHO.format(body=body), encoding="utf-8")
    running = ProgramTarget((sys.executable, str(path)), timeout=0.5, starting=20)
    found = running.answers(["1", "7", "2", "7", "3"])
    running.close()
    late = Raised("NoAnswer", "no line in time")
    assert found == [1, late, 2, late, 3]


def test_a_program_that_never_answers_is_given_up_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends no line; after the first silence others are waited for less long."""
    monkeypatch.setattr("ldp_verified.check.audit.targets.process.NEVER", 2)
    running = ProgramTarget(program(tmp_path, "print(value, end='')"), timeout=0.5, starting=0.5)
    with pytest.raises(ParameterError, match="more than 2 times"):
        running.answers(["1", "7", "2", "3"])
    assert running.failures == 3


def test_an_answer_may_have_to_name_its_question(tmp_path: Path) -> None:
    script = """
import sys
for line in sys.stdin:
    number, _, value = line.strip().partition("\\t")
    {body}
    sys.stdout.flush()
"""
    for body, right in (("print(f'{number}\\t{value}')", True), ("print(f'1\\t{value}')", False)):
        path = tmp_path / "client.py"
        path.write_text(script.format(body=body), encoding="utf-8")
        running = ProgramTarget((sys.executable, str(path)), timeout=10, echo=True)
        if right:
            assert running.answers(["1", "2"]) == [1, 2]
        else:
            with pytest.raises(ParameterError, match="number of its question"):
                running.answers(["1", "2"])
        running.close()


def test_what_a_program_has_started_ends_with_it(tmp_path: Path) -> None:
    """Each start leaves a process behind that would hold the lock of a file for ever."""
    lock = "held = open(sys.argv[0] + str(os.getpid()), 'w'); fcntl.flock(held, fcntl.LOCK_EX)"
    left = "subprocess.Popen(['sleep', '600'], stdout=2, pass_fds=[held.fileno()])"
    body = f"{lock}; {left}; print(os.getpid()); sys.exit()"
    command = program(tmp_path, f"import fcntl, os, subprocess; {body}")
    source = from_program(command, range(2))
    batch = next(source.batches(6, np.random.default_rng(1), 0))
    source.close()
    pids = [pid for pid in batch.outputs if isinstance(pid, int)]
    assert pids
    for pid in pids:
        with Path(f"{command[1]}{pid}").open() as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # waits for ever if it is still held
