"""xxHash32 against its published values, and a blind search that finds it."""

from __future__ import annotations

from math import e

import numpy as np
import pytest

from examples.audits.hashes import xxh32 as written_again
from ldp_verified.check.audit.claim import Claim
from ldp_verified.check.audit.events.hashes import bucket_counts, hashed_to, xxh32
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import audit
from ldp_verified.check.audit.targets.sources import from_callable

LEVEL = 1e-9


def test_the_hash_has_its_published_values() -> None:
    zero = np.array([0])
    assert int(xxh32("", zero)[0]) == 0x02CC5D05
    assert int(xxh32("Nobody inspects the spammish repetition", zero)[0]) == 0xE2293B2F


@pytest.mark.parametrize("text", ["", "a", "7", "12345", "abcdefgh", "0123456789abcde"])
def test_the_hash_is_that_of_another_hand(text: str) -> None:
    seeds = np.array([0, 1, 12345, 2**31 + 5, 2**40 + 7])
    expected = [written_again(text, int(seed) & 0xFFFFFFFF) for seed in seeds]
    assert xxh32(text, seeds).tolist() == expected


def test_outputs_that_are_no_pairs_speak_for_nothing() -> None:
    outputs = [(5000, 1), [1, 5000], 3, "ab", (1.0, 2), (1, 2, 3), (-1, 2)]
    found = hashed_to(outputs, ["0"] * len(outputs), 2)
    bucket = int(xxh32("0", np.array([5000]))[0]) % 2
    assert found.tolist() == [bucket == 1, bucket == 1, False, False, False, False, False]
    assert bucket_counts(outputs) == []
    assert bucket_counts([(9999, 0), (123456, 3)]) == [4]
    assert bucket_counts([(1, 2), (3, 1)]) == []


@pytest.mark.parametrize(
    "epsilon,verdict", [(1.0, AuditVerdict.CONSISTENT), (2.0, AuditVerdict.VIOLATED)]
)
def test_a_blind_search_reads_the_usual_hash(
    epsilon: float, verdict: AuditVerdict, rng: np.random.Generator
) -> None:
    """Local hashing to 4 buckets with xxHash32, claimed eps = 1; level 1e-9 each.

    Half of 40,000 samples test: plus 0.36 of them at eps = 1.
    """
    g = 4

    def report(value: int) -> tuple[int, int]:
        seed = int(rng.integers(1 << 40))
        bucket = int(xxh32(str(value), np.array([seed]))[0]) % g
        truth = rng.random() < e**epsilon / (e**epsilon + g - 1)
        return (bucket if truth else (bucket + int(rng.integers(1, g))) % g), seed

    found = audit(from_callable(report, range(6)), Claim(1.0, n=40_000, level=LEVEL), seed=2)
    assert found.verdict is verdict
    assert found.tested[0].event.document()["reading"] == "xxh32:4"


@pytest.mark.parametrize(
    "inputs,shift,reading",
    [
        ((1, 2, 3, 4), -1, "xxh32:4,-1"),
        ((0, 1, 2, 3), 1, "xxh32:4,+1"),
        (("a", "b", "c", "d"), None, "xxh32:4,index"),
    ],
)
def test_a_blind_search_finds_what_text_is_hashed(
    inputs: tuple[int | str, ...], shift: int | None, reading: str, rng: np.random.Generator
) -> None:
    """Real eps = 2.5 (plus 0.8, minus 0.07 per bucket) against a claim of 1, 6,000 samples."""

    def report(value: int | str) -> tuple[int, int]:
        seed = int(rng.integers(1 << 40))
        text = str(inputs.index(value) if shift is None else int(value) + shift)
        bucket = int(xxh32(text, np.array([seed]))[0]) % 4
        truth = rng.random() < e**2.5 / (e**2.5 + 3)
        return (bucket if truth else (bucket + int(rng.integers(1, 4))) % 4), seed

    found = audit(from_callable(report, inputs), Claim(1.0, n=12_000, level=LEVEL), seed=2)
    assert found.verdict is AuditVerdict.VIOLATED
    assert found.tested[0].event.document()["reading"] == reading
