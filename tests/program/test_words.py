"""Buffered words: each is given out once, to one process."""

from __future__ import annotations

import os
import threading

from ldp_verified.run.program.words import WORDS_AT_ONCE, WordBuffer, system_words


def test_words_come_in_the_order_in_which_they_were_fetched() -> None:
    buffer = WordBuffer(lambda: [1, 2, 3])
    assert [buffer.more(), buffer.words.pop(), buffer.words.pop()] == [1, 2, 3]
    assert buffer.words == []


def test_system_words_are_fresh() -> None:
    """Two of 2 * 512 words are equal with probability below 2^-45; the top byte varies, too."""
    words = [*system_words(), *system_words()]
    assert len(set(words)) == len(words) == 2 * WORDS_AT_ONCE
    assert all(0 <= word < 2**64 for word in words)
    assert max(words) >= 2**60


def test_a_process_with_another_number_gets_no_old_word() -> None:
    """As in a child that runs no handler of forks."""
    buffer = WordBuffer()
    buffer.more()
    before = set(buffer.words)
    buffer.owner[0] = os.getpid() + 1
    buffer.renew()
    assert buffer.words == []
    assert buffer.owner == [os.getpid()]
    assert buffer.more() not in before


def test_threads_share_no_word() -> None:
    buffer = WordBuffer()
    taken: list[list[int]] = [[], [], [], []]

    def take(into: list[int]) -> None:
        for _ in range(5000):
            try:
                into.append(buffer.words.pop())
            except IndexError:
                into.append(buffer.more())

    threads = [threading.Thread(target=take, args=(each,)) for each in taken]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = [word for each in taken for word in each]
    assert len(set(together)) == len(together) == 20000
