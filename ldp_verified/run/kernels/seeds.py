"""Turn an argument `rng=` into words: the one place for seeds and generators.

A seed, or 32 bytes that a numpy generator gives, is hashed together with a domain that says what is
drawn and by whom, and the hash keys an AES-256-CTR keystream. So no words are those of a numpy
generator: data from `default_rng(7)` and reports drawn with `rng=7` do not share a stream, nor do
two mechanisms, or two purposes, that are given one seed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import operator
import os
from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING, Final, SupportsIndex, TypeAlias

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.keyed import SECRET_BYTES, KeyedWords
from ldp_verified.run.kernels.randomness import SecureWords, WordSource

if TYPE_CHECKING:
    from collections.abc import Callable

_SEEDS: Final = (
    "a seed >= 0 or a numpy.random.Generator (numpy.random.default_rng makes one of a BitGenerator "
    "or a SeedSequence)"
)
_RULE: Final = f"must be None (secure), a WordSource, {_SEEDS}"
_NO_SOURCE: Final = f"must be None, {_SEEDS}"

Part: TypeAlias = "int | float | str | tuple[Part, ...] | None"
"""What a domain consists of: purposes, names of mechanisms, parameters."""


def word_source(
    rng: SupportsIndex | np.random.Generator | WordSource | None, purpose: str, *of: Part
) -> WordSource:
    """The source of words that an `rng=` argument stands for.

    Args:
        rng: None for the secure source; an integer seed >= 0 or a numpy Generator for simulation;
            a `WordSource` is returned as it is. A seed gives the same words each time for one
            domain. A generator gives 32 bytes, and goes on: so other words each time.
        purpose: what the words are for, the first part of the domain.
        of: the rest of it, such as the mechanism and its parameters.

    Raises:
        ParameterError: for anything else (booleans, floats, negative seeds, RandomState).
    """
    if rng is None:
        return SecureWords()
    if isinstance(rng, WordSource) and not isinstance(rng, type):
        return rng
    return KeyedWords(_secret(rng, _RULE), _label(purpose, *of), simulated=True)


def block_sources(
    rng: SupportsIndex | np.random.Generator | None, purpose: str, *of: Part
) -> Callable[[int], WordSource]:
    """Return what gives the source of a block of values by its index, whichever thread draws it.

    Args:
        rng, purpose, of: as in `word_source`, but for a `WordSource`, whose state threads cannot
            share. The index is a part of the domain, so blocks have independent streams.

    Raises:
        ParameterError: for anything else.
    """
    if rng is None:
        return lambda _: SecureWords()
    secret = _secret(rng, _NO_SOURCE)
    return lambda block: KeyedWords(secret, _label(purpose, *of, block), simulated=True)


def numpy_generator(
    rng: SupportsIndex | np.random.Generator | None, purpose: str, *of: Part
) -> np.random.Generator:
    """A numpy generator of our own, for draws that are no reports: binomials, inputs to audit.

    Args:
        rng, purpose, of: as in `word_source`, but for a `WordSource`; None seeds it from the
            operating system. A given generator is never drawn from beyond its 32 bytes.

    Raises:
        ParameterError: for anything else.
    """
    secret = os.urandom(SECRET_BYTES) if rng is None else _secret(rng, _NO_SOURCE)
    key = hmac.digest(secret, _label("numpy", purpose, *of), "sha256")
    return np.random.Generator(np.random.PCG64(int.from_bytes(key, "little")))


def checked_seed(given: object, rule: str = "must be an integer >= 0", name: str = "seed") -> int:
    """An integer seed, however large.

    Args:
        given: a Python or numpy integer.
        rule: what the message says that it must be.
        name: of the argument.

    Raises:
        ParameterError: not an integer, a bool, or negative.
    """
    # The type only: a caller who swapped two arguments must not see private values echoed.
    wrong = ParameterError(name, rule, type(given).__name__)
    if isinstance(given, bool | np.bool_ | np.ndarray) or not isinstance(given, SupportsIndex):
        raise wrong
    try:
        seed = operator.index(given)
    except TypeError:  # `int` itself, say, a class that has the method
        raise wrong from None
    if seed < 0:
        # Python refuses to print numbers of very many digits.
        shown = seed if seed.bit_length() < 1000 else "a negative integer"
        raise ParameterError(name, rule, shown)
    return seed


def _secret(rng: object, rule: str) -> bytes:
    """Return the bytes that a seed or a generator adds to a key; each kind has its own prefix."""
    if isinstance(rng, np.random.Generator):
        # The low half of each word, whatever its width: bit generators are the same in all versions
        # of numpy, which it does not promise of the methods of `Generator`.
        raw = np.asarray(rng.bit_generator.random_raw(SECRET_BYTES // 4))
        return hashlib.sha256(b"ldp_verified generator " + raw.astype("<u4").tobytes()).digest()
    seed = checked_seed(rng, rule, "rng")
    return hashlib.sha256(b"ldp_verified seed %x" % seed).digest()


def _label(*domain: Part) -> bytes:
    """The domain as bytes: the same for equal domains (1 and 1.0 are equal), and for no others."""
    return json.dumps([_plain(part) for part in domain]).encode()


def _plain(part: Part) -> object:
    if part is None or isinstance(part, str):
        return part
    if isinstance(part, tuple):
        return [_plain(each) for each in part]
    number = Fraction(part) if isinstance(part, Rational) else Fraction(float(part))
    return {"number": str(number)}
