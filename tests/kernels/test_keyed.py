"""Words from a secret and a label."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.kernels.keyed import KeyedWords

if TYPE_CHECKING:
    from collections.abc import Callable


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


@pytest.mark.parametrize("given", [0, 1, 2, 7, 1000])
@pytest.mark.parametrize(
    "twin", [copy.copy, copy.deepcopy, lambda source: pickle.loads(pickle.dumps(source))]
)
def test_a_copy_goes_on_where_the_original_was(
    twin: Callable[[KeyedWords], KeyedWords], given: int
) -> None:
    source = KeyedWords(bytes(32), b"a", simulated=True)
    source.words(given)
    once = twin(source)
    twice = twin(once)
    expected = source.words(5).tolist()
    assert once.words(5).tolist() == expected
    assert twice.words(2).tolist() + twin(twice).words(3).tolist() == [*expected[:2], *expected[2:]]
    assert twice.simulated
