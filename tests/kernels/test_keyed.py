"""Words from a secret and a label."""

from __future__ import annotations

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.kernels.keyed import KeyedWords


def test_words_depend_on_secret_and_label_alone() -> None:
    words = [
        tuple(KeyedWords(secret, label).words(4).tolist())
        for secret in (bytes(32), bytes(31) + b"\1")
        for label in (b"a", b"b")
    ]
    assert len(set(words)) == 4
    assert tuple(KeyedWords(bytes(32), b"a").words(4).tolist()) == words[0]


def test_words_go_on() -> None:
    source = KeyedWords(bytes(32), b"a")
    pieces = source.words(3).tolist() + source.words(5).tolist()
    assert pieces == KeyedWords(bytes(32), b"a").words(8).tolist()


def test_the_flag_is_kept() -> None:
    assert not KeyedWords(bytes(32), b"").simulated
    assert KeyedWords(bytes(32), b"", simulated=True).simulated


def test_the_secret_is_checked() -> None:
    with pytest.raises(ParameterError, match="secret"):
        KeyedWords(bytes(31), b"")
