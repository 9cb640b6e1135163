"""Words from a secret and a label."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.keyed import KeyedWords, keyed_blocks
from ldp_verified.run.kernels.randomness import AesCtrStream

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


def test_blocks_are_those_of_the_cipher_whatever_their_order() -> None:
    """The block of 0 is the first one of the counter stream, whose first counter is 0."""
    key = bytes(range(32))
    numbers = np.array([0, 1, 2**63, 1], dtype=np.uint64)
    found = keyed_blocks(key, numbers)
    stream = AesCtrStream(key)
    first = np.empty(2, dtype=np.uint64)
    stream.fill(first)
    assert found[0].tolist() == first.tolist()
    assert found[1].tolist() == found[3].tolist()
    assert len({tuple(block) for block in found.tolist()}) == 3
    assert keyed_blocks(key, numbers[::-1].copy()).tolist() == found[::-1].tolist()
    with pytest.raises(ParameterError, match="key: must be 32 bytes"):
        keyed_blocks(b"short", numbers)
