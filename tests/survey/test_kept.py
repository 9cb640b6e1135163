"""`examples/survey`: what was acknowledged is kept, whatever happens while a line is written."""

from __future__ import annotations

import errno
import json
import os
import threading
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import pytest

from tests.survey.test_survey import mark, post, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def body_of(survey: Any, report: int) -> bytes:
    return json.dumps({"survey": survey.name, "report": report}).encode()


def kept(folder: Path) -> list[int]:
    lines = (folder / "answers.jsonl").read_bytes().decode().splitlines()
    return [json.loads(line)["report"] for line in lines]


def disk_that_is_full(collector: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """The disk takes 20 bytes of a line; call what is returned to make room."""
    opened = collector.Path.open

    class Full:
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def __getattr__(self, name: str) -> Any:
            return getattr(self._stream, name)

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            self._stream.close()

        def write(self, data: bytes) -> int:
            self._stream.write(data[:20])
            self._stream.flush()
            return 20

    def half(path: Path, *arguments: Any, **more: Any) -> Any:
        stream = opened(path, *arguments, **more)
        return Full(stream) if path.name == "answers.jsonl" else stream

    monkeypatch.setattr(collector.Path, "open", half)
    return lambda: monkeypatch.setattr(collector.Path, "open", opened)


def test_a_line_that_the_disk_did_not_take_is_no_answer(
    example: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, collector = example
    survey = collector.Survey(folder)
    survey.add(body_of(survey, 0), mark())
    more_room = disk_that_is_full(collector, monkeypatch)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        survey.add(body_of(survey, 1), mark())
    more_room()
    survey.add(body_of(survey, 2), mark())
    assert kept(folder) == [0, 2]
    assert survey.counted.n == collector.Survey(folder).counted.n == 2


def test_a_line_that_did_not_reach_the_disk_is_no_answer(
    example: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser is told to send it again, and then it counts once."""
    _, collector = example

    def failing(_descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    same = mark()
    with serving(collector, folder) as (address, survey):
        assert post(address, body_of(survey, 3)) == HTTPStatus.OK
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", failing)
            assert post(address, body_of(survey, 4), same) == HTTPStatus.SERVICE_UNAVAILABLE
        assert kept(folder) == [3]
        for _ in range(2):
            assert post(address, body_of(survey, 4), same) == HTTPStatus.OK
        assert kept(folder) == [3, 4]
    assert collector.Survey(folder).counted.n == 2


@pytest.mark.parametrize("cut", [1, 5, 20, 41])
def test_a_last_line_that_was_cut_off_is_left_out(example: Any, folder: Path, cut: int) -> None:
    """The process was killed while it wrote: of a line that was not acknowledged nothing stays."""
    _, collector = example
    survey = collector.Survey(folder)
    for report in (0, 1, 2):
        survey.add(body_of(survey, report), mark())
    file = folder / "answers.jsonl"
    os.truncate(file, file.stat().st_size - cut)
    again = collector.Survey(folder)
    assert again.counted.n == 2
    again.add(body_of(survey, 4), mark())
    assert kept(folder) == [0, 1, 4]
    assert collector.Survey(folder).counted.n == 3


def test_answers_at_the_same_time_are_whole_lines(example: Any, folder: Path) -> None:
    _, collector = example
    survey = collector.Survey(folder)
    sent = [
        threading.Thread(target=survey.add, args=[body_of(survey, i % 5), mark()])
        for i in range(40)
    ]
    for each in sent:
        each.start()
    for each in sent:
        each.join()
    assert sorted(kept(folder)) == sorted(i % 5 for i in range(40))
    assert collector.Survey(folder).counted.n == 40


def test_an_answer_that_is_sent_again_is_counted_once(example: Any, folder: Path) -> None:
    """At once, after others, at the same time, and after the collector was started again."""
    _, collector = example
    first, second = mark(), mark()
    with serving(collector, folder) as (address, survey):
        body = body_of(survey, 3)
        sent = [first, first, second, first, second]
        assert [post(address, body, each) for each in sent] == [HTTPStatus.OK] * 5
        assert survey.counted.n == 2
    again = collector.Survey(folder)
    more = [threading.Thread(target=again.add, args=[body, each]) for each in [first, "0" * 32] * 9]
    for each in more:
        each.start()
    for each in more:
        each.join()
    assert again.counted.n == collector.Survey(folder).counted.n == 3
    assert kept(folder) == [3, 3, 3]


@pytest.mark.parametrize("wrong", ["", "0" * 31, "0" * 33, "A" * 32, "é" * 32, "0" * 32 + "\t0"])
def test_an_answer_without_its_mark_is_refused(wrong: str, example: Any, folder: Path) -> None:
    _, collector = example
    with serving(collector, folder) as (address, survey):
        assert post(address, body_of(survey, 3), wrong) == HTTPStatus.BAD_REQUEST
    assert kept(folder) == []


def test_answers_that_an_older_collector_kept_are_counted(example: Any, folder: Path) -> None:
    """Their lines have no marks."""
    _, collector = example
    line = body_of(collector.Survey(folder), 2) + b"\n"
    (folder / "answers.jsonl").write_bytes(line * 3)
    survey = collector.Survey(folder)
    assert survey.counted.n == 3
    with pytest.raises(ValueError, match="idempotency-key"):
        survey.add(body_of(survey, 2), "")
